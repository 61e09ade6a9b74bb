"""Smoothing: what all of a respondent's appearances together tell of each.

A series is read once, release by release; then the values of each respondent are estimated
again, forward and backward over the automaton. The cost is linear in the length of the history.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.errors import KnowledgeError, OrderError
from seriatim.inference.adversary import Adversary, Expectation, Impression
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.tempo import Period
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.tables import to_numpy
from seriatim.microdata.view import View

LEAST = float(np.finfo(np.float64).tiny)
"""Expectations below this count as this: a quotient by less may not be a number."""

_OBSERVATIONS_AT_ONCE = 2**16
"""Observations that are gathered and smoothed together: a bound on memory."""


@dataclass(frozen=True, eq=False)
class Observations:
    """What a reader saw of some respondents, respondent by respondent, earliest first."""

    offsets: IntArray
    """Where each respondent's observations begin; one more entry than respondents."""

    likelihood: FloatArray
    """How much each release speaks for each value (observations, values)."""

    surprising: BoolArray
    """Which values were held impossible and came all the same (observations, values)."""

    prior: FloatArray
    """What the prior says at each observation (observations, values)."""

    classes: IntArray
    """The respondent's class at each observation."""

    gaps: FloatArray
    """The time since the observation before, where the knowledge depends on it; else zeros."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Observations({len(self.classes)} of {len(self.offsets) - 1} respondents)"


@dataclass(frozen=True, eq=False)
class Reading:
    """A series as a reader has read it, release by release."""

    steps: list[tuple[Expectation, Impression]]
    """What was expected of each release, and what it left."""

    automaton: Automaton | None
    """The sequence knowledge after the last release."""

    def __repr__(self) -> str:
        """Say how long it is, and nothing about anyone in it."""
        return f"Reading({len(self.steps)} releases)"


def read_through(
    adversary: Adversary,
    releases: Sequence[Release],
    memberships: Sequence[Membership | Placement],
    originals: Sequence[View] | None = None,
    *,
    keep_pasts: bool = False,
) -> Reading:
    """Read a series, beginning anew, and keep every step.

    Where each respondent's weights lay is the bulk of a step; it is kept only when asked.
    """
    if len(releases) != len(memberships) or not releases:
        message = f"{len(releases)} releases need as many memberships, at least one of each."
        raise OrderError(message)
    if originals is not None and len(originals) != len(releases):
        message = f"{len(releases)} releases need as many originals, not {len(originals)}."
        raise OrderError(message)
    reader = adversary.anew()
    views = [None] * len(releases) if originals is None else originals
    steps: list[tuple[Expectation, Impression]] = []
    now = reader
    for release, membership, view in zip(releases, memberships, views, strict=True):
        now, lesson = (reader, None) if view is None else reader.taught(view)
        before = now.anticipate(membership.roster, release.at)
        impression = now.consider(release, membership, before)
        impression.remember_in(reader.memory)
        if lesson is not None:
            reader.notebook.keep(lesson)
        if not keep_pasts:
            before, impression = replace(before, pasts=None), replace(impression, pasts=None)
        steps.append((before, impression))
    return Reading(steps, now.automaton(releases[0].schema.sensitive.domain))


def smooth(automaton: Automaton, likelihoods: npt.ArrayLike) -> FloatArray:
    """Return the smoothed belief in each value (instants, respondents, values).

    ``likelihoods`` runs the same way: how much each release speaks for each value.
    Everyone begins in the automaton's start state.

    >>> sticky = Automaton(("neg", "pos"), [[0.5, 0.5], [0.9, 0.1], [0.1, 0.9]], [[1, 2]] * 3)
    >>> smooth(sticky, [[[0.5, 0.5]], [[0.0, 1.0]]])[0].round(2).tolist()
    [[0.1, 0.9]]
    """
    history = np.asarray(likelihoods, dtype=np.float64)
    if history.ndim != 3 or history.shape[2] != len(automaton.values) or 0 in history.shape:
        message = (
            f"Likelihoods run (instants, respondents, values) with {len(automaton.values)}"
            f" values; an array of shape {history.shape} was given."
        )
        raise KnowledgeError(message)
    if automaton.n_classes > 1:
        message = "smooth takes one class of respondents; retrospect tells classes apart."
        raise KnowledgeError(message)
    instants, respondents, n_values = history.shape
    rows = np.ascontiguousarray(history.transpose(1, 0, 2)).reshape(-1, n_values)
    observations = Observations(
        np.arange(respondents + 1) * instants,
        rows,
        np.zeros(rows.shape, dtype=bool),
        np.repeat(automaton.next_value[0, automaton.start][None], len(rows), axis=0),
        np.zeros(len(rows), dtype=np.int64),
        np.zeros(len(rows)),
    )
    found = smooth_observations(automaton, observations).beliefs
    return np.asarray(found.reshape(respondents, instants, n_values).transpose(1, 0, 2))


class Smoothed(NamedTuple):
    """What is believed at each observation, and what later ones contribute."""

    beliefs: FloatArray
    """What all observations of the respondent say together (observations, values)."""

    hindsight: FloatArray
    """How much *later* observations speak for each value, given those before; 0 for values that
    the observation itself rules out (observations, values)."""


def smooth_observations(automaton: Automaton, observations: Observations) -> Smoothed:
    """Estimate every observation from all of the same respondent."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.joint import smoothed_values

    seen: IntArray | slice = slice(None)
    if isinstance(automaton.tempo, Period):
        observations, seen = _with_unseen(observations, automaton.tempo)
    timed, tables = automaton.after(observations.gaps, observations.classes)
    smoothed = np.empty_like(observations.likelihood)
    hindsight = np.empty_like(observations.likelihood)
    over_ranges(
        smoothed_values,
        len(observations.offsets) - 1,
        observations.offsets,
        observations.likelihood,
        observations.surprising,
        observations.prior,
        tables,
        timed.next_state,
        timed.next_value,
        timed.known,
        timed.start,
        smoothed,
        hindsight,
    )
    return Smoothed(smoothed[seen], hindsight[seen])


def _with_unseen(observations: Observations, period: Period) -> tuple[Observations, IntArray]:
    """Put the periods that nobody saw between the observations; return where those went.

    Such a period speaks for every value alike.
    """
    times = period.unseen_steps(observations.gaps) + 1
    ends = np.cumsum(times)
    seen = ends - 1
    likelihood = np.ones((int(ends[-1]), observations.likelihood.shape[1]))
    likelihood[seen] = observations.likelihood
    surprising = np.zeros(likelihood.shape, dtype=bool)
    surprising[seen] = observations.surprising
    return Observations(
        np.concatenate([[0], ends])[observations.offsets],
        likelihood,
        surprising,
        np.repeat(observations.prior, times, axis=0),
        np.repeat(observations.classes, times),
        np.repeat(observations.gaps, times),
    ), seen


@dataclass(frozen=True, eq=False)
class Sightings:
    """In which releases each respondent was seen, respondent by respondent, earliest first."""

    offsets: IntArray
    """Where each respondent's sightings begin; one more entry than respondents."""

    release_of: IntArray
    """The release of each sighting, from 0."""

    row_of: IntArray
    """The row in the roster of that release."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Sightings({len(self.row_of)} of {len(self.offsets) - 1} respondents)"


def sightings(read: Reading) -> Sightings:
    """Gather who was seen where."""
    rows = [np.flatnonzero(impression.seen) for _, impression in read.steps]
    ids = pa.chunked_array(
        [
            impression.roster.respondents.take(pa.array(here))
            for here, (_, impression) in zip(rows, read.steps, strict=True)
        ]
    )
    respondent = to_numpy(ids.dictionary_encode().unify_dictionaries().combine_chunks().indices)
    order = np.argsort(respondent, kind="stable")
    releases = np.repeat(np.arange(len(rows)), [len(here) for here in rows])
    offsets = np.concatenate([[0], np.cumsum(np.bincount(respondent))])
    return Sightings(offsets, releases[order], np.concatenate(rows)[order])


def blocks(offsets: IntArray) -> Iterator[tuple[int, int]]:
    """Cut the respondents into stretches with a bounded number of observations."""
    begin = 0
    while begin < len(offsets) - 1:
        end = int(np.searchsorted(offsets, offsets[begin] + _OBSERVATIONS_AT_ONCE, "right")) - 1
        end = max(end, begin + 1)
        yield begin, end
        begin = end
