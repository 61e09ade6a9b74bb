"""Assessment: what makes a series leak, counted."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import seriatim as sr
from seriatim.cli.app import app

SCHEMA = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", ["a", "b"]))


def view(people, ages, exams):
    return sr.View.from_table({"id": people, "age": ages, "exam": exams}, SCHEMA)


def test_assessment__counts_who_comes_and_moves():
    found = sr.assess(
        [
            view([1, 2, 3, 4], [10, 20, 30, 40], list("abab")),
            view([1, 2, 5, 6], [10, 21, 50, 60], list("abab")),
            view([1, 7], [10, 70], list("ab")),
        ]
    )
    assert (found.views, found.people) == (3, 7)
    assert found.releases_per_person == pytest.approx(10 / 7)
    assert found.coming_again == pytest.approx((2 / 4 + 1 / 4) / 2)
    assert found.moving == pytest.approx((1 / 2 + 0) / 2)


def test_memory__is_the_information_of_the_value_before():
    rng = np.random.default_rng(1)
    n = 4000
    people, ages = list(range(n)), rng.integers(0, 99, n).tolist()
    first = rng.integers(0, 2, n)
    for flip, expected in ((0.0, 1.0), (0.5, 0.0), (0.11, 0.5)):
        second = np.where(rng.random(n) < flip, 1 - first, first)
        values = np.array(["a", "b"])
        found = sr.assess([view(people, ages, values[first]), view(people, ages, values[second])])
        assert found.memory == pytest.approx(expected, abs=0.03)
        assert found.entropy == pytest.approx(1.0, abs=0.01)


def test_mates__are_kept_where_nobody_comes_or_goes_and_lost_where_all_are_dealt_anew():
    rng = np.random.default_rng(1)
    people = list(range(400))
    exams = rng.choice(["a", "b"], 400).tolist()
    ages = rng.random(400) * 99
    same = view(people, ages.tolist(), exams)
    assert sr.assess([same, same]).mates_kept == 1.0
    other = view(people, rng.permutation(ages).tolist(), exams)
    assert sr.assess([same, other]).mates_kept < 0.1
    assert sr.assess([same, same]).score == 0.0


def test_assessment__needs_a_series():
    with pytest.raises(sr.OrderError, match="at least two views"):
        sr.assess([view([1], [1], ["a"])])


def test_command__tells_the_score_and_what_fits(tmp_path):
    run = CliRunner()
    made = tmp_path / "h"
    options = ["--views", "4", "--size", "300", "--preset", "sharp"]
    run.invoke(app, ["simulate", "-o", str(made), *options])
    views = [str(path) for path in sorted(made.glob("view-*.csv"))]
    told = run.invoke(app, ["assess", *views, "--study", str(made)])
    assert told.exit_code == 0
    assert "Forecast:" in told.stdout
    assert "standing cells" in told.stdout
    found = json.loads(run.invoke(app, ["assess", *views, "--study", str(made), "--json"]).stdout)
    assert found["score"] > 0.5
    assert found["cells_by"] == "first-seen"
    assert (found["attendance"], found["turnover"]) == pytest.approx((0.5, 0.0), abs=0.15)
    assert "of those under way are in a view" in told.stdout


def test_domains__that_widen_from_view_to_view_are_those_of_one_series():
    schema = sr.Schema("id", [sr.Numeric("age")], sr.Sensitive("exam", ["a", "b"]))
    wider = sr.Schema("id", [sr.Numeric("age")], sr.Sensitive("exam", ["a", "b", "c"]))
    first = sr.View.from_table({"id": [1, 2], "age": [3, 4], "exam": ["a", "b"]}, schema)
    second = sr.View.from_table({"id": [1, 2], "age": [3, 9], "exam": ["a", "c"]}, wider)
    found = sr.assess([first, second], k=2)
    assert (found.coming_again, found.moving) == (1.0, 0.5)
    with pytest.raises(sr.OrderError, match="different domains of 'exam'"):
        sr.assess([second, first], k=2)


def panel(views, *, leaving, size=400, seed=1):
    """A panel that ages by two years each time; newcomers are young."""
    rng = np.random.default_rng(seed)
    ages, people, met = rng.integers(20, 30, size), np.arange(size), size
    exams, found = rng.choice(["a", "b"], size), []
    for _ in range(views):
        found.append(view(people.tolist(), ages.tolist(), exams.tolist()))
        gone = rng.random(size) < leaving
        people = np.where(gone, met + np.arange(size), people)
        met += size
        ages = np.where(gone, rng.integers(20, 30, size), ages + 2)
    return found


def test_advice__for_people_who_age_among_young_newcomers_is_cells_by_current_values():
    found = sr.assess(panel(5, leaving=0.2))
    assert (found.moving, found.cells_by) == (1.0, "current")
    assert found.lost_current < 0.7 * found.lost_first_seen
    assert 'cells_by = "current"' in found.advice


def test_advice__for_people_who_all_age_alike_keeps_them_together():
    found = sr.assess(panel(5, leaving=0.0))
    assert (found.moving, found.cells_by) == (1.0, "first-seen")
    assert found.lost_first_seen <= found.lost_current


@pytest.mark.parametrize("leaving", [0.0, 0.2])
def test_advice__on_cells_is_what_a_rehearsal_recommends(leaving):
    views = panel(5, leaving=leaving)
    policy = sr.Policy(sr.KAnonymity(k=10), remainder="merge")
    known = sr.foresee(sr.Adversary(sequence=sr.IncrementalKnowledge(1)), views)
    plan = sr.SeriesPlan(releases=12, target=0.5, reader="joint", share=1.0, allow=())
    played = sr.rehearse(policy, known.adversary, known.population, plan, histories=1, sizes=[20])
    assert played.recommended.cells.by == sr.assess(views).cells_by


def test_advice__where_values_stay_and_people_come_and_go_names_batches():
    found = sr.assess(sr.register(people=500, releases=6, turnover=0.03).views)
    assert found.attendance == pytest.approx(1.0, abs=0.02)
    assert found.turnover == pytest.approx(0.03, abs=0.01)
    assert (found.cells_by, found.defences) == ("first-seen", ("batch",))
    assert "(batch)" in found.advice
    assert "(pool)" not in found.advice


def test_advice__where_many_are_away_names_pooled_periods_and_people_kept_listed():
    found = sr.assess(sr.register(people=500, releases=8, attendance=0.5).views)
    assert found.attendance == pytest.approx(0.5, abs=0.1)
    assert found.defences == ("batch", "pool", "keep")
    assert "(pool)" in found.advice
    assert "(keep)" in found.advice


def test_advice__where_everyone_stays_or_nothing_lasts_names_no_such_thing():
    views = sr.register(people=300, releases=4, turnover=0.0).views
    assert sr.assess(views).defences == ()
    drawn_anew = sr.register(people=300, releases=4, stays=0.0).views
    assert sr.assess(drawn_anew).defences == ()
    assert "Any partitioner serves" in sr.assess(drawn_anew).advice
