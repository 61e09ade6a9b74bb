import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.inference import LocalMemory, Pasts
from seriatim.inference.memory import Arena
from seriatim.knowledge.runs import Runs


def pasts(*rows, structure=b"one automaton"):
    """Pasts with these weights on junctions 0, 1, …, and a posterior that tells them apart."""
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    junctions = np.concatenate([np.arange(len(row)) for row in rows]).astype(np.int32)
    posterior = np.array([[row[0], 1 - row[0]] for row in rows])
    seen_at = np.arange(float(len(rows)))
    latest = Runs.of(posterior)
    return Pasts(offsets, junctions, np.concatenate(rows), latest, seen_at, structure)


def recalled(memory, respondents):
    known, found = memory.recall(pa.array(respondents))
    return known.tolist(), [
        found.weights[found.offsets[row] : found.offsets[row + 1]].tolist()
        for row in range(len(found))
    ]


def test_memory__recalls_those_it_knows_in_the_order_asked():
    memory = LocalMemory()
    memory.keep(pa.array(["a", "b"]), pasts([1.0], [0.25, 0.75]))
    assert recalled(memory, ["b", "x", "a"]) == ([True, False, True], [[0.25, 0.75], [1.0]])


def test_memory__puts_a_new_past_in_the_place_of_the_old():
    memory = LocalMemory()
    memory.keep(pa.array([1, 2]), pasts([1.0], [0.5, 0.5]))
    memory.keep(pa.array([3, 1]), pasts([0.3, 0.7], [0.2, 0.3, 0.5]))
    expected = [[0.2, 0.3, 0.5], [0.5, 0.5], [0.3, 0.7]]
    assert recalled(memory, [1, 2, 3]) == ([True] * 3, expected)
    assert len(memory) == 3


def test_memory__grows_with_respondents_and_not_with_releases():
    memory = LocalMemory()
    sizes = []
    for _ in range(40):
        memory.keep(pa.array(range(50)), pasts(*[[0.5, 0.5]] * 50))
        sizes.append(memory.nbytes)
    assert len(memory) == 50
    assert max(sizes[2:]) == sizes[2]


def test_memory__recalls_nobody_at_first():
    known, found = LocalMemory().recall(pa.array(["a"]))
    assert (known.tolist(), found) == ([False], None)


def test_memory__refuses_ids_of_another_kind():
    memory = LocalMemory()
    memory.keep(pa.array(["1"]), pasts([1.0]))
    with pytest.raises(sr.OrderError, match="were texts in earlier releases and are numbers now"):
        memory.recall(pa.array([1]))
    with pytest.raises(sr.OrderError, match="were texts in earlier releases and are numbers now"):
        memory.keep(pa.array([1]), pasts([1.0]))


def test_memory__says_which_kind_the_ids_were():
    memory = LocalMemory()
    memory.keep(pa.array([1]), pasts([1.0]))
    with pytest.raises(sr.OrderError, match="were numbers in earlier releases and are texts now"):
        memory.recall(pa.array(["1"]))


@pytest.mark.parametrize("kind", [pa.int8(), pa.int32(), pa.uint16(), pa.uint64()])
def test_memory__takes_numbers_of_any_width_for_the_same_ids(kind):
    memory = LocalMemory()
    memory.keep(pa.array([1, 2], pa.int64()), pasts([1.0], [0.5, 0.5]))
    memory.keep(pa.array([2], kind), pasts([0.25, 0.75]))
    assert len(memory) == 2
    assert recalled(memory, [2, 1]) == ([True, True], [[0.25, 0.75], [1.0]])


def test_memory__holds_pasts_of_one_sequence_model_only():
    memory = LocalMemory()
    memory.keep(pa.array(["a"]), pasts([1.0]))
    with pytest.raises(sr.OrderError, match="pasts of one sequence model only"):
        memory.keep(pa.array(["a"]), pasts([0.5, 0.5], structure=b"another"))
    assert recalled(memory, ["a"]) == ([True], [[1.0]])


def test_memory__counts_its_changes():
    memory = LocalMemory()
    versions = [memory.version]
    for _ in range(3):
        memory.keep(pa.array(["a"]), pasts([1.0]))
        memory.recall(pa.array(["a"]))
        versions.append(memory.version)
    assert versions == sorted(set(versions))


@pytest.mark.parametrize("fails", [1, 2])
def test_memory__that_finds_no_room_is_as_it_was(monkeypatch, fails):
    memory = LocalMemory()
    memory.keep(pa.array(["a"]), pasts([1.0]))
    version = memory.version

    make_room, calls = Arena.make_room, []

    def full(arena, rows, entries):
        calls.append(entries)
        if len(calls) == fails:
            raise MemoryError
        make_room(arena, rows, entries)

    with monkeypatch.context() as patched:
        patched.setattr(Arena, "make_room", full)
        with pytest.raises(MemoryError):
            memory.keep(pa.array(["a", "b"]), pasts([0.25, 0.75], [0.5, 0.5]))
    assert (len(memory), memory.version) == (1, version)
    assert recalled(memory, ["a", "b"]) == ([True, False], [[1.0]])
    memory.keep(pa.array(["a", "b"]), pasts([0.25, 0.75], [0.5, 0.5]))
    assert recalled(memory, ["b", "a"]) == ([True, True], [[0.5, 0.5], [0.25, 0.75]])
