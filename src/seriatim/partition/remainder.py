"""What becomes of tuples that form no group."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from seriatim.errors import PolicyError, did_you_mean, listed
from seriatim.partition.partition import Partition
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.tally import Evidence, Tally

Remainder = Literal["suppress", "merge"]
"""``suppress`` leaves them out of the release; ``merge`` lets them join groups."""


def require_remainder(remainder: str) -> None:
    """Refuse a policy that is not known."""
    known = get_args(Remainder)
    if remainder not in known:
        message = (
            f"remainder={remainder!r} is not known; possible are {listed(known)}."
            f"{did_you_mean(remainder, known)}"
        )
        raise PolicyError(message)


def settle(
    partition: Partition, evidence: Evidence, requirement: Requirement, remainder: Remainder
) -> Partition:
    """Apply a remainder policy to a partition.

    Merging joins all leftovers to the last group, then that to the one before,
    and so on, until the union meets the requirement: neighbours in the order of
    the partitioner are near in their quasi-identifiers. When even the union of
    everything fails, the leftovers are suppressed after all.
    """
    require_remainder(remainder)
    if remainder == "suppress" or len(partition.remainder) == 0 or len(partition) == 0:
        return partition
    rows = np.concatenate([partition.rows, partition.remainder])
    tally = Tally.of(evidence, rows, np.append(partition.starts, len(rows)))
    unions = tally.joined_from_the_end()
    legal = np.flatnonzero(requirement.verdict(unions, scanning=True).group_holds[: len(partition)])
    if len(legal) == 0:
        return partition
    starts = np.append(partition.starts[: legal[-1] + 1], len(rows))
    return Partition(rows, starts, partition.remainder[:0])


def confirmable(partition: Partition, evidence: Evidence, requirement: Requirement) -> Partition:
    """Return the groups that keep the requirement in the eyes of the release's readers.

    Readers compare a group with the table they have, which lacks the suppressed tuples.
    Groups that fail that comparison are suppressed too, until all that remain pass it:
    then whoever has the release can confirm what was promised.
    """
    while len(partition) and len(partition.remainder):
        tally = Tally.of(evidence, partition.rows, partition.starts)
        tally.view_counts = tally.value_counts.sum(axis=0)
        holds = requirement.verdict(tally, scanning=True).group_holds
        if holds.all():
            break
        sizes = np.diff(partition.starts)
        kept = np.repeat(holds, sizes)
        partition = Partition(
            partition.rows[kept],
            np.concatenate([[0], np.cumsum(sizes[holds])]),
            np.concatenate([partition.remainder, partition.rows[~kept]]),
        )
    return partition
