import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

import oracles
import seriatim as sr
from seriatim.kernels.closeness import equal_distances
from seriatim.privacy import Evidence, Tally
from strategies import codes, rows_of


@st.composite
def views_and_groups(draw, *, most_rows=9):
    """Values of a view, beliefs, and one group of its rows."""
    n_values, n_rows = draw(st.integers(1, 5)), draw(st.integers(1, most_rows))
    values = draw(codes(n_rows, n_values))
    group = draw(st.lists(st.integers(0, n_rows - 1), min_size=1, unique=True))
    return values, draw(rows_of(n_rows, n_values)), group


def measure(requirement, values, beliefs, group):
    """Measure one group twice: in columns, and with the compiled criterion."""
    from seriatim.kernels.criteria import measured

    evidence = Evidence(np.array(values), np.array(beliefs))
    tally = Tally.of(evidence, np.array(group), np.array([0, len(group)]))
    compiled = measured(
        requirement.criterion().code,
        len(group),
        tally.value_counts[0],
        tally.belief_sums[0],
        tally.entropy_sums[0],
        tally.view_counts,
        len(values),
    )
    return float(requirement.measure(tally)[0]), compiled


@given(views_and_groups())
def test_size__is_counted_alike_by_columns_and_by_the_kernel(drawn):
    assert measure(sr.KAnonymity(k=1), *drawn) == (len(drawn[2]), len(drawn[2]))


@given(views_and_groups())
def test_l_diversity__equals_its_twin(drawn):
    values, _, group = drawn
    distinct = oracles.distinct_values([values[row] for row in group])
    assert measure(sr.DistinctLDiversity(l=1), *drawn) == (distinct, distinct)


@given(views_and_groups())
def test_equal_distance__equals_its_twin(drawn):
    values, beliefs, group = drawn
    twin = oracles.equal_distance([values[row] for row in group], values, len(beliefs[0]))
    assert measure(sr.TCloseness(t=1), *drawn) == pytest.approx([float(twin)] * 2, abs=1e-12)


@given(views_and_groups(most_rows=30), st.sampled_from(["equal", "ordered"]))
def test_distances__of_columns_and_of_the_kernel_end_in_the_last_digit_of_the_scan(drawn, distance):
    values, beliefs, group = drawn
    inside = [values[row] for row in group]
    scanned = {
        "equal": oracles.scanned_equal_distance,
        "ordered": oracles.scanned_ordered_distance,
    }[distance](inside, values, len(beliefs[0]))
    assert measure(sr.TCloseness(t=1, distance=distance), *drawn) == (scanned, scanned)


@pytest.mark.parametrize("distance", ["equal", "ordered"])
@given(drawn=views_and_groups(most_rows=30))
def test_t_closeness__of_a_group_under_construction_has_no_room(distance, drawn):
    values, beliefs, group = drawn
    evidence = Evidence(np.array(values), np.array(beliefs))
    tally = Tally.of(evidence, np.array(group), np.array([0, len(group)]))
    reached = float(sr.TCloseness(t=1, distance=distance).measure(tally)[0])
    assume(0 < reached <= 1)
    at, below = (
        sr.TCloseness(t=t, distance=distance) for t in (reached, float(np.nextafter(reached, 0)))
    )
    assert at.verdict(tally, scanning=True)
    assert not below.verdict(tally, scanning=True)
    assert below.verdict(tally)  # whoever checks a finished group may sum in another order
    assert at.criterion().tolerance == 0


@given(views_and_groups())
def test_ordered_distance__equals_its_twin_and_scipys(drawn):
    values, beliefs, group = drawn
    n_values, inside = len(beliefs[0]), [values[row] for row in group]
    twin = float(oracles.ordered_distance(inside, values, n_values))
    assert twin == pytest.approx(wasserstein_distance(inside, values) / max(n_values - 1, 1))
    found = measure(sr.TCloseness(t=1, distance="ordered"), *drawn)
    assert found == pytest.approx([twin] * 2, abs=1e-12)


@given(views_and_groups())
def test_js_bound__equals_the_twin_of_js_divergence(drawn):
    _, beliefs, group = drawn
    twin = oracles.js_divergence([beliefs[row] for row in group])
    assert measure(sr.JSBound(j=1), *drawn) == pytest.approx([twin] * 2, abs=1e-12)


@given(views_and_groups())
def test_js_bound__of_a_group_under_construction_has_half_the_room_of_a_finished_one(drawn):
    values, beliefs, group = drawn
    evidence = Evidence(np.array(values), np.array(beliefs))
    tally = Tally.of(evidence, np.array(group), np.array([0, len(group)]))
    reached = float(sr.JSBound(j=1).measure(tally)[0])
    assume(reached > 1e-6)

    def stands(room, *, scanning):
        bound = sr.JSBound(j=reached - room)
        assert bound.criterion().tolerance == oracles.JS_ROOM
        return bool(bound.verdict(tally, scanning=scanning))

    assert [stands(room, scanning=True) for room in (4e-10, 6e-10)] == [True, False]
    assert [stands(room, scanning=False) for room in (9e-10, 1.1e-9)] == [True, False]


@given(views_and_groups(), st.sampled_from(["equal", "ordered"]))
def test_the_whole_view__is_at_distance_zero_from_itself(drawn, distance):
    values, beliefs, _ = drawn
    found = measure(sr.TCloseness(t=1, distance=distance), values, beliefs, range(len(values)))
    assert found == pytest.approx([0, 0], abs=1e-12)


def totals_of(drawn):
    """The totals of one group, as compiled criteria take them."""
    values, beliefs, group = drawn
    evidence = Evidence(np.array(values), np.array(beliefs))
    tally = Tally.of(evidence, np.array(group), np.array([0, len(group)]))
    counts, sums = tally.value_counts[0], tally.belief_sums[0]
    return len(group), counts, sums, tally.entropy_sums[0], tally.view_counts, len(values)


ESTIMATED = st.sampled_from([sr.TCloseness(t=1).criterion().code, sr.JSBound(j=1).criterion().code])


@given(views_and_groups(most_rows=30), ESTIMATED)
def test_estimates__are_ten_times_as_near_as_they_must_be_to_decide(drawn, code):
    from seriatim.kernels.criteria import _CLEAR, estimated, measured

    totals = totals_of(drawn)
    assert estimated(code, *totals) == pytest.approx(measured(code, *totals), abs=_CLEAR / 10)


@given(views_and_groups(most_rows=30), ESTIMATED)
def test_estimates__decide_nothing_that_the_last_digit_decides(drawn, code):
    from seriatim.kernels.criteria import all_hold, measured

    totals = totals_of(drawn)
    found = measured(code, *totals)
    for bound, holds in ((found, True), (np.nextafter(found, -1.0), False), (found - 1e-3, False)):
        assert all_hold(np.array([code]), np.array([bound]), np.zeros(1), *totals) == holds
    assert all_hold(np.array([code]), np.array([found + 1e-3]), np.zeros(1), *totals)


@given(st.floats(1e-300, 1e300))
def test_near_log2__is_near(number):
    from seriatim.kernels.criteria import near_log2

    assert near_log2(number) == pytest.approx(math.log2(number), abs=1e-8, rel=0)


def test_estimates__of_what_is_no_number_do_not_decide():
    from seriatim.kernels.criteria import estimated

    code = sr.JSBound(j=1).criterion().code
    counts = np.array([1, 1])
    for sums, entropy in (([np.nan, 1.0], 0.0), ([np.inf, 1.0], 0.0), ([1.0, 1.0], np.nan)):
        assert np.isnan(estimated(code, 2, counts, np.array(sums), entropy, counts, 2))


@given(
    st.integers(1, 5).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=1)
    )
)
def test_equal_distances__of_many_groups_are_those_of_few_to_the_last_digit(counts):
    counts = np.array(counts)
    assume(counts.sum() > 0)
    sizes, whole = np.maximum(counts.sum(axis=1), 1), counts.sum(axis=0) / counts.sum()
    found = np.empty(len(counts))
    equal_distances(0, len(counts), counts, sizes, whole, found)
    few = Tally(counts.sum(axis=1), counts, counts * 0.0, sizes * 0.0, counts.sum(axis=0))
    assert found.tobytes() == sr.TCloseness(t=1).measure(few).tobytes()


def test_equal_distances__of_many_groups_are_measured_as_few_are():
    counts = np.random.default_rng(3).poisson(0.7, (20_000, 19))
    many = Tally(counts.sum(axis=1), counts, counts * 0.0, counts[:, 0] * 0.0, counts.sum(axis=0))
    few = [
        Tally(many.sizes[some], counts[some], counts * 0.0, counts[:, 0] * 0.0, many.view_counts)
        for some in np.array_split(np.arange(20_000), 9)
    ]
    requirement = sr.TCloseness(t=1)
    found = np.concatenate([requirement.measure(one) for one in few])
    assert requirement.measure(many).tobytes() == found.tobytes()
