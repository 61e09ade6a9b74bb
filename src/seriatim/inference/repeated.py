"""Appearances that repeat the last one: people who are kept listed as they were.

Whoever knows that a tuple is repeated knows that its value is the last one, whatever tends to
follow what. So these appearances go by a table of their own, in which every state gives its last
value for certain. Where a state is not reached by one value alone, it stays as it was.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.knowledge.automaton import Automaton


def with_repeated(
    automaton: Automaton, tables: IntArray, repeated: BoolArray
) -> tuple[Automaton, IntArray]:
    """Return an automaton whose second half of tables repeats, and the table of each appearance.

    Its states move as ever: where they are more than the last value, a repeated value counts as
    one that was seen again.

    >>> sticky = Automaton(("neg", "pos"), [[0.9, 0.1], [0.2, 0.8]], [[0, 1], [0, 1]])
    >>> both, tables = with_repeated(sticky, np.array([0, 0]), np.array([False, True]))
    >>> both.next_value[tables[1]].tolist(), tables.tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [0, 1])
    """
    if not repeated.any():
        return automaton, tables
    assert automaton.known is not None
    last = last_values(automaton)
    sure = last >= 0
    next_value, known = automaton.next_value.copy(), automaton.known.copy()
    next_value[:, sure] = np.eye(len(automaton.values))[last[sure]]
    known[:, sure] = True
    n_tables = len(next_value)
    both = automaton.with_tables(
        np.concatenate([automaton.next_value, next_value]),
        np.concatenate([automaton.known, known]),
    )
    return both, tables + n_tables * repeated


def last_values(automaton: Automaton) -> IntArray:
    """Return the code of the value that leads to each state; -1 where several do, or none.

    >>> last_values(Automaton(("neg", "pos"), [[0.9, 0.1], [0.2, 0.8]], [[0, 1], [0, 1]])).tolist()
    [0, 1]
    """
    n_states, n_values = automaton.next_state.shape
    leads = np.zeros((n_states, n_values), dtype=bool)
    leads[automaton.next_state, np.arange(n_values)] = True
    return np.where(leads.sum(axis=1) == 1, leads.argmax(axis=1), -1)


def moments_seen(moments: FloatArray, repeated: BoolArray) -> FloatArray:
    """Return when the value of each appearance was seen: of repeated ones, when the last was.

    Appearances are in the order of people and time, and nobody's first is repeated.

    >>> moments_seen(np.array([1.0, 2.0, 3.0]), np.array([False, True, False])).tolist()
    [1.0, 1.0, 3.0]
    """
    places = np.where(repeated, 0, np.arange(len(moments)))
    return np.asarray(moments[np.maximum.accumulate(places)])
