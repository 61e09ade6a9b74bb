"""Large inputs are split over threads; nobody may notice."""

import numpy as np
import pytest

import oracles
import seriatim as sr
from seriatim.inference import PublishedGroups
from seriatim.partition import tie_order
from strategies import automaton

MANY = 2000
SLICE = 100  # too few for a second thread


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(5)


def slices():
    return [slice(begin, begin + SLICE) for begin in range(0, MANY, SLICE)]


def test_revision__is_the_same_on_one_thread_and_on_several(rng):
    known = oracles.Knowledge(rng.dirichlet(np.ones(3), 4), rng.integers(0, 4, (4, 3)).tolist())
    machine = automaton(known)
    history = rng.dirichlet(np.ones(3), (4, MANY))
    piecewise = [sr.revise(machine, history[:, part]) for part in slices()]
    assert (sr.revise(machine, history) == np.concatenate(piecewise)).all()


@pytest.mark.parametrize("rule", [sr.Omega(), sr.Additive()])
def test_posterior__is_the_same_on_one_thread_and_on_several(rng, rule):
    prior, values = rng.dirichlet(np.ones(3), 2 * MANY), rng.integers(0, 3, 2 * MANY)
    pairs = np.arange(0, 2 * MANY + 1, 2)
    in_pairs = PublishedGroups(np.arange(2 * MANY), pairs, values, pairs)
    found = rule.posterior(prior, in_pairs)
    for part in slices():
        few = slice(2 * part.start, 2 * part.stop)
        starts = np.arange(0, 2 * SLICE + 1, 2)
        groups = PublishedGroups(np.arange(2 * SLICE), starts, values[few], starts)
        assert (found[few] == rule.posterior(prior[few], groups)).all()


def test_hilbert_index__is_the_same_on_one_thread_and_on_several(rng):
    points = rng.integers(0, 2**10, (MANY, 3))
    piecewise = [sr.hilbert_index(points[part], 10) for part in slices()]
    assert (sr.hilbert_index(points, 10) == np.concatenate(piecewise)).all()


def test_ties__are_the_same_on_one_thread_and_on_several():
    schema = sr.Schema("id", [sr.Numeric("x", 0, MANY)], sr.Sensitive("value", (0, 1)))
    ids = [f"{number:06d}" * (number % 4) + str(number) for number in range(MANY)]
    roster = sr.Roster.from_table({"id": ids, "x": range(MANY)}, schema)
    piecewise = [tie_order(roster.take(np.arange(MANY)[part]), b"secret") for part in slices()]
    assert (tie_order(roster, b"secret") == np.concatenate(piecewise)).all()
