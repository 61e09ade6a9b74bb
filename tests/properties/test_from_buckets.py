"""Estimates from buckets against listing every way in which values may be dealt to people."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_utility as oracles
import seriatim as sr

EXAMS = ("neg", "pos", "unclear")
SEXES = ("F", "M", "X")


@st.composite
def buckets(draw, *, fewest=1):
    """Some buckets: the classes of their people, and their values."""
    found = []
    for _ in range(draw(st.integers(fewest, 4))):
        size = draw(st.integers(1, 4))
        codes = st.lists(st.integers(0, 2), min_size=size, max_size=size)
        found.append((draw(codes), draw(codes)))
    return found


def release_of(found):
    people = {"group": [], "sex": []}
    values = {"group": [], "exam": [], "count": []}
    for number, (classes, codes) in enumerate(found):
        people["group"] += [number] * len(classes)
        people["sex"] += [SEXES[one] for one in classes]
        for code in sorted(set(codes)):
            values["group"].append(number)
            values["exam"].append(EXAMS[code])
            values["count"].append(codes.count(code))
    schema = sr.Schema("id", [sr.Categorical("sex", SEXES)], sr.Sensitive("exam", EXAMS))
    return sr.read_buckets(people, values, schema, at=1)


def numbered(found):
    """The same buckets, with the classes numbered that occur."""
    there = sorted({one for classes, _ in found for one in classes})
    return [([there.index(one) for one in classes], values) for classes, values in found], there


@given(buckets())
def test_estimates__are_at_rest_where_every_assignment_is_weighed(found):
    estimate = sr.estimate_from_buckets(release_of(found), "sex", blocks=0)
    dealt, there = numbered(found)
    assert estimate.classes == tuple((SEXES[one],) for one in there)
    onward, likelihood = oracles.bucket_step(dealt, estimate.shares.tolist())
    if estimate.converged:
        assert estimate.shares == pytest.approx(np.array(onward), abs=2e-4)
    start = oracles.by_frequency(dealt, len(there), len(EXAMS))
    assert likelihood >= oracles.bucket_step(dealt, start)[1] - 1e-6


@given(buckets())
def test_estimates__keep_the_counts_of_the_release(found):
    release = release_of(found)
    estimate = sr.estimate_from_buckets(release, "sex", blocks=0)
    assert estimate.shares.sum(axis=1) == pytest.approx(1.0)
    assert estimate.people @ estimate.shares == pytest.approx(
        release.value_counts.sum(axis=0), abs=1e-6
    )


@given(buckets())
def test_bounds__are_the_fewest_and_the_most_of_all_assignments(found):
    estimate = sr.estimate_from_buckets(release_of(found), "sex", blocks=0)
    dealt, there = numbered(found)
    for kind in range(len(there)):
        for value in range(len(EXAMS)):
            bounds = oracles.counted_bounds(dealt, kind, value)
            people = estimate.people[kind]
            assert estimate.least[kind, value] * people == pytest.approx(bounds[0])
            assert estimate.most[kind, value] * people == pytest.approx(bounds[1])
    assert (estimate.least <= estimate.shares + 1e-9).all()
    assert (estimate.shares <= estimate.most + 1e-9).all()
