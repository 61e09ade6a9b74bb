"""The inspection: every file of a release is read back as it was written, and measured anew.

The guard of each shard has compared groups with their members. Here the written files are
compared with the groups: what each publishes must hash to the label it was given, so nothing
was lost, doubled or changed on the way; and every promise that a file can confirm is measured
on the table as a whole.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from seriatim._typing import IntArray
from seriatim.engines.group_records import group_labels
from seriatim.engines.workers import summary
from seriatim.errors import InternalError, SeriatimError
from seriatim.measure.singling_out import fits
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.release import GROUP_COLUMN
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import find_codes, plain, to_numpy
from seriatim.privacy.js_bound import JSBound
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.tally import Tally


@dataclass(frozen=True)
class Inspection:
    """What files are compared with."""

    schema: Schema
    """The schema of the release."""

    requirement: Requirement
    """What every group must satisfy."""

    shown: tuple[int, ...]
    """How often each value occurs in the whole release."""

    label_key: bytes
    """What the labels of groups are drawn with."""

    most_divergent: tuple[int, int] | None
    """The label of the group whose beliefs lie farthest apart."""


def inspected(
    task: Inspection, schema: pa.Schema, tables: Iterator[pa.Table]
) -> Iterator[pa.Table]:
    """Tell what each file of a part holds."""
    for table in tables:
        for name, content in zip(
            table.column("name").to_pylist(), table.column("content").to_pylist(), strict=True
        ):
            yield summary(_inspected(name, content, task), schema)


def _inspected(name: str, content: bytes, task: Inspection) -> dict[str, Any]:
    try:
        table = pq.read_table(io.BytesIO(content))
        first, counts, regions = _groups(table, task.schema)
    except (pa.ArrowException, ValueError, IndexError, KeyError) as error:
        raise InternalError("A written file of a release cannot be read back.") from error
    labels = group_labels(regions, counts, task.label_key)
    tally = Tally(
        counts.sum(axis=1),
        counts,
        np.zeros(counts.shape),
        np.zeros(len(counts)),
        np.array(task.shown, dtype=np.int64),
    )
    found: dict[str, Any] = {
        "name": name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "first": first,
        "groups": len(counts),
        "tuples": int(counts.sum()),
        "shown": counts.sum(axis=0).tolist(),
        "labels": [int(np.add.reduce(words, dtype=np.uint64)) for words in labels],
        "parts": [],
        "fits": {
            one.name: fits(words, tally.sizes)
            for one, words in zip(task.schema.quasi_identifiers, regions, strict=True)
            if isinstance(one, Categorical)
        },
    }
    for part in task.requirement.parts:
        if isinstance(part, JSBound):
            found["parts"].append(None)
            continue
        finding = part.finding(tally)
        if not finding.holds:
            message = f"A written file breaks the policy; nothing was published.\n{finding}"
            raise InternalError(message)
        worst = int(np.argmin(finding.margins))
        found["parts"].append([float(finding.margins[worst]), finding.worst, first + worst])
    if task.most_divergent is not None:
        same = (labels[0] == task.most_divergent[0]) & (labels[1] == task.most_divergent[1])
        found["most divergent"] = first + int(np.argmax(same)) if same.any() else None
    return found


def _groups(table: pa.Table, schema: Schema) -> tuple[int, IntArray, list[pa.Array]]:
    """Return the first group, how often each has each value, and their regions."""
    allowed = {GROUP_COLUMN, *schema.public_columns}
    allowed |= {
        f"{one.name}_{end}" for one in schema.quasi_identifiers for end in ("lower", "upper")
    }
    if not set(schema.public_columns) <= set(table.column_names) <= allowed:
        raise InternalError(f"A written file has the columns {table.column_names}.")
    if table.num_rows == 0 or any(column.null_count for column in table.columns):
        raise InternalError("A written file is empty, or has empty cells.")
    groups = to_numpy(plain(table.column(GROUP_COLUMN))).astype(np.int64)
    first = int(groups[0])
    steps = np.diff(groups)
    if ((steps != 0) & (steps != 1)).any():
        raise InternalError("A written file has groups in pieces.")
    domain = schema.sensitive.domain
    codes = find_codes(plain(table.column(schema.sensitive.name)), domain)
    cells = (groups - first) * len(domain) + codes
    size = (int(groups[-1]) - first + 1) * len(domain)
    counts = np.bincount(cells, minlength=size).reshape(-1, len(domain))
    begins = pa.array(np.flatnonzero(np.r_[True, steps != 0]))
    regions = []
    for attribute in schema.quasi_identifiers:
        written = plain(table.column(attribute.name))
        words = written.take(begins)
        if not written.equals(words.take(pa.array(groups - first))):
            raise InternalError(f"Tuples of one group differ in {attribute.name!r}.")
        _require_readable(words, attribute)
        regions.append(words)
    return first, counts, regions


def _require_readable(words: pa.Array, attribute: Any) -> None:
    for word in words.unique().to_pylist():
        try:
            attribute.parse(word)
        except SeriatimError:
            message = f"A region of {attribute.name!r} cannot be read back."
            raise InternalError(message) from None
