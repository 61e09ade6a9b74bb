"""Foreknowledge: what a rehearsal is played with, and what its reader has learned."""

import json

import numpy as np
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import oracles_foresight as oracles
import seriatim as sr
from seriatim.cli.app import app
from seriatim.knowledge.learning import LocalNotebook
from seriatim.publish.foreknowledge import foresee

LEARNING = sr.Adversary(sequence=sr.IncrementalKnowledge(1))
VALUES = ("a", "b", "c")
SCHEMA = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", VALUES))


def view_of(values):
    """A view of everyone with a value; None for those away."""
    there = [who for who, value in enumerate(values) if value is not None]
    exams = [VALUES[values[who]] for who in there]
    return sr.View.from_table({"id": there, "age": [30] * len(there), "exam": exams}, SCHEMA)


@given(
    st.lists(
        st.lists(st.none() | st.integers(0, 2), min_size=4, max_size=4).filter(
            lambda row: any(one is not None for one in row)
        ),
        min_size=1,
        max_size=5,
    ),
    st.integers(0, 2),
)
def test_knowledge__of_views_is_shrunk_to_shorter_memories(rows, steps):
    learner, notebook = sr.IncrementalKnowledge(steps), LocalNotebook()
    for row in rows:
        notebook.keep(learner.study(view_of(row), notebook)[1])
    found = learner.shrunk(notebook, VALUES)
    histories = [[row[who] for row in rows if row[who] is not None] for who in range(4)]
    state = 0
    for context in ((), (1,), (1, 2)):
        if len(context) <= steps:
            state = found.next_state[state, context[-1]] if context else 0
            row = oracles.shrunk_row(histories, context, 3, 10)
            assert found.next_value[0, state] == pytest.approx(row)


def test_reader__has_learned_what_the_views_teach():
    views = sr.register(people=800, releases=5, stays=0.9, values=4).views
    found = foresee(LEARNING, views)
    automaton = found.adversary.automaton(views[-1].schema.sensitive.domain)
    stays = automaton.next_value[0, 1:].diagonal()
    assert stays.min() > 0.85
    assert (automaton.next_value > 0).all()
    assert found.told["values"] == "views"
    assert found.told["leaving"] == pytest.approx(0.02, abs=0.01)


def test_reader__of_one_view_knows_that_values_stay():
    views = sr.register(people=200, releases=1, values=4).views
    found = foresee(LEARNING, views)
    automaton = found.adversary.automaton(views[0].schema.sensitive.domain)
    assert np.array_equal(automaton.next_value[0, 1:], np.eye(4))
    assert found.told["values"] == "staying"
    words = " ".join(str(found).split())
    assert "One view shows no value after another: values are taken to stay." in words
    plan = sr.SeriesPlan(releases=3, target=0.9, reader="retrospective")
    policy = sr.Policy(sr.KAnonymity(k=5), remainder="merge")
    played = sr.rehearse(policy, found.adversary, found.population, plan, histories=1, sizes=[10])
    assert played.recommended is not None
    assert played.recommended.score.log_loss < played.recommended.score.log_loss_by_frequency


def test_prior__that_would_come_from_the_views_has_studied_the_latest():
    views = sr.register(people=200, releases=3, values=4).views
    made = sr.register(people=200, releases=3, values=4)
    found = foresee(sr.Adversary(sr.KernelPrior(0.3), made.sequence), views)
    assert found.adversary.prior.view is not None
    assert found.told["values"] == "tilted knowledge"


def test_words__say_what_was_read_and_what_is_assumed():
    views = sr.register(people=300, releases=3, attendance=0.6).views
    made = sr.register(people=300, releases=3, attendance=0.6)
    known = sr.Adversary(made.prior, made.sequence)
    told = " ".join(str(foresee(known, [one.roster for one in views])).split())
    assert "Learned from 3 rosters, without sensitive values" in told
    assert "Values follow by the study's knowledge." in told
    told = " ".join(str(foresee(known, views[:2])).split())
    assert "2 views, whose sensitive values were read" in told
    assert "Two tables do not tell who left from who was away" in told
    assert repr(foresee(known, views[:2])).startswith("Foreknowledge(LearnedPopulation(")


def test_words__tell_views_that_shrink():
    rows = [[0] * round(900 * 0.8**view) for view in range(4)]
    views = [view_of(row) for row in rows]
    assert "Views shrink as these did, by 20% each." in " ".join(
        str(foresee(LEARNING, views)).split()
    )


def test_foresight__without_views_for_a_reader_who_learns_from_them_is_refused():
    roster = view_of([0, 1, 2]).roster
    with pytest.raises(sr.KnowledgeError, match="learns from the original views"):
        foresee(LEARNING, [roster])
    with pytest.raises(sr.OrderError, match="without sequence knowledge"):
        foresee(sr.Adversary(), [roster])
    with pytest.raises(sr.OrderError, match="at least one roster"):
        foresee(LEARNING, [])


def test_domains__that_widen_from_view_to_view_are_those_of_the_latest():
    wide = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", (*VALUES, "d")))
    table = {"id": list(range(60)), "age": [30] * 60, "exam": ["a", "d"] * 30}
    views = [view_of([0, 1, 2] * 20), sr.View.from_table(table, wide)]
    found = foresee(LEARNING, views)
    drawn = found.population.draw(3, np.random.default_rng(1))
    assert {len(view.schema.sensitive.domain) for view in drawn} == {4}


def test_publisher__rehearses_with_a_reader_who_learns_from_views():
    made = sr.register(people=200, releases=3)
    policy = sr.Policy(sr.KAnonymity(k=20), remainder="merge")
    publisher = sr.Publisher(made.schema, policy, LEARNING)
    asked = {"releases": 4, "target_gain": 0.9, "reader": "joint", "histories": 1}
    found = publisher.rehearse(*made.tables, **asked)
    assert found.releases == 4
    known = foresee(LEARNING, made.views)
    again = sr.Publisher(made.schema, policy, known.adversary)
    assert again.rehearse(known.population, **asked).trials == found.trials


@pytest.fixture
def folder(tmp_path):
    made = sr.register(people=300, releases=3, turnover=0.03, attendance=0.8)
    for number, table in enumerate(made.tables, start=1):
        pyarrow.csv.write_csv(table, tmp_path / f"p{number}.csv")
    return tmp_path


def run(*words):
    return CliRunner().invoke(app, [str(one) for one in words])


def begun(folder):
    study = folder / "study.toml"
    done = run("init", folder / "p1.csv", "--study", study, "--yes", "--sensitive", "diagnosis")
    assert done.exit_code == 0, done.output
    return study


def test_command__rehearses_right_after_init_with_nothing_but_past_views(folder):
    study = begun(folder)
    views = sorted(folder.glob("p*.csv"))
    options = ("--study", study, "--releases", 5, "--size", 20, "--histories", 1)
    done = run("rehearse", *views, *options, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["releases"] == 5
    assert found["population"]["tables"] == 3
    assert found["population"]["values_read"] is True
    assert found["population"]["values"] == "views"
    told = run("rehearse", views[0], *options)
    words = " ".join(told.stdout.split())
    assert "Learned from 1 view, whose sensitive values were read" in words
    assert "values are taken to stay" in words
    assert "cell_size = 20" in words
    again = run("rehearse", *views, *options, "--json")
    assert again.stdout == done.stdout


def test_command__takes_what_the_study_says_of_attendance_for_what_views_show(folder):
    study = begun(folder)
    assert sr.Study.read(study).plan.attendance == sr.Attendance(None, None)
    text = study.read_text("utf-8").replace(
        "releases = 12", "releases = 12\nattendance = 0.9\nturnover = 0.1"
    )
    study.write_text(text, "utf-8")
    options = ("--study", study, "--releases", 3, "--size", 20, "--histories", 1, "--json")
    views = sorted(folder.glob("p*.csv"))
    told = json.loads(run("rehearse", *views, *options).stdout)["population"]
    assert (told["again"], told["back"], told["leaving"]) == (0.9, 0.9, 0.1)
    told = json.loads(run("rehearse", *views, *options, "--attendance", "0.7").stdout)["population"]
    assert (told["again"], told["leaving"]) == (0.7, 0.1)


def test_command__leaves_sensitive_values_unread_where_told_or_where_there_are_none(folder):
    study = begun(folder)
    views = sorted(folder.glob("p*.csv"))
    done = run("rehearse", *views, "--study", study, "--no-values")
    assert "which needs their sensitive values" in str(done.exception)
    made = sr.register(people=300)
    sr.write_knowledge(made.prior, folder / "prior.csv")
    sr.write_knowledge(made.sequence, folder / "sequence.json")
    text = study.read_text("utf-8").replace('"uniform"', '"prior.csv"')
    text = text.replace('sequence = "views"', 'sequence = "sequence.json"')
    study.write_text(text, "utf-8")
    options = ("--study", study, "--releases", 3, "--size", 20, "--histories", 1, "--json")
    told = json.loads(run("rehearse", *views, *options).stdout)["population"]
    assert (told["values_read"], told["values"]) == (True, "tilted knowledge")
    blind = run("rehearse", *views, *options, "--no-values").stdout
    told = json.loads(blind)["population"]
    assert (told["values_read"], told["values"]) == (False, "knowledge")
    for path in views:
        table = pyarrow.csv.read_csv(path).drop_columns("diagnosis")
        pyarrow.csv.write_csv(table, path)
    assert run("rehearse", *views, *options).stdout == blind


def test_command__for_a_reader_who_knows_no_sequences_says_what_to_do(folder):
    study = begun(folder)
    text = study.read_text("utf-8").replace('sequence = "views"', 'sequence = "none"')
    study.write_text(text, "utf-8")
    done = run("rehearse", folder / "p1.csv", "--study", study)
    assert 'says sequence = "none"' in str(done.exception)
    assert 'Say sequence = "views"' in str(done.exception)
