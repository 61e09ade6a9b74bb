"""Entropy and recursive l-diversity, β-likeness and δ-disclosure equal their twins."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.kernels.criteria import all_hold, measured
from seriatim.privacy import Evidence, Tally
from strategies import codes


@st.composite
def groups_of_views(draw):
    """Codes of a view, one group of its rows, and the number of values."""
    n_values, n_rows = draw(st.integers(1, 5)), draw(st.integers(1, 40))
    values = draw(codes(n_rows, n_values))
    group = draw(st.lists(st.integers(0, n_rows - 1), min_size=1, unique=True))
    return [values[row] for row in group], values, n_values, group


def tally_of(drawn):
    _, values, n_values, group = drawn
    evidence = Evidence(np.array(values), np.full((len(values), n_values), 1 / n_values))
    return Tally.of(evidence, np.array(group), np.array([0, len(group)]))


def measure(requirement, drawn):
    """Measure one group twice: in columns, and with the compiled criterion."""
    tally = tally_of(drawn)
    compiled = measured(requirement.criterion().code, *_totals(tally))
    return float(requirement.measure(tally)[0]), compiled


def decide(requirement, drawn):
    """Decide on one group under construction twice: in columns, and in the compiled scan."""
    tally, criterion = tally_of(drawn), requirement.criterion()
    compiled = all_hold(
        np.array([criterion.code]),
        np.array([criterion.bound]),
        np.array([criterion.tolerance]),
        *_totals(tally),
    )
    return requirement.verdict(tally, scanning=True).holds, compiled


def _totals(tally):
    return (
        int(tally.sizes[0]),
        tally.value_counts[0],
        tally.belief_sums[0],
        float(tally.entropy_sums[0]),
        tally.view_counts,
        int(tally.view_counts.sum()),
    )


@given(groups_of_views())
def test_entropy_l_diversity__equals_its_twin(drawn):
    group, _, n_values, _ = drawn
    twin = oracles.effective_values(group, n_values)
    assert measure(sr.EntropyLDiversity(l=1), drawn) == pytest.approx([twin] * 2, rel=1e-12)


@given(groups_of_views())
def test_entropy_l_diversity__is_between_one_and_distinct_l_diversity(drawn):
    distinct = oracles.distinct_values(drawn[0])
    for effective in measure(sr.EntropyLDiversity(l=1), drawn):
        assert 1 <= effective <= distinct * (1 + 1e-15)


@given(groups_of_views(), st.integers(1, 6))
def test_recursive_diversity__is_the_nearest_float_of_its_twin(drawn, l):
    twin = float(oracles.most_over_tail(drawn[0], l))
    assert measure(sr.RecursiveCLDiversity(c=1, l=l), drawn) == (twin, twin)


@given(groups_of_views(), st.integers(1, 4), st.integers(1, 12), st.integers(1, 4))
def test_recursive_diversity__never_lets_a_group_stand_that_fails_exactly(drawn, l, over, under):
    """Thresholds that groups hit, among them thirds, which no float is."""
    c = over / under
    stands = oracles.most_over_tail(drawn[0], l) < Fraction(c)
    requirement = sr.RecursiveCLDiversity(c=c, l=l)
    for decided in (*decide(requirement, drawn), requirement.verdict(tally_of(drawn)).holds):
        assert stands or not decided
        assert decided == (float(oracles.most_over_tail(drawn[0], l)) < c)


@given(groups_of_views(), st.booleans())
def test_likeness__is_the_least_beta_that_its_twin_keeps(drawn, enhanced):
    group, values, n_values, _ = drawn
    twin = float(oracles.likeness(group, values, n_values, enhanced=enhanced))
    assert measure(sr.BetaLikeness(beta=1, enhanced=enhanced), drawn) == (twin, twin)


@given(groups_of_views(), st.booleans(), st.integers(0, 12), st.integers(1, 4))
def test_likeness__decides_as_the_model_says_it(drawn, enhanced, over, under):
    group, values, n_values, _ = drawn
    beta = over / under
    requirement = sr.BetaLikeness(beta=beta, enhanced=enhanced)
    twin = oracles.keeps_likeness(group, values, n_values, Fraction(over, under), enhanced=enhanced)
    assert decide(requirement, drawn) == (twin, twin)


@given(groups_of_views())
def test_likeness__enhanced_asks_no_less_than_basic(drawn):
    basic = measure(sr.BetaLikeness(beta=1), drawn)
    assert measure(sr.BetaLikeness(beta=1, enhanced=True), drawn) >= basic


@given(groups_of_views())
def test_delta_disclosure__equals_its_twin(drawn):
    twin = oracles.log_ratio(*drawn[:3])
    assert measure(sr.DeltaDisclosure(delta=1), drawn) == pytest.approx([twin] * 2, abs=1e-13)


# Few groups drawn have every value of their view, without which the ratio has no bound.
@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(groups_of_views(), st.sampled_from([-1e-15, 0.0, 1e-16, 1e-15, 1e-13, 1e-9]))
def test_delta_disclosure__never_lets_a_group_stand_at_delta(drawn, off):
    reached = oracles.log_ratio(*drawn[:3])
    assume(0 < reached < math.inf)
    requirement = sr.DeltaDisclosure(delta=reached + off)
    assert decide(requirement, drawn) == (off > 1e-12, off > 1e-12)


@given(groups_of_views(), st.sampled_from([0.3, 0.7, 1.0, 2.0]))
def test_delta_disclosure__that_a_scan_let_stand_is_confirmed_without_tolerance(drawn, delta):
    requirement = sr.DeltaDisclosure(delta=delta)
    in_columns, compiled = decide(requirement, drawn)
    assert in_columns == compiled == requirement.verdict(tally_of(drawn)).holds


@given(groups_of_views())
def test_whole_view__is_like_itself(drawn):
    _, values, n_values, _ = drawn
    whole = values, values, n_values, list(range(len(values)))
    for requirement in (
        sr.BetaLikeness(beta=1),
        sr.BetaLikeness(beta=1, enhanced=True),
        sr.DeltaDisclosure(delta=1),
    ):
        assert measure(requirement, whole) == (0.0, 0.0)
