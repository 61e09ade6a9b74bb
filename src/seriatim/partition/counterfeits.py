"""Counterfeits: invented tuples that let leftovers stand, where suppressing is not acceptable.

Leftovers are taken in the partitioner's order and cut into stretches whose members the
requirement does not keep apart; each stretch is then filled up with the fewest tuples of
nobody whose values let it stand. They lie in the region of the members, and nothing in
the release marks them. Who knows all members of a group can count how many tuples are
nobody's, not which.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.partition.partition import Counterfeits, Partition
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.tally import Evidence, Tally

_DRAWS = 8
"""How often values are drawn, before the evenest ones are taken, for a number of counterfeits."""

_MOST = 1024
"""The most counterfeits that a group is given."""


def filled_up(
    partition: Partition,
    evidence: Evidence,
    requirement: Requirement,
    rng: np.random.Generator,
    against: IntArray | None = None,
) -> Partition:
    """Form groups of the leftovers, filled up with as few counterfeits as can be.

    Groups are compared with the view, or with the values that ``against`` counts.

    A stretch grows as long as some number of counterfeits lets it stand, since one larger
    group needs fewer than two small ones: only what counterfeits cannot mend, such as
    beliefs that lie too far apart, ends it. Whoever cannot stand alone is left over.
    """
    left = partition.remainder
    rows, starts = [partition.rows], partition.starts.tolist()
    groups = [partition.counterfeits.groups]
    codes = [partition.counterfeits.value_codes]
    suppressed: list[int] = []
    begin = 0
    while begin < len(left):
        end, added = _longest(left[begin:], evidence, requirement, rng, against)
        end += begin
        if added is None:
            suppressed.append(int(left[begin]))
            begin += 1
            continue
        groups.append(np.full(len(added), len(starts) - 1))
        codes.append(added)
        rows.append(left[begin:end])
        starts.append(starts[-1] + end - begin)
        begin = end
    return Partition(
        np.concatenate(rows),
        np.array(starts, dtype=np.int64),
        np.array(suppressed, dtype=np.int64),
        Counterfeits(np.concatenate(groups), np.concatenate(codes)),
    )


def _longest(
    left: IntArray,
    evidence: Evidence,
    requirement: Requirement,
    rng: np.random.Generator,
    against: IntArray | None,
) -> tuple[int, IntArray | None]:
    """Return the end of the longest stretch that can stand, and what it is filled up with."""
    end, added = 0, None
    step = 1
    while end < len(left) and step:
        longer = min(end + step, len(left))
        tally = Tally.of(evidence, left[:longer], np.array([0, longer]))
        if against is not None:
            tally.view_counts = against
        values = _fewest(tally, requirement, rng)
        if values is None:
            step //= 2
        else:
            end, added = longer, values
            step *= 2
    return end, added


def _fewest(tally: Tally, requirement: Requirement, rng: np.random.Generator) -> IntArray | None:
    """Return the values of the fewest counterfeits with which members may stand; None for never.

    Fewest among the ways of choosing values that are tried; for sizes, diversity and
    closeness these include the best there is.
    """
    shares = tally.view_counts / tally.view_counts.sum()
    enough = 0
    # Doubling finds quickly what no number mends; the fewest are then found one by one.
    while _best(tally, shares, requirement, enough) is None:
        if enough >= _MOST:
            return None
        enough = max(2 * enough, 1)
    for few in range(enough + 1):
        best = _best(tally, shares, requirement, few)
        if best is not None:
            break
    assert best is not None
    for _ in range(_DRAWS):
        drawn = _drawn(tally, shares, int(best.sum()), rng)
        if _stands(tally, drawn, requirement):
            return _codes(drawn)
    return _codes(best)


def _best(
    tally: Tally, shares: FloatArray, requirement: Requirement, number: int
) -> IntArray | None:
    """Return counts of so many counterfeits that let a group stand; None where none are found.

    Requirements pull two ways: to look like the view (t-closeness, likeness), or to show many
    values alike (diversity). The nearest to the view is tried first, then the flattest, over
    the values of the view and at last over the whole domain.
    """
    seen = shares > 0
    for counts in (
        _evenest(tally, shares, number),
        _flattest(tally, shares, number, seen),
        _flattest(tally, shares, number, np.ones_like(seen)),
    ):
        if _stands(tally, counts, requirement):
            return counts
    return None


def _flattest(tally: Tally, shares: FloatArray, number: int, allowed: BoolArray) -> IntArray:
    """Return how many counterfeits of each value bring a group's values nearest to all alike."""
    # Of values as rare in the group, the one that is more frequent in the view comes first.
    order = np.argsort(-shares, kind="stable")
    order = order[allowed[order]]
    have = tally.value_counts[0, order]
    level = _water_level(have, number)
    added = np.maximum(level - have, 0)
    added[np.flatnonzero(have <= level)[: number - int(added.sum())]] += 1
    counts = np.zeros(len(shares), dtype=np.int64)
    counts[order] = added
    return counts


def _water_level(have: IntArray, number: int) -> int:
    """Return up to which count all values can be filled up by so many tuples.

    Filling any m values up to a level takes what they lack together, so no level is above
    (number + what they have) / m; the rarest m, for some m, are those that are filled up.
    """
    rarest = np.cumsum(np.sort(have))
    return int(np.min((number + rarest) // np.arange(1, len(have) + 1)))


def _stands(tally: Tally, counts: IntArray, requirement: Requirement) -> bool:
    return requirement.verdict(tally.with_counterfeits(counts[None, :]), scanning=True).holds


def _lacking(tally: Tally, shares: FloatArray, number: int) -> FloatArray:
    """Return how many tuples of each value a group lacks to look like the view."""
    return np.asarray((tally.sizes[0] + number) * shares - tally.value_counts[0])


def _evenest(tally: Tally, shares: FloatArray, number: int) -> IntArray:
    """Return how many counterfeits of each value bring a group nearest to the view."""
    lacking = np.maximum(_lacking(tally, shares, number), 0.0)
    counts = np.floor(lacking).astype(np.int64)
    if counts.sum() > number:
        # More is lacking than may be added: the greatest lacks first.
        counts[:] = 0
        for _ in range(number):
            counts[np.argmax(lacking - counts)] += 1
        return counts
    rest = np.argsort(counts - lacking, kind="stable")[: number - int(counts.sum())]
    counts[rest] += 1
    short = number - int(counts.sum())
    counts[np.argmax(shares)] += short
    return counts


def _drawn(tally: Tally, shares: FloatArray, number: int, rng: np.random.Generator) -> IntArray:
    """Draw the values of counterfeits among those that a group lacks.

    Always the evenest values would let a reader who knows the method tell them apart.
    """
    lacking = np.maximum(_lacking(tally, shares, number), 0.0)
    if number == 0 or not lacking.sum() > 0:
        return _evenest(tally, shares, number)
    drawn = rng.multinomial(number, lacking / lacking.sum())
    return np.asarray(drawn, dtype=np.int64)


def _codes(counts: IntArray) -> IntArray:
    return np.repeat(np.arange(len(counts)), counts)
