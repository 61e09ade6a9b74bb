"""Pasts in a store, gone through piece by piece, give the numbers that plain ones give."""

import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seriatim as sr
from seriatim.inference.kept_pasts import PushedPasts
from seriatim.inference.pasts import Pasts
from seriatim.inference.revision import expected, push
from seriatim.knowledge.runs import Runs
from seriatim.publish import recalled_pasts as recalled
from seriatim.publish.past_records import packed


def remembering(rng, n_values, *, steps, unknown):
    """Knowledge of what follows the last one or two values; some contexts may be unknown."""
    stage = np.arange(n_values)
    tables = [np.full((1, n_values), 1.0 / n_values), rng.dirichlet(np.ones(n_values), n_values)]
    moves = [1 + stage[None], 1 + np.tile(stage, (n_values, 1))]
    if steps == 2:
        tables.append(rng.dirichlet(np.ones(n_values), n_values**2))
        after = 1 + n_values + stage[:, None] * n_values + stage[None]
        moves = [moves[0], after, np.tile(after, (n_values, 1))]
    table = np.concatenate(tables)
    known = np.ones((1, len(table)), dtype=bool)
    if unknown:
        known[0, 1 + rng.integers(0, len(table) - 1)] = False
        table = np.where(known[0][:, None], table, 0.0)
    return sr.Automaton(tuple("abcdefg"[:n_values]), table, np.concatenate(moves), known=known)


@st.composite
def kept(draw):
    """An automaton, the pasts of some people after one or two releases, and who is asked for."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_values, people = draw(st.integers(2, 7)), draw(st.integers(1, 9))
    steps, unknown = draw(st.sampled_from([1, 2])), draw(st.booleans())
    automaton = remembering(rng, n_values, steps=steps, unknown=unknown)
    posteriors = [rng.dirichlet(np.ones(n_values) / 2, people) for _ in range(2)]
    posteriors[1][:, rng.integers(0, n_values)] *= draw(st.sampled_from([0.0, 1e-60, 1.0]))
    posteriors[1] /= posteriors[1].sum(axis=1, keepdims=True)
    pasts = push(automaton, Pasts.beginning(automaton, posteriors[0]), posteriors[1])
    names = rng.permutation(12)[: draw(st.integers(1, 12))]
    return automaton, pasts.seen(1.0), [f"r{name}" for name in names], rng


@given(kept(), st.sampled_from([1, 7, 2**22]))
def test_stored_pasts__go_forward_as_plain_ones_do(case, at_a_time):
    automaton, pasts, names, rng = case
    with tempfile.TemporaryDirectory() as folder, sr.DuckDBStore(Path(folder) / "s") as store:
        store.memory.keep(pa.array([f"r{number}" for number in range(len(pasts))]), pasts)
        known, stored = store.memory.recall(pa.array(names))
        if stored is None:
            assert not known.any()
            return
        plain = store.memory.recall(pa.array(names))[1].plain
        rows = np.where(known, np.cumsum(known) - 1, -1)
        classes, n_values = np.zeros(len(names), np.int64), len(automaton.values)
        prior = rng.dirichlet(np.ones(n_values), len(names))
        with mock.patch.object(recalled, "_ENTRIES", at_a_time):
            revised = expected(automaton, stored, classes, prior, rows)
        assert revised.tolist() == expected(automaton, plain, classes, prior, rows).tolist()
        assert np.allclose(revised.sum(axis=1), 1.0)
        assert revised[~known].tolist() == prior[~known].tolist()
        posterior = Runs.of(rng.dirichlet(np.ones(n_values), len(names)))
        moved = push(automaton, stored, posterior, rows).seen(2.0)
        straight = push(automaton, plain, posterior, rows).seen(2.0)
        for made, other in zip(told(moved), told(straight), strict=True):
            assert made == other
        assert moved.places.tolist() == straight.places.tolist()
        assert np.allclose(moved.weights, straight.weights, atol=1e-7)
        two_back = automaton.next_state.shape[0] > 1 + n_values
        assert isinstance(moved, PushedPasts) == two_back
        # Where they lie was let go, and is found again.
        again = expected(automaton, stored, classes, prior, rows)
        assert again.tolist() == revised.tolist()
        assert stored.plain.weights.tolist() == plain.weights.tolist()


def test_stored_pasts__are_not_found_again_once_the_store_changed(tmp_path):
    rng = np.random.default_rng(1)
    automaton = remembering(rng, 3, steps=2, unknown=False)
    pasts = Pasts.beginning(automaton, rng.dirichlet(np.ones(3), 4)).seen(1.0)
    everyone = pa.array(list("abcd"))
    with sr.DuckDBStore(tmp_path / "s") as store:
        store.memory.keep(everyone, pasts)
        _, stored = store.memory.recall(everyone)
        expected(automaton, stored, np.zeros(4, np.int64), np.full((4, 3), 1 / 3))
        store.memory.keep(everyone, pasts)
        with pytest.raises(sr.OrderError, match="changed since"):
            _ = stored.plain


def told(pasts):
    """Return what a store would keep of pasts."""
    columns, entries = packed(pasts, 0, len(pasts), {})
    return [(name, numbers.tolist()) for name, numbers in (columns | entries).items()]
