"""Populations learned from views: histories like what comes, of people who are nobody."""

from itertools import pairwise
from time import perf_counter

import numpy as np
import pytest

import seriatim as sr
from seriatim.audit.assessment import assess
from seriatim.microdata.roster import numbered
from seriatim.simulate.population_of_views import learned_population

SCHEMA = sr.Schema(
    "id",
    [sr.Numeric("age", 0, 99), sr.Categorical("ward", ["east", "north", "west"])],
    sr.Sensitive("exam", ["a", "b", "c"]),
)


def ageing_views(count, size=1500, seed=1):
    """A panel that ages by a year each time; values go by age, and stay for most."""
    rng = np.random.default_rng(seed)
    age, ward = rng.integers(20, 60, size), rng.integers(0, 3, size)
    value = np.where(rng.random(size) < 0.8, (age >= 40).astype(int), 2)
    views = []
    for _ in range(count):
        table = {
            "id": [f"SECRET-{who:05}" for who in range(size)],
            "age": age.tolist(),
            "ward": np.array(["east", "north", "west"])[ward].tolist(),
            "exam": np.array(["a", "b", "c"])[value].tolist(),
        }
        views.append(sr.View.from_table(table, SCHEMA))
        age = age + 1
        ward = np.where(rng.random(size) < 0.05, rng.integers(0, 3, size), ward)
        anew = np.where(rng.random(size) < 0.8, (age >= 40).astype(int), 2)
        value = np.where(rng.random(size) < 0.1, anew, value)
    return views


def test_history__is_as_long_as_asked_and_keeps_its_size():
    views = sr.register(people=300, releases=3, attendance=0.6, turnover=0.05).views
    population = learned_population(views)
    found = population.draw(15, np.random.default_rng(1))
    assert [len(view) for view in found] == [len(views[-1])] * 15
    for view in found:
        ids = view.respondents.to_pylist()
        assert ids == sorted(set(ids))


def test_history__begins_with_the_people_of_the_latest_view():
    views = ageing_views(3)
    first = learned_population(views).draw(2, np.random.default_rng(1))[0]
    assert np.array_equal(first.points, views[-1].points)
    assert np.array_equal(first.value_codes, views[-1].value_codes)


@pytest.mark.parametrize("made", [ageing_views(3), sr.register(people=300, releases=3).views])
def test_history__has_nobody_of_the_given_views(made):
    population = learned_population(made)
    own = set().union(*(view.respondents.to_pylist() for view in made))
    for view in population.draw(5, np.random.default_rng(1)):
        assert not own & set(view.respondents.to_pylist())
        assert "SECRET" not in repr(view)
    assert "SECRET" not in repr(population) + repr(population.following) + repr(population.changes)


def test_history__of_a_seed_is_the_same_and_of_another_is_not():
    population = learned_population(ageing_views(4))
    one, two, other = (population.draw(4, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert [view.digest() for view in one] == [view.digest() for view in two]
    assert [view.digest() for view in one[1:]] != [view.digest() for view in other[1:]]


def test_longer_history__begins_with_the_shorter_one():
    population = learned_population(sr.register(people=200, releases=4, attendance=0.6).views)
    short, long = (population.draw(count, np.random.default_rng(1)) for count in (3, 6))
    assert [view.digest() for view in short] == [view.digest() for view in long[:3]]


def test_people__age_as_those_of_the_views_did():
    views = ageing_views(4)
    found = learned_population(views).draw(6, np.random.default_rng(1))
    for before, now in pairwise(found):
        assert np.array_equal(before.respondents, now.respondents)
        young = before.points[:, 0] < 62
        assert (now.points[young, 0] == before.points[young, 0] + 1).all()
    moved = [(now.points[:, 1] != before.points[:, 1]).mean() for before, now in pairwise(found)]
    assert np.mean(moved) == pytest.approx(0.05 * 2 / 3, abs=0.01)
    assert found[-1].points[:, 0].max() <= max(view.points[:, 0].max() for view in views)


def test_people__come_and_stay_away_as_those_of_the_views_did():
    made = sr.register(people=4000, releases=20, attendance=0.6, turnover=0.05, stays=0.9)
    found = learned_population(made.views[:6]).draw(15, np.random.default_rng(1))
    drawn, real = assess(found), assess(made.views[5:])
    assert drawn.coming_again == pytest.approx(real.coming_again, abs=0.03)
    assert drawn.releases_per_person == pytest.approx(real.releases_per_person, rel=0.15)
    assert drawn.memory == pytest.approx(real.memory, rel=0.1)


def test_values__of_people_alike_follow_as_they_did():
    views = ageing_views(4, size=3000)
    found = learned_population(views).draw(8, np.random.default_rng(1))
    last = found[-1]
    old = last.points[:, 0] >= 45
    assert (last.value_codes[old] == 1).mean() > 0.7
    assert (last.value_codes[~old & (last.points[:, 0] < 38)] == 0).mean() > 0.6
    stays, real = (
        np.mean([(one.value_codes == two.value_codes).mean() for one, two in pairwise(series)])
        for series in (found, views)
    )
    assert stays == pytest.approx(real, abs=0.02)


def test_values__stay_where_one_view_shows_nothing_after_another():
    population = learned_population(ageing_views(1), attendance=sr.Attendance(share=1.0))
    assert population.values_go_by == "staying"
    found = population.draw(4, np.random.default_rng(1))
    assert all(np.array_equal(view.value_codes, found[0].value_codes) for view in found)
    assert all(np.array_equal(view.points, found[0].points) for view in found)


def test_rosters__give_people_and_knowledge_what_they_have():
    sticky = sr.Automaton(("a", "b", "c"), [[1 / 3] * 3, *np.eye(3)], [[1, 2, 3]] * 4)
    prior = sr.MarginalPrior({"a": 0.2, "b": 0.3, "c": 0.5})
    views = ageing_views(3)
    rosters = [view.roster for view in views]
    population = learned_population(rosters, prior=prior, automaton=sticky)
    assert not population.values_read
    assert population.values_go_by == "knowledge"
    found = population.draw(4, np.random.default_rng(1))
    shares = found[0].value_counts / len(found[0])
    assert shares.tolist() == pytest.approx([0.2, 0.3, 0.5], abs=0.05)
    assert np.array_equal(found[0].value_codes, found[-1].value_codes)
    assert found[1].points[0, 0] - found[0].points[0, 0] == 1


def test_rosters__with_views_among_them_have_no_values():
    views = ageing_views(2)
    mixed = [views[0].roster, views[1]]
    sticky = sr.Automaton(("a", "b", "c"), [[1 / 3] * 3, *np.eye(3)], [[1, 2, 3]] * 4)
    prior = sr.UniformPrior()
    one, two = (
        learned_population(some, prior=prior, automaton=sticky).draw(2, np.random.default_rng(1))
        for some in (mixed, [view.roster for view in views])
    )
    assert [view.digest() for view in one] == [view.digest() for view in two]


def test_knowledge__is_tilted_by_what_views_show_of_quasi_identifiers():
    views = ageing_views(4, size=3000)
    even = sr.Automaton(("a", "b", "c"), [[0.4, 0.4, 0.2]] * 2, [[1] * 3] * 2)
    population = learned_population(views, prior=sr.UniformPrior(), automaton=even)
    assert population.values_go_by == "tilted knowledge"
    last = population.draw(5, np.random.default_rng(1))[-1]
    old = last.points[:, 0] >= 45
    assert (last.value_codes[old] == 1).mean() > 0.55
    assert (last.value_codes[last.points[:, 0] < 37] == 0).mean() > 0.55


def test_newcomers__are_like_newcomers_of_the_past():
    rng, views, met = np.random.default_rng(1), [], 400
    ids = np.arange(400)
    ages = rng.integers(50, 80, 400)
    for _ in range(5):
        table = {"id": ids.tolist(), "age": ages.tolist(), "ward": ["east"] * 400}
        views.append(sr.View.from_table(table | {"exam": ["a"] * 400}, SCHEMA))
        gone = rng.random(400) < 0.2
        ids, ages = ids.copy(), ages.copy()
        ids[gone], ages[gone] = met + np.arange(gone.sum()), rng.integers(20, 30, gone.sum())
        met += int(gone.sum())
    found = learned_population(views).draw(3, np.random.default_rng(1))
    first, second = (set(view.respondents.to_pylist()) for view in found[:2])
    new = [one not in first for one in found[1].respondents.to_pylist()]
    assert 0.1 < len(second - first) / 400 < 0.3
    assert found[1].points[new, 0].max() < 30


def test_population__without_what_it_needs_is_refused():
    view = ageing_views(1)[0]
    for rosters, more in (([], {}), ([view.roster], {}), ([view.roster], {"prior": 1})):
        with pytest.raises(sr.OrderError, match="learned from views with their sensitive values"):
            learned_population(rosters, **more)


def test_24_releases_of_5000__are_drawn_in_half_a_second():
    population = learned_population(sr.hospital(views=3, size=5000, preset="mild").views)
    begun = perf_counter()
    found = population.draw(24, np.random.default_rng(1))
    took = perf_counter() - begun
    assert sum(len(view) for view in found) == 120_000
    assert took < 2.0  # 0.15 s where nobody else computes


def test_numbers__of_people_are_the_same_wherever_they_are():
    found = learned_population(ageing_views(3)).draw(3, np.random.default_rng(1))
    people = numbered(found)
    assert all(np.array_equal(people[0], one) for one in people)
