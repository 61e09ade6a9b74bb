"""What is remembered from release to release."""

import numpy as np
import pytest

from seriatim.inference.revision import packed


def test_packed__weights_sum_to_one_however_rounding_left_them():
    room, lengths = np.array([0, 3, 6]), np.array([2, 3])
    weights = np.array([0.5, 0.5 + 1e-7, np.nan, 0.2, 0.3, 0.5 - 1e-7])
    pasts = packed(room, lengths, np.zeros(6, np.int32), weights, np.eye(2), b"")
    sums = np.add.reduceat(pasts.weights, pasts.offsets[:-1])
    assert sums == pytest.approx([1.0, 1.0], abs=1e-15)
