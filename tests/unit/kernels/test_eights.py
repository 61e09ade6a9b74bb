import numpy as np
import pytest

from seriatim.kernels._eights import list_products, read_eights, sum_of_eights, write_shares
from seriatim.kernels._jit import kernel


@kernel
def read(source, first, length, target, to):
    read_eights(source, first, length, target, to)


@kernel
def summed(numbers, first, length):
    return sum_of_eights(numbers, first, length)


@kernel
def shared(numbers, first, length, whole, target, to):
    write_shares(numbers, first, length, whole, target, to)


@kernel
def listed(n_weights, across, n_beliefs, arrays, products, steps, sums):
    weights, bases, beliefs, columns = arrays
    list_products(
        n_weights, 1, across, n_beliefs, 0, weights, bases, beliefs, columns, products, steps, sums
    )


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 16, 19])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.uint16, np.int32])
def test_reading__copies_numbers_and_puts_zeros_behind_them(kind, length):
    source = np.arange(100, 150).astype(kind)
    target = np.full(40, 7, np.float64 if np.issubdtype(kind, np.floating) else np.uint64)
    read(source, 3, length, target, 2)
    zeros = -length % 8
    wanted = [7, 7, *range(103, 103 + length), *[0] * zeros, *[7] * (38 - length - zeros)]
    assert target.tolist() == wanted


@pytest.mark.parametrize("length", [0, 1, 8, 13, 24])
def test_sums__are_added_in_order(length):
    numbers = np.zeros(40)
    numbers[4 : 4 + length] = np.random.default_rng(length).lognormal(0, 9, length)
    wanted = 0.0
    for number in numbers[4 : 4 + length]:
        wanted += number
    assert summed(numbers, 4, length) == wanted


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("length", [0, 1, 8, 13, 24])
def test_shares__are_written_to_their_places_alone(length, kind):
    numbers = np.random.default_rng(length).random(40)
    target = np.full(50, -1, kind)
    shared(numbers, 4, length, 0.3, target, 5)
    wanted = np.full(50, -1, kind)
    wanted[5 : 5 + length] = numbers[4 : 4 + length] / 0.3
    assert target.tolist() == wanted.tolist()


@pytest.mark.parametrize("n_beliefs", [1, 7, 8, 9, 16, 17, 24])
@pytest.mark.parametrize("n_weights", [0, 1, 2, 9])
def test_products__are_those_of_every_weight_with_every_belief(n_weights, n_beliefs):
    rng = np.random.default_rng(n_beliefs)
    weights, bases = rng.random(n_weights + 1), rng.integers(0, 50, n_weights + 1)
    beliefs, columns = np.zeros(24), np.zeros(24, np.uint64)
    beliefs[:n_beliefs] = rng.random(n_beliefs)
    columns[:n_beliefs] = rng.integers(0, 19, n_beliefs)
    length = n_weights * n_beliefs
    products, steps, sums = np.zeros(length + 8), np.zeros(length + 8, np.uint64), np.zeros(24)
    sums[:n_beliefs] = before = rng.random(n_beliefs)
    arrays = weights, bases.astype(np.uint64), beliefs, columns
    listed(n_weights, 19, n_beliefs, arrays, products, steps, sums)
    wanted = weights[1:, None] * beliefs[:n_beliefs]
    assert products[:length].tolist() == wanted.ravel().tolist()
    led = bases[1:, None] * 19 + columns[:n_beliefs].astype(np.int64)
    assert steps[:length].tolist() == led.ravel().tolist()
    for row in wanted:
        before = before + row
    assert sums[:n_beliefs].tolist() == before.tolist()
