"""What a shard must know of the whole view, and of the series."""

from __future__ import annotations

from dataclasses import dataclass

from seriatim._typing import Instant
from seriatim.inference.adversary import Adversary
from seriatim.microdata.schema import Schema
from seriatim.publish.policy import Policy


@dataclass(frozen=True)
class ShardTask:
    """What is known of the whole view, and of the series."""

    schema: Schema
    """The schema with every domain settled."""

    policy: Policy
    """What every group must satisfy."""

    reader: Adversary
    """The simulated reader, without a memory."""

    at: Instant
    """When the release is made."""

    number: int
    """The number of the release."""

    view_counts: tuple[int, ...]
    """How often each value occurs in the whole view."""

    label_key: bytes
    """What the labels of groups are drawn with."""

    ends_here: bool
    """Whether leftovers go by the policy; otherwise a later round may form groups of them."""

    mending: bool = False
    """Whether this is a later round."""
