"""Laws of populations learned from views, whatever the views are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_foresight as oracles
import seriatim as sr
from seriatim.simulate.dealing import Dealer
from seriatim.simulate.foresight import presence_of
from seriatim.simulate.population_of_views import learned_population

VALUES = ("a", "b", "c")
SCHEMA = sr.Schema(
    "id",
    [sr.Numeric("age", 0, 99), sr.Categorical("ward", ["east", "west"])],
    sr.Sensitive("exam", VALUES),
)


@st.composite
def series_of_views(draw):
    """Views in which everything changes at any time; ids are numbers or texts."""
    texts = draw(st.booleans())
    views = []
    for _ in range(draw(st.integers(1, 5))):
        people = draw(st.lists(st.integers(0, 12), min_size=1, max_size=10, unique=True))
        size = len(people)
        table = {
            "id": [f"{who}" for who in people] if texts else people,
            "age": draw(st.lists(st.integers(0, 99), min_size=size, max_size=size)),
            "ward": draw(st.lists(st.sampled_from(["east", "west"]), min_size=size, max_size=size)),
            "exam": draw(st.lists(st.sampled_from(VALUES), min_size=size, max_size=size)),
        }
        views.append(sr.View.from_table(table, SCHEMA))
    return views


STICKY = sr.Automaton(VALUES, [[1 / 3] * 3, *(0.7 * np.eye(3) + 0.1)], [[1, 2, 3]] * 4)


def automata():
    """Knowledge that counts appearances, periods or any time; None for what views show."""
    period = sr.PerPeriod(STICKY, 1).automaton(VALUES)
    return st.sampled_from([None, STICKY, period])


@given(series_of_views(), automata(), st.integers(1, 6), st.integers(0, 3))
def test_history__is_of_people_who_are_nobody_with_codes_that_were_seen(
    views, automaton, releases, seed
):
    population = learned_population(views, automaton=automaton)
    history, again = (population.draw(releases, np.random.default_rng(seed)) for _ in range(2))
    assert [view.digest() for view in history] == [view.digest() for view in again]
    own = set().union(*(view.respondents.to_pylist() for view in views))
    points = np.concatenate([view.points for view in views])
    assert len(history) == releases
    assert np.array_equal(history[0].points, views[-1].points)
    for view in history:
        ids = view.respondents.to_pylist()
        assert ids == sorted(set(ids))
        assert not own & set(ids)
        assert len(view) == len(view.points) == len(view.value_codes)
        assert 1 <= len(view) <= len(views[-1])
        assert (view.points >= points.min(axis=0)).all()
        assert (view.points <= points.max(axis=0)).all()
        assert set(view.value_codes.tolist()) <= {0, 1, 2}
        if population.presence.trend == 1.0:
            assert len(view) == len(views[-1])


@given(series_of_views(), st.integers(0, 3))
def test_values__that_were_dealt_followed_these_in_the_views(views, seed):
    population = learned_population(views)
    followed = {(value, value) for value in range(3)}  # what nothing followed stays
    last = {}
    for view in views:
        for who, code in zip(view.respondents.to_pylist(), view.value_codes.tolist(), strict=True):
            if who in last:
                followed.add((last[who], code))
            last[who] = code
    had = {}
    for view in population.draw(5, np.random.default_rng(seed)):
        for who, code in zip(view.respondents.to_pylist(), view.value_codes.tolist(), strict=True):
            assert who not in had or (had[who], code) in followed
            had[who] = code


@given(series_of_views())
def test_presence__is_chances_whoever_came(views):
    found = presence_of(views)
    for chance in (found.again, found.back, found.leaving, found.share):
        assert 0 <= chance <= 1
    people = [set(view.respondents.to_pylist()) for view in views]
    assert (
        oracles.log_likelihood(
            oracles.patterns_of(people[-5:]), found.again, found.back, found.leaving
        )
        > -np.inf
        or len(views) < 3
    )


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=6),
    st.tuples(st.integers(0, 4), st.integers(0, 1)),
    st.integers(0, 12),
)
def test_dealer__takes_only_who_may_be_taken(donors, asked, pseudo_counts):
    dealer = Dealer.by([np.array(keys) for keys in zip(*donors, strict=True)], pseudo_counts)
    chances = oracles.chances_dealt(donors, asked, pseudo_counts)
    picks = dealer.deal([np.full(60, key) for key in asked], np.random.default_rng(1))
    allowed = {place for place, chance in chances.items() if chance > 0}
    if asked[1] in {keys[1] for keys in donors}:
        assert sum(chances.values()) == pytest.approx(1.0)
    else:  # whom no key of the last kind is like may be left with nobody
        allowed.add(-1)
    assert set(picks.tolist()) <= allowed
