"""Dealing: who is taken has the chance that back-off with pseudo-counts gives."""

import numpy as np
import pytest

import oracles_foresight as oracles
from seriatim.simulate.dealing import Dealer, joined_keys


@pytest.mark.parametrize("pseudo_counts", [0, 2, 10])
def test_dealer__takes_people_as_often_as_frequencies_with_back_off_say(pseudo_counts):
    rng = np.random.default_rng(1)
    donors = [(a * 10 + b, a, 0) for a, b in zip([0, 0, 0, 1, 1], [1, 1, 2, 1, 2], strict=True)]
    kinds = [np.array(keys) for keys in zip(*donors, strict=True)]
    dealer = Dealer.by(kinds, pseudo_counts)
    times = 20_000
    for asked in ((1, 0, 0), (2, 0, 0), (99, 1, 0), (99, 99, 0)):
        chances = oracles.chances_dealt(donors, asked, pseudo_counts)
        picks = dealer.deal([np.full(times, key) for key in asked], rng)
        for place in range(len(donors)):
            chance = float(chances[place])
            spread = np.sqrt(max(chance * (1 - chance), 1e-9) / times)
            assert abs((picks == place).mean() - chance) <= 5 * spread


def test_dealer__has_nobody_where_no_key_fits():
    dealer = Dealer.by([np.array([1, 2]), np.array([1, 1])])
    assert dealer.deal([np.array([3]), np.array([4])], np.random.default_rng(1)).tolist() == [-1]
    nobody = Dealer.by([np.empty(0, dtype=np.int64)])
    assert nobody.deal([np.array([1])], np.random.default_rng(1)).tolist() == [-1]
    assert repr(dealer) == "Dealer(2 people, 2 keys)"


def test_keys__are_one_number_for_each_combination():
    first, second = (grid.ravel() for grid in np.meshgrid(np.arange(4), np.arange(5)))
    assert sorted(joined_keys((first, 4), (second, 5)).tolist()) == list(range(20))
