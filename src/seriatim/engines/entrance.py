"""The entrance: rows of a view without ids, and what must be known of all of them.

A row enters once. Its respondent becomes a keyed hash and a tie number; its columns stay as
they came, since what they mean (domains, codes) is known only when all rows were seen. What
is told of a part is small: the values that widen a domain, counts, sums of hashes.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import IntArray, Value, WordArray
from seriatim.engines.hashes import WHO, hashed_rows, keyed_respondents, summed
from seriatim.engines.places import Stretch, counted, curve_of
from seriatim.engines.workers import KIND, NOTE, of_kind, summary
from seriatim.errors import InternalError, TableError
from seriatim.microdata.bad_cells import without_values
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.near_unique import Spread, nearly_unique_of, refuse_nearly_unique
from seriatim.microdata.numeric import Numeric
from seriatim.microdata.own_ids import OwnIds, own_ids, refuse_repeated_ids
from seriatim.microdata.roster import Roster
from seriatim.microdata.schema import Schema
from seriatim.microdata.shape import count_distinct
from seriatim.microdata.tables import missing_mask, plain, to_numpy, to_text
from seriatim.partition.ties import keyed_numbers

ROW = "row"
"""The kind of the rows that entered."""

Missing = Literal["error", "drop"]
"""What a missing cell does: an error, or its row is left out."""

_AT_POSITIONS = re.compile(r", at row positions? .*?\(the first row is 0\)")


@dataclass(frozen=True)
class Entrance:
    """What is needed to let rows in."""

    schema: Schema
    """The roles of the columns, domains as they were before this view."""

    secret: bytes
    """The secret of the series."""

    missing: Missing = "error"
    """What a missing cell does."""


def entered_schema(schema: Schema, source: pa.Schema) -> pa.Schema:
    """Return the columns of rows that entered, and of what is told of them."""
    fields = [(KIND, pa.string()), (NOTE, pa.string())]
    fields += [(name, pa.int64()) for name in (*WHO, "tie")]
    numeric = {one.name for one in schema.quasi_identifiers if isinstance(one, Numeric)}
    for name in schema.columns[1:]:
        kind = source.field(name).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        fields.append((name, pa.float64() if name in numeric and _is_text(kind) else kind))
    return pa.schema(fields)


def entered(task: Entrance, schema: pa.Schema, tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Let rows in, and tell what they bring."""
    essences: dict[str, list[pa.Array]] = {name: [] for name in task.schema.columns[1:]}
    rows, came, dropped = 0, 0, Counter[str]()
    repeated: dict[str, Counter[str]] = {name: Counter() for name in _shown(task.schema)}
    for table in tables:
        columns = {name: plain(table.column(name)) for name in task.schema.columns}
        columns, gaps = _without_gaps(columns, task.missing)
        dropped.update(gaps)
        came += table.num_rows
        ids = columns.pop(task.schema.respondent)
        if len(ids) == 0:
            continue
        rows += len(ids)
        columns = {
            name: _cast(column, schema.field(name).type, name) for name, column in columns.items()
        }
        attributes: tuple[Any, ...] = (*task.schema.quasi_identifiers, task.schema.sensitive)
        for attribute in attributes:
            essences[attribute.name].append(essence(attribute, columns[attribute.name]))
        for name, count in repeated.items():
            found = own_ids(to_text(ids, task.schema.respondent), to_text(columns[name], name))
            count.update(asdict(found))
        who = keyed_respondents(ids, task.secret, task.schema.respondent)
        tie = keyed_numbers(ids, task.secret, b"ties", task.schema.respondent)
        keys = dict(zip((*WHO, "tie"), (*who, tie.view(np.int64)), strict=True))
        yield of_kind(ROW, keys | columns, schema)
    told = {name: _written(found) for name, found in essences.items() if found}
    without = {"dropped": dict(dropped), "dropped rows": came - rows}
    without["own ids"] = {name: dict(count) for name, count in repeated.items()}
    yield summary({"rows": rows, "essences": told} | without, schema)


def essence(attribute: Any, column: pa.Array) -> pa.Array:
    """Return the values of a column that may widen a domain: ends of numbers, or all that differ.

    >>> essence(Numeric("age"), pa.array([51.0, 70.5, 52.0, 70.25])).to_pylist()
    [51.0, 70.5, 70.5]
    """
    if not isinstance(attribute, Numeric):
        return pc.unique(column)
    numbers = to_numpy(column)
    if len(numbers) == 0:
        return column
    ends = [int(np.argmin(numbers)), int(np.argmax(numbers))]
    fractions = np.flatnonzero(numbers != np.rint(numbers))[:1].tolist()
    return column.take(pa.array([*ends, *fractions]))


def essences_of(schema: Schema, told: list[dict[str, Any]]) -> dict[str, pa.Array]:
    """Return the values that parts told of, column by column; some may be told more than once."""
    return {
        name: pa.concat_arrays(
            [_read(one["essences"][name]) for one in told if name in one["essences"]]
        )
        for name in schema.columns[1:]
        if any(name in one["essences"] for one in told)
    }


def refuse_giveaways(schema: Schema, told: list[dict[str, Any]]) -> None:
    """Refuse columns with ids of their own rows, or nearly as many different values as people."""
    people = sum(one["rows"] for one in told)
    repeated = {
        name: OwnIds(
            sum(one["own ids"][name].get("words", 0) for one in told),
            sum(one["own ids"][name].get("numbers", 0) for one in told),
        )
        for name in _shown(schema)
    }
    refuse_repeated_ids(repeated, people)
    spreads = {
        name: Spread(count_distinct(column)) for name, column in essences_of(schema, told).items()
    }
    refuse_nearly_unique(nearly_unique_of(spreads, people, schema))


def refuse_lonely_values(schema: Schema, counts: IntArray) -> None:
    """Refuse a sensitive column whose values many people are alone with, once they are counted."""
    spread = Spread(int(np.count_nonzero(counts)), int(np.count_nonzero(counts == 1)))
    found = nearly_unique_of({schema.sensitive.name: spread}, int(counts.sum()), schema)
    refuse_nearly_unique(found)


def _shown(schema: Schema) -> list[str]:
    """Return the columns that are published as they are, or as sets."""
    sets = [one.name for one in schema.quasi_identifiers if isinstance(one, Categorical)]
    return [*sets, schema.sensitive.name]


def settled_schema(
    schema: Schema, told: list[dict[str, Any]], known: tuple[Value, ...], *, first: bool
) -> Schema:
    """Return the schema with every domain as wide as a view makes it.

    ``known`` are the values that the reader's knowledge speaks of: at the first release they
    belong to a sensitive domain that was not declared.
    """
    columns = essences_of(schema, told)
    if not columns:
        message = (
            "The table has no rows, and an empty release would protect and tell nothing."
            " Skip this instant: respondents who are absent keep their past."
        )
        raise TableError(message)
    try:
        attributes = tuple(one.resolve(columns[one.name]) for one in schema.quasi_identifiers)
        column, sensitive = columns[schema.sensitive.name], schema.sensitive
        if first and sensitive.values is None:
            sensitive = sensitive.resolve(column).including(known)
        sensitive = sensitive.resolve(column)
        sensitive.encode(column)
    except TableError as error:
        # Positions are those of the few values that were told, not of anybody's row; and here
        # nobody knows the ids, which a value may hold.
        raise TableError(_AT_POSITIONS.sub("", without_values(error))) from None
    return replace(schema, quasi_identifiers=attributes, sensitive=sensitive)


def roster_of(table: pa.Table, schema: Schema) -> Roster:
    """Return the quasi-identifiers of rows that entered, in the order of the table."""
    points = np.column_stack(
        [one.encode(plain(table.column(one.name))) for one in schema.quasi_identifiers]
    )
    places = np.arange(table.num_rows)
    return Roster(schema, pa.array(places), points, places)


def codes_of(table: pa.Table, schema: Schema) -> IntArray:
    """Return the codes of the sensitive values of rows that entered."""
    sensitive = schema.sensitive
    return sensitive.encode(plain(table.column(sensitive.name)))


@dataclass(frozen=True)
class Survey:
    """What is asked about all rows that entered."""

    schema: Schema
    """The schema with every domain settled."""

    secret: bytes
    """The secret of the series."""

    stretches: tuple[Stretch, ...]
    """Parts of the curve in which tuples are counted."""

    sample_below: int = 0
    """Quasi-identifiers of respondents whose number is below this are told."""


def surveyed(task: Survey, schema: pa.Schema, tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Tell how many rows have which value and where on the curve they are; sum up a digest."""
    values = np.zeros(len(task.schema.sensitive.domain), dtype=np.int64)
    places: Counter[tuple[int, int]] = Counter()
    digest, sample = 0, list[list[float]]()
    for table in tables:
        if table.num_rows == 0:
            continue
        roster, codes = roster_of(table, task.schema), codes_of(table, task.schema)
        values += np.bincount(codes, minlength=len(values))
        tie = ties_of(table)
        if task.stretches:
            found = counted(curve_of(roster), tie, list(task.stretches))
            places.update({(which, digit): count for which, digit, count in found})
        chosen = tie < np.uint64(task.sample_below)
        sample += roster.points[chosen].tolist()
        digest = (digest + _digest(table, roster, codes, task)) % 2**64
    told = [[which, digit, count] for (which, digit), count in sorted(places.items())]
    yield summary(
        {"values": values.tolist(), "places": told, "digest": digest, "sample": sample}, schema
    )


def ties_of(table: pa.Table) -> WordArray:
    """Return the tie numbers of rows."""
    return np.asarray(to_numpy(plain(table.column("tie"))), dtype=np.int64).view(np.uint64)


def _digest(table: pa.Table, roster: Roster, codes: IntArray, task: Survey) -> int:
    """Return the sum of a keyed hash of every row, however values and rows are numbered."""
    columns = [to_numpy(plain(table.column(name))).astype(np.int64) for name in WHO]
    for axis, attribute in enumerate(roster.schema.quasi_identifiers):
        labels = getattr(attribute, "leaves", getattr(attribute, "values", None))
        columns.append(_numbered(roster.points[:, axis], labels, task.secret))
    columns.append(_numbered(codes, roster.schema.sensitive.domain, task.secret))
    return summed(hashed_rows(np.column_stack(columns), task.secret, b"view digest"))


def _numbered(codes: np.ndarray, labels: tuple[Any, ...] | None, secret: bytes) -> IntArray:
    """Return the bits of numbers, or of labels a hash of their words."""
    if labels is None:
        return np.ascontiguousarray(codes, dtype=np.float64).view(np.int64)
    words = keyed_numbers(pa.array([str(label) for label in labels]), secret, b"labels")
    return words.view(np.int64)[np.asarray(codes, dtype=np.int64)]


def _without_gaps(
    columns: dict[str, pa.Array], missing: Missing
) -> tuple[dict[str, pa.Array], dict[str, int]]:
    """Leave rows with missing cells out, or refuse them."""
    masks = {name: missing_mask(column) for name, column in columns.items()}
    gaps = {name: int(mask.sum()) for name, mask in masks.items() if mask.any()}
    if not gaps:
        return columns, {}
    if missing == "error":
        name, count = next(iter(gaps.items()))
        message = (
            f"Column {name!r} has {count} missing value(s) or more. Fill them, or let their rows"
            ' be left out: missing = "drop" under [input].'
        )
        raise TableError(message)
    keep = pa.array(~np.any(list(masks.values()), axis=0))
    return {name: column.filter(keep) for name, column in columns.items()}, gaps


def _cast(column: pa.Array, kind: pa.DataType, name: str) -> pa.Array:
    try:
        return column.cast(kind)
    except pa.ArrowException:
        # The library's own message shows the value, which may be anybody's.
        message = f"Column {name!r} holds what is no {kind}. Correct the rows."
        raise TableError(message) from None


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _written(arrays: list[pa.Array]) -> str:
    """Write the different values of some arrays as a text."""
    table = pa.table({"": pc.unique(pa.chunked_array(arrays))})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return base64.b64encode(sink.getvalue()).decode()


def _read(text: str) -> pa.Array:
    found = pa.ipc.open_stream(base64.b64decode(text)).read_all().column(0)
    if found.num_chunks != 1:
        raise InternalError("A summary of a part could not be read back.")
    return found.chunk(0)
