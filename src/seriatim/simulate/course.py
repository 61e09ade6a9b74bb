"""A course: how illness goes in the made hospital, drawn once and then exact.

An automaton over exam results, a distribution of first results by class, and what
a step is. Data is drawn from these arrays and from nothing else, so prior and
sequence model are not estimates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from seriatim._typing import FloatArray, SmallIntArray, Value
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.class_prior import ClassPrior
from seriatim.knowledge.distributions import Distributions
from seriatim.knowledge.tempo import Period
from seriatim.simulate.patients import CLASSES, ENDINGS

START = 0
"""The state of a patient without an exam so far."""

Step = Literal["exam", "week"]
"""What moves a patient: each exam, or each week whether there is an exam or not."""


@dataclass(frozen=True, eq=False)
class Course:
    """What follows what, by class.

    With ``step="exam"`` a patient's state stands still between exams: absence tells nothing,
    and the automaton of observed results is exact as it is. With ``step="week"`` illness goes on
    between exams, so the automaton has a period of one week, and whoever stays away
    for three weeks is carried through three steps. An ending that falls into
    a week without an exam is entered at the next exam that was due: till then it lasts.
    """

    values: tuple[Value, ...]
    """Stages of all diseases, then ``deceased`` and ``discharged``."""

    next_value: FloatArray
    """Distribution over the next result (classes, states, values).

    What the start state expects is the distribution of first results."""

    next_state: SmallIntArray
    """Where each result leads (states, values)."""

    states: tuple[tuple[str, ...], ...]
    """What each state means, in the words of ``columns``."""

    columns: tuple[str, ...]
    """What the words of a state are about."""

    step: Step = "exam"
    """What a step is."""

    def __repr__(self) -> str:
        """Say how large it is."""
        return f"Course({len(self.values)} values, {len(self.states)} states, by {self.step})"

    @property
    def n_stages(self) -> int:
        """How many values are stages."""
        return len(self.values) - len(ENDINGS)

    def prior(self) -> ClassPrior:
        """Return the distribution of first results by class; nobody's first result is an end."""
        stages = slice(0, self.n_stages)
        first = self.next_value[:, START, stages]
        everything = np.ones(first.shape, dtype=bool)
        return ClassPrior(CLASSES, Distributions(self.values[stages], first, everything))

    def sequence(self) -> Automaton:
        """Return what follows what, as knowledge."""
        return Automaton(
            self.values,
            self.next_value,
            self.next_state,
            START,
            classes=CLASSES,
            tempo=Period(1) if self.step == "week" else None,
        )


class Model(Protocol):
    """Something that courses are drawn from."""

    @property
    def attendance(self) -> float:
        """The share of patients who have an exam in a given week."""
        ...

    def draw(self, rng: np.random.Generator) -> Course:
        """Draw a course."""
        ...


def first_results(rng: np.random.Generator, shares: FloatArray, noise: float) -> FloatArray:
    """Return distributions of first results by class: shares, with log-normal noise."""
    rows = shares * rng.lognormal(0.0, noise, (len(CLASSES), len(shares)))
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))
