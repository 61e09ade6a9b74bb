"""Counterfeits: invented tuples that let leftovers stand, where suppressing is not acceptable.

Leftovers are taken in the partitioner's order and cut into stretches whose members the
requirement does not keep apart; each stretch is then filled up with the fewest tuples of
nobody whose values let it stand. They lie in the region of the members, and nothing in
the release marks them. Who knows all members of a group can count how many tuples are
nobody's, not which.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.partition.partition import Counterfeits, Partition
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.tally import Evidence, Tally

_DRAWS = 8
"""How often values are drawn, before the evenest ones are taken, for a number of counterfeits."""

_MOST = 1024
"""The most counterfeits that a group is given."""


def filled_up(
    partition: Partition, evidence: Evidence, requirement: Requirement, rng: np.random.Generator
) -> Partition:
    """Form groups of the leftovers, filled up with as few counterfeits as can be.

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
        end, added = _longest(left, begin, evidence, requirement, rng)
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
    begin: int,
    evidence: Evidence,
    requirement: Requirement,
    rng: np.random.Generator,
) -> tuple[int, IntArray | None]:
    """Return the end of the longest stretch that can stand, and what it is filled up with."""
    end, added = begin, None
    step = 1
    while end < len(left) and step:
        longer = min(end + step, len(left))
        values = _fewest(left[begin:longer], evidence, requirement, rng)
        if values is None:
            step //= 2
        else:
            end, added = longer, values
            step *= 2
    return end, added


def _fewest(
    members: IntArray, evidence: Evidence, requirement: Requirement, rng: np.random.Generator
) -> IntArray | None:
    """Return the values of the fewest counterfeits with which members may stand; None for never."""
    tally = Tally.of(evidence, members, np.array([0, len(members)]))
    shares = evidence.view_counts / evidence.view_counts.sum()
    enough = 0
    # Doubling finds quickly what no number mends; the fewest are then found one by one.
    while not _even(tally, shares, requirement, enough):
        if enough >= _MOST:
            return None
        enough = max(2 * enough, 1)
    enough = next(few for few in range(enough + 1) if _even(tally, shares, requirement, few))
    for _ in range(_DRAWS):
        drawn = _drawn(tally, shares, enough, rng)
        if _stands(tally, drawn, requirement):
            return _codes(drawn)
    return _codes(_evenest(tally, shares, enough))


def _even(tally: Tally, shares: FloatArray, requirement: Requirement, number: int) -> bool:
    return _stands(tally, _evenest(tally, shares, number), requirement)


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
