"""What the time since the last appearance does to what is remembered."""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, Instant, IntArray
from seriatim.errors import KnowledgeError
from seriatim.inference.filtering import Filtering, Observed
from seriatim.inference.pasts import Pasts, interleave
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.belief import Belief
from seriatim.knowledge.tempo import Period
from seriatim.microdata.instants import moment


def gaps_until(automaton: Automaton, seen_at: FloatArray, at: Instant | None) -> FloatArray:
    """Return the time since each respondent was last seen; zeros where time does not count."""
    if automaton.tempo is None:
        return np.zeros(len(seen_at))
    gaps = moment(at) - seen_at
    if np.isnan(gaps).any():
        message = (
            "The sequence knowledge depends on elapsed time, so instants must be numbers or dates,"
            f" and {at!r} or an earlier one is none. Give such an instant (at=...)."
        )
        raise KnowledgeError(message)
    return np.asarray(gaps)


def carried(
    automaton: Automaton,
    filtering: Filtering,
    pasts: Pasts,
    gaps: FloatArray,
    classes: IntArray,
    prior: Belief,
    known: BoolArray,
) -> Pasts:
    """Return pasts carried through the periods in which nobody was looking.

    A period without a release is a release that told nothing: its posterior is what
    was expected. ``prior`` is over a roster, ``known`` tells whose pasts these are.
    """
    if not isinstance(automaton.tempo, Period):
        return pasts
    theirs_before = prior.of_some(known)
    unseen = automaton.tempo.unseen_steps(gaps)
    for step in range(int(unseen.max(initial=0))):
        away = unseen > step
        rows = np.flatnonzero(away)
        theirs = pasts.take(rows)
        before = theirs_before[rows]
        expected = filtering.expected(automaton, theirs, classes[rows], before)
        reading = Observed(classes[rows], before, expected, expected)
        moved = filtering.moved(automaton, theirs, reading)
        pasts = interleave(pasts.take(np.flatnonzero(~away)), moved, away)
    return pasts
