"""``seriatim publish --engine shards`` and ``--engine spark``: the next release, in shards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from seriatim.cli.common import print_json, progress_through
from seriatim.engines.declaration import STEPS, Outcome, Series
from seriatim.engines.engine import ShardedEngine
from seriatim.engines.of_study import series_of
from seriatim.errors import PolicyError
from seriatim.microdata.instants import read_instant_word
from seriatim.publish.study import Study


def publish_in_shards(
    view: str,
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
    declared = study.declared.engine
    instant = None if at is None else read_instant_word(at)
    asked: dict[str, Any] = {
        "at": instant,
        "shards": declared.shards if shards is None else shards,
        "again": again,
        "only_look": dry_run,
    }
    with progress_through(STEPS, quiet=as_json) as reached:
        if engine == "shards":
            from seriatim.engines.local.engine import LocalEngine

            outcome = LocalEngine(progress=reached).publish(series, view, **asked)
        else:
            from seriatim.engines.spark.engine import SparkEngine
            from seriatim.engines.spark.session import spark_session

            named = master if master is not None else declared.master
            with spark_session(named, _settings(settings)) as session:
                running = SparkEngine(session, progress=reached)
                outcome = _published(running, series, view, asked)
    if as_json:
        print_json(
            {
                "dry run": dry_run,
                "files": list(outcome.files),
                "rows dropped for missing values": outcome.dropped,
                "certificate": outcome.certificate,
            }
        )
    else:
        typer.echo(_told(outcome, dry_run=dry_run))


def _published(
    engine: ShardedEngine[Any], series: Series, view: str, asked: dict[str, Any]
) -> Outcome:
    """Publish a file of this machine, or whatever else the name stands for on the cluster."""
    source = str(Path(view).resolve()) if Path(view).exists() else view
    return engine.publish(series, source, **asked)


def _settings(given: list[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in given]
    wrong = [one for one, (_, sign, _) in zip(given, pairs, strict=True) if not sign]
    if wrong:
        message = f"A setting of Spark is NAME=VALUE, not {wrong[0]!r}."
        raise PolicyError(message)
    return {name: value for name, _, value in pairs}


def _told(outcome: Outcome, *, dry_run: bool) -> str:
    """Tell what was published, a line for each thing worth knowing."""
    told = outcome.certificate
    verb = "would be published" if dry_run else "published"
    worst = ", ".join(f"{one['name']} {one['worst']:.4g}" for one in told["measured"])
    lines = [
        f"Release {told['number']} at {next(iter(told['at'].values()))} {verb}:"
        f" {told['tuples']:,} tuples in {told['groups']:,} groups,"
        f" {told['suppressed']:,} suppressed, from {told['made by']['shards']} shards.",
        f"  Worst in any group: {worst}.",
        f"  Detail lost (GCP): {told['detail lost']['global certainty penalty']:.3f}.",
        f"  The simulated reader gains {told['simulated reader']['mean gain']:.3f} on the mean.",
    ]
    if outcome.dropped:
        lines.append(f"  Left out before: {sum(outcome.dropped.values())} missing values.")
    lines += [f"  {file}" for file in outcome.files]
    if dry_run:
        lines.append("Nothing was written.")
    return "\n".join(lines)
