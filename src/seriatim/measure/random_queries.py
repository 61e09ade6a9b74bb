"""Random range-count queries over a view: what is asked to tell how useful a release is."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.errors import PolicyError
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.dates import Date
from seriatim.microdata.numeric import Numeric
from seriatim.microdata.view import View
from seriatim.privacy.requirement import require_above, require_whole

QUERIES = 1000
"""Queries asked where nobody says how many, of a view that is not too large for it."""

_MOST_LOOKS = 2**28
"""Tuples that may be looked at for them, over all queries: a few seconds on one core."""

_FEWEST = 100
"""Queries asked of the largest views; the median of so many is still worth telling."""

_MOST_DRAWS = 20
"""Queries drawn for each that is wanted, before the search for ones with a truth ends."""

_MOST_CELLS = 2**22
"""Entries of the largest array of sets (queries, codes) that is drawn at once."""

_EPOCH = dt.date(1970, 1, 1).toordinal()


@dataclass(frozen=True)
class Axis:
    """The domain of one quasi-identifier, as queries range over it."""

    low: float
    """Least code."""

    high: float
    """Greatest code."""

    kind: int
    """Counted in steps, in lengths, or by sets of codes; as numbered in ``kernels.queries``."""

    @classmethod
    def of(cls, attribute: QuasiIdentifier) -> Axis:
        """Return the domain of a resolved attribute."""
        from seriatim.kernels.queries import LENGTHS, SET, STEPS

        if isinstance(attribute, Numeric):
            assert attribute.low is not None
            assert attribute.high is not None
            whole = attribute.integral and not attribute.fractions
            return cls(attribute.low, attribute.high, STEPS if whole else LENGTHS)
        if isinstance(attribute, Date):
            assert isinstance(attribute.first, dt.date)
            assert isinstance(attribute.last, dt.date)
            first, last = attribute.first.toordinal(), attribute.last.toordinal()
            return cls(first - _EPOCH, last - _EPOCH, STEPS)
        kind = SET if isinstance(attribute, Categorical) else STEPS
        return cls(0.0, attribute.steps - 1.0, kind)

    @property
    def codes(self) -> int:
        """How many codes there are, where they are counted."""
        return int(self.high - self.low) + 1


@dataclass(frozen=True, eq=False)
class Queries:
    """Range-count queries over the quasi-identifiers and the sensitive values of a view."""

    axes: tuple[Axis, ...]
    """What the ranges are ranges of."""

    low: FloatArray
    """Least code asked for (queries, attributes); NaN where a set is asked for."""

    high: FloatArray
    """Greatest code asked for (queries, attributes); NaN where a set is asked for."""

    sets: tuple[BoolArray | None, ...]
    """Codes asked for (queries, codes), for each attribute that is asked by a set."""

    values: BoolArray
    """Sensitive values asked for (queries, values)."""

    truths: IntArray
    """How many tuples of the view each query counts."""

    without_truth: int = 0
    """How many more were drawn that counted nobody, and were drawn again."""

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.values)

    def __repr__(self) -> str:
        """Say how many there are; what they count is the view's."""
        return f"Queries({len(self)} over {len(self.axes)} attributes)"

    def taken(self, rows: slice | IntArray) -> Queries:
        """Return some of the queries."""
        sets = tuple(None if one is None else one[rows] for one in self.sets)
        return Queries(
            self.axes, self.low[rows], self.high[rows], sets, self.values[rows], self.truths[rows]
        )

    def compiled(self) -> tuple[IntArray, FloatArray, FloatArray, SmallIntArray, IntArray]:
        """Return kinds, low, high, sets and first, as ``kernels.queries`` takes them."""
        kinds = np.array([axis.kind for axis in self.axes], dtype=np.int64)
        first = np.zeros(len(self.axes), dtype=np.int64)
        columns = [np.zeros((len(self), 0), dtype=np.int32)]
        for number, chosen in enumerate(self.sets):
            first[number] = sum(column.shape[1] for column in columns)
            if chosen is not None:
                below = np.zeros((len(self), chosen.shape[1] + 1), dtype=np.int32)
                np.cumsum(chosen, axis=1, out=below[:, 1:])
                columns.append(below)
        sets = np.ascontiguousarray(np.concatenate(columns, axis=1))
        return kinds, self.low, self.high, sets, first


def affordable_queries(view: View) -> int:
    """Return how many queries are asked of a view where nobody says how many.

    1,000, of views of more than 268,435 tuples fewer, and at least 100: 268 of a million.

    >>> from seriatim import running_example
    >>> affordable_queries(running_example().views[0])
    1000
    """
    return max(min(QUERIES, _MOST_LOOKS // max(len(view), 1)), _FEWEST)


def draw_queries(
    view: View, *, selectivity: float = 0.05, queries: int | None = None, seed: int = 1
) -> Queries:
    """Draw range-count queries that count someone of a view.

    Over d quasi-identifiers, each of the d + 1 predicates covers selectivity^(1/(d + 1)) of
    its domain: a range of numbers, of days, of ordered values or of neighbouring leaves of a
    tree; any set of unordered and of sensitive values. Where codes are counted, the number of
    them is that share on average, and at least one; in a small domain one is more than the
    share, and such queries count more than asked.

    Without a number, ``affordable_queries`` are drawn. Domains are the view's. All its tuples
    are counted, suppressed ones too. Queries that count nobody have no relative error and are
    drawn again; when 20 draws for each wanted query do not bring enough, that is a PolicyError.
    """
    require_above("selectivity", selectivity, 0, 1)
    queries = affordable_queries(view) if queries is None else queries
    require_whole("queries", queries, 1)
    require_whole("seed", seed, 0)
    rng = np.random.default_rng(int(seed))
    axes = tuple(Axis.of(attribute) for attribute in view.schema.quasi_identifiers)
    width = float(selectivity) ** (1 / (len(axes) + 1))
    # By the view alone, so that every release of it is asked the same queries.
    widest = max([len(view.schema.sensitive.domain), *map(_set_size, axes)])
    most = max(min(queries, _MOST_CELLS // widest), 1)
    kept: list[Queries] = []
    drawn = found = 0
    while found < queries and drawn < _MOST_DRAWS * queries:
        batch = _drawn(axes, view, width, min(most, _MOST_DRAWS * queries - drawn), rng)
        counting = np.flatnonzero(batch.truths)[: queries - found]
        # Those behind the last that was needed were not looked at.
        drawn += int(counting[-1]) + 1 if found + len(counting) == queries else len(batch)
        found += len(counting)
        kept.append(batch.taken(counting))
    if found < queries:
        message = (
            f"Of {drawn} random queries with an expected selectivity of {selectivity:g},"
            f" {found} count anyone in the view of {len(view)} tuples, and {queries} are needed."
            " Try a larger selectivity (at most 1), or fewer queries."
        )
        raise PolicyError(message)
    return _joined(kept, drawn - found)


def _drawn(
    axes: tuple[Axis, ...], view: View, width: float, number: int, rng: np.random.Generator
) -> Queries:
    """Draw some queries, whether they count anyone or not."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.queries import LENGTHS, SET, count_inside

    low, high = np.full((2, number, len(axes)), np.nan)
    sets: list[BoolArray | None] = []
    for place, axis in enumerate(axes):
        sets.append(_random_sets(axis.codes, width, number, rng) if axis.kind == SET else None)
        if axis.kind == LENGTHS:
            room = (1 - width) * (axis.high - axis.low)
            low[:, place] = axis.low + rng.random(number) * room
            high[:, place] = axis.high - (room - (low[:, place] - axis.low))
        elif axis.kind != SET:
            codes = _random_sizes(axis.codes, width, number, rng)
            low[:, place] = axis.low + rng.integers(0, axis.codes - codes, endpoint=True)
            high[:, place] = low[:, place] + codes - 1
    values = _random_sets(len(view.schema.sensitive.domain), width, number, rng)
    queries = Queries(axes, low, high, tuple(sets), values, np.zeros(number, dtype=np.int64))
    over_ranges(
        count_inside,
        number,
        *queries.compiled(),
        values,
        view.points,
        view.value_codes,
        queries.truths,
    )
    return queries


def _random_sizes(codes: int, width: float, number: int, rng: np.random.Generator) -> IntArray:
    """Draw numbers of codes whose mean is the share ``width`` of all, but at least one."""
    least, rest = divmod(width * codes, 1)
    sizes = int(least) + (rng.random(number) < rest)
    return np.asarray(np.clip(sizes, 1, codes), dtype=np.int64)


def _random_sets(codes: int, width: float, number: int, rng: np.random.Generator) -> BoolArray:
    """Draw sets of codes (number, codes), every set of its size as likely as any other."""
    sizes = _random_sizes(codes, width, number, rng)
    lots = rng.random((number, codes))
    last = np.sort(lots, axis=1)[np.arange(number), sizes - 1]
    return np.asarray(lots <= last[:, None])


def _joined(parts: list[Queries], without_truth: int) -> Queries:
    first = parts[0]
    sets = tuple(
        None if one is None else np.concatenate([part.sets[place] for part in parts])
        for place, one in enumerate(first.sets)
    )
    low, high, values, truths = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("low", "high", "values", "truths")
    )
    return Queries(first.axes, low, high, sets, values, truths, without_truth)


def _set_size(axis: Axis) -> int:
    from seriatim.kernels.queries import SET

    return axis.codes if axis.kind == SET else 1
