"""Knowledge revision: what the adversary expects at the next release.

The paper's BKRevision (Section IV-C) as a forward pass over a sequence
automaton; the cost is linear in the reachable states, not in the history.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from seriatim._typing import FloatArray, IntArray, SmallIntArray
from seriatim.errors import KnowledgeError
from seriatim.inference.kept_pasts import Piece, Pushed, PushedPasts, StoredPasts
from seriatim.inference.pasts import Pasts, spans
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.belief import require_distributions
from seriatim.knowledge.runs import Runs, runs_of
from seriatim.microdata.gathers import gathered

_SMALL = 2**20
"""Probabilities of a table up to which a copy of it costs nothing."""

_LINE = 8
"""Numbers that memory hands over at once."""


def expected(
    automaton: Automaton,
    pasts: Pasts,
    classes: IntArray,
    prior: FloatArray,
    rows: IntArray | None = None,
) -> FloatArray:
    """Return what each respondent is expected to have next (respondents, values).

    revised(v) = Σ_state w(state) · next_value[state, v]; the weight of states
    whose context is unknown goes to the respondent's prior. ``rows`` says which past is
    whose, -1 for a respondent without one; left out, they are aligned.
    """
    from seriatim.kernels._jit import over_ranges

    require_same_structure(automaton.structure, pasts)
    rows = np.arange(len(pasts)) if rows is None else rows
    revised = np.empty((len(rows), len(automaton.values)))
    knowledge = (
        classes,
        automaton.junction_next,
        _evened(automaton.next_value),
        automaton.known,
        *folded(prior),
        revised,
    )
    after = _after(automaton)
    if isinstance(pasts, StoredPasts) and after is not None:
        _go_through(pasts, rows, knowledge, after)
        return revised
    latest = pasts.latest
    over_ranges(
        _forward(knowledge),
        len(rows),
        np.arange(len(rows)),
        rows,
        pasts.offsets[:-1],
        pasts.offsets[1:],
        pasts.places,
        pasts.weights,
        latest.offsets[:-1],
        latest.offsets[1:],
        latest.places,
        latest.weights,
        False,
        int(np.diff(pasts.offsets).max(initial=0)),
        *knowledge,
        np.empty(0, np.int32),
        *Pushed.nowhere(),
    )
    return revised


def _go_through(
    pasts: StoredPasts, rows: IntArray, knowledge: tuple[Any, ...], after: SmallIntArray
) -> None:
    """Go through pasts in a store once: what is expected is written, and weights are pushed on."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.forward import tell_apart

    go_forward = _forward(knowledge)

    def given(piece: Piece, pushed: Pushed) -> tuple[Any, ...]:
        _, begins, middles, ends, *entries = piece
        places = (begins, middles, *entries, middles, ends, *entries)
        return (*places, True, pasts.most, *knowledge, after, *pushed)

    newcomers, targets = np.empty(len(rows), np.int64), np.empty(len(pasts), np.int64)
    newcomers = newcomers[: tell_apart(rows, newcomers, targets)]
    without = (newcomers, np.full(len(newcomers), -1), *given(Piece.nobodys(), Pushed.nowhere()))
    over_ranges(go_forward, len(newcomers), *without)
    pushed = Pushed.with_room(pasts.possible, int(after.max(initial=0)))

    def forward(piece: Piece) -> None:
        people = piece.people
        some = pushed._replace(offsets=gathered(pushed.offsets, people))
        theirs = (gathered(targets, people), np.arange(len(people)), *given(piece, some))
        go_forward(0, len(people), *theirs)

    pasts.each(forward)
    pasts.push(pushed)


def _forward(knowledge: tuple[Any, ...]) -> Callable[..., None]:
    """Return the kernel that goes forward with some knowledge."""
    from seriatim.kernels.forward import go_forward
    from seriatim.kernels.forward_by_eights import go_forward_by_eights

    _, _, next_value, known, *_ = knowledge
    by_eights = next_value.shape[2] % _LINE == 0 and known.all()
    return go_forward_by_eights if by_eights else go_forward


def _evened(next_value: FloatArray) -> FloatArray:
    """Return the table with rows that lie as processors read them: none begins inside a line."""
    n_classes, n_states, n_values = next_value.shape
    if next_value.size > _SMALL:
        return np.ascontiguousarray(next_value)
    width = n_values + -n_values % _LINE
    room = np.zeros(n_classes * n_states * width + _LINE)
    begin = -(room.ctypes.data // room.itemsize) % _LINE
    evened = room[begin : begin + room.size - _LINE].reshape(n_classes, n_states, width)
    evened[:, :, :n_values] = next_value
    return evened


def folded(rows: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the rows that differ, and which of them each is: one where all share it."""
    if rows.strides[0] == 0 and len(rows):
        return np.ascontiguousarray(rows[:1]), np.zeros(len(rows), dtype=np.int64)
    return np.ascontiguousarray(rows), np.arange(len(rows))


def push(
    automaton: Automaton, pasts: Pasts, posterior: FloatArray | Runs, rows: IntArray | None = None
) -> Pasts:
    """Return the pasts after one more release, of all respondents or of some.

    ``rows`` says which past is whose, -1 for a respondent seen for the first time. The
    weights move through the last posterior, w[next(j, v)] += u[j] · p(v), are summed by
    junction, and the new posterior takes the last one's place.
    """
    require_same_structure(automaton.structure, pasts)
    rows = np.arange(len(pasts)) if rows is None else rows
    begin = int(automaton.junction_of[automaton.start])
    after = _after(automaton)
    latest = runs_of(posterior)
    if isinstance(pasts, StoredPasts) and pasts.pushed is not None:
        return PushedPasts(pasts.pushed, rows, begin, latest, automaton.structure)
    never = np.full(len(rows), np.nan)
    if after is None:
        pushed = _pushed(automaton, pasts, rows, begin)
    else:
        pushed = _pushed_by_value(pasts, rows, begin, after)
    return Pasts(pushed.offsets, pushed.places, pushed.weights, latest, never, automaton.structure)


def _after(automaton: Automaton) -> SmallIntArray | None:
    """Return the junction after each value, where nothing else matters; None where it does.

    So it is where two values back are remembered, the paper's own case.
    """
    after = automaton.junction_of[automaton.junction_next]
    alike = bool((after == after[0]).all()) and len(np.unique(after[0])) == after.shape[1]
    return np.ascontiguousarray(after[0]) if alike else None


def _pushed_by_value(pasts: Pasts, rows: IntArray, begin: int, after: SmallIntArray) -> Runs:
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.forward import pushed_by_value

    pushed = Runs.with_room(np.where(rows < 0, 1, pasts.latest.lengths[rows]), 0)
    over_ranges(
        pushed_by_value,
        len(rows),
        rows,
        pasts.offsets,
        pasts.weights,
        pasts.latest.offsets,
        pasts.latest.places,
        pasts.latest.weights,
        after,
        begin,
        pushed.offsets,
        pushed.places,
        pushed.weights,
    )
    return pushed


def _pushed(automaton: Automaton, pasts: Pasts, rows: IntArray, begin: int) -> Runs:
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.forward import pushed_lengths, pushed_weights

    lengths = np.empty(len(rows), dtype=np.int64)
    over_ranges(
        pushed_lengths,
        len(rows),
        rows,
        pasts.offsets,
        pasts.places,
        pasts.latest.offsets,
        pasts.latest.places,
        automaton.junction_next,
        automaton.junction_of,
        lengths,
    )
    pushed = Runs.with_room(lengths, 0)
    over_ranges(
        pushed_weights,
        len(rows),
        rows,
        pasts.offsets,
        pasts.places,
        pasts.weights,
        pasts.latest.offsets,
        pasts.latest.places,
        pasts.latest.weights,
        automaton.junction_next,
        automaton.junction_of,
        begin,
        pushed.offsets,
        pushed.places,
        pushed.weights,
    )
    return pushed


def packed(
    room: IntArray,
    lengths: IntArray,
    places: SmallIntArray,
    weights: FloatArray,
    posterior: FloatArray | Runs,
    structure: bytes,
) -> Pasts:
    """Return pasts from stretches of which only a part is used."""
    used = spans(room[:-1], lengths)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    weights = weights[used]
    # Weights sum to 1 but for rounding; without this the error would grow with the history.
    weights /= np.repeat(np.add.reduceat(weights, offsets[:-1]), lengths) if len(weights) else 1.0
    never = np.full(len(lengths), np.nan)
    return Pasts(offsets, places[used], weights, runs_of(posterior), never, structure)


def require_same_structure(structure: bytes, pasts: Pasts) -> None:
    """Refuse pasts whose places mean something else."""
    if pasts.structure != structure:
        message = (
            "The reader's memory was made with other sequence knowledge, or filtered otherwise:"
            " its places are not those of this automaton. Go on with the reader that the series"
            " was begun with, or begin a new series."
        )
        raise KnowledgeError(message)


def revise(
    automaton: Automaton, posteriors: npt.ArrayLike, prior: npt.ArrayLike | None = None
) -> FloatArray:
    """Return the revised knowledge after a whole history of posteriors.

    ``posteriors`` runs (instants, respondents, values). The result equals the
    paper's sum over every sequence of past values, Σ_λ p̃(s|λ) · Π_j PK_j(s_j).
    ``prior`` stands in for contexts that the automaton does not know.

    Alice's posterior after the first release of the running example, with only
    the values that matter:

    >>> table = Automaton(
    ...     ("MAM-pos", "CX-neg", "BCM-pos"),
    ...     [[1, 0, 0], [0.2, 0.2, 0.6], [0.49, 0.49, 0.02], [0.5, 0.5, 0.0]],
    ...     [[1, 2, 3]] * 4,
    ... )
    >>> revise(table, [[[0.5, 0.5, 0.0]]]).round(2).tolist()
    [[0.34, 0.34, 0.31]]
    """
    history = np.asarray(posteriors, dtype=np.float64)
    n_values = len(automaton.values)
    if history.ndim != 3 or history.shape[2] != n_values or 0 in history.shape:
        message = (
            f"Posteriors run (instants, respondents, values) with {n_values} values;"
            f" an array of shape {history.shape} was given."
        )
        raise KnowledgeError(message)
    if automaton.n_classes > 1:
        message = "revise takes one class of respondents; an Adversary tells classes apart."
        raise KnowledgeError(message)
    rows = [require_distributions(rows, "the posteriors") for rows in history]
    n_respondents = history.shape[1]
    fallback = (
        np.full((n_respondents, n_values), 1.0 / n_values)
        if prior is None
        else require_distributions(prior, "the prior")
    )
    if fallback.shape != (n_respondents, n_values):
        message = (
            f"The prior runs (respondents, values), here {(n_respondents, n_values)};"
            f" an array of shape {fallback.shape} was given."
        )
        raise KnowledgeError(message)
    pasts = Pasts.beginning(automaton, rows[0])
    for posterior in rows[1:]:
        pasts = push(automaton, pasts, posterior)
    return expected(automaton, pasts, np.zeros(n_respondents, dtype=np.int64), fallback)
