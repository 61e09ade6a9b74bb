"""The heart of every engine: what becomes of one shard of a view.

Given the rows of a shard with their pasts, and what is known of the whole view, it forms
groups, simulates the reader, checks the finished part as its readers will see it, and gives
records of groups, pasts, whoever is left over, and a summary. It sorts what it is given, so
that neither the order of arrival nor the machine matters.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, FloatArray, Instant, IntArray
from seriatim.engines.districts import DistrictRegister, home_of
from seriatim.engines.entrance import ties_of
from seriatim.engines.group_records import (
    counts_as_bytes,
    group_columns,
    group_labels,
    value_counts,
)
from seriatim.engines.hashes import WHO
from seriatim.engines.past_bytes import packed_pasts, unpacked_pasts
from seriatim.engines.recall import PASTS, VERSION, rows_schema
from seriatim.engines.workers import KIND, NOTE, of_kind, summary, whole
from seriatim.errors import InternalError
from seriatim.inference.adversary import Adversary, Expectation, Impression
from seriatim.inference.filtering import filtering_by_name
from seriatim.inference.pasts import Pasts
from seriatim.knowledge.belief import Belief
from seriatim.measure.disclosure import gain_over
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import Release
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import plain, to_numpy
from seriatim.microdata.view import View
from seriatim.partition.generalize import generalize
from seriatim.partition.hilbert import hilbert_order
from seriatim.partition.hilbert_greedy import greedy_starts
from seriatim.partition.partition import Partition
from seriatim.partition.register import UNPLACED, Enrolment
from seriatim.partition.remainder import settle
from seriatim.partition.standing_cells import StandingCells
from seriatim.privacy.js_bound import JSBound
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.tally import Evidence, Tally
from seriatim.publish.guard import guard
from seriatim.publish.policy import Policy

GROUP, PAST, LEFT, PLAN = "group", "past", "left", "plan"
"""What comes of a shard: records of groups, of people, rows that form no group, and what a
partitioner that remembers will go on with."""

PLANS = pa.schema([("shard", pa.int32()), (NOTE, pa.string())])
"""What a partitioner remembers of each shard."""


@dataclass(frozen=True)
class ShardTask:
    """What is known of the whole view, and of the series."""

    schema: Schema
    """The schema with every domain settled."""

    policy: Policy
    """What every group must satisfy."""

    reader: Adversary
    """The simulated reader, without a memory."""

    at: Instant
    """When the release is made."""

    number: int
    """The number of the release."""

    view_counts: tuple[int, ...]
    """How often each value occurs in the whole view."""

    label_key: bytes
    """What the labels of groups are drawn with."""

    ends_here: bool
    """Whether leftovers go by the policy; otherwise a later round may form groups of them."""

    mending: bool = False
    """Whether this is a later round."""


class Recollection:
    """What a reader remembers of the rows of a shard, in their order."""

    version = 0
    """It never changes."""

    def __init__(self, known: BoolArray, pasts: Pasts | None) -> None:
        """Take what was recalled."""
        self._found = known, pasts

    def recall(self, respondents: pa.Array) -> tuple[BoolArray, Pasts | None]:
        """Return who is remembered, and their pasts; the rows are those of the shard."""
        return self._found

    def keep(self, respondents: pa.Array, pasts: Pasts) -> None:
        """Keep nothing: what is to be kept is handed on."""


def shard_schema(n_attributes: int) -> pa.Schema:
    """Return the columns of all that comes of a shard."""
    fields = {field.name: field for field in (*rows_schema(n_attributes), *PASTS)}
    fields |= {field.name: field for field in group_columns(n_attributes)}
    return pa.schema([(KIND, pa.string()), (NOTE, pa.string()), *fields.values()])


def published_shard(
    task: ShardTask, schema: pa.Schema, tables: Iterator[pa.Table]
) -> Iterator[pa.Table]:
    """Form the groups of a shard, and tell what comes of it."""
    table, plan = _with_plan(whole(tables))
    if table is None:
        return
    if table.num_rows == 0:
        # Nobody of this shard is here today; what is remembered of it stays.
        yield _planned(plan["shard"], plan["plan"], schema)
        return
    table = in_order(table)
    view = view_of(table, task.schema)
    reader = task.reader.anew(recollection(table, task.reader, task.schema))
    expectation = reader.anticipate(view.roster, task.at)
    evidence = evidence_of(view, expectation, task)
    partition, merged, enrolment = _formed(view, evidence, table, plan, task)
    told: dict[str, Any] = {
        "shard": shard_of(table, task),
        "rows": len(view),
        "repeated": int(to_numpy(plain(table.column("repeated"))).sum()),
        "newcomers": 0,
        "records": 0,
        "groups": len(partition),
        "published": len(partition.rows),
        "left": len(partition.remainder),
        "merged": merged,
        "shown": [0] * evidence.n_values,
        "memory": 0,
    }
    homes = None if enrolment is None else home_of(told["shard"], enrolment.places)
    membership, published = None, np.zeros(len(view), dtype=bool)
    if len(partition):
        release, membership = finished(view, partition, evidence, task)
        impression = reader.consider(release, membership, expectation)
        published = membership.published
        told["shown"] = value_counts(release).sum(axis=0).tolist()
        made = Made(view, release, membership, impression, evidence, homes)
        yield from records(table, made, task, schema)
    new = _newcomers(table) & (published | (homes is not None))
    told |= {"newcomers": int(new.sum()), "records": int((published | new).sum())}
    if enrolment is not None and homes is not None:
        yield _planned(told["shard"], enrolment.plan, schema)
        yield _placed(table, new & ~published, homes, task, schema)
    if len(partition.remainder) and not task.ends_here:
        left = table.take(pa.array(np.sort(partition.remainder)))
        names = rows_schema(len(task.schema.quasi_identifiers)).names
        yield of_kind(LEFT, {name: plain(left.column(name)) for name in names}, schema)
    told["memory"] = most_memory()
    yield summary(told, schema)


def most_memory() -> int:
    """Return the most memory that this process has taken, in MB; 0 where nobody can tell."""
    try:
        import resource
    except ImportError:  # pragma: no cover - Windows
        return 0
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def in_order(table: pa.Table) -> pa.Table:
    """Sort rows by person: input order ends here, on a cluster too."""
    who = [to_numpy(plain(table.column(name))) for name in WHO]
    return table.take(pa.array(np.lexsort(who[::-1]))).combine_chunks()


def shard_of(table: pa.Table, task: ShardTask) -> int:
    """Return the number of a shard; those of later rounds are negative."""
    shards = to_numpy(plain(table.column("shard")))
    number = int(shards[0])
    if (shards != number).any():
        raise InternalError("Rows of several shards came together; nothing was published.")
    return -1 - number if task.mending else number


def view_of(table: pa.Table, schema: Schema) -> View:
    """Return the rows of a shard as a view, whose respondents are numbers."""
    n = table.num_rows
    points = np.column_stack(
        [
            to_numpy(plain(table.column(f"point_{axis}")))
            for axis in range(len(schema.quasi_identifiers))
        ]
    )
    codes = to_numpy(plain(table.column("value"))).astype(np.int64)
    return View(schema, pa.array(np.arange(n)), points, np.arange(n), codes, "pyarrow")


def recollection(table: pa.Table, reader: Adversary, schema: Schema) -> Recollection:
    """Return what is remembered of some rows."""
    column = plain(table.column("past"))
    known = ~to_numpy(column.is_null()).astype(bool)
    automaton = reader.automaton(schema.sensitive.domain)
    if automaton is None or not known.any():
        return Recollection(np.zeros(len(known), dtype=bool), None)
    rows = pa.array(known)
    seen_at = to_numpy(plain(table.column("seen_at")).filter(rows).fill_null(np.nan))
    structure = filtering_by_name(reader.filtering).structure(automaton)
    past = column.filter(rows)
    return Recollection(known, unpacked_pasts(past, seen_at, len(automaton.values), structure))


def evidence_of(view: View, expectation: Expectation, task: ShardTask) -> Evidence:
    """Return what requirements look at; values are compared with those of the whole view."""
    counts = np.array(task.view_counts, dtype=np.int64)
    revised = expectation.revised
    return Evidence(view.value_codes, revised.probabilities, view, revised, counts)


def finished(
    view: View, partition: Partition, evidence: Evidence, task: ShardTask
) -> tuple[Release, Membership]:
    """Return the shard's part of the release, checked as its readers will see it."""
    # The order of groups and rows comes from their labels; the one drawn here goes unseen.
    rng = np.random.default_rng(task.number)
    # Penalties are relative to the domain of the series: a shard does not see all of a view.
    attributes: tuple[Any, ...] = tuple(view.schema.quasi_identifiers)
    closed = tuple(
        replace(one, open=False) if getattr(one, "open", False) is True else one
        for one in attributes
    )
    inside = replace(view, schema=replace(view.schema, quasi_identifiers=closed))
    release, membership = generalize(inside, partition, at=task.at, rng=rng)
    guard(release, inside, membership, evidence, task.policy.requirement, whole_table=False)
    return release, membership


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

    homes: IntArray | None = None
    """Where people were placed, by a partitioner that remembers."""


def records(table: pa.Table, made: Made, task: ShardTask, schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the records of groups, and of the people in them."""
    view, release, membership = made.view, made.release, made.membership
    impression, homes = made.impression, made.homes
    counts = value_counts(release)
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
    seen, shard = np.flatnonzero(impression.seen), shard_of(table, task)
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
            "shard": np.full(len(seen), shard, dtype=np.int32),
            "number": group_of.astype(np.int32),
            "home": pa.nulls(len(seen), pa.int64()) if homes is None else homes[seen],
            "is_new": _newcomers(table)[seen],
        },
        schema,
    )


def divergences(evidence: Evidence, membership: Membership, requirement: Requirement) -> FloatArray:
    """Return the divergence of beliefs in each group; 0 where none is bounded."""
    members = membership.members
    sizes = np.bincount(membership.group_of[members])
    bounds = [part for part in requirement.parts if isinstance(part, JSBound)]
    if not bounds:
        return np.zeros(len(sizes))
    tally = Tally.of(evidence, members, np.concatenate([[0], np.cumsum(sizes)]))
    return np.asarray(bounds[0].finding(tally).measured)


def _formed(
    view: View,
    evidence: Evidence,
    table: pa.Table,
    plan: Mapping[str, Any],
    task: ShardTask,
) -> tuple[Partition, int, Enrolment | None]:
    """Form the groups of a shard; where it is not the end, mend the last one.

    What is open at the end of a shard lies next to its last group: it joins that group where
    the requirement allows it, and goes to a later round where it does not.
    """
    requirement, partitioner, ties = (
        task.policy.requirement,
        task.policy.partitioner,
        ties_of(table),
    )
    enrolment = None
    if isinstance(partitioner, StandingCells):
        homes = to_numpy(plain(table.column("home").fill_null(UNPLACED))).astype(np.int64)
        register = DistrictRegister(shard_of(table, task), plan.get("plan", {}), homes)
        partition, enrolment = partitioner.partition_next(
            view, _believed(evidence), requirement, ties=ties, register=register, evidence=evidence
        )
    else:
        order = hilbert_order(view.roster, ties=ties)
        starts = greedy_starts(order, evidence, requirement)
        partition = Partition(order[: starts[-1]], starts, order[starts[-1] :])
    left = len(partition.remainder)
    if not task.ends_here:
        return _mended(partition, evidence, requirement), 0, enrolment
    if task.policy.remainder == "merge":
        partition = settle(partition, evidence, requirement, "merge")
    return partition, left - len(partition.remainder), enrolment


def _believed(evidence: Evidence) -> Belief:
    """Return the beliefs that evidence was made of."""
    if evidence.source is None:
        raise InternalError("The evidence of a shard has lost its beliefs.")
    return evidence.source


def _with_plan(table: pa.Table | None) -> tuple[pa.Table | None, dict[str, Any]]:
    """Part the rows of a shard from what its partitioner remembers."""
    if table is None or NOTE not in table.column_names:
        return table, {}
    notes = table.filter(table.column(NOTE).is_valid())
    rows = table.filter(table.column(NOTE).is_null()).drop_columns(NOTE)
    if notes.num_rows == 0:
        return rows, {}
    plan: dict[str, Any] = json.loads(notes.column(NOTE)[0].as_py())
    return rows, {"shard": notes.column("shard")[0].as_py(), "plan": plan}


def _planned(shard: int, plan: Mapping[str, Any], schema: pa.Schema) -> pa.Table:
    return of_kind(PLAN, {"shard": [shard], NOTE: [json.dumps(dict(plan))]}, schema)


def _newcomers(table: pa.Table) -> BoolArray:
    """Tell who has no record yet."""
    return np.asarray(to_numpy(plain(table.column(VERSION).is_null())), dtype=bool)


def _placed(
    table: pa.Table, who: BoolArray, homes: IntArray, task: ShardTask, schema: pa.Schema
) -> pa.Table:
    """Return records of newcomers who were placed, and not published."""
    rows = np.flatnonzero(who)
    columns = {name: plain(table.column(name)).take(pa.array(rows)) for name in WHO}
    return of_kind(
        PAST,
        columns
        | {
            VERSION: np.full(len(rows), task.number, dtype=np.int32),
            "shard": np.full(len(rows), shard_of(table, task), dtype=np.int32),
            "home": homes[rows],
            "is_new": np.ones(len(rows), dtype=bool),
        },
        schema,
    )


def _mended(partition: Partition, evidence: Evidence, requirement: Requirement) -> Partition:
    """Let leftovers join the last group, if the union meets the requirement."""
    if len(partition) == 0 or len(partition.remainder) == 0:
        return partition
    rows = np.concatenate([partition.rows, partition.remainder])
    starts = np.append(partition.starts[:-1], len(rows))
    union = Tally.of(evidence, rows[starts[-2] :], np.array([0, len(rows) - starts[-2]]))
    if not requirement.verdict(union, scanning=True).holds:
        return partition
    return Partition(rows, starts, partition.remainder[:0])


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
