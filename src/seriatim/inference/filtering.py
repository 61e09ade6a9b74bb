"""How a reader carries beliefs from release to release.

The paper's reader multiplies: the chance of a sequence of past values is the
product of their posteriors. A better one filters jointly: it keeps a distribution
over the automaton's states, so that what it learns of one value bears on the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import KnowledgeError, did_you_mean, listed
from seriatim.inference.pasts import Pasts
from seriatim.inference.revision import (
    expected,
    folded,
    packed,
    push,
    require_same_structure,
)
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.runs import Runs, runs_of


@dataclass(frozen=True, eq=False)
class Observed:
    """One release as a filter needs it, for some respondents."""

    classes: IntArray
    """The class of each respondent."""

    prior: FloatArray
    """What the prior says of each (respondents, values)."""

    revised: FloatArray
    """What was expected of each."""

    posterior: FloatArray | Runs
    """What the release made of it; as runs in large domains."""

    rows: IntArray | None = None
    """Which rows of the arrays are meant; all where it is left out."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Observed({len(self.classes if self.rows is None else self.rows)} respondents)"


class Filtering(Protocol):
    """Keeps and moves what a reader remembers."""

    def structure(self, automaton: Automaton) -> bytes:
        """Return what the places of pasts mean."""
        ...

    def begin(self, automaton: Automaton, posterior: FloatArray | Runs) -> Pasts:
        """Return the pasts of respondents seen for the first time."""
        ...

    def expected(
        self,
        automaton: Automaton,
        pasts: Pasts,
        classes: IntArray,
        prior: FloatArray,
        rows: IntArray | None = None,
    ) -> FloatArray:
        """Return what each respondent is expected to have next; rows says whose past is which."""
        ...

    def moved(
        self, automaton: Automaton, pasts: Pasts, reading: Observed, rows: IntArray | None = None
    ) -> Pasts:
        """Return the pasts after one more release.

        ``rows`` says whose past is which, -1 for one seen for the first time.
        """
        ...


@dataclass(frozen=True)
class Marginal:
    """The paper's reader: past values are independent given their posteriors.

    Its pasts and its expectation are those of the forward pass (``revision.py``).
    """

    def structure(self, automaton: Automaton) -> bytes:
        """Return what the places of pasts mean: the automaton's junctions."""
        return automaton.structure

    def begin(self, automaton: Automaton, posterior: FloatArray | Runs) -> Pasts:
        """Return the pasts of respondents seen for the first time."""
        return Pasts.beginning(automaton, posterior)

    expected = staticmethod(expected)

    def moved(
        self, automaton: Automaton, pasts: Pasts, reading: Observed, rows: IntArray | None = None
    ) -> Pasts:
        """Return the pasts after one more release.

        ``rows`` says whose past is which, -1 for one seen for the first time.
        """
        return push(automaton, pasts, runs_of(reading.posterior, reading.rows), rows)


@dataclass(frozen=True)
class Joint:
    """A Bayesian filter over the automaton's states.

    After a release, the weight of state q' is Σ over (q, v) that lead to it of
    posterior(v) · P(q | v), with P(q | v) ∝ w(q) · next_value[q, v]. A value that was
    held impossible, and came all the same, tells nothing about the state.
    """

    def structure(self, automaton: Automaton) -> bytes:
        """Return what the places of pasts mean: the automaton's states."""
        return _structure(automaton)

    def begin(self, automaton: Automaton, posterior: FloatArray | Runs) -> Pasts:
        """Return the pasts of respondents seen for the first time."""
        runs = runs_of(posterior)
        states = automaton.next_state[automaton.start, runs.places]
        return packed(runs.offsets, runs.lengths, states, runs.weights, runs, _structure(automaton))

    def expected(
        self,
        automaton: Automaton,
        pasts: Pasts,
        classes: IntArray,
        prior: FloatArray,
        rows: IntArray | None = None,
    ) -> FloatArray:
        """Return what each respondent is expected to have next; rows says whose past is which."""
        from seriatim.kernels._jit import over_ranges
        from seriatim.kernels.joint import expected_from_states

        require_same_structure(_structure(automaton), pasts)
        rows = np.arange(len(pasts)) if rows is None else rows
        revised = np.empty((len(rows), len(automaton.values)))
        over_ranges(
            expected_from_states,
            len(rows),
            rows,
            pasts.offsets,
            pasts.places,
            pasts.weights,
            classes,
            automaton.next_value,
            automaton.known,
            *folded(prior),
            revised,
        )
        return revised

    def moved(
        self, automaton: Automaton, pasts: Pasts, reading: Observed, rows: IntArray | None = None
    ) -> Pasts:
        """Return the pasts after one more release.

        ``rows`` says whose past is which, -1 for one seen for the first time.
        """
        from seriatim.kernels._jit import over_ranges
        from seriatim.kernels.joint import moved_states

        require_same_structure(_structure(automaton), pasts)
        people = np.arange(len(reading.classes)) if reading.rows is None else reading.rows
        rows = np.arange(len(pasts)) if rows is None else rows
        latest = runs_of(reading.posterior, reading.rows)
        before = np.where(rows >= 0, np.diff(pasts.offsets)[rows], 1)
        reach = np.minimum(before * latest.lengths, automaton.n_states)
        room = np.concatenate([[0], np.cumsum(np.where(rows >= 0, reach, latest.lengths))])
        states = np.empty(room[-1], dtype=np.int32)
        weights = np.empty(room[-1])
        lengths = np.empty(len(rows), dtype=np.int64)
        over_ranges(
            moved_states,
            len(rows),
            rows,
            people,
            pasts.offsets,
            pasts.places,
            pasts.weights,
            reading.classes,
            automaton.next_state,
            automaton.next_value,
            automaton.known,
            automaton.start,
            *folded(reading.prior),
            reading.revised,
            latest.offsets,
            latest.places,
            latest.weights,
            room[:-1],
            states,
            weights,
            lengths,
        )
        return packed(room, lengths, states, weights, latest, _structure(automaton))


def _structure(automaton: Automaton) -> bytes:
    """Return what the places of a joint filter mean; refuse what it cannot condition on."""
    if automaton.deficient:
        message = (
            "A joint filter needs distributions over the next value, and knowledge mined to the"
            " letter of Algorithm 3 has none after contexts that were never seen. Use"
            " filtering='marginal', or mine with unseen='suffix'."
        )
        raise KnowledgeError(message)
    return automaton.structure + b" joint"


FILTERINGS: dict[str, Filtering] = {"marginal": Marginal(), "joint": Joint()}
"""The ways to filter, by name."""


def filtering_by_name(filtering: str | Filtering) -> Filtering:
    """Return a way to filter given by name or as itself."""
    if not isinstance(filtering, str):
        return filtering
    if filtering not in FILTERINGS:
        message = (
            f"There is no filtering {filtering!r}; possible are {listed(FILTERINGS)}."
            f"{did_you_mean(filtering, FILTERINGS)}"
        )
        raise KnowledgeError(message)
    return FILTERINGS[filtering]
