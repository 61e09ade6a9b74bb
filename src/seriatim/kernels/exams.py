"""One week of a made hospital: who has an exam, and what comes of it.

Axes: state, kind, uniform (slots of a block; uniform has two columns, one
to be chosen by and one to draw a value with); reached (classes, states, values), the
cumulated chances; next_state (states, values). A slot is a bed that always has a patient.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from seriatim._typing import FloatArray, SmallIntArray
from seriatim.kernels._jit import inner_kernel, kernel


@inner_kernel
def drawn_value(reached: FloatArray, uniform: float) -> int:
    """Return the first value whose cumulated chance exceeds a uniform number below 1."""
    value = 0
    while uniform >= reached[value]:
        value += 1
    return value


@kernel
def hold_exams(
    uniform: FloatArray,
    kind: npt.NDArray[np.int8],
    reached: FloatArray,
    next_state: SmallIntArray,
    weekly: bool,
    wanted: int,
    left: int,
    state: SmallIntArray,
    slots: SmallIntArray,
    values: npt.NDArray[np.int8],
) -> tuple[int, int]:
    """Choose ``wanted`` of the ``left`` slots from here on, and draw their values.

    Knuth's Algorithm S: a slot is chosen with probability wanted / left, which makes every
    set of slots equally likely. Moves ``state``, writes the chosen slots of this block and their
    values, and returns how many these are, and for how many it was the first exam.
    Where illness goes on by the week, patients without an exam move too, once they were seen.
    """
    count = 0
    first = 0
    for slot in range(state.shape[0]):
        place = state[slot]
        if uniform[slot, 0] * left < wanted:
            value = drawn_value(reached[kind[slot], place], uniform[slot, 1])
            first += place == 0
            state[slot] = next_state[place, value]
            slots[count] = slot
            values[count] = value
            count += 1
            wanted -= 1
        elif weekly and place != 0:
            value = drawn_value(reached[kind[slot], place], uniform[slot, 1])
            state[slot] = next_state[place, value]
        left -= 1
    return count, first
