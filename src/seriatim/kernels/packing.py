"""Pasts as entries: places and weights, then possible values and beliefs, person after person.

Entries are what a store keeps, in columns of small numbers: ``place`` is a junction, a state or
the code of a value, ``share`` its weight as a 32-bit float.

Axes: offsets (respondents + 1) into the ragged places and weights; bounds (respondents + 1)
into the ragged codes and beliefs; begins (respondents) says where entries begin, counts how
many of them are places, lengths how many there are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from seriatim._typing import BoolArray, FloatArray, HalfArray, IntArray, SingleArray, SmallIntArray
from seriatim.kernels._jit import kernel


@kernel
def count_entries(
    start: int,
    stop: int,
    offsets: IntArray,
    bounds: IntArray,
    beliefs: FloatArray,
    lengths: IntArray,
) -> None:
    """Write how many entries each respondent takes; what rounds to nothing takes none."""
    for row in range(start, stop):
        possible = 0
        for entry in range(bounds[row], bounds[row + 1]):
            if np.float32(beliefs[entry]) != 0.0:
                possible += 1
        lengths[row] = offsets[row + 1] - offsets[row] + possible


@kernel
def pack_entries(
    start: int,
    stop: int,
    offsets: IntArray,
    places: SmallIntArray,
    weights: FloatArray,
    bounds: IntArray,
    codes: SmallIntArray,
    beliefs: FloatArray,
    begins: IntArray,
    place: npt.NDArray[np.uint16],
    share: npt.NDArray[np.float32],
) -> None:
    """Write the entries of each respondent."""
    for row in range(start, stop):
        at = begins[row]
        for entry in range(offsets[row], offsets[row + 1]):
            place[at] = places[entry]
            share[at] = np.float32(weights[entry])
            at += 1
        for entry in range(bounds[row], bounds[row + 1]):
            belief = np.float32(beliefs[entry])
            if belief != 0.0:
                place[at] = codes[entry]
                share[at] = belief
                at += 1


@kernel
def count_pushed(
    start: int,
    stop: int,
    begin: int,
    rows: IntArray,
    pushed_offsets: IntArray,
    bounds: IntArray,
    beliefs: FloatArray,
    counts: npt.NDArray[np.uint32],
    lengths: npt.NDArray[np.uint32],
) -> None:
    """Write how many places and entries respondents take whose weights are rounded already.

    They are those from ``begin`` on; one without a past (-1) takes one place.
    """
    for index in range(start, stop):
        row, person = rows[begin + index], begin + index
        count = 1 if row < 0 else pushed_offsets[row + 1] - pushed_offsets[row]
        possible = 0
        for entry in range(bounds[person], bounds[person + 1]):
            if np.float32(beliefs[np.uint64(entry)]) != 0.0:
                possible += 1
        counts[index] = count
        lengths[index] = count + possible


@kernel
def pack_pushed(
    start: int,
    stop: int,
    begin: int,
    rows: IntArray,
    origin: int,
    pushed_offsets: IntArray,
    pushed_place: HalfArray,
    pushed_share: SingleArray,
    bounds: IntArray,
    codes: SmallIntArray,
    beliefs: FloatArray,
    offsets: IntArray,
    place: HalfArray,
    share: SingleArray,
) -> None:
    """Write the entries of respondents whose weights are rounded already."""
    one = np.uint64(1)
    for index in range(start, stop):
        person = begin + index
        at, row = np.uint64(offsets[index]), rows[person]
        if row < 0:
            place[at] = origin
            share[at] = 1.0
            at += one
        else:
            for number in range(pushed_offsets[row], pushed_offsets[row + 1]):
                place[at] = pushed_place[np.uint64(number)]
                share[at] = pushed_share[np.uint64(number)]
                at += one
        for number in range(bounds[person], bounds[person + 1]):
            belief = np.float32(beliefs[np.uint64(number)])
            if belief != 0.0:
                place[at] = codes[np.uint64(number)]
                share[at] = belief
                at += one


@kernel
def close_up(lengths: npt.NDArray[np.uint32], gone: BoolArray, entries: np.ndarray) -> int:
    """Move the entries of those who stay to the front, in place; return how many they are."""
    begin = end = 0
    for person in range(len(lengths)):
        length = lengths[person]
        if not gone[person]:
            if begin != end:
                for entry in range(length):
                    entries[end + entry] = entries[begin + entry]
            end += length
        begin += length
    return end


@kernel
def number_known(known: BoolArray, places: IntArray) -> None:
    """Number those who are known, from 0; the others have -1."""
    total = 0
    for row in range(known.shape[0]):
        places[row] = total if known[row] else -1
        total += known[row]


@kernel
def add_up(lengths: npt.NDArray[np.uint32], first: int, before: IntArray) -> int:
    """Write how many entries there are before those of each; so many are before the first."""
    total = first
    for row in range(lengths.shape[0]):
        before[row] = total
        total += lengths[row]
    return total


@kernel
def unpack_heads(
    start: int,
    stop: int,
    rows: IntArray,
    first: int,
    places: npt.NDArray[np.uint32],
    entries: npt.NDArray[np.uint32],
    before: IntArray,
    seen: FloatArray,
    begins: IntArray,
    counts: npt.NDArray[np.uint32],
    lengths: npt.NDArray[np.uint32],
    targets: IntArray,
    possible: IntArray,
    seen_at: FloatArray,
) -> None:
    """Write where the entries of some people begin, how many they are, and of which kind.

    Heads are those of the people from ``first`` on. How many values are possible for someone, and
    when they were last seen, goes to their target.
    """
    for index in range(np.uint64(start), np.uint64(stop)):
        row, target = np.uint64(rows[index] - first), np.uint64(targets[index])
        begins[index], counts[index], lengths[index] = before[row], places[row], entries[row]
        possible[target] = entries[row] - places[row]
        seen_at[target] = seen[row]


@kernel
def unpack_entries(
    start: int,
    stop: int,
    begins: IntArray,
    counts: IntArray,
    lengths: IntArray,
    place: npt.NDArray[np.uint16],
    share: npt.NDArray[np.float32],
    rows: IntArray,
    offsets: IntArray,
    places: SmallIntArray,
    weights: FloatArray,
    bounds: IntArray,
    codes: SmallIntArray,
    beliefs: FloatArray,
) -> None:
    """Read entries to the rows they are of; weights and beliefs are rescaled to sum to 1."""
    for index in range(start, stop):
        at, row = begins[index], rows[index]
        first, count = offsets[row], counts[index]
        total = 0.0
        for step in range(count):
            total += share[at + step]
        for step in range(count):
            places[first + step] = place[at + step]
            weights[first + step] = share[at + step] / total
        at += count
        first, count = bounds[row], lengths[index] - count
        total = 0.0
        for step in range(count):
            total += share[at + step]
        for step in range(count):
            codes[first + step] = place[at + step]
            beliefs[first + step] = share[at + step] / total
