"""Automata whose states are contexts: the last values of a respondent, oldest first."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.errors import KnowledgeError

_MOST_CELLS = 2**27
"""States times values that an automaton may have: a gigabyte of probabilities."""


def context_tree(n_values: int, steps: int) -> tuple[SmallIntArray, IntArray]:
    """Build the automaton that knows the last n values, whatever they are.

    States are all contexts of up to n values, shorter ones first, the codes of one
    length in order. Returns where each value leads (states, values), and the context
    without its oldest value (states); the empty one leads to itself.

    >>> next_state, shorter = context_tree(2, 1)
    >>> next_state.tolist(), shorter.tolist()
    ([[1, 2], [1, 2], [1, 2]], [0, 0, 0])
    """
    sizes = context_counts(n_values, steps, n_values)
    begins = np.concatenate([[0], np.cumsum(sizes)])
    next_state = np.empty((sum(sizes), n_values), dtype=np.int32)
    shorter = np.zeros(sum(sizes), dtype=np.int64)
    for length, size in enumerate(sizes):
        here = slice(begins[length], begins[length + 1])
        following = np.arange(size)[:, None] * n_values + np.arange(n_values)
        next_state[here] = (
            begins[length + 1] + following
            if length < steps
            else begins[length] + following % max(size, 1)
        )
        if length > 0:
            shorter[here] = begins[length - 1] + np.arange(size) % sizes[length - 1]
    return next_state, shorter


def context_counts(n_values: int, steps: int, width: int) -> list[int]:
    """Return how many contexts of each length there are; refuse more than tables can hold.

    A table has ``width`` cells for each context.
    """
    most = _MOST_CELLS // width
    sizes, total = [1], 1
    while len(sizes) <= steps and total <= most:
        sizes.append(sizes[-1] * n_values)
        total += sizes[-1]
    if total > most:
        message = (
            f"Remembering {steps} of {n_values} values needs more than {most:,} contexts, too many"
            " to hold. Use fewer steps."
        )
        raise KnowledgeError(message)
    return sizes


def suffix_automaton(
    contexts: Sequence[tuple[int, ...]], n_values: int
) -> tuple[dict[tuple[int, ...], int], SmallIntArray, IntArray]:
    """Build the automaton that knows the longest context a history ends with.

    States are the beginnings of contexts, in breadth-first order from the empty
    one; after each value the automaton is in the longest state that the history
    ends with (Aho and Corasick's construction). Returns the states, where each
    value leads (states, values), and the longest shorter state each ends with.
    """
    beginnings = {context[:length] for context in contexts for length in range(len(context) + 1)}
    beginnings.add(())
    states = {
        context: state
        for state, context in enumerate(sorted(beginnings, key=lambda c: (len(c), c)))
    }
    next_state = np.zeros((len(states), n_values), dtype=np.int32)
    shorter = np.zeros(len(states), dtype=np.int64)
    children: list[list[tuple[int, int]]] = [[] for _ in states]
    for context, state in states.items():
        if context:
            children[states[context[:-1]]].append((context[-1], state))
    queue = deque([0])
    while queue:
        state = queue.popleft()
        if state != 0:
            next_state[state] = next_state[shorter[state]]
        for value, child in children[state]:
            if state != 0:
                shorter[child] = next_state[shorter[state], value]
            next_state[state, value] = child
            queue.append(child)
    return states, next_state, shorter


def back_off(next_value: FloatArray, known: BoolArray, shorter: IntArray) -> None:
    """Give each unknown state the distribution of the longest known context it ends with."""
    while True:
        kinds, states = np.nonzero(~known & known[:, shorter])
        if len(states) == 0:
            return
        # One length at a time: what was lent to a context may be lent on from there.
        next_value[kinds, states] = next_value[kinds, shorter[states]]
        known[kinds, states] = True
