"""The order of a release tells nothing: every order comes up, whatever the view's."""

import itertools
from collections import Counter

import numpy as np
import pytest

import seriatim as sr
from seriatim.partition import Partition, generalize
from strategies import grid_schema, grid_table

THREE = sr.View.from_table(
    grid_table([(1, (0, 0), 0), (2, (3, 3), 1), (3, (7, 7), 2)]), grid_schema(3)
)
TIMES = 600
ORDERS = list(itertools.permutations(range(3)))


def releases(starts):
    partition = Partition(np.arange(3), np.array(starts), np.arange(0))
    rng = np.random.default_rng(11)
    return [generalize(THREE, partition, at=1, rng=rng) for _ in range(TIMES)]


@pytest.mark.parametrize("starts", [[0, 3], [0, 1, 2, 3]])
def test_order__of_rows_in_a_group_and_of_groups_is_any_order_alike(starts):
    seen = Counter(tuple(release.value_codes.tolist()) for release, _ in releases(starts))
    # 600 draws of 6 orders: 100 each, give or take five standard deviations.
    assert all(abs(seen[order] - TIMES / 6) < 5 * np.sqrt(TIMES * 5 / 36) for order in ORDERS)


def test_membership__follows_the_groups_to_their_new_numbers():
    for release, membership in releases([0, 1, 2, 3]):
        published = release.value_codes[membership.group_of]
        assert (published == THREE.value_codes).all()
