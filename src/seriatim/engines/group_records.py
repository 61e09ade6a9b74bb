"""Records of groups, and the release that they make.

A release is a function of its groups: their regions and how often each has each value. Records
are what travels between machines, a row for each group and not for each tuple. Their order, and
that of the rows inside, comes from labels: keyed hashes of what the group publishes. So the
order says nothing that the content does not say, and nobody without the key can foretell it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import BoolArray, FloatArray, IntArray, WordArray
from seriatim.engines.hashes import hashed_rows, hashed_texts
from seriatim.engines.workers import summary, whole
from seriatim.errors import InternalError
from seriatim.microdata.release import GROUP_COLUMN
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import plain, to_numpy
from seriatim.privacy.js_bound import JSBound
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.tally import Tally
from seriatim.publish.output import with_ends

_BETWEEN = "\x1f"


def group_columns(n_attributes: int) -> pa.Schema:
    """Return the columns of a record."""
    return pa.schema(
        [
            ("label_1", pa.int64()),
            ("label_2", pa.int64()),
            ("counts", pa.binary()),
            *((f"region_{axis}", pa.string()) for axis in range(n_attributes)),
            ("penalty", pa.float64()),
            ("extent", pa.float64()),
            ("gain", pa.float64()),
            ("gain_worst", pa.float64()),
            ("divergence", pa.float64()),
        ]
    )


def group_labels(
    regions: list[pa.Array], counts: IntArray, key: bytes
) -> tuple[WordArray, WordArray]:
    """Return two words for each group that depend on what it publishes and on the key."""
    texts = pc.binary_join_element_wise(*regions, _BETWEEN)
    content = np.column_stack(
        [
            hashed_texts(texts, key, b"regions, first"),
            hashed_texts(texts, key, b"regions, second"),
            hashed_rows(counts.astype(np.int32), key, b"values, first"),
            hashed_rows(counts.astype(np.int32), key, b"values, second"),
        ]
    )
    return hashed_rows(content, key, b"label, first"), hashed_rows(content, key, b"label, second")


@dataclass(frozen=True)
class Records:
    """Some groups, as arrays."""

    labels: tuple[WordArray, WordArray]
    """The label of each."""

    counts: IntArray
    """How often each has each value (groups, values)."""

    table: pa.Table
    """The records themselves."""

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.counts)

    def figures(self, name: str) -> FloatArray:
        """Return one of the figures of each."""
        return np.asarray(to_numpy(plain(self.table.column(name))), dtype=np.float64)

    def take(self, rows: IntArray) -> Records:
        """Return some of them."""
        labels = self.labels[0][rows], self.labels[1][rows]
        return Records(labels, self.counts[rows], self.table.take(pa.array(rows)))


def read_records(table: pa.Table, n_values: int) -> Records:
    """Read records back, in the order of their labels."""
    words = [to_numpy(plain(table.column(name))).view(np.uint64) for name in ("label_1", "label_2")]
    counts = _counts(plain(table.column("counts"))).reshape(-1, n_values)
    found = Records((words[0], words[1]), counts, table)
    return found.take(np.lexsort((words[1], words[0])))


def counts_as_bytes(counts: IntArray) -> pa.Array:
    """Return rows of counts as bytes, four for each value."""
    rows = np.ascontiguousarray(counts, dtype=np.int32)
    kind = pa.binary(rows.shape[1] * rows.itemsize)
    return pa.Array.from_buffers(kind, len(rows), [None, pa.py_buffer(rows)]).cast(pa.binary())


def _counts(column: pa.Array) -> IntArray:
    """Return all counts of a column of bytes, one after the other."""
    _, offsets, data = column.buffers()
    bounds = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
    letters = np.frombuffer(data, np.uint8)[bounds[0] : bounds[-1]]
    return np.ascontiguousarray(letters).view(np.int32).astype(np.int64)


@dataclass(frozen=True)
class CensusTask:
    """What is asked of all groups."""

    requirement: Requirement
    """What every group must satisfy."""

    tables: tuple[tuple[int, ...], ...]
    """How often each value is shown: every group must stand against each of these tables."""

    n_values: int
    """The number of values in the domain."""

    parts: int
    """Into how many files the release is written."""


def stands(
    counts: IntArray, requirement: Requirement, tables: tuple[tuple[int, ...], ...]
) -> BoolArray:
    """Tell which groups keep the requirement, compared with each of some tables.

    Suppressed groups change the table that readers compare the others with. The tables, one
    for each round, are all that must be known to tell who is left.
    """
    held = np.ones(len(counts), dtype=bool)
    nothing = np.zeros(counts.shape), np.zeros(len(counts))
    for shown in tables:
        tally = Tally(counts.sum(axis=1), counts, *nothing, np.array(shown, dtype=np.int64))
        for part in requirement.parts:
            if not isinstance(part, JSBound):  # beliefs do not change with the table
                held &= part.finding(tally, scanning=True).group_holds
    return held


def census(task: CensusTask, schema: pa.Schema, tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Sum up the groups that stand, and how many come into each file."""
    table = whole(tables)
    if table is None:
        return
    found = read_records(table, task.n_values)
    held = stands(found.counts, task.requirement, task.tables)
    there = found.take(np.flatnonzero(held))
    part = (there.labels[0].view(np.int64) % task.parts).astype(np.int64)
    sizes = there.counts.sum(axis=1)
    fallen = found.take(np.flatnonzero(~held))
    told: dict[str, Any] = {
        "order": int(found.labels[0][0]),
        "groups": np.bincount(part, minlength=task.parts).tolist(),
        "labels": [_sums(words, part, task.parts) for words in there.labels],
        "shown": there.counts.sum(axis=0).tolist(),
        "fallen": np.column_stack(fallen.labels).tolist(),
        "penalty": float(sizes @ there.figures("penalty")),
        "extent": float(there.figures("extent").sum()),
        "gain": float(there.figures("gain").sum()),
        "gain worst": float(there.figures("gain_worst").max(initial=-1.0)),
    }
    told |= {"divergence": None, "divergence of": None, "example": None}
    divergence = there.figures("divergence")
    if len(there):
        told["example"] = _regions_of_one(there)
        # Of groups that diverge alike the last label counts, in whatever parts they lie.
        worst = len(there) - 1 - int(np.argmax(divergence[::-1]))
        told["divergence"] = float(divergence[worst])
        told["divergence of"] = [int(words[worst]) for words in there.labels]
    yield summary(told, schema)


def _regions_of_one(found: Records) -> list[str]:
    """Return the regions of one group, to see of what kind they are."""
    names = [name for name in found.table.column_names if name.startswith("region_")]
    return [found.table.column(name)[0].as_py() for name in names]


def totals(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Add up what was counted in every part, in an order that does not depend on machines."""
    found = sorted(found, key=lambda one: one["order"])
    there = [one for one in found if one["divergence"] is not None]
    farthest = max(there, key=lambda one: (one["divergence"], one["divergence of"]), default=None)
    counts = np.sum([one["groups"] for one in found], axis=0) if found else np.zeros(1, int)
    return {
        "groups": int(counts.sum()),
        "groups of parts": counts,
        "labels": [
            [
                sum(column) % 2**64
                for column in zip(*(one["labels"][word] for one in found), strict=True)
            ]
            for word in range(2)
        ],
        "shown": tuple(int(n) for n in np.sum([one["shown"] for one in found], axis=0))
        if found
        else (),
        "fallen": frozenset(tuple(pair) for one in found for pair in one["fallen"]),
        "penalty": math.fsum(one["penalty"] for one in found),
        "extent": math.fsum(one["extent"] for one in found),
        "gain": math.fsum(one["gain"] for one in found),
        "gain worst": max((one["gain worst"] for one in found), default=0.0),
        "divergence": None if farthest is None else farthest["divergence"],
        "most divergent": None if farthest is None else tuple(farthest["divergence of"]),
        "example": next((one["example"] for one in found if one["example"]), []),
    }


def _sums(words: WordArray, part: IntArray, parts: int) -> list[int]:
    sums = np.zeros(parts, dtype=np.uint64)
    np.add.at(sums, part, words)
    return [int(one) for one in sums]


@dataclass(frozen=True)
class PrintTask:
    """What is needed to write the rows of a release."""

    schema: Schema
    """The schema of the release."""

    census: CensusTask
    """Which groups stand, and into how many files they go."""

    first: tuple[int, ...]
    """How many groups stand before those of each file."""

    label_key: bytes
    """What the order of rows is drawn with."""


def printed(task: PrintTask, tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Write out the rows of the groups of one file."""
    table = whole(tables)
    if table is None:
        return
    found = read_records(table, task.census.n_values)
    held = stands(found.counts, task.census.requirement, task.census.tables)
    found = found.take(np.flatnonzero(held))
    if len(found) == 0:
        return
    residues = found.labels[0].view(np.int64) % task.census.parts
    part = int(residues[0])
    if (residues != part).any():
        raise InternalError("Groups of several files came together; nothing was published.")
    numbers = task.first[part] + 1 + np.arange(len(found))
    sizes = found.counts.sum(axis=1)
    group = np.repeat(np.arange(len(found)), sizes)
    codes = np.repeat(np.tile(np.arange(task.census.n_values), len(found)), found.counts.ravel())
    place = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    drawn = hashed_rows(
        np.column_stack([found.labels[0][group], found.labels[1][group], place.astype(np.uint64)]),
        task.label_key,
        b"rows",
    )
    order = np.lexsort((place, drawn, group))
    group, codes = group[order], codes[order]
    columns: dict[str, Any] = {GROUP_COLUMN: pa.array(numbers[group])}
    for axis, attribute in enumerate(task.schema.quasi_identifiers):
        words = plain(found.table.column(f"region_{axis}"))
        columns[attribute.name] = words.take(pa.array(group))
    columns[task.schema.sensitive.name] = task.schema.sensitive.decode(codes)
    yield with_ends(pa.table(columns), task.schema)


def printed_schema(schema: Schema, example: list[str]) -> pa.Schema:
    """Return the columns of a written release, from the regions of one group."""
    columns: dict[str, Any] = {GROUP_COLUMN: pa.array([1])}
    for attribute, word in zip(schema.quasi_identifiers, example, strict=True):
        columns[attribute.name] = pa.array([word])
    columns[schema.sensitive.name] = schema.sensitive.decode(np.array([0]))
    return with_ends(pa.table(columns), schema).schema
