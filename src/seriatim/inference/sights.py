"""What one release told a reader of some people: a sight.

Whoever looks back over the last releases needs a sight of each, and what was believed before the
first of them: the heaviest states of the joint filter, and for the rest of its weight what it
expected. A sight is bounded by the people looked at, whatever the length of the series.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray, WordArray
from seriatim.inference.adversary import Adversary, Expectation, Impression
from seriatim.inference.conclusions import conclude
from seriatim.inference.filtering import Joint, filtering_by_name
from seriatim.inference.matching_rules import Exact, Strongest
from seriatim.inference.pasts import past_of, spans
from seriatim.inference.rules import rule_by_name
from seriatim.inference.smoothing import LEAST
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import Release

STATES = 16
"""States that are remembered of a respondent from before a release.

On made hospitals 16 of some 100 told the gain of all of them to .0002; with none, the whole past
carried by what it made expect, a sixth of it was missing (``validation/looking_back.py``)."""

_SPARE = 2
"""How many times a panel's size is looked at to choose it."""


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
        there = int(np.count_nonzero(seen))
        everyone = there <= most
        rows = np.flatnonzero(seen) if everyone else _likely(numbers, seen, most, there)
        if len(rows) > most:
            rows = rows[np.argpartition(numbers[rows], most - 1)[:most]]
        rows = rows[np.argsort(numbers[rows], kind="stable")]
        limit = np.iinfo(np.uint64).max if everyone else numbers[rows[-1]]
        return cls(rows, numbers[rows], int(limit))


def _likely(numbers: WordArray, seen: BoolArray, most: int, there: int) -> IntArray:
    """Return rows that have at least so many of the least numbers of those who are seen.

    Numbers are spread evenly, so that few rows are left to choose from; were they not, all are.
    """
    limit = np.iinfo(np.uint64).max * min(_SPARE * most, there) // there
    rows = np.flatnonzero(seen & (numbers <= np.uint64(limit)))
    return rows if len(rows) >= most else np.flatnonzero(seen)


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

    def of(self, kept: BoolArray) -> Sight:
        """Return the sight of some of its people."""
        rows = np.flatnonzero(kept)
        widths, depths = np.diff(self.bounds)[rows], np.diff(self.state_bounds)[rows]
        entries, states = spans(self.bounds[rows], widths), spans(self.state_bounds[rows], depths)
        return Sight(
            self.numbers[rows],
            self.limit,
            _bounds(widths),
            self.codes[entries],
            self.likelihood[entries],
            self.surprising[entries],
            self.rest[entries],
            _bounds(depths),
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
    assert before.automaton is not None
    assert before.automaton.known is not None
    rows, prior = panel.rows, before.prior.probabilities
    entries = _entries(posterior, before.revised.some(rows))
    opening = _opening(reader, before, rows, entries, states)
    needed = prior[rows] if not before.automaton.known.all() else prior[:0]
    if len(needed) and (needed == needed[0]).all():
        needed = needed[:1]
    people = before.classes[rows], before.gaps[rows]
    return Sight(panel.numbers, panel.limit, *entries, *opening, *people, needed)


class _Entries(NamedTuple):
    """What is said of the values left possible; fields as in ``Sight``."""

    bounds: IntArray
    codes: SmallIntArray
    likelihood: FloatArray
    surprising: BoolArray
    rest: FloatArray


class _Opening(NamedTuple):
    """What was believed before a release; fields as in ``Sight``."""

    state_bounds: IntArray
    states: SmallIntArray
    weights: FloatArray
    beyond: FloatArray


def _entries(posterior: FloatArray, revised: FloatArray) -> _Entries:
    """Return how a release speaks for each value that it left possible (people, values)."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.lagged import sighted_entries

    bounds = _bounds(np.count_nonzero(posterior > 0, axis=1))
    n_people, n_entries = len(posterior), bounds[-1]
    found = _Entries(
        bounds,
        np.empty(n_entries, dtype=np.int32),
        np.empty(n_entries),
        np.empty(n_entries, dtype=bool),
        np.empty(n_entries),
    )
    people = np.arange(n_people)
    over_ranges(sighted_entries, n_people, people, posterior, revised, LEAST, *found)
    return found


def _opening(
    reader: Adversary, before: Expectation, rows: IntArray, entries: _Entries, most: int
) -> _Opening:
    """Return the heaviest states before a release; ``rest`` loses what they expected."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.lagged import heaviest_states

    beyond = np.ones(len(rows))
    joint = isinstance(filtering_by_name(reader.filtering), Joint)
    if before.pasts is None or before.automaton is None or most == 0 or not joint:
        nowhere = np.zeros(len(rows) + 1, dtype=np.int64)
        return _Opening(nowhere, np.empty(0, dtype=np.int32), np.empty(0), beyond)
    pasts = past_of(before.known)[rows]
    held = np.diff(before.pasts.offsets)[pasts]
    depths = _bounds(np.where(pasts < 0, 0, np.minimum(held, most)))
    beyond[pasts >= 0] = 0.0
    found = _Opening(depths, np.zeros(depths[-1], np.int32), np.zeros(depths[-1]), beyond)
    over_ranges(
        heaviest_states,
        len(rows),
        rows,
        pasts,
        before.pasts.offsets,
        before.pasts.places,
        before.pasts.weights,
        before.tables,
        before.automaton.next_value,
        before.automaton.known,
        before.prior.probabilities,
        entries.bounds,
        entries.codes,
        entries.surprising,
        entries.rest,
        *found,
    )
    return found


def _bounds(lengths: IntArray) -> IntArray:
    """Return where stretches of some lengths begin; one more."""
    return np.concatenate([[0], np.cumsum(lengths)])
