"""Looking back a few releases: smoothing with a fixed lag.

A reader who goes back over the whole series needs the whole series. One who goes back over
the last releases only needs what these told of each respondent (a ``Sight`` for each release)
and what was believed before the first of them: the heaviest states of the joint filter, and for
the rest of its weight what it expected. The cost of a release is bounded by the lag and by the
people looked at, whatever the length of the series.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray, WordArray
from seriatim.inference.adversary import Adversary, Expectation, Impression
from seriatim.inference.conclusions import conclude
from seriatim.inference.filtering import Joint, filtering_by_name
from seriatim.inference.matching_rules import Exact, Strongest
from seriatim.inference.pasts import spans
from seriatim.inference.rules import rule_by_name
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.tempo import Period
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import Release

STATES = 16
"""States that are remembered of a respondent from before a release.

On made hospitals 16 of some 100 told the gain of all of them to .0002; with none, the whole past
carried by what it made expect, a sixth of it was missing (``validation/looking_back.py``)."""

_LEAST = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Panel:
    """The people of a release who are looked at."""

    rows: IntArray
    """Their rows in its roster, in the order of their numbers."""

    numbers: WordArray
    """Numbers that mean the same person in every release, ascending."""

    limit: int
    """Who has a greater number was not looked at, though they may have been there."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Panel({len(self.rows)} respondents)"

    @classmethod
    def of(cls, numbers: WordArray, seen: BoolArray, most: int) -> Panel:
        """Choose at most so many of those who are seen: the ones with the least numbers."""
        rows = np.flatnonzero(seen)
        everyone = len(rows) <= most
        if not everyone:
            rows = rows[np.argpartition(numbers[rows], most - 1)[:most]]
        rows = rows[np.argsort(numbers[rows], kind="stable")]
        limit = np.iinfo(np.uint64).max if everyone else numbers[rows[-1]]
        return cls(rows, numbers[rows], int(limit))


@dataclass(frozen=True, eq=False)
class Sight:
    """What one release told a reader of some people, in the order of their numbers.

    Beliefs may be in single precision, as a store keeps them; the last sight of a window, which
    is never from a store, brings all to double.
    """

    numbers: WordArray
    """Who they are: numbers that mean the same in every release, ascending."""

    limit: int
    """Who has a greater number was not looked at, though they may have been there."""

    bounds: IntArray
    """Where each one's entries begin, an entry for each value left possible; one more."""

    codes: SmallIntArray
    """The value of each entry."""

    likelihood: FloatArray
    """How much the release speaks for it, up to a factor for each respondent."""

    surprising: BoolArray
    """Whether it was held impossible."""

    rest: FloatArray
    """What was expected of it by the past that is in no remembered state."""

    state_bounds: IntArray
    """Where each one's remembered states begin; one more."""

    states: SmallIntArray
    """The heaviest states before the release."""

    weights: FloatArray
    """Their weights."""

    beyond: FloatArray
    """The weight of the past that is in no remembered state; 1 for who is seen first."""

    classes: IntArray
    """The class of each."""

    gaps: FloatArray
    """The time since each was seen before, where the knowledge depends on it; else zeros."""

    prior: FloatArray
    """What the prior says of each (people, values), one row where it says the same of all.

    Without rows where the sequence knowledge never falls back to it."""

    def __len__(self) -> int:
        """Return the number of people."""
        return len(self.numbers)

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Sight({len(self)} respondents)"

    @property
    def entry_of(self) -> IntArray:
        """The row of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.bounds))

    def of(self, kept: BoolArray) -> Sight:
        """Return the sight of some of its people."""
        rows = np.flatnonzero(kept)
        widths, depths = np.diff(self.bounds)[rows], np.diff(self.state_bounds)[rows]
        entries, states = spans(self.bounds[rows], widths), spans(self.state_bounds[rows], depths)
        return Sight(
            self.numbers[rows],
            self.limit,
            _begins(widths),
            self.codes[entries],
            self.likelihood[entries],
            self.surprising[entries],
            self.rest[entries],
            _begins(depths),
            self.states[states],
            self.weights[states],
            self.beyond[rows],
            self.classes[rows],
            self.gaps[rows],
            self.prior[rows] if len(self.prior) > 1 else self.prior,
        )


def strongest_posterior(
    reader: Adversary,
    before: Expectation,
    release: Release,
    membership: Membership,
    impression: Impression,
    panel: Panel,
) -> FloatArray:
    """Return what a release makes of a panel by the strongest affordable rule (panel, values).

    A stronger rule than the reader's own has to conclude for whole groups: where the panel is
    but a part of the release, that would cost more the larger the release is, and the reader's
    own conclusions are taken.
    """
    everyone = len(panel.rows) == int(membership.published.sum())
    if not everyone or isinstance(rule_by_name(reader.rule), Exact | Strongest):
        return impression.posterior.some(panel.rows)
    told = reader.told(membership.roster, release.at)
    found = conclude(Strongest(), before.revised.probabilities, release, membership, told)
    return found[panel.rows]


def sight_of(
    reader: Adversary,
    before: Expectation,
    posterior: FloatArray,
    panel: Panel,
    *,
    states: int = STATES,
) -> Sight:
    """Return what a release told of a panel: what was expected, and what became of it.

    ``posterior`` has a row for each of the panel.
    The filter is the reader's own; where it is not joint, the past is carried by what it
    expected alone.
    """
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.lagged import sighted_entries

    assert before.automaton is not None
    assert before.tables is not None
    assert before.automaton.known is not None
    rows = panel.rows
    revised, prior = before.revised.some(rows), before.prior.probabilities
    bounds = _begins(np.count_nonzero(posterior > 0, axis=1))
    codes = np.empty(bounds[-1], dtype=np.int32)
    likelihood, rest = np.empty(bounds[-1]), np.empty(bounds[-1])
    surprising = np.empty(bounds[-1], dtype=bool)
    over_ranges(
        sighted_entries,
        len(rows),
        np.arange(len(rows)),
        posterior,
        revised,
        _LEAST,
        bounds,
        codes,
        likelihood,
        surprising,
        rest,
    )
    spoken = (bounds, codes, surprising, rest)
    depths, kept, weights, beyond = _opening(reader, before, rows, spoken, states)
    needed = prior[rows] if not before.automaton.known.all() else prior[:0]
    if len(needed) and (needed == needed[0]).all():
        needed = needed[:1]
    return Sight(
        panel.numbers,
        panel.limit,
        bounds,
        codes,
        likelihood,
        surprising,
        rest,
        depths,
        kept,
        weights,
        beyond,
        before.classes[rows],
        before.gaps[rows],
        needed,
    )


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
        offsets = _begins(np.bincount(person, minlength=len(now)))
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
        return _Gathered(
            np.concatenate([[0], ends])[self.offsets],
            begins,
            stops,
            np.concatenate([self.codes, np.arange(n_values, dtype=np.int32)]),
            np.concatenate([self.likelihood, np.ones(n_values)]),
            np.concatenate([self.surprising, np.zeros(n_values, dtype=bool)]),
            np.concatenate([self.rest, np.ones(n_values)]),
            np.repeat(self.prior_of, times),
            self.prior,
            np.repeat(self.classes, times),
            np.repeat(self.gaps, times),
            self.state_begins,
            self.state_ends,
            self.states,
            self.weights,
            self.beyond,
        )


def _opening(
    reader: Adversary,
    before: Expectation,
    rows: IntArray,
    spoken: tuple[IntArray, SmallIntArray, BoolArray, FloatArray],
    most: int,
) -> tuple[IntArray, SmallIntArray, FloatArray, FloatArray]:
    """Return the heaviest states before a release; ``rest`` loses what they expected."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.lagged import heaviest_states

    beyond = np.ones(len(rows))
    nothing = np.empty(0, dtype=np.int32), np.empty(0)
    past_of = np.where(before.known, np.cumsum(before.known) - 1, -1)[rows]
    joint = isinstance(filtering_by_name(reader.filtering), Joint)
    if before.pasts is None or before.automaton is None or most == 0 or not joint:
        return np.zeros(len(rows) + 1, dtype=np.int64), *nothing, beyond
    bounds, codes, surprising, rest = spoken
    held = np.diff(before.pasts.offsets)[past_of]
    depths = _begins(np.where(past_of < 0, 0, np.minimum(held, most)))
    kept, weights = np.zeros(depths[-1], dtype=np.int32), np.zeros(depths[-1])
    beyond[past_of >= 0] = 0.0
    over_ranges(
        heaviest_states,
        len(rows),
        rows,
        past_of,
        before.pasts.offsets,
        before.pasts.places,
        before.pasts.weights,
        before.tables,
        before.automaton.next_value,
        before.automaton.known,
        before.prior.probabilities,
        bounds,
        codes,
        surprising,
        rest,
        depths,
        kept,
        weights,
        beyond,
    )
    return depths, kept, weights, beyond


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


def _begins(lengths: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(lengths)])
