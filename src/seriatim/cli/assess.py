"""``seriatim assess``: how exposed a series is, before anything is published."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import typer

from seriatim.audit.assessment import EXPOSED, Assessment, assess
from seriatim.cli.common import print_json, progress_through, telling_warnings
from seriatim.publish.rehearsal_setting import open_views
from seriatim.publish.study import Study

_STEPS = ("reading views", "anonymizing each by itself", "done")


def run_assess(sources: list[str], study: Path, *, k: int, as_json: bool) -> None:
    """Read views, and tell what makes them leak."""
    declared = Study.read(study)
    with telling_warnings() as heard, progress_through(_STEPS, quiet=as_json) as reached:
        reached("reading views")
        views = open_views(declared, sources)
        reached("anonymizing each by itself")
        found = assess(views, k=k)
        warnings = list(heard)
    if as_json:
        told = {
            "score": found.score,
            "exposed": found.exposed,
            "cells_by": found.cells_by,
            "defences": found.defences,
            "advice": found.advice,
            "warnings": warnings,
        }
        print_json(asdict(found) | told)
    else:
        typer.echo(_told(found))


def _told(found: Assessment) -> str:
    side, expected = ("at least", "0.12 or more") if found.exposed else ("below", "less than 0.12")
    return "\n".join(
        (
            f"{found.views} views about {found.people:,} people.",
            "",
            f"  Memory in the values     {found.memory:.2f} of {found.entropy:.2f} bits: what the"
            " value before tells of the next.",
            f"  Releases per person      {found.releases_per_person:.1f};"
            f" {found.coming_again:.0%} of a view's people are in the next one,",
            f"                           {found.moving:.0%} of these with other quasi-identifiers.",
            f"  Attendance               {found.attendance:.0%} of those under way are in a view;"
            f" {_leaving(found)}.",
            f"  Group mates kept         {found.mates_kept:.0%}, were each view"
            f" {found.k}-anonymized by itself.",
            *_cells(found),
            "",
            f"Forecast: (1 − mates kept) × memory × log₂(releases per person) = {found.score:.2f},"
            f" which is {side} {EXPOSED}.",
            f"So a reader who looks back over such releases is expected to gain {expected}: a rule"
            " of thumb, whose errors docs/lasting-series.md tells.",
            found.advice,
        )
    )


def _cells(found: Assessment) -> list[str]:
    """Say what detail cells would lose by either placement, where anyone moves."""
    if found.lost_current == found.lost_first_seen:
        return []
    return [
        f"  Detail lost              {found.lost_first_seen:.3f} in standing cells by first-seen"
        f" values, {found.lost_current:.3f} by current ones,",
        "                           in 12 releases drawn from these views (GCP).",
    ]


def _leaving(found: Assessment) -> str:
    if found.views == 2:
        return "two views do not tell who leaves"
    return f"{found.turnover:.1%} leave for good after each"
