"""What a view, and a release of it, teach of P(value | quasi-identifiers).

Each is what an additive model is fitted to, without some people who are held out. Everyone is
in a cell, a combination of bins, and has a kind: a sensitive value, or a rare one that
is counted together with others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import OrderError
from seriatim.inference.matching_rules import Strongest
from seriatim.inference.rules import PublishedGroups
from seriatim.measure.additive import AdditiveModel, fit_additive, merged_cells, summed
from seriatim.measure.bins import Bins
from seriatim.measure.regions import Regions
from seriatim.microdata.view import View

_LEAST_POINTS = 32
"""Points at which a group's tuples are put, where it has not more tuples than that."""

_MOST_STATES = 2**10
"""States up to which a bucket's values are weighed exactly, as ``Strongest`` counts them."""

_STEPS = 50
_CONVERGED = 2e-3
"""Steps of expectation maximization, and the change of an effect below which they end."""


class Taught(Protocol):
    """What a model can be fitted to."""

    def model_without(self, held_out: IntArray, imagined: float) -> AdditiveModel:
        """Return the model fitted without some people, given by their rows in the view."""
        ...


@dataclass(frozen=True, eq=False)
class People:
    """A view's people, as everything that is fitted is held against them; private."""

    cells: IntArray
    """Different combinations of bins (cells, attributes)."""

    cell_of: IntArray
    """The cell of each."""

    kind_of: IntArray
    """The kind of each."""

    n_kinds: int
    """How many kinds there are."""

    bins: tuple[int, ...]
    """The number of bins of each attribute."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"People({len(self.cell_of)} in {len(self.cells)} cells)"

    @classmethod
    def of(
        cls, view: View, bins: Bins, kinds: IntArray, n_kinds: int, beside: FloatArray | None = None
    ) -> tuple[People, IntArray]:
        """Return a view's people by cells, and the cells of other points beside them."""
        points = view.points if beside is None else np.concatenate([view.points, beside])
        cells, cell_of = merged_cells(bins.places(points))
        size = len(view)
        return cls(cells, cell_of[:size], kinds, n_kinds, bins.sizes), cell_of[size:]

    def counts(self, rows: IntArray) -> FloatArray:
        """Return how many of some people are in each cell with each kind (cells, kinds)."""
        pairs = self.cell_of[rows] * self.n_kinds + self.kind_of[rows]
        found = np.bincount(pairs, minlength=len(self.cells) * self.n_kinds)
        return found.reshape(-1, self.n_kinds).astype(np.float64)

    def model_of(self, rows: IntArray, imagined: float) -> AdditiveModel:
        """Return the model fitted to some people."""
        counts = self.counts(rows)
        marginal = marginal_of(counts.sum(axis=0))
        return fit_additive(self.cells, counts, marginal, self.bins, imagined=imagined)


@dataclass(frozen=True, eq=False)
class SpreadTuples:
    """A generalized release: each group's tuples are spread evenly over its region."""

    cells: IntArray
    """Different combinations of bins (cells, attributes)."""

    group_of: IntArray
    """The group of each of the points at which its tuples are put, equal parts at each."""

    cell_of: IntArray
    """The cell of each point."""

    counts: FloatArray
    """How often each group has each kind (groups, kinds)."""

    people: People
    """The view's people."""

    rows: IntArray
    """Their rows, once for each group that each may be in."""

    groups: IntArray
    """These groups."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"SpreadTuples({len(self.counts)} groups, {len(self.cells)} cells)"

    @classmethod
    def of(
        cls,
        regions: Regions,
        bins: Bins,
        counts: FloatArray,
        people: People,
        possible: tuple[IntArray, IntArray],
    ) -> SpreadTuples:
        """Put each group's tuples at evenly spread points of its region, as many or 32."""
        sizes = counts.sum(axis=1).astype(np.int64)
        numbers = np.where(sizes > 0, np.maximum(sizes, _LEAST_POINTS), 0)
        group_of = np.repeat(np.arange(len(sizes)), numbers)
        number = np.arange(len(group_of)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
        codes = regions.codes_at(group_of, evenly_spread(number, len(bins.sizes)))
        cells, cell_of = merged_cells(bins.places(codes))
        return cls(cells, group_of, cell_of, counts, people, *possible)

    def model_without(self, held_out: IntArray, imagined: float) -> AdditiveModel:
        """Return the model fitted without some people; their groups' regions stay.

        Whose place is open is taken out of the possible groups that publish their value, to
        equal parts.
        """
        left = np.maximum(self.counts - self._removed(held_out), 0.0)
        points = np.bincount(self.group_of, minlength=len(left))
        weights = left / np.maximum(points, 1)[:, None]
        spread = np.column_stack(
            [summed(self.cell_of, weight[self.group_of], len(self.cells)) for weight in weights.T]
        )
        marginal, bins = marginal_of(left.sum(axis=0)), self.people.bins
        return fit_additive(self.cells, spread, marginal, bins, imagined=imagined)

    def _removed(self, held_out: IntArray) -> FloatArray:
        """Return how many tuples of each group and kind are the held-out people's."""
        kinds = self.people.kind_of[self.rows]
        named = np.isin(self.rows, held_out) & (self.counts[self.groups, kinds] > 0)
        rows, groups, kinds = self.rows[named], self.groups[named], kinds[named]
        parts = 1.0 / np.bincount(rows, minlength=1)[rows]
        pairs = groups * self.counts.shape[1] + kinds
        return summed(pairs, parts, self.counts.size).reshape(self.counts.shape)


@dataclass(frozen=True, eq=False)
class ListedPeople:
    """A release in buckets: people as they are, the values of their bucket apart."""

    people: People
    """The view's people."""

    bucket_of: IntArray
    """The bucket of each of them; -1 for those who are in none that is looked at."""

    buckets: IntArray
    """The bucket of each listed person."""

    cells: IntArray
    """The cell of each listed person."""

    counts: FloatArray
    """How often each bucket has each kind (buckets, kinds)."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"ListedPeople({len(self.cells)} in {len(self.counts)} buckets)"

    def model_without(self, held_out: IntArray, imagined: float) -> AdditiveModel:
        """Return the model fitted without some people, by expectation maximization.

        In turns, the values of each bucket are given to its people as the model finds likely,
        with all counts kept (``Strongest``), and the model is improved by a sweep over its
        attributes. The first step deals them out by frequency alone.
        """
        cells, counts = self._left(held_out)
        starts = _starts(counts.sum(axis=1).astype(np.int64))
        kinds = np.tile(np.arange(counts.shape[1]), len(counts))
        values = np.repeat(kinds, counts.ravel().astype(np.int64))
        groups = PublishedGroups(np.arange(len(cells)), starts, values, starts)
        marginal = marginal_of(counts.sum(axis=0))
        model = AdditiveModel.without_effects(marginal, self.people.bins, imagined)
        return expect_and_maximize(model, self.people.cells, cells, groups)

    def _left(self, held_out: IntArray) -> tuple[IntArray, FloatArray]:
        """Return the cells of those who are left, bucket by bucket, and the buckets' counts."""
        rows = held_out[self.bucket_of[held_out] >= 0]
        cells, kinds = len(self.people.cells), self.counts.shape[1]
        gone = self.bucket_of[rows] * cells + self.people.cell_of[rows]
        keys, times = np.unique(
            np.concatenate([self.buckets * cells + self.cells, gone]), return_inverse=True
        )
        listed = len(self.buckets)
        left = np.bincount(times.ravel()[:listed], minlength=len(keys))
        left -= np.bincount(times.ravel()[listed:], minlength=len(keys))
        pairs = self.bucket_of[rows] * kinds + self.people.kind_of[rows]
        taken = np.bincount(pairs, minlength=self.counts.size).reshape(self.counts.shape)
        counts = self.counts - taken
        if (left < 0).any() or (counts < 0).any():
            message = (
                "People are said to be in buckets that do not list them, or do not have their"
                " values. Take the membership that was published with this release."
            )
            raise OrderError(message)
        return np.repeat(keys % cells, left), counts


def expect_and_maximize(
    model: AdditiveModel, places: IntArray, cells: IntArray, groups: PublishedGroups
) -> AdditiveModel:
    """Return an additive model, improved, of people whose values are known by the bucket only.

    ``places`` are the bins of each cell, and ``cells`` (people) those that people are in.
    """
    n_kinds, rule = len(model.marginal), Strongest(most_states=_MOST_STATES)
    pairs = (cells[:, None] * n_kinds + np.arange(n_kinds)).ravel()
    for _ in range(_STEPS):
        whose = rule.posterior(model.probabilities(places)[cells], groups)
        counts = summed(pairs, whose.ravel(), len(places) * n_kinds)
        model, change = model.swept(places, counts.reshape(-1, n_kinds))
        if change <= _CONVERGED:
            break
    return model


def marginal_of(counts: FloatArray) -> FloatArray:
    """Return the frequencies of kinds, with one more person who has each to an equal part.

    So no kind is impossible that held-out people turn out to have.

    >>> marginal_of(np.array([3.0, 0.0])).tolist()
    [0.875, 0.125]
    """
    return np.asarray((counts + 1.0 / len(counts)) / (counts.sum() + 1.0))


def evenly_spread(numbers: IntArray, attributes: int) -> FloatArray:
    """Return points of the unit cube (points, attributes), number by number evenly spread.

    Korobov's additive recurrence in the form of Roberts (2018): number n lies at the
    fractional parts of ½ + n / φ^a, with φ^(d + 1) = φ + 1.

    >>> evenly_spread(np.arange(4), 1).ravel().round(2).tolist()
    [0.5, 0.12, 0.74, 0.35]
    """
    ratio = 2.0
    for _ in range(60):
        ratio = (1.0 + ratio) ** (1.0 / (attributes + 1))
    steps = ratio ** -np.arange(1.0, attributes + 1)
    return np.asarray((0.5 + numbers[:, None] * steps) % 1.0)


def _starts(sizes: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(sizes)])
