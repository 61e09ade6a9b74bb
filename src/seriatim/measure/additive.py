"""An additive log-linear model of a value given binned quasi-identifiers.

``P(v | x) ∝ P(v) · exp Σ_a effect_a[bin of x_a, v]``: every bin of every attribute raises or
lowers the odds of every value. Beside those who were counted, some people are imagined for
each bin. Nothing but that bin is known of them, and they have the values of the marginal:
they keep effects finite, and near 0 in bins that few people are in. Axes: places (cells,
attributes) are bins, counts (cells, values) may be fractions of people.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from seriatim._typing import FloatArray, IntArray

STRENGTHS = (10.0, 30.0, 100.0, 300.0, 1000.0)
"""Imagined people for each bin, as are tried."""


@dataclass(frozen=True, eq=False)
class AdditiveModel:
    """P(v | x), as fitted to counts.

    >>> model = AdditiveModel.without_effects(np.array([0.5, 0.5]), (2,))
    >>> model.probabilities(np.array([[0], [1]])).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """

    marginal: FloatArray
    """P(v) of someone of whom nothing is known (values); none is zero."""

    effects: tuple[FloatArray, ...]
    """For each attribute what its bins add to the log-odds (bins, values)."""

    imagined: float = STRENGTHS[0]
    """Imagined people for each bin."""

    def __repr__(self) -> str:
        """Say how large it is."""
        return f"AdditiveModel({len(self.marginal)} values, {len(self.effects)} attributes)"

    @classmethod
    def without_effects(
        cls, marginal: FloatArray, bins: tuple[int, ...], imagined: float = STRENGTHS[0]
    ) -> AdditiveModel:
        """Return the model in which no attribute tells anything."""
        effects = tuple(np.zeros((number, len(marginal))) for number in bins)
        return cls(marginal, effects, imagined)

    def probabilities(self, places: IntArray) -> FloatArray:
        """Return P(v | x) of each cell (cells, values)."""
        return _normalized(self._scores(places))

    def swept(self, places: IntArray, counts: FloatArray) -> tuple[AdditiveModel, float]:
        """Return the model after one sweep over the attributes, and the largest change.

        Attribute by attribute, each effect is raised by the logarithm of what was counted of
        its bin and value over what the model expects there: generalized iterative scaling
        (Darroch and Ratcliff, 1972). No such step lowers the likelihood.
        """
        people, scores = counts.sum(axis=1), self._scores(places)
        effects, change = [], 0.0
        for axis, effect in enumerate(self.effects):
            place = places[:, axis]
            believed = _normalized(scores) * people[:, None]
            imagined = _normalized(np.log(self.marginal) + effect)
            counted = _by_bin(place, counts, len(effect)) + self.imagined * self.marginal
            expected = _by_bin(place, believed, len(effect)) + self.imagined * imagined
            step = np.log(counted / expected)
            scores += step[place]
            effects.append(effect + step)
            change = max(change, float(np.abs(step).max(initial=0.0)))
        return replace(self, effects=tuple(effects)), change

    def _scores(self, places: IntArray) -> FloatArray:
        scores = np.tile(np.log(self.marginal), (len(places), 1))
        for axis, effect in enumerate(self.effects):
            scores += effect[places[:, axis]]
        return scores


def fit_additive(
    places: IntArray,
    counts: FloatArray,
    marginal: FloatArray,
    bins: tuple[int, ...],
    *,
    imagined: float = STRENGTHS[0],
    tolerance: float = 1e-3,
    sweeps: int = 200,
) -> AdditiveModel:
    """Return the likeliest additive model of some counts and the imagined people.

    The logarithm of the likelihood is concave, and with the imagined people strictly so, but
    for what normalization takes out: there is one answer, whatever the order of rows. Sweeps
    end when no effect changes by more than the tolerance, or after so many.

    >>> counts = np.array([[90.0, 10.0], [20.0, 80.0]])
    >>> model = fit_additive(np.array([[0], [1]]), counts, np.array([0.5, 0.5]), (2,))
    >>> model.probabilities(np.array([[0], [1]])).round(2).tolist()
    [[0.86, 0.14], [0.23, 0.77]]
    """
    model = AdditiveModel.without_effects(marginal, bins, imagined)
    for _ in range(sweeps):
        model, change = model.swept(places, counts)
        if change <= tolerance:
            break
    return model


def merged_cells(places: IntArray) -> tuple[IntArray, IntArray]:
    """Return the different rows of places, and which of them each row is.

    >>> cells, cell_of = merged_cells(np.array([[1, 0], [0, 0], [1, 0]]))
    >>> cells.tolist(), cell_of.tolist()
    ([[0, 0], [1, 0]], [1, 0, 1])
    """
    cells, cell_of = np.unique(places, axis=0, return_inverse=True)
    return cells, cell_of.ravel()


def summed(places: IntArray, weights: FloatArray, size: int) -> FloatArray:
    """Return the sums of weights by place (size).

    >>> summed(np.array([0, 2, 2]), np.array([1.0, 0.5, 0.25]), 4).tolist()
    [1.0, 0.0, 0.75, 0.0]
    """
    return np.asarray(np.bincount(places, weights, minlength=size), dtype=np.float64)


def _normalized(scores: FloatArray) -> FloatArray:
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _by_bin(place: IntArray, weights: FloatArray, bins: int) -> FloatArray:
    """Sum rows by their bin (bins, values)."""
    values = weights.shape[1]
    cells = (place[:, None] * values + np.arange(values)).ravel()
    return summed(cells, weights.ravel(), bins * values).reshape(bins, values)
