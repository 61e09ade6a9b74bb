"""People who are known: counted as people, beyond what counting tells, with a bound."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seriatim as sr


def counted_slowly(people, confidence, frequency, above, harmful):
    """Look at everybody, release by release."""
    known, everyone = set(), set()
    for release, who in enumerate(people):
        for row, person in enumerate(who):
            everyone.add(person)
            sure = confidence[release][row] > above
            by_counting = frequency[release][row] > above
            if sure and not by_counting and harmful[release][row]:
                known.add(person)
    return len(everyone), len(known)


shares = st.sampled_from([0.0, 0.3, 0.85, 0.9, 0.91, 1.0])


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 5), shares, shares, st.booleans()), max_size=6),
        max_size=4,
    ),
    st.sampled_from([0.5, 0.9]),
)
def test_known_people__are_those_that_a_look_at_everybody_finds(releases, above):
    columns = [[np.array([row[at] for row in one]) for one in releases] for at in range(4)]
    people = [one.astype(np.int64) for one in columns[0]]
    confidence, frequency = ([one.astype(float) for one in columns[at]] for at in (1, 2))
    harmful = [one.astype(bool) for one in columns[3]]
    found = sr.known_people(people, confidence, frequency, above=above, harmful=harmful)
    twin = counted_slowly(people, confidence, frequency, above, harmful)
    assert (found.people, found.known) == twin


@given(st.integers(1, 5000), st.integers(0, 5000))
def test_bound__solves_the_equation_that_it_comes_from(people, known):
    known = min(known, people)
    found = sr.KnownPeople(people, known)
    bound = found.at_most
    assert found.share - 1e-12 <= bound <= 1 + 1e-12
    # The share lies so many standard deviations of a share like the bound below it (Wilson, 1927).
    deviation = math.sqrt(max(bound * (1 - bound), 0.0) / people)
    assert bound - found.share == pytest.approx(1.2815515655446004 * deviation, abs=1e-6)


def test_known_people__of_several_histories_are_added_up():
    both = sr.KnownPeople(10, 1).and_also(sr.KnownPeople(30, 0))
    assert (both.people, both.known, both.share) == (40, 1, 0.025)


def test_nobody__is_known_where_nobody_was_published():
    assert sr.known_people([], [], []) == sr.KnownPeople(0, 0)
    assert (sr.KnownPeople(0, 0).share, sr.KnownPeople(0, 0).at_most) == (0.0, 0.0)
