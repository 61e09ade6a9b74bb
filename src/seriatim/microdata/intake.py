"""What happens to a raw table before it is a view: missing cells, and people who come twice.

A view has one tuple per respondent and no gaps. A raw table has both gaps and repeats; an
intake says once, for the whole series, what is done about them, and counts what it did. It
tells how many rows, never whose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import BoolArray, IntArray, Table
from seriatim.errors import PolicyError, TableError, at_positions, did_you_mean, listed
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.hierarchical import Hierarchical
from seriatim.microdata.labels import with_label, with_value
from seriatim.microdata.repeats import Repeated, one_each, require_rule
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import missing_mask, read_table, to_numpy, to_text, write_table

Missing: TypeAlias = Literal["error", "drop", "category"]


@dataclass(frozen=True, eq=False)
class Taken:
    """A table without gaps and repeats, and how many rows that took.

    >>> from seriatim import Numeric, Sensitive
    >>> schema = Schema("id", [Numeric("age")], Sensitive("exam"))
    >>> raw = {"id": [1, 2], "age": [51, None], "exam": ["neg", "pos"]}
    >>> taken = Intake(schema, missing="drop").take_in(raw)
    >>> taken.dropped_rows, taken.dropped, taken.table
    (1, {'age': 1}, {'id': [1], 'age': [51], 'exam': ['neg']})
    """

    table: Any
    """The columns with a role, in the kind of table that came in, rows in their order."""

    schema: Schema
    """The schema with a place for the label; the same for every table of an intake."""

    dropped: dict[str, int]
    """Missing cells of the rows left out, by column; a row with two gaps counts in both."""

    labelled: dict[str, int]
    """Cells that were given the label, by column."""

    repeated: int
    """Rows left out because another one of the same respondent was taken."""

    dropped_rows: int = 0
    """Rows left out for want of a value, each once, however many gaps it has."""
    rows: IntArray | None = None
    """Where the rows stood before some were left out; None where none were."""

    def __repr__(self) -> str:
        """Say what was done, and nothing about anyone."""
        return f"Taken(dropped={self.dropped}, labelled={self.labelled}, repeated={self.repeated})"


@dataclass(frozen=True, eq=False)
class Intake:
    """What is done about missing cells and about respondents with several rows.

    Missing are nulls and NaN; ``open_table`` makes nulls of empty cells. First one row is
    chosen for each respondent, then its gaps are looked at: a gap in the chosen row is never
    filled from another one.

    >>> from seriatim import Categorical, Numeric, Sensitive
    >>> schema = Schema("id", [Numeric("age"), Categorical("sex", "FM")], Sensitive("exam"))
    >>> intake = Intake(schema, missing="drop", missing_in={"sex": "category"}, repeated="last")
    >>> raw = {"id": [1, 2, 2], "age": [51, None, 52], "sex": ["F", "M", None]}
    >>> intake.take_in(raw | {"exam": ["neg", "neg", "pos"]})
    Taken(dropped={}, labelled={'sex': 1}, repeated=1)
    """

    schema: Schema
    """The roles of the columns."""

    missing: Missing = "error"
    """What a missing cell does: an error, its row dropped, or a category of its own.

    A category is possible for categorical and hierarchical quasi-identifiers and for a
    sensitive attribute without order; elsewhere ``"category"`` is an error, as a number, a
    date and a rank have no place for it.
    """

    missing_in: Mapping[str, Missing] = field(default_factory=dict)
    """The same for single columns, where it differs."""

    repeated: Repeated = "error"
    """Which row of a respondent is taken: none (an error), the first or last of the table, or
    the one with the latest or earliest value of a column: ``("latest", "seen")``.

    With ``"first"`` and ``"last"`` the order of the rows matters to which row is chosen, and
    to nothing else. With a column, rows that share its latest value must not differ.
    """

    label: str = "missing"
    """The category of missing cells. In a hierarchy it is a branch of its own under the root;
    under a mask it must be a single character that no value begins with, such as ``"?"``."""

    def __post_init__(self) -> None:
        """Refuse what cannot be done."""
        for name, policy in (("", self.missing), *self.missing_in.items()):
            if policy not in get_args(Missing):
                where = f" of {name!r}" if name else ""
                message = (
                    f"Missing cells{where} are handled by {policy!r};"
                    f" possible are {listed(get_args(Missing))}."
                )
                raise PolicyError(message)
            if name and name not in self.schema.columns:
                message = (
                    f"Column {name!r} has no role; missing cells matter in"
                    f" {listed(self.schema.columns)}.{did_you_mean(name, self.schema.columns)}"
                )
                raise PolicyError(message)
        require_rule(self.repeated)
        label: object = self.label
        if not isinstance(label, str) or not label or label != label.strip() or "*" in label:
            message = f"The label of missing cells is a word without '*', not {self.label!r}."
            raise PolicyError(message)
        impossible = [
            name
            for name, policy in self.missing_in.items()
            if policy == "category" and not self._may_have_label(name)
        ]
        if impossible:
            message = (
                f"Missing cells of {listed(impossible)} cannot be a category: an id, a number, a"
                " date and an order have no place for it. Choose 'drop' or 'error'."
            )
            raise PolicyError(message)
        _ = self.labelled

    def policy(self, name: str) -> Missing:
        """Return what a missing cell of a column does."""
        if name in self.missing_in:
            return self.missing_in[name]
        impossible = self.missing == "category" and not self._may_have_label(name)
        return "error" if impossible else self.missing

    def _may_have_label(self, name: str) -> bool:
        if name == self.schema.sensitive.name:
            return not self.schema.sensitive.ordered
        attributes = {one.name: one for one in self.schema.quasi_identifiers}
        return isinstance(attributes.get(name), Categorical | Hierarchical)

    @cached_property
    def labelled(self) -> Schema:
        """The schema with a place for the label, whether or not a table needs it."""
        attributes = tuple(
            with_label(one, self.label) if self.policy(one.name) == "category" else one
            for one in self.schema.quasi_identifiers
        )
        sensitive = self.schema.sensitive
        if self.policy(sensitive.name) == "category":
            values = with_value(sensitive, self.label)
            sensitive = replace(sensitive, values=values)
        return replace(self.schema, quasi_identifiers=attributes, sensitive=sensitive)

    def take_in(self, table: Table) -> Taken:
        """Return the table as the policy makes it."""
        columns = read_table(table)
        read = {name: columns[name] for name in self.schema.columns}
        absent = {name: missing_mask(column) for name, column in read.items()}
        someone = self.schema.respondent
        if self.policy(someone) == "error":
            self._refuse_gaps(someone, absent[someone])
        dropped = {someone: int(absent[someone].sum())}
        present = ~absent[someone]
        keep = one_each(columns, self.schema.columns, present, self.repeated)
        repeated = int(present.sum() - keep.sum())
        chosen = int(keep.sum())
        gaps = {
            name: keep & mask
            for name, mask in absent.items()
            if self.policy(name) == "drop" and name != someone
        }
        dropped |= {name: int(mask.sum()) for name, mask in gaps.items()}
        keep = keep & ~np.any(list(gaps.values()), axis=0) if gaps else keep
        dropped_rows = dropped[someone] + chosen - int(keep.sum())
        for name in self.schema.columns:
            if self.policy(name) == "error":
                self._refuse_gaps(name, keep & absent[name])
        filled = {name: self._filled(name, _whole(column), keep) for name, column in read.items()}
        if not keep.all():
            filled = {name: column.filter(pa.array(keep)) for name, column in filled.items()}
        labelled = {
            name: int((keep & absent[name]).sum())
            for name in self.schema.columns
            if self.policy(name) == "category"
        }
        return Taken(
            write_table(pa.table(filled), columns.kind),
            self.labelled,
            {name: count for name, count in dropped.items() if count},
            {name: count for name, count in labelled.items() if count},
            repeated,
            dropped_rows,
            None if keep.all() else np.flatnonzero(keep),
        )

    def _refuse_gaps(self, name: str, mask: BoolArray) -> None:
        if mask.any():
            words = ["drop", "category"] if self._may_have_label(name) else ["drop"]
            possible = " or ".join(map(repr, words))
            written = " or ".join(f'"{word}"' for word in words)
            message = (
                f"Column {name!r} has {int(mask.sum())} missing value(s), at"
                f" {at_positions(np.flatnonzero(mask))}. Fill them, or say what is done about"
                f" them: missing = {written} under [input] of study.toml; in Python"
                f" missing_in={{{name!r}: ...}} with {possible}."
            )
            raise TableError(message)

    def _filled(self, name: str, column: pa.Array, keep: BoolArray) -> pa.Array:
        """Return a column with the label where it has gaps, if it may."""
        if self.policy(name) != "category":
            return column
        texts = to_text(column, name)
        attributes = {one.name: one for one in self.schema.quasi_identifiers}
        if getattr(attributes.get(name), "mask", None) is not None:
            alike = pc.and_(pc.starts_with(texts, self.label), pc.not_equal(texts, self.label))
            wrong = keep & to_numpy(pc.fill_null(alike, False)).astype(bool)
            if wrong.any():
                message = (
                    f"Column {name!r} has {int(wrong.sum())} value(s) that begin with the label of"
                    f" missing cells, {self.label!r}, at {at_positions(np.flatnonzero(wrong))}."
                    " Choose a label that no value begins with."
                )
                raise TableError(message)
        return pc.fill_null(texts, self.label)


def _whole(column: pa.Array) -> pa.Array:
    """Return floats that are whole as whole numbers: pandas makes floats of them for one gap."""
    if not pa.types.is_floating(column.type):
        return column
    absent = pc.is_nan(column)
    column = pc.if_else(absent, pa.scalar(None, column.type), column)
    try:
        return column.cast(pa.int64())
    except pa.ArrowException:
        return column
