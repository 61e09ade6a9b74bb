"""The tables of a store, as those who keep something there use them."""

from __future__ import annotations

from typing import Any, Protocol

import pyarrow as pa

from seriatim._typing import WordArray
from seriatim.publish.people_folder import PeopleFolder

RAW = "USING COMPRESSION uncompressed"
"""Packing numbers that are read at every release costs more than it saves."""


class Tables(Protocol):
    """The tables of a store."""

    @property
    def people(self) -> PeopleFolder:
        """The files of what is remembered of people."""
        ...

    def meta(self, name: str) -> bytes | None:
        """Return a value kept under a name."""
        ...

    def set_meta(self, name: str, value: bytes) -> None:
        """Keep a value under a name."""
        ...

    def number(self, name: str) -> int:
        """Return a number kept under a name; 0 where there is none."""
        ...

    def keys(self, respondents: pa.Array) -> tuple[WordArray, WordArray]:
        """Return the keyed digests of ids, as two words each."""
        ...

    def require_kind_of_ids(self, respondents: pa.Array) -> None:
        """Refuse ids of another kind than before."""
        ...

    def table(self, query: str, **tables: pa.Table) -> pa.Table:
        """Run a query over the store and some tables of one's own."""
        ...

    def run(self, statement: str, values: list[Any] | None = None) -> None:
        """Run a statement."""
        ...

    def insert(self, name: str, rows: pa.Table) -> None:
        """Append rows to a table."""
        ...
