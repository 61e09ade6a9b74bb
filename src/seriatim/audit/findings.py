"""What readers learned of a series, in figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import Instant
from seriatim.errors import OrderError, did_you_mean, listed
from seriatim.knowledge.belief import Belief
from seriatim.measure.disclosure import adversary_gain
from seriatim.measure.exposure import exposure
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import Release
from seriatim.microdata.tables import TableKind, write_table
from seriatim.microdata.view import View


@dataclass(frozen=True)
class ReleaseFinding:
    """What one reader learned from one release; each measure beside that of mere counting."""

    reader: str
    """The reader's name."""

    at: Instant
    """The release."""

    tuples: int
    """Published tuples."""

    gain: float
    """Mean gain over counting."""

    gain_spread: float
    """Standard deviation of the gain over tuples."""

    confidence: float
    """Mean belief in the true value."""

    confidence_by_frequency: float
    """Mean share of the true value in its group."""

    log_loss: float
    """Mean surprise at the truth, in bits."""

    log_loss_by_frequency: float
    """The same for counting."""

    top_rate: float
    """How often the most believed value is true."""

    top_rate_by_frequency: float
    """The same for counting."""

    above_half: float
    """Share of tuples whose true value is believed above 0.5."""

    above_nine_tenths: float
    """Share of tuples whose true value is believed above 0.9."""

    above_nine_tenths_by_frequency: float
    """The same for counting."""


@dataclass(frozen=True, eq=False)
class Findings:
    """What all readers learned from all releases."""

    rows: tuple[ReleaseFinding, ...]
    """One for each reader and release."""

    beliefs: dict[str, list[Belief]] = field(repr=False)
    """Each reader's beliefs, release by release; private."""

    views: tuple[View, ...] = field(repr=False)
    """The truth; private."""

    releases: tuple[Release, ...] = field(repr=False)
    """What was attacked."""

    memberships: tuple[Membership, ...] = field(repr=False)
    """Who is in which group; private."""

    @property
    def readers(self) -> tuple[str, ...]:
        """The readers' names."""
        return tuple(self.beliefs)

    def of(self, reader: str) -> tuple[ReleaseFinding, ...]:
        """Return the findings of one reader, release by release."""
        if reader not in self.beliefs:
            message = (
                f"There is no reader {reader!r} in these findings; there are"
                f" {listed(self.readers)}.{did_you_mean(reader, self.readers)}"
            )
            raise OrderError(message)
        return tuple(row for row in self.rows if row.reader == reader)

    def to_frame(self, kind: TableKind = "pyarrow") -> Any:
        """Return all figures as a table."""
        names = list(ReleaseFinding.__dataclass_fields__)
        columns = {name: [getattr(row, name) for row in self.rows] for name in names}
        return write_table(pa.table(columns), kind)

    def at_risk(self, reader: str, most: int = 10) -> list[tuple[int, int]]:
        """Return the tuples that a reader gained most on, as (release, row of its view).

        Rows are positions in the sorted roster of the view; nothing names a respondent.
        """
        self.of(reader)
        found: list[tuple[float, int, int]] = []
        for index, belief in enumerate(self.beliefs[reader]):
            membership, view = self.memberships[index], self.views[index]
            rows = np.flatnonzero(membership.published)
            gain = adversary_gain(belief.probabilities, view.value_codes, membership.group_of)
            best = np.argsort(-gain.per_tuple, kind="stable")[:most]
            found += [(float(gain.per_tuple[one]), index, int(rows[one])) for one in best]
        found.sort(key=lambda one: -one[0])
        return [(index, row) for _, index, row in found[:most]]


def measure_reader(
    reader: str,
    beliefs: list[Belief],
    releases: tuple[Release, ...],
    views: tuple[View, ...],
    memberships: tuple[Membership, ...],
) -> list[ReleaseFinding]:
    """Measure what a reader believes against the truth, release by release."""
    rows = []
    for belief, release, view, membership in zip(
        beliefs, releases, views, memberships, strict=True
    ):
        held = (belief.probabilities, view.value_codes, membership.group_of)
        gain, known = adversary_gain(*held), exposure(*held)
        rows.append(
            ReleaseFinding(
                reader,
                release.at,
                len(release),
                gain.mean,
                gain.spread,
                float(known.confidence.mean()),
                float(known.frequency.mean()),
                known.log_loss,
                known.log_loss_by_frequency,
                known.top_rate,
                known.top_rate_by_frequency,
                known.above(0.5),
                known.above(0.9),
                known.above_by_frequency(0.9),
            )
        )
    return rows
