"""Techniques side by side on one series: what readers gain, and what the data lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from seriatim.audit.attack import audit
from seriatim.audit.figures import SeriesFinding
from seriatim.audit.reader import Reader
from seriatim.errors import OrderError
from seriatim.experiments.series import Material, Progress, PublishedSeries, publish_series
from seriatim.experiments.techniques import Technique
from seriatim.inference.adversary import Adversary
from seriatim.measure.learnability import learnability
from seriatim.measure.queries import median_query_error
from seriatim.measure.random_queries import QUERIES
from seriatim.measure.strongest import strongest_of


@dataclass(frozen=True)
class ComparisonRow:
    """What came of one technique; where it published nothing, there are no figures of it."""

    technique: str
    """Its name."""

    promised: str
    """What every group satisfies."""

    gains: Mapping[str, tuple[float, ...]]
    """Mean gain of each reader over counting, release by release."""

    releases: int
    """How many were published."""

    mean_size: float | None
    """Tuples in a group."""

    penalty: float | None
    """Global certainty penalty: detail lost, from 0 to 1."""

    semiperimeter: float | None
    """Mean semiperimeter of the groups."""

    query_error: float | None
    """Median relative error of random counts with some sensitive values, the mean over releases."""

    learnability: float | None
    """How much of P(value | quasi-identifiers) can still be learned, the mean over releases.

    1 is as much as from the original views; None where these teach nothing either.
    """

    suppressed: float | None
    """Share of the tuples that was left out."""

    counterfeits: int | None
    """Tuples of nobody that were added."""

    seconds: float
    """Time to publish the series."""

    failure: str | None = None
    """Why the series ended early, where it did."""

    findings: Mapping[str, SeriesFinding] = field(default_factory=dict)
    """What each reader learned from the whole series; nothing where nothing was published."""

    @property
    def strongest(self) -> SeriesFinding | None:
        """What the reader with the lowest log-loss learned, of equals the last.

        None where every reader is worse than counting, or nothing was published.
        """
        return strongest_of(tuple(self.findings.values()))

    def gain(self, reader: str) -> float | None:
        """Return the mean gain of a reader over the releases; None where there is none."""
        return float(np.mean(self.gains[reader])) if self.gains[reader] else None

    @property
    def label(self) -> str:
        """Its name, and whether it failed: what it is called in a chart."""
        if self.failure is None:
            return self.technique
        ended = f"ended after release {self.releases}" if self.releases else "failed"
        return f"{self.technique} ({ended})"


@dataclass(frozen=True)
class Comparison:
    """Several techniques on one series, as ``compare`` returns it.

    >>> from seriatim import Adversary, Material, clinic
    >>> from seriatim.experiments import technique
    >>> made = clinic(weeks=2, size=60)
    >>> reader = Adversary(made.prior, made.sequence)
    >>> material, tried = Material(made.weeks, made.schema), [technique("k-anonymity")]
    >>> found = compare(material, tried, reader, {"paper": reader}, queries=50)
    >>> row = found.rows[0]
    >>> print(row.technique, row.promised, f"in {row.releases} releases:", found.readers)
    k-anonymity KAnonymity(k=10) in 2 releases: ('paper',)
    """

    rows: tuple[ComparisonRow, ...]
    """One for each technique."""

    readers: tuple[str, ...]
    """The readers, in the order in which they were named."""

    selectivity: float
    """Of the queries."""

    queries: int
    """How many were asked of a release at most."""


def compare(
    material: Material,
    techniques: Sequence[Technique],
    defender: Adversary,
    readers: Mapping[str, Reader],
    *,
    selectivity: float = 0.05,
    queries: int | None = None,
    progress: Progress = lambda _: None,
) -> Comparison:
    """Publish a series with each technique, and let the same readers attack it.

    All get the same views and the same queries. Readers know who is in which group;
    ``defender`` is the one whom releases are chosen against, where a technique looks at one.
    Of each release so many ``queries`` are asked; without a number 1,000, of large views fewer.

    >>> from seriatim import Adversary, KAnonymity, Policy, StandingCells, clinic, k_anonymity
    >>> made = clinic(weeks=3, size=60)
    >>> small = Technique("groups of 4", k_anonymity(4))
    >>> cells = Technique("cells of 10", Policy(KAnonymity(k=4), StandingCells(10)))
    >>> reader = Adversary(made.prior, made.sequence)
    >>> material = Material(made.weeks, made.schema)
    >>> found = compare(material, [small, cells], reader, {"paper": reader}, queries=50)
    >>> for row in found.rows:
    ...     print(f"{row.technique}: gain {row.gain('paper'):.2f}, lost {row.penalty:.2f}")
    groups of 4: gain 0.03, lost 0.30
    cells of 10: gain 0.01, lost 0.45
    """
    if not material.views or not techniques or not readers:
        message = "A comparison needs at least one view, one technique and one reader."
        raise OrderError(message)
    rows = []
    for one in techniques:
        series = publish_series(one, material, defender, progress=progress)
        progress(f"{one.name}: reading like an adversary")
        rows.append(_row(series, readers, selectivity, queries, material.seed))
    most = QUERIES if queries is None else queries
    return Comparison(tuple(rows), tuple(readers), selectivity, most)


def _row(
    series: PublishedSeries,
    readers: Mapping[str, Reader],
    selectivity: float,
    queries: int | None,
    seed: int,
) -> ComparisonRow:
    gains: dict[str, tuple[float, ...]] = dict.fromkeys(readers, ())
    errors: list[float] = []
    learned: list[float] = []
    findings: dict[str, SeriesFinding] = {}
    if series.publications:
        found = audit(series.releases, series.views, readers, memberships=series.memberships)
        for name in readers:
            gains[name] = tuple(row.gain or 0.0 for row in found.rows if row.reader == name)
        findings = {finding.reader: finding for finding in found.series}
        errors = [
            median_query_error(
                one.release, one.view, selectivity=selectivity, queries=queries, seed=seed
            )
            for one in series.publications
        ]
        told = [
            learnability(one.release, one.view, one.membership, seed=seed)
            for one in series.publications
        ]
        learned = [one.share for one in told if one is not None and one.share is not None]
    published = bool(series.publications)
    return ComparisonRow(
        series.technique.name,
        str(series.technique.policy.requirement),
        gains,
        len(series.publications),
        series.mean_size if published else None,
        series.penalty if published else None,
        series.semiperimeter if published else None,
        float(np.mean(errors)) if published else None,
        float(np.mean(learned)) if learned else None,
        series.suppressed if published else None,
        series.counterfeits if published else None,
        sum(series.seconds),
        series.failure,
        findings,
    )
