"""The desk: tables that are being looked at, opened once and kept while they do not change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from seriatim.errors import hearing_warnings
from seriatim.microdata.formulas import tell_of_formulas
from seriatim.microdata.shape import ColumnShape, shape_of
from seriatim.microdata.sources import open_table
from seriatim.microdata.tables import read_table
from seriatim.publish.propose import (
    Part,
    Proposal,
    assign,
    propose,
    published_columns,
    tell_of_slips,
)

_ROOM = 2
"""Tables that lie on the desk at a time."""


@dataclass(eq=False)
class OpenTable:
    """A table, and what was found out about it; private."""

    table: pa.Table = field(repr=False)
    """Its content."""

    proposal: Proposal
    """What it is proposed to be."""

    warnings: tuple[str, ...] = ()
    """What is odd about it."""

    _distinct: dict[str, pa.Array] = field(default_factory=dict, repr=False)
    _shapes: dict[tuple[str, bool], ColumnShape] = field(default_factory=dict, repr=False)
    _assigned: dict[object, Proposal] = field(default_factory=dict, repr=False)

    def shape(self, name: str, part: str) -> ColumnShape:
        """Return the shape of a column; of one that names people, no value."""
        key = name, part in ("quasi-identifier", "sensitive", "insensitive")
        if key not in self._shapes:
            self._shapes[key] = shape_of(read_table(self.table), name, spread=key[1])
        return self._shapes[key]

    def distinct(self, names: Sequence[str]) -> dict[str, pa.Array]:
        """Return the different values of some columns."""
        columns = read_table(self.table)
        for name in names:
            if name not in self._distinct:
                self._distinct[name] = columns[name].unique()
        return {name: self._distinct[name] for name in names}

    def warnings_of(self, proposal: Proposal) -> tuple[str, ...]:
        """Return what is odd about the table, and about what a proposal would publish of it."""
        with hearing_warnings() as heard:
            tell_of_slips(self.table, proposal)
            tell_of_formulas(published_columns(self.table, proposal))
        return (*self.warnings, *heard)

    def assigned(self, parts: dict[str, Part], kinds: dict[str, str]) -> Proposal:
        """Return the proposal with the parts and kinds that were chosen."""
        key = tuple(sorted(parts.items())), tuple(sorted(kinds.items()))
        if key not in self._assigned:
            self._assigned[key] = assign(self.table, self.proposal, parts, kinds)
        return self._assigned[key]


class Desk:
    """Opens tables, and keeps the last few."""

    def __init__(self) -> None:
        """Begin with nothing on it."""
        self._open: OrderedDict[tuple[str, int, int], OpenTable] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, path: Path) -> OpenTable:
        """Return a table; it is read again when its file has changed."""
        state = path.stat() if path.exists() else None
        key = (str(path), state.st_mtime_ns if state else 0, state.st_size if state else 0)
        with self._lock:
            if key not in self._open:
                with hearing_warnings() as heard:
                    table = open_table(path)
                self._open[key] = OpenTable(table, propose(table), tuple(heard))
                while len(self._open) > _ROOM:
                    self._open.popitem(last=False)
            self._open.move_to_end(key)
            return self._open[key]
