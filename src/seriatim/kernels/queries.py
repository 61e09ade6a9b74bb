"""Range-count queries: what they count, and what share of a region lies in them.

Axes: low, high (queries, attributes) are the ends of ranges; sets (queries, places) has, for
each attribute asked by a set, how many of its codes below each one are chosen, from
place first[attribute] on. A region is some runs of codes: those of word w are
run_low[r], run_high[r] for r from run_from[w] to run_from[w + 1]; sizes says how much a
word covers.
"""

from __future__ import annotations

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.kernels._jit import kernel

STEPS = 0
"""A range of whole numbers or of codes in order: its overlap is counted."""
LENGTHS = 1
"""A range of any numbers: its overlap is a length, but for regions of one number."""
SET = 2
"""Some codes: those in the region are counted."""


@kernel
def count_inside(
    start: int,
    stop: int,
    kinds: IntArray,
    low: FloatArray,
    high: FloatArray,
    sets: SmallIntArray,
    first: IntArray,
    chosen: BoolArray,
    points: FloatArray,
    value_codes: IntArray,
    counts: IntArray,
) -> None:
    """Count the tuples that lie in each query and have one of its chosen (queries, values)."""
    for query in range(start, stop):
        count = 0
        for row in range(points.shape[0]):
            inside = chosen[query, value_codes[row]]
            axis = 0
            while inside and axis < points.shape[1]:
                code = points[row, axis]
                if kinds[axis] == SET:
                    place = first[axis] + int(code)
                    inside = sets[query, place + 1] > sets[query, place]
                else:
                    inside = low[query, axis] <= code <= high[query, axis]
                axis += 1
            if inside:
                count += 1
        counts[query] = count


@kernel
def region_shares(
    start: int,
    stop: int,
    kinds: IntArray,
    low: FloatArray,
    high: FloatArray,
    sets: SmallIntArray,
    first: IntArray,
    word_of: IntArray,
    run_from: IntArray,
    run_low: FloatArray,
    run_high: FloatArray,
    sizes: FloatArray,
    shares: FloatArray,
) -> None:
    """Write the share of each region that lies in each query (queries, groups)."""
    for query in range(start, stop):
        for group in range(word_of.shape[0]):
            share = 1.0
            for axis in range(word_of.shape[1]):
                word = word_of[group, axis]
                inside = 0.0
                for run in range(run_from[word], run_from[word + 1]):
                    if kinds[axis] == SET:
                        place = first[axis]
                        below = sets[query, place + int(run_low[run])]
                        inside += sets[query, place + int(run_high[run]) + 1] - below
                    else:
                        least = max(low[query, axis], run_low[run])
                        greatest = min(high[query, axis], run_high[run])
                        if greatest >= least:
                            one = kinds[axis] == STEPS or run_low[run] == run_high[run]
                            inside += greatest - least + (1.0 if one else 0.0)
                share *= inside / sizes[word]
                if share == 0.0:
                    break
            shares[query, group] = share
