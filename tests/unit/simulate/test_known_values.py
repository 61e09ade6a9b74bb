"""Values drawn from sequence knowledge, and tilted by views."""

import numpy as np
import pytest

import oracles_foresight as oracles
import seriatim as sr
from seriatim.simulate.known_values import NextValues, drawn
from seriatim.simulate.strata import Strata

SCHEMA = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", ["a", "b"]))
STICKY = sr.Automaton(("a", "b"), [[0.5, 0.5], [0.9, 0.1], [0.2, 0.8]], [[1, 2]] * 3)


def views_of(ages, *values):
    table = {"id": list(range(len(ages))), "age": ages}
    return [
        sr.View.from_table(table | {"exam": np.array(["a", "b"])[one].tolist()}, SCHEMA)
        for one in values
    ]


def by_age(points, codes):
    return Strata.of_people(points, codes, n_values=2)


def test_tilt__is_what_followed_over_what_was_expected_after_just_these_values():
    rng = np.random.default_rng(1)
    ages = np.r_[np.full(200, 20), np.full(200, 80)].tolist()
    one, two, three = (rng.integers(0, 2, 400) & (np.array(ages) > 50) for _ in range(3))
    views = views_of(ages, one, two, three)
    strata = by_age(views[0].points, one)
    assert len(strata) == 2
    found, before = NextValues(STICKY).tilted_by(views, strata)
    pairs = [(who, a[who], b[who]) for a, b in ((one, two), (two, three)) for who in range(400)]
    where = strata.of(views[0].points)
    expected = oracles.tilts_by_hand(pairs, where, STICKY.next_value[0][1:], 2, 10.0)
    assert found.tilt == pytest.approx(np.array(expected))
    assert before.tolist() == (two + 1).tolist()


def test_tilt__of_one_view_is_none():
    ages = np.r_[np.full(200, 20), np.full(200, 80)].tolist()
    (view,) = views_of(ages, (np.array(ages) > 50).astype(int))
    strata = by_age(view.points, view.value_codes)
    found, before = NextValues(STICKY).tilted_by([view], strata)
    assert found.tilt is None
    assert before.tolist() == [0] * 400


def test_values__go_on_through_weeks_away_where_knowledge_counts_time():
    flip = sr.PerPeriod(sr.Automaton(("a", "b"), [[0, 1], [0, 1], [1, 0]], [[1, 2]] * 3), 1)
    automaton = flip.automaton(("a", "b"))
    (view,) = views_of([30, 30], np.array([0, 0]))
    values = NextValues(automaton, sr.UniformPrior())
    rng = np.random.default_rng(1)
    state, codes = values.draw(view.roster, np.array([1, 1]), np.array([1.0, 2.0]), rng)
    # a, then b; a, hidden b, then a again.
    assert codes.tolist() == [1, 0]
    assert state.tolist() == [1, 2]


def test_draws__are_as_common_as_their_chances_say():
    rng = np.random.default_rng(1)
    rows = np.tile([0.0, 2.0, 6.0, 0.0], (20_000, 1))
    shares = np.bincount(drawn(rows, rng), minlength=4) / 20_000
    assert shares.tolist() == pytest.approx([0, 0.25, 0.75, 0], abs=0.02)
    assert shares[[0, 3]].tolist() == [0, 0]
