"""``seriatim simulate``: a folder that can be published from right away."""

import json

import pyarrow.csv
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

import seriatim as sr
from seriatim.cli.app import app

SMALL = ("--views", "2", "--size", "400")


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in ("simulate", *arguments)])


def test_folder__holds_what_the_library_makes(tmp_path):
    done = run(*SMALL, "-o", tmp_path / "new", "--seed", 3)
    assert done.exit_code == 0
    assert "2 views of 400 tuples about" in done.stdout
    made = sr.hospital(views=2, size=400, seed=3)
    for number, table in enumerate(made.stream(), start=1):
        written = pyarrow.csv.read_csv(tmp_path / "new" / f"view-0{number}.csv")
        assert written.to_pydict() == table.to_pydict()
    study = sr.Study.read(tmp_path / "new")
    assert study.schema == made.schema
    assert (study.policy.requirement) == (
        sr.KAnonymity(k=10) & sr.TCloseness(t=0.5) & sr.JSBound(j=0.6)
    )
    states = (tmp_path / "new" / "states.csv").read_text("utf-8").splitlines()
    assert len(states) == 1 + made.sequence.n_states
    assert states[2] == "1,liver-1,0,none"


@pytest.mark.parametrize("preset", ["mild", "literature", "register"])
def test_study__is_published_right_away(preset, tmp_path):
    assert run(*SMALL, "-o", tmp_path, "--preset", preset).exit_code == 0
    with sr.Press(sr.Study.read(tmp_path)) as press:
        for week in (1, 2):
            pressed = press.publish(tmp_path / f"view-0{week}.csv", at=week)
            assert len(pressed.publication.release) > 200


def test_json__has_the_figures(tmp_path):
    done = run(*SMALL, "-o", tmp_path, "--json", "--format", "parquet")
    figures = json.loads(done.stdout)
    made = sr.hospital(views=2, size=400)
    tables = [pyarrow.parquet.read_table(tmp_path / f"view-0{week}.parquet") for week in (1, 2)]
    people = {one for table in tables for one in table["patient"].to_pylist()}
    assert figures["individuals"] == len(people)
    assert (figures["tuples"], figures["states"]) == (800, 309)
    assert tables[1].equals(made.tables[1])
    assert sr.View.from_table(tables[1], made.schema).digest() == made.views[1].digest()


REGISTER = ("--preset", "register")


def test_register__holds_what_the_library_makes(tmp_path):
    settings = ("--stays", ".9", "--turnover", ".05", "--attendance", ".5", "--values", 4)
    done = run(*REGISTER, "--views", 3, "--size", 300, *settings, "--seed", 3, "-o", tmp_path)
    assert done.exit_code == 0
    made = sr.register(
        people=300, releases=3, stays=0.9, turnover=0.05, attendance=0.5, values=4, seed=3
    )
    rows = sum(table.num_rows for table in made.tables)
    people = {one for table in made.tables for one in table["person"].to_pylist()}
    assert f"3 views of some {rows / 3:.0f} tuples about {len(people)} individuals" in done.stdout
    study = sr.Study.read(tmp_path)
    for number, table in enumerate(made.tables, start=1):
        written = pyarrow.csv.read_csv(tmp_path / f"view-0{number}.csv")
        assert written["diagnosis"].to_pylist() == table["diagnosis"].to_pylist()
        assert written["person"].to_pylist() == table["person"].to_pylist()
    assert study.schema == made.schema
    assert (study.plan.releases, study.plan.attendance) == (3, sr.Attendance(0.5, 0.05))
    assert study.adversary.prior.distribution == made.prior.distribution
    sequence = study.adversary.sequence
    assert (sequence.next_value == made.sequence.next_value).all()
    states = (tmp_path / "states.csv").read_text("utf-8").splitlines()
    assert states == ["state,value", "0,", *(f"{n},{d}" for n, d in enumerate(sequence.values, 1))]


def test_register__has_a_shape_and_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    figures = json.loads(run(*REGISTER, "--json").stdout)
    assert figures == {
        "views": 8,
        "tuples": 4000,
        "individuals": 570,
        "values": 8,
        "states": 9,
        "preset": "register",
        "seed": 1,
        "folder": "register",
    }
    assert (tmp_path / "register" / "view-08.csv").exists()


def test_large_views__become_parquet(tmp_path):
    assert run("--views", 1, "--size", 100_001, "-o", tmp_path).exit_code == 0
    assert pyarrow.parquet.read_metadata(tmp_path / "view-01.parquet").num_rows == 100_001


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--preset", "shrap"), "Did you mean 'sharp'"),
        (("--preset", "regster"), "Did you mean 'register'"),
        (("--stays", ".9"), "'stays' is free for the preset 'register' alone"),
        (("--values", "3", "--preset", "mild"), "and the preset is 'mild'"),
        (("--turnover", ".1", "--attendance", "1"), "Leave 'turnover', 'attendance' out"),
        ((*REGISTER, "--stays", "1.5"), "stays is a number from 0 to 1, not 1.5"),
        ((*REGISTER, "--turnover", "1"), "turnover is a number from 0 and below 1"),
        ((*REGISTER, "--attendance", "0"), "attendance is a number above 0 and at most 1"),
        ((*REGISTER, "--values", "1"), "values is a whole number from 2 to 24"),
        ((*REGISTER, "--size", "0"), "size is a whole number from 1"),
        (("--views", "0"), "views is a whole number from 1"),
        (("--size", "-5"), "size is a whole number from 1"),
        (("--seed", "-1"), "seed is a whole number from 0"),
    ],
)
def test_mistake__is_told_and_nothing_is_written(arguments, message, tmp_path):
    done = run(*arguments, "-o", tmp_path / "new")
    assert isinstance(done.exception, sr.PolicyError)
    assert message in str(done.exception)
    assert not (tmp_path / "new").exists()


def test_folder__that_is_not_empty_is_left_alone(tmp_path):
    (tmp_path / "kept").write_text("")
    done = run(*SMALL, "-o", tmp_path)
    assert isinstance(done.exception, sr.StudyError)
    assert "is not empty" in str(done.exception)
    done = run(*SMALL, "-o", tmp_path / "kept")
    assert isinstance(done.exception, sr.StudyError)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
