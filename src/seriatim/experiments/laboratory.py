"""The laboratory: runs what experiments ask for, on all cores, and goes on where it stopped.

A job is one series of one setting, with all its attacks, or one rehearsal that series of a
setting wait for. What comes of it is a table of its own in the folder, written whole; a job
whose table is there is not run again.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from seriatim.audit.attack import audit
from seriatim.audit.reader import Reader
from seriatim.errors import TableError
from seriatim.experiments.plans import Demand, Scale, merged, possible, split_attack
from seriatim.experiments.recommendation import Recommendation, from_table, to_table
from seriatim.experiments.rehearsing import Question, answered, questions, settled
from seriatim.experiments.results import COLUMNS, Results, Row, query_measure
from seriatim.experiments.same_size import as_large
from seriatim.experiments.series import Material, PublishedSeries, publish_series
from seriatim.experiments.settings import Setting
from seriatim.experiments.techniques import Technique
from seriatim.inference.readers import named_readers
from seriatim.measure.queries import median_query_error
from seriatim.measure.utility import global_certainty_penalty, semiperimeter

Done = Callable[[str], None]
"""Told what was finished, after it was."""


@dataclass(frozen=True)
class _Job:
    """A piece of work that can be done in another process."""

    told: str
    """What is said of it once it is done."""

    file: Path
    """Where its table is kept."""

    work: Callable[..., pa.Table]
    """What makes the table."""

    arguments: tuple[Any, ...]
    """What it is made from."""


def run(
    settings: Sequence[Setting],
    demands: Iterable[Demand],
    scale: Scale,
    folder: Path,
    *,
    workers: int | None = None,
    done: Done = lambda _: None,
) -> Results:
    """Run every demand on every setting, and return all that came of it.

    Rehearsals come first, with all that does not wait for them. Series for which nothing
    was recommended are left out.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"Results cannot be kept in {folder}: {error.strerror}."
        raise TableError(message) from None
    asked = _asked(settings, merged(demands))
    rehearsals = {one: _rehearsal_job(folder, *one) for one in _questions(asked)}
    ready = [_series_job(folder, scale, *one) for one in asked if not one[1].plan.unsettled]
    waiting = [one for one in asked if one[1].plan.unsettled]
    from seriatim.kernels._jit import usable_cores

    cores = workers or usable_cores()
    # Spawned, not forked: the compiled kernels' threads do not survive a fork.
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        hands = pool if cores > 1 else None
        _carry_out([*rehearsals.values(), *ready], hands, done)
        found = {
            key: from_table(pyarrow.parquet.read_table(one.file))[0]
            for key, one in rehearsals.items()
        }
        late = []
        for setting, demand in waiting:
            plan = settled(demand.plan, _answers(found, setting))
            if plan is None:
                done(_told(setting, demand))
            else:
                late.append(_series_job(folder, scale, setting, replace(demand, plan=plan)))
        _carry_out(late, hands, done)
    tables = [pyarrow.parquet.read_table(one.file) for one in (*ready, *late)]
    return Results(pa.concat_tables(tables), tuple(found.values()))


def _series_job(folder: Path, scale: Scale, setting: Setting, demand: Demand) -> _Job:
    file = _file(folder, setting, demand, scale.queries, scale.query_every)
    return _Job(_told(setting, demand), file, run_job, (setting, demand, scale))


def _rehearsal_job(folder: Path, setting: Setting, question: Question) -> _Job:
    told, file = _told_rehearsal(setting, question), _file(folder, setting, question)
    return _Job(told, file, run_rehearsal, (setting, question))


def _answers(
    found: Mapping[tuple[Setting, Question], Recommendation], setting: Setting
) -> dict[Question, Recommendation]:
    """Return what was rehearsed in one setting."""
    return {question: one for (where, question), one in found.items() if where == setting}


def _carry_out(jobs: Sequence[_Job], pool: ProcessPoolExecutor | None, done: Done) -> None:
    """See to it that every job's table is there."""
    waiting = [one for one in jobs if not one.file.exists()]
    for one in jobs:
        if one.file.exists():
            done(one.told)
    if pool is None or len(waiting) <= 1:
        for one in waiting:
            _keep(one.work(*one.arguments), one.file)
            done(one.told)
        return
    running = {pool.submit(one.work, *one.arguments): one for one in waiting}
    try:
        for finished in as_completed(running):
            one = running[finished]
            _keep(finished.result(), one.file)
            done(one.told)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise


def job_names(settings: Sequence[Setting], demands: Iterable[Demand]) -> tuple[str, ...]:
    """Return what ``done`` will be told, for whoever shows how far the work is."""
    asked = _asked(settings, merged(demands))
    rehearsals = tuple(_told_rehearsal(*one) for one in _questions(asked))
    return rehearsals + tuple(_told(*one) for one in asked)


def _questions(asked: list[tuple[Setting, Demand]]) -> list[tuple[Setting, Question]]:
    """Return what must be rehearsed, once for each setting however many series wait for it."""
    return list(
        dict.fromkeys(
            (setting, question) for setting, demand in asked for question in questions(demand.plan)
        )
    )


def _asked(settings: Sequence[Setting], demands: list[Demand]) -> list[tuple[Setting, Demand]]:
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
    policy = plan.policy
    rows: list[Row] = []
    if plan.as_large_as:
        (like,) = plan.as_large_as
        model = publish_series(like.technique, material, setting.reader(like.defender))
        policy = as_large(policy, model.mean_size, material, setting.reader(plan.defender))
        rows.append(_row("", 1, "k", policy.k))
    technique = Technique(plan.name, policy)
    series = publish_series(technique, material, setting.reader(plan.defender))
    rows += [
        *_of_releases(series, plan.every),
        *_of_queries(series, demand, scale, setting.seed),
        *_of_attacks(series, demand, setting),
    ]
    front = {"setting": setting.name, "seed": setting.seed, "series": plan.name}
    return pa.Table.from_pylist([front | row for row in rows], schema=COLUMNS)


def run_rehearsal(setting: Setting, question: Question) -> pa.Table:
    """Rehearse once, and return what is recommended as a row."""
    return to_table([answered(setting, question)])


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
            yield _row("", number, query_measure(selectivity), error)


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
            "right above 0.9": row.sure_and_right,
        }
        for measure, value in measures.items():
            if value is not None:
                yield _row(row.reader, int(row.at), measure, value)


def _reader(attack: str, setting: Setting) -> Reader:
    kind, reading = split_attack(attack)
    knowledge = setting.reader(kind)
    if not reading:
        return knowledge
    return named_readers([reading], knowledge)[reading]


def _row(attack: str, release: int, measure: str, value: float) -> Row:
    return {"attack": attack, "release": release, "measure": measure, "value": float(value)}


def _told(setting: Setting, demand: Demand) -> str:
    return f"{setting.name}, seed {setting.seed}: {demand.plan.name}"


def _told_rehearsal(setting: Setting, question: Question) -> str:
    return f"{setting.name}, seed {setting.seed}: rehearsal with {question.defender}"


def _file(folder: Path, *told: object) -> Path:
    """Name a job's table by everything that its result depends on."""
    digest = hashlib.blake2b(repr((_sources(), *told)).encode(), digest_size=12).hexdigest()
    return folder / f"{digest}.parquet"


@functools.cache
def _sources() -> str:
    """Return a digest of the package itself: other code may give other results."""
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    return hashlib.blake2b(b"".join(file.read_bytes() for file in files)).hexdigest()


def _keep(table: pa.Table, file: Path) -> None:
    part = file.with_suffix(".part")
    pyarrow.parquet.write_table(table, part, compression="zstd")
    part.replace(file)
