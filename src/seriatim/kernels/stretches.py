"""Groups shared out among cores by their tuples: some are large, and most are small."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from seriatim._typing import IntArray
from seriatim.kernels._jit import calls, usable_cores

_LEAST_TUPLES_PER_THREAD = 2**13


def over_groups(work: Callable[..., None], starts: IntArray, *arrays: Any) -> None:
    """Call ``work(first, last, *arrays)`` on stretches of groups with about as many tuples each.

    Group g has the tuples from starts[g] to starts[g + 1]. Each group must write only its own
    part of the output.
    """
    n_groups, tuples = len(starts) - 1, int(starts[-1])
    threads = min(usable_cores(), tuples // _LEAST_TUPLES_PER_THREAD)
    if threads <= 1:
        work(0, n_groups, *arrays)
        return
    ends = np.searchsorted(starts, np.linspace(0, tuples, 4 * threads + 1)[1:-1])
    bounds = np.unique(np.concatenate([[0], ends, [n_groups]])).tolist()
    calls(work, [(first, last, *arrays) for first, last in itertools.pairwise(bounds)], threads)
