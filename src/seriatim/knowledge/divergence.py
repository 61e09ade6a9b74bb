"""Entropy and Jensen–Shannon divergence, in bits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from seriatim._typing import FloatArray
from seriatim.knowledge.belief import require_distributions

_MANY = 2**18
"""Probabilities from which on several threads work on them."""

_NEAR = 2**17
"""Probabilities that are worked on at a time: near the processor, and not handed over too often."""


def entropy(beliefs: npt.ArrayLike) -> FloatArray:
    """Shannon entropy of each belief, in bits.

    H(p) = −Σ p·log₂ p, where 0·log₂ 0 = 0.

    >>> entropy([[0.5, 0.5], [1.0, 0.0]]).tolist()
    [1.0, 0.0]
    """
    return entropy_of_rows(require_distributions(beliefs, "a belief"))


def entropy_of_rows(rows: FloatArray) -> FloatArray:
    """Entropy of rows already known to be distributions; axes before the last are kept."""
    if rows.ndim == 2 and rows.size >= _MANY:
        from seriatim.kernels._jit import over_ranges
        from seriatim.kernels.rows import WIDEST

        entropies = np.empty(len(rows))
        narrow = rows.shape[1] <= WIDEST and rows.flags.c_contiguous
        over_ranges(_narrow_entropies if narrow else _entropies, len(rows), rows, entropies)
        return entropies
    return _entropy(rows)


def _entropies(start: int, stop: int, rows: FloatArray, entropies: FloatArray) -> None:
    """Write the entropies of rows start..stop, so many at a time as stay near the processor."""
    step = max(_NEAR // rows.shape[1], 1)
    for begin in range(start, stop, step):
        end = min(begin + step, stop)
        entropies[begin:end] = _entropy(rows[begin:end])


def _narrow_entropies(start: int, stop: int, rows: FloatArray, entropies: FloatArray) -> None:
    """Write the same, of rows that need not be multiplied and added in passes of their own."""
    from seriatim.kernels.rows import entropies_by_logs

    step = max(_NEAR // rows.shape[1], 1)
    logs = np.empty((min(step, stop - start), rows.shape[1]))
    for begin in range(start, stop, step):
        some = rows[begin : min(begin + step, stop)]
        with np.errstate(divide="ignore"):  # of 0, which counts nothing
            found = np.log2(some, out=logs[: len(some)])
        entropies_by_logs(some, found, entropies[begin : begin + len(some)])


def _entropy(rows: FloatArray) -> FloatArray:
    positive = rows > 0
    logs = (
        np.log2(rows) if positive.all() else np.log2(rows, out=np.zeros_like(rows), where=positive)
    )
    logs *= rows
    # Adding zero turns the −0.0 of a certain belief into 0.0.
    return np.asarray(-logs.sum(axis=-1) + 0.0)


def js_divergence(beliefs: npt.ArrayLike) -> float:
    """Jensen–Shannon divergence of a set of beliefs, in bits.

    JS(P) = H(mean of P) − mean of H(P), every belief weighing the same: a
    belief already contains the reader's confidence. The paper does not name
    the base of its logarithm; we use 2, so that two certain and contrary
    beliefs diverge by 1.

    >>> js_divergence([[1.0, 0.0], [0.0, 1.0]])
    1.0
    """
    rows = require_distributions(beliefs, "a belief")
    divergence = entropy_of_rows(rows.mean(axis=0)) - entropy_of_rows(rows).mean()
    # Never negative but for rounding.
    return max(float(divergence), 0.0)
