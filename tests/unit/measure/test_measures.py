import numpy as np
import pytest

import seriatim as sr


def test_gain__is_zero_for_a_reader_who_only_counts():
    gain = sr.adversary_gain([[0.75, 0.25]] * 4, [0, 0, 0, 1], [0, 0, 0, 0])
    assert (gain.mean, gain.spread, gain.baseline) == (0.0, 0.0, 0.0)


def test_gain__is_one_for_a_reader_who_knows():
    assert sr.adversary_gain([[1.0, 0.0], [0.0, 1.0]], [0, 1], [0, 0]).mean == 1.0


def test_gain__has_nothing_to_gain_where_a_value_fills_its_group():
    gain = sr.adversary_gain(
        [[1.0, 0.0]] * 2 + [[0.9, 0.1], [0.1, 0.9]], [0, 0, 0, 1], [0, 0, 1, 1]
    )
    assert gain.per_tuple == pytest.approx([0.0, 0.0, 0.8, 0.8])


def test_gain__leaves_out_those_who_were_not_published():
    gain = sr.adversary_gain([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], [0, 1, 0], [0, 0, -1])
    assert len(gain.per_tuple) == 2


def test_gain__of_nobody_is_zero():
    assert sr.adversary_gain([[1.0, 0.0]], [0], [-1]).mean == 0.0
    assert sr.adversary_gain([[1.0, 0.0]], [0], [-1], published=[[1, 1]]).mean == 0.0
    assert sr.exposure([[1.0, 0.0]], [0], [-1], published=[[1, 1]]).log_loss == 0.0


def test_confidence__is_belief_in_the_truth_beside_the_frequency():
    found = sr.adversary_confidence([[0.9, 0.1], [0.3, 0.7]], [0, 1], [0, 0])
    assert (float(found), found.baseline) == (pytest.approx(0.8), 0.5)


@pytest.mark.parametrize("measure", [sr.adversary_gain, sr.adversary_confidence])
def test_disclosure__refuses_arrays_that_are_not_aligned(measure):
    with pytest.raises(sr.KnowledgeError, match=r"must be aligned; shapes \(1, 2\), \(2,\)"):
        measure([[0.5, 0.5]], [0, 1], [0, 0])


def test_utility__of_the_printed_release(running_example):
    release = running_example.releases[1]
    assert sr.semiperimeter(release) == pytest.approx((0.25 + 0.5) / 2)
    assert sr.global_certainty_penalty(release) == pytest.approx((2 * 0.4 + 3 * 0.6) / 15)


def test_suppression__is_the_share_left_out(running_example):
    roster = running_example.views[1].roster
    assert sr.suppression(sr.Membership(roster, np.array([0, 0, -1, 0, 0]))) == pytest.approx(0.2)
    assert sr.suppression(running_example.memberships[1]) == 0.0


@pytest.mark.parametrize("measure", [sr.adversary_gain, sr.adversary_confidence])
@pytest.mark.parametrize(
    ("posterior", "codes"), [([[0.5, 0.5]], [2]), ([[0.5, 0.5]], [-1]), ([[np.nan, 1.0]], [0])]
)
def test_disclosure__refuses_codes_and_numbers_that_are_none(measure, posterior, codes):
    with pytest.raises(sr.KnowledgeError, match="value codes run from 0 to 1; others were given"):
        measure(posterior, codes, [0])


@pytest.mark.parametrize(
    ("ask", "part"),
    [
        (lambda: sr.semiperimeter([0.5]), r"run \(groups, attributes\)"),
        (lambda: sr.global_certainty_penalty([[0.5]], sizes=[1, 2]), "size for each group"),
        (lambda: sr.global_certainty_penalty([[0.5]]), "size for each group"),
        (lambda: sr.global_certainty_penalty([[0.5]], sizes=[0]), "not all of them 0"),
    ],
)
def test_utility__refuses_arrays_that_do_not_fit(ask, part):
    with pytest.raises(sr.PolicyError, match=part):
        ask()
