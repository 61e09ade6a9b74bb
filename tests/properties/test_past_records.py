"""What a store writes of pasts is what it reads back."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.engines.past_bytes import packed_pasts
from seriatim.engines.past_bytes import unpacked_pasts as unpacked_bytes
from seriatim.inference.pasts import Pasts
from seriatim.knowledge.runs import Runs
from seriatim.publish import recalled_pasts as recalled
from seriatim.publish.duckdb_bundles import Bundle, Found, Portion
from seriatim.publish.past_records import (
    needs_wide,
    packed,
    told_plainly,
)
from seriatim.publish.recalled_pasts import recalled_pasts

NOBODY = np.zeros(0, np.uint64)


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
    greatest = draw(st.sampled_from([1000, 2**16, 2**17]))
    places = rng.integers(0, greatest, offsets[-1]).astype(np.int32)
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


class InMemory:
    """Bundles that were never written."""

    def __init__(self, *portions):
        self.portions = dict(enumerate(portions))
        self.queries = []

    def heads(self, bundle, people):
        columns = self.portions[bundle.number].columns
        for first in range(0, people, 3):
            last = min(first + 3, people)
            yield first, {name: numbers[first:last] for name, numbers in columns.items()}

    def entries(self, bundle, first, last, _):
        self.queries.append(last - first)
        entries = self.portions[bundle.number].entries
        return {name: numbers[first:last] for name, numbers in entries.items()}, -first


def portion_of(pasts, begin, end):
    keys = np.zeros(end - begin, np.uint64)
    return Portion(keys, keys, *packed(pasts, begin, end, {}, wide=needs_wide(pasts)))


@given(some_pasts(), st.randoms(use_true_random=False), st.sampled_from([1, 5, 2**22]))
def test_pasts__come_back_rounded_in_the_order_asked(pasts, chance, at_a_time):
    asked = chance.sample(range(len(pasts)), chance.randint(1, len(pasts)))
    cut = chance.randint(0, len(pasts))
    bundles = InMemory(portion_of(pasts, 0, cut), portion_of(pasts, cut, len(pasts)))
    found = []
    for number, rows in enumerate((range(cut), range(cut, len(pasts)))):
        here = np.array([row for row in rows if row in asked])
        if len(here):
            places = np.array([asked.index(row) for row in here])
            found.append(Found(Bundle(number, len(rows), False), places, here - rows.start))
    rows = np.arange(len(asked))
    with mock.patch.object(recalled, "_ENTRIES", at_a_time):
        width = pasts.posterior.shape[1]
        back = recalled_pasts(bundles, found, rows, width, pasts.structure, lambda: back)
        assert back.plain.structure == pasts.structure  # read now, so many at a time
    longest = max(int(one.columns["entries"].max(initial=0)) for one in bundles.portions.values())
    assert max(bundles.queries) < at_a_time + longest
    assert at_a_time > 1 or len(bundles.queries) >= len(found)
    assert back.seen_at.tolist() == pasts.seen_at[asked].tolist()
    for row, (places, weights, beliefs) in enumerate(twin(pasts)[one] for one in asked):
        here = slice(back.offsets[row], back.offsets[row + 1])
        assert back.places[here].tolist() == places
        assert back.weights[here].tolist() == pytest.approx(weights, abs=1e-15)
        assert back.posterior[row].tolist() == pytest.approx(beliefs, abs=1e-15)


@given(some_pasts())
def test_pasts__are_the_same_numbers_after_having_been_lists(pasts):
    portion = portion_of(pasts, 0, len(pasts))
    lists = told_plainly(portion, 1)
    assert lists.column("places").to_pylist() == [one for one, _, _ in twin(pasts)]
    assert lists.column("seen_at").to_pylist() == portion.columns["seen_at"].tolist()
    for names, entry in ((("places", "codes"), "place"), (("weights", "beliefs"), "share")):
        rows = zip(*(lists.column(name).to_pylist() for name in names), strict=True)
        told = [number for first, second in rows for number in (*first, *second)]
        assert told == portion.entries[entry].tolist()


@given(some_pasts(), st.data())
def test_portion__without_some_people_has_the_others_with_their_entries(pasts, data):
    everyone = portion_of(pasts, 0, len(pasts))
    gone = np.array(data.draw(st.lists(st.booleans(), min_size=len(pasts), max_size=len(pasts))))
    lists = told_plainly(everyone, 1).to_pylist()
    others = told_plainly(everyone.without(gone), 1).to_pylist()
    assert others == [one for one, is_gone in zip(lists, gone, strict=True) if not is_gone]


@given(some_pasts(), st.integers(0, 3))
def test_pasts__come_back_from_bytes_as_they_do_from_a_store(pasts, first):
    bytes_of_all = packed_pasts(pasts).slice(first)
    taken = pasts.take(np.arange(min(first, len(pasts)), len(pasts)))
    back = unpacked_bytes(bytes_of_all, taken.seen_at, pasts.latest.width, pasts.structure)
    for row, (places, weights, beliefs) in enumerate(twin(taken)):
        here = slice(back.offsets[row], back.offsets[row + 1])
        assert back.places[here].tolist() == places
        assert back.weights[here].tolist() == pytest.approx(weights, abs=1e-15)
        assert back.posterior[row].tolist() == pytest.approx(beliefs, abs=1e-15)
    assert len(back) == len(taken)
