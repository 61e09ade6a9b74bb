"""An audit of a series that was made in shards: readers go through it where the data lies.

Who was in which group is in the series' records; what a reader remembers from release to
release lies beside them while the audit runs. Readers go forward only: to look back, one
machine must hold a whole history.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, Instant, IntArray
from seriatim.engines.entrance import (
    ROW,
    Entrance,
    codes_of,
    entered,
    entered_schema,
    roster_of,
)
from seriatim.engines.hashes import WHO
from seriatim.engines.past_bytes import packed_pasts
from seriatim.engines.recall import NOBODY, PASTS, VERSION, met, plain_array
from seriatim.engines.series import Manifest, SeriesFolder
from seriatim.engines.shard_records import PAST
from seriatim.engines.shard_view import in_order, recollection, view_of
from seriatim.engines.workers import KIND, NOTE, Data, Plain, of_kind, summary, whole
from seriatim.errors import OrderError, PolicyError, TableError
from seriatim.inference.adversary import Adversary
from seriatim.knowledge.learning import Learner
from seriatim.measure.exposure import Exposure, exposure_beyond
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import plain, to_numpy
from seriatim.partition.generalize import generalize
from seriatim.partition.partition import Partition
from seriatim.publish.records import read_instant

if TYPE_CHECKING:
    from seriatim.engines.declaration import Series
    from seriatim.engines.engine import ShardedEngine

_PLACE = ("label_1", "label_2", "shard", "number")
_MEMBERS = pa.schema([PASTS.field(name) for name in (*WHO, VERSION, *_PLACE)])
_REMEMBERED = pa.schema([PASTS.field(name) for name in (*WHO, VERSION, "seen_at", "past")])


@dataclass(frozen=True)
class ReleaseExposure:
    """What one reader learned from one release; each figure beside that of mere counting."""

    reader: str
    """The reader's name."""

    at: Instant
    """The release."""

    tuples: int
    """Respondents that the figures are over: the published."""

    gain: float
    """Mean gain over counting."""

    gain_spread: float
    """Standard deviation of the gain over respondents."""

    confidence: float
    """Mean belief in the true value."""

    confidence_by_frequency: float
    """Mean share of the true value in its group."""

    log_loss: float
    """Mean surprise at the truth, in bits."""

    log_loss_by_frequency: float
    """The same for counting."""

    top_rate: float
    """How often the most believed value is true."""

    above_half: float
    """Share of respondents whose true value is believed above 0.5."""

    above_nine_tenths: float
    """The same above 0.9."""

    above_nine_tenths_by_frequency: float
    """The same for counting."""

    sure_above_nine_tenths: float
    """Share of respondents of whom some value, true or not, is believed above 0.9."""

    sure_and_right: float | None
    """How many of those are right; None where there are none."""


@dataclass(frozen=True)
class Reading:
    """What is needed to read the groups of one release."""

    schema: Schema
    """The schema of the series."""

    reader: Adversary
    """The reader, without a memory."""

    at: Instant
    """When the release was made."""

    number: int
    """The number of the release."""


def attacked(
    engine: ShardedEngine[Data],
    series: Series,
    originals: Sequence[Any],
    readers: Mapping[str, Adversary],
) -> tuple[ReleaseExposure, ...]:
    """Let readers go through a series, and tell what they learned, release by release."""
    files = engine.workers.files
    place = SeriesFolder(files, series.folder, series.output)
    manifest = place.manifest()
    _require_readable(manifest, originals, readers)
    assert manifest is not None
    work = place.new_work()
    found: list[ReleaseExposure] = []
    try:
        for number, original in enumerate(originals, start=1):
            engine.reached(f"seating the people of release {number}")
            _seat(engine, series, manifest, original, f"{work}/{number}", number, place)
        for name, reader in readers.items():
            before: list[str] = []
            for number, entry in enumerate(manifest.entries, start=1):
                engine.reached(f"reading release {number} like the {name} reader")
                at = read_instant(json.dumps(entry["at"]))
                schema = manifest.schema or series.schema
                task = Reading(schema, reader.anew(), at, number)
                folder = f"{work}/{name}-{number}"
                told = _read(engine, task, f"{work}/{number}/seated", before, folder, manifest)
                before = [f"{folder}/{KIND}={PAST}", *before]
                found.append(_exposure(name, at, told))
    finally:
        files.remove(work)
    return tuple(found)


def _seat(
    engine: ShardedEngine[Data],
    series: Series,
    manifest: Manifest,
    original: Any,
    work: str,
    number: int,
    place: SeriesFolder,
) -> None:
    """Write the rows of a view with their groups."""
    workers = engine.workers
    schema = manifest.schema or series.schema
    data = workers.source(original, schema.columns, series.texts)
    columns = entered_schema(schema, workers.schema_of(data))
    task = Entrance(schema, manifest.secret, series.missing)
    told = engine.made(data, entered, task, columns, f"{work}/entered")
    kept = pa.schema([field for field in columns if field.name not in (KIND, NOTE)])
    rows = workers.kept([f"{work}/entered/{KIND}={ROW}"], kept)
    members = workers.kept(place.pasts(tuple(manifest.members[number - 1])), _MEMBERS)
    total = sum(one["rows"] for one in told)
    buckets = math.ceil(2 * total / engine.sizes.bucket)
    rows = workers.exchanged(workers.together(rows, members), WHO[0], buckets)
    seated_columns = seated_schema(len(schema.quasi_identifiers))
    workers.write(
        workers.mapped(rows, Plain(seated, schema, seated_columns), seated_columns),
        f"{work}/seated",
    )


def _read(
    engine: ShardedEngine[Data],
    task: Reading,
    seated_in: str,
    before: list[str],
    folder: str,
    manifest: Manifest,
) -> list[dict[str, Any]]:
    """Let one reader read one release."""
    workers = engine.workers
    columns = seated_schema(len(task.schema.quasi_identifiers))
    rows = workers.kept([seated_in], columns)
    tuples = manifest.entries[task.number - 1]["certificate"]["tuples"]
    if before:
        rows = workers.together(rows, workers.kept(before, _REMEMBERED))
    size = tuples * (1 + len(before))
    rows = workers.exchanged(rows, WHO[0], math.ceil(size / engine.sizes.bucket))
    reminded_columns = pa.schema([*columns, PASTS.field("seen_at"), PASTS.field("past")])
    rows = workers.mapped(rows, Plain(reminded, reminded_columns), reminded_columns)
    rows = workers.exchanged(rows, "label_1", math.ceil(tuples / engine.sizes.shard))
    return engine.made(rows, read_groups, task, read_schema(), folder)


def seated_schema(n_attributes: int) -> pa.Schema:
    """Return the columns of rows that know their group; without one, its number is empty."""
    points = [(f"point_{axis}", pa.float64()) for axis in range(n_attributes)]
    return pa.schema(
        [
            (WHO[0], pa.int64()),
            (WHO[1], pa.int64()),
            ("value", pa.int32()),
            *points,
            *(PASTS.field(name) for name in _PLACE),
        ]
    )


def read_schema() -> pa.Schema:
    """Return the columns of what a reader remembers, and of what is told of it."""
    return pa.schema([(KIND, pa.string()), (NOTE, pa.string()), *_REMEMBERED])


def seated(schema: Schema, columns: pa.Schema, tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Give each row of a bucket its group."""
    table = whole(tables)
    if table is None:
        return
    rows, record, _ = met(table)
    if len(rows) == 0:
        return
    there = table.take(pa.array(rows))
    roster = roster_of(there, schema)
    which = pa.array(record, mask=record == NOBODY)
    made: dict[str, Any] = {
        **{name: there.column(name) for name in WHO},
        "value": codes_of(there, schema),
        **{f"point_{axis}": roster.points[:, axis] for axis in range(roster.points.shape[1])},
        **{name: table.column(name).take(which) for name in _PLACE},
    }
    # Rows go by this word to where they are read; whoever is in no group may go anywhere.
    made["label_1"] = made["label_1"].fill_null(0)
    yield pa.table([plain_array(made[one.name], one.type) for one in columns], schema=columns)


def reminded(columns: pa.Schema, tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Give each row of a bucket what the reader remembers."""
    table = whole(tables)
    if table is None:
        return
    rows, record, _ = met(table)
    there = table.take(pa.array(rows))
    which = pa.array(record, mask=record == NOBODY)
    for name in ("seen_at", "past"):
        found = pa.nulls(len(rows), columns.field(name).type)
        if name in table.column_names:
            found = plain_array(table.column(name).take(which), columns.field(name).type)
            there = there.drop_columns(name)
        there = there.append_column(name, found)
    yield there.select(columns.names).cast(columns)


def read_groups(task: Reading, schema: pa.Schema, tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Read the groups of a part; give what is to be remembered, and figures."""
    table = whole(tables)
    if table is None:
        return
    table = in_order(table)
    view = view_of(table, task.schema)
    reader = task.reader.anew(recollection(table, task.reader, task.schema))
    partition = _partition(table)
    if len(partition) == 0:
        return
    rng = np.random.default_rng(task.number)
    release, membership = generalize(view, partition, at=task.at, rng=rng)
    expectation = reader.anticipate(view.roster, task.at)
    impression = reader.consider(release, membership, expectation)
    seen = np.flatnonzero(impression.seen)
    if impression.pasts is not None:
        yield of_kind(
            PAST,
            {
                **{name: plain(table.column(name)).take(pa.array(seen)) for name in WHO},
                VERSION: np.full(len(seen), task.number, dtype=np.int32),
                "seen_at": impression.pasts.seen_at,
                "past": packed_pasts(impression.pasts),
            },
            schema,
        )
    rows = membership.members
    counts = np.zeros((len(partition), len(task.schema.sensitive.domain)))
    np.add.at(counts, (membership.group_of[rows], view.value_codes[rows]), 1)
    counted = counts / counts.sum(axis=1, keepdims=True)
    beliefs = impression.posterior.probabilities[rows]
    exposed = exposure_beyond(beliefs, counted[membership.group_of[rows]], view.value_codes[rows])
    sure = float((beliefs.max(axis=1) > 0.9).sum())
    order = int(to_numpy(plain(table.column(WHO[0])))[0])
    yield summary(_sums(exposed, order) | {"sure": sure}, schema)


def _partition(table: pa.Table) -> Partition:
    """Return the groups that rows say they are in."""
    number = plain(table.column("number"))
    there: BoolArray = ~to_numpy(number.is_null()).astype(bool)
    keys = [to_numpy(plain(table.column(name).fill_null(0))) for name in _PLACE]
    rows: IntArray = np.flatnonzero(there)
    order = rows[np.lexsort([key[rows] for key in keys])]
    new = np.logical_or.reduce([key[order][1:] != key[order][:-1] for key in keys])
    begins = np.flatnonzero(np.r_[True, new]) if len(order) else np.empty(0, dtype=np.int64)
    starts = np.append(begins, len(order)).astype(np.int64)
    return Partition(order, starts, np.flatnonzero(~there))


def _sums(exposed: Exposure, order: int) -> dict[str, Any]:
    """Return sums over the respondents of a part."""
    n, gain = len(exposed.confidence), exposed.gain
    return {
        "order": order,
        "tuples": n,
        "gain": float(gain.sum()),
        "gain squared": float((gain**2).sum()),
        "confidence": float(exposed.confidence.sum()),
        "frequency": float(exposed.frequency.sum()),
        "log loss": exposed.log_loss * n,
        "log loss by frequency": exposed.log_loss_by_frequency * n,
        "top": float(exposed.is_top.sum()),
        "above half": exposed.above(0.5) * n,
        "above nine tenths": exposed.above(0.9) * n,
        "above nine tenths by frequency": exposed.above_by_frequency(0.9) * n,
    }


def _exposure(name: str, at: Instant, told: list[dict[str, Any]]) -> ReleaseExposure:
    told = sorted(told, key=lambda one: one["order"])
    n = sum(one["tuples"] for one in told)

    def mean(figure: str) -> float:
        return float(math.fsum(one[figure] for one in told) / n)

    gain = mean("gain")
    return ReleaseExposure(
        name,
        at,
        n,
        gain,
        math.sqrt(max(mean("gain squared") - gain**2, 0.0)),
        mean("confidence"),
        mean("frequency"),
        mean("log loss"),
        mean("log loss by frequency"),
        mean("top"),
        mean("above half"),
        mean("above nine tenths"),
        mean("above nine tenths by frequency"),
        mean("sure"),
        mean("above nine tenths") / mean("sure") if mean("sure") else None,
    )


def _require_readable(
    manifest: Manifest | None, originals: Sequence[Any], readers: Mapping[str, Adversary]
) -> None:
    """Refuse what cannot be read in shards."""
    number = 0 if manifest is None else manifest.number
    if number == 0:
        message = (
            "There is no series in shards here yet. Publish one with an engine over shards, or name"
            " the releases of the series that is to be attacked."
        )
        raise OrderError(message)
    if len(originals) != number:
        message = (
            f"The series has {number} releases, and {len(originals)} originals were given: one is"
            " needed for each release, the earliest first."
        )
        raise OrderError(message)
    if not readers:
        message = "An audit needs at least one reader, such as {'paper': Adversary(...)}."
        raise TableError(message)
    for name, reader in readers.items():
        forward: object = reader
        if not isinstance(forward, Adversary) or reader.compromised is not None:
            message = (
                f"The reader {name!r} cannot be run in shards: readers who look back, or were told"
                " values, hold more than a shard. Audit a part of the people on one machine."
            )
            raise PolicyError(message)
        if isinstance(reader.prior, Learner) or isinstance(reader.sequence, Learner):
            message = f"The reader {name!r} learns from the views, which shards do not support."
            raise PolicyError(message)
