"""Entropy and Jensen–Shannon divergence, in bits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from seriatim._typing import FloatArray
from seriatim.knowledge.belief import require_distributions


def entropy(beliefs: npt.ArrayLike) -> FloatArray:
    """Shannon entropy of each belief, in bits.

    H(p) = −Σ p·log₂ p, where 0·log₂ 0 = 0.

    >>> entropy([[0.5, 0.5], [1.0, 0.0]]).tolist()
    [1.0, 0.0]
    """
    return entropy_of_rows(require_distributions(beliefs, "a belief"))


def entropy_of_rows(rows: FloatArray) -> FloatArray:
    """Entropy of rows already known to be distributions; axes before the last are kept."""
    logs = np.log2(rows, out=np.zeros_like(rows), where=rows > 0)
    # Adding zero turns the −0.0 of a certain belief into 0.0.
    return np.asarray(-(rows * logs).sum(axis=-1) + 0.0)


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
