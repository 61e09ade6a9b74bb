"""(B, t)-privacy against loops: kernel prior, Ω, smoothing, divergence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import oracles_rivals as rivals
import seriatim as sr
from seriatim.errors import KnowledgeError, PolicyError
from seriatim.partition import Partition, settle
from seriatim.privacy import Evidence, Tally
from seriatim.privacy.bt_privacy import smoother_of

GENDERS = ("F", "M")
BANDWIDTHS = st.sampled_from([0.2, 0.3, 0.5, 0.75, 1.0, 1.3, 2.0])
DISTANCES = (lambda one, other: abs(one - other) / 40, lambda one, other: float(one != other))


@st.composite
def crowds(draw, *, least=1):
    """People with age, gender and value, over an ordered or an unordered domain."""
    n_values = draw(st.integers(1, 5))
    n = draw(st.integers(least, 14))
    ages = draw(st.lists(st.integers(20, 60), min_size=n, max_size=n))
    genders = draw(st.lists(st.sampled_from(GENDERS), min_size=n, max_size=n))
    values = draw(st.lists(st.integers(0, n_values - 1), min_size=n, max_size=n))
    return list(zip(ages, genders, values, strict=True)), n_values, draw(st.booleans())


def view_of(people, n_values, ordered):
    schema = sr.Schema(
        "id",
        [sr.Numeric("age", 20, 60), sr.Categorical("gender", GENDERS)],
        sr.Sensitive("exam", tuple(range(n_values)), ordered=ordered),
    )
    table = {"id": list(range(len(people)))}
    table |= dict(zip(("age", "gender", "exam"), map(list, zip(*people, strict=True)), strict=True))
    return sr.View.from_table(table, schema)


def evidence_of(view, n_values):
    beliefs = np.full((len(view), n_values), 1 / n_values)
    return Evidence.of(view, sr.Belief(beliefs, view.schema.sensitive.domain))


def priors_of(people, n_values, bandwidth):
    corpus = [((age, gender), value) for age, gender, value in people]
    return [
        oracles.kernel_share((age, gender), corpus, DISTANCES, bandwidth, n_values)
        for age, gender, _ in people
    ]


def cut(data, n):
    """Some groups of all rows, in any order."""
    order = data.draw(st.permutations(range(n)))
    cuts = sorted(data.draw(st.sets(st.integers(1, n - 1), max_size=3))) if n > 1 else []
    return np.array(order), np.array([0, *cuts, n])


@given(crowds(), BANDWIDTHS, st.data())
def test_measure__is_how_far_the_farthest_member_is_moved(crowd, bandwidth, data):
    people, n_values, ordered = crowd
    view = view_of(*crowd)
    evidence = evidence_of(view, n_values)
    rows, starts = cut(data, len(people))
    priors = priors_of(people, n_values, bandwidth)
    found = sr.BTPrivacy(bandwidth=bandwidth, t=0.5).measure(Tally.of(evidence, rows, starts))
    for group, measured in enumerate(found):
        members = rows[starts[group] : starts[group + 1]]
        expected = rivals.farthest_moved(
            [priors[row] for row in members],
            [people[row][2] for row in members],
            bandwidth,
            ordered=ordered,
        )
        assert measured == pytest.approx(expected, abs=1e-9)


@given(crowds(), BANDWIDTHS, st.data())
def test_measure__takes_counterfeits_for_tuples_that_somebody_may_have(crowd, bandwidth, data):
    people, n_values, ordered = crowd
    evidence = evidence_of(view_of(*crowd), n_values)
    rows, starts = cut(data, len(people))
    added = [
        data.draw(st.lists(st.integers(0, n_values - 1), max_size=3))
        for _ in range(len(starts) - 1)
    ]
    counts = np.array([np.bincount(some, minlength=n_values) for some in map(np.int64, added)])
    tally = Tally.of(evidence, rows, starts).with_counterfeits(counts)
    priors = priors_of(people, n_values, bandwidth)
    found = sr.BTPrivacy(bandwidth=bandwidth, t=0.5).measure(tally)
    for group, measured in enumerate(found):
        members = rows[starts[group] : starts[group + 1]]
        published = [people[row][2] for row in members] + added[group]
        expected = rivals.farthest_moved(
            [priors[row] for row in members], published, bandwidth, ordered=ordered
        )
        assert measured == pytest.approx(expected, abs=1e-9)


@given(crowds(least=3), BANDWIDTHS, st.sampled_from([0.0, 0.02, 0.1, 0.3]))
def test_published_groups__move_nobody_farther_than_t(crowd, bandwidth, t):
    people, n_values, ordered = crowd
    view = view_of(*crowd)
    policy = sr.bt_privacy(bandwidth=bandwidth, t=t)
    publisher = sr.Publisher(view.schema, policy, sr.Adversary(), seed=1)
    columns = dict(
        zip(("age", "gender", "exam"), map(list, zip(*people, strict=True)), strict=True)
    )
    try:
        publisher.publish({"id": list(range(len(people))), **columns}, at=1)
    except sr.UnsatisfiableError:
        return
    priors = priors_of(people, n_values, bandwidth)
    group_of = publisher.latest.membership.group_of
    for group in range(publisher.latest.release.n_groups):
        members = np.flatnonzero(group_of == group)
        values = [people[row][2] for row in members]
        moved = rivals.farthest_moved(
            [priors[row] for row in members], values, bandwidth, ordered=ordered
        )
        assert moved <= t + 2e-9


@given(crowds(), BANDWIDTHS)
def test_smoother__spreads_over_near_values_and_keeps_distributions(crowd, bandwidth):
    _, n_values, ordered = crowd
    found = smoother_of(view_of(*crowd), bandwidth)
    expected = [
        rivals.smoothed(np.eye(n_values)[value].tolist(), bandwidth, ordered=ordered)
        for value in range(n_values)
    ]
    if found.size == 0:
        found = np.eye(n_values)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_smoothing__brings_neighbours_in_an_order_closer_than_strangers():
    """A release that moves belief from one value to the next one, or to the last one."""
    people = [(20, "F", 0), (20, "F", 1), (60, "M", 0), (60, "M", 3)]
    measured = {}
    for ordered in (False, True):
        evidence = evidence_of(view_of(people, 4, ordered), 4)
        tally = Tally.of(evidence, np.array([0, 1, 2, 3]), np.array([0, 1, 2, 4]))
        measured[ordered] = sr.BTPrivacy(bandwidth=0.5, t=1).measure(tally)
    assert measured[False][0] == pytest.approx(measured[False][1])
    assert (measured[True][:2] < measured[False][:2] - 0.05).all()
    assert measured[True][2] == pytest.approx(measured[False][2]) == 0.0


def test_bt_privacy__tells_what_it_needs():
    with pytest.raises(PolicyError, match="t must be a number of at least 0 and at most 1"):
        sr.BTPrivacy(bandwidth=0.5, t=1.5)
    with pytest.raises(KnowledgeError, match="bandwidth is a number above 0"):
        sr.BTPrivacy(bandwidth=0, t=0.5)
    with pytest.raises(PolicyError, match="Add a size"):
        sr.Policy(sr.BTPrivacy(bandwidth=0.5, t=0.5))
    bare = Evidence(np.array([0, 1]), np.full((2, 2), 0.5))
    whole = Tally.of(bare, np.arange(2), np.array([0, 2]))
    with pytest.raises(PolicyError, match="learns its prior from a view"):
        sr.BTPrivacy(bandwidth=0.5, t=0.5).measure(whole)


def test_leftovers__are_filled_up_until_nobody_is_moved_too_far():
    people = [(20, "F", 0), (21, "F", 0), (59, "M", 1), (60, "M", 1)]
    view = view_of(people, 2, False)
    evidence = evidence_of(view, 2)
    asked = sr.KAnonymity(k=6) & sr.BTPrivacy(bandwidth=2.0, t=0.05)
    nobody = np.empty(0, dtype=np.int64)
    alone = Partition(nobody, np.array([0]), np.arange(4))
    rng = np.random.default_rng(0)
    found = settle(alone, evidence, asked, "counterfeit", rng)
    assert len(found.remainder) == 0
    assert len(found.counterfeits) == 2
    assert asked.verdict(found.tally(evidence)).holds
