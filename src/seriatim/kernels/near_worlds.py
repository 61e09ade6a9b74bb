"""Worlds near the published ones, from any start: people go their own ways, counts are asked for.

Entries are appearances, person by person, earliest first: those of person p are
offsets[p]:offsets[p + 1].
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.kernels._jit import kernel


@kernel
def draw_paths(
    seed: int,
    sweeps: int,
    strength: float,
    offsets: IntArray,
    option_starts: IntArray,
    option_ends: IntArray,
    options: SmallIntArray,
    counted: BoolArray,
    shown: SmallIntArray,
    current: SmallIntArray,
    following: FloatArray,
    table_of: IntArray,
    prior: FloatArray,
    prior_of: IntArray,
    room: IntArray,
    hints: FloatArray,
    chosen: IntArray,
) -> None:
    """Draw every person's path anew, so many times, given all others.

    A path weighs prior(first) · Π following(next | last) · Π hint · exp(−strength · Σ (current −
    shown)²), the sum over the values of the groups that the person is in. ``options`` lists the
    values that an entry may have (option_starts to option_ends); shown and current (as options)
    say how often its group shows the value, and how often it has it now. ``hints`` has a weight
    for each of them, entry after entry from room[entry] on. ``chosen`` (entries) is the place of
    each entry's value among the options.
    """
    np.random.seed(seed)
    longest, widest = 1, 1
    for person in range(len(offsets) - 1):
        longest = max(longest, offsets[person + 1] - offsets[person])
    for entry in range(len(option_starts)):
        widest = max(widest, option_ends[entry] - option_starts[entry])
    weights = np.zeros((longest, widest))
    fading = np.exp(-2.0 * strength * np.arange(256))
    for _ in range(sweeps):
        for person in range(len(offsets) - 1):
            first, last = offsets[person], offsets[person + 1]
            for entry in range(first, last):
                begin, end = option_starts[entry], option_ends[entry]
                step = entry - first
                least = 0
                if counted[entry]:
                    current[chosen[entry]] -= 1
                    least = current[begin] - shown[begin]
                    for place in range(begin + 1, end):
                        least = min(least, current[place] - shown[place])
                total = 0.0
                for place in range(begin, end):
                    value = options[place]
                    if step == 0:
                        chance = prior[prior_of[entry], value]
                    else:
                        before = option_starts[entry - 1]
                        chance = 0.0
                        for place_before in range(before, option_ends[entry - 1]):
                            chance += (
                                weights[step - 1, place_before - before]
                                * following[table_of[entry], options[place_before], value]
                            )
                    if counted[entry]:
                        excess = current[place] - shown[place] - least
                        chance *= fading[min(excess, 255)]
                    chance = chance * hints[room[entry] + place - begin] + 1e-300
                    weights[step, place - begin] = chance
                    total += chance
                for place in range(begin, end):
                    weights[step, place - begin] /= total
            value = -1
            for entry in range(last - 1, first - 1, -1):
                begin, end = option_starts[entry], option_ends[entry]
                step = entry - first
                if value >= 0:
                    total = 0.0
                    for place in range(begin, end):
                        weights[step, place - begin] *= following[
                            table_of[entry + 1], options[place], value
                        ]
                        total += weights[step, place - begin]
                else:
                    total = 1.0
                left = np.random.random() * total
                place = begin
                while place < end - 1 and left >= weights[step, place - begin]:
                    left -= weights[step, place - begin]
                    place += 1
                chosen[entry] = place
                value = options[place]
                if counted[entry]:
                    current[place] += 1


@kernel
def count_exactly(
    seed: int,
    group_starts: IntArray,
    members: IntArray,
    option_starts: IntArray,
    option_ends: IntArray,
    shown: SmallIntArray,
    current: SmallIntArray,
    chosen: IntArray,
) -> None:
    """Give values that a group has too often to members, at random, as values it lacks."""
    np.random.seed(seed)
    for group in range(len(group_starts) - 1):
        first, last = group_starts[group], group_starts[group + 1]
        if first == last:
            continue
        lacking = option_starts[members[first]]
        for index in range(first, last):  # shuffle in place: nobody is always first to change
            other = index + np.random.randint(last - index)
            members[index], members[other] = members[other], members[index]
        for index in range(first, last):
            entry = members[index]
            place = chosen[entry]
            if current[place] > shown[place]:
                while current[lacking] >= shown[lacking]:
                    lacking += 1
                current[place] -= 1
                current[lacking] += 1
                chosen[entry] = lacking
