"""What comes of a shard, as records: of its groups, of the people in them, and what is left."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.engines.group_records import (
    counts_as_bytes,
    group_columns,
    group_labels,
)
from seriatim.engines.hashes import WHO
from seriatim.engines.past_bytes import packed_pasts
from seriatim.engines.recall import PASTS, VERSION, rows_schema
from seriatim.engines.shard_task import ShardTask
from seriatim.engines.shard_view import newcomers
from seriatim.engines.workers import KIND, NOTE, of_kind
from seriatim.inference.adversary import Impression
from seriatim.measure.disclosure import gain_over
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import Release
from seriatim.microdata.tables import plain
from seriatim.microdata.view import View
from seriatim.privacy.js_bound import JSBound
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.tally import Evidence, Tally

GROUP, PAST, LEFT, PLAN = "group", "past", "left", "plan"
"""What comes of a shard: records of groups, of people, rows that form no group, and what a
partitioner that remembers will go on with."""

PLANS = pa.schema([("shard", pa.int32()), (NOTE, pa.string())])
"""What a partitioner remembers of each shard."""


def shard_schema(n_attributes: int) -> pa.Schema:
    """Return the columns of all that comes of a shard."""
    fields = {field.name: field for field in (*rows_schema(n_attributes), *PASTS)}
    fields |= {field.name: field for field in group_columns(n_attributes)}
    return pa.schema([(KIND, pa.string()), (NOTE, pa.string()), *fields.values()])


@dataclass(frozen=True, eq=False)
class Made:
    """The finished part of a release that a shard makes."""

    view: View
    """The rows of the shard."""

    release: Release
    """Their part of the release."""

    membership: Membership
    """Who is in which group."""

    impression: Impression
    """What it leaves in the reader."""

    evidence: Evidence
    """What requirements looked at."""

    shard: int
    """The number of the shard."""

    homes: IntArray | None = None
    """Where people were placed, by a partitioner that remembers."""


def records(table: pa.Table, made: Made, task: ShardTask, schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the records of groups, and of the people in them."""
    view, release, membership = made.view, made.release, made.membership
    impression, homes = made.impression, made.homes
    counts = release.value_counts
    labels = group_labels([cover.text for cover in release.covers], counts, task.label_key)
    gains = _gains(view, release, membership, impression, counts)
    yield of_kind(
        GROUP,
        {
            "label_1": labels[0].view(np.int64),
            "label_2": labels[1].view(np.int64),
            "counts": counts_as_bytes(counts),
            **{f"region_{axis}": cover.text for axis, cover in enumerate(release.covers)},
            "penalty": release.penalties.sum(axis=1),
            "extent": release.extents.sum(axis=1),
            "gain": np.bincount(gains[0], gains[1], minlength=release.n_groups),
            "gain_worst": _largest(gains[0], gains[1], release.n_groups),
            "divergence": divergences(made.evidence, membership, task.policy.requirement),
        },
        schema,
    )
    seen = np.flatnonzero(impression.seen)
    group_of = membership.group_of[seen]
    pasts = impression.pasts
    yield of_kind(
        PAST,
        {
            **{name: plain(table.column(name)).take(pa.array(seen)) for name in WHO},
            VERSION: np.full(len(seen), task.number, dtype=np.int32),
            "seen_at": np.full(len(seen), np.nan) if pasts is None else pasts.seen_at,
            "past": pa.nulls(len(seen), pa.binary()) if pasts is None else packed_pasts(pasts),
            "label_1": labels[0][group_of].view(np.int64),
            "label_2": labels[1][group_of].view(np.int64),
            "shard": np.full(len(seen), made.shard, dtype=np.int32),
            "number": group_of.astype(np.int32),
            "home": pa.nulls(len(seen), pa.int64()) if homes is None else homes[seen],
            "is_new": newcomers(table)[seen],
        },
        schema,
    )


def planned(shard: int, plan: Mapping[str, Any], schema: pa.Schema) -> pa.Table:
    """Return the record of what a partitioner remembers of a shard."""
    return of_kind(PLAN, {"shard": [shard], NOTE: [json.dumps(dict(plan))]}, schema)


def placed(
    table: pa.Table,
    who: BoolArray,
    homes: IntArray,
    shard: int,
    task: ShardTask,
    schema: pa.Schema,
) -> pa.Table:
    """Return records of newcomers who were placed, and not published."""
    rows = np.flatnonzero(who)
    columns = {name: plain(table.column(name)).take(pa.array(rows)) for name in WHO}
    return of_kind(
        PAST,
        columns
        | {
            VERSION: np.full(len(rows), task.number, dtype=np.int32),
            "shard": np.full(len(rows), shard, dtype=np.int32),
            "home": homes[rows],
            "is_new": np.ones(len(rows), dtype=bool),
        },
        schema,
    )


def left_over(table: pa.Table, rows: IntArray, task: ShardTask, schema: pa.Schema) -> pa.Table:
    """Return the rows that a later round may form groups of."""
    left = table.take(pa.array(np.sort(rows)))
    names = rows_schema(len(task.schema.quasi_identifiers)).names
    return of_kind(LEFT, {name: plain(left.column(name)) for name in names}, schema)


def divergences(evidence: Evidence, membership: Membership, requirement: Requirement) -> FloatArray:
    """Return the divergence of beliefs in each group; 0 where none is bounded."""
    members = membership.members
    sizes = np.bincount(membership.group_of[members])
    bounds = [part for part in requirement.parts if isinstance(part, JSBound)]
    if not bounds:
        return np.zeros(len(sizes))
    tally = Tally.of(evidence, members, np.concatenate([[0], np.cumsum(sizes)]))
    return np.asarray(bounds[0].finding(tally).measured)


def _gains(
    view: View,
    release: Release,
    membership: Membership,
    impression: Impression,
    counts: IntArray,
) -> tuple[IntArray, FloatArray]:
    """Return the group of each member, and what the reader gains on them beyond counting."""
    rows = membership.members
    groups, truth = membership.group_of[rows], view.value_codes[rows]
    frequency = counts[groups, truth] / release.sizes[groups]
    return groups, gain_over(impression.posterior.at(rows, truth), frequency)


def _largest(groups: IntArray, figures: FloatArray, n_groups: int) -> FloatArray:
    found = np.full(n_groups, -np.inf)
    np.maximum.at(found, groups, figures)
    return found
