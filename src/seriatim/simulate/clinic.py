"""A small made clinic: weekly exam results of people who come and go.

Enough to try everything on: invented people, eight results of four kinds of exam, a
transition table that says what tends to follow what. The paper's hospital is larger.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from seriatim.knowledge.domain_knowledge import DomainKnowledge
from seriatim.knowledge.marginal_prior import MarginalPrior
from seriatim.knowledge.timed import PerPeriod
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.hierarchical import Hierarchical
from seriatim.microdata.numeric import Numeric
from seriatim.microdata.schema import Schema
from seriatim.microdata.sensitive import Sensitive
from seriatim.simulate.ranges import require_whole_between

RESULTS = ("CX-neg", "CX-pos", "HB-high", "HB-low", "MAM-neg", "MAM-pos", "PNE-neg", "PNE-pos")
"""Chest X-ray, haemoglobin, mammography, pneumonia test."""

_FOLLOWS = {
    "CX-neg": {"CX-neg": 0.5, "HB-high": 0.2, "MAM-neg": 0.15, "PNE-neg": 0.15},
    "CX-pos": {"PNE-pos": 0.7, "PNE-neg": 0.15, "CX-pos": 0.15},
    "HB-high": {"HB-high": 0.7, "HB-low": 0.1, "CX-neg": 0.2},
    "HB-low": {"HB-low": 0.75, "HB-high": 0.25},
    "MAM-neg": {"MAM-neg": 0.3, "HB-high": 0.3, "CX-neg": 0.4},
    "MAM-pos": {"MAM-pos": 0.7, "HB-low": 0.2, "MAM-neg": 0.1},
    "PNE-neg": {"PNE-neg": 0.2, "CX-neg": 0.6, "HB-high": 0.2},
    "PNE-pos": {"PNE-pos": 0.7, "CX-pos": 0.2, "PNE-neg": 0.1},
}

_FIRST = (0.25, 0.08, 0.2, 0.07, 0.15, 0.06, 0.13, 0.06)


@dataclass(frozen=True, eq=False)
class Clinic:
    """The made data and what it was made with."""

    schema: Schema
    """The columns' parts."""

    sequence: PerPeriod
    """What tends to follow what from week to week: exactly what the data was drawn from."""

    prior: MarginalPrior
    """How common each result is at a first visit, whenever that is."""

    weeks: tuple[pa.Table, ...]
    """One table a week."""


def clinic(*, weeks: int = 6, size: int = 300, seed: int = 1) -> Clinic:
    """Make a clinic's weekly tables.

    Twice as many people as come in a week are under treatment; half of them come each
    week, one in twenty leaves for good and makes room for another.

    >>> made = clinic(weeks=2, size=50)
    >>> [week.num_rows for week in made.weeks], made.weeks[0].column_names
    ([50, 50], ['patient', 'age', 'gender', 'zip', 'exam'])
    """
    require_whole_between("weeks", weeks, 1, 1_000_000)
    require_whole_between("size", size, 1, 10_000_000)
    require_whole_between("seed", seed, 0, 2**63)
    rng = np.random.default_rng(seed)
    chances = np.array([[_FOLLOWS[one].get(other, 0.0) for other in RESULTS] for one in RESULTS])
    first = np.array(_FIRST)
    pool = 2 * size
    ids = rng.permutation(9 * pool)[:pool] + pool
    people = _drawn(rng, pool)
    exam = rng.choice(len(RESULTS), pool, p=first)
    tables = []
    for _ in range(weeks):
        here = rng.choice(pool, size, replace=False)
        columns: dict[str, object] = {"patient": [f"P{number:05}" for number in ids[here]]}
        columns |= {name: column[here] for name, column in people.items()}
        columns["exam"] = np.array(RESULTS)[exam[here]]
        tables.append(pa.table(columns))
        drawn = rng.random(pool)[:, None]
        exam = (chances[exam].cumsum(axis=1) < drawn).sum(axis=1).clip(max=len(RESULTS) - 1)
        gone = np.flatnonzero(rng.random(pool) < 0.05)
        ids[gone] = ids.max() + 1 + np.arange(len(gone))
        for name, column in _drawn(rng, len(gone)).items():
            people[name][gone] = column
        exam[gone] = rng.choice(len(RESULTS), len(gone), p=first)
    schema = Schema(
        "patient",
        [
            Numeric("age", 18, 95),
            Categorical("gender", ["F", "M"]),
            Hierarchical("zip", mask="prefix"),
        ],
        Sensitive("exam", RESULTS),
    )
    prior = MarginalPrior(dict(zip(RESULTS, _FIRST, strict=True)))
    sequence = PerPeriod(DomainKnowledge.from_table(_table()), 1)
    return Clinic(schema, sequence, prior, tuple(tables))


def _drawn(rng: np.random.Generator, people: int) -> dict[str, np.ndarray]:
    """Draw the quasi-identifiers of people."""
    zips = np.array([f"381{district}{street}" for district in "012" for street in range(10)])
    return {
        "age": rng.integers(18, 96, people),
        "gender": np.array(["F", "M"])[rng.integers(0, 2, people)],
        "zip": zips[rng.integers(0, len(zips), people)],
    }


def _table() -> dict[str, list[object]]:
    """Return the transitions as a long table."""
    rows = [(one, other, chance) for one, row in _FOLLOWS.items() for other, chance in row.items()]
    given, following, probability = zip(*rows, strict=True)
    return {"given": list(given), "next": list(following), "probability": list(probability)}
