"""What becomes of tuples that form no group."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from seriatim._typing import IntArray
from seriatim.errors import PolicyError, did_you_mean, listed
from seriatim.partition.counterfeits import filled_up
from seriatim.partition.partition import Partition
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.tally import Evidence, Tally

Remainder = Literal["suppress", "merge", "counterfeit"]
"""``suppress`` leaves them out of the release; ``merge`` lets them join groups;
``counterfeit`` forms groups of them that invented tuples fill up."""

_ROUNDS = 8
"""How often leftovers are filled up again, as counterfeits change the table."""


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
    partition: Partition,
    evidence: Evidence,
    requirement: Requirement,
    remainder: Remainder,
    rng: np.random.Generator | None = None,
    against: IntArray | None = None,
) -> Partition:
    """Apply a remainder policy to a partition.

    What no policy can help is suppressed. Counterfeits' values are drawn by ``rng``.
    """
    require_remainder(remainder)
    if len(partition.remainder) == 0:
        return partition
    if remainder == "merge" and len(partition):
        return _merged(partition, evidence, requirement)
    if remainder == "counterfeit":
        if rng is None:
            message = "Counterfeits are drawn, and no rng was given to draw them."
            raise PolicyError(message)
        return filled_up(partition, evidence, requirement, rng, against)
    return partition


def _merged(partition: Partition, evidence: Evidence, requirement: Requirement) -> Partition:
    """Join all leftovers to the last group, then that to the one before, and so on.

    It ends when the union meets the requirement: neighbours in the order of the
    partitioner are near in their quasi-identifiers. When even the union of everything
    fails, the leftovers are suppressed after all.
    """
    rows = np.concatenate([partition.rows, partition.remainder])
    tally = Tally.of(evidence, rows, np.append(partition.starts, len(rows)))
    unions = tally.joined_from_the_end()
    legal = np.flatnonzero(requirement.verdict(unions, scanning=True).group_holds[: len(partition)])
    if len(legal) == 0:
        return partition
    starts = np.append(partition.starts[: legal[-1] + 1], len(rows))
    return Partition(rows, starts, partition.remainder[:0])


def settled(
    partition: Partition,
    evidence: Evidence,
    requirement: Requirement,
    remainder: Remainder,
    rng: np.random.Generator | None = None,
) -> Partition:
    """Apply a remainder policy, and keep what readers can confirm of the outcome.

    Suppressed and invented tuples change the table that readers compare groups with. Under
    ``counterfeit``, whom that leaves over is filled up again, compared with the table as it
    was about to be; who is still left after some rounds is suppressed.
    """
    if remainder != "counterfeit":
        whole = settle(partition, evidence, requirement, remainder, rng)
        return confirmable(whole, evidence, requirement)
    against = None
    for _ in range(_ROUNDS):
        whole = settle(partition, evidence, requirement, remainder, rng, against)
        partition = confirmable(whole, evidence, requirement)
        if len(partition.remainder) == 0 or len(whole) == 0:
            break
        against = whole.tally(evidence).value_counts.sum(axis=0)
    return partition


def confirmable(partition: Partition, evidence: Evidence, requirement: Requirement) -> Partition:
    """Return the groups that keep the requirement in the eyes of the release's readers.

    Readers compare a group with the table they have, which lacks the suppressed tuples and
    has the counterfeits.
    Groups that fail that comparison are suppressed too, until all that remain pass it:
    then whoever has the release can confirm what was promised.
    """
    while len(partition) and (len(partition.remainder) or len(partition.counterfeits)):
        tally = partition.tally(evidence)
        tally.view_counts = tally.value_counts.sum(axis=0)
        holds = requirement.verdict(tally, scanning=True).group_holds
        if holds.all():
            break
        partition = partition.without(~holds)
    return partition
