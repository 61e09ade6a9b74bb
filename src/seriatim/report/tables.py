"""Releases in figures: sizes of groups, detail lost, what was left out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from seriatim.errors import PolicyError
from seriatim.measure.learnability import learnability
from seriatim.measure.queries import median_query_error
from seriatim.measure.utility import global_certainty_penalty
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster
from seriatim.microdata.view import View
from seriatim.publish.watch import recorded_gains
from seriatim.report.account import SeriesAccount, TableFigures

SELECTIVITY = 0.05
"""The share of the domain that the counts are about that are asked of a release."""


def table_figures(
    number: int, release: Release, record: Mapping[str, Any] | None = None
) -> TableFigures:
    """Return what can be counted in a release, beside what is recorded of it, or certified."""
    sizes, times = np.unique(release.sizes, return_counts=True)
    by_attribute = (release.sizes @ release.penalties / max(len(release), 1)).tolist()
    named = zip(release.schema.quasi_identifier_names, by_attribute, strict=True)
    stated = {} if record is None else record["certificate"]
    gain, back = (None, None) if record is None else recorded_gains(record)
    apart = stated.get("differences", {})
    lost = stated.get("detail lost", {}).get("global certainty penalty")
    return TableFigures(
        number,
        str(release.at),
        len(release),
        release.n_groups,
        tuple(zip(sizes.tolist(), times.tolist(), strict=True)),
        _measured(global_certainty_penalty(release)) if lost is None else lost,
        # In a file, a mask or a node may stand for a domain that nobody declared: no length then.
        {name: figure for name, figure in named if math.isfinite(figure)},
        suppressed=stated.get("suppressed"),
        counterfeits=stated.get("counterfeits"),
        watched=gain,
        watched_back=back,
        singled_out=stated.get("singled out", {}),
        dropped=stated.get("dropped for missing values"),
        repeated=stated.get("repeated rows left out"),
        separated=apart.get("people separated"),
        named=apart.get("people named"),
    )


def beside_original(
    figures: TableFigures, release: Release, original: Roster, where: Membership | Placement
) -> TableFigures:
    """Add what only the original tells: who was left out, what counts and models come to."""
    left_out = figures.suppressed
    if left_out is None:
        left_out = max(len(original) - len(release), 0)
    if not isinstance(original, View):
        return replace(figures, suppressed=left_out)
    found = learnability(release, original, where)
    return replace(
        figures,
        suppressed=left_out,
        query_error=_query_error(release, original),
        learnability=None if found is None else found.share,
    )


def _measured(figure: float) -> float | None:
    return figure if math.isfinite(figure) else None


def _query_error(release: Release, view: View) -> float | None:
    try:
        return _measured(median_query_error(release, view, selectivity=SELECTIVITY))
    except PolicyError:  # hardly any query counts anyone: there is nothing to tell
        return None


def over_tables(series: SeriesAccount) -> SeriesAccount:
    """Return a series with the figures that are means or sums over its releases."""
    tables = series.tables
    tuples, groups = sum(one.tuples for one in tables), sum(one.groups for one in tables)
    left_out = _all([one.suppressed for one in tables])
    invented = _all([one.counterfeits for one in tables])
    share = None
    if left_out is not None:
        came = tuples + sum(left_out) - sum(invented or ())
        share = sum(left_out) / came if came else 0.0
    return replace(
        series,
        mean_size=tuples / groups if groups else None,
        penalty=_mean([one.penalty for one in tables]),
        query_error=_mean([one.query_error for one in tables]),
        learnability=_mean([one.learnability for one in tables]),
        suppressed=share,
        counterfeits=None if invented is None else int(sum(invented)),
        dropped=_sum([one.dropped for one in tables]),
        repeated=_sum([one.repeated for one in tables]),
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = _all(counts)
    return None if known is None else int(sum(known))


def _all(figures: Sequence[float | None]) -> list[float] | None:
    known = [one for one in figures if one is not None]
    return known if known and len(known) == len(figures) else None


def _mean(figures: Sequence[float | None]) -> float | None:
    known = [one for one in figures if one is not None]
    return sum(known) / len(known) if known else None
