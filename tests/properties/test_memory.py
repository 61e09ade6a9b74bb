import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import seriatim as sr
from seriatim.inference import LocalMemory, Pasts
from seriatim.inference.revision import expected, push
from seriatim.knowledge.runs import Runs
from seriatim.partition import generalize
from strategies import (
    as_partition,
    automaton,
    grid_schema,
    grid_table,
    knowledge,
    rows_of,
    series,
)

NAMES = [f"r{number}" for number in range(12)]
STRUCTURE = b"of one automaton"


@st.composite
def keeps(draw):
    """Some respondents, each with weights on a few junctions and a posterior."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    chance = np.random.default_rng(draw(st.integers(0, 2**16)))
    lengths = draw(st.lists(st.integers(1, 6), min_size=len(names), max_size=len(names)))
    return names, [(chance.integers(0, 9, n), chance.random(n), chance.random(3)) for n in lengths]


def as_pasts(entries, structure=STRUCTURE):
    return Pasts(
        np.cumsum([0, *(len(weights) for _, weights, _ in entries)]),
        np.concatenate([junctions for junctions, _, _ in entries]).astype(np.int32),
        np.concatenate([weights for _, weights, _ in entries]),
        Runs.of(np.array([posterior for _, _, posterior in entries])),
        np.array([float(weights[0]) for _, weights, _ in entries]),
        structure,
    )


def assert_remembers(memory, kept, asked):
    known, pasts = memory.recall(pa.array(asked, pa.string()))
    assert known.tolist() == [name in kept for name in asked]
    found = [name for name in asked if name in kept]
    if not found:
        assert pasts is None
        return
    assert len(pasts) == len(found)
    assert pasts.structure == STRUCTURE
    for row, name in enumerate(found):
        junctions, weights, posterior = kept[name]
        entries = slice(pasts.offsets[row], pasts.offsets[row + 1])
        assert pasts.places[entries].tolist() == junctions.tolist()
        assert pasts.weights[entries].tolist() == weights.tolist()
        assert pasts.posterior[row].tolist() == posterior.tolist()


@given(st.lists(keeps(), max_size=12), st.lists(st.sampled_from(NAMES), unique=True))
def test_memory__equals_a_dictionary_however_often_it_grows_and_compacts(history, asked):
    memory, kept = LocalMemory(), {}
    assert_remembers(memory, kept, asked)
    for names, entries in history:
        before = memory.version
        memory.keep(pa.array(names), as_pasts(entries))
        kept.update(zip(names, entries, strict=True))
        assert memory.version > before
        assert len(memory) == len(kept)
        assert_remembers(memory, kept, asked)


@given(keeps(), keeps())
def test_memory__of_one_automaton_refuses_pasts_of_another_and_stays_as_it_was(kept, refused):
    memory = LocalMemory()
    memory.keep(pa.array(kept[0]), as_pasts(kept[1]))
    version = memory.version
    with pytest.raises(sr.OrderError, match="one sequence model only"):
        memory.keep(pa.array(refused[0]), as_pasts(refused[1], b"of another"))
    assert memory.version == version
    assert_remembers(memory, dict(zip(*kept, strict=True)), NAMES)


@given(knowledge(2), knowledge(2), rows_of(3, 2))
def test_pasts__of_one_automaton_are_refused_by_any_that_leads_elsewhere(one, other, posterior):
    one, other = automaton(one), automaton(other)
    pasts = Pasts.beginning(one, np.array(posterior))
    steps = [
        lambda: push(other, pasts, np.array(posterior)),
        lambda: expected(other, pasts, np.zeros(3, dtype=np.int64), np.array(posterior)),
    ]
    # Probabilities are no part of what the numbers of junctions mean.
    alike = one.start == other.start and np.array_equal(one.next_state, other.next_state)
    for step in steps:
        if alike:
            step()
        else:
            with pytest.raises(sr.KnowledgeError, match="other sequence knowledge"):
                step()


@pytest.mark.parametrize(
    ("other", "is_alike"),
    [
        (sr.Automaton((0, 1), [[0.9, 0.1], [0.2, 0.8]], [[0, 1], [0, 1]]), True),
        (sr.Automaton((0, 1), [[0.5, 0.5], [0.2, 0.8]], [[0, 1], [0, 1]]), True),
        (sr.Automaton((0, 1), [[0.9, 0.1], [0.2, 0.8]], [[0, 1], [0, 1]], start=1), False),
        (sr.Automaton((0, 1), [[0.9, 0.1], [0.2, 0.8]], [[1, 0], [0, 1]]), False),
        (sr.Automaton((0, 2), [[0.9, 0.1], [0.2, 0.8]], [[0, 1], [0, 1]]), False),
        (sr.Automaton((1, 0), [[0.9, 0.1], [0.2, 0.8]], [[0, 1], [0, 1]]), False),
    ],
)
def test_structure__tells_values_start_and_ways_apart_and_not_probabilities(other, is_alike):
    sticky = sr.Automaton((0, 1), [[0.9, 0.1], [0.2, 0.8]], [[0, 1], [0, 1]])
    assert (other.structure == sticky.structure) == is_alike


@given(told=series(), other=knowledge(3))
def test_reader__with_the_memory_of_another_automaton_is_refused_and_never_crashes(told, other):
    tables = [sr.View.from_table(grid_table(t), grid_schema(told.n_values)) for t in told.views]
    first, strange = told.adversary(), automaton(other)
    assume(told.n_values == 3 and strange.structure != automaton(told.knowledge).structure)
    everyone = as_partition([list(range(len(tables[0])))], [])
    seen = generalize(tables[0], everyone, at=0, rng=np.random.default_rng(0))
    first.observe(*seen)
    stranger = sr.Adversary(first.prior, strange, memory=first.memory)
    for view in tables:
        known, _ = first.memory.recall(view.respondents)
        if known.any():
            with pytest.raises(sr.KnowledgeError, match="other sequence knowledge"):
                stranger.expect(view)
    with pytest.raises((sr.KnowledgeError, sr.OrderError)):
        stranger.observe(*seen)


def test_memory__refuses_newcomers_judged_by_another_automaton():
    memory = LocalMemory()
    schema = grid_schema(2)
    for at, (person, states) in enumerate([(1, [[0, 0]]), (2, [[0, 1], [1, 0]])]):
        view = sr.View.from_table(grid_table([(person, (0, 0), 0)]), schema)
        reader = sr.Adversary(
            sequence=sr.Automaton((0, 1), [[0.5, 0.5]] * len(states), states), memory=memory
        )
        seen = generalize(view, as_partition([[0]], []), at=at, rng=np.random.default_rng(0))
        if at == 0:
            reader.observe(*seen)
        else:
            with pytest.raises(sr.OrderError, match="one sequence model only"):
                reader.observe(*seen)
    assert len(memory) == 1


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
    taken, twin = as_pasts(entries).take(np.array(rows)), as_pasts([entries[r] for r in rows])
    for name in ("offsets", "places", "weights", "posterior"):
        assert getattr(taken, name).tolist() == getattr(twin, name).tolist()
    assert taken.structure == STRUCTURE


@given(knowledge(3), rows_of(4, 3))
def test_pasts__begin_with_all_weight_where_newcomers_start(known, posterior):
    machine = automaton(known)
    pasts = Pasts.beginning(machine, np.array(posterior))
    assert pasts.offsets.tolist() == [0, 1, 2, 3, 4]
    assert pasts.weights.tolist() == [1.0] * 4
    assert (machine.junction_next[pasts.places] == known.next_state[known.start]).all()
    assert pasts.structure == machine.structure
