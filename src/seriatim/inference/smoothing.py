"""Retrospective reading: later releases tell something about earlier values.

After release n the reader goes back over the whole series and estimates every
value again, forward and backward over the automaton. The cost is linear in the
length of the history, one respondent at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.errors import KnowledgeError, OrderError
from seriatim.inference.adversary import Adversary, Expectation, Impression
from seriatim.inference.filtering import Joint
from seriatim.inference.memory import LocalMemory
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.belief import Belief
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import Release
from seriatim.microdata.tables import to_numpy


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

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Observations({len(self.classes)} of {len(self.offsets) - 1} respondents)"


@dataclass(frozen=True, eq=False)
class Retrospective:
    """A reader who goes back: after the last release, every value is estimated again."""

    adversary: Adversary
    """What it knows, and how it draws conclusions."""

    def read(self, releases: Sequence[Release], memberships: Sequence[Membership]) -> list[Belief]:
        """Return what is believed of each release after all of them."""
        return retrospect(self.adversary, releases, memberships)


def retrospect(
    adversary: Adversary, releases: Sequence[Release], memberships: Sequence[Membership]
) -> list[Belief]:
    """Return what a reader believes of every release after having read all of them.

    The reader filters jointly, whatever the adversary's own way, and its memory stays
    untouched. Respondents whose tuple was not published keep what the filter expected.
    """
    if len(releases) != len(memberships) or not releases:
        message = f"{len(releases)} releases need as many memberships, at least one of each."
        raise OrderError(message)
    reader = replace(adversary, filtering=Joint(), memory=LocalMemory())
    steps: list[tuple[Expectation, Impression]] = []
    for release, membership in zip(releases, memberships, strict=True):
        before = reader.anticipate(membership.roster)
        impression = reader.consider(release, membership, before)
        impression.remember_in(reader.memory)
        steps.append((before, impression))
    domain = releases[0].schema.sensitive.domain
    automaton = reader.automaton(domain)
    if automaton is None:
        return [impression.posterior for _, impression in steps]
    observations, order = _collect(steps)
    smoothed = _smoothed(automaton, observations)
    return _spread(smoothed, order, steps, domain)


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
    )
    found = _smoothed(automaton, observations).reshape(respondents, instants, n_values)
    return np.asarray(found.transpose(1, 0, 2))


def _smoothed(automaton: Automaton, observations: Observations) -> FloatArray:
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.joint import smoothed_values

    smoothed = np.empty_like(observations.likelihood)
    over_ranges(
        smoothed_values,
        len(observations.offsets) - 1,
        observations.offsets,
        observations.likelihood,
        observations.surprising,
        observations.prior,
        observations.classes,
        automaton.next_state,
        automaton.next_value,
        automaton.known,
        automaton.start,
        smoothed,
    )
    return smoothed


def _collect(steps: list[tuple[Expectation, Impression]]) -> tuple[Observations, IntArray]:
    """Gather what all releases told, respondent by respondent.

    Returns the observations, and for each of them its place among the published
    tuples of all releases, one release after the other.
    """
    ids = pa.chunked_array(
        [seen.roster.respondents.filter(pa.array(seen.published)) for _, seen in steps]
    )
    respondent = to_numpy(ids.dictionary_encode().unify_dictionaries().combine_chunks().indices)
    order = np.argsort(respondent, kind="stable")
    counts = np.bincount(respondent)

    def gathered(arrays: list[np.ndarray]) -> np.ndarray:
        rows = [array[seen.published] for array, (_, seen) in zip(arrays, steps, strict=True)]
        return np.ascontiguousarray(np.concatenate(rows)[order])

    posterior = gathered([seen.posterior.probabilities for _, seen in steps])
    revised = gathered([before.revised.probabilities for before, _ in steps])
    surprising = (revised <= 0) & (posterior > 0)
    observations = Observations(
        np.concatenate([[0], np.cumsum(counts)]),
        np.where(surprising, posterior, posterior / np.where(revised > 0, revised, 1.0)),
        surprising,
        gathered([before.prior.probabilities for before, _ in steps]),
        gathered([before.classes for before, _ in steps]),
    )
    return observations, order


def _spread(
    smoothed: FloatArray,
    order: IntArray,
    steps: list[tuple[Expectation, Impression]],
    domain: tuple[object, ...],
) -> list[Belief]:
    """Put smoothed beliefs back into their releases."""
    in_place = np.empty_like(smoothed)
    in_place[order] = smoothed
    beliefs, begin = [], 0
    for _, impression in steps:
        table = impression.posterior.probabilities.copy()
        end = begin + int(impression.published.sum())
        table[impression.published] = in_place[begin:end]
        beliefs.append(Belief(table, domain))
        begin = end
    return beliefs
