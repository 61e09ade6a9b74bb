"""PosteriorBound against enumerating who may have which value."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seriatim as sr
from seriatim.privacy import Evidence, Tally


def enumerated_gain(beliefs, values):
    """The greatest gain of the exact reader on a member, over all ways to match values."""
    size = len(values)
    totals = np.zeros((size, len(beliefs[0])))
    for matched in permutations(values):
        weight = np.prod([beliefs[row][value] for row, value in enumerate(matched)])
        for row, value in enumerate(matched):
            totals[row, value] += weight
    totals /= totals.sum(axis=1, keepdims=True)
    gains = []
    for row, value in enumerate(values):
        frequency = values.count(value) / size
        open_to_gain = frequency < 1
        gains.append((totals[row, value] - frequency) / (1 - frequency) if open_to_gain else 0)
    return max(0, *gains)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 4),
    st.lists(st.integers(1, 5), min_size=1, max_size=3),
)
def test_measure__is_the_exact_readers_gain_on_the_member_best_known(seed, n_values, sizes):
    rng = np.random.default_rng(seed)
    n = sum(sizes)
    beliefs = rng.dirichlet(np.ones(n_values), n)
    values = rng.integers(0, n_values, n)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    rows = rng.permutation(n)
    tally = Tally.of(Evidence(values, beliefs), rows, starts)
    found = sr.PosteriorBound(gain=0.5, rule="exact").measure(tally)
    for group, measured in enumerate(found):
        members = rows[starts[group] : starts[group + 1]]
        expected = enumerated_gain(beliefs[members].tolist(), values[members].tolist())
        assert measured == pytest.approx(expected, abs=1e-9)


def test_measure__counts_counterfeits_among_the_tuples_of_a_group():
    evidence = Evidence(np.array([0, 1]), np.array([[0.9, 0.1], [0.5, 0.5]]))
    members = Tally.of(evidence, np.arange(2), np.array([0, 2]))
    tally = members.with_counterfeits(np.array([[1, 1]]))
    # Of four tuples, two a value: the first has the more likely one in (0.9 + 1.8) / 3 of ways.
    found = sr.PosteriorBound(gain=0.5, rule="exact").measure(tally)
    assert found == pytest.approx([(0.9 - 0.5) / 0.5])


@pytest.mark.parametrize("partitioner", [sr.HilbertGreedy(), sr.Mondrian(), sr.StandingCells(10)])
def test_bound__is_kept_release_by_release(partitioner):
    made = sr.clinic(weeks=3, size=150, seed=2)
    reader = sr.Adversary(made.prior, made.sequence, rule="strongest", filtering="joint")
    policy = sr.Policy(sr.KAnonymity(k=6) & sr.PosteriorBound(gain=0.6), partitioner)
    publisher = sr.Publisher(made.schema, policy, reader, seed=1)
    for at, week in enumerate(made.weeks, start=1):
        publisher.publish(week, at=at)
        latest = publisher.latest
        rows = latest.membership.published
        gain = sr.adversary_gain(
            latest.posterior.probabilities[rows],
            latest.view.value_codes[rows],
            latest.membership.group_of[rows],
        )
        assert gain.per_tuple.max() <= 0.6 + 1e-6


def test_bound__alone_is_no_promise():
    with pytest.raises(sr.PolicyError, match="Add a size"):
        sr.Policy(sr.PosteriorBound(gain=0.1))
    with pytest.raises(sr.PolicyError, match="gain must be"):
        sr.PosteriorBound(gain=1.5)
    with pytest.raises(sr.KnowledgeError, match="no posterior rule"):
        sr.PosteriorBound(gain=0.5, rule="omg")
