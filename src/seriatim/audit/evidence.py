"""What each release contributed to a belief, found by leaving it out.

A belief of a joint or retrospective reader rests on all releases in which a
respondent appears. It is smoothed again with one of them silenced, or with one value
taken for granted: what changes is what that release, or that transition, contributed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seriatim._typing import FloatArray, Instant, Value
from seriatim.inference.messages import Messages
from seriatim.inference.smoothing import Observations, smooth_observations
from seriatim.knowledge.automaton import Automaton

_LEAST_SHIFT = 0.005
"""A contribution below this hardly matters: it would be told as 0.00."""


@dataclass(frozen=True)
class Transition:
    """A step between the explained appearance and the one before or after it."""

    at: Instant
    """The other release."""

    value: Value
    """The value there."""

    belief: float
    """How much it is believed, after everything that was read."""

    chance: float
    """How likely the later value of the two is, given the earlier."""

    chance_otherwise: float
    """How likely it was without taking the earlier for granted."""

    is_later: bool
    """Whether the other release is the later one."""


@dataclass(frozen=True)
class Weighing:
    """What each appearance contributed to a belief."""

    at: Instant
    """The release whose value is explained."""

    belief: float
    """The belief."""

    instants: tuple[Instant, ...]
    """The releases in which the respondent appears."""

    without: tuple[float, ...]
    """The belief if that release had told nothing of the respondent."""

    transitions: tuple[Transition, ...]
    """The most telling steps to the appearances before and after."""

    def lines(self, index: int, value: Value) -> list[str]:
        """Tell what one appearance contributed."""
        shift = self.belief - self.without[index]
        if abs(shift) < _LEAST_SHIFT:
            told = [f"It hardly matters: {self.without[index]:.2f} without it."]
        else:
            verb = "raised" if shift > 0 else "lowered"
            told = [
                f"It {verb} the belief by {abs(shift):.2f}: {self.without[index]:.2f} without it."
            ]
        for one in self.transitions:
            if one.at != self.instants[index]:
                continue
            earlier, later = (value, one.value) if one.is_later else (one.value, value)
            told.append(
                f"{one.value} here is believed with {one.belief:.2f}; after {earlier}, {later} is"
                f" expected with {one.chance:.2f}, otherwise with {one.chance_otherwise:.2f}."
            )
        return told


def weigh(
    messages: Messages, instants: list[Instant], sighting: tuple[int, int], value: Value
) -> Weighing:
    """Weigh the appearances of the respondent seen at (release, row).

    ``messages`` are what the reader takes each release to say in the end.
    """
    automaton, seen = messages.read.automaton, messages.seen
    assert automaton is not None
    release, row = sighting
    entry = int(np.flatnonzero((seen.release_of == release) & (seen.row_of == row))[0])
    person = int(np.searchsorted(seen.offsets, entry, "right")) - 1
    first, last = int(seen.offsets[person]), int(seen.offsets[person + 1])
    series = _Series(automaton, messages.observed(person, person + 1))
    here, code = entry - first, automaton.values.index(value)
    when = tuple(instants[index] for index in seen.release_of[first:last])
    base = series.smoothed({}, ())
    without = tuple(
        float(series.smoothed({}, (index,))[here, code]) for index in range(last - first)
    )
    transitions = [
        series.transition(base, here, code, other, when[other])
        for other in (here - 1, here + 1)
        if 0 <= other < last - first and base[here, code] > 0
    ]
    belief = float(base[here, code])
    return Weighing(instants[release], belief, when, without, tuple(transitions))


@dataclass(frozen=True, eq=False)
class _Series:
    """The observations of one respondent, to be smoothed again with changes."""

    automaton: Automaton
    seen: Observations

    def smoothed(self, taken: dict[int, int], silent: tuple[int, ...]) -> FloatArray:
        """Smooth with some values taken for granted and some appearances silenced."""
        likelihood, surprising = self.seen.likelihood.copy(), self.seen.surprising.copy()
        for index in silent:
            likelihood[index], surprising[index] = 1.0, False
        for index, code in taken.items():
            kept = max(float(likelihood[index, code]), 1.0)
            likelihood[index] = 0.0
            likelihood[index, code] = kept
        changed = Observations(
            self.seen.offsets,
            likelihood,
            surprising,
            self.seen.prior,
            self.seen.classes,
            self.seen.gaps,
        )
        return smooth_observations(self.automaton, changed).beliefs

    def transition(
        self, base: FloatArray, here: int, code: int, other: int, at: Instant
    ) -> Transition:
        """Return the most likely step between the explained appearance and a neighbour."""
        granted = self.smoothed({here: code}, ())
        there = int(granted[other].argmax())
        early, late = min(here, other), max(here, other)
        early_code, late_code = (code, there) if other > here else (there, code)
        unseen = tuple(range(late, len(base)))
        chance = self.smoothed({early: early_code}, unseen)[late, late_code]
        otherwise = self.smoothed({}, unseen)[late, late_code]
        return Transition(
            at,
            self.automaton.values[there],
            float(base[other, there]),
            float(chance),
            float(otherwise),
            other > here,
        )
