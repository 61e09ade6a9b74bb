"""Differences of published groups: who is left over, and whose value the counts force.

Axes: outer and inner (people) have the group of each person in two releases, -1 where they are in
none; lead (inner groups) the outer group that an inner one belongs to, or -1. Equations are
ragged: the people of equation e are the entries starts[e]:starts[e + 1], with signs 1 and -1;
counts (equations, values) has what they add up to. possible (people, values) tells which values
someone may still have, left (people) how many these are.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, IntArray, SmallIntArray, WordArray
from seriatim.kernels._jit import inlined_kernel, kernel


@kernel
def find_majorities(inner: SmallIntArray, outer: SmallIntArray, lead: SmallIntArray) -> None:
    """Write for each inner group the outer group that has more than half of its people, or -1.

    Boyer and Moore's majority vote, and a count of whether the winner has a majority.
    """
    votes, hits = np.zeros(len(lead), np.int64), np.zeros(len(lead), np.int64)
    lead[:] = -1
    for person in range(len(inner)):
        group = inner[person]
        if group < 0:
            continue
        if votes[group] == 0:
            lead[group] = outer[person]
        votes[group] += 1 if lead[group] == outer[person] else -1
    votes[:] = 0
    for person in range(len(inner)):
        group = inner[person]
        if group >= 0:
            votes[group] += 1
            hits[group] += lead[group] == outer[person]
    for group in range(len(lead)):
        if 2 * hits[group] <= votes[group]:
            lead[group] = -1


@kernel
def count_left_over(
    outer: SmallIntArray, inner: SmallIntArray, lead: SmallIntArray, differing: IntArray
) -> None:
    """Add up for each outer group how many people only it, or only its inner groups, have."""
    for person in range(len(outer)):
        own = outer[person]
        within = lead[inner[person]] if inner[person] >= 0 else -1
        if own != within:
            if own >= 0:
                differing[own] += 1
            if within >= 0:
                differing[within] += 1


@kernel
def list_left_over(
    outer: SmallIntArray,
    inner: SmallIntArray,
    lead: SmallIntArray,
    number: IntArray,
    equations: IntArray,
    people: IntArray,
    signs: IntArray,
) -> None:
    """List who is left over, by the number of the outer group's equation; -1 is not listed."""
    entry = 0
    for person in range(len(outer)):
        own = outer[person]
        within = lead[inner[person]] if inner[person] >= 0 else -1
        if own == within:
            continue
        if own >= 0 and number[own] >= 0:
            equations[entry], people[entry], signs[entry] = number[own], person, 1
            entry += 1
        if within >= 0 and number[within] >= 0:
            equations[entry], people[entry], signs[entry] = number[within], person, -1
            entry += 1


@inlined_kernel
def settle(possible: BoolArray, left: IntArray, person: int, value: int) -> None:
    """Let someone have one value."""
    for other in range(possible.shape[1]):
        possible[person, other] = other == value
    left[person] = 1


@kernel
def follow_counts(
    starts: IntArray,
    people: IntArray,
    signs: IntArray,
    counts: SmallIntArray,
    usable: BoolArray,
    open_people: BoolArray,
    possible: BoolArray,
    left: IntArray,
    because: IntArray,
) -> None:
    """Rule out values until no equation rules out another; drop equations that cannot hold.

    With one value a person, n(p, v) is 0 or 1, and an equation has for each value::

        least(v) = Σ₊ sure − Σ₋ possible  ≤  counts(v)  ≤  Σ₊ possible − Σ₋ sure = most(v)

    Where a bound is met, everyone in the sum stands at theirs. ``open_people`` may have any
    value in any release. ``because`` is the equation that last ruled out a value of each.
    """
    n_values = possible.shape[1]
    # Times are visits: an equation is visited again when someone changed since it was last.
    changed_at, visited_at = np.zeros(len(left), np.int64), np.full(len(usable), -1, np.int64)
    may_add, must_add = np.empty(n_values, np.int64), np.empty(n_values, np.int64)
    may_take, must_take = np.empty(n_values, np.int64), np.empty(n_values, np.int64)
    now, going_on = 0, True
    while going_on:
        going_on = False
        for equation in range(len(usable)):
            begin, end = starts[equation], starts[equation + 1]
            newest = 0
            for entry in range(begin, end):
                newest = max(newest, changed_at[people[entry]])
            if not usable[equation] or newest <= visited_at[equation]:
                continue
            now += 1
            visited_at[equation], going_on = now, True
            for value in range(n_values):
                may_add[value] = must_add[value] = may_take[value] = must_take[value] = 0
            for entry in range(begin, end):
                person = people[entry]
                may, must = (may_add, must_add) if signs[entry] > 0 else (may_take, must_take)
                anything, known = open_people[person], left[person] == 1
                for value in range(n_values):
                    may[value] += anything | possible[person, value]
                if known and not anything:
                    for value in range(n_values):
                        must[value] += possible[person, value]
            holds, tells = True, False
            for value in range(n_values):
                count = counts[equation, value]
                least, most = must_add[value] - may_take[value], may_add[value] - must_take[value]
                holds &= (least <= count) & (count <= most)
                tells |= (least == count) != (count == most)
            usable[equation] = holds
            if not (holds and tells):
                continue
            for value in range(n_values):
                count = counts[equation, value]
                at_least = count == must_add[value] - may_take[value]
                at_most = count == may_add[value] - must_take[value]
                if at_least == at_most:
                    continue
                for entry in range(begin, end):
                    person = people[entry]
                    if open_people[person] or left[person] == 1 or not possible[person, value]:
                        continue
                    if (signs[entry] > 0) == at_most:
                        settle(possible, left, person, value)
                    else:
                        possible[person, value] = False
                        left[person] -= 1
                    because[person], changed_at[person] = equation, now + 1


@kernel
def find_places(numbers: WordArray, everyone: WordArray, places: IntArray) -> None:
    """Write where each of some rising numbers stands among everyone's, which rise as well."""
    place = np.uint64(0)
    for number in range(len(numbers)):
        while everyone[place] < numbers[number]:
            place += np.uint64(1)
        places[number] = place
