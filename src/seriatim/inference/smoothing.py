"""Retrospective reading: later releases tell something about earlier values.

After release n the reader goes back over the whole series and estimates every
value again, forward and backward over the automaton. The cost is linear in the
length of the history, one respondent at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seriatim._typing import BoolArray, FloatArray, Instant, IntArray
from seriatim.errors import KnowledgeError, OrderError
from seriatim.inference.adversary import Adversary, Expectation, Impression
from seriatim.inference.filtering import Joint
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.belief import Belief
from seriatim.knowledge.tempo import Period
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster
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
class Retrospective:
    """A reader who goes back: after the last release, every value is estimated again.

    In the first release of the running example Alice's mammography was as likely positive as
    not; the second tells what it was:

    >>> from seriatim import running_example
    >>> made = running_example()
    >>> reader = Retrospective(Adversary(made.prior, made.sequence))
    >>> first, second = reader.read(made.releases, made.memberships)
    >>> first.of("MAM-pos").round(2).tolist()
    [0.87, 0.5, 0.0, 0.0]
    """

    adversary: Adversary
    """What it knows, and how it draws conclusions."""

    def read(
        self,
        releases: Sequence[Release],
        memberships: Sequence[Membership | Placement],
        originals: Sequence[View] | None = None,
    ) -> list[Belief]:
        """Return what is believed of each release after all of them."""
        return retrospect(self.adversary, releases, memberships, originals)

    def told(self, roster: Roster, at: Instant) -> IntArray:
        """Return the codes of the values that the reader was told; -1 for the others."""
        return self.adversary.told(roster, at)


def retrospect(
    adversary: Adversary,
    releases: Sequence[Release],
    memberships: Sequence[Membership | Placement],
    originals: Sequence[View] | None = None,
) -> list[Belief]:
    """Return what a reader believes of every release after having read all of them.

    The reader filters jointly, whatever the adversary's own way, and its memory stays
    untouched. Respondents whose tuple was not published keep what the filter expected.
    Knowledge that comes from the original views is used as it is after the last of them.
    """
    reader = replace(adversary, filtering=Joint())
    read = read_through(reader, releases, memberships, originals)
    domain = releases[0].schema.sensitive.domain
    if read.automaton is None:
        return [impression.posterior for _, impression in read.steps]
    found = [impression.posterior.probabilities.copy() for _, impression in read.steps]
    seen = sightings(read)
    for begin, end in _blocks(seen.offsets):
        smoothed = smooth_observations(read.automaton, observe_again(read, seen, begin, end))
        entries = slice(seen.offsets[begin], seen.offsets[end])
        releases_here, rows = seen.release_of[entries], seen.row_of[entries]
        for index, table in enumerate(found):
            here = releases_here == index
            table[rows[here]] = smoothed[here]
    return [Belief(table, domain) for table in found]


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
    found = smooth_observations(automaton, observations).reshape(respondents, instants, n_values)
    return np.asarray(found.transpose(1, 0, 2))


def smooth_observations(automaton: Automaton, observations: Observations) -> FloatArray:
    """Return the smoothed belief of every observation (observations, values)."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.joint import smoothed_values

    seen = np.arange(len(observations.classes))
    if isinstance(automaton.tempo, Period):
        observations, seen = _with_unseen(observations, automaton.tempo)
    timed, tables = automaton.after(observations.gaps, observations.classes)
    smoothed = np.empty_like(observations.likelihood)
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
    )
    return np.asarray(smoothed[seen])


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


def observe_again(read: Reading, seen: Sightings, begin: int, end: int) -> Observations:
    """Return what all releases told of the respondents from one number to another."""
    entries = slice(seen.offsets[begin], seen.offsets[end])
    releases, rows = seen.release_of[entries], seen.row_of[entries]

    def gathered(arrays: list[np.ndarray]) -> np.ndarray:
        found = np.empty((len(rows), *arrays[0].shape[1:]), dtype=arrays[0].dtype)
        for index, array in enumerate(arrays):
            here = releases == index
            found[here] = array[rows[here]]
        return found

    posterior = gathered([impression.posterior.probabilities for _, impression in read.steps])
    revised = gathered([before.revised.probabilities for before, _ in read.steps])
    surprising = (revised <= 0) & (posterior > 0)
    return Observations(
        seen.offsets[begin : end + 1] - seen.offsets[begin],
        np.where(surprising, posterior, posterior / np.maximum(revised, LEAST)),
        surprising,
        gathered([before.prior.probabilities for before, _ in read.steps]),
        gathered([before.classes for before, _ in read.steps]),
        gathered([before.gaps for before, _ in read.steps]),
    )


def _blocks(offsets: IntArray) -> Iterator[tuple[int, int]]:
    """Cut the respondents into stretches with a bounded number of observations."""
    begin = 0
    while begin < len(offsets) - 1:
        end = int(np.searchsorted(offsets, offsets[begin] + _OBSERVATIONS_AT_ONCE, "right")) - 1
        end = max(end, begin + 1)
        yield begin, end
        begin = end
