"""What a store writes of pasts is what it reads back."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.inference.pasts import Pasts
from seriatim.knowledge.runs import Runs
from seriatim.publish.past_records import (
    folded_pasts,
    packed_pasts,
    unfolded_pasts,
    unpacked_pasts,
)


@st.composite
def some_pasts(draw):
    """Pasts of a few respondents; some values are impossible, some beliefs round to nothing."""
    n_values = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    lengths = np.array(draw(st.lists(st.integers(1, 5), min_size=1, max_size=8)))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    weights = rng.random(offsets[-1]) + 0.01
    weights /= np.repeat(np.add.reduceat(weights, offsets[:-1]), lengths)
    posterior = rng.dirichlet(np.ones(n_values), len(lengths))
    if n_values > 1 and draw(st.booleans()):
        posterior[:, 0] = draw(st.sampled_from([0.0, 1e-60]))
        posterior /= posterior.sum(axis=1, keepdims=True)
    places = rng.integers(0, 1000, offsets[-1]).astype(np.int32)
    latest = Runs.of(posterior)
    return Pasts(offsets, places, weights, latest, rng.random(len(lengths)), b"an automaton")


def twin(pasts):
    """Return each past as plain lists, rounded to 32-bit floats and rescaled."""
    found = []
    for row in range(len(pasts)):
        here = slice(pasts.offsets[row], pasts.offsets[row + 1])
        weights = [float(np.float32(one)) for one in pasts.weights[here]]
        beliefs = [float(np.float32(one)) for one in pasts.posterior[row]]
        found.append(
            (
                pasts.places[here].tolist(),
                [one / sum(weights) for one in weights],
                [one / sum(beliefs) for one in beliefs],
            )
        )
    return found


@given(some_pasts(), st.randoms(use_true_random=False))
def test_pasts__come_back_rounded_in_the_order_asked(pasts, chance):
    rows = list(range(len(pasts)))
    chance.shuffle(rows)
    table = pa.table({"row": rows, "seen_at": pasts.seen_at, "past": packed_pasts(pasts)})
    cut = chance.randint(0, len(rows))
    pieces = [piece for piece in (table.slice(0, cut), table.slice(cut)) if piece.num_rows]
    back = unpacked_pasts(pieces, pasts.posterior.shape[1], pasts.structure)
    original = [rows.index(row) for row in range(len(rows))]
    assert back.seen_at.tolist() == pasts.seen_at[original].tolist()
    for row, (places, weights, beliefs) in enumerate(twin(pasts)[one] for one in original):
        here = slice(back.offsets[row], back.offsets[row + 1])
        assert back.places[here].tolist() == places
        assert back.weights[here].tolist() == pytest.approx(weights, abs=1e-15)
        assert back.posterior[row].tolist() == pytest.approx(beliefs, abs=1e-15)


@given(some_pasts(), st.data())
def test_pasts__are_packed_piece_by_piece_as_they_are_all_at_once(pasts, data):
    cut = data.draw(st.integers(0, len(pasts)))
    pieces = [packed_pasts(pasts, 0, cut), packed_pasts(pasts, cut, len(pasts))]
    assert pa.concat_arrays(pieces).equals(packed_pasts(pasts))


@given(some_pasts())
def test_pasts__are_the_same_bytes_after_having_been_lists(pasts):
    table = pa.table({"seen_at": pasts.seen_at, "past": packed_pasts(pasts)})
    lists = unfolded_pasts(table)
    places = [one for one, _, _ in twin(pasts)]
    assert lists.column("places").to_pylist() == places
    assert folded_pasts(lists).equals(table)
    piece = table.slice(1)
    assert folded_pasts(unfolded_pasts(piece)).equals(piece)
