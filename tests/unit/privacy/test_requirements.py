import numpy as np
import pytest

import seriatim as sr
from seriatim.kernels.criteria import (
    DISTINCT_VALUES,
    EQUAL_DISTANCE,
    JS_DIVERGENCE,
    ORDERED_DISTANCE,
    SIZE,
    all_hold,
)
from seriatim.privacy import TOLERANCE, AllOf, Evidence, Tally


def tally(values, beliefs=None, domain=2, view=None):
    """One group with these values, out of a view with those."""
    codes = np.array([*values, *(view or [])])
    rows = np.full((len(codes), domain), 1 / domain)
    if beliefs is not None:
        rows[: len(beliefs)] = beliefs
    evidence = Evidence(codes, rows)
    return Tally.of(evidence, np.arange(len(values)), np.array([0, len(values)]))


@pytest.mark.parametrize(("k", "holds"), [(2, True), (3, True), (4, False)])
def test_k_anonymity__counts_tuples(k, holds):
    assert sr.KAnonymity(k=k).verdict(tally([0, 0, 0])).holds is holds


@pytest.mark.parametrize(("l", "holds"), [(1, True), (2, True), (3, False)])
def test_l_diversity__counts_different_values(l, holds):
    assert sr.DistinctLDiversity(l=l).verdict(tally([0, 1, 1])).holds is holds


@pytest.mark.parametrize(
    ("distance", "values", "rest", "measured"),
    [
        ("equal", [0, 0], [1, 1], 0.5),
        ("equal", [0, 1], [0, 1], 0.0),
        ("equal", [0], [2, 2, 2], 0.75),
        ("ordered", [0], [2, 2, 2], 0.75),
        ("ordered", [0], [1, 1, 1], 0.375),
    ],
)
def test_t_closeness__measures_how_far_a_group_is_from_the_view(distance, values, rest, measured):
    found = sr.TCloseness(t=0.5, distance=distance).measure(tally(values, domain=3, view=rest))
    assert found == pytest.approx([measured])


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_t_closeness__of_one_sensitive_value_is_zero(distance):
    found = sr.TCloseness(t=0, distance=distance).measure(tally([0, 0], domain=1, view=[0]))
    assert found.tolist() == [0.0]


def test_js_bound__measures_divergence_in_bits():
    opposite = tally([0, 1], beliefs=[[1.0, 0.0], [0.0, 1.0]])
    assert sr.JSBound(j=1).measure(opposite) == pytest.approx([1.0])
    assert sr.JSBound(j=1).measure(tally([0, 1])) == pytest.approx([0.0])


@pytest.mark.parametrize("k", [0, -1, True, 2.0, "2", None, np.nan])
def test_k_anonymity__refuses_k_that_is_no_size(k):
    with pytest.raises(sr.PolicyError, match="k must be a whole number of at least 1, not "):
        sr.KAnonymity(k=k)


@pytest.mark.parametrize("l", [0, True, 1.5])
def test_l_diversity__refuses_l_that_is_no_number_of_values(l):
    with pytest.raises(sr.PolicyError, match="l must be a whole number of at least 1, not "):
        sr.DistinctLDiversity(l=l)


@pytest.mark.parametrize("t", [1.5, -0.1, np.nan, True, "0.5"])
def test_t_closeness__refuses_t_that_is_no_distance(t):
    with pytest.raises(sr.PolicyError, match="t must be a number of at least 0 and at most 1, not"):
        sr.TCloseness(t=t)


@pytest.mark.parametrize("j", [-0.1, np.nan, False, None])
def test_js_bound__refuses_j_that_is_no_divergence(j):
    with pytest.raises(sr.PolicyError, match="j must be a number of at least 0, not "):
        sr.JSBound(j=j)


def test_t_closeness__refuses_an_unknown_distance():
    with pytest.raises(
        sr.PolicyError, match=r"distance='order' is not known.*'equal' and 'ordered"
    ):
        sr.TCloseness(t=0.5, distance="order")


@pytest.mark.parametrize("l", [0.9, 0, np.nan, True, "2", None])
def test_entropy_l_diversity__refuses_l_that_is_no_number_of_values(l):
    with pytest.raises(sr.PolicyError, match="l must be a number of at least 1, not "):
        sr.EntropyLDiversity(l=l)


@pytest.mark.parametrize("c", [0, -1, np.nan, True, "2"])
def test_recursive_diversity__refuses_c_that_nothing_is_below(c):
    with pytest.raises(sr.PolicyError, match="c must be a number above 0, not "):
        sr.RecursiveCLDiversity(c=c, l=2)


@pytest.mark.parametrize("l", [0, 1.5, True])
def test_recursive_diversity__refuses_l_that_is_no_number_of_values(l):
    with pytest.raises(sr.PolicyError, match="l must be a whole number of at least 1, not "):
        sr.RecursiveCLDiversity(c=2, l=l)


@pytest.mark.parametrize("beta", [-0.1, np.nan, False, None])
def test_beta_likeness__refuses_beta_that_is_no_growth(beta):
    with pytest.raises(sr.PolicyError, match="beta must be a number of at least 0, not "):
        sr.BetaLikeness(beta=beta)


def test_beta_likeness__is_enhanced_or_not():
    with pytest.raises(sr.PolicyError, match="enhanced must be True or False, not 'yes'"):
        sr.BetaLikeness(beta=1, enhanced="yes")


@pytest.mark.parametrize("delta", [0, -1, np.nan, True])
def test_delta_disclosure__refuses_delta_that_nothing_is_below(delta):
    with pytest.raises(sr.PolicyError, match="delta must be a number above 0, not "):
        sr.DeltaDisclosure(delta=delta)


@pytest.mark.parametrize("scanning", [False, True])
@pytest.mark.parametrize("distinct", range(1, 12))
def test_entropy_l_diversity__counts_equally_frequent_values_to_the_digit(distinct, scanning):
    found = tally(list(range(distinct)) * 7, domain=12)
    assert sr.EntropyLDiversity(l=1).measure(found).tolist() == [distinct]
    assert sr.EntropyLDiversity(l=distinct).verdict(found, scanning=scanning)


def test_entropy_l_diversity__counts_unequal_values_as_fewer():
    found = sr.EntropyLDiversity(l=1).measure(tally([0, 0, 1, 2], domain=3))
    assert found == pytest.approx([2**1.5])


@pytest.mark.parametrize(
    ("values", "l", "measured"),
    [
        ([0, 0, 0, 1, 1, 2], 1, 0.5),
        ([0, 0, 0, 1, 1, 2], 2, 1.0),
        ([0, 0, 0, 1, 1, 2], 3, 3.0),
        ([0, 0, 0, 1, 1, 2], 4, np.inf),
        ([0, 0], 2, np.inf),
        ([0, 0], 9, np.inf),
    ],
)
def test_recursive_diversity__weighs_the_most_frequent_against_the_rarer(values, l, measured):
    found = sr.RecursiveCLDiversity(c=2, l=l).measure(tally(values, domain=4))
    assert found.tolist() == [measured]


@pytest.mark.parametrize("scanning", [False, True])
def test_recursive_diversity__fails_at_exactly_c(scanning):
    group = tally([0, 0, 0, 1])
    assert not sr.RecursiveCLDiversity(c=3, l=2).verdict(group, scanning=scanning)
    assert sr.RecursiveCLDiversity(c=np.nextafter(3, 4), l=2).verdict(group, scanning=scanning)


@pytest.mark.parametrize(
    ("values", "rest", "basic", "enhanced"),
    [
        ([0, 1], [0, 1], 0.0, 0.0),
        ([0, 0, 0, 1], [0, 1, 1, 1], 0.5, 0.5),  # p = 1/2: at most ln 2 = 0.69
        ([0, 0], [1, 1], 1.0, np.inf),  # from 1/2 to 1: above ln 2
        ([0], [1] * 9, 9.0, np.inf),  # from 1/10 to 1: above ln 10 = 2.3
    ],
)
def test_beta_likeness__measures_the_least_beta_that_a_group_keeps(values, rest, basic, enhanced):
    group = tally(values, view=rest)
    assert sr.BetaLikeness(beta=1).measure(group) == pytest.approx([basic])
    assert sr.BetaLikeness(beta=1, enhanced=True).measure(group) == pytest.approx([enhanced])


def test_beta_likeness__allows_exactly_beta_and_looks_at_growth_alone():
    group = tally([0, 0, 0, 1], view=[0, 1, 1, 1, 1, 1, 1, 1])
    assert sr.BetaLikeness(beta=1.25).verdict(group, scanning=True)  # 1/3 to 3/4
    assert not sr.BetaLikeness(beta=np.nextafter(1.25, 0)).verdict(group, scanning=True)


def test_delta_disclosure__measures_growth_and_decline_and_is_infinite_for_absence():
    measure = sr.DeltaDisclosure(delta=1).measure
    assert measure(tally([0, 0, 0, 1], view=[0, 1, 1, 1])) == pytest.approx([np.log(2)])
    assert measure(tally([0, 0], view=[0, 1])).tolist() == [np.inf]
    # A value that nobody has is no value of the table.
    assert measure(tally([0, 1], domain=3, view=[0, 1])).tolist() == [0.0]


@pytest.mark.parametrize(
    ("off", "scanned", "finished"), [(0, False, False), (5e-13, False, True), (2e-12, True, True)]
)
def test_delta_disclosure__keeps_away_from_delta_while_groups_are_built(off, scanned, finished):
    group = tally([0, 0, 0, 1], view=[0, 1, 1, 1])
    reached = float(sr.DeltaDisclosure(delta=1).measure(group)[0])
    near = sr.DeltaDisclosure(delta=reached + off)
    assert near.verdict(group, scanning=True).holds is scanned
    assert near.verdict(group).holds is finished


def test_requirements__take_numbers_of_numpy():
    assert sr.KAnonymity(k=np.int64(3)).bound == 3.0
    assert sr.JSBound(j=np.float32(0.5)).bound == 0.5


def test_requirements__join_with_and():
    joined = sr.KAnonymity(k=2) & sr.TCloseness(t=0.5) & sr.JSBound(j=0.1)
    assert isinstance(joined, AllOf)
    text = "KAnonymity(k=2) & TCloseness(t=0.5, distance='equal') & JSBound(j=0.1)"
    assert str(joined) == text


def test_requirements__joined_hold_when_every_part_holds():
    group = tally([0, 0, 0])
    assert (sr.KAnonymity(k=2) & sr.KAnonymity(k=3)).verdict(group)
    assert not (sr.KAnonymity(k=2) & sr.DistinctLDiversity(l=2)).verdict(group)


def test_requirements__do_not_join_with_other_things():
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = sr.KAnonymity(k=2) & 3


def test_counts__get_no_tolerance_while_groups_are_built():
    assert sr.KAnonymity(k=2).scan_tolerance == sr.DistinctLDiversity(l=2).scan_tolerance == 0.0


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_t_closeness__gets_no_tolerance_while_groups_are_built(distance):
    found = tally([0, 0], domain=2, view=[1, 1])
    near = sr.TCloseness(t=0.5 - TOLERANCE / 4, distance=distance)
    assert near.verdict(found).holds
    assert not near.verdict(found, scanning=True).holds
    assert sr.TCloseness(t=0.5, distance=distance).verdict(found, scanning=True).holds


@pytest.mark.parametrize(("off", "scanned"), [(0.25, True), (0.75, False), (2.0, False)])
def test_js_bound__gets_half_the_tolerance_while_groups_are_built(off, scanned):
    opposite = tally([0, 1], beliefs=[[1.0, 0.0], [0.0, 1.0]])
    near = sr.JSBound(j=1.0 - off * TOLERANCE)
    assert near.verdict(opposite, scanning=True).holds is scanned
    assert near.verdict(opposite).holds is (off < 1)


@pytest.mark.parametrize("scanning", [False, True])
def test_requirements__joined_hand_on_that_groups_are_being_built(scanning):
    found = tally([0, 0], domain=2, view=[1, 1])
    joined = sr.KAnonymity(k=2) & sr.TCloseness(t=0.5 - TOLERANCE / 4)
    assert joined.verdict(found, scanning=scanning).holds is not scanning


@pytest.mark.parametrize(
    "requirement",
    [
        sr.KAnonymity(k=2),
        sr.DistinctLDiversity(l=2),
        sr.TCloseness(t=0.5),
        sr.TCloseness(t=0.5, distance="ordered"),
        sr.JSBound(j=0.5),
        sr.EntropyLDiversity(l=2.5),
        sr.RecursiveCLDiversity(c=2.5, l=3),
        sr.BetaLikeness(beta=0.5),
        sr.BetaLikeness(beta=0.5, enhanced=True),
        sr.DeltaDisclosure(delta=0.5),
    ],
    ids=str,
)
def test_criterion__is_held_to_the_tolerance_of_a_scan(requirement):
    criterion = requirement.criterion()
    assert (criterion.bound, criterion.tolerance) == (requirement.bound, requirement.scan_tolerance)


@pytest.mark.parametrize("code", [EQUAL_DISTANCE, ORDERED_DISTANCE, JS_DIVERGENCE])
def test_compiled_comparison__fails_where_the_measure_is_no_number(code):
    """A bound that everything keeps, and totals that are NaN."""
    nan = np.full(2, np.nan)
    group = (2, nan, nan, np.nan, np.array([1, 1]), 2)
    assert not all_hold(np.array([code]), np.array([np.inf]), np.zeros(1), *group)
    fine = (2, np.ones(2), np.ones(2), 0.0, np.array([1, 1]), 2)
    assert all_hold(np.array([code]), np.array([np.inf]), np.zeros(1), *fine)


def test_compiled_comparison__fails_where_the_bound_is_no_number():
    group = (2, np.array([1, 1]), np.ones(2), 0.0, np.array([1, 1]), 2)
    for code in (SIZE, DISTINCT_VALUES, JS_DIVERGENCE):
        assert not all_hold(np.array([code]), np.array([np.nan]), np.zeros(1), *group)


def test_verdict__fails_where_the_measure_is_no_number():
    found = tally([0, 1], beliefs=[[np.nan, np.nan], [0.5, 0.5]])
    assert not sr.JSBound(j=5.0).verdict(found).holds


def test_evidence__needs_a_belief_for_each_tuple(table, schema):
    view = sr.View.from_table(table, schema)
    with pytest.raises(sr.PolicyError, match="A view of 8 tuples needs as many beliefs, and has 1"):
        Evidence.of(view, sr.Belief([[0.5, 0.5]], ("neg", "pos")))
