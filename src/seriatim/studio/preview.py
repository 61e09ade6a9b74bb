"""A preview: a few groups of a release beside what they were made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from seriatim.microdata.tables import read_table, to_text
from seriatim.publish.listing import NOT_IN_THE_TABLE
from seriatim.publish.press import Printed

_GROUPS = 4
"""Groups that a preview shows."""

_ROWS = 12
"""Rows of a group that a preview shows."""


@dataclass(frozen=True)
class ShownGroup:
    """A group of a release, beside what it was made from."""

    number: int
    """Its number."""

    size: int
    """Its tuples."""

    why: str
    """Why it is shown."""

    region: tuple[tuple[str, str], ...]
    """What each quasi-identifier was generalized to."""

    values: tuple[tuple[str, int], ...]
    """How often it has each value."""

    originals: tuple[tuple[str, ...], ...] = ()
    """Quasi-identifiers and value of some members, without ids; empty unless asked for."""


def shown_groups(printed: Printed, *, show_originals: bool) -> list[ShownGroup]:
    """Return a few groups: those nearest to a promise, those that lose most and least detail."""
    release = printed.publication.release
    lost = release.penalties.mean(axis=1)
    wanted: dict[int, list[str]] = {}
    for one in printed.certificate["measured"]:
        wanted.setdefault(one["group"] - 1, []).append(f"nearest to the bound on {one['name']}")
    wanted.setdefault(int(lost.argmax()), []).append("loses most detail")
    wanted.setdefault(int(lost.argmin()), []).append("loses least detail")
    wanted.setdefault(int(release.sizes.argmax()), []).append("the largest")
    return [
        _group(printed, index, ", ".join(why), show_originals=show_originals)
        for index, why in list(wanted.items())[:_GROUPS]
    ]


def _group(printed: Printed, index: int, why: str, *, show_originals: bool) -> ShownGroup:
    group = printed.publication.release.group(index)
    counts = sorted(group.counts.items(), key=lambda pair: (-pair[1], str(pair[0])))
    return ShownGroup(
        group.number,
        len(group),
        why,
        tuple(zip(group.region.names, group.region.texts, strict=True)),
        tuple((str(value), times) for value, times in counts),
        _originals(printed, index) if show_originals else (),
    )


def _originals(printed: Printed, index: int) -> tuple[tuple[str, ...], ...]:
    """Return what some members of a group had, in an order of their own and without ids.

    Members who did not come have no row.
    """
    publication = printed.publication
    view, taken = publication.view, read_table(printed.taken.table)
    members = np.flatnonzero(publication.membership.group_of == index)
    positions = view.positions[members]
    rows = pa.array(positions[positions != NOT_IN_THE_TABLE])
    names = (*view.schema.quasi_identifier_names, view.schema.sensitive.name)
    columns = [to_text(taken[name].take(rows), name).to_pylist() for name in names]
    return tuple(sorted(zip(*columns, strict=True))[:_ROWS])
