"""What counting tells of a group's values, and what a belief is worth beyond it.

Axes: published (tuples) has the codes of the published values, those of group g from starts[g]
to starts[g + 1]; members (tuples) the rows of respondents, those of group g from begins[g] to
begins[g + 1]; truth and believed (respondents). What is believed of some people is ragged: that
of person p are the entries bounds[p]:bounds[p + 1].
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.kernels._jit import kernel
from seriatim.kernels._machine import fetch_ahead

_AHEAD = 32
"""Members ahead of the one looked at whose truth and belief are fetched."""


@kernel
def counted_in_groups(
    start: int,
    stop: int,
    groups: IntArray,
    codes: IntArray,
    starts: IntArray,
    published: IntArray,
    shares: FloatArray,
) -> None:
    """Write the share of a code among a group's values, for pairs of groups and codes."""
    for pair in range(start, stop):
        begin, end = starts[groups[pair]], starts[groups[pair] + 1]
        count = 0
        for place in range(np.uint64(begin), np.uint64(end)):
            count += published[place] == codes[pair]
        shares[pair] = count / (end - begin)


@kernel
def gains_beyond_counting(
    first: int,
    last: int,
    starts: IntArray,
    published: IntArray,
    begins: IntArray,
    members: IntArray,
    truth: IntArray,
    believed: FloatArray,
    n_values: int,
    gains: FloatArray,
) -> None:
    """Write (p - f) / (1 - f) for each member of groups first..last, 0 where f is 1.

    p is the belief in the truth, f the share of the true value in the group.
    """
    counts = np.zeros(n_values, np.int64)
    everyone = np.uint64(begins[last])
    for group in range(first, last):
        # Places without a sign: none can be counted from the end, and none is asked whether it is.
        begin, end = np.uint64(starts[group]), np.uint64(starts[group + 1])
        size = starts[group + 1] - starts[group]
        for place in range(begin, end):
            counts[np.uint64(published[place])] += 1
        for place in range(np.uint64(begins[group]), np.uint64(begins[group + 1])):
            if place + np.uint64(_AHEAD) < everyone:
                coming = np.uint64(members[place + np.uint64(_AHEAD)])
                fetch_ahead(truth, coming)
                fetch_ahead(believed, coming)
            row = np.uint64(members[place])
            share = counts[np.uint64(truth[row])] / size
            gains[place] = (believed[row] - share) / (1 - share) if share < 1.0 else 0.0
        for place in range(begin, end):
            counts[np.uint64(published[place])] = 0


@kernel
def true_entries(
    start: int,
    stop: int,
    bounds: IntArray,
    codes: SmallIntArray,
    beliefs: FloatArray,
    truth: IntArray,
    again: BoolArray,
    believed: FloatArray,
) -> None:
    """Write the belief in each person's truth, and whether any entry of them is not NaN.

    What no entry says is held impossible.
    """
    for person in range(start, stop):
        again[person] = False
        believed[person] = 0.0
        for entry in range(np.uint64(bounds[person]), np.uint64(bounds[person + 1])):
            again[person] |= not np.isnan(beliefs[entry])
            if codes[entry] == truth[person]:
                believed[person] = beliefs[entry]
