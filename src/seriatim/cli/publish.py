"""``seriatim publish``: the next release of a study."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from seriatim.cli.common import (
    figure,
    given_away,
    print_json,
    progress_through,
    tell_warnings,
    telling_warnings,
)
from seriatim.errors import PolicyError, listed
from seriatim.publish.press import STEPS, Press, Printed
from seriatim.publish.series_plan import SeriesPlan
from seriatim.publish.study import Study
from seriatim.report.words import listing_told

_ENGINES_OF = {
    "--wait": ("local",),
    "--encoding": ("local",),
    "--delimiter": ("local",),
    "--sheet": ("local",),
    "--shards": ("shards", "spark"),
    "--master": ("spark",),
    "--setting": ("spark",),
}
"""The engines that an option means something to; the options that are not here, to all."""


def run_publish(
    views: list[str],
    study: Path,
    at: str | None,
    *,
    engine: str | None,
    master: str | None,
    shards: int | None,
    settings: list[str],
    dry_run: bool,
    again: bool,
    wait: float,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """Publish a view on the engine asked for, or the study's; or show what would be published."""
    declared = Study.read(study)
    chosen = declared.declared.engine.name if engine is None else engine
    given = {"--wait": wait, "--shards": shards, "--master": master, "--setting": settings}
    given |= {f"--{name}": value for name, value in how.items()}
    _require_meant([name for name, value in given.items() if value], chosen)
    if chosen == "local":
        _publish_here(
            views,
            declared,
            at,
            dry_run=dry_run,
            again=again,
            wait=wait,
            as_json=as_json,
            how=how,
        )
        return
    from seriatim.cli.publish_shards import publish_in_shards

    publish_in_shards(
        views,
        declared,
        at,
        engine=chosen,
        master=master,
        shards=shards,
        settings=settings,
        dry_run=dry_run,
        again=again,
        as_json=as_json,
    )


def _require_meant(given: list[str], engine: str) -> None:
    """Refuse options that the engine would not look at."""
    for option in given:
        engines = _ENGINES_OF[option]
        if engine not in engines:
            message = (
                f"{option} means nothing to the engine {engine!r}, only to {listed(engines)}. Leave"
                " it out, or name another engine with --engine."
            )
            raise PolicyError(message)


def _publish_here(
    views: list[str],
    study: Study,
    at: str | None,
    *,
    dry_run: bool,
    again: bool,
    wait: float,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    with (
        telling_warnings(),
        progress_through(STEPS, quiet=as_json, kernels="publish") as reached,
        Press(study, wait=wait, progress=reached, only_look=dry_run) as press,
    ):
        instant = press.instant(at)
        act = press.preview if dry_run else press.publish
        printed = act(views, at=instant, again=again, **how)
    tell_warnings(printed.warnings)
    if as_json:
        print_json(_figures(printed, dry_run=dry_run))
    else:
        typer.echo(_told(printed, study.plan, dry_run=dry_run))


def _figures(printed: Printed, *, dry_run: bool) -> dict[str, Any]:
    return {
        "dry run": dry_run,
        "files": [str(file) for file in printed.files],
        "rows dropped for missing values": printed.taken.dropped_rows,
        "missing cells of dropped rows": printed.taken.dropped,
        "waiting": printed.waiting,
        "carried over": printed.carried,
        "held back": printed.held_back,
        "changed": list(printed.changed),
        "warnings": list(printed.warnings),
        "certificate": printed.certificate,
        "differences": None if printed.separation is None else asdict(printed.separation),
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
            f" those asked for, the reader would have gained {figure(printed.instead.decisive)}."
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
    lost = certificate["detail lost"]["global certainty penalty"]
    lines = [
        f"Release {certificate['number']} at {publication.release.at}"
        f" {verb}: {certificate['tuples']:,} tuples in {certificate['groups']:,} groups,"
        f" {certificate['suppressed']:,} suppressed.",
        *(f"  {finding}." for finding in publication.verdict.findings),
        f"  Detail lost (GCP): {figure(lost)}.",
    ]
    lines += [f"  {one}" for one in given_away(certificate)]
    lines += [f"  {one}" for one in listing_told(certificate)]
    lines += _watched(printed, plan)
    if printed.separation is not None:
        lines.append(f"  {printed.separation}")
    dropped = printed.taken.dropped_rows
    if dropped or printed.taken.repeated:
        lines.append(
            f"  Left out before: {dropped:,} rows with missing values,"
            f" {printed.taken.repeated:,} further rows of the same respondents."
        )
    lines += [f"  Changed since the release before, {one}." for one in printed.changed]
    lines += [f"  {file}" for file in printed.files]
    if dry_run:
        lines.append("Nothing was written.")
    return "\n".join(lines)
