"""Sequence knowledge in computable form.

A state holds what matters of a respondent's past values: the last one, the
last three, a stage and the weeks spent in it. Each state gives a distribution
over the next value, and each value leads to the next state. The sum over all
sequences of past values then is one forward pass, and its cost does not depend
on the length of the history.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Protocol

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray, Value
from seriatim.errors import KnowledgeError, listed
from seriatim.knowledge.belief import (
    require_distinct,
    require_distributions,
    require_partial,
)
from seriatim.knowledge.classes import Classes
from seriatim.knowledge.tempo import Rates, Tempo
from seriatim.microdata.roster import Roster


class SequenceModel(Protocol):
    """What tends to follow what (the paper's BKseq)."""

    @property
    def values(self) -> tuple[Value, ...]:
        """The sensitive values that it speaks of."""
        ...

    def automaton(self, domain: tuple[Value, ...]) -> Automaton:
        """Return its computable form over a sensitive domain."""
        ...


@dataclass(frozen=True, eq=False)
class Automaton:
    """States, what each expects next, and where each value leads.

    A two-state example: after ``pos`` another ``pos`` is likely.

    >>> sticky = Automaton(("neg", "pos"), [[0.9, 0.1], [0.2, 0.8]], [[0, 1], [0, 1]])
    >>> sticky.n_states, sticky.n_classes
    (2, 1)
    """

    values: tuple[Value, ...]
    """The sensitive values, one per column."""

    next_value: FloatArray
    """Distribution over the next value (states, values), or (classes, states, values)."""

    next_state: SmallIntArray
    """Where each value leads (states, values)."""

    start: int = 0
    """The state of a respondent who was never seen.

    What it expects is for simulations: an adversary judges newcomers by its prior."""

    known: BoolArray | None = None
    """Where a state's distribution is known (classes, states); elsewhere the prior stands in."""

    classes: Classes | None = None
    """Which respondents go by which distributions, where they differ."""

    deficient: bool = False
    """Whether distributions may sum to less than 1; what a reader expects is then rescaled."""

    tempo: Tempo | None = None
    """What elapsed time does; without it, only the order of appearances counts."""

    def __post_init__(self) -> None:
        """Bring the arrays to their full shape, and refuse what is no automaton."""
        values = tuple(self.values)
        require_distinct(values)
        next_value = _as_array(self.next_value, "next_value", np.float64)
        next_state = _as_array(self.next_state, "next_state", None)
        if next_value.ndim == 2:
            next_value = next_value[None]
        if (
            next_value.ndim != 3
            or next_state.shape != next_value.shape[1:]
            or next_value.shape[2] != len(values)
        ):
            message = (
                f"An automaton over {len(values)} values needs next_value (states, values)"
                f" and next_state of the same shape; given were {next_value.shape[1:]}"
                f" and {next_state.shape}."
            )
            raise KnowledgeError(message)
        n_classes, n_states, n_values = next_value.shape
        if self.classes is not None and n_classes != len(self.classes):
            message = (
                f"{len(self.classes)} classes need as many tables, and {n_classes} were given."
            )
            raise KnowledgeError(message)
        _require_states(next_state, n_states, self.start)
        known = _known(self.known, n_classes, n_states)
        rows = next_value.reshape(-1, n_values)
        if known.any():
            require = require_partial if self.deficient else require_distributions
            rows[known.ravel()] = require(rows[known.ravel()], "next_value")
        rows[~known.ravel()] = 0.0
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "next_value", np.ascontiguousarray(next_value))
        object.__setattr__(self, "next_state", next_state.astype(np.int32))
        object.__setattr__(self, "known", known)

    def __repr__(self) -> str:
        """Say how large it is."""
        return (
            f"Automaton({len(self.values)} values, {self.n_states} states,"
            f" {self.n_classes} classes)"
        )

    @property
    def n_states(self) -> int:
        """The number of states."""
        return len(self.next_state)

    @property
    def is_forgetful(self) -> bool:
        """Whether a state is nothing but the last value."""
        return bool((self.next_state == self.next_state[0]).all())

    @property
    def n_classes(self) -> int:
        """The number of classes of respondents."""
        return len(self.next_value)

    @cached_property
    def structure(self) -> bytes:
        """What the numbers of its junctions mean: a digest of values, start and next states.

        Pasts are weights on numbered junctions, and must not be read with an
        automaton that numbers them otherwise. Probabilities are no part of it.
        """
        state = hashlib.blake2b(repr((self.values, self.start)).encode(), digest_size=16)
        state.update(self.next_state.tobytes())
        return state.digest()

    @cached_property
    def _junctions(self) -> tuple[SmallIntArray, SmallIntArray]:
        rows, of_state = np.unique(self.next_state, axis=0, return_inverse=True)
        return (
            np.ascontiguousarray(rows.astype(np.int32)),
            of_state.ravel().astype(np.int32),
        )

    @property
    def junction_next(self) -> SmallIntArray:
        """Where each value leads from each junction (junctions, values).

        States from which every value leads to the same place share a junction.
        A past needs weights on junctions only: with memory for n values, on the
        contexts of n − 1 of them.
        """
        return self._junctions[0]

    @property
    def junction_of(self) -> SmallIntArray:
        """The junction of each state."""
        return self._junctions[1]

    def classes_of(self, roster: Roster) -> IntArray:
        """Return the class of each respondent, by the quasi-identifiers they have now."""
        if self.classes is None and self.n_classes > 1:
            message = (
                f"The automaton has {self.n_classes} tables, and no classes that say who goes by"
                " which. Pass classes."
            )
            raise KnowledgeError(message)
        if self.classes is None:
            return np.zeros(len(roster), dtype=np.int64)
        return self.classes.of(roster)

    def automaton(self, domain: tuple[Value, ...]) -> Automaton:
        """Return the automaton with its columns in the order of a domain.

        Values that only the domain has are never expected; should one be seen all
        the same, nothing is known any more until a known value follows.
        """
        if self.values == tuple(domain):
            return self
        missing = [value for value in self.values if value not in domain]
        if missing:
            message = (
                f"The automaton speaks of values outside the sensitive domain: {listed(missing)}."
                f" The domain is {listed(domain)}. Declare them in Sensitive(values=...)."
            )
            raise KnowledgeError(message)
        lost = self.n_states
        assert self.known is not None
        next_value = np.zeros((self.n_classes, self.n_states + 1, len(domain)))
        next_state = np.full((self.n_states + 1, len(domain)), lost)
        known = np.zeros((self.n_classes, self.n_states + 1), dtype=bool)
        places = [domain.index(value) for value in self.values]
        next_value[:, :lost, places] = self.next_value
        next_state[:lost, places] = self.next_state
        next_state[lost, places] = self.next_state[self.start]
        known[:, :lost] = self.known
        tempo = self.tempo
        if isinstance(tempo, Rates):
            tempo = tempo.over(places, len(domain))
        return replace(
            self,
            values=tuple(domain),
            next_value=next_value,
            next_state=next_state,
            known=known,
            tempo=tempo,
        )

    def after(self, gaps: FloatArray, classes: IntArray) -> tuple[Automaton, IntArray]:
        """Return the automaton for times between appearances, and which table each goes by.

        Only rates of change need it: one table for each class and each different time.
        """
        if not isinstance(self.tempo, Rates):
            return self, classes
        times, which = np.unique(gaps, return_inverse=True)
        assert self.known is not None
        next_value = np.tile(self.next_value, (len(times), 1, 1))
        standing_for = self.next_state[self.start]
        chances = self.tempo.after(times)
        next_value[:, standing_for] = chances.reshape(-1, *chances.shape[2:])
        known = np.tile(self.known, (len(times), 1))
        return self.with_tables(next_value, known), which.ravel() * self.n_classes + classes

    def with_tables(
        self, next_value: FloatArray, known: BoolArray, classes: Classes | None = None
    ) -> Automaton:
        """Return an automaton of the same states with other expectations."""
        changed = replace(self, next_value=next_value, known=known, classes=classes)
        for name in ("structure", "_junctions"):
            changed.__dict__[name] = getattr(self, name)
        return changed


def _as_array(given: Any, name: str, kind: Any) -> np.ndarray:
    try:
        return np.array(given, dtype=kind)
    except (TypeError, ValueError):
        message = f"{name} must be an array of numbers, rows of one length."
        raise KnowledgeError(message) from None


def _require_states(next_state: np.ndarray, n_states: int, start: object) -> None:
    numbers = np.issubdtype(next_state.dtype, np.integer)
    if not numbers or (next_state < 0).any() or (next_state >= n_states).any():
        message = f"next_state must hold states, whole numbers from 0 to {n_states - 1}."
        raise KnowledgeError(message)
    if not isinstance(start, Integral) or not 0 <= int(start) < n_states:
        message = f"The start state {start!r} is none of the {n_states} states."
        raise KnowledgeError(message)


def _known(given: BoolArray | None, n_classes: int, n_states: int) -> BoolArray:
    if given is None:
        return np.ones((n_classes, n_states), dtype=bool)
    known = np.array(given, dtype=bool)
    if known.size != n_classes * n_states:
        message = (
            f"known says for each of {n_classes} classes and {n_states} states whether it is"
            f" known; an array of shape {known.shape} was given."
        )
        raise KnowledgeError(message)
    return known.reshape(n_classes, n_states)
