"""``seriatim publish``: the next release of a study."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from seriatim.cli.common import print_json, progress_through
from seriatim.publish.press import STEPS, Press, Printed
from seriatim.publish.series_plan import SeriesPlan
from seriatim.publish.study import Study


def run_publish(
    view: str,
    study: Path,
    at: str | None,
    *,
    dry_run: bool,
    again: bool,
    wait: float,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """Publish a view, or show what would be published."""
    declared = Study.read(study)
    with (
        progress_through(STEPS, quiet=as_json) as reached,
        Press(declared, wait=wait, progress=reached, only_look=dry_run) as press,
    ):
        instant = press.instant(at)
        act = press.preview if dry_run else press.publish
        printed = act(view, at=instant, again=again, **how)
    if as_json:
        print_json(_figures(printed, dry_run=dry_run))
    else:
        typer.echo(_told(printed, declared.plan, dry_run=dry_run))


def _figures(printed: Printed, *, dry_run: bool) -> dict[str, Any]:
    return {
        "dry run": dry_run,
        "files": [str(file) for file in printed.files],
        "rows dropped for missing values": printed.taken.dropped,
        "changed": list(printed.changed),
        "certificate": printed.certificate,
        "watched": None if printed.watched is None else asdict(printed.watched),
        "watched without enlarging": None if printed.instead is None else asdict(printed.instead),
    }


def _watched(printed: Printed, plan: SeriesPlan) -> list[str]:
    """Tell what the simulated reader gains, where more than one release is planned."""
    if printed.watched is None:
        return []
    grown = []
    if printed.instead is not None:
        grown = [
            f"  Groups were enlarged to k = {printed.certificate['groups formed with k']}: with"
            f" those asked for, the reader would have gained {printed.instead.decisive:.3f}."
        ]
    if plan.releases < 2:
        return grown
    line = f"  Watched: {printed.watched} (target {plan.target:g})."
    if printed.watched.near(plan):
        line += (
            "\n  WARNING: the target is near or passed. Later releases only add to what is known:"
            " use larger groups, or publish less often; `seriatim rehearse` tells how."
        )
    return [*grown, line]


def _told(printed: Printed, plan: SeriesPlan, *, dry_run: bool) -> str:
    """Tell what was published, a line for each thing worth knowing."""
    certificate, publication = printed.certificate, printed.publication
    verb = "would be published" if dry_run else "published"
    lines = [
        f"Release {certificate['number']} at {publication.release.at}"
        f" {verb}: {certificate['tuples']:,} tuples in {certificate['groups']:,} groups,"
        f" {certificate['suppressed']:,} suppressed.",
        *(f"  {finding}." for finding in publication.verdict.findings),
        f"  Detail lost (GCP): {certificate['detail lost']['global certainty penalty']:.3f}.",
    ]
    lines += _watched(printed, plan)
    dropped = sum(printed.taken.dropped.values())
    if dropped or printed.taken.repeated:
        lines.append(
            f"  Left out before: {dropped} rows with missing values,"
            f" {printed.taken.repeated} further rows of the same respondents."
        )
    lines += [f"  Changed since the release before, {one}." for one in printed.changed]
    lines += [f"  {file}" for file in printed.files]
    if dry_run:
        lines.append("Nothing was written.")
    return "\n".join(lines)
