"""Reading releases one by one, against enumerating the whole series every time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.partition import Partition, generalize
from strategies import GRID_BITS, Series, as_partition, grid_schema, grid_table, series

TWINS = {"additive": oracles.additive_posterior, "omega": oracles.omega_posterior}


def rows_of(belief, respondents):
    return dict(zip(respondents, belief.probabilities, strict=True))


def assert_same_beliefs(found, expected):
    assert found.keys() == expected.keys()
    for respondent, row in found.items():
        np.testing.assert_allclose(row, expected[respondent], atol=1e-9, err_msg=str(respondent))


def partition_of(group_of):
    """Groups as drawn, numbered by chance; -1 is suppressed."""
    groups = np.array(group_of)
    order = np.argsort(groups, kind="stable")
    published = order[(groups == -1).sum() :]
    sizes = [int((groups == number).sum()) for number in sorted(set(group_of) - {-1})]
    return Partition(published, np.cumsum([0, *sizes]), order[: (groups == -1).sum()])


@pytest.mark.parametrize("rule", TWINS)
@given(data=st.data())
def test_adversary__reading_one_by_one_equals_enumerating_the_whole_series(rule, data):
    told: Series = data.draw(series())
    partitions = [
        partition_of(
            data.draw(
                st.lists(st.integers(-1, 2), min_size=len(view), max_size=len(view)).filter(
                    lambda groups: max(groups) >= 0
                )
            )
        )
        for view in told.views
    ]

    def as_drawn(release, beliefs):
        partition = partitions[release]
        return [rows.tolist() for rows in partition.groups], partition.remainder.tolist()

    readings = oracles.read_series(told.views, told.prior, told.knowledge, as_drawn, TWINS[rule])
    adversary = told.adversary(rule)
    rng = np.random.default_rng(0)
    for at, (tuples, partition) in enumerate(zip(told.views, partitions, strict=True)):
        view = sr.View.from_table(grid_table(tuples), grid_schema(told.n_values))
        release, membership = generalize(view, partition, at=at, rng=rng)
        respondents = view.respondents.to_pylist()
        expected = rows_of(adversary.expect(view), respondents)
        posterior = rows_of(adversary.observe(release, membership), respondents)
        assert_same_beliefs(expected, readings[at].revised)
        assert_same_beliefs(posterior, readings[at].posterior)


@given(told=series(), data=st.data())
def test_reading__in_three_steps_is_observing(told, data):
    at_once, in_steps = told.adversary(), told.adversary()
    rng = np.random.default_rng(0)
    for at, tuples in enumerate(told.views):
        view = sr.View.from_table(grid_table(tuples), grid_schema(told.n_values))
        everyone = as_partition([list(range(len(view)))], [])
        seen = generalize(view, everyone, at=at, rng=rng)
        before = in_steps.anticipate(view) if data.draw(st.booleans()) else None
        impression = in_steps.consider(*seen, before)
        # Until it is remembered, nothing has happened.
        again = in_steps.consider(*seen)
        assert (again.posterior.probabilities == impression.posterior.probabilities).all()
        impression.remember_in(in_steps.memory)
        posterior = at_once.observe(*seen)
        assert (posterior.probabilities == impression.posterior.probabilities).all()
        with pytest.raises(sr.OrderError, match="has changed since"):
            again.remember_in(in_steps.memory)


@given(
    told=series(),
    k=st.integers(1, 3),
    t=st.sampled_from([0.2, 0.5, 1.0]),
    j=st.sampled_from([0.05, 0.3, 1.0]),
)
def test_publisher__equals_algorithm_1_on_the_whole_series(told, k, t, j):
    readings = oracles.js_reduce_series(
        told.views, told.prior, told.knowledge, k=k, t=t, j=j, bits=GRID_BITS
    )
    schema, policy = grid_schema(told.n_values), sr.js_reduce(k=k, t=t, j=j)
    publisher = sr.Publisher(schema, policy, told.adversary(), seed=1)
    for at, (tuples, reading) in enumerate(zip(told.views, readings, strict=True)):
        if not reading.groups:
            with pytest.raises(sr.UnsatisfiableError):
                publisher.publish(grid_table(tuples), at=at)
            continue
        publisher.publish(grid_table(tuples), at=at)
        latest = publisher.latest
        respondents = latest.view.respondents.to_pylist()
        groups = {
            frozenset(np.array(respondents)[latest.membership.group_of == number].tolist())
            for number in range(latest.release.n_groups)
        }
        assert groups == {frozenset(group) for group in reading.groups}
        assert_same_beliefs(rows_of(latest.revised, respondents), reading.revised)
        assert_same_beliefs(rows_of(latest.posterior, respondents), reading.posterior)


@given(told=series(least=4))
def test_belief_rows__sum_to_one_after_every_step(told):
    publisher = sr.Publisher(
        grid_schema(told.n_values), sr.js_reduce(k=1, t=1, j=2), told.adversary(), seed=1
    )
    for at, tuples in enumerate([*told.views] * 3):
        publisher.publish(grid_table(tuples), at=at)
        for belief in (publisher.latest.revised, publisher.latest.posterior):
            assert (belief.probabilities >= 0).all()
            assert belief.probabilities.sum(axis=1) == pytest.approx(
                np.ones(len(belief)), abs=1e-12
            )
