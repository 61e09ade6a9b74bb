"""Results of experiments: one row for each measure of each release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import FloatArray, IntArray
from seriatim.experiments.recommendation import Recommendation

COLUMNS = pa.schema(
    [
        ("setting", pa.string()),
        ("seed", pa.int64()),
        ("series", pa.string()),
        ("attack", pa.string()),
        ("release", pa.int64()),
        ("measure", pa.string()),
        ("value", pa.float64()),
    ]
)
"""The columns of a table of results."""

Row = dict[str, Any]
"""One row, by column; setting, seed and series may be missing while it is made."""


def query_measure(selectivity: float) -> str:
    """Return what the error of queries of a selectivity is called.

    >>> query_measure(0.06)
    'query error 0.06'
    """
    return f"query error {selectivity:g}"


@dataclass(frozen=True)
class Point:
    """One point of a curve: the mean over seeds, and their standard deviation."""

    x: float
    """Where it lies, such as the number of a release."""

    mean: float
    """The mean over seeds."""

    spread: float
    """Their standard deviation."""


@dataclass(frozen=True, eq=False)
class Results:
    """A table of results, and ways to look at it."""

    table: pa.Table
    """All rows."""

    rehearsals: tuple[Recommendation, ...] = ()
    """What was rehearsed, for each setting, seed and kind of knowledge."""

    def __repr__(self) -> str:
        """Say how large it is."""
        return f"Results({self.table.num_rows} rows)"

    def of(self, setting: str) -> Results:
        """Return the results of one setting."""
        return Results(
            self.table.filter(pc.field("setting") == setting),
            tuple(one for one in self.rehearsals if one.setting == setting),
        )

    def rehearsed(self, defender: str) -> tuple[Recommendation, ...]:
        """Return what was rehearsed with a kind of knowledge, by seed."""
        found = [one for one in self.rehearsals if one.defender == defender]
        return tuple(sorted(found, key=lambda one: one.seed))

    def seeds(self, series: str, attack: str = "", measure: str = "gain") -> tuple[int, ...]:
        """Return the seeds of the rows of ``by_seed``."""
        return tuple(np.unique(self._picked(series, attack, measure)[0]).tolist())

    def has(self, series: str, attack: str = "", measure: str = "gain") -> bool:
        """Tell whether a series was measured so."""
        return bool(len(self._picked(series, attack, measure)[0]))

    def by_seed(self, series: str, attack: str = "", measure: str = "gain") -> FloatArray:
        """Return a measure (seeds, releases), NaN where a series had ended."""
        seeds, releases, values = self._picked(series, attack, measure)
        known, row = np.unique(seeds, return_inverse=True)
        times, column = np.unique(releases, return_inverse=True)
        table = np.full((len(known), len(times)), np.nan)
        table[row.ravel(), column.ravel()] = values
        return table

    def curve(self, series: str, attack: str = "", measure: str = "gain") -> tuple[Point, ...]:
        """Return a measure release by release, over the seeds whose series got that far."""
        _, releases, _ = self._picked(series, attack, measure)
        table = self.by_seed(series, attack, measure)
        return tuple(
            Point(float(release), float(np.nanmean(column)), float(np.nanstd(column)))
            for release, column in zip(np.unique(releases), table.T, strict=True)
        )

    def mean(self, series: str, attack: str = "", measure: str = "gain") -> Point:
        """Return a measure averaged over the releases, then over the seeds."""
        table = self.by_seed(series, attack, measure)
        means = np.nanmean(table, axis=1)
        return Point(0.0, float(np.mean(means)), float(np.std(means)))

    def last(self, series: str, attack: str = "", measure: str = "gain") -> Point:
        """Return a measure at the last release of each seed's series, over the seeds."""
        table = self.by_seed(series, attack, measure)
        ends = np.array([row[~np.isnan(row)][-1] for row in table])
        return Point(0.0, float(np.mean(ends)), float(np.std(ends)))

    def greatest(self, series: str, attack: str = "", measure: str = "gain") -> Point:
        """Return the greatest measure of each seed's series, over the seeds."""
        found = np.nanmax(self.by_seed(series, attack, measure), axis=1)
        return Point(0.0, float(np.mean(found)), float(np.std(found)))

    def _picked(
        self, series: str, attack: str, measure: str
    ) -> tuple[IntArray, IntArray, FloatArray]:
        rows = self.table.filter(
            (pc.field("series") == series)
            & (pc.field("attack") == attack)
            & (pc.field("measure") == measure)
        )
        columns = (rows.column(name).to_numpy() for name in ("seed", "release", "value"))
        seeds, releases, values = columns
        return seeds, releases, values
