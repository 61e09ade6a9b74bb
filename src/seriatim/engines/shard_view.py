"""The rows of a shard as a view, in an order of their own, and what is remembered of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray
from seriatim.engines.hashes import WHO
from seriatim.engines.past_bytes import unpacked_pasts
from seriatim.engines.recall import VERSION
from seriatim.inference.adversary import Adversary
from seriatim.inference.filtering import filtering_by_name
from seriatim.inference.pasts import Pasts
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import plain, to_numpy
from seriatim.microdata.view import View


def in_order(table: pa.Table) -> pa.Table:
    """Sort rows by person: input order ends here, on a cluster too."""
    who = [to_numpy(plain(table.column(name))) for name in WHO]
    return table.take(pa.array(np.lexsort(who[::-1]))).combine_chunks()


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


def newcomers(table: pa.Table) -> BoolArray:
    """Tell who has no record yet."""
    return np.asarray(to_numpy(plain(table.column(VERSION).is_null())), dtype=bool)


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

    def keep(self, respondents: pa.Array, pasts: Pasts, seen: BoolArray | None = None) -> None:
        """Keep nothing: what is to be kept is handed on."""


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
