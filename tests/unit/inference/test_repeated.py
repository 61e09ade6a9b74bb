"""Tuples that repeat the last one: what a reader who knows of them takes for certain."""

from dataclasses import replace

import numpy as np
import pytest

import seriatim as sr
from seriatim.inference.from_releases import learned_from_releases
from seriatim.inference.met import appearances_in
from seriatim.knowledge.tempo import Period

SCHEMA = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", ["n", "p"]))
STEP = np.array([[0.8, 0.2], [0.4, 0.6]])
PRIOR = sr.MarginalPrior({"n": 0.5, "p": 0.5})


def forgetful(**more):
    return sr.Automaton(("n", "p"), np.vstack([STEP, [0.5, 0.5]]), [[0, 1]] * 3, start=2, **more)


def alone(instants, carried, hidden):
    """One respondent with n, of whom some releases show the value and some do not."""
    roster = sr.Roster.from_table({"id": [1, 2], "age": [50, 50]}, SCHEMA)
    releases, places = [], []
    for at, repeated, unseen in zip(instants, carried, hidden, strict=True):
        groups = np.array([-1 if unseen else 1, 0])
        table = {"age": [40, 50][: 2 - unseen], "exam": ["n", "n"][: 2 - unseen]}
        releases.append(sr.read_release(table, SCHEMA, at=at))
        places.append(sr.Membership(roster, groups, carried=np.array([repeated, False])))
    return releases, places


def believed(sequence, *series):
    found = sr.Worlds(sr.Adversary(PRIOR, sequence), approach=200, sweeps=6000).read(*series)
    return [belief.probabilities[0] for belief in found]


def test_membership__refuses_carried_that_is_not_of_its_roster():
    roster = sr.Roster.from_table({"id": [1, 2], "age": [50, 50]}, SCHEMA)
    with pytest.raises(sr.OrderError, match="tells of each of 2 respondents"):
        sr.Membership(roster, np.array([0, 0]), carried=np.array([True]))
    with pytest.raises(sr.OrderError, match="int64"):
        sr.Membership(roster, np.array([0, 0]), carried=np.array([1, 0]))


def test_value_that_is_carried_over__is_the_last_one_though_values_change():
    series = alone([1, 2, 3], [False, True, False], [False, True, True])
    first, second, third = believed(forgetful(), *series)
    np.testing.assert_allclose(first, [1, 0])
    np.testing.assert_allclose(second, [1, 0], atol=0.01)
    np.testing.assert_allclose(third, STEP[0], atol=0.03)


def test_time_goes_on__while_somebody_is_carried_over():
    series = alone([1, 2, 3], [False, True, False], [False, True, True])
    _, second, third = believed(forgetful(tempo=Period(1)), *series)
    np.testing.assert_allclose(second, [1, 0], atol=0.01)
    np.testing.assert_allclose(third, (STEP @ STEP)[0], atol=0.03)


def test_who_is_carried_over_at_first__is_seen_for_the_first_time():
    releases, places = alone([1, 2], [True, False], [False, True])
    _, second = believed(forgetful(), releases, places)
    np.testing.assert_allclose(second, STEP[0], atol=0.03)


def test_knowledge_from_releases__is_learned_of_what_was_seen_again_alone():
    rng = np.random.default_rng(1)
    table = {"id": list(range(80)), "age": list(range(10, 90)), "exam": ["n", "p"] * 40}
    roster, rows = sr.View.from_table(table, SCHEMA).roster, np.arange(80) // 4
    # Values are drawn anew whenever they are seen; every other release repeats them.
    releases, places, drawn = [], [], rng.integers(0, 2, (4, 80))
    for at in range(8):
        now = drawn[at // 2]
        shown = {"age": 10 + rows, "exam": [("n", "p")[code] for code in now]}
        releases.append(sr.read_release(shown, SCHEMA, at=at))
        places.append(sr.Membership(roster, rows, carried=np.full(80, at % 2 == 1)))
    plain = [replace(one, carried=None) for one in places]
    of_seen = learned_from_releases(releases, places).automaton(("n", "p"))
    of_all = learned_from_releases(releases, plain).automaton(("n", "p"))
    assert of_seen.next_value[0, 0, 0] < 0.6
    assert of_all.next_value[0, 0, 0] > 0.7


def test_appearances__know_which_of_them_repeat():
    releases, places = alone([1, 2, 3], [False, True, False], [False, True, True])
    who = appearances_in(sr.Adversary(PRIOR, forgetful()), releases, places)
    assert who.repeated.tolist() == [False, True, False, False, False, False]
