import numpy as np
import pytest

from seriatim.kernels._jit import kernel
from seriatim.kernels.forward import add_listed


@kernel
def added(weights, steps, moves, table, totals, width):
    add_listed(len(weights), weights, steps, moves, width, table, totals, width, np.uint64(3))


@pytest.mark.parametrize("length", [0, 1, 7, 100])
@pytest.mark.parametrize("width", [1, 7, 8, 19, 24, 32, 53])
def test_rows__are_added_in_their_order_whatever_their_width(width, length):
    rng = np.random.default_rng(width)
    table, weights = rng.random((20, width)), rng.random(length)
    steps, leads = rng.integers(0, 30, length), rng.integers(0, 19, 30)
    found = rng.random(3 + width)
    wanted = found.copy()
    word = np.uint64(width)
    moves = leads.astype(np.uint64) * word
    added(weights, steps.astype(np.uint64), moves, table.ravel(), found, word)
    for weight, step in zip(weights, steps, strict=True):
        wanted[3:] = wanted[3:] + weight * table[leads[step] + 1]
    assert found.tolist() == wanted.tolist()
