"""A reader with a shorter memory: n-step knowledge from a longer or a full model."""

from __future__ import annotations

import itertools
from numbers import Integral

import numpy as np

from seriatim._typing import BoolArray, FloatArray, SmallIntArray
from seriatim.errors import KnowledgeError
from seriatim.knowledge.automaton import Automaton, SequenceModel
from seriatim.knowledge.contexts import context_counts, context_tree
from seriatim.knowledge.tempo import Rates


def truncate(model: SequenceModel, *, steps: int, horizon: int = 24) -> Automaton:
    """Return the model as a reader knows it who remembers only the last n values.

    The expectation after a context is the model's own, averaged over everything
    that may lie before the context. How likely that is depends on when one looks;
    the paper leaves this open. We let the model run from its start for ``horizon``
    releases and weigh all instants alike, which is what a reader would count in a
    long history. Contexts shorter than n values stand for respondents seen so few
    times, and are judged from the start, exactly. A context the model holds impossible
    there is judged as it may occur at any time, and one that may never occur by the
    longest possible context that it ends with. Where the model itself leaves a state to
    the prior, every value weighs the same in this averaging, and a context that
    rests on such states alone stays with the prior.

    >>> sticky = Automaton(("neg", "pos"), [[0.9, 0.1], [0.2, 0.8]], [[0, 1], [0, 1]])
    >>> truncate(sticky, steps=1).next_value[0].round(3).tolist()
    [[0.9, 0.1], [0.9, 0.1], [0.2, 0.8]]
    """
    whole = isinstance(steps, Integral) and isinstance(horizon, Integral)
    if not whole or steps < 1 or horizon < 1:
        message = f"steps and horizon are whole numbers from 1, not {steps!r} and {horizon!r}."
        raise KnowledgeError(message)
    full = model.automaton(model.values)
    if full.deficient or isinstance(full.tempo, Rates):
        message = (
            "Rates of change remember one value already, and knowledge mined to the letter of"
            " Algorithm 3 has no distributions to average: mine it with fewer steps instead."
        )
        raise KnowledgeError(message)
    n_values = len(full.values)
    context_counts(n_values, steps, max(full.n_states, n_values))
    contexts = [
        context
        for length in range(steps + 1)
        for context in itertools.product(range(n_values), repeat=length)
    ]
    next_state, _ = context_tree(n_values, steps)
    tables = [_expectations(full, kind, contexts, steps, horizon) for kind in range(full.n_classes)]
    next_value = np.stack([table for table, _ in tables])
    known = np.stack([row for _, row in tables])
    return Automaton(full.values, next_value, next_state, 0, known, full.classes, tempo=full.tempo)


def _expectations(
    full: Automaton, kind: int, contexts: list[tuple[int, ...]], steps: int, horizon: int
) -> tuple[FloatArray, BoolArray]:
    """Return the expected next value after every context, and where it is known, for one class."""
    assert full.known is not None
    is_known = full.known[kind]
    expected = full.next_value[kind]
    running = np.where(is_known[:, None], expected, 1.0 / len(full.values))
    start = np.zeros(full.n_states)
    start[full.start] = 1.0
    from_start = _after_contexts(running, full.next_state, start, steps)
    at_any_time = _mean_occupancy(running, full.next_state, start, horizon)
    suffixes = _after_contexts(running, full.next_state, at_any_time, steps)
    table = np.zeros((len(contexts), len(full.values)))
    known = np.zeros(len(contexts), dtype=bool)
    for state, context in enumerate(contexts):
        tried = [suffixes[context[begin:]] for begin in range(len(context) + 1)]
        if len(context) < steps:
            tried.insert(0, from_start[context])
        weights = next(weights for weights in tried if weights.sum() > 0.0)
        weights = weights * is_known
        if weights.sum() > 0.0:
            table[state] = weights @ expected / weights.sum()
            known[state] = True
    return table, known


def _mean_occupancy(
    running: FloatArray, next_state: SmallIntArray, start: FloatArray, horizon: int
) -> FloatArray:
    """Return how much time the model spends in each state over the horizon."""
    weights, total = start, np.zeros_like(start)
    for _ in range(horizon):
        total += weights
        flow = weights[:, None] * running
        weights = _summed(next_state.ravel(), flow.ravel(), len(start))
    return total / horizon


def _after_contexts(
    running: FloatArray, next_state: SmallIntArray, weights: FloatArray, steps: int
) -> dict[tuple[int, ...], FloatArray]:
    """Return the joint weight of states and context, for every context up to n values."""
    found: dict[tuple[int, ...], FloatArray] = {(): weights}
    layer = dict(found)
    for _ in range(steps):
        layer = {
            (*context, value): _summed(
                next_state[:, value], before * running[:, value], len(weights)
            )
            for context, before in layer.items()
            for value in range(running.shape[1])
        }
        found.update(layer)
    return found


def _summed(states: SmallIntArray, flow: FloatArray, n_states: int) -> FloatArray:
    return np.bincount(states, flow, minlength=n_states).astype(np.float64)
