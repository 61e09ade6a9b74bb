"""What a reader keeps of each respondent's past.

With sequence knowledge in the form of an automaton, everything that past
releases told about a respondent fits in weights over places of the automaton
and the posterior at the last release. Its size depends on the knowledge, not
on the number of releases.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from seriatim._typing import BoolArray, FloatArray, HalfArray, IntArray, SmallIntArray
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.runs import Runs, interleaved, runs_of
from seriatim.microdata.letters import MANY


@dataclass(frozen=True, eq=False)
class Pasts:
    """The pasts of some respondents, as one ragged array."""

    offsets: IntArray
    """Where each respondent's entries begin; one more than respondents."""

    places: SmallIntArray | HalfArray
    """Where weight lies, respondent by respondent: junctions, or states for a joint filter."""

    weights: FloatArray
    """The weight on each of them; sums to 1 for each respondent."""

    latest: Runs
    """The posterior at the last release seen: the values that are possible, for each."""

    seen_at: FloatArray
    """When each was last seen, as a number; NaN where instants are none."""

    structure: bytes
    """What the places mean: the automaton's structure, and how it is filtered."""

    def __len__(self) -> int:
        """Return the number of respondents."""
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Pasts({len(self)} respondents, {len(self.weights)} weights)"

    @classmethod
    def beginning(cls, automaton: Automaton, posterior: FloatArray | Runs) -> Pasts:
        """Return pasts of respondents seen for the first time."""
        n_respondents = len(posterior)
        start = automaton.junction_of[automaton.start]
        return cls(
            np.arange(n_respondents + 1, dtype=np.int64),
            np.full(n_respondents, start, dtype=np.int32),
            np.ones(n_respondents),
            runs_of(posterior),
            np.full(n_respondents, np.nan),
            automaton.structure,
        )

    def seen(self, moment: float) -> Pasts:
        """Return the pasts of people who were all seen at one moment."""
        return replace(self, seen_at=np.full(len(self), moment))

    @property
    def posterior(self) -> FloatArray:
        """The posterior at the last release seen (respondents, values)."""
        return self.latest.dense()

    @property
    def runs(self) -> Runs:
        """Places and weights, as runs over all places."""
        return Runs(self.offsets, self.places, self.weights, 0)

    def take(self, rows: IntArray) -> Pasts:
        """Return the pasts of some of the respondents."""
        taken = self.runs.take(rows)
        return Pasts(
            taken.offsets,
            taken.places,
            taken.weights,
            self.latest.take(rows),
            self.seen_at[rows],
            self.structure,
        )


def interleave(first: Pasts, second: Pasts, takes_second: BoolArray) -> Pasts:
    """Merge two sets of pasts: row i is the next of the second where asked, else of the first."""
    runs = interleaved(first.runs, second.runs, takes_second)
    latest = interleaved(first.latest, second.latest, takes_second)
    seen_at = np.empty(len(takes_second))
    seen_at[~takes_second], seen_at[takes_second] = first.seen_at, second.seen_at
    return Pasts(runs.offsets, runs.places, runs.weights, latest, seen_at, first.structure)


def past_of(known: BoolArray) -> IntArray:
    """Return which of the pasts is whose, -1 for those who have none.

    >>> past_of(np.array([True, False, True])).tolist()
    [0, -1, 1]
    """
    if len(known) < MANY:
        return np.where(known, np.cumsum(known, dtype=np.int64), 0) - 1
    from seriatim.kernels.packing import number_known

    places = np.empty(len(known), np.int64)
    number_known(known, places)
    return places


def spans(begins: IntArray, lengths: IntArray) -> IntArray:
    """Return the indices of several stretches, one after the other.

    >>> spans(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(lengths)
    shift = np.repeat(begins - (ends - lengths), lengths)
    return np.asarray(np.arange(ends[-1] if len(ends) else 0) + shift)
