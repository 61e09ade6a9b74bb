"""Districts: some of the people of a series, who are near each other and stay so.

Groups are of people who are near each other, so what a setting does to some neighbourhoods it
does to the others: a rehearsal plays and attacks districts of a large view instead of all of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray
from seriatim.microdata.roster import numbered
from seriatim.microdata.view import View
from seriatim.partition.cells import Cells

BLOCKS = 4
"""Neighbourhoods that a district is made of: people differ from one to the next."""


def district(views: Sequence[View], people: int, rng: np.random.Generator) -> list[View]:
    """Return what is left of views of all but some neighbourhoods of so many people, at first.

    Whoever was first seen in one of them belongs to it for good. All are returned as they are
    where half of the people, or fewer, would be left out.

    >>> from seriatim import register
    >>> some = district(register(people=800, releases=3).views, 200, np.random.default_rng(1))
    >>> 200 <= len(some[0]) < 300
    True
    """
    first = views[0]
    if len(first) < 2 * people:
        return list(views)
    cells = Cells.grown(first, people // BLOCKS)
    own = cells.of(first)
    sizes, chosen, n_chosen = np.bincount(own, minlength=len(cells)), np.zeros(len(cells), bool), 0
    for cell in rng.permutation(len(cells)):
        if n_chosen >= people:
            break
        chosen[cell] = True
        n_chosen += sizes[cell]
    numbers = numbered(views)
    home = np.full(1 + max(int(who.max(initial=-1)) for who in numbers), -1, dtype=np.int64)
    found = []
    for view, who in zip(views, numbers, strict=True):
        home[who] = np.where(home[who] < 0, cells.of(view), home[who])
        found.append(_some(view, np.flatnonzero(chosen[home[who]])))
    return found


def _some(view: View, rows: IntArray) -> View:
    places = pa.array(rows)
    return View(
        view.schema,
        view.respondents.take(places),
        view.points[rows],
        view.positions[rows],
        view.value_codes[rows],
        view.kind,
        None if view.kept is None else view.kept.take(places),
    )
