"""How sure a reader may be that rows of two releases are one person's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seriatim as sr
from oracles_worlds import linked_rows
from seriatim.inference.appearances import plain_appearances
from seriatim.inference.drawing import Effort, draw_worlds

ALWAYS = np.eye(2)


def linkability(releases, transition=ALWAYS, prior=(0.6, 0.4), sweeps=400):
    automaton = sr.Automaton((0, 1), np.vstack([transition, prior]), [[0, 1]] * 3, start=2)
    who = plain_appearances(releases, np.array(prior), automaton)
    return draw_worlds(who, Effort(100, sweeps, 4, seed=1)).links.told()


def test_rows__of_people_who_keep_different_values_are_linked_for_certain():
    found = linkability([[([1, 2], [0, 1])], [([1, 2], [1, 0])]])
    assert (found.rows, found.mean, found.above_nine_tenths) == (2, 1.0, 1.0)


def test_rows__that_are_alike_are_linked_by_chance():
    found = linkability([[([1, 2, 3], [0, 0, 0])], [([1, 2, 3], [0, 0, 0])]])
    assert found.mean == pytest.approx(1 / 3)
    assert found.above_nine_tenths == 0


def test_rows__of_a_single_release_are_linked_to_nothing():
    found = linkability([[([1, 2], [0, 1])]])
    assert (found.rows, found.mean, found.above_nine_tenths) == (0, 0.0, 0.0)


def test_rows__of_people_who_do_not_come_again_are_linked_to_nobody():
    found = linkability([[([1, 2], [0, 1])], [([1, 3], [0, 0])]])
    assert found.rows == 2
    assert found.mean == pytest.approx(1 / 4)  # one of two, to either row of two that are alike


@given(st.integers(0, 2**32 - 1))
def test_links__are_those_of_all_worlds(seed):
    rng = np.random.default_rng(seed)
    transition = rng.dirichlet([1.0, 1.0], 2)
    people = rng.permutation(5)
    cut, values = rng.integers(2, 4), rng.integers(0, 2, (3, 5))
    releases = [
        [(people[:cut].tolist(), row[:cut].tolist()), (people[cut:].tolist(), row[cut:].tolist())]
        for row in values
    ]
    found = linkability(releases, transition, sweeps=4000)
    expected = linked_rows(releases, (0.6, 0.4), transition)
    assert found.rows == len(expected) == 10
    assert found.mean == pytest.approx(np.mean(expected), abs=0.05)


def test_rows__of_people_of_whom_nothing_is_known_are_linked_as_surely_as_they_are_few():
    nothing = np.full((2, 2), 0.5)
    group = [(list(range(10)), [0] * 5 + [1] * 5)]
    releases = [group, group]
    # Five rows are alike: each goes to any of ten. Of few worlds, the likeliest seems likelier.
    found = [linkability(releases, nothing, (0.5, 0.5), sweeps) for sweeps in (30, 400)]
    assert [one.mean for one in found] == pytest.approx([0.1, 0.1], abs=0.004)


def test_rows__of_people_whose_value_was_told_are_rows_too():
    schema = sr.Schema("id", [sr.Categorical("ward", ["a"])], sr.Sensitive("exam", ["n", "p"]))
    roster = sr.Roster.from_table({"id": [1, 2], "ward": ["a", "a"]}, schema)
    table = {"ward": ["a", "a"], "exam": ["n", "n"]}
    releases = [sr.read_release(table, schema, at=at) for at in (1, 2)]
    told = sr.CompromisedTuples.from_table(
        {"id": [1], "at": [1], "exam": ["n"]}, respondent="id", at="at", value="exam"
    )
    reader = sr.Worlds(sr.Adversary(compromised=told), approach=20, sweeps=40)
    found = reader.weigh(releases, [sr.Membership(roster, np.zeros(2, int))] * 2).linkability
    assert (found.rows, found.mean) == (2, 0.5)
