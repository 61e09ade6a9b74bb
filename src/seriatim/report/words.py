"""What a policy asks, in the words of people."""

from __future__ import annotations

import re

from seriatim.partition.standing_cells import StandingCells
from seriatim.privacy.requirement import Requirement
from seriatim.publish.certificate import promises

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
