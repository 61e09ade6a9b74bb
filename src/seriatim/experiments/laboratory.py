"""The laboratory: runs what experiments ask for, on all cores, and goes on where it stopped.

A job is one series of one setting, with all its attacks. What comes of it is a table of
its own in the folder, written whole; a job whose table is there is not run again.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from seriatim.audit.attack import audit
from seriatim.audit.reader import Reader
from seriatim.errors import TableError
from seriatim.experiments.plans import Demand, Scale, merged, possible, split_attack
from seriatim.experiments.results import COLUMNS, Results, Row
from seriatim.experiments.series import Material, PublishedSeries, publish_series
from seriatim.experiments.settings import Setting
from seriatim.inference.readers import named_readers
from seriatim.measure.queries import median_query_error
from seriatim.measure.utility import global_certainty_penalty, semiperimeter

Done = Callable[[str], None]
"""Told what was finished, after it was."""


def run(
    settings: Sequence[Setting],
    demands: Iterable[Demand],
    scale: Scale,
    folder: Path,
    *,
    workers: int | None = None,
    done: Done = lambda _: None,
) -> Results:
    """Run every demand on every setting, and return all that came of it."""
    asked = merged(demands)
    jobs = _jobs(settings, asked)
    files = [folder / f"{_digest(setting, demand, scale)}.parquet" for setting, demand in jobs]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"Results cannot be kept in {folder}: {error.strerror}."
        raise TableError(message) from None
    waiting = [(job, file) for job, file in zip(jobs, files, strict=True) if not file.exists()]
    for (setting, demand), file in zip(jobs, files, strict=True):
        if file.exists():
            done(_told(setting, demand))
    from seriatim.kernels._jit import usable_cores

    cores = workers or usable_cores()
    if cores <= 1 or len(waiting) <= 1:
        for (setting, demand), file in waiting:
            _keep(run_job(setting, demand, scale), file)
            done(_told(setting, demand))
    else:
        # Spawned, not forked: the compiled kernels' threads do not survive a fork.
        with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
            running = {
                pool.submit(run_job, setting, demand, scale): (setting, demand, file)
                for (setting, demand), file in waiting
            }
            try:
                for finished in as_completed(running):
                    setting, demand, file = running[finished]
                    _keep(finished.result(), file)
                    done(_told(setting, demand))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return Results(pa.concat_tables([pyarrow.parquet.read_table(file) for file in files]))


def job_names(settings: Sequence[Setting], demands: Iterable[Demand]) -> tuple[str, ...]:
    """Return what ``done`` will be told, for whoever shows how far the work is."""
    return tuple(_told(*job) for job in _jobs(settings, merged(demands)))


def _jobs(settings: Sequence[Setting], demands: list[Demand]) -> list[tuple[Setting, Demand]]:
    """Return what is to be done; queries are put to the first kind of setting only."""
    jobs = []
    for setting in settings:
        for demand in possible(demands, setting.kinds):
            counted = demand.selectivities if setting.name == settings[0].name else ()
            jobs.append((setting, replace(demand, selectivities=counted)))
    return jobs


def run_job(setting: Setting, demand: Demand, scale: Scale) -> pa.Table:
    """Publish one series, attack it, and return all measures as rows."""
    material = setting.material()
    plan = demand.plan
    if plan.every > 1:
        material = Material(material.views[:: plan.every], material.schema, None, material.seed)
    series = publish_series(plan.technique, material, setting.reader(plan.defender))
    rows = [
        *_of_releases(series, plan.every),
        *_of_queries(series, demand, scale, setting.seed),
        *_of_attacks(series, demand, setting),
    ]
    front = {"setting": setting.name, "seed": setting.seed, "series": plan.name}
    return pa.Table.from_pylist([front | row for row in rows], schema=COLUMNS)


def _of_releases(series: PublishedSeries, every: int) -> Iterable[Row]:
    for number, one in enumerate(series.publications):
        release = one.release
        found = {
            "GCP": global_certainty_penalty(release),
            "semiperimeter": semiperimeter(release),
            "suppressed": float(one.suppressed),
            "tuples": float(len(release)),
            "groups": float(release.n_groups),
            "seconds": series.seconds[number],
        }
        for measure, value in found.items():
            yield _row("", 1 + number * every, measure, value)
    if series.failure is not None:
        yield _row("", 1 + len(series.publications) * every, "failed", 1.0)


def _of_queries(series: PublishedSeries, demand: Demand, scale: Scale, seed: int) -> Iterable[Row]:
    for number, one in enumerate(series.publications, start=1):
        if number % scale.query_every:
            continue
        for selectivity in demand.selectivities:
            error = median_query_error(
                one.release, one.view, selectivity=selectivity, queries=scale.queries, seed=seed
            )
            yield _row("", number, f"query error {selectivity:g}", error)


def _of_attacks(series: PublishedSeries, demand: Demand, setting: Setting) -> Iterable[Row]:
    if not series.publications or not demand.attacks:
        return
    readers = {attack: _reader(attack, setting) for attack in demand.attacks}
    found = audit(series.releases, series.views, readers, memberships=series.memberships)
    for row in found.rows:
        measures = {
            "gain": row.gain,
            "confidence": row.confidence,
            "log-loss": row.log_loss,
            "log-loss by counting": row.log_loss_by_frequency,
        }
        for measure, value in measures.items():
            if value is not None:
                yield _row(row.reader, int(row.at), measure, value)


def _reader(attack: str, setting: Setting) -> Reader:
    kind, reading = split_attack(attack)
    knowledge = setting.reader(kind)
    if not reading:
        return knowledge
    return named_readers([reading], replace(knowledge))[reading]


def _row(attack: str, release: int, measure: str, value: float) -> Row:
    return {"attack": attack, "release": release, "measure": measure, "value": float(value)}


def _told(setting: Setting, demand: Demand) -> str:
    return f"{setting.name}, seed {setting.seed}: {demand.plan.name}"


def _digest(setting: Setting, demand: Demand, scale: Scale) -> str:
    """Name a job by everything that its result depends on."""
    told: Any = (_sources(), setting, demand, scale.queries, scale.query_every)
    return hashlib.blake2b(repr(told).encode(), digest_size=12).hexdigest()


@functools.cache
def _sources() -> str:
    """Return a digest of the package itself: other code may give other results."""
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    return hashlib.blake2b(b"".join(file.read_bytes() for file in files)).hexdigest()


def _keep(table: pa.Table, file: Path) -> None:
    part = file.with_suffix(".part")
    pyarrow.parquet.write_table(table, part, compression="zstd")
    part.replace(file)
