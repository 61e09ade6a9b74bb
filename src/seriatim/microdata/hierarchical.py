"""Categories in a tree: postcodes, diagnoses, places; generalized to nodes.

Leaves are numbered in the order of the tree, so every node covers a run of
neighbouring codes, and the lowest node above a group is the lowest level where
the labels above its least and its greatest code agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import (
    SchemaError,
    UnknownCategoryError,
    did_you_mean,
    listed,
)
from seriatim.microdata.attribute import (
    check_values,
    encode_values,
    measure_codes,
    resolve_values,
    union_of,
    unresolved,
)
from seriatim.microdata.cover import Cover, Prices, counted_penalties, share_of
from seriatim.microdata.gathers import ends_in_groups
from seriatim.microdata.hierarchies import read_paths
from seriatim.microdata.part import Interval, Part
from seriatim.microdata.tables import to_text

_ROOT = "*"


@dataclass(frozen=True)
class Hierarchical:
    """A quasi-identifier whose values are leaves of a tree.

    Give the tree as ``paths``, from each leaf to its ancestors, nearest first,
    or as ``mask="prefix"``: values lose characters from the right.

    >>> Hierarchical("ward", {"A1": ["A"], "A2": ["A"], "B1": ["B"]}).parse("A")
    Interval(low=0, high=1)
    >>> Hierarchical("zip", mask="prefix", values=["12030", "12031", "12044"]).parse("1203*")
    Interval(low=0, high=1)
    """

    name: str
    """The column."""

    paths: Mapping[Any, Sequence[Any]] | None = None
    """From each leaf to its ancestors, nearest first, all of one length."""

    mask: Literal["prefix"] | None = field(default=None, kw_only=True)
    """``"prefix"`` to make the tree by masking characters from the right."""

    values: Sequence[Any] | None = field(default=None, kw_only=True)
    """Leaves for a mask; left out, they are read off the views."""

    open: bool = field(default=False, kw_only=True, repr=False)
    """Whether the leaves were read off data, and may widen."""

    def __post_init__(self) -> None:
        """Refuse a tree given twice or not at all, and one that is no tree."""
        if self.values is not None:
            object.__setattr__(self, "values", tuple(self.values))
        if (self.paths is None) == (self.mask is None):
            message = f"Attribute {self.name!r} needs either paths or mask='prefix'."
            raise SchemaError(message)
        if self.mask not in (None, "prefix"):
            message = f"Attribute {self.name!r}: mask {self.mask!r} is not known; 'prefix' is."
            raise SchemaError(message)
        check_values(self.values, self.name)
        if any(str(value) == "" or "*" in str(value) for value in self.values or ()):
            message = (
                f"Values of {self.name!r} are masked with '*', so none may be empty or contain one."
            )
            raise SchemaError(message)
        if self.paths is not None:
            if not _has_paths(self.paths):
                message = (
                    f"The hierarchy of {self.name!r} needs leaves, each with the list of its"
                    " ancestors: {'A1': ['A'], 'A2': ['A']}."
                )
                raise SchemaError(message)
            _ = self._nodes

    @classmethod
    def from_csv(
        cls,
        name: str,
        path: str | Path,
        *,
        encoding: str | None = None,
        delimiter: str | None = None,
    ) -> Hierarchical:
        """Read the tree from a file, as ARX writes them.

        Each line goes from a leaf to the root, ``38121;3812*;381**;*``, without a header. Any
        usual delimiter is found. Leaves that are numbers are told by their text.
        """
        return cls(name, read_paths(path, encoding=encoding, delimiter=delimiter))

    def __hash__(self) -> int:
        """Hash by what identifies the attribute; the paths may be an unhashable mapping."""
        return hash((self.name, self.mask))

    @cached_property
    def _levels(self) -> tuple[tuple[str, ...], ...]:
        """Labels of all leaves, level by level from the leaves to the root, in tree order."""
        return _levels_of(self._rows, self.name)

    @cached_property
    def _rows(self) -> list[tuple[str, ...]]:
        if self.paths is not None:
            return [
                (str(leaf), *(str(node) for node in above)) for leaf, above in self.paths.items()
            ]
        if self.values is None:
            unresolved(self.name)
        longest = max(len(str(value)) for value in self.values)
        return [
            tuple(_masked(str(value), longest, hidden) for hidden in range(longest + 1))
            for value in self.values
        ]

    @cached_property
    def _nodes(self) -> dict[str, tuple[int, int]]:
        """First and last leaf under each node; a label on several levels is one node."""
        spans: dict[str, tuple[int, int]] = {}
        for labels in self._levels:
            changes = [0, *(i for i in range(1, len(labels)) if labels[i] != labels[i - 1])]
            for begin, end in zip(changes, [*changes[1:], len(labels)], strict=True):
                span = begin, end - 1
                if spans.setdefault(labels[begin], span) != span:
                    message = f"{labels[begin]!r} of {self.name!r} names two different nodes."
                    raise SchemaError(message)
        return spans

    @property
    def leaves(self) -> tuple[str, ...]:
        """The leaves, in the order of the tree."""
        return self._levels[0]

    @property
    def steps(self) -> int:
        """How many places of a grid tell its leaves apart."""
        return len(self.leaves)

    def resolve(self, column: pa.Array) -> Hierarchical:
        """Read the leaves of a mask off the column, or widen them, where they were not declared."""
        if self.paths is not None:
            return self
        texts = to_text(column, self.name)
        values, is_open = resolve_values(self.values, texts, self.name, is_open=self.open)
        return replace(self, values=values, open=is_open)

    def public(self) -> Hierarchical:
        """Return the attribute as it was declared."""
        return replace(self, values=None, open=False) if self.open else self

    def encode(self, column: pa.Array) -> FloatArray:
        """Return each leaf's place in the order of the tree."""
        texts = to_text(column, self.name)
        return encode_values(texts, self.leaves, self.name).astype(np.float64)

    def spread(self, codes: FloatArray) -> FloatArray:
        """Stretch the leaves over [0, 1] in the order of the tree."""
        return share_of(codes, self.steps - 1)

    def distance(self, codes: FloatArray, others: FloatArray) -> FloatArray:
        """Return the height of the lowest common node, relative to the root's.

        Codes outside the domain (negative) are at distance 1 from everything.
        """
        mine, theirs = codes.astype(np.int64), others.astype(np.int64)
        apart = np.zeros(np.broadcast_shapes(mine.shape, theirs.shape))
        for level in self._levels[:-1]:
            run_of, _, _ = _runs(level)
            apart += run_of[mine] != run_of[theirs]
        return np.where((mine < 0) | (theirs < 0), 1.0, apart / max(len(self._levels) - 1, 1))

    def heights(self, codes: FloatArray) -> IntArray:
        """Return the height of the lowest common node of each leaf and the next."""
        leaves = codes.astype(np.int64)
        found = np.zeros(max(len(leaves) - 1, 0), dtype=np.int64)
        for level in self._levels:
            run_of, _, _ = _runs(level)
            found += run_of[leaves[1:]] != run_of[leaves[:-1]]
        return found

    def cover(self, codes: FloatArray, starts: IntArray) -> Cover:
        """Return the lowest node above all values of each group.

        The extent counts the other leaves under the node, relative to the other
        leaves of the hierarchy.
        """
        least, greatest = (one.astype(np.int64) for one in ends_in_groups(codes, starts))
        up_to = self._leaves_up_to(codes)
        leaves = np.zeros(len(least))
        labels = np.empty(len(least), dtype=object)
        undecided = np.ones(len(least), dtype=bool)
        for level in self._levels:
            run_of, begins, ends = _runs(level)
            agree = undecided & (run_of[least] == run_of[greatest])
            run = run_of[least[agree]]
            leaves[agree] = up_to[ends[run] + 1] - up_to[begins[run]]
            labels[agree] = np.array(level, dtype=object)[begins[run]]
            undecided &= ~agree
        return Cover(
            pa.array(labels, pa.string()),
            share_of(leaves - 1, up_to[-1] - 1),
            counted_penalties(leaves, int(up_to[-1])),
        )

    def prices(self, codes: FloatArray) -> Prices:
        """Return the leaves under nodes, relative to the tree's."""
        leaves, up_to = codes.astype(np.int64), self._leaves_up_to(codes)
        lower, upper = np.zeros((2, len(self._levels), len(codes)))
        for height, level in enumerate(self._levels[1:], start=1):
            run_of, begins, ends = _runs(level)
            run = run_of[leaves]
            lower[height] = share_of(up_to[begins[run]], up_to[-1])
            upper[height] = share_of(up_to[ends[run] + 1], up_to[-1])
        return Prices(lower, upper)

    def _leaves_up_to(self, codes: FloatArray) -> FloatArray:
        """Return how many of the leaves that count lie before each place of the tree."""
        counted = np.ones(self.steps)
        if self.open:
            # Leaves read off the view may be those of suppressed tuples: only published ones count.
            counted[:] = 0.0
            counted[codes.astype(np.int64)] = 1.0
        return np.concatenate([[0.0], np.cumsum(counted)])

    def parse(self, text: Any) -> Part:
        """Read a leaf or a node by its name, or several as ``{a,b}``; ``*`` is the whole tree."""
        if str(text) in self._nodes:
            return Interval(*self._nodes[str(text)])
        written = str(text).strip()
        if written in self._nodes:
            return Interval(*self._nodes[written])
        if written == _ROOT:
            return Interval(0, self.steps - 1)
        if set(written) & set(",|;_{"):
            return union_of(written, self._parse_one, self.steps, is_open=self.open)
        return self._parse_one(written)

    def _parse_one(self, written: str) -> Part:
        """Read one leaf or node."""
        if written in self._nodes:
            return Interval(*self._nodes[written])
        if self.mask is not None and written.endswith("*"):
            return self._behind_mask(written.rstrip("*"))
        message = (
            f"{written!r} is no leaf or node of {self.name!r}; possible are"
            f" {listed(self._nodes)}.{did_you_mean(written, self._nodes)}"
        )
        raise UnknownCategoryError(message)

    def measure(self, part: Part) -> tuple[float, float]:
        """Return extent and penalty of a part: its leaves, relative to the tree's."""
        return measure_codes(part, self.steps)

    def _behind_mask(self, prefix: str) -> Interval:
        """Return the leaves behind a mask of any length: other views may have longer values."""
        behind = [
            code
            for code, leaf in enumerate(self.leaves)
            if leaf.startswith(prefix) and len(leaf) > len(prefix)
        ]
        if not behind:
            message = f"No value of {self.name!r} begins with {prefix!r}."
            raise UnknownCategoryError(message)
        return Interval(min(behind), max(behind))


def _has_paths(paths: object) -> bool:
    """Tell whether there are leaves, each with a list of ancestors."""
    if not isinstance(paths, Mapping) or not paths:
        return False
    lists = paths.values()
    return all(isinstance(one, Iterable) and not isinstance(one, str) for one in lists)


def _masked(value: str, longest: int, hidden: int) -> str:
    kept = longest - hidden
    return value if len(value) <= kept else value[:kept] + "*" * hidden


def _runs(level: tuple[str, ...]) -> tuple[IntArray, IntArray, IntArray]:
    """Number the runs of equal labels: run of each leaf, first and last leaf of each run."""
    labels = np.array(level, dtype=object)
    begins = np.flatnonzero(np.r_[True, labels[1:] != labels[:-1]])
    ids = np.cumsum(np.r_[False, labels[1:] != labels[:-1]])
    return ids.astype(np.int64), begins, np.r_[begins[1:] - 1, len(labels) - 1]


def _levels_of(rows: list[tuple[str, ...]], name: str) -> tuple[tuple[str, ...], ...]:
    """Sort leaves in the order of the tree, and check that it is one."""
    depths = {len(row) for row in rows}
    if len(depths) > 1:
        message = (
            f"The paths of {name!r} have different lengths: {listed(sorted(depths))} labels."
            " Repeat a label where a branch is shorter."
        )
        raise SchemaError(message)
    if len({row[-1] for row in rows}) > 1:
        rows = [(*row, _ROOT) for row in rows]
    rows = sorted(rows, key=lambda row: row[::-1])
    for height in range(len(rows[0]) - 1):
        parents: dict[str, str] = {}
        for row in rows:
            if parents.setdefault(row[height], row[height + 1]) != row[height + 1]:
                message = (
                    f"{row[height]!r} of {name!r} lies under both"
                    f" {parents[row[height]]!r} and {row[height + 1]!r}; a node has one parent."
                )
                raise SchemaError(message)
    if len({row[0] for row in rows}) < len(rows):
        message = f"A leaf of {name!r} is named twice."
        raise SchemaError(message)
    return tuple(zip(*rows, strict=True))
