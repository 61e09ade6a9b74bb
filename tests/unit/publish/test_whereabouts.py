"""Before a release is out: whom it separates by subtraction from the last ones."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import seriatim as sr
from seriatim.cli.app import app
from seriatim.publish.certificate_file import read_certificate
from seriatim.publish.whereabouts import Separation, Whereabouts, separation, window_of
from seriatim.report.of_study import series_of_study
from studies import SEALED, begun_study, week

SCHEMA = sr.Schema("who", [sr.Numeric("age", 0, 99)], sr.Sensitive("ill", ["p", "q", "r"]))
POLICY = sr.Policy(sr.KAnonymity(k=4), sr.StandingCells(4))


def month(*people):
    """Return a table of people, each a letter, an age and a value."""
    return {
        "who": [one[0] for one in people],
        "age": [int(one[1:-1]) for one in people],
        "ill": [one[-1] for one in people],
    }


YOUNG = ("A20p", "B20q", "C20q", "D20r", "E20p")
OLD = ("W70p", "X70q", "Y70r", "Z70q")


def published(*tables, back=4, store=None):
    publisher = sr.Publisher(SCHEMA, POLICY, sr.Adversary(), seed=1, back=back, store=store)
    made = []
    for at, table in enumerate(tables, start=1):
        publisher.publish(table, at=at)
        made.append(publisher.latest)
    return made


def test_separation__is_told_from_the_second_release_on():
    first, second = published(month(*YOUNG, *OLD), month(*YOUNG[:-1], *OLD))
    assert first.separation is None
    assert second.separation == Separation(k=4, back=1, people=9, separated=1, named=1)


def test_separation__is_that_of_an_audit_of_the_same_two_releases():
    rng = np.random.default_rng(4)
    people = [f"{number:03}{rng.integers(20, 90)}{rng.choice([*'pqr'])}" for number in range(90)]

    def some():
        chosen = sorted(rng.choice(90, 80, replace=False).tolist())
        return {
            "who": [people[one][:3] for one in chosen],
            "age": [int(people[one][3:5]) for one in chosen],
            "ill": [people[one][5:] for one in chosen],
        }

    made = published(some(), some())
    found = sr.differences([one.release for one in made], [one.membership for one in made], k=4)
    told = made[1].separation
    assert (told.people, told.separated) == (found.people, found.separated)
    # The groups' own counts are left aside here: they may tell a little more.
    assert 0 < told.named <= found.named


def test_separation__looks_back_over_the_last_releases_and_no_further():
    tables = [month(*YOUNG, *OLD), month(*OLD), month(*YOUNG[:-1], *OLD)]
    assert published(*tables)[-1].separation.named == 1
    assert published(*tables, back=1)[-1].separation.named == 0
    assert published(*tables, back=0)[-1].separation is None


def test_window__ends_where_a_release_was_not_compared():
    def of(release):
        nothing = np.zeros(0, np.int32)
        return Whereabouts(release, np.zeros(0, np.uint64), nothing, nothing, nothing)

    window = window_of(of(6), [of(2), of(3), of(5)], 4)
    assert [one.release for one in window] == [5, 6]
    assert separation([of(6)], 5, 3) is None


def test_store__keeps_as_many_releases_as_are_looked_back_on(tmp_path):
    with sr.DuckDBStore(tmp_path / "series.store") as store:
        tables = [month(*YOUNG, *OLD)] * 2 + [month(*YOUNG[:-1], *OLD)] * 2
        made = published(*tables, back=2, store=store)
        assert [one.release for one in store.whereabouts] == [3, 4]
        kept = [name for name in store.tables if name.startswith("whereabouts")]
        assert kept == ["whereabouts_3", "whereabouts_4"]
    assert [one.separation.named for one in made[1:]] == [0, 1, 1]


def test_whoever_is_forgotten__is_nowhere_and_their_group_takes_no_part(tmp_path):
    with sr.DuckDBStore(tmp_path / "series.store") as store:
        publisher = sr.Publisher(SCHEMA, POLICY, sr.Adversary(), store=store, back=2)
        publisher.publish(month(*YOUNG, *OLD), at=1)
        store.forget(pa.array(["B"]))
        assert [len(one.numbers) for one in store.whereabouts] == [8]
        publisher.publish(month(*YOUNG[:-1], *OLD), at=2)
        assert publisher.latest.separation.separated == 0


def test_whereabouts__say_nothing_of_anyone(tmp_path):
    with sr.DuckDBStore(tmp_path / "series.store") as store:
        (made,) = published(month(*YOUNG), store=store)
        assert repr(made.whereabouts) == "Whereabouts(release 1, 5 respondents)"


@pytest.mark.parametrize("changes", [(), (SEALED,)], ids=["plain", "sealed"])
def test_press__tells_both_numbers_everywhere(tmp_path, monkeypatch, changes):
    monkeypatch.setenv("CLINIC_KEY", "0123456789abcdef" * 4)
    study = begun_study(tmp_path, releases=0, changes=list(changes))
    run = CliRunner()

    def asked(number, *more):
        where = ["--study", str(study), *more]
        return run.invoke(app, ["publish", str(week(study, number)), *where])

    assert "Differences with" not in asked(1).stdout
    tried = json.loads(asked(2, "--dry-run", "--json").stdout)
    done = json.loads(asked(2, "--json").stdout)
    assert done["differences"] == tried["differences"]
    assert done["certificate"]["differences"] == {
        "k": 5,
        "releases looked back": 1,
        "people": done["differences"]["people"],
        "people separated": done["differences"]["separated"],
        "people named": done["differences"]["named"],
    }
    assert "Differences with the last 2 releases:" in asked(3).stdout
    listed = run.invoke(app, ["history", "--study", str(study)]).stdout
    assert "separated" in listed
    found = json.loads(run.invoke(app, ["history", "--study", str(study), "--json"]).stdout)
    assert ["differences" in one for one in found] == [False, True, True]
    with sr.Press(sr.Study.read(study)) as press:
        tables = series_of_study(sr.Study.read(study), press.store).tables
    assert [one.separated for one in tables] == [
        one.get("differences", {}).get("people separated") for one in found
    ]


def test_series_that_does_not_look_back__compares_nothing(tmp_path):
    plan = ('"knowledge.csv"\n', '"knowledge.csv"\n\n[plan]\nlag = 0\n')
    study = begun_study(tmp_path, releases=2, changes=[plan])
    with sr.Press(sr.Study.read(study)) as press:
        assert press.store.whereabouts == ()
        assert "differences" not in press.store.entries[-1].record["certificate"]


@pytest.mark.parametrize(
    "forged", [{"people separated": 10**9}, {"people named": 10**9}, {"k": -1}, {"k": 2.5}]
)
def test_certificate__with_counts_that_cannot_be_is_refused(tmp_path, forged):
    study = begun_study(tmp_path, releases=2)
    file = study.parent / "releases" / "release-0002.certificate.json"
    found = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(found | {"differences": found["differences"] | forged}), "utf-8")
    with pytest.raises(sr.TableError, match="differences"):
        read_certificate(file)


def test_group_with_tuples_of_nobody__takes_no_part():
    people = np.arange(5, dtype=np.uint64)
    groups, codes = np.zeros(5, np.int32), np.array([0, 1, 1, 2, 0], np.int32)
    whole = Whereabouts(1, people, groups, np.array([5], np.int32), codes)
    left = Whereabouts(2, people[:4], groups[:4], np.array([4], np.int32), codes[:4])
    invented = replace(left, sizes=np.array([5], np.int32), codes=codes)
    assert separation([whole, left], 3, 3).named == 1
    assert separation([whole, invented], 3, 3).separated == 0
