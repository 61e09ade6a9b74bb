"""The listing: who is in a release, which need not be who is in its view.

Subtracting one release from the next tells what those had who came or went in between, if they are
few. So people may enter and leave their cells in batches, and be kept listed while they are away::

    newcomer        waits, and is not listed, until ``batch`` of them may enter the same cell
    away            stays listed as last seen, for ``keep`` releases after the one with them
    gone            stays listed as last seen, until ``batch`` of the same cell are gone

All who wait for a cell enter together, and all who are gone from one leave together. Who is listed
depends on who is in the views and in which cell, and never on a sensitive value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.microdata.joining import (
    ids_like,
    joined_columns,
    joined_ids,
    order_of_respondents,
)
from seriatim.microdata.recoding import recoded_points, recoded_values, spanning
from seriatim.microdata.roster import Roster
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import to_numpy
from seriatim.microdata.view import View

NOT_IN_THE_TABLE = -1
"""Where the row of somebody stood who was listed without one."""

CellsOf = Callable[[Roster], IntArray]
"""Tells the cell of each respondent, by any number."""


@dataclass(frozen=True, eq=False)
class Listing:
    """Whom a release lists, each as they were when last seen; private.

    Its codes are those of the schema that the series has after the release.

    >>> made = Listing(
    ...     3, pa.array(["A", "B"]), np.zeros((2, 1)), np.array([0, 1]), np.array([3, 2])
    ... )
    >>> made, made.carried.tolist()
    (Listing(release 3, 2 respondents), [False, True])
    """

    release: int
    """The number of the release, from 1."""

    respondents: pa.Array
    """The ids of those who are listed, in order."""

    points: FloatArray
    """Codes of their quasi-identifiers (respondents, attributes)."""

    value_codes: IntArray
    """Codes of their sensitive values."""

    last_seen: IntArray
    """The number of the last release whose view had each of them."""

    kept: pa.Table | None = None
    """Their insensitive columns, where the schema names any."""

    def __len__(self) -> int:
        """Return how many are listed."""
        return len(self.respondents)

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Listing(release {self.release}, {len(self)} respondents)"

    @property
    def carried(self) -> BoolArray:
        """Who is listed and was not in the view."""
        return np.asarray(self.last_seen < self.release)

    def take(self, rows: IntArray) -> Listing:
        """Return some of the respondents."""
        return replace(
            self,
            respondents=self.respondents.take(pa.array(rows)),
            points=self.points[rows],
            value_codes=self.value_codes[rows],
            last_seen=self.last_seen[rows],
            kept=None if self.kept is None else self.kept.take(pa.array(rows)),
        )

    def without(self, respondents: pa.Array) -> Listing:
        """Return it without some respondents, who are to be forgotten."""
        known = pc.is_in(self.respondents, value_set=respondents.cast(self.respondents.type))
        return self.take(np.flatnonzero(~to_numpy(known).astype(bool)))

    def recoded(self, before: Schema, after: Schema) -> Listing:
        """Return it in the codes of a later schema of the series."""
        return replace(
            self,
            points=recoded_points(self.points, before, after),
            value_codes=recoded_values(self.value_codes, before, after),
        )


@dataclass(frozen=True, eq=False)
class Listed:
    """A view as it is listed, and what became of it; private."""

    view: View
    """Those who are listed: who came as they are now, the others as they were last."""

    carried: BoolArray
    """Who of them did not come."""

    waiting: int
    """How many came and are not listed yet."""

    listing: Listing
    """What the next release goes on with."""

    def __repr__(self) -> str:
        """Say how many there are, and nothing about anyone."""
        return (
            f"Listed({len(self.view)} respondents, {int(self.carried.sum())} carried,"
            f" {self.waiting} waiting)"
        )


def listed(
    view: View,
    before: Listing | None,
    number: int,
    cells_of: CellsOf,
    *,
    batch: int = 1,
    keep: int = 0,
) -> Listed:
    """Return whom release ``number`` lists; the first lists all who came.

    ``before`` is in the codes of the view. Ten are in a cell; two leave and one comes:

    >>> from seriatim import Numeric, Schema, Sensitive
    >>> schema = Schema("id", [Numeric("age", 0, 99)], Sensitive("exam", ["neg", "pos"]))
    >>> def seen(ids):
    ...     return View.from_table({"id": ids, "age": ids, "exam": ["neg"] * len(ids)}, schema)
    >>> first = listed(seen(list(range(10))), None, 1, lambda roster: np.zeros(len(roster)))
    >>> listed(
    ...     seen(list(range(2, 11))),
    ...     first.listing,
    ...     2,
    ...     lambda roster: np.zeros(len(roster)),
    ...     batch=3,
    ... )
    Listed(10 respondents, 2 carried, 1 waiting)
    """
    if before is None:
        return _everybody(view, number)
    before = replace(before, respondents=ids_like(before.respondents, view.respondents))
    absent = before.take(_not_among(before.respondents, view.respondents))
    new = _not_among(view.respondents, before.respondents)
    gone = number - absent.last_seen > keep
    entering, leaving = np.ones(len(new), dtype=bool), gone
    if batch > 1:
        cells = cells_of(_joined(view, new, absent.take(np.flatnonzero(gone))))
        n_gone = len(cells) - len(new)
        entering = _in_batches(cells[n_gone:], batch)
        leaving = np.zeros(len(absent), dtype=bool)
        leaving[gone] = _in_batches(cells[:n_gone], batch)
    shown = np.ones(len(view), dtype=bool)
    shown[new[~entering]] = False
    return _listed(view, np.flatnonzero(shown), absent.take(np.flatnonzero(~leaving)), number)


def _everybody(view: View, number: int) -> Listed:
    nobody = np.zeros(len(view), dtype=bool)
    return Listed(view, nobody, 0, _listing(view, np.full(len(view), number), number))


def _listing(view: View, last_seen: IntArray, number: int) -> Listing:
    return Listing(number, view.respondents, view.points, view.value_codes, last_seen, view.kept)


def _in_batches(cells: IntArray, batch: int) -> BoolArray:
    """Tell who is one of at least so many of their cell."""
    _, cell, sizes = np.unique(cells, return_inverse=True, return_counts=True)
    return np.asarray(sizes[cell.ravel()] >= batch)


def _joined(view: View, rows: IntArray, there: Listing) -> Roster:
    """Return people who are listed, and then some of a view, as a roster in that order."""
    return Roster(
        view.schema,
        joined_ids([there.respondents, view.respondents.take(pa.array(rows))]),
        np.concatenate([there.points, view.points[rows]]),
        np.concatenate([np.full(len(there), NOT_IN_THE_TABLE), view.positions[rows]]),
    )


def _listed(view: View, rows: IntArray, carried: Listing, number: int) -> Listed:
    """Put together who came and who is carried, in the order of their ids."""
    respondents = joined_ids([carried.respondents, view.respondents.take(pa.array(rows))])
    order = order_of_respondents(respondents)
    positions = np.concatenate([np.full(len(carried), NOT_IN_THE_TABLE), view.positions[rows]])
    kept = None
    if view.kept is not None and carried.kept is not None:
        kept = joined_columns([carried.kept, view.kept.take(pa.array(rows))])
        kept = kept.take(pa.array(order)).combine_chunks()
    whole = View(
        spanning(view.schema, carried.points),
        respondents.take(pa.array(order)),
        np.concatenate([carried.points, view.points[rows]])[order],
        positions[order],
        np.concatenate([carried.value_codes, view.value_codes[rows]])[order],
        view.kind,
        kept,
    )
    last_seen = np.concatenate([carried.last_seen, np.full(len(rows), number)])[order]
    listing = _listing(whole, last_seen, number)
    return Listed(whole, listing.carried, len(view) - len(rows), listing)


def _not_among(some: pa.Array, others: pa.Array) -> IntArray:
    """Return the places of those ids that are not among others."""
    return np.flatnonzero(~to_numpy(pc.is_in(some, value_set=others)).astype(bool))
