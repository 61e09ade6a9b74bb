"""Schemas, instants and releases as bytes that last.

What a store keeps between processes, in forms that can be read without seriatim:
JSON for words, Arrow's own format for columns.
"""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import fields
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim import microdata
from seriatim._typing import Instant
from seriatim.errors import StoreError
from seriatim.microdata.cover import Cover
from seriatim.microdata.release import Release
from seriatim.microdata.schema import Schema
from seriatim.microdata.sensitive import Sensitive

_KINDS = ("Categorical", "Date", "Hierarchical", "Numeric", "Ordinal")


def write_instant(at: Instant) -> str:
    """Write an instant with its kind: ``{"date": "2026-11-16"}``, ``{"number": 3}``."""
    if isinstance(at, dt.datetime):
        return json.dumps({"time": at.isoformat()})
    if isinstance(at, dt.date):
        return json.dumps({"date": at.isoformat()})
    plain = at.item() if isinstance(at, np.generic) else at
    if isinstance(plain, bool) or not isinstance(plain, int | float | str):
        message = f"A store keeps instants that are numbers, dates, times or texts, not {at!r}."
        raise StoreError(message)
    return json.dumps({"text" if isinstance(plain, str) else "number": plain})


def read_instant(text: str) -> Instant:
    """Read an instant back.

    >>> read_instant(write_instant(dt.date(2026, 11, 16)))
    datetime.date(2026, 11, 16)
    """
    ((kind, at),) = json.loads(text).items()
    if kind == "time":
        return dt.datetime.fromisoformat(at)
    return dt.date.fromisoformat(at) if kind == "date" else at


def write_schema(schema: Schema) -> str:
    """Write a schema, with the domains that were read off data."""
    attributes = []
    for attribute in schema.quasi_identifiers:
        kind = type(attribute).__name__
        if kind not in _KINDS or not hasattr(microdata, kind):
            message = f"A store keeps attributes of seriatim's own kinds, and {kind} is none."
            raise StoreError(message)
        attributes.append({"kind": kind} | _fields(attribute))
    return json.dumps(
        {
            "respondent": schema.respondent,
            "quasi_identifiers": attributes,
            "sensitive": _fields(schema.sensitive),
            "insensitive": list(schema.insensitive),
        },
        default=_written,
    )


def read_schema(text: str) -> Schema:
    """Read a schema back."""
    found = json.loads(text, object_hook=_read)
    attributes = []
    for one in found["quasi_identifiers"]:
        kind = one.pop("kind")
        attributes.append(getattr(microdata, kind)(**one))
    sensitive = Sensitive(**found["sensitive"])
    return Schema(found["respondent"], attributes, sensitive, found["insensitive"])


def write_release(release: Release) -> bytes:
    """Write what a release publishes, group by group."""
    names = release.schema.quasi_identifier_names
    groups = {"size": pa.array(release.sizes)}
    for name, cover in zip(names, release.covers, strict=True):
        groups |= {
            f"text of {name}": cover.text,
            f"extent of {name}": pa.array(cover.extents),
            f"penalty of {name}": pa.array(cover.penalties),
        }
    front = {"at": write_instant(release.at), "schema": write_schema(release.schema)}
    front["kind"] = release.kind
    rows = {"value": pa.array(release.value_codes.astype(np.int32))}
    if release.kept is not None:
        rows |= {f"kept {name}": release.kept.column(name) for name in release.kept.column_names}
    if release.people is not None:
        people = zip(release.schema.quasi_identifier_names, release.people, strict=True)
        rows |= {f"people {name}": column for name, column in people}
    parts = [_arrow_bytes(pa.table(groups), front), _arrow_bytes(pa.table(rows), {})]
    return len(parts[0]).to_bytes(8, "little") + parts[0] + parts[1]


def read_release_record(record: bytes) -> Release:
    """Read a release back."""
    length = int.from_bytes(record[:8], "little")
    groups = pa.ipc.open_stream(record[8 : 8 + length]).read_all()
    values = pa.ipc.open_stream(record[8 + length :]).read_all()
    front = {key.decode(): text.decode() for key, text in groups.schema.metadata.items()}
    schema = read_schema(front["schema"])
    covers = tuple(
        Cover(
            groups.column(f"text of {one.name}").combine_chunks(),
            groups.column(f"extent of {one.name}").to_numpy(),
            groups.column(f"penalty of {one.name}").to_numpy(),
        )
        for one in schema.quasi_identifiers
    )
    starts = np.concatenate([[0], np.cumsum(groups.column("size").to_numpy())])
    codes = values.column("value").to_numpy().astype(np.int64)
    kind: Any = front["kind"]
    kept = _prefixed(values, "kept ")
    people = _prefixed(values, "people ")
    return Release(
        read_instant(front["at"]),
        schema,
        covers,
        starts,
        codes,
        kind,
        kept,
        None if people is None else tuple(one.combine_chunks() for one in people.columns),
    )


def _prefixed(table: pa.Table, prefix: str) -> pa.Table | None:
    """Return the columns whose names begin with a prefix, without it; None for none."""
    names = [name for name in table.column_names if name.startswith(prefix)]
    if not names:
        return None
    return table.select(names).rename_columns([name.removeprefix(prefix) for name in names])


def _fields(thing: Any) -> dict[str, Any]:
    return {one.name: getattr(thing, one.name) for one in fields(thing) if one.init}


def _written(value: Any) -> Any:
    if isinstance(value, dt.date | dt.datetime):
        return {"written instant": write_instant(value)}
    if isinstance(value, np.generic):
        return value.item()
    message = f"A store keeps values that are texts, numbers, truth values or dates, not {value!r}."
    raise StoreError(message)


def _read(found: dict[str, Any]) -> Any:
    return read_instant(found["written instant"]) if "written instant" in found else found


def _arrow_bytes(table: pa.Table, front: dict[str, str]) -> bytes:
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    table = table.replace_schema_metadata(front)
    with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())
