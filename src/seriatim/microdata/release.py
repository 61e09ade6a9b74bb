"""A release: the public table of one instant, and nothing more.

It holds groups, regions and values in a shuffled order. It has no respondent,
no input order and no link from a row to a person; who is in which group is a
``Membership``, which stays private. Nor does it hold quasi-identifiers that only
suppressed tuples had: its schema has the domains that were declared, not those
read off the view. The sensitive domain of the series is part of it in memory and in the
store; of what is published, only a declared domain is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, Instant, IntArray
from seriatim.errors import SchemaError
from seriatim.microdata.cover import Cover
from seriatim.microdata.group import Group
from seriatim.microdata.letters import repeated
from seriatim.microdata.region import Region
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import TableKind, write_table

GROUP_COLUMN = "group"

COUNT_COLUMN = "count"
"""How often a group has a value, in the second table of buckets."""

Form = Literal["generalized", "buckets"]
"""What is published of quasi-identifiers: regions, or the values with a group number."""


@dataclass(frozen=True, eq=False)
class Release:
    """The generalized tuples of one instant.

    >>> from seriatim import running_example
    >>> release = running_example().releases[0]
    >>> release, release.sizes.tolist()
    (Release(at=1, 4 tuples in 2 groups), [2, 2])
    >>> release.to_frame()["zip"]
    ['12030', '12030', '12031', '12031']
    """

    at: Instant
    """When it was released: its place in the order of the history."""

    schema: Schema
    """The schema as declared, with the sensitive domain of the series."""

    covers: tuple[Cover, ...]
    """What each quasi-identifier was generalized to, group by group."""

    starts: IntArray
    """Where each group's rows begin; one more entry than groups."""

    value_codes: IntArray
    """Codes of the published values, group by group."""

    kind: TableKind = "pyarrow"
    """The kind of table that ``to_frame`` gives."""

    kept: pa.Table | None = None
    """The insensitive columns of the published rows, where the schema names any."""

    people: tuple[pa.Array, ...] | None = None
    """For buckets: the quasi-identifiers as they are, group by group, apart from the values."""

    def __post_init__(self) -> None:
        """Refuse a schema whose columns collide with the release's own."""
        own = (GROUP_COLUMN,) if self.people is None else (GROUP_COLUMN, COUNT_COLUMN)
        for name in own:
            if name in self.schema.public_columns:
                message = (
                    f"A release has a column {name!r} of its own; rename the attribute"
                    f" {name!r} of the table."
                )
                raise SchemaError(message)

    def __len__(self) -> int:
        """Return the number of published tuples."""
        return len(self.value_codes)

    def __repr__(self) -> str:
        """Say what it is."""
        return f"Release(at={self.at!r}, {len(self)} tuples in {self.n_groups} groups)"

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return len(self.starts) - 1

    @property
    def sizes(self) -> IntArray:
        """Tuples in each group."""
        return np.diff(self.starts)

    @property
    def group_of(self) -> IntArray:
        """The group, from 0, of each published row."""
        return np.repeat(np.arange(self.n_groups), self.sizes)

    @property
    def value_counts(self) -> IntArray:
        """How often each group has each value of the domain (groups, values)."""
        n_values = len(self.schema.sensitive.domain)
        cells = self.group_of * n_values + self.value_codes
        counts = np.bincount(cells, minlength=self.n_groups * n_values)
        return counts.reshape(self.n_groups, n_values)

    @property
    def form(self) -> Form:
        """What is published of quasi-identifiers."""
        return "generalized" if self.people is None else "buckets"

    @property
    def extents(self) -> FloatArray:
        """Normalized lengths of the regions (groups, attributes); nothing is lost in buckets."""
        return self._measured([cover.extents for cover in self.covers])

    @property
    def penalties(self) -> FloatArray:
        """Normalized certainty penalties of the regions (groups, attributes); 0 in buckets."""
        return self._measured([cover.penalties for cover in self.covers])

    def _measured(self, columns: list[FloatArray]) -> FloatArray:
        table = np.column_stack(columns)
        return table if self.people is None else np.zeros_like(table)

    def group(self, index: int) -> Group:
        """Return one group, counted from 0."""
        names = self.schema.quasi_identifier_names
        texts = tuple(cover.text[index].as_py() for cover in self.covers)
        return Group(
            index + 1,
            Region(names, texts),
            self.value_codes[self.starts[index] : self.starts[index + 1]],
            self.schema.sensitive.domain,
        )

    @property
    def groups(self) -> Iterator[Group]:
        """Go through the groups one by one; whole releases are better read as columns."""
        return (self.group(index) for index in range(self.n_groups))

    def tables(self) -> dict[str, pa.Table]:
        """Return the public tables by the ending of their names: one without, or two of buckets.

        Buckets are ``.people``, the quasi-identifiers with a group number, and ``.values``,
        how often each group has each value.
        """
        if self.people is None:
            return {"": self.to_arrow()}
        people = {GROUP_COLUMN: pa.array(self.group_of + 1)}
        people |= dict(zip(self.schema.quasi_identifier_names, self.people, strict=True))
        return {".people": pa.table(people), ".values": self._values()}

    def to_arrow(self) -> pa.Table:
        """Return the public table: group number, generalized quasi-identifiers, sensitive value."""
        if self.people is not None:
            message = "A release in buckets is two tables; take them from its tables()."
            raise SchemaError(message)
        columns = {GROUP_COLUMN: pa.array(self.group_of + 1)}
        for attribute, cover in zip(self.schema.quasi_identifiers, self.covers, strict=True):
            columns[attribute.name] = repeated(cover.text, self.starts)
        columns[self.schema.sensitive.name] = self.schema.sensitive.decode(self.value_codes)
        if self.kept is not None:
            columns |= {name: self.kept.column(name) for name in self.kept.column_names}
        return pa.table(columns)

    def to_frame(self) -> Any:
        """Return the public table in the kind that the view came in."""
        return write_table(self.to_arrow(), self.kind)

    def _values(self) -> pa.Table:
        sensitive = self.schema.sensitive
        n_values = len(sensitive.domain)
        cells, counts = np.unique(self.group_of * n_values + self.value_codes, return_counts=True)
        return pa.table(
            {
                GROUP_COLUMN: pa.array(cells // n_values + 1),
                sensitive.name: sensitive.decode(cells % n_values),
                COUNT_COLUMN: pa.array(counts),
            }
        )
