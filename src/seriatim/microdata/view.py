"""A view: the private table of one instant, one tuple per respondent."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray, Table
from seriatim.microdata.roster import (
    Roster,
    encode_points,
    order_by_respondent,
    require_rows,
)
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import read_table


@dataclass(frozen=True, eq=False, repr=False)
class View(Roster):
    """The original tuples of one instant: a roster with the sensitive values.

    A view is private, a release is public; the words never swap.

    >>> from seriatim import Numeric, Sensitive
    >>> schema = Schema("name", [Numeric("age")], Sensitive("exam"))
    >>> View.from_table({"name": ["B", "A"], "age": [52, 51], "exam": ["neg", "pos"]}, schema)
    View(2 respondents)
    """

    value_codes: IntArray
    """Code of each respondent's sensitive value."""

    @classmethod
    def from_table(cls, table: Table, schema: Schema) -> View:
        """Read a view from a table of any kind; undeclared domains are read off it."""
        columns = read_table(table)
        require_rows(columns)
        schema = schema.resolve(columns)
        order = order_by_respondent(columns, schema)
        return View(
            schema,
            columns[schema.respondent].take(pa.array(order)),
            encode_points(columns, schema)[order],
            order,
            columns.kind,
            schema.sensitive.encode(columns[schema.sensitive.name])[order],
        )

    @property
    def value_counts(self) -> IntArray:
        """How often each value of the domain occurs."""
        return np.bincount(self.value_codes, minlength=len(self.schema.sensitive.domain))

    def digest(self, key: bytes = b"") -> bytes:
        """Return a keyed digest of the content, the same in whatever order rows arrived."""
        state = hashlib.blake2b(key=key, digest_size=32)
        ids = pa.table({"respondent": self.respondents})
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, ids.schema) as stream:
            stream.write_table(ids)
        state.update(sink.getvalue())
        state.update(self.points.tobytes())
        state.update(self.value_codes.tobytes())
        return state.digest()
