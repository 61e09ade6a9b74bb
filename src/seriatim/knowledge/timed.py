"""Knowledge that depends on elapsed time: per period, or as rates of change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from seriatim._typing import FloatArray, Table, Value
from seriatim.errors import KnowledgeError, at_positions, did_you_mean, listed
from seriatim.knowledge.automaton import Automaton, SequenceModel
from seriatim.knowledge.classes import Classes, collect_classes
from seriatim.knowledge.tempo import Period, Rates
from seriatim.microdata.tables import (
    distinct_values,
    find_codes,
    joined,
    read_filled_table,
    require_present,
    to_numbers,
)


@dataclass(frozen=True, eq=False)
class PerPeriod:
    """A model whose steps are periods: what is likely a week later, not a visit later.

    Whoever stays away for three weeks is carried through three steps; the values that
    nobody saw are averaged over. For a model that looks at one past value this is its
    transition matrix raised to the number of periods.

    >>> weekly = Automaton(("a", "b"), [[0.5, 0.5], [0.9, 0.1], [0, 1]], [[1, 2]] * 3)
    >>> PerPeriod(weekly, 7).automaton(("a", "b")).tempo
    Period(length=7)
    """

    model: SequenceModel
    """What follows what from one period to the next."""

    length: float
    """The time of a period, in the units of the instants; days where instants are dates."""

    def __post_init__(self) -> None:
        """Refuse a time that is none."""
        Period(self.length)

    @property
    def values(self) -> tuple[Value, ...]:
        """The values that it speaks of."""
        return self.model.values

    def automaton(self, domain: tuple[Value, ...]) -> Automaton:
        """Return its computable form."""
        return replace(self.model.automaton(domain), tempo=Period(self.length))


@dataclass(frozen=True, eq=False)
class TransitionRates:
    """A continuous-time Markov chain: rates of change between values.

    With generator Q, the chances after a time t are the rows of exp(Q · t). Values
    without outgoing rates last for ever.

    >>> table = {"given": ["well", "ill"], "next": ["ill", "well"], "rate": [0.1, 0.4]}
    >>> rates = TransitionRates.from_table(table)
    >>> rates.values, rates.generator[0].tolist()
    (('ill', 'well'), [[-0.4, 0.4], [0.1, -0.1]])
    """

    values: tuple[Value, ...]
    """The values that it speaks of."""

    generator: FloatArray
    """Rates from each value to each other (classes, values, values); rows sum to 0."""

    classes: Classes | None = None
    """How respondents fall into classes, where it matters."""

    @classmethod
    def from_table(
        cls,
        table: Table,
        *,
        given: str = "given",
        following: str = "next",
        rate: str = "rate",
        classes: str | Sequence[str] = (),
    ) -> TransitionRates:
        """Read a long table: value, next value, changes per unit of time.

        The unit is that of the instants; days where instants are dates.

        >>> table = {"given": ["well"], "next": ["ill"], "rate": [0.1]}
        >>> rates = TransitionRates.from_table(table)
        >>> rates.automaton(("well", "ill")).next_value[0, 1].round(3).tolist()
        [0.905, 0.095]
        """
        columns = read_filled_table(table, "transition rates")
        for name in (given, following):
            require_present(columns[name], name)
        both = joined([columns[given], columns[following]], given)
        values = distinct_values(both)
        before, after = np.split(find_codes(both, values), 2)
        numbers = to_numbers(columns[rate], rate)
        if classes:
            found, class_of = collect_classes(columns, classes)
        else:
            found, class_of = None, np.zeros(len(columns), dtype=np.int64)
        wrong = ~np.isfinite(numbers) | (numbers < 0) | (before == after)
        if wrong.any():
            message = (
                "A rate is a number from 0 between two different values; it is not at"
                f" {at_positions(np.flatnonzero(wrong))}."
            )
            raise KnowledgeError(message)
        cells = (class_of * len(values) + before) * len(values) + after
        _, first, times = np.unique(cells, return_index=True, return_counts=True)
        if (times > 1).any():
            message = (
                "Two values have two rates, the first time at"
                f" {at_positions(first[times > 1])}. Keep one."
            )
            raise KnowledgeError(message)
        generator = np.zeros((1 if found is None else len(found), len(values), len(values)))
        generator[class_of, before, after] = numbers
        diagonal = np.arange(len(values))
        generator[:, diagonal, diagonal] = -generator.sum(axis=2)
        return cls(values, generator, found)

    def __repr__(self) -> str:
        """Say how large it is."""
        return f"TransitionRates({len(self.values)} values, {len(self.generator)} classes)"

    def automaton(self, domain: tuple[Value, ...]) -> Automaton:
        """Return its computable form; what it says of one step is for one unit of time."""
        unknown = [value for value in self.values if value not in domain]
        if unknown:
            message = (
                f"Transition rates speak of values outside the sensitive domain:"
                f" {listed(unknown)}. The domain is {listed(domain)}."
                f"{did_you_mean(unknown[0], domain)} Declare them in Sensitive(values=...)."
            )
            raise KnowledgeError(message)
        places = [domain.index(value) for value in self.values]
        rates = Rates(self.generator).over(places, len(domain))
        n_values = len(domain)
        next_state = np.tile(np.arange(1, n_values + 1, dtype=np.int32), (n_values + 1, 1))
        next_value = np.zeros((len(self.generator), n_values + 1, n_values))
        next_value[:, 1:] = rates.after(np.ones(1))[0]
        known = np.zeros((len(self.generator), n_values + 1), dtype=bool)
        known[:, 1 + np.array(places)] = True
        return Automaton(tuple(domain), next_value, next_state, 0, known, self.classes, tempo=rates)
