"""Work shared out among cores by tuples: groups are large and small, and rows cost alike."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from seriatim._typing import IntArray
from seriatim.kernels._jit import calls, usable_cores

STRETCH = 2**16
"""Rows of a stretch: few enough to share them out evenly, many enough for a thread."""

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


def over_stretches(work: Callable[..., None], length: int, *arrays: Any) -> None:
    """Call ``work(start, stop, *arrays)`` on stretches that together cover ``range(length)``."""
    begins = range(0, length, STRETCH)
    calls(work, [(begin, min(begin + STRETCH, length), *arrays) for begin in begins])
