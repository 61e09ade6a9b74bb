"""Differences of groups beside sets of people, every union of groups, and every world."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_differences as oracles
from profiles import examples
from seriatim.measure.following import follow
from seriatim.measure.subtraction import Shown, group_equations, leading_groups, subtractions

PEOPLE, VALUES, GROUPS = 6, 3, 3


@st.composite
def series(draw, *, stays=True):
    """A few releases of people in groups, with values that stay or are drawn anew."""
    fixed = draw(st.lists(st.integers(0, VALUES - 1), min_size=PEOPLE, max_size=PEOPLE))
    shown = []
    for _ in range(draw(st.integers(2, 4))):
        where = draw(st.lists(st.integers(-1, GROUPS - 1), min_size=PEOPLE, max_size=PEOPLE))
        values = fixed
        if not stays:
            values = draw(st.lists(st.integers(0, VALUES - 1), min_size=PEOPLE, max_size=PEOPLE))
        counts = np.zeros((GROUPS, VALUES), dtype=np.int32)
        for group, value in zip(where, values, strict=True):
            if group >= 0:
                counts[group, value] += 1
        shown.append(Shown(np.array(where, dtype=np.int32), counts))
    return shown


def as_sets(one):
    return [
        oracles.Group(frozenset(np.flatnonzero(one.groups == group).tolist()), counts)
        for group, counts in enumerate(one.counts.tolist())
        if (one.groups == group).any()
    ]


def as_equations(found):
    return [
        oracles.Equation(
            frozenset(found.people[low:high][found.signs[low:high] > 0].tolist()),
            frozenset(found.people[low:high][found.signs[low:high] < 0].tolist()),
            counts,
        )
        for low, high, counts in zip(
            found.starts[:-1], found.starts[1:], found.counts.tolist(), strict=True
        )
    ]


def in_order(equations):
    return sorted((sorted(one.added), sorted(one.taken), one.counts) for one in equations)


def pairs(releases):
    return list(itertools.combinations(range(len(releases)), 2))


@given(series(stays=False))
def test_union__leaves_the_fewest_people_over_of_all_unions(releases):
    first, second = releases[:2]
    lead = leading_groups(second, first)
    for group in range(GROUPS):
        members = frozenset(np.flatnonzero(first.groups == group).tolist())
        union = frozenset(np.flatnonzero((second.groups >= 0) & (lead[second.groups] == group)))
        others = [one.members for one in as_sets(second)]
        assert len(members ^ union) == oracles.least_left_over(members, others)


@settings(max_examples=examples(5))
@given(series(stays=False), st.integers(2, PEOPLE))
def test_subtractions__are_those_of_sets_of_people(releases, k):
    first, second = releases[:2]
    found = [one for side in subtractions(first, second, k) for one in as_equations(side)]
    wanted = oracles.subtractions(as_sets(first), as_sets(second), k)
    assert in_order(found) == in_order(wanted)


@settings(max_examples=examples(5))
@given(series(), st.integers(2, PEOPLE))
def test_follow__rules_out_what_the_slow_twin_rules_out(releases, k):
    found = follow(releases, pairs(releases), k)
    small = [
        equation
        for early, late in pairs(releases)
        for equation in oracles.subtractions(as_sets(releases[early]), as_sets(releases[late]), k)
    ]
    own = [one for release in releases for one in as_equations(group_equations(release))]
    halves = [half for equation in small for half in oracles.in_halves(equation)]
    possible = oracles.possible_values([*halves, *own], PEOPLE, VALUES)
    alone = {
        person
        for release in releases
        for group in as_sets(release)
        if np.count_nonzero(group.counts) == 1
        for person in group.members
    }
    wanted = {
        person: min(values)
        for person, values in enumerate(possible)
        if len(values) == 1 and person not in alone
    }
    assert dict(zip(found.named.tolist(), found.codes.tolist(), strict=True)) == wanted
    assert found.contradictory == 0
    separated = {one for equation in small for one in equation.added | equation.taken}
    assert set(np.flatnonzero(found.separated).tolist()) == separated


@settings(max_examples=examples(3))
@given(series(), st.integers(2, PEOPLE))
def test_follow__names_no_value_that_some_world_contradicts(releases, k):
    found = follow(releases, pairs(releases), k)
    forced = oracles.forced([as_sets(one) for one in releases], PEOPLE, VALUES)
    named = dict(zip(found.named.tolist(), found.codes.tolist(), strict=True))
    assert named.items() <= forced.items()


@settings(max_examples=examples(5))
@given(series(stays=False), st.integers(2, PEOPLE))
def test_follow__of_values_that_change_names_what_one_subtraction_gives_and_no_two_values(
    releases, k
):
    found = follow(releases, pairs(releases), k)
    small = [
        equation
        for early, late in pairs(releases)
        for equation in oracles.subtractions(as_sets(releases[early]), as_sets(releases[late]), k)
    ]
    given_by_one = {}
    for equation in small:
        values = oracles.possible_values(oracles.in_halves(equation), PEOPLE, VALUES)
        for person in (equation.added | equation.taken) if values else ():
            if len(values[person]) == 1:
                given_by_one.setdefault(person, set()).update(values[person])
    named = dict(zip(found.named.tolist(), found.codes.tolist(), strict=True))
    for person, values in given_by_one.items():
        assert named.get(person, min(values)) in values
        assert len(values) == 1 or person not in named
    hold = [one for one in small if sum(max(count, 0) for count in one.counts) <= len(one.added)]
    assert len(found.small) == len(hold)
    assert {person for person, alone in zip(named, found.alone, strict=True) if alone} <= {
        *given_by_one
    }


@given(series(), st.randoms())
def test_follow__does_not_depend_on_how_groups_are_numbered(releases, random):
    turned = []
    for one in releases:
        order = list(range(GROUPS))
        random.shuffle(order)
        new = np.array([*order, -1], dtype=np.int32)
        counts = np.empty_like(one.counts)
        counts[order] = one.counts
        turned.append(Shown(new[one.groups], counts))
    first, second = (follow(one, pairs(one), 4) for one in (releases, turned))
    assert (first.named.tolist(), first.codes.tolist()) == (
        second.named.tolist(),
        second.codes.tolist(),
    )
