"""Rules that multiply, against enumerating every configuration."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.errors import KnowledgeError
from seriatim.inference import Bethe, Exact, PublishedGroups, Sinkhorn, Strongest, posterior


@st.composite
def groups(draw, largest=6, spare=0):
    """A prior without zeros, and published values, some of them beyond the members."""
    n_values = draw(st.integers(1, 5))
    members = draw(st.integers(1, largest))
    more = draw(st.integers(0, spare))
    seed = draw(st.integers(0, 2**32))
    sharpness = draw(st.sampled_from([0.2, 1.0, 5.0]))
    prior = np.random.default_rng(seed).dirichlet(np.full(n_values, sharpness), members)
    prior = (prior + 1e-6) / (prior + 1e-6).sum(axis=1, keepdims=True)
    size = members + more
    values = draw(st.lists(st.integers(0, n_values - 1), min_size=size, max_size=size))
    return prior, np.array(values)


def concluded(rule, prior, values):
    starts = np.array([0, len(prior)])
    group = PublishedGroups(np.arange(len(prior)), starts, values, np.array([0, len(values)]))
    return rule.posterior(prior, group)


@given(groups(spare=2))
def test_exact__agrees_with_enumerating_every_configuration(group):
    prior, values = group
    expected = oracles.exact_posterior(prior.tolist(), values.tolist())
    assert np.allclose(concluded(Exact(), prior, values), expected, atol=1e-10)


@given(st.integers(0, 2**32), st.integers(1, 9), st.sampled_from([0.05, 1.0]))
def test_exact__agrees_with_whole_numbers_where_there_are_two_values(seed, members, sharpness):
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet([sharpness, sharpness], members)
    times = int(rng.integers(1, members + 1))
    values = np.repeat([0, 1], [times, members - times])
    expected = oracles.exact_posterior_of_two((prior + 1e-9).tolist(), times)
    assert np.allclose(concluded(Exact(), prior + 1e-9, values), expected, atol=1e-10)


@pytest.mark.parametrize(("members", "sharpness"), [(200, 1.0), (240, 0.05)])
def test_exact__is_exact_where_factorials_are_more_than_a_number_holds(members, sharpness):
    rng = np.random.default_rng(2)
    prior = rng.dirichlet([sharpness, sharpness], members) + 1e-9
    values = np.repeat([0, 1], [members // 3, members - members // 3])
    expected = oracles.exact_posterior_of_two(prior.tolist(), members // 3)
    for rule in (Exact(), Strongest()):
        assert np.allclose(concluded(rule, prior, values), expected, atol=1e-9)


def test_exact__stays_a_number_where_columns_may_not_be_scaled():
    # There is a tuple more than members, and no column has a sum of its own.
    prior = np.full((150, 2), 1e-4)
    values = np.repeat([0, 1], [60, 91])
    found = concluded(Exact(), prior, values)
    assert np.allclose(found, [[60 / 151, 91 / 151]] * 150, atol=1e-12)


@given(groups())
def test_sinkhorn__agrees_with_scaling_by_hand(group):
    prior, values = group
    expected = np.array(oracles.sinkhorn_posterior(prior.tolist(), values.tolist()))
    counts = np.bincount(values, minlength=prior.shape[1]) * len(prior) / len(values)
    # Where a thousand rounds by hand do not reach the limit, they prove nothing.
    assume(np.abs(expected.sum(axis=0) - counts).sum() <= 1e-7)
    assert np.allclose(concluded(Sinkhorn(), prior, values), expected, atol=1e-6)


@given(groups(largest=4))
def test_sinkhorn__is_the_limit_to_nine_digits(group):
    prior, values = group
    expected = oracles.sinkhorn_limit(prior.tolist(), values.tolist())
    assert np.allclose(concluded(Sinkhorn(), prior, values), expected, atol=1e-9, rtol=0)


@given(st.integers(0, 2**32), st.integers(2, 8), st.sampled_from(["zeros", "tiny", "certain"]))
def test_sinkhorn__is_the_limit_where_values_are_all_but_decided(seed, members, knowledge):
    rng = np.random.default_rng(seed)
    first = {
        "zeros": rng.choice([0.0, 1.0, 0.3, 0.8], members),
        "tiny": 10.0 ** -rng.uniform(0, 200, members),
        "certain": np.abs(rng.choice([0, 1], members) - 10.0 ** -rng.uniform(0, 15, members)),
    }[knowledge]
    possible = np.arange(max((first == 1).sum(), 1), min((first > 0).sum(), members - 1) + 1)
    assume(len(possible))
    times = int(rng.choice(possible))
    prior = np.stack([first, 1 - first], axis=1)
    found = concluded(Sinkhorn(), prior, np.repeat([0, 1], [times, members - times]))
    expected = oracles.sinkhorn_limit_of_two(prior.tolist(), times)
    assert np.allclose(found, expected, atol=1e-9, rtol=0)


def test_sinkhorn__decides_what_a_certain_neighbour_leaves_over():
    # The second has the second value, so the first has the first; rounds take for ever to see it.
    found = posterior([[0.5, 0.5], [0.0, 1.0]], [0, 1], "sinkhorn")
    assert np.allclose(found, [[1, 0], [0, 1]], atol=1e-9, rtol=0)


@given(groups(largest=30, spare=2))
def test_sinkhorn__is_nearer_to_the_limit_than_its_columns_to_their_counts(group):
    prior, values = group
    share = len(prior) / len(values)
    limit = concluded(Sinkhorn(), prior, values)
    table = np.where(np.isin(np.arange(prior.shape[1]), values), prior, 0)
    counts = share * np.bincount(values, minlength=prior.shape[1])
    for _ in range(10):
        table = table / table.sum(axis=1, keepdims=True)
        off = np.abs(table.sum(axis=0) - counts).sum() / 2
        assert np.abs(table - limit).max() <= off + 1e-9
        table = table * np.divide(counts, table.sum(axis=0), where=counts > 0, out=0.0 * counts)


@given(groups(largest=3, spare=1))
def test_strongest__is_exact_in_groups_of_up_to_three(group):
    prior, values = group
    found = concluded(Strongest(most_states=64), prior, values)
    assert np.allclose(found, concluded(Exact(), prior, values), atol=1e-12)


def test_strongest__leaves_large_groups_to_bethe():
    rng = np.random.default_rng(0)
    prior, values = rng.dirichlet(np.ones(9), 20), rng.integers(0, 9, 20)
    small, large = Strongest(most_states=2**30), Strongest(most_states=10)
    assert np.array_equal(concluded(large, prior, values), concluded(Bethe(), prior, values))
    assert np.array_equal(concluded(small, prior, values), concluded(Exact(2**30), prior, values))


@pytest.mark.parametrize("sharpness", [0.3, 1.0, 3.0])
def test_bethe__is_four_times_closer_to_exact_than_omega(sharpness):
    rng = np.random.default_rng(3)
    far = {"bethe": 0.0, "omega": 0.0}
    for _ in range(60):
        prior = rng.dirichlet(np.full(10, sharpness), 8)
        values = np.array([rng.choice(10, p=row) for row in prior])
        exact = posterior(prior, values, "exact")
        for rule in far:
            far[rule] += np.abs(posterior(prior, values, rule) - exact)[:, np.unique(values)].mean()
    assert far["omega"] >= 4 * far["bethe"]


def test_exact__stays_a_distribution_where_everything_is_impossible():
    prior = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    found = posterior(prior, [0, 1, 1], "exact")
    assert np.allclose(found.sum(axis=1), 1.0)
    assert np.allclose(found[2], [0.0, 1.0, 0.0], atol=1e-6)
    assert np.allclose(found[:2, 0], 0.5, atol=1e-6)


@pytest.mark.parametrize("certain", [80, 200])
def test_exact__stays_a_distribution_where_a_hundred_members_have_what_they_cannot(certain):
    prior = np.array([[1.0, 0.0]] * certain + [[0.5, 0.5]])
    found = posterior(prior, [0] * (certain // 2) + [1] * (certain // 2 + 1), "exact")
    assert np.allclose(found[:-1], 0.5, atol=1e-6)
    assert np.allclose(found[-1], [0.0, 1.0], atol=1e-6)


@pytest.mark.parametrize("rule", ["exact", "sinkhorn", "bethe", "strongest"])
def test_rule__judges_whom_nothing_was_expected_of_by_frequency(rule):
    prior = np.array([[0.0, 0.0, 1.0], [0.5, 0.5, 0.0], [0.5, 0.5, 0.0]])
    found = posterior(prior, [0, 1, 1], rule)
    assert np.allclose(found, [[1 / 3, 2 / 3, 0]] * 3, atol=0.02)


@pytest.mark.parametrize("rule", ["exact", "bethe", "strongest"])
def test_rule__survives_knowledge_sharp_to_the_last_digit(rule):
    rng = np.random.default_rng(1)
    prior = rng.dirichlet(np.full(12, 0.01), 30)
    found = posterior(prior, rng.integers(0, 12, 30), rule if rule != "exact" else Exact(2**26))
    assert np.isfinite(found).all()
    assert np.allclose(found.sum(axis=1), 1.0)


def test_exact__refuses_groups_that_need_too_many_states():
    prior = np.full((20, 20), 0.05)
    with pytest.raises(KnowledgeError, match="Use Strongest"):
        posterior(prior, np.arange(20), Exact(most_states=1000))


def test_running_example__is_0_990_by_the_product_of_degrees(running_example):
    reader = sr.Adversary(
        prior=running_example.prior, sequence=running_example.sequence, rule="exact"
    )
    reader.observe(running_example.releases[0], running_example.memberships[0])
    after = reader.observe(running_example.releases[1], running_example.memberships[1])
    assert after.of("BCM-pos")[:2].round(3).tolist() == [0.990, 0.010]


@given(groups(largest=3))
def test_strongest__concludes_exactly_for_three_however_few_states_it_may_use(group):
    prior, values = group
    assert np.array_equal(
        concluded(Strongest(most_states=0), prior, values), concluded(Exact(), prior, values)
    )
