"""``seriatim publish --engine shards`` and ``--engine spark``: the next release, in shards."""

from __future__ import annotations

from typing import Any

import typer

from seriatim._figures import written_measure
from seriatim.cli.common import (
    figure,
    given_away,
    print_json,
    progress_through,
    telling_warnings,
)
from seriatim.cli.sharded import running_engine, source_of
from seriatim.engines.declaration import STEPS, Outcome
from seriatim.engines.of_study import series_of
from seriatim.microdata.instants import read_instant_word
from seriatim.publish.pooling import require_pool
from seriatim.publish.study import Study


def publish_in_shards(
    views: list[str],
    study: Study,
    at: str | None,
    *,
    engine: str,
    master: str | None,
    shards: int | None,
    settings: list[str],
    dry_run: bool,
    again: bool,
    as_json: bool,
) -> None:
    """Publish a view in shards, or show what would be published."""
    series = series_of(study)
    require_pool(1, len(views))
    declared = study.declared.engine
    instant = None if at is None else read_instant_word(at)
    asked: dict[str, Any] = {
        "at": instant,
        "shards": declared.shards if shards is None else shards,
        "again": again,
        "only_look": dry_run,
    }
    named = declared.master if master is None else master
    with (
        telling_warnings() as heard,
        progress_through(STEPS, quiet=as_json) as reached,
        running_engine(engine, named, settings, reached) as running,
    ):
        outcome = running.publish(series, source_of(views[0]), **asked)
        warnings = list(heard)
    if as_json:
        print_json(
            {
                "dry run": dry_run,
                "files": list(outcome.files),
                "rows dropped for missing values": outcome.dropped_rows,
                "missing cells of dropped rows": outcome.dropped,
                "warnings": warnings,
                "certificate": outcome.certificate,
            }
        )
    else:
        typer.echo(_told(outcome, dry_run=dry_run))


def _told(outcome: Outcome, *, dry_run: bool) -> str:
    """Tell what was published, a line for each thing worth knowing."""
    told = outcome.certificate
    verb = "would be published" if dry_run else "published"
    gain = told["simulated reader"]["mean gain"]
    lost = told["detail lost"].get("global certainty penalty")
    lost_told = "told where all domains are declared" if lost is None else figure(lost)
    worst = ", ".join(f"{one['name']} {written_measure(one['worst'])}" for one in told["measured"])
    lines = [
        f"Release {told['number']} at {next(iter(told['at'].values()))} {verb}:"
        f" {told['tuples']:,} tuples in {told['groups']:,} groups,"
        f" {told['suppressed']:,} suppressed, from {told['made by']['shards']} shards.",
        f"  Worst in any group: {worst}.",
        f"  Detail lost (GCP): {lost_told}.",
        f"  The simulated reader gains {figure(gain)} on the mean.",
    ]
    lines += [f"  {one}" for one in given_away(told)]
    if outcome.dropped_rows:
        lines.append(f"  Left out before: {outcome.dropped_rows:,} rows with missing values.")
    lines += [f"  {file}" for file in outcome.files]
    if dry_run:
        lines.append("Nothing was written.")
    return "\n".join(lines)
