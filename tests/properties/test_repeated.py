"""A reader who knows whose tuples are carried over comes to what listing every world does."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import seriatim as sr
from oracles_worlds import beliefs_over_worlds
from seriatim.inference.repeated import last_values, moments_seen, with_repeated

VALUES = ("n", "p", "q")


@st.composite
def series_with_some_carried(draw):
    """Five people, some of whom are away and listed as they were, and some not listed at all."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_values, stays = draw(st.integers(2, 3)), draw(st.sampled_from([0.0, 0.5, 0.9]))
    prior = rng.dirichlet(np.full(n_values, 3.0))
    transition = stays * np.eye(n_values) + (1 - stays) * rng.dirichlet(np.ones(n_values), n_values)
    values, shown = rng.choice(n_values, 5, p=prior), np.full(5, -1)
    releases, carried = [], []
    for _ in range(draw(st.integers(2, 3))):
        came = rng.random(5) < 0.6
        kept = ~came & (shown >= 0) & (rng.random(5) < 0.7)
        shown = np.where(came, values, np.where(kept, shown, -1))
        there, group_of = np.flatnonzero(came | kept), rng.integers(0, 2, 5)
        groups = [there[group_of[there] == one] for one in (0, 1)]
        groups = [(one.tolist(), rng.permutation(shown[one]).tolist()) for one in groups]
        if len(there):
            releases.append([group for group in groups if group[0]])
            carried.append(set(np.flatnonzero(kept).tolist()))
        values = np.array([rng.choice(n_values, p=transition[value]) for value in values])
    return releases, carried, prior, transition


def published(releases, carried, n_values):
    """The releases and memberships of plain groups."""
    schema = sr.Schema(
        "id", [sr.Categorical("ward", ["a", "b"])], sr.Sensitive("exam", VALUES[:n_values])
    )
    made, places = [], []
    for at, (groups, repeated) in enumerate(zip(releases, carried, strict=True), start=1):
        wards = ["ab"[number] for number, (_, codes) in enumerate(groups) for _ in codes]
        exams = [VALUES[code] for _, codes in groups for code in codes]
        made.append(sr.read_release({"ward": wards, "exam": exams}, schema, at=at))
        ids = sorted(one for members, _ in groups for one in members)
        roster = sr.Roster.from_table({"id": ids, "ward": ["a"] * len(ids)}, schema)
        number = {one: place for place, (members, _) in enumerate(groups) for one in members}
        places.append(
            sr.Membership(
                roster,
                np.array([number[one] for one in ids]),
                carried=np.array([one in repeated for one in ids]),
            )
        )
    return made, places


@given(series_with_some_carried(), st.integers(0, 100))
def test_reader__takes_carried_values_for_the_last_ones(made, seed):
    releases, carried, prior, transition = made
    if not releases:
        return
    n_values = len(prior)
    leads = [list(range(n_values))] * (n_values + 1)
    values = VALUES[:n_values]
    sequence = sr.Automaton(values, np.vstack([transition, prior]), leads, start=n_values)
    knows = sr.Adversary(sr.MarginalPrior(dict(zip(values, prior.tolist(), strict=True))), sequence)
    found = sr.Worlds(knows, sweeps=3000, seed=seed).read(*published(releases, carried, n_values))
    expected = beliefs_over_worlds(releases, prior, transition, carried)
    for belief, twin, groups in zip(found, expected, releases, strict=True):
        people = [one for members, _ in groups for one in members]
        by_id = np.argsort(people)
        np.testing.assert_allclose(belief.probabilities, twin[by_id], atol=0.04)


@given(st.integers(0, 2**32 - 1))
def test_tables_that_repeat__give_the_last_value_wherever_a_state_has_one(seed):
    rng = np.random.default_rng(seed)
    n_states, n_values = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    leads = rng.integers(0, n_states, (n_states, n_values))
    chances = rng.dirichlet(np.ones(n_values), n_states)
    automaton = sr.Automaton(VALUES[:n_values], chances, leads)
    both, tables = with_repeated(automaton, np.zeros(2, dtype=int), np.array([True, False]))
    assert tables.tolist() == [1, 0]
    for state in range(n_states):
        came_by = {v for s in range(n_states) for v in range(n_values) if leads[s, v] == state}
        assert last_values(automaton)[state] == (came_by.pop() if len(came_by) == 1 else -1)
        last = last_values(automaton)[state]
        expected = chances[state] if last < 0 else np.eye(n_values)[last]
        np.testing.assert_allclose(both.next_value[1, state], expected)
        np.testing.assert_allclose(both.next_value[0, state], chances[state])


@given(st.lists(st.booleans(), min_size=1, max_size=8))
def test_moments_of_repeated_values__are_those_of_the_last_one_seen(repeated):
    repeated[0] = False
    moments = np.arange(1.0, len(repeated) + 1)
    seen = moments_seen(moments, np.array(repeated)).tolist()
    last = None
    for moment, again, found in zip(moments.tolist(), repeated, seen, strict=True):
        last = last if again else moment
        assert found == last
