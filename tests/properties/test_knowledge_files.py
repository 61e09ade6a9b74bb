"""Knowledge in files: what is read is what was written, and damage is explained."""

import contextlib
import csv
import io
import json
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

import seriatim as sr
from seriatim.knowledge import Classes, sheet
from seriatim.knowledge.learning import LocalNotebook
from strategies import distributions
from strategies import knowledge as bare_knowledge

SEXES = ("F", "M")
BANDS = ("0-49", "[50,99]")
FORMATS = pytest.mark.parametrize("suffix", [".csv", ".json"])
LETTERS = "ab ,;\"'\n\t#{}[]:\\01.-+eäßØ→"
LIKE_OTHERS = (
    *("1", "01", "1.0", "1e5", "-3", "nan", "inf", "True", "false", "None", "null", "1_0"),
    *(" a", "a ", "a,b", 'a"b', '"', "a\nb", "\n", "Übelkeit", "# seriatim: {}", "next", "Ωμέγα"),
)

texts = st.one_of(st.sampled_from(LIKE_OTHERS), st.text(LETTERS, min_size=1, max_size=6))
whole_numbers = st.integers(-(2**53) + 1, 2**53 - 1)
numbers = st.floats(-1e9, 1e9, allow_nan=False).map(lambda number: number + 0.0)


def distinct(cells, *, least=2, most=4):
    return st.lists(cells, min_size=least, max_size=most, unique_by=str).map(tuple)


domains = st.one_of(
    distinct(texts), distinct(whole_numbers), distinct(numbers), st.just((False, True))
)
"""Sensitive values of one kind; texts that look like anything but themselves."""


@pytest.fixture(scope="module")
def fresh_file(tmp_path_factory):
    """Return the path of a file that is not there yet."""
    folder, number = tmp_path_factory.mktemp("knowledge"), count()
    return lambda suffix: folder / f"known{next(number)}{suffix}"


def through(knowledge, path):
    sr.write_knowledge(knowledge, path)
    return sr.read_knowledge(path)


def long_table(names, entries):
    return {
        name: list(cells) for name, cells in zip(names, zip(*entries, strict=True), strict=True)
    }


@st.composite
def some_classes(draw):
    """Names of class columns, and rows of cells; none, one or two columns."""
    rows = draw(
        st.sampled_from(
            [
                ((), [()]),
                (("sex",), [(sex,) for sex in SEXES]),
                (("sex", "age"), [(sex, band) for sex in SEXES for band in BANDS]),
                (("age",), [("*",)]),
            ]
        )
    )
    return rows[0], draw(st.permutations(rows[1]))


def probabilities(draw, domain, unlisted):
    """Values with chances: some that sum to 1, or to less so that the rest is spread."""
    if unlisted == "spread":
        named = draw(st.lists(st.sampled_from(domain), min_size=1, unique=True))
        named = named[: len(domain) - 1]
        return {value: draw(st.integers(0, 9)) / 40 for value in named}
    named = draw(st.lists(st.sampled_from(domain), min_size=1, unique=True))
    return dict(zip(named, draw(distributions(len(named))), strict=True))


def filled(classes):
    """Keywords that name class columns, where there are any."""
    return {"classes": classes} if classes else {}


@st.composite
def domain_knowledge(draw):
    domain, steps = draw(domains), draw(st.integers(1, 3))
    names, kinds = draw(some_classes())
    unlisted = draw(st.sampled_from(["error", "spread"]))
    context = st.lists(st.sampled_from(domain), max_size=steps).map(tuple)
    entries = [
        (*kind, *(None,) * (steps - len(given)), *given, value, chance)
        for kind in kinds
        for given in draw(st.lists(context, min_size=1, max_size=3, unique=True))
        for value, chance in probabilities(draw, domain, unlisted).items()
    ]
    given = [f"value{back}" for back in range(steps, 0, -1)]
    table = long_table([*names, *given, "then", "chance"], draw(st.permutations(entries)))
    model = sr.DomainKnowledge.from_table(
        table,
        given=given,
        following="then",
        probability="chance",
        unlisted=unlisted,
        **filled(names),
    )
    return model, domain


@st.composite
def mined_knowledge(draw):
    domain = draw(domains)
    names, kinds = draw(some_classes())
    kind_of = {who: draw(st.sampled_from(kinds)) for who in range(5)}
    entries = [
        (*kind_of[who], who, at, draw(st.sampled_from(domain)))
        for at in range(draw(st.integers(1, 4)))
        for who in draw(st.lists(st.sampled_from(sorted(kind_of)), min_size=1, unique=True))
    ]
    model = sr.mine(
        long_table([*names, "who", "week", "exam"], entries),
        steps=draw(st.integers(0, 5)),
        respondent="who",
        value="exam",
        at="week",
        by=names,
        unseen=draw(st.sampled_from(["suffix", "impossible"])),
    )
    return model, domain


@st.composite
def transition_rates(draw, *, least=0.01):
    domain = draw(domains)
    names, kinds = draw(some_classes())
    pairs = [(one, other) for one in domain for other in domain if one is not other]
    entries = [
        (*kind, *pair, draw(st.floats(least, 5)))
        for kind in kinds
        for pair in draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    ]
    table = long_table([*names, "given", "next", "rate"], entries)
    return sr.TransitionRates.from_table(table, **filled(names)), domain


@st.composite
def automata(draw):
    """Automata with unknown states, for one or several classes, with a period or without."""
    domain = draw(domains)
    names, kinds = draw(some_classes())
    first = draw(bare_knowledge(len(domain)))
    n_states = len(first.next_value)
    row = distributions(len(domain))
    tables = [draw(st.lists(row, min_size=n_states, max_size=n_states)) for _ in kinds]
    known = [draw(st.lists(st.booleans(), min_size=n_states, max_size=n_states)) for _ in kinds]
    classes = Classes(names, tuple(kinds)) if names else None
    machine = sr.Automaton(domain, tables, first.next_state, first.start, known, classes)
    if draw(st.booleans()):
        machine = sr.PerPeriod(machine, draw(st.sampled_from([7, 0.1, 30.4]))).automaton(domain)
    return machine, domain


@st.composite
def mined_automata(draw):
    model, domain = draw(mined_knowledge())
    return model.automaton(domain), domain


@st.composite
def per_period(draw):
    model, domain = draw(st.one_of(domain_knowledge(), mined_knowledge(), automata()))
    return sr.PerPeriod(model, draw(st.one_of(st.integers(1, 400), st.floats(1e-3, 1e3)))), domain


@st.composite
def incremental_knowledge(draw):
    names, kinds = draw(some_classes())
    classes = Classes(names, tuple(kinds)) if names else None
    return sr.IncrementalKnowledge(draw(st.integers(0, 3)), classes), draw(domains)


@st.composite
def marginal_priors(draw):
    domain, unlisted = draw(domains), draw(st.sampled_from(["error", "spread"]))
    return sr.MarginalPrior(probabilities(draw, domain, unlisted), unlisted), domain


@st.composite
def class_priors(draw):
    domain, unlisted = draw(domains), draw(st.sampled_from(["error", "spread"]))
    names, kinds = draw(some_classes().filter(lambda classes: classes[0]))
    entries = [
        (*kind, value, chance)
        for kind in kinds
        for value, chance in probabilities(draw, domain, unlisted).items()
    ]
    table = long_table([*names, "value", "probability"], draw(st.permutations(entries)))
    return sr.ClassPrior.from_table(table, classes=names, unlisted=unlisted), domain


@st.composite
def tabulated_priors(draw):
    domain, unlisted = draw(domains), draw(st.sampled_from(["error", "spread"]))
    ids = draw(st.one_of(distinct(texts, least=1), distinct(whole_numbers, least=1)))
    entries = [
        (who, value, chance)
        for who in ids
        for value, chance in probabilities(draw, domain, unlisted).items()
    ]
    table = long_table(("respondent", "value", "probability"), draw(st.permutations(entries)))
    otherwise = draw(st.sampled_from([None, sr.UniformPrior()]))
    return sr.TabulatedPrior.from_table(table, unlisted=unlisted, otherwise=otherwise), domain


KINDS = {
    "domain knowledge": domain_knowledge(),
    "mined knowledge": mined_knowledge(),
    "transition rates": transition_rates(),
    "automaton": automata(),
    "automaton of mined knowledge": mined_automata(),
    "per period": per_period(),
    "incremental knowledge": incremental_knowledge(),
    "uniform prior": st.tuples(st.just(sr.UniformPrior()), domains),
    "marginal prior": marginal_priors(),
    "class prior": class_priors(),
    "tabulated prior": tabulated_priors(),
    "kernel prior": st.tuples(st.builds(sr.KernelPrior, st.floats(0.01, 3)), domains),
}
ANY_KIND = st.one_of(*KINDS.values())


def assert_same_values(found, expected):
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


def assert_same_classes(found, expected):
    assert (found is None) == (expected is None)
    if expected is not None:
        assert found.names == expected.names
        assert found.cells == tuple(tuple(map(str, row)) for row in expected.cells)


def assert_same_automaton(found, expected):
    assert_same_values(found.values, expected.values)
    assert (found.next_value == expected.next_value).all()
    assert (found.next_state == expected.next_state).all()
    assert (found.known == expected.known).all()
    assert (found.start, found.deficient) == (expected.start, expected.deficient)
    assert_same_classes(found.classes, expected.classes)
    if hasattr(expected.tempo, "generator"):
        assert (found.tempo.generator == expected.tempo.generator).all()
    else:
        assert found.tempo == expected.tempo


def people(domain, ids=None):
    """Everyone that classes tell apart, and those a tabulated prior names."""
    sexes, ages = [SEXES[place % 2] for place in range(4)], [20, 20, 70, 70]
    schema = sr.Schema(
        "who",
        [sr.Categorical("sex", SEXES), sr.Numeric("age", 0, 99)],
        sr.Sensitive("exam", domain),
    )
    names = [f"someone {place}" for place in range(4)] if ids is None else ids
    table = {
        "who": names,
        "sex": [sexes[place % 4] for place in range(len(names))],
        "age": [ages[place % 4] for place in range(len(names))],
        "exam": [domain[place % len(domain)] for place in range(len(names))],
    }
    return sr.View.from_table(table, schema)


def assert_same_knowledge(found, expected, domain):
    # An automaton has its period in itself.
    assert type(found) is type(expected) or isinstance(expected, sr.PerPeriod)
    if isinstance(expected, sr.IncrementalKnowledge):
        assert found.steps == expected.steps
        assert_same_classes(found.classes, expected.classes)
        learned, twin = (one.study(people(domain), LocalNotebook())[0] for one in (found, expected))
        assert_same_automaton(learned, twin)
    elif isinstance(expected, sr.KernelPrior):
        assert (found.bandwidth, found.view) == (expected.bandwidth, None)
    elif hasattr(expected, "belief"):
        assert_same_values(found.values, expected.values)
        ids = getattr(expected, "respondents", None)
        everyone = people(domain, ids)
        rows, twins = (one.belief(everyone, domain).probabilities for one in (found, expected))
        assert (rows == twins).all()
    else:
        assert_same_values(found.values, expected.values)
        assert_same_automaton(found.automaton(domain), expected.automaton(domain))


@FORMATS
@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_knowledge__read_from_a_file_is_what_was_written(fresh_file, kind, suffix, data):
    knowledge, domain = data.draw(KINDS[kind])
    assert_same_knowledge(through(knowledge, fresh_file(suffix)), knowledge, domain)


@FORMATS
@given(drawn=ANY_KIND)
def test_knowledge__written_again_is_the_same_file(fresh_file, suffix, drawn):
    knowledge, _ = drawn
    first, second = fresh_file(suffix), fresh_file(suffix)
    sr.write_knowledge(through(knowledge, first), second)
    assert second.read_bytes() == first.read_bytes()


@FORMATS
@given(drawn=mined_knowledge())
def test_mined_knowledge__keeps_its_counts(fresh_file, suffix, drawn):
    model, _ = drawn
    found = through(model, fresh_file(suffix))
    assert (found.steps, found.unseen) == (model.steps, model.unseen)
    assert found.contexts == model.contexts
    for name in ("class_of", "followed", "ended"):
        assert (getattr(found, name) == getattr(model, name)).all()


@FORMATS
@given(drawn=tabulated_priors())
def test_tabulated_prior__keeps_who_is_who(fresh_file, suffix, drawn):
    prior, _ = drawn
    found = through(prior, fresh_file(suffix))
    assert found.respondents.equals(prior.respondents)
    assert found.otherwise == prior.otherwise


@FORMATS
@given(drawn=transition_rates(least=0.0))
def test_transition_rates__of_zero_are_kept(fresh_file, suffix, drawn):
    rates, domain = drawn
    assert_same_knowledge(through(rates, fresh_file(suffix)), rates, domain)


@FORMATS
@given(
    drawn=st.one_of(transition_rates(), incremental_knowledge()),
    length=st.sampled_from([7, 0.5]),
)
def test_period__of_any_model_is_kept_or_refused(fresh_file, suffix, drawn, length):
    model, domain = drawn
    path = fresh_file(suffix)
    try:
        sr.write_knowledge(sr.PerPeriod(model, length), path)
    except sr.KnowledgeError:
        assert not path.exists()
        return
    found = sr.read_knowledge(path)
    assert getattr(found, "length", None) == length
    assert_same_knowledge(found.model, model, domain)


@FORMATS
@given(value=st.text("a\r\n", min_size=1, max_size=4), other=st.text("b\r\n", min_size=1))
def test_values__may_have_any_end_of_line_in_them(fresh_file, suffix, value, other):
    prior = sr.MarginalPrior({value: 0.25, other + "b": 0.75})
    assert through(prior, fresh_file(suffix)).distribution == prior.distribution


def front_and_table(text):
    """The first line of a file as it was meant, quoted or not, and the table behind it."""
    first, _, table = text.partition("\n")
    return next(csv.reader([first]))[0] if first.startswith('"') else first, table


def as_one_cell(text):
    """The first line as a spreadsheet leaves it that took it for one cell."""
    front, table = front_and_table(text)
    made = io.StringIO()
    csv.writer(made, lineterminator="").writerow([front])
    return f"{made.getvalue()}{',' * table.partition(chr(10))[0].count(',')}\r\n{table}"


def behind_commas(text):
    """The first line as it was meant, with a comma for every further column."""
    front, table = front_and_table(text)
    return f"{front}{',' * table.partition(chr(10))[0].count(',')}\n{table}"


def opened_and_saved(text):
    """The file as a spreadsheet leaves it: every line cut into cells, all lines of one length."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    width = max(map(len, rows))
    made = io.StringIO()
    csv.writer(made).writerows([*row, *[""] * (width - len(row))] for row in rows)
    return made.getvalue()


SPREADSHEETS = {
    "first line as one cell": as_one_cell,
    "commas behind the first line": behind_commas,
    "opened and saved": opened_and_saved,
}


@pytest.mark.parametrize("way", SPREADSHEETS)
@given(drawn=ANY_KIND, mark=st.sampled_from(["", "\ufeff"]))
def test_knowledge__survives_a_spreadsheet(fresh_file, way, drawn, mark):
    knowledge, domain = drawn
    path = fresh_file(".csv")
    sr.write_knowledge(knowledge, path)
    left = SPREADSHEETS[way](path.read_bytes().decode())
    path.write_bytes((mark + left).encode())
    assert_same_knowledge(sr.read_knowledge(path), knowledge, domain)


words = st.text("abcxyz,\"' ", min_size=1, max_size=4).filter(str.strip)
plain_domains = st.one_of(
    distinct(words), distinct(st.integers(-9, 9)), distinct(st.floats(-9, 9).map(lambda x: x + 0.0))
)


def hand_made(path, names, entries):
    made = io.StringIO()
    csv.writer(made).writerows([names, *entries])
    path.write_bytes(made.getvalue().encode())


@given(plain_domains, st.data())
def test_hand_made_table__is_recognised_by_its_columns(fresh_file, domain, data):
    names, kinds = data.draw(some_classes())
    kinds = kinds if names else [()]
    sort = data.draw(st.sampled_from(["probability", "rate", "count", "value"]))
    pairs = [(one, other) for one in domain for other in domain if one is not other]
    path = fresh_file(".csv")
    if sort == "value":
        rows = data.draw(st.lists(distributions(len(domain)), min_size=4, max_size=4))
        entries = [
            (*kind, value, chance)
            for kind, row in zip(kinds, rows, strict=False)
            for value, chance in zip(domain, row, strict=True)
        ]
        hand_made(path, [*names, "value", "probability"], entries)
        table = long_table([*names, "value", "probability"], entries)
        expected = (
            sr.ClassPrior.from_table(table, classes=names)
            if names
            else sr.MarginalPrior(dict(zip(domain, rows[0], strict=True)))
        )
        assert_same_knowledge(sr.read_knowledge(path), expected, domain)
        return
    columns = [*names, "given", "next", sort]
    entries = [
        (*kind, *pair, 1 / (len(domain) - 1) if sort == "probability" else 3)
        for kind in kinds
        for pair in pairs
    ]
    hand_made(path, columns, entries)
    found = sr.read_knowledge(path)
    table = long_table(columns, entries)
    if sort == "count":
        assert (found.steps, found.unseen) == (1, "suffix")
        one = found.automaton(domain)
        state = one.next_state[one.start, 0]
        assert one.next_value[0, state] == pytest.approx(
            [0.0, *[1 / (len(domain) - 1)] * (len(domain) - 1)]
        )
        return
    twin = sr.DomainKnowledge if sort == "probability" else sr.TransitionRates
    assert_same_knowledge(found, twin.from_table(table, **filled(names)), domain)


JUNK = (
    "",
    "x",
    "-1",
    "1.5",
    "nan",
    "inf",
    "1e999",
    "99999999999999999999999",
    "{",
    '"',
    "\x00",
    "ä",
)
THINGS = (
    *(None, "", "x", -1, 1.5, float("inf"), float("nan"), True, [], {}, [1], {"a": 1}, 10**30),
    *(10**15, "1e999", [[]], "\x00", "error", 0),
)


def taken_apart(text):
    """The first line of a file, and the cells of its table."""
    front, table = front_and_table(text)
    return front, list(csv.reader(io.StringIO(table, newline="")))


def put_together(first, rows):
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(rows)
    return f"{first}\n{made.getvalue()}"


def cut_off(text, draw):
    return text[: draw(st.integers(0, len(text)))]


def without_first_line(text, draw):
    return text.partition("\n")[2]


def with_a_letter_changed_in_front(text, draw):
    first, rows = taken_apart(text)
    place = draw(st.integers(0, len(first)))
    return put_together(first[:place] + draw(st.sampled_from(JUNK)) + first[place + 1 :], rows)


def with_another_setting(text, draw):
    first, rows = taken_apart(text)
    front = damaged_thing(json.loads(first.removeprefix("# seriatim:")), draw)
    return put_together(f"# seriatim: {json.dumps(front)}", rows)


def without_a_row(text, draw):
    first, rows = taken_apart(text)
    del rows[draw(st.integers(0, len(rows) - 1))]
    return put_together(first, rows)


def without_a_column(text, draw):
    first, rows = taken_apart(text)
    column = draw(st.integers(0, max(len(rows[0]) - 1, 0)))
    return put_together(first, [[*row[:column], *row[column + 1 :]] for row in rows])


def with_another_cell(text, draw, *, least=1):
    """Without a table, a table of one cell."""
    first, rows = taken_apart(text)
    row = draw(st.integers(min(least, len(rows) - 1), len(rows) - 1))
    rows[row] = list(rows[row]) or [""]
    rows[row][draw(st.integers(0, len(rows[row]) - 1))] = draw(st.sampled_from(JUNK))
    return put_together(first, rows)


def with_another_column_name(text, draw):
    first, rows = taken_apart(text)
    return with_another_cell(put_together(first, rows[:1]), draw, least=0) + text.split("\n", 2)[2]


TABLE_DAMAGES = {
    damage.__name__: damage
    for damage in (
        cut_off,
        without_first_line,
        with_a_letter_changed_in_front,
        with_another_setting,
        without_a_row,
        without_a_column,
        with_another_cell,
        with_another_column_name,
    )
}


def damaged_thing(thing, draw):
    """The thing without a part of it, or with something else in its place; at any depth."""
    inside = isinstance(thing, dict | list) and bool(thing) and draw(st.integers(0, 5)) > 0
    if not inside:
        return draw(st.sampled_from(THINGS))
    places = list(thing) if isinstance(thing, dict) else range(len(thing))
    place = draw(st.sampled_from(places))
    changed = dict(thing) if isinstance(thing, dict) else list(thing)
    if draw(st.integers(0, 3)) == 0:
        del changed[place]
    else:
        changed[place] = damaged_thing(thing[place], draw)
    return changed


def with_another_part(text, draw):
    return json.dumps(damaged_thing(json.loads(text), draw))


def with_a_letter_changed(text, draw):
    place = draw(st.integers(0, len(text)))
    return text[:place] + draw(st.sampled_from(JUNK)) + text[place + 1 :]


JSON_DAMAGES = {
    damage.__name__: damage for damage in (cut_off, with_another_part, with_a_letter_changed)
}


def assert_read_or_explained(path):
    with contextlib.suppress(sr.KnowledgeError):
        sr.read_knowledge(path)
        return
    with pytest.raises(sr.KnowledgeError) as caught:
        sr.read_knowledge(path)
    assert path.name in str(caught.value)


@pytest.mark.parametrize("damage", TABLE_DAMAGES)
@given(data=st.data())
def test_damaged_table__is_explained_by_the_name_of_the_file(fresh_file, damage, data):
    path = fresh_file(".csv")
    sr.write_knowledge(data.draw(ANY_KIND)[0], path)
    path.write_bytes(TABLE_DAMAGES[damage](path.read_bytes().decode(), data.draw).encode())
    assert_read_or_explained(path)


@pytest.mark.parametrize("damage", JSON_DAMAGES)
@given(data=st.data())
def test_damaged_json__is_explained_by_the_name_of_the_file(fresh_file, damage, data):
    path = fresh_file(".json")
    sr.write_knowledge(data.draw(ANY_KIND)[0], path)
    path.write_bytes(JSON_DAMAGES[damage](path.read_bytes().decode(), data.draw).encode())
    assert_read_or_explained(path)


@FORMATS
@given(
    content=st.one_of(
        st.binary(max_size=60), st.text(st.characters(codec="utf-8"), max_size=60).map(str.encode)
    )
)
def test_any_bytes__are_read_or_explained(fresh_file, suffix, content):
    path = fresh_file(suffix)
    path.write_bytes(content)
    assert_read_or_explained(path)


CELL_TEXTS = st.one_of(st.sampled_from(["", " ", "NA", "null", "1", "\x0b", "\u2028"]), texts)
ROWS = st.integers(1, 3).flatmap(
    lambda width: st.lists(
        st.lists(st.text("ab 1\x0bä", max_size=3), min_size=width, max_size=width), max_size=6
    )
)
TABLES = st.one_of(
    st.text('ab ,\n\r1"\0ä\x0b\u2028\ufeff', max_size=40),
    st.tuples(ROWS, st.sampled_from(["\n", "\r\n", "\n\n", "\r"]), st.sampled_from(["", "\n"])).map(
        lambda made: made[1].join(",".join(row) for row in made[0]) + made[2]
    ),
    st.lists(st.lists(CELL_TEXTS, min_size=2, max_size=2), min_size=1, max_size=5).map(
        lambda rows: "\n".join(",".join(row) for row in rows)
    ),
)


@given(TABLES)
def test_table__without_quotes_is_read_at_once_as_it_is_cell_by_cell(text):
    at_once = sheet._unquoted(text)
    if at_once is None:
        return
    titles, columns = at_once
    assert titles, text
    named, slow = sheet._quoted(text)
    # Empty columns at the right are taken away behind the one, and inside the other.
    while titles and not titles[-1] and columns[-1].is_blank:
        titles, columns = titles[:-1], columns[:-1]
    assert titles == named
    assert [column.read() for column in columns] == [column.read() for column in slow]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_table__without_quotes_is_read_at_once(end):
    text = end.join(["given,next , probability,", "NA,,0.5,", " a,null,.5,", "", ",b,1,", ""])
    titles, columns = sheet._unquoted(text)
    assert titles == ["given", "next", "probability", ""]
    cells = [["NA", " a", ""], ["", "null", "b"], ["0.5", ".5", "1"], [""] * 3]
    assert [column.read() for column in columns] == cells
