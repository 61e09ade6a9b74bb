import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.inference import PublishedGroups
from strategies import codes, distributions, groups, wide_groups

RULES = {
    "additive": (sr.Additive(), oracles.additive_posterior),
    "omega": (sr.Omega(), oracles.omega_posterior),
}
EXAMPLES = [
    ([[1.0, 0.0], [1.0, 0.0]], [1, 1]),  # nobody was thought able to have any published value
    ([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]], [1, 1]),  # one row vanishes
    ([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0], [1.0, 0.0, 0.0]], [0, 2, 1]),  # one column is empty
    ([[0.25, 0.75]], [0]),  # a group of one
]


def with_examples(test):
    for group in EXAMPLES:
        test = example(group)(test)
    return test


@with_examples
@given(groups())
def test_additive__agrees_with_enumerating_every_configuration(group):
    found = sr.posterior(*group, rule="additive")
    np.testing.assert_allclose(found, oracles.additive_posterior(*group), atol=1e-12)


@with_examples
@given(groups())
def test_omega__equals_its_twin_with_all_its_zeros(group):
    found = sr.posterior(*group, rule="omega")
    np.testing.assert_allclose(found, oracles.omega_posterior(*group), atol=1e-12)


def read_one(rule, prior, values):
    """The posterior of one group that may publish more values than the reader knows members."""
    everyone = np.arange(len(prior))
    groups = PublishedGroups(
        everyone, np.array([0, len(prior)]), np.array(values), np.array([0, len(values)])
    )
    return RULES[rule][0].posterior(np.array(prior), groups)


WIDE_EXAMPLES = [
    ([[0.9, 0.1]], [0, 1, 1]),  # one known member among three
    ([[1.0, 0.0], [0.5, 0.5]], [1, 1, 1]),
    ([[1.0, 0.0, 0.0]], [1, 2, 2]),  # nothing published was thought possible
    ([[0.2, 0.8, 0.0], [0.6, 0.4, 0.0]], [0, 1, 2]),  # one column is empty
]


@pytest.mark.parametrize("group", WIDE_EXAMPLES)
@pytest.mark.parametrize("rule", RULES)
def test_posterior__of_a_group_with_strangers_equals_its_twin_with_all_its_zeros(rule, group):
    np.testing.assert_allclose(read_one(rule, *group), RULES[rule][1](*group), atol=1e-12)


@pytest.mark.parametrize("rule", RULES)
@given(group=st.integers(1, 4).flatmap(wide_groups))
def test_posterior__of_a_group_with_strangers_agrees_with_its_twin(rule, group):
    found = read_one(rule, *group)
    np.testing.assert_allclose(found, RULES[rule][1](*group), atol=1e-12)
    assert found.sum(axis=1) == pytest.approx(np.ones(len(found)), abs=1e-12)


def test_additive__of_one_known_member_among_three_by_hand():
    # Degrees: 0.9 where she has value 0, and 0.1 in each of two ways to have value 1.
    group = [[0.9, 0.1]], [0, 1, 1]
    for found in (oracles.additive_posterior(*group), read_one("additive", *group)):
        np.testing.assert_allclose(found, [[0.9 / 1.1, 0.2 / 1.1]], atol=1e-12)


@pytest.mark.parametrize("rule", RULES)
@with_examples
@given(group=groups(most_rows=12))
def test_posterior__is_a_distribution_over_the_published_values(rule, group):
    found = sr.posterior(*group, rule=rule)
    assert found.sum(axis=1) == pytest.approx(np.ones(len(found)), abs=1e-12)
    unpublished = [value for value in range(found.shape[1]) if value not in group[1]]
    assert (found >= 0).all()
    assert (found[:, unpublished] == 0).all()


@given(group=groups(most_rows=12))
def test_additive__gives_every_value_as_often_as_it_is_published(group):
    found = sr.posterior(*group, rule="additive")
    counts = np.bincount(group[1], minlength=found.shape[1])
    assert found.sum(axis=0) == pytest.approx(counts, abs=1e-9)


@pytest.mark.parametrize("rule", RULES)
@given(group=groups(most_rows=8), chance=st.randoms(use_true_random=False))
def test_posterior__does_not_depend_on_the_order_of_published_values(rule, group, chance):
    prior, values = group
    shuffled = list(values)
    chance.shuffle(shuffled)
    found = sr.posterior(prior, shuffled, rule=rule)
    np.testing.assert_allclose(found, sr.posterior(prior, values, rule=rule), atol=1e-12)


@pytest.mark.parametrize("rule", RULES)
@given(row=distributions(4), values=st.integers(1, 9).flatmap(lambda n: codes(n, 4)))
def test_identical_beliefs__leave_the_frequencies_and_a_gain_of_zero(rule, row, values):
    found = sr.posterior([row] * len(values), values, rule=rule)
    np.testing.assert_allclose(found, [oracles.frequencies(values, 4)] * len(values), atol=1e-12)
    gain = sr.adversary_gain(found, values, [0] * len(values))
    assert gain.per_tuple == pytest.approx(np.zeros(len(values)), abs=1e-12)


@pytest.mark.parametrize("rule", RULES)
@given(
    parts=st.integers(2, 3)
    .flatmap(lambda n: st.lists(wide_groups(n, least_members=0), min_size=1, max_size=4))
    .filter(lambda parts: any(rows for rows, _ in parts)),
    seed=st.integers(0, 99),
)
def test_posterior__reads_each_group_alone(rule, parts, seed):
    starts = np.cumsum([0, *(len(rows) for rows, _ in parts)])
    value_starts = np.cumsum([0, *(len(values) for _, values in parts)])
    prior = np.concatenate([rows for rows, _ in parts if rows])
    values = np.concatenate([np.array(values) for _, values in parts])
    # One respondent belongs to no group, and members are rows in any order.
    members = np.random.default_rng(seed).permutation(len(prior) + 1)[: len(prior)]
    spread = np.full((len(prior) + 1, prior.shape[1]), 1 / prior.shape[1])
    spread[members] = prior
    published, twin = RULES[rule]
    found = published.posterior(spread, PublishedGroups(members, starts, values, value_starts))
    expected = np.concatenate([twin(rows, values) for rows, values in parts if rows])
    np.testing.assert_allclose(found[members], expected, atol=1e-12)
    assert not np.delete(found, members, axis=0).any()
