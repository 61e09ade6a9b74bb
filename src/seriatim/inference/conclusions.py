"""What a reader concludes from a release, whatever it knows of who is where.

The reader may know each respondent's group, or only which groups are possible; and
it may have been told some respondents' values beforehand.
"""

from __future__ import annotations

import itertools

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.errors import KnowledgeError
from seriatim.inference.pasts import spans
from seriatim.inference.rules import Omega, PosteriorRule, PublishedGroups
from seriatim.knowledge.runs import Runs
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release

UNTOLD = -1
"""The code of a value that the reader was not told."""

_MOST_CELLS = 2**14
"""Possible pairs of respondent and value up to which open memberships go by the reader's rule."""

_IMPOSSIBLE = 1e-9
"""The weight of a value that was held impossible where it may have come all the same."""

_CONTRADICTION = (
    "The reader was told values that the respondents' groups do not publish. Correct what was"
    " told, or who is in which group."
)

_PIECE = 2**23
"""Probabilities that are worked on at a time in large domains."""

_ROUNDS = 1000
_CONVERGED = 1e-9


def conclude(
    rule: PosteriorRule,
    revised: FloatArray,
    release: Release,
    where: Membership | Placement,
    told: IntArray | None = None,
) -> FloatArray:
    """Return what is believed of each respondent of a roster after a release.

    Who is not in the release keeps what was expected. Who was told of (``told`` has a
    code, not -1) is known; where the groups are known they are taken out of their
    group, with their value, and the rest is concluded from what remains.
    """
    told = np.full(len(revised), UNTOLD) if told is None else told
    if isinstance(where, Membership):
        found = _from_groups(rule, revised, release, where, told)
    else:
        found = _from_candidates(rule, revised, release, where, told)
    found[~where.published] = revised[~where.published]
    knows = told != UNTOLD
    found[knows] = 0.0
    found[knows, told[knows]] = 1.0
    return found


def conclude_runs(
    rule: PosteriorRule, revised: FloatArray, release: Release, where: Membership
) -> Runs:
    """Return what ``conclude`` does where the groups are known, as runs: no zero is kept.

    The runs of those who are not in the release are empty. Where a rule does not know runs,
    groups are taken so many at a time that what they need stays small.
    """
    members, starts = where.members, where.starts(release)
    if isinstance(rule, Omega):
        groups = PublishedGroups(members, starts, release.value_codes, release.starts)
        return rule.posterior_runs(revised, groups)
    pieces = []
    step = max(_PIECE // revised.shape[1], 1)
    first = 0
    while first < release.n_groups:
        last = int(np.searchsorted(starts, starts[first] + step, side="right")) - 1
        last = max(last, first + 1)
        rows = members[starts[first] : starts[last]]
        groups = PublishedGroups(
            np.arange(len(rows)),
            starts[first : last + 1] - starts[first],
            release.value_codes[release.starts[first] : release.starts[last]],
            release.starts[first : last + 1] - release.starts[first],
        )
        pieces.append((rows, Runs.of(rule.posterior(revised[rows], groups))))
        first = last
    lengths = np.zeros(len(revised), dtype=np.int64)
    for rows, runs in pieces:
        lengths[rows] = runs.lengths
    found = Runs.with_room(lengths, revised.shape[1])
    for rows, runs in pieces:
        found.write(rows, runs, np.arange(len(runs)))
    return found


def _from_groups(
    rule: PosteriorRule,
    revised: FloatArray,
    release: Release,
    membership: Membership,
    told: IntArray,
) -> FloatArray:
    members, starts = membership.members, release.starts
    if (told == UNTOLD).all():
        groups = PublishedGroups(members, membership.starts(release), release.value_codes, starts)
        return rule.posterior(revised, groups)
    group_of = membership.group_of[members]
    open_members = told[members] == UNTOLD
    values_left = _without(release, group_of[~open_members], told[members][~open_members])
    counts = np.bincount(group_of[open_members], minlength=release.n_groups)
    values = np.bincount(release.group_of[values_left], minlength=release.n_groups)
    some = counts > 0
    remaining = PublishedGroups(
        members[open_members],
        np.concatenate([[0], np.cumsum(counts[some])]),
        release.value_codes[values_left & some[release.group_of]],
        np.concatenate([[0], np.cumsum(values[some])]),
    )
    return rule.posterior(revised, remaining)


def _without(release: Release, groups: IntArray, codes: IntArray) -> BoolArray:
    """Tell which published values are left when one of each told pair is taken away."""
    n_values = len(release.schema.sensitive.domain)
    cells = release.group_of * n_values + release.value_codes
    taken = np.bincount(groups * n_values + codes, minlength=release.n_groups * n_values)
    if (release.value_counts.ravel() < taken).any():
        raise KnowledgeError(_CONTRADICTION)
    order = np.argsort(cells, kind="stable")
    first = np.searchsorted(cells[order], cells[order])
    left = np.empty(len(cells), dtype=bool)
    left[order] = np.arange(len(cells)) - first >= taken[cells[order]]
    return left


def _from_candidates(
    rule: PosteriorRule,
    revised: FloatArray,
    release: Release,
    placement: Placement,
    told: IntArray,
) -> FloatArray:
    """Weigh group and value together, in every set of groups that share possible members.

    The chance that a respondent has a tuple of value v in a group is taken as its
    revised belief in v wherever the region fits: to be in a group and to have its value
    is then one question, which any rule answers. Whoever is more than the tuples is
    absent, and keeps what was expected.
    """
    found = revised.copy()
    component_of = components_of(placement, release.n_groups)
    order = np.argsort(component_of[placement.candidates], kind="stable")
    labels = component_of[placement.candidates][order]
    bounds = np.flatnonzero(np.r_[True, labels[1:] != labels[:-1], True]) if len(labels) else [0]
    for begin, end in itertools.pairwise(bounds):
        pairs = order[begin:end]
        rows = placement.respondent_of[pairs]
        _conclude_component(rule, revised, release, rows, placement.candidates[pairs], told, found)
    return found


def components_of(placement: Placement, n_groups: int) -> IntArray:
    """Number the sets of groups that share possible members, each by its least group."""
    component = np.arange(n_groups)
    who, group = placement.respondent_of, placement.candidates
    least = np.full(len(placement.roster), n_groups)
    while True:
        before = component.copy()
        np.minimum.at(least, who, component[group])
        np.minimum.at(component, group, least[who])
        component = component[component]
        if (component == before).all():
            return component


def _conclude_component(
    rule: PosteriorRule,
    revised: FloatArray,
    release: Release,
    rows: IntArray,
    groups: IntArray,
    told: IntArray,
    found: FloatArray,
) -> None:
    """Write what is believed of the respondents of one set of groups."""
    people, person = np.unique(rows, return_inverse=True)
    n_values = revised.shape[1]
    here, group = np.unique(groups, return_inverse=True)
    tuples = spans(release.starts[here], release.sizes[here])
    cells = np.repeat(np.arange(len(here)), release.sizes[here]) * n_values
    columns, counts = np.unique(cells + release.value_codes[tuples], return_counts=True)
    first = np.searchsorted(columns, np.arange(len(here) + 1) * n_values)
    widths = np.diff(first)[group]
    entry_person = np.repeat(person, widths)
    entry_column = spans(first[group], widths)
    entry_value = columns[entry_column] % n_values
    weights = revised[people[entry_person], entry_value]
    possible = counts[entry_column] / counts.sum() * _IMPOSSIBLE
    weights = np.maximum(weights, possible)
    absent = len(people) - len(tuples)
    knows = told[people[entry_person]]
    weights = np.where(knows == UNTOLD, weights, (knows == entry_value).astype(float))
    _require_room(told[people], columns % n_values, counts, absent)
    if absent > 0:
        everyone = np.arange(len(people))
        entry_person = np.concatenate([entry_person, everyone])
        entry_column = np.concatenate([entry_column, np.full(len(people), len(columns))])
        weights = np.concatenate([weights, np.ones(len(people))])
        counts = np.concatenate([counts, [absent]])
    if not (np.bincount(entry_person, weights, minlength=len(people)) > 0).all():
        raise KnowledgeError(_CONTRADICTION)
    chances = _matched(rule, entry_person, entry_column, weights, counts)
    believed = np.zeros((len(people), n_values))
    present = entry_column < len(columns)
    values = columns[entry_column[present]] % n_values
    np.add.at(believed, (entry_person[present], values), chances[present])
    staying = np.maximum(1.0 - believed.sum(axis=1), 0.0) if absent > 0 else np.zeros(len(people))
    believed += staying[:, None] * revised[people]
    found[people] = believed / believed.sum(axis=1, keepdims=True)


def _require_room(told: IntArray, values: IntArray, counts: IntArray, absent: int) -> None:
    """Refuse more respondents who are said to have a value than there are tuples for them."""
    said = np.bincount(told[told != UNTOLD], minlength=int(values.max()) + 1)
    published = np.bincount(values, counts, minlength=len(said))
    if (said - published).clip(min=0).sum() > max(absent, 0):
        raise KnowledgeError(_CONTRADICTION)


def _matched(
    rule: PosteriorRule, person: IntArray, column: IntArray, weights: FloatArray, counts: IntArray
) -> FloatArray:
    """Return the chance of each possible pair; by the rule where that is affordable."""
    n_people = int(person.max()) + 1
    if n_people * len(counts) <= _MOST_CELLS:
        prior = np.zeros((n_people, len(counts)))
        prior[person, column] = weights
        group = PublishedGroups(
            np.arange(n_people),
            np.array([0, n_people]),
            np.repeat(np.arange(len(counts)), counts),
            np.array([0, counts.sum()]),
        )
        chances = np.asarray(rule.posterior(prior, group)[person, column])
    else:
        chances = _scaled(person, column, weights, counts)
    totals = np.bincount(person, chances, minlength=n_people)
    # A rule that finds nothing possible falls back to impossible pairs; the possible ones stand.
    lost = ~(totals > 0)
    chances = np.where(lost[person], weights, chances)
    totals = np.where(lost, 1.0, totals)
    return np.asarray(chances / totals[person])


def _scaled(
    person: IntArray, column: IntArray, weights: FloatArray, counts: IntArray
) -> FloatArray:
    from seriatim.kernels.candidates import scale_candidates

    order = np.argsort(person, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(person))])
    chances = weights[order]
    scale_candidates(offsets, column[order], chances, counts.astype(float), _ROUNDS, _CONVERGED)
    found = np.empty_like(chances)
    found[order] = chances
    return found
