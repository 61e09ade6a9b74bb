"""What an engine is asked for, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seriatim.engines.districts import Districts
from seriatim.engines.entrance import Missing
from seriatim.engines.places import Boundaries
from seriatim.inference.adversary import Adversary
from seriatim.microdata.schema import Schema
from seriatim.publish.policy import Policy

STEPS = (
    "reading the view",
    "counting along the curve",
    "simulating the reader",
    "mending the boundaries",
    "counting the groups",
    "writing the release",
    "verifying the written files",
    "committing the series",
    "moving the files into place",
    "done",
)
"""What a publish goes through."""


@dataclass(frozen=True)
class Sizes:
    """How much one worker takes at a time."""

    shard: int = 250_000
    """Tuples of a shard, about."""

    bucket: int = 1_000_000
    """Rows and records of a bucket, about."""

    part: int = 1_000_000
    """Tuples of a file of a release, about."""


@dataclass(frozen=True)
class Series:
    """A series, as it is declared."""

    folder: str
    """Where its manifests and records lie; private."""

    output: str
    """Where its releases go."""

    schema: Schema
    """Which column plays which part."""

    policy: Policy
    """What every release promises."""

    reader: Adversary
    """The reader whom releases are chosen against."""

    name: str = "series"
    """What certificates call it."""

    missing: Missing = "error"
    """What a missing cell of a view does."""

    texts: tuple[str, ...] = ()
    """Columns that stay texts whatever they look like."""


@dataclass(frozen=True)
class Outcome:
    """What came of a publish, in figures."""

    certificate: dict[str, Any]
    """The certificate of the release."""

    files: tuple[str, ...]
    """Where it was written; empty where only a look was asked for."""

    cut: Boundaries | Districts
    """How the view was cut into shards."""

    memory: int
    """The most memory that a worker took while it made a shard, in MB."""

    dropped: dict[str, int]
    """Missing cells of the rows left out, by column."""

    dropped_rows: int
    """Rows left out for want of a value, each once."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        told = self.certificate
        return (
            f"Outcome(release {told['number']}, {told['tuples']} tuples in {told['groups']} groups)"
        )
