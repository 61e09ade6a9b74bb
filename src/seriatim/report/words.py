"""What a policy asks, in the words of people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from seriatim.partition.standing_cells import StandingCells
from seriatim.privacy.requirement import Requirement
from seriatim.publish.certificate import promises
from seriatim.publish.policy import Policy

_AS_EVER = {"distance": "equal", "enhanced": False, "rule": "strongest", "unit": "bit"}
"""What is not worth a word."""


def promised(requirement: Requirement) -> tuple[str, ...]:
    """Return what a requirement asks, part by part.

    >>> from seriatim import KAnonymity, TCloseness
    >>> promised(KAnonymity(k=5) & TCloseness(t=0.5))
    ('k-anonymity, k = 5', 't-closeness, t = 0.5')
    """
    told = []
    for one in promises(requirement):
        details = [
            f"{key} = {value}"
            for key, value in one.items()
            if key != "name" and _AS_EVER.get(key) != value
        ]
        told.append(", ".join([str(one["name"]), *details]))
    return tuple(told)


def formed_by(partitioner: object) -> str:
    """Return how groups are formed.

    >>> formed_by(StandingCells(20))
    'standing cells of 20, by where people were first seen; merges stay'
    """
    if isinstance(partitioner, StandingCells):
        if partitioner.merges == "recut":
            return f"cells of {partitioner.size}, cut anew each time"
        by = "where people were first seen" if partitioner.by == "first-seen" else "where they are"
        merges = "merges stay" if partitioner.merges == "stay" else "merged anew each time"
        return f"standing cells of {partitioner.size}, by {by}; {merges}"
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(partitioner).__name__)


def listing_told(certificate: Mapping[str, Any]) -> list[str]:
    """Say how many are listed who did not come, and came and are not listed, as certified.

    >>> told = {"waiting": 7, "carried over": 1, "held back": 0}
    >>> listing_told({"listing": told, "tuples": 90})
    ['1 listed as last seen, not in the table; 7 in the table and waiting to be listed.']
    """
    told = certificate.get("listing")
    if told is None:
        return []
    said = (
        f"{told['carried over']:,} listed as last seen, not in the table;"
        f" {told['waiting']:,} in the table and waiting to be listed."
    )
    if not told["held back"]:
        return [said]
    held = (
        f"{told['held back']:,} of the suppressed were held back: their groups would have differed"
        " by fewer people than a batch from groups of earlier releases."
    )
    return [said, held]


def listing_asked(policy: Policy) -> str:
    """Say whom a policy lists besides those in the table; empty where nobody.

    >>> from seriatim import KAnonymity, StandingCells
    >>> listing_asked(Policy(KAnonymity(k=10), StandingCells(20), batch=5, keep=2))
    'people enter and leave cells in batches of 5; who is away stays listed for 2 releases'
    """
    told = []
    if policy.batch > 1:
        told.append(f"people enter and leave cells in batches of {policy.batch}")
    if policy.keep:
        many = "a release" if policy.keep == 1 else f"{policy.keep} releases"
        told.append(f"who is away stays listed for {many}")
    if policy.pool > 1:
        told.append(f"{policy.pool} tables are pooled into a release")
    return "; ".join(told)
