import numpy as np
import pytest

from seriatim.kernels.forward import _add_listed


@pytest.mark.parametrize("length", [0, 1, 7, 100])
@pytest.mark.parametrize("width", [1, 7, 8, 19, 24, 32, 53])
def test_rows__are_added_in_their_order_whatever_their_width(width, length):
    rng = np.random.default_rng(width)
    table, weights = rng.random((20, width)), rng.random(length)
    rows = rng.integers(0, 20, length)
    found = rng.random(width)
    wanted = found.copy()
    _add_listed(length, weights, rows.astype(np.uint64) * np.uint64(width), table.ravel(), found)
    for weight, row in zip(weights, rows, strict=True):
        wanted = wanted + weight * table[row]
    assert found.tolist() == wanted.tolist()
