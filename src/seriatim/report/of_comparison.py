"""A comparison of techniques as what a report tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from seriatim.errors import StudyError
from seriatim.report.account import Account, ReaderPoint, ReaderSummary, SeriesAccount

_OF_TABLES = (
    "mean_size",
    "penalty",
    "query_error",
    "learnability",
    "suppressed",
    "counterfeits",
)

_OF_FINDINGS = tuple(
    one.name for one in fields(ReaderSummary) if one.name not in ("reader", "gain", "gain_largest")
)
"""What a comparison tells of a reader as audits do."""


def account_of_comparison(found: Mapping[str, Any]) -> Account:
    """Return what a report tells of a comparison, from what ``seriatim compare --json`` printed."""
    try:
        study = found["study"]
        asked = f"{found['queries']:,} random counts of expected selectivity"
        return Account(
            "comparison",
            study["name"],
            tuple(_series(row, tuple(found["readers"])) for row in found["rows"]),
            float(study["target gain"]),
            int(study["planned releases"]),
            private=True,
            share=float(study.get("share known", 1.0)),
            notes=(f"Query error: the median over {asked} {found['selectivity']:g}.",),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        message = (
            "This file is not what `seriatim compare --json` prints, or an older version printed"
            " it. Make it anew."
        )
        raise StudyError(message) from None


def _series(row: Mapping[str, Any], readers: tuple[str, ...]) -> SeriesAccount:
    gains = {reader: list(row["gains"][reader]) for reader in readers}
    # Nothing was published: there is no table to have figures.
    told = row if row["releases"] else {**row, **dict.fromkeys(_OF_TABLES)}
    return SeriesAccount(
        row["technique"],
        (),
        tuple(
            _summary(reader, found, row["findings"].get(reader, {}))
            for reader, found in gains.items()
        ),
        tuple(
            ReaderPoint(reader, str(number), gain)
            for reader, found in gains.items()
            for number, gain in enumerate(found, start=1)
        ),
        parameters=(("promised", row["promised"]),),
        mean_size=told["mean_size"],
        penalty=told["penalty"],
        query_error=told["query_error"],
        learnability=told.get("learnability"),
        suppressed=told["suppressed"],
        counterfeits=told["counterfeits"],
        failure=row["failure"],
    )


def _summary(reader: str, gains: list[float], finding: Mapping[str, Any]) -> ReaderSummary:
    """Return what a reader learned; gains are means over releases, as the comparison tells them."""
    told = {name: finding[name] for name in _OF_FINDINGS if name in finding}
    return ReaderSummary(reader, _mean(gains), max(gains, default=None), **told)


def _mean(figures: list[float]) -> float | None:
    return sum(figures) / len(figures) if figures else None
