"""Courses of illness from published stage transitions.

Illness goes on from week to week, whether there is an exam or not, and the next stage
depends on the present one alone, as in the sources. Liver disease, HIV and
Alzheimer's move in years: a result is nearly always that of the last exam. Sepsis moves in
days: after a week little of a stage is left. People do not change their disease.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from seriatim._typing import FloatArray
from seriatim.errors import PolicyError
from seriatim.simulate.course import Course, first_results
from seriatim.simulate.disease import Disease
from seriatim.simulate.patients import CLASSES, ENDINGS
from seriatim.simulate.ranges import require_between

_FILES = ("liver", "hiv", "alzheimer", "sepsis")


@cache
def published_diseases() -> tuple[Disease, ...]:
    """Return the built-in disease models: 5 stages of liver disease, 4, 3 and 5 of the others.

    >>> [(one.name, len(one.stages)) for one in published_diseases()]
    [('liver', 5), ('HIV', 4), ('Alzheimer', 3), ('sepsis', 5)]
    """
    folder = Path(__file__).parent / "disease_models"
    return tuple(Disease.read(folder / f"{name}.toml") for name in _FILES)


@dataclass(frozen=True)
class Literature:
    """Diseases as their model files describe them.

    Patients are admitted with each disease equally often, in stages as its file says,
    with noise that makes classes differ.

    >>> Literature().draw(np.random.default_rng(1))
    Course(19 values, 20 states, by week)
    """

    attendance: float = 0.5
    """Share of patients who have an exam in a given week."""

    start_noise: float = 0.6
    """How much classes differ in first results, on the log scale."""

    diseases: tuple[Disease, ...] | None = None
    """Diseases of your own, from ``Disease.read``; left out, the built-in ones."""

    def __post_init__(self) -> None:
        """Refuse numbers that cannot be meant."""
        require_between("attendance", self.attendance, 1e-6, 1)
        require_between("start_noise", self.start_noise, 0, 10)
        if self.diseases is None:
            return
        values = [value for disease in self.diseases for value in disease.values]
        if not values or len(set(values)) < len(values):
            message = "There is a disease, and no two of them share a value."
            raise PolicyError(message)

    def draw(self, rng: np.random.Generator) -> Course:
        """Draw a course: only the first results are left to chance."""
        diseases = published_diseases() if self.diseases is None else self.diseases
        values = tuple(value for disease in diseases for value in disease.values)
        shares = np.array(
            [stage.admitted / len(diseases) for disease in diseases for stage in disease.stages]
        )
        first = first_results(rng, shares, self.start_noise)
        # One state per value, behind the start.
        n_values = len(values) + len(ENDINGS)
        next_value = np.zeros((len(CLASSES), 1 + n_values, n_values))
        next_value[:, 0, : len(values)] = first
        next_value[:, 1:] = _weekly(diseases)
        next_state = np.tile(np.arange(1, 1 + n_values, dtype=np.int32), (1 + n_values, 1))
        states = (("",), *((value,) for value in (*values, *ENDINGS)))
        return Course((*values, *ENDINGS), next_value, next_state, states, ("value",), "week")


def _weekly(diseases: tuple[Disease, ...]) -> FloatArray:
    """Return the chance of each value a week later (classes, values, values).

    An end lasts until it is recorded: then the patient is gone.
    """
    n_stages = sum(len(disease.stages) for disease in diseases)
    n_values = n_stages + len(ENDINGS)
    table = np.zeros((len(CLASSES), n_values, n_values))
    ends = np.arange(n_stages, n_values)
    table[:, ends, ends] = 1.0
    begin = 0
    for disease in diseases:
        own = np.arange(begin, begin + len(disease.stages))
        columns = np.concatenate([own, ends])
        table[:, own[:, None], columns] = disease.weekly()[:, : len(own)]
        begin += len(own)
    return table
