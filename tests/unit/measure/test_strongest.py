"""The strongest reader: the lowest log-loss, and never one who is worse than counting."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seriatim as sr
from seriatim.measure.score import Score, score
from seriatim.measure.strongest import WORSE, is_worse_than_counting, remark_on, strongest_of


@dataclass(frozen=True)
class Reader:
    name: str
    log_loss: float | None
    log_loss_by_frequency: float | None = 2.0
    gain: float = 0.1


def named(*readers):
    found = strongest_of(readers)
    return None if found is None else found.name


def test_strongest__has_the_lowest_log_loss_whatever_others_gain():
    assert named(Reader("honest", 1.2, gain=0.1), Reader("bold", 1.9, gain=0.4)) == "honest"
    assert named(Reader("bold", 1.9, gain=0.4), Reader("honest", 1.2, gain=0.1)) == "honest"


def test_strongest__is_never_worse_than_counting():
    assert named(Reader("misled", 2.1, gain=0.6), Reader("weak", 1.99)) == "weak"
    assert named(Reader("misled", 2.1, gain=0.6)) is None
    assert named(Reader("misled", 1.0, 0.9), Reader("weak", 1.5, 2.0)) == "weak"


def test_strongest__of_equals_is_the_last_and_rounding_parts_nobody():
    assert named(Reader("first", 1.5), Reader("second", 1.5)) == "second"
    assert named(Reader("first", 0.3), Reader("second", 0.1 + 0.2)) == "second"
    assert named(Reader("first", 1.5), Reader("second", 1.5 + 1e-6)) == "first"


def test_strongest__may_know_exactly_what_counting_tells():
    nothing_more = Reader("nothing more", 2.0 + 1e-12)
    assert not is_worse_than_counting(nothing_more)
    assert named(nothing_more) == "nothing more"


def test_strongest__is_nobody_where_no_truth_is_known():
    assert named(Reader("one", None, None), Reader("two", None, None)) is None
    assert named() is None


def test_remark__says_in_words_who_is_strongest_and_who_is_worse_than_counting():
    readers = (Reader("misled", 2.5), Reader("weak", 1.9), Reader("strong", 1.1))
    assert [remark_on(one, readers) for one in readers] == [WORSE, "", "strongest"]
    assert remark_on(readers[2], readers[2:]) == ""
    assert remark_on(readers[0], readers[:1]) == WORSE


LOSSES = st.sampled_from([0.0, 0.5, 1.0, 1.0 + 1e-12, 1.5, 2.0, 2.5, None])


@given(st.lists(st.tuples(LOSSES, st.sampled_from([1.0, 2.0])), max_size=6))
def test_strongest__agrees_with_asking_everyone_about_everyone(told):
    readers = [Reader(str(place), *pair) for place, pair in enumerate(told)]
    fit = [
        one
        for one in readers
        if one.log_loss is not None and one.log_loss <= one.log_loss_by_frequency + 1e-9
    ]
    best = [one for one in fit if all(one.log_loss <= other.log_loss + 1e-9 for other in fit)]
    assert strongest_of(readers) == (best[-1] if best else None)


def rows(width):
    weights = st.lists(st.integers(0, 20), min_size=width, max_size=width)
    return weights.filter(any).map(lambda row: [one / sum(row) for one in row])


people = st.lists(st.tuples(rows(3), st.integers(0, 2), st.integers(-1, 2)), min_size=1, max_size=9)


def scored_one_by_one(told):
    """Go through respondents one at a time, and count on fingers."""
    there = [one for one in told if one[2] >= 0]
    losses, by_counting, sure, right = [], [], 0, 0
    for row, truth, group in there:
        mates = [other[1] for other in there if other[2] == group]
        losses.append(-math.log2(max(row[truth], 2.0**-52)))
        by_counting.append(-math.log2(mates.count(truth) / len(mates)))
        if max(row) > 0.9:
            sure += 1
            right += row[truth] == max(row)
    if not there:
        return Score(0, 0.0, 0.0, 0.0, None)
    many = len(there)
    shares = sure / many, right / sure if sure else None
    return Score(many, sum(losses) / many, sum(by_counting) / many, *shares)


def alike(one, two):
    figures = ("log_loss", "log_loss_by_frequency", "sure_above_nine_tenths")
    assert one.tuples == two.tuples
    for name in figures:
        assert getattr(one, name) == pytest.approx(getattr(two, name))
    assert (one.sure_and_right is None) == (two.sure_and_right is None)
    assert (one.sure_and_right or 0.0) == pytest.approx(two.sure_and_right or 0.0)


def arrays(told):
    posterior, truth, groups = zip(*told, strict=True)
    return np.array(posterior), np.array(truth), np.array(groups)


@given(people)
def test_score__agrees_with_going_through_respondents_one_by_one(told):
    alike(score(*arrays(told)), scored_one_by_one(told))


@given(people, people)
def test_scores__of_two_releases_are_those_of_all_their_tuples(one, two):
    apart = [(row, truth, group + 3 if group >= 0 else -1) for row, truth, group in two]
    together = score(*arrays(one)).and_also(score(*arrays(apart)))
    alike(together, scored_one_by_one([*one, *apart]))


def test_score__counts_in_what_was_published_where_groups_show_more_than_members():
    shown = np.array([[1, 1]])
    found = score(np.array([[0.5, 0.5]]), np.array([0]), np.array([0]), published=shown)
    assert (found.log_loss, found.log_loss_by_frequency) == (1.0, 1.0)


@given(st.floats(0.5, 0.99), st.floats(0.01, 1.0))
def test_gain__rewards_who_says_more_than_they_know_and_log_loss_never_does(known, said):
    """Of a value that is true with a chance ``known``, a reader says ``said``."""
    belief = np.array([[said, 1 - said]] * 2)
    truth, groups = np.array([0, 1]), np.array([0, 0])
    gains = sr.adversary_gain(belief, truth, groups).per_tuple
    honest = np.array([[known, 1 - known]] * 2)
    honest_gains = sr.adversary_gain(honest, truth, groups).per_tuple
    chances = np.array([known, 1 - known])

    def expected_loss(rows):
        of_truth = np.maximum(rows[[0, 1], truth], 2.0**-52)
        return float(-(chances * np.log2(of_truth)).sum())

    if said > known:
        assert chances @ gains >= chances @ honest_gains - 1e-12
    assert expected_loss(belief) >= expected_loss(honest) - 1e-12
