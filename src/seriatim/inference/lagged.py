"""Looking back a few releases: smoothing with a fixed lag.

A reader who goes back over the whole series needs the whole series. One who goes back over
the last releases only needs a sight of each (``sights.py``), so the cost of a release is bounded
by the lag and by the people looked at, whatever the length of the series. What each release
said when it came stands: no messages go back to groups (``messages.py``), of which a panel
need not have everyone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray, WordArray
from seriatim.inference.sights import Sight
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.tempo import Period


def look_back(automaton: Automaton, window: Sequence[Sight]) -> list[FloatArray]:
    """Return what is believed of each release of a window after the last of them.

    For each sight a belief for each of its entries. NaN for people whom the last release does
    not show, and in the last sight: nothing new is known of them, and there the posterior is
    what is believed.
    """
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.lagged import looked_back

    n_entries = sum(len(sight.codes) for sight in window)
    seen = _Gathered.of(window, automaton)
    timed, tables = automaton.after(seen.gaps, seen.classes)
    smoothed = np.full(n_entries, np.nan)
    over_ranges(
        looked_back,
        len(seen.offsets) - 1,
        seen.offsets,
        seen.begins,
        seen.ends,
        seen.codes,
        seen.likelihood,
        seen.surprising,
        seen.prior_of,
        seen.prior,
        tables,
        seen.state_begins,
        seen.state_ends,
        seen.states,
        seen.weights,
        seen.beyond,
        seen.rest,
        timed.next_state,
        timed.next_value,
        timed.known,
        timed.start,
        smoothed,
    )
    return np.split(smoothed, np.cumsum([len(sight.codes) for sight in window])[:-1])


@dataclass(frozen=True, eq=False)
class _Gathered:
    """The observations of a window, respondent by respondent; arrays as the kernel takes them."""

    offsets: IntArray
    begins: IntArray
    ends: IntArray
    codes: SmallIntArray
    likelihood: FloatArray
    surprising: BoolArray
    rest: FloatArray
    prior_of: IntArray
    prior: FloatArray
    classes: IntArray
    gaps: FloatArray
    state_begins: IntArray
    state_ends: IntArray
    states: SmallIntArray
    weights: FloatArray
    beyond: FloatArray

    @classmethod
    def of(cls, window: Sequence[Sight], automaton: Automaton) -> _Gathered:
        """Gather what is known of the people of the last sight, from all sights."""
        now = window[-1]
        row = np.stack([_rows(sight.numbers, now.numbers) for sight in window], axis=1)
        person, release = np.nonzero(row >= 0)
        there = row[person, release]
        people = np.cumsum([0, *(len(sight) for sight in window)])
        one = people[release] + there  # the place of each observation in all sights together
        begins, ends = _together([sight.bounds for sight in window])
        state_begins, state_ends = _together([sight.state_bounds for sight in window])
        offsets = np.concatenate([[0], np.cumsum(np.bincount(person, minlength=len(now)))])
        first = one[offsets[:-1]]
        priors, prior_of = _priors(window, len(automaton.values), one)
        gaps = np.concatenate([sight.gaps for sight in window])[one]
        gathered = cls(
            offsets,
            begins[one],
            ends[one],
            np.concatenate([sight.codes for sight in window]),
            np.concatenate([sight.likelihood for sight in window]),
            np.concatenate([sight.surprising for sight in window]),
            np.concatenate([sight.rest for sight in window]),
            prior_of,
            priors,
            np.concatenate([sight.classes for sight in window])[one],
            gaps,
            state_begins[first],
            state_ends[first],
            np.concatenate([sight.states for sight in window]),
            np.concatenate([sight.weights for sight in window]),
            np.concatenate([sight.beyond for sight in window])[first],
        )
        if isinstance(automaton.tempo, Period):
            return gathered.with_unseen(automaton.tempo, len(automaton.values))
        return gathered

    def with_unseen(self, period: Period, n_values: int) -> _Gathered:
        """Put the periods that nobody saw between the observations.

        Such a period speaks for every value alike. Those before the first observation were
        gone through when it was made.
        """
        unseen = period.unseen_steps(self.gaps)
        unseen[self.offsets[:-1]] = 0
        times = unseen + 1
        ends = np.cumsum(times)
        everything = len(self.codes)
        begins = np.full(int(ends[-1]) if len(ends) else 0, everything)
        stops = begins + n_values
        begins[ends - 1], stops[ends - 1] = self.begins, self.ends
        return replace(
            self,
            offsets=np.concatenate([[0], ends])[self.offsets],
            begins=begins,
            ends=stops,
            codes=np.concatenate([self.codes, np.arange(n_values, dtype=np.int32)]),
            likelihood=np.concatenate([self.likelihood, np.ones(n_values)]),
            surprising=np.concatenate([self.surprising, np.zeros(n_values, dtype=bool)]),
            rest=np.concatenate([self.rest, np.ones(n_values)]),
            prior_of=np.repeat(self.prior_of, times),
            classes=np.repeat(self.classes, times),
            gaps=np.repeat(self.gaps, times),
        )


def _rows(numbers: WordArray, asked: WordArray) -> IntArray:
    """Return where each of some numbers stands among others, ascending; -1 where it does not."""
    if len(numbers) == 0:
        return np.full(len(asked), -1)
    place = np.minimum(np.searchsorted(numbers, asked), len(numbers) - 1)
    return np.where(numbers[place] == asked, place, -1)


def _priors(window: Sequence[Sight], n_values: int, one: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the priors of a window, and which is that of each observation."""
    tables = [np.zeros((1, n_values))]
    places = []
    for sight in window:
        begin = sum(len(table) for table in tables)
        rows = np.zeros(len(sight), dtype=np.int64)
        if len(sight.prior):
            rows = begin + (np.arange(len(sight)) if len(sight.prior) > 1 else rows)
            # A series may have been extended by values since.
            table = np.zeros((len(sight.prior), n_values))
            table[:, : sight.prior.shape[1]] = sight.prior
            tables.append(table)
        places.append(rows)
    return np.concatenate(tables), np.concatenate(places)[one]


def _together(bounds: list[IntArray]) -> tuple[IntArray, IntArray]:
    """Return where the stretches of several ragged arrays begin and end in all of them."""
    shifts = np.cumsum([0, *(one[-1] for one in bounds)])[:-1]
    moved = [one + shift for one, shift in zip(bounds, shifts, strict=True)]
    return np.concatenate([one[:-1] for one in moved]), np.concatenate([one[1:] for one in moved])
