"""What a rehearsal recommended for a setting, as it is kept and shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace

import pyarrow as pa

from seriatim.partition.standing_cells import By, Merges, StandingCells
from seriatim.publish.policy import Policy

COLUMNS = pa.schema(
    [
        ("setting", pa.string()),
        ("seed", pa.int64()),
        ("defender", pa.string()),
        ("target", pa.float64()),
        ("releases", pa.int64()),
        ("histories", pa.int64()),
        ("size", pa.int64()),
        ("by", pa.string()),
        ("merges", pa.string()),
        ("k", pa.int64()),
        ("gain", pa.float64()),
        ("penalty", pa.float64()),
        ("suppressed", pa.float64()),
        ("reason", pa.string()),
    ]
)
"""The columns of a table of recommendations."""


@dataclass(frozen=True)
class Recommendation:
    """The cells that a rehearsal found, or why there are none."""

    setting: str
    """Where it was rehearsed."""

    seed: int
    """What the setting was drawn or split by."""

    defender: str
    """The kind of knowledge that histories were drawn from."""

    target: float
    """The greatest mean gain of a release that was asked for."""

    releases: int
    """How many releases were played."""

    histories: int = 0
    """On how many histories the cells held."""

    size: int | None = None
    """Tuples of a cell; None where nothing is recommended."""

    by: By | None = None
    """How people are placed."""

    merges: Merges | None = None
    """Whether merges are for good."""

    k: int | None = None
    """The least size of a group."""

    gain: float | None = None
    """The greatest gain of a release that was rehearsed: what is promised."""

    penalty: float | None = None
    """Global certainty penalty in the rehearsal."""

    suppressed: float | None = None
    """The greatest share of a release that was suppressed in the rehearsal."""

    reason: str = ""
    """Why nothing is recommended, where nothing is."""

    @property
    def cells(self) -> StandingCells | None:
        """The cells to publish with; None where nothing is recommended."""
        if self.size is None or self.by is None or self.merges is None:
            return None
        return StandingCells(self.size, self.by, self.merges)

    def policy(self, asked: Policy) -> Policy | None:
        """Return a policy with the cells and the k that were found; None where there are none."""
        cells = self.cells
        if cells is None or self.k is None:
            return None
        return replace(asked.with_k(self.k), partitioner=cells)


def to_table(found: Iterable[Recommendation]) -> pa.Table:
    """Return recommendations as a table."""
    return pa.Table.from_pylist([asdict(one) for one in found], schema=COLUMNS)


def from_table(table: pa.Table) -> tuple[Recommendation, ...]:
    """Return recommendations from a table."""
    names = [one.name for one in fields(Recommendation)]
    return tuple(Recommendation(**row) for row in table.select(names).to_pylist())
