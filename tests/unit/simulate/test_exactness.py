"""Data is drawn from the knowledge that comes with it, and from nothing else.

Observed counts against expected ones: Pearson's statistic over all cells in which enough is
expected, as a distance from its mean in standard deviations. Seeds are fixed.
"""

import numpy as np
import pytest

import seriatim as sr
from seriatim.simulate.course import START
from seriatim.simulate.patients import classes_of

FEW = 5
FAR = 4.0


def surprise(observed, expected):
    """Return how far counts lie from their expectation (rows, values), in standard deviations."""
    rows = expected.sum(axis=1)
    chances = expected / np.maximum(rows, 1e-300)[:, None]
    enough = expected >= FEW
    # Cells in which little is expected are joined to one.
    joined = np.column_stack([np.where(enough, expected, 0), (expected * ~enough).sum(axis=1)])
    seen = np.column_stack([np.where(enough, observed, 0), (observed * ~enough).sum(axis=1)])
    counted = joined >= FEW
    parts = np.where(counted, (seen - joined) ** 2 / np.where(counted, joined, 1), 0)
    # A cell's part has the mean 1 − p; rows lose one degree of freedom.
    shares = np.column_stack([np.where(enough, chances, 0), (chances * ~enough).sum(axis=1)])
    mean = (counted * (1 - shares)).sum()
    return (parts.sum() - mean) / np.sqrt(2 * mean)


def histories(made):
    """Return kind, value and week of all exams, sorted by patient and week, and the patient."""
    weeks = list(made.weeks())
    columns = {
        "patient": np.concatenate([one.patient for one in weeks]),
        "kind": np.concatenate([classes_of(one.age, one.gender, one.weight) for one in weeks]),
        "value": np.concatenate([one.value for one in weeks]),
        "week": np.repeat(np.arange(len(weeks)), made.size),
    }
    order = np.lexsort([columns["week"], columns["patient"]])
    return {name: column[order].astype(int) for name, column in columns.items()}


def states_before(found, next_state):
    """Return the state in which each exam found its patient."""
    first = np.r_[True, found["patient"][1:] != found["patient"][:-1]]
    number = np.arange(len(first)) - np.maximum.accumulate(
        np.where(first, np.arange(len(first)), 0)
    )
    states = np.full(len(first), START)
    for turn in range(1, number.max() + 1):
        rows = np.flatnonzero(number == turn)
        states[rows] = next_state[states[rows - 1], found["value"][rows - 1]]
    return states


def counted(places, values, n_places, n_values):
    cells = np.bincount(places * n_values + values, minlength=n_places * n_values)
    return cells.reshape(n_places, n_values)


@pytest.mark.parametrize("preset", ["paper-like", "mild", "sharp"])
def test_results__follow_the_automaton(preset):
    made = sr.hospital(views=16, size=20_000, preset=preset, seed=7)
    found = histories(made)
    table = made.sequence.next_value
    n_classes, n_states, n_values = table.shape
    states = states_before(found, made.sequence.next_state)
    seen = counted(
        found["kind"] * n_states + states, found["value"], n_classes * n_states, n_values
    )
    rows = table.reshape(-1, n_values)
    assert (seen[rows == 0] == 0).all()
    assert abs(surprise(seen, seen.sum(axis=1, keepdims=True) * rows)) < FAR
    # The measure is sharp: knowledge of another seed is far away.
    other = sr.hospital(views=1, size=1, preset=preset, seed=8).sequence.next_value
    wrong = 0.5 * rows + 0.5 * other.reshape(-1, n_values)
    assert surprise(seen, seen.sum(axis=1, keepdims=True) * wrong) > 100


@pytest.mark.parametrize("preset", ["paper-like", "literature"])
def test_first_results__follow_the_prior_whenever_they_are_seen(preset):
    made = sr.hospital(views=12, size=20_000, preset=preset, seed=3)
    found = histories(made)
    first = np.r_[True, found["patient"][1:] != found["patient"][:-1]]
    late = first & (found["week"] >= 6)
    prior = np.pad(made.prior.distributions.probabilities, ((0, 0), (0, 2)))
    for which in (first, late):
        seen = counted(found["kind"][which], found["value"][which], 18, 19)
        assert abs(surprise(seen, seen.sum(axis=1, keepdims=True) * prior)) < FAR
    assert late.sum() > 1000


def test_results__of_published_diseases_follow_the_weeks_between():
    made = sr.hospital(views=12, size=40_000, preset="literature", seed=5)
    assert made.sequence.tempo.length == 1
    found = histories(made)
    again = np.flatnonzero(found["patient"][1:] == found["patient"][:-1]) + 1
    gaps = found["week"][again] - found["week"][again - 1]
    before, after, kind = found["value"][again - 1], found["value"][again], found["kind"][again]
    weekly = made.sequence.next_value[:, 1:]
    for gap in (1, 2, 3, 5):
        these = gaps == gap
        seen = counted(kind[these] * 19 + before[these], after[these], 18 * 19, 19)
        rows = np.linalg.matrix_power(weekly, gap).reshape(-1, 19)
        assert abs(surprise(seen, seen.sum(axis=1, keepdims=True) * rows)) < FAR


def diagnoses_of(made):
    """Return person, value and release of all that is shown, sorted by person and release."""
    tables = list(made.stream())
    columns = {
        "person": np.concatenate([table["person"].to_numpy() for table in tables]),
        "value": np.concatenate(
            [table["diagnosis"].combine_chunks().indices.to_numpy() for table in tables]
        ),
        "release": np.repeat(np.arange(len(tables)), [table.num_rows for table in tables]),
    }
    order = np.lexsort([columns["release"], columns["person"]])
    return {name: column[order].astype(int) for name, column in columns.items()}


@pytest.mark.parametrize("stays", [0.3, 0.9])
def test_diagnoses__follow_the_releases_between(stays):
    made = sr.register(people=40_000, releases=8, stays=stays, turnover=0.1, attendance=0.5, seed=5)
    found = diagnoses_of(made)
    again = np.flatnonzero(found["person"][1:] == found["person"][:-1]) + 1
    gaps = found["release"][again] - found["release"][again - 1]
    before, after = found["value"][again - 1], found["value"][again]
    assert made.sequence.tempo.length == 1
    table = made.sequence.next_value[0, made.sequence.next_state[0]]
    for gap in (1, 2, 4):
        these = gaps == gap
        seen = counted(before[these], after[these], 8, 8)
        rows = np.linalg.matrix_power(table, gap)
        assert abs(surprise(seen, seen.sum(axis=1, keepdims=True) * rows)) < FAR
    # The measure is sharp: values that stay a little longer are far away.
    seen = counted(before[gaps == 1], after[gaps == 1], 8, 8)
    wrong = sr.register(stays=stays + 0.05).sequence.next_value[0, 1:]
    assert surprise(seen, seen.sum(axis=1, keepdims=True) * wrong) > 10


def test_first_diagnoses__follow_the_prior_whenever_they_are_seen():
    made = sr.register(people=40_000, releases=8, stays=0.9, turnover=0.1, attendance=0.5, seed=6)
    found = diagnoses_of(made)
    first = np.r_[True, found["person"][1:] != found["person"][:-1]]
    late = first & (found["release"] >= 4)
    assert late.sum() > 1000
    for which in (first, late):
        seen = counted(np.zeros(which.sum(), dtype=int), found["value"][which], 1, 8)
        assert abs(surprise(seen, seen.sum() * made.shares[None])) < FAR


@pytest.mark.parametrize("preset", ["paper-like", "literature"])
def test_absence__tells_nothing(preset):
    """Whoever is ill does not come more or less often."""
    made = sr.hospital(views=10, size=20_000, preset=preset, seed=2)
    weeks = list(made.weeks())
    here = weeks[8]
    again = np.isin(here.patient, weeks[9].patient)
    for value in range(17):
        share = again[here.value == value].mean()
        spread = np.sqrt(0.25 / (here.value == value).sum())
        assert abs(share - 0.5) < FAR * spread
    assert not again[here.value >= 17].any()


def test_reader__with_the_exact_knowledge_is_not_surprised():
    """The log-loss of a reader who sees every result is the entropy it expects."""
    made = sr.hospital(views=8, size=4000, seed=4)
    found = histories(made)
    states = states_before(found, made.sequence.next_state)
    rows = made.sequence.next_value[found["kind"], states]
    loss = -np.log2(rows[np.arange(len(rows)), found["value"]])
    expected = -(rows * np.log2(np.where(rows > 0, rows, 1))).sum(axis=1)
    assert abs((loss - expected).mean()) < FAR * (loss - expected).std() / np.sqrt(len(rows))
