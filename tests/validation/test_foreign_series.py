"""What other anonymizers wrote is read, placed and attacked (tests/data/foreign/README.md)."""

import csv
from collections import Counter
from pathlib import Path

import pytest

import seriatim as sr

FOLDER = Path(__file__).parents[1] / "data" / "foreign"
WEEKS = (1, 2, 3)
ZIPS = ("38121", "38122", "38124", "38130", "38131", "38201", "38205", "38210")
EXAMS = ("neg", "pos", "unclear")
TOOLS = (
    "anjana",
    "anonypy",
    "anonypyx",
    "anonypyx_machine",
    "anonypyx_mdav",
    "arx",
    "sdcmicro",
    "sdcmicro_gui",
)
IN_ORDER = ("arx", "sdcmicro", "sdcmicro_gui")
"""Tools whose rows stand in the order of the originals."""

OPEN = sr.Schema(
    "id",
    [sr.Numeric("age"), sr.Categorical("gender"), sr.Hierarchical("zip", mask="prefix")],
    sr.Sensitive("exam"),
)
DECLARED = sr.Schema(
    "id",
    [
        sr.Numeric("age", 20, 79),
        sr.Categorical("gender", ["F", "M"]),
        sr.Hierarchical("zip", mask="prefix", values=ZIPS),
    ],
    sr.Sensitive("exam", EXAMS),
)
SCHEMAS = {"open": OPEN, "declared": DECLARED}


def rows_of(name, delimiter=","):
    with (FOLDER / f"{name}.csv").open(newline="") as lines:
        return list(csv.DictReader(lines, delimiter=delimiter))


def original(week):
    rows = rows_of(f"original_{week}")
    return {
        "id": [int(row["id"]) for row in rows],
        "age": [int(row["age"]) for row in rows],
        "gender": [row["gender"] for row in rows],
        "zip": [row["zip"] for row in rows],
        "exam": [row["exam"] for row in rows],
    }


def without_exams(table):
    return {name: column for name, column in table.items() if name != "exam"}


ORIGINALS = [original(week) for week in WEEKS]


def read(tool, schema=OPEN):
    files = [FOLDER / f"{tool}_{week}.csv" for week in WEEKS]
    return sr.read_history(files, schema, closed_ends=tool == "anjana")


def published(tool, week):
    """Positions of the originals that a tool published; anjana says them, others suppress none."""
    if tool == "anjana":
        return [int(row["index"]) for row in rows_of(f"anjana_{week}")]
    return list(range(len(ORIGINALS[week - 1]["id"])))


@pytest.fixture(scope="module", params=SCHEMAS)
def schema(request):
    return SCHEMAS[request.param]


@pytest.mark.parametrize("tool", TOOLS)
def test_series__has_three_weeks_of_the_right_size(tool, schema):
    history = read(tool, schema)
    assert history.instants == WEEKS
    assert [len(release) for release in history] == [len(published(tool, week)) for week in WEEKS]


@pytest.mark.parametrize("tool", TOOLS)
def test_series__publishes_the_values_of_those_it_published(tool, schema):
    for week, release in zip(WEEKS, read(tool, schema), strict=True):
        exams = ORIGINALS[week - 1]["exam"]
        shown = sum((Counter(group.counts) for group in release.groups), Counter())
        assert shown == Counter(exams[position] for position in published(tool, week))


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if not tool.startswith("sdcmicro")])
def test_series__has_groups_of_three_and_more(tool):
    """sdcMicro counts a suppressed cell as any value, and leaves smaller groups."""
    assert all(release.sizes.min() >= 3 for release in read(tool))


@pytest.mark.parametrize("tool", TOOLS)
def test_series__holds_everyone_who_is_published(tool, schema):
    for week, release, table in zip(WEEKS, read(tool, schema), ORIGINALS, strict=True):
        roster = sr.Roster.from_table(without_exams(table), release.schema)
        regions = [group.region.contains(roster) for group in release.groups]
        # Ids ascend in the originals, so that a row of the roster is a position there.
        assert all(any(held[row] for held in regions) for row in published(tool, week))
        placed = sr.place(roster, release)
        assert placed.published[published(tool, week)].all()


@pytest.mark.parametrize("tool", IN_ORDER)
def test_series__leaves_everyone_in_their_own_group(tool, schema):
    """Rows stand in the order of the originals, so that everyone's true cells are known."""
    delimiter = ";" if tool != "sdcmicro" else ","
    for week, release, table in zip(WEEKS, read(tool, schema), ORIGINALS, strict=True):
        placed = sr.place(sr.Roster.from_table(without_exams(table), release.schema), release)
        texts = [group.region.texts for group in release.groups]
        for row, cells in enumerate(csv_rows(f"{tool}_{week}", delimiter)):
            true = texts.index(tuple("*" if cell == "NA" else cell for cell in cells))
            if isinstance(placed, sr.Membership):
                assert placed.group_of[row] == true
            else:
                assert true in placed.candidates[placed.offsets[row] : placed.offsets[row + 1]]


def csv_rows(name, delimiter):
    """The three cells before the last of each row, whatever stands in front of them."""
    with (FOLDER / f"{name}.csv").open(newline="") as lines:
        _, *rows = csv.reader(lines, delimiter=delimiter)
    return [row[-4:-1] for row in rows]


@pytest.mark.parametrize("tool", TOOLS)
def test_series__is_attacked_with_its_originals(tool, schema):
    found = sr.audit(read(tool, schema), ORIGINALS, {"counts": sr.Adversary(rule="sinkhorn")})
    assert [row.respondents for row in found.rows] == [len(published(tool, week)) for week in WEEKS]
    # Without any knowledge there is nothing to gain beyond counting.
    assert [row.gain for row in found.rows] == pytest.approx([0, 0, 0], abs=1e-6)
    assert all(row.confidence > 1 / 3 for row in found.rows)


@pytest.mark.parametrize("tool", TOOLS)
def test_series__is_attacked_with_a_roster_only(tool, schema):
    rosters = [without_exams(table) for table in ORIGINALS]
    readers = {"snapshot": sr.Adversary(), "retrospective": sr.Retrospective(sticky_reader())}
    found = sr.audit(read(tool, schema), rosters, readers)
    assert {row.gain for row in found.rows} == {None}
    assert {row.gain for row in found.series} == {None}
    assert all(0 <= row.sure_above_half <= 1 for row in found.rows)
    assert "retrospective" in str(found)


@pytest.mark.parametrize("tool", TOOLS)
def test_series__tells_a_reader_of_sequences_more_than_counting(tool):
    """Most values stay from week to week."""
    reader = sr.Retrospective(sticky_reader())
    (row,) = sr.audit(read(tool), ORIGINALS, {"retrospective": reader}).series
    assert row.gain > 0


def sticky_reader():
    chance = {one: [0.84 if one == other else 0.08 for other in EXAMS] for one in EXAMS}
    table = {
        "given": [one for one in EXAMS for _ in EXAMS],
        "next": list(EXAMS) * 3,
        "probability": [p for one in EXAMS for p in chance[one]],
    }
    return sr.Adversary(sequence=sr.DomainKnowledge.from_table(table), rule="strongest")


@pytest.mark.parametrize("tool", TOOLS)
def test_series__explains_its_risks_without_naming_anyone(tool):
    tables = [{**table, "id": [f"SECRET-{one}" for one in table["id"]]} for table in ORIGINALS]
    found = sr.audit(read(tool), tables, {"reader": sr.Retrospective(sticky_reader())})
    worst = found.at_risk("reader", most=3)
    assert len(worst) == 3
    for risk in worst:
        story = found.explain(risk)
        assert story.belief == pytest.approx(risk.belief, abs=1e-9)
        assert "SECRET" not in str(story) + repr(story) + repr(risk)


def test_two_forms__of_one_release_are_the_same():
    """AnonyPyx writes one anonymization for people and for machines; sdcMicro's two exports."""
    for one, other in (("anonypyx", "anonypyx_machine"), ("sdcmicro", "sdcmicro_gui")):
        for first, second, table in zip(
            read(one, DECLARED), read(other, DECLARED), ORIGINALS, strict=True
        ):
            roster = sr.Roster.from_table(without_exams(table), DECLARED)
            assert held(first, roster) == held(second, roster)


def held(release, roster):
    return Counter(
        (tuple(group.region.contains(roster).tolist()), tuple(sorted(group.counts.items())))
        for group in release.groups
    )


def test_anjana__needs_closed_ends_for_people_of_sixty():
    """Its [40, 60) holds them: read as written, they are outside of their own row."""
    files = [FOLDER / f"anjana_{week}.csv" for week in WEEKS]
    as_written, closed = sr.read_history(files, OPEN), read("anjana")
    for week, written, better, table in zip(WEEKS, as_written, closed, ORIGINALS, strict=True):
        roster = sr.Roster.from_table(without_exams(table), written.schema)
        rows = rows_of(f"anjana_{week}")
        homes = {int(row["index"]): (row["age"], row["gender"], row["zip"]) for row in rows}
        assert {table["age"][one] for one in homes if not own(written, roster, homes, one)} == {60}
        assert all(own(better, roster, homes, one) for one in homes)


def own(release, roster, homes, position):
    """Tell whether some group of a release with a row's own cells holds its respondent."""
    cells = homes[position]
    forms = {cells, (f"[{cells[0][1:-1]}]", *cells[1:])}
    regions = [group.region for group in release.groups if group.region.texts in forms]
    assert len(regions) == 1
    return bool(regions[0].contains(roster)[position])


def test_arx__is_read_with_its_own_hierarchies():
    """Nodes of trees, as the tool's hierarchy files have them; ages as labels of their tree."""

    def paths(name):
        with (FOLDER / f"arx_hierarchy_{name}.csv").open(newline="") as lines:
            return {leaf: above for leaf, *above in csv.reader(lines, delimiter=";")}

    trees = [sr.Hierarchical(name, paths(name)) for name in ("age", "gender", "zip")]
    schema = sr.Schema("id", trees, sr.Sensitive("exam", EXAMS))
    for release, plain, table in zip(
        read("arx", schema), read("arx", DECLARED), ORIGINALS, strict=True
    ):
        labels = {**without_exams(table), "age": [str(age) for age in table["age"]]}
        by_nodes = held(release, sr.Roster.from_table(labels, schema))
        assert by_nodes == held(plain, sr.Roster.from_table(without_exams(table), DECLARED))


def test_means__are_no_regions():
    """Microaggregated ages hold nobody, or whoever is of that very age."""
    schema = sr.Schema("id", [sr.Numeric("age")], sr.Sensitive("exam", EXAMS))
    for release, table in zip(read("anonypyx_micro", schema), ORIGINALS, strict=True):
        assert len(release) == len(table["id"])
        roster = sr.Roster.from_table(without_exams(table), schema)
        placed = sr.place(roster, release)
        means = {group.region.texts[0] for group in release.groups}
        assert {
            str(float(table["age"][row])) for row in range(len(roster)) if placed.published[row]
        } <= means


def test_means__are_refused_where_they_hold_nobody():
    schema = sr.Schema("id", [sr.Numeric("age")], sr.Sensitive("exam", EXAMS))
    release = sr.read_release({"age": [22.5, 22.5], "exam": ["neg", "pos"]}, schema, at=1)
    people = {"id": ["SECRET-1", "SECRET-2"], "age": [22, 23]}
    with pytest.raises(sr.OrderError, match="Means, as microaggregation leaves them") as caught:
        sr.audit([release], [people], [sr.Adversary()])
    assert "SECRET" not in str(caught.value)
