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
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim.engines.districts import DistrictRegister, home_of
from seriatim.engines.entrance import ties_of
from seriatim.engines.shard_records import Made, left_over, placed, planned, records
from seriatim.engines.shard_task import ShardTask
from seriatim.engines.shard_view import in_order, newcomers, recollection, view_of
from seriatim.engines.workers import NOTE, summary, whole
from seriatim.errors import InternalError
from seriatim.inference.adversary import Expectation
from seriatim.knowledge.belief import Belief
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import Release
from seriatim.microdata.tables import plain, to_numpy
from seriatim.microdata.view import View
from seriatim.partition.generalize import generalize
from seriatim.partition.hilbert import hilbert_order
from seriatim.partition.hilbert_greedy import greedy_starts
from seriatim.partition.partition import Partition
from seriatim.partition.register import UNPLACED, Enrolment
from seriatim.partition.remainder import settle
from seriatim.partition.standing_cells import StandingCells
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.tally import Evidence, Tally
from seriatim.publish.guard import guard


def published_shard(
    task: ShardTask, schema: pa.Schema, tables: Iterator[pa.Table]
) -> Iterator[pa.Table]:
    """Form the groups of a shard, and tell what comes of it."""
    table, plan = _with_plan(whole(tables))
    if table is None:
        return
    if table.num_rows == 0:
        # Nobody of this shard is here today; what is remembered of it stays.
        yield planned(plan["shard"], plan["plan"], schema)
        return
    table = in_order(table)
    view, shard = view_of(table, task.schema), shard_of(table, task)
    reader = task.reader.anew(recollection(table, task.reader, task.schema))
    expectation = reader.anticipate(view.roster, task.at)
    evidence = evidence_of(view, expectation, task)
    partition, merged, enrolment = _formed(view, evidence, table, plan, task)
    homes = None if enrolment is None else home_of(shard, enrolment.places)
    shown, published = [0] * evidence.n_values, np.zeros(len(view), dtype=bool)
    if len(partition):
        release, membership = finished(view, partition, evidence, task)
        impression = reader.consider(release, membership, expectation)
        published = membership.published
        shown = release.value_counts.sum(axis=0).tolist()
        made = Made(view, release, membership, impression, evidence, shard, homes)
        yield from records(table, made, task, schema)
    new = newcomers(table) & (published | (homes is not None))
    if enrolment is not None and homes is not None:
        yield planned(shard, enrolment.plan, schema)
        yield placed(table, new & ~published, homes, shard, task, schema)
    if len(partition.remainder) and not task.ends_here:
        yield left_over(table, partition.remainder, task, schema)
    told = {
        "shard": shard,
        "rows": len(view),
        "repeated": int(to_numpy(plain(table.column("repeated"))).sum()),
        "newcomers": int(new.sum()),
        "records": int((published | new).sum()),
        "groups": len(partition),
        "published": len(partition.rows),
        "left": len(partition.remainder),
        "merged": merged,
        "shown": shown,
        "memory": most_memory(),
    }
    yield summary(told, schema)


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


def shard_of(table: pa.Table, task: ShardTask) -> int:
    """Return the number of a shard; those of later rounds are negative."""
    shards = to_numpy(plain(table.column("shard")))
    number = int(shards[0])
    if (shards != number).any():
        raise InternalError("Rows of several shards came together; nothing was published.")
    return -1 - number if task.mending else number


def evidence_of(view: View, expectation: Expectation, task: ShardTask) -> Evidence:
    """Return what requirements look at; values are compared with those of the whole view."""
    counts = np.array(task.view_counts, dtype=np.int64)
    revised = expectation.revised
    return Evidence(view.value_codes, revised.probabilities, view, revised, counts)


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


def most_memory() -> int:
    """Return the most memory that this process has taken, in MB; 0 where nobody can tell."""
    try:
        import resource
    except ImportError:  # pragma: no cover - Windows
        return 0
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit
