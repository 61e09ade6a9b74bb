"""Columns that give people away are refused, or published on purpose and told of."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import seriatim as sr
from seriatim.engines.local.engine import LocalEngine
from seriatim.measure.singling_out import MOST, singled_out
from seriatim.publish.propose import propose
from seriatim.publish.verify import verify
from sharded_series import series_in
from strategies import as_partition

PEOPLE = 120
RNG = np.random.default_rng(8)
DAYS = [
    f"{day:02}.{month:02}.19{year}"
    for year in (39, 44)
    for month in range(1, 13)
    for day in range(1, 29)
]
STUDY = """\
[columns]
respondent = "id"
{columns}
[quasi_identifiers.age]
kind = "numeric"
low = 0
high = 120
{birth}
[sensitive]
column = "{sensitive}"
[policy]
k = 4
[reader]
sequence = "none"
"""
CATEGORICAL = '[quasi_identifiers.birth]\nkind = "categorical"\n'
DATE = '[quasi_identifiers.birth]\nkind = "date"\nform = "%d.%m.%Y"\n'


def table(people=PEOPLE):
    """People with a birth date, a note and an amount of their own, and shared wards and exams."""
    return pa.table(
        {
            "id": [f"P{person:04}" for person in range(people)],
            "age": RNG.integers(20, 90, people),
            "birth": RNG.choice(DAYS, people, replace=False),
            "ward": RNG.choice(list("ABCDEFGH"), people),
            "note": [f"seen by {person}" for person in range(people)],
            "amount": [float(1000 + 7 * person) for person in range(people)],
            "exam": RNG.choice(["neg", "pos"], people),
        }
    )


def study_of(folder, *, columns="", birth="", sensitive="exam"):
    file = folder / "study.toml"
    file.write_text(STUDY.format(columns=columns, birth=birth, sensitive=sensitive))
    return sr.Study.read(file)


def publish(study, view, **how):
    with sr.Press(study) as press:
        return press.publish(view, at=1, **how)


@pytest.mark.parametrize(
    ("declared", "named", "instead"),
    [
        ({"birth": CATEGORICAL}, "'birth' is a categorical quasi-identifier", 'kind = "date"'),
        ({"columns": 'insensitive = ["note"]'}, "'note' is insensitive", "make it a quasi-ident"),
        ({"columns": 'insensitive = ["amount"]'}, "'amount' is insensitive", "fewer values"),
        ({"sensitive": "note"}, "'note' is the sensitive column", "bands or groups of codes"),
    ],
)
def test_press__refuses_a_column_that_gives_people_away(tmp_path, declared, named, instead):
    study = study_of(tmp_path, **declared)
    with pytest.raises(sr.TableError) as refused, sr.Press(study) as press:
        press.publish(table(), at=1)
    told = str(refused.value)
    assert named in told
    assert "120 different values among 120 people" in told
    assert instead in told
    assert "allow_unique = [" in told
    assert not any(word in told for word in ("P00", "seen by", "19", "1007"))
    assert not study.output_folder.exists()


def with_old_ids(share=0.45, **more):
    """A table with a column that holds the own id of some people, and a filler for the others."""
    people = table()
    ids = people["id"].to_pylist()
    old = [one if place < share * PEOPLE else "none" for place, one in enumerate(ids)]
    return people.append_column("old", pa.array([more.get("write", str)(one) for one in old]))


OLD_SET = '[quasi_identifiers.old]\nkind = "categorical"\n'


@pytest.mark.parametrize("allowed", ["", 'allow_unique = ["old"]\n'])
@pytest.mark.parametrize("share", [0.005, 0.45])
@pytest.mark.parametrize(
    "declared",
    [{"columns": 'insensitive = ["old"]\n'}, {"sensitive": "old"}, {"birth": OLD_SET}],
)
def test_press__never_publishes_ids_under_another_title(tmp_path, declared, share, allowed):
    declared = declared | {"columns": declared.get("columns", "") + allowed}
    study = study_of(tmp_path, **declared)
    rows = with_old_ids(share, write=lambda one: f" {one.lower()}")
    with pytest.raises(sr.TableError) as refused:
        publish(study, rows)
    told = str(refused.value)
    assert "'old' holds the respondent's own id in" in told
    assert "no setting allows it" in told
    assert not any(word in told for word in ("P0", "p0"))
    assert not study.output_folder.exists()


def test_press__lets_numbers_coincide_with_ids_in_a_few_rows_only(tmp_path):
    study = study_of(tmp_path, columns='insensitive = ["stay"]')
    people = table().set_column(0, "id", pa.array(range(PEOPLE)))
    (tmp_path / "few").mkdir()
    other = study_of(tmp_path / "few", columns='insensitive = ["stay"]')
    few = people.append_column("stay", pa.array([place % 9 for place in range(PEOPLE)]))
    assert publish(other, few).certificate["number"] == 1
    stays = [place if place < 30 else 1 for place in range(PEOPLE)]
    with pytest.raises(sr.TableError, match="own id in 30 of 120 rows"):
        publish(study, people.append_column("stay", pa.array(stays)))


@pytest.mark.parametrize("declared", [{"columns": 'insensitive = ["x"]\n'}, {"sensitive": "x"}])
def test_press__counts_who_is_alone_beside_a_common_filler(tmp_path, declared):
    own = [f"seen {place}" if place < 40 else "none" for place in range(PEOPLE)]
    rows = table().append_column("x", pa.array(own))
    study = study_of(tmp_path, **declared)
    with pytest.raises(sr.TableError, match=r"40 people \(33%\) share theirs with nobody"):
        publish(study, rows)
    declared = declared | {"columns": declared.get("columns", "") + 'allow_unique = ["x"]\n'}
    printed = publish(study_of(tmp_path, **declared), rows)
    assert printed.certificate["allowed though nearly unique"] == ["x"]


def test_press__previews_refuse_the_same(tmp_path):
    study = study_of(tmp_path, birth=CATEGORICAL)
    with pytest.raises(sr.TableError, match="'birth'"), sr.Press(study, only_look=True) as press:
        press.preview(table(), at=1)


@pytest.mark.parametrize("columns", ["", 'insensitive = ["ward"]'])
def test_press__publishes_dates_numbers_and_shared_categories(tmp_path, columns):
    printed = publish(study_of(tmp_path, columns=columns, birth=DATE), table())
    assert printed.certificate["allowed though nearly unique"] == []


@pytest.mark.parametrize(
    ("declared", "name"),
    [
        ({"columns": 'allow_unique = ["birth"]', "birth": CATEGORICAL}, "birth"),
        ({"columns": 'insensitive = ["note"]\nallow_unique = ["note"]'}, "note"),
        ({"columns": 'allow_unique = ["note"]', "sensitive": "note"}, "note"),
    ],
)
def test_press__publishes_what_is_allowed_and_certifies_it(tmp_path, declared, name):
    printed = publish(study_of(tmp_path, **declared), table())
    assert printed.certificate["allowed though nearly unique"] == [name]
    assert verify(printed.files[-1]).holds
    if name == "birth":
        assert printed.certificate["singled out"] == {"birth": 1.0}


def test_override__may_come_and_go_in_a_series(tmp_path):
    study = study_of(tmp_path, columns='allow_unique = ["birth"]', birth=CATEGORICAL)
    publish(study, table())
    with pytest.raises(sr.TableError), sr.Press(study_of(tmp_path, birth=CATEGORICAL)) as press:
        press.publish(table(), at=2)


def test_override__of_a_column_that_is_not_published_is_a_mistake(tmp_path):
    with pytest.raises(sr.StudyError, match=r"allow_unique under .columns. names brith"):
        study_of(tmp_path, columns='allow_unique = ["brith"]', birth=CATEGORICAL)
    with pytest.raises(sr.SchemaError, match="Did you mean 'ward'"):
        sr.Schema("id", [sr.Categorical("ward")], sr.Sensitive("exam"), allow_unique=["wrad"])


def test_people__who_come_several_times_are_counted_once():
    rows = [(f"P{person}", 20 + person, f"town {person}") for person in range(20)] * 2
    ids, ages, towns = zip(*rows, strict=True)
    visits = {"id": list(ids), "age": list(ages), "city": list(towns), "exam": ["neg", "pos"] * 20}
    proposal = propose(visits)
    assert [one.name for one in proposal.of("respondent")] == ["id"]
    assert [one.name for one in proposal.of("identifying")] == ["city"]


@pytest.mark.parametrize("people", [3, 8, 12, 24])
def test_small_tables__with_few_categories_are_published(people):
    schema = sr.Schema("id", [sr.Categorical("ward")], sr.Sensitive("exam"), insensitive=["unit"])
    rows = {
        "id": list(range(people)),
        "ward": [f"W{person % 8}" for person in range(people)],
        "unit": [f"U{person % 8}" for person in range(people)],
        "exam": ["neg", "pos", "open"][:people] * (people // 3) + ["neg"] * (people % 3),
    }
    policy = sr.Policy(sr.KAnonymity(k=2), remainder="merge")
    assert len(sr.Publisher(schema, policy, sr.Adversary(), seed=1).publish(rows, at=1)) == people


def test_small_tables__with_exact_ages_as_categories_are_refused_unless_they_were_listed():
    ages = [50 + person % 20 for person in range(24)]
    rows = {"id": list(range(24)), "age": ages, "exam": ["neg", "pos"] * 12}
    policy = sr.Policy(sr.KAnonymity(k=2), remainder="merge")

    def publish(attribute):
        schema = sr.Schema("id", [attribute], sr.Sensitive("exam"))
        return sr.Publisher(schema, policy, sr.Adversary(), seed=1).publish(rows, at=1)

    with pytest.raises(sr.TableError, match="20 different values among 24 people"):
        publish(sr.Categorical("age"))
    listed = publish(sr.Categorical("age", range(50, 70)))
    assert singled_out(listed)["age"] > MOST
    publish(sr.Numeric("age", 0, 120))


class ByFours:
    """Groups of four, in the order of the roster."""

    def partition(self, view, revised, requirement, *, ties=None):
        rows = range(len(view))
        return as_partition([list(rows[first : first + 4]) for first in rows[::4]], [])


def test_sets__that_list_most_people_are_refused():
    # Groups of four with three wards of their own, and others that all have one of two.
    wards = [f"W{max(person % 4, 1)} of {person // 4}" for person in range(168)]
    rows = {
        "id": list(range(280)),
        "ward": wards + ["north", "south"] * 56,
        "exam": ["neg", "pos"] * 140,
    }
    policy = sr.Policy(sr.KAnonymity(k=4), ByFours())

    def publisher(**allowed):
        schema = sr.Schema("id", [sr.Categorical("ward")], sr.Sensitive("exam"), **allowed)
        return sr.Publisher(schema, policy, sr.Adversary(), seed=1)

    with pytest.raises(sr.UnsatisfiableError, match="sets of 'ward' would list 60% of the tuples"):
        publisher().publish(rows, at=1)
    release = publisher(allow_unique=["ward"]).publish(rows, at=1)
    assert singled_out(release) == {"ward": pytest.approx(0.6)}


def test_verify__measures_again_whom_sets_single_out(tmp_path):
    study = study_of(tmp_path, columns='allow_unique = ["birth"]', birth=CATEGORICAL)
    certificate = publish(study, table()).files[-1]
    stated = json.loads(certificate.read_text())
    assert verify(certificate).holds
    certificate.write_text(json.dumps(stated | {"singled out": {"birth": 0.0}}))
    assert not verify(certificate).holds
    for changed in ({"birth": []}, {"brith": 1.0}, [1]):
        certificate.write_text(json.dumps(stated | {"singled out": changed}))
        with pytest.raises(sr.TableError, match="singled out"):
            verify(certificate)


def test_shards__refuse_the_same_columns_and_measure_the_same(tmp_path):
    people = table().select(["id", "age", "ward", "birth", "exam"])
    source = tmp_path / "view.csv"
    pyarrow.csv.write_csv(people, source)
    made = sr.clinic(weeks=1, size=20)

    def series(folder, **allowed):
        schema = sr.Schema(
            "id",
            [sr.Numeric("age", 0, 120), sr.Categorical("ward"), sr.Categorical("birth")],
            sr.Sensitive("exam", ["neg", "pos"]),
            **allowed,
        )
        policy = sr.Policy(sr.KAnonymity(k=4), remainder="merge")
        return series_in(
            folder, made, schema=schema, policy=policy, reader=sr.Adversary(), texts=()
        )

    with pytest.raises(sr.TableError, match=r"'birth'.*120 different values among 120 people"):
        LocalEngine().publish(series(tmp_path), str(source), at=1, shards=2)
    outcome = LocalEngine().publish(
        series(tmp_path, allow_unique=["birth"]), str(source), at=1, shards=2
    )
    assert outcome.certificate["allowed though nearly unique"] == ["birth"]
    assert outcome.certificate["singled out"] == {"ward": 0.0, "birth": 1.0}
    assert verify(outcome.files[-1]).holds


def test_shards__refuse_ids_under_another_title_and_values_of_one_person(tmp_path):
    made, policy = sr.clinic(weeks=1, size=20), sr.Policy(sr.KAnonymity(k=4), remainder="merge")
    own = [f"seen {place}" if place < 40 else "none" for place in range(PEOPLE)]
    people = with_old_ids().append_column("x", pa.array(own))
    source = tmp_path / "view.csv"
    pyarrow.csv.write_csv(people, source)
    for name, told in [("old", "own id in 54 of 120 rows"), ("x", r"40 people \(33%\) share")]:
        schema = sr.Schema("id", [sr.Numeric("age", 0, 120)], sr.Sensitive(name))
        series = series_in(
            tmp_path / name, made, schema=schema, policy=policy, reader=sr.Adversary(), texts=()
        )
        with pytest.raises(sr.TableError, match=told):
            LocalEngine().publish(series, str(source), at=1, shards=2)


def test_proposal__reads_birth_dates_as_dates_with_their_form(tmp_path):
    (birth,) = [one for one in propose(table()).columns if one.name == "birth"]
    assert (birth.part, birth.kind, birth.settings) == (
        "quasi-identifier",
        "date",
        {"form": "%d.%m.%Y"},
    )


def test_proposal__publishes_no_column_that_would_be_refused(tmp_path):
    towns = {"city": [f"town {person % 70}" for person in range(PEOPLE)]}
    rows = table().to_pydict() | towns
    parts = {one.name: one.part for one in propose(rows).columns}
    assert (parts["note"], parts["city"]) == ("identifying", "none")


def test_assess__refuses_the_same(tmp_path):
    from seriatim.publish.rehearsal_setting import open_views

    study = study_of(tmp_path, birth=CATEGORICAL)
    pyarrow.csv.write_csv(table(), tmp_path / "view.csv")
    with pytest.raises(sr.TableError, match=r"view.csv: Column 'birth'"):
        open_views(study, [tmp_path / "view.csv", tmp_path / "view.csv"])
