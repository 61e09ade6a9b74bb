import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from seriatim.inference import LocalMemory, Pasts

NAMES = [f"r{number}" for number in range(12)]


@st.composite
def keeps(draw):
    """Some respondents, each with weights on a few junctions and a posterior."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    chance = np.random.default_rng(draw(st.integers(0, 2**16)))
    lengths = draw(st.lists(st.integers(1, 6), min_size=len(names), max_size=len(names)))
    return names, [(chance.integers(0, 9, n), chance.random(n), chance.random(3)) for n in lengths]


def as_pasts(entries):
    return Pasts(
        np.cumsum([0, *(len(weights) for _, weights, _ in entries)]),
        np.concatenate([junctions for junctions, _, _ in entries]).astype(np.int32),
        np.concatenate([weights for _, weights, _ in entries]),
        np.array([posterior for _, _, posterior in entries]),
    )


def assert_remembers(memory, expected, asked):
    known, pasts = memory.recall(pa.array(asked, pa.string()))
    assert known.tolist() == [name in expected for name in asked]
    found = [name for name in asked if name in expected]
    assert len(pasts) == len(found)
    for row, name in enumerate(found):
        junctions, weights, posterior = expected[name]
        entries = slice(pasts.offsets[row], pasts.offsets[row + 1])
        assert pasts.junctions[entries].tolist() == junctions.tolist()
        assert pasts.weights[entries].tolist() == weights.tolist()
        assert pasts.posterior[row].tolist() == posterior.tolist()


@given(st.lists(keeps(), max_size=12), st.permutations(NAMES))
def test_memory__equals_a_dictionary_however_often_it_grows_and_compacts(history, asked):
    memory, expected = LocalMemory(), {}
    for names, entries in history:
        memory.keep(pa.array(names), as_pasts(entries))
        expected.update(zip(names, entries, strict=True))
        assert len(memory) == len(expected)
        assert_remembers(memory, expected, asked)


@given(keeps(), st.integers(1, 60))
def test_memory__does_not_grow_with_the_number_of_releases(keep, releases):
    names, entries = keep
    memory = LocalMemory()
    memory.keep(pa.array(names), as_pasts(entries))
    # Arena and its double, once live and once incoming, and a slot each at most doubled.
    room = 4 * memory.nbytes
    for _ in range(releases):
        memory.keep(pa.array(names), as_pasts(entries))
        assert memory.nbytes <= room


@given(keeps(), st.data())
def test_pasts__taken_by_rows_are_the_pasts_of_those_rows(keep, data):
    names, entries = keep
    rows = data.draw(st.lists(st.integers(0, len(names) - 1), min_size=1, max_size=5))
    taken, expected = as_pasts(entries).take(np.array(rows)), as_pasts([entries[r] for r in rows])
    for name in ("offsets", "junctions", "weights", "posterior"):
        assert getattr(taken, name).tolist() == getattr(expected, name).tolist()
