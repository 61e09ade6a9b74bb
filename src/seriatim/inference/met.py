"""The appearances of everyone in a series, as a reader knows them: with whom, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, Value
from seriatim.errors import KnowledgeError, OrderError
from seriatim.inference.adversary import Adversary
from seriatim.inference.appearances import NO_POOL, NOBODY, Appearances, Pools
from seriatim.inference.conclusions import UNTOLD, components_of
from seriatim.inference.elapsed import gaps_until
from seriatim.inference.pasts import spans
from seriatim.inference.repeated import moments_seen, with_repeated
from seriatim.inference.revision import folded
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.tempo import Period
from seriatim.microdata.instants import moment
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.roster import numbered
from seriatim.microdata.view import View


def appearances_in(
    adversary: Adversary,
    releases: Sequence[Release],
    memberships: Sequence[Membership | Placement],
    originals: Sequence[View] | None = None,
) -> Appearances:
    """Return who appears where, with what a reader knows of them.

    Whoever is in a roster and in no group was there, and their value was not shown. Whose tuple is
    carried over has the value of the appearance before. Tuples that no member is left for are
    nobody's. Where knowledge comes from the original views, a prior is
    what was learned by its release, and what follows what is as it is after the last of them.
    """
    if len(releases) != len(memberships) or not releases:
        message = f"{len(releases)} releases need as many memberships, at least one of each."
        raise OrderError(message)
    domain = releases[0].schema.sensitive.domain
    if any(one.schema.sensitive.domain != domain for one in releases):
        message = (
            "Worlds are of one domain, and these releases have different sensitive values. Read"
            " them with the schema that has all of them."
        )
        raise KnowledgeError(message)
    reader, priors = _learned(adversary, memberships, originals, domain)
    automaton = reader.automaton(domain) or _without_memory(domain)
    people = numbered([one.roster for one in memberships])
    parts: list[_Part] = []
    n_people, n_groups, n_pools, n_priors = (
        1 + max(int(one.max(initial=-1)) for one in people),
        0,
        0,
        0,
    )
    for number, (release, membership, who, (prior, prior_of)) in enumerate(
        zip(releases, memberships, people, priors, strict=True)
    ):
        roster = membership.roster
        told = reader.told(roster, release.at)
        if isinstance(membership, Membership):
            shown = _of_groups(release, membership, told, len(domain))
        else:
            shown = _of_placement(release, membership, told, len(domain))
        part = _Part(
            np.concatenate([who, n_people + np.arange(shown.nobodys)]),
            np.full(len(who) + shown.nobodys, number),
            np.concatenate([np.arange(len(who)), np.full(shown.nobodys, NOBODY)]),
            np.where(shown.pool_of == NO_POOL, NO_POOL, shown.pool_of + n_pools),
            np.concatenate([told, np.full(shown.nobodys, UNTOLD)]),
            shown.tuple_pools + n_pools,
            shown.tuple_values,
            np.concatenate([automaton.classes_of(roster), np.zeros(shown.nobodys, dtype=np.int64)]),
            np.full(len(who) + shown.nobodys, _moment(automaton, release)),
            prior,
            np.concatenate([prior_of + n_priors, np.full(shown.nobodys, -1)]),
            shown.fits,
            shown.fitting + n_groups,
            shown.open_groups + n_groups,
            shown.open_values,
            np.where(shown.shown_in == NO_POOL, NO_POOL, shown.shown_in + n_pools),
            np.concatenate([_repeated(membership), np.zeros(shown.nobodys, dtype=bool)]),
        )
        parts.append(part)
        n_people += shown.nobodys
        n_groups += release.n_groups
        n_pools += shown.n_pools
        n_priors += len(prior)
    return _joined(parts, n_pools, automaton)


def _learned(
    adversary: Adversary,
    memberships: Sequence[Membership | Placement],
    originals: Sequence[View] | None,
    domain: tuple[Value, ...],
) -> tuple[Adversary, list[tuple[FloatArray, IntArray]]]:
    """Return the reader after all views, and what its prior said at each release."""
    learner = adversary.anew()
    now, priors = learner, []
    for number, membership in enumerate(memberships):
        if originals is not None:
            now, lesson = learner.taught(originals[number])
            if lesson is not None:
                learner.notebook.keep(lesson)
        priors.append(folded(now.prior.belief(membership.roster, domain).probabilities))
    return now, priors


@dataclass(frozen=True, eq=False)
class _Shown:
    """What one release shows: of its roster first, then of tuples that are nobody's."""

    pool_of: IntArray
    n_pools: int
    tuple_pools: IntArray
    tuple_values: IntArray
    nobodys: int
    fits: IntArray
    fitting: IntArray
    open_groups: IntArray
    open_values: IntArray
    shown_in: IntArray


@dataclass(frozen=True, eq=False)
class _Part:
    """One release, numbered as in the whole series."""

    person: IntArray
    release: IntArray
    row: IntArray
    pool: IntArray
    told: IntArray
    tuple_pools: IntArray
    tuple_values: IntArray
    classes: IntArray
    moments: FloatArray
    prior: FloatArray
    prior_of: IntArray
    fits: IntArray
    fitting: IntArray
    open_groups: IntArray
    open_values: IntArray
    shown_in: IntArray
    repeated: BoolArray


_NOTHING = np.zeros(0, dtype=np.int64)


def _of_groups(release: Release, where: Membership, told: IntArray, n_values: int) -> _Shown:
    """Return what is shown where everyone's group is known; told tuples are taken out of theirs."""
    groups = where.group_of
    known = (told != UNTOLD) & (groups >= 0)
    counts = release.value_counts.copy()
    np.subtract.at(counts, (groups[known], told[known]), 1)
    if (counts < 0).any():
        message = (
            "The reader was told values that the respondents' groups do not publish. Correct what"
            " was told, or who is in which group."
        )
        raise KnowledgeError(message)
    pool_of = np.where((told == UNTOLD) & (groups >= 0), groups, NO_POOL)
    members = np.bincount(pool_of[pool_of != NO_POOL], minlength=release.n_groups)
    extra = np.repeat(np.arange(release.n_groups), counts.sum(axis=1) - members)
    cells = np.repeat(np.arange(counts.size), counts.ravel())
    return _Shown(
        np.concatenate([pool_of, extra]),
        release.n_groups,
        cells // n_values,
        cells % n_values,
        len(extra),
        np.zeros(len(pool_of) + len(extra), dtype=np.int64),
        _NOTHING,
        _NOTHING,
        _NOTHING,
        np.concatenate([np.where(groups >= 0, groups, NO_POOL), extra]),
    )


def _of_placement(release: Release, where: Placement, told: IntArray, n_values: int) -> _Shown:
    """Return what is shown where people fit several groups: groups that share people are a pool.

    A pool of one group that nobody is missing from is like any group. Tuples that no member is
    left for are nobody's, who may be in any group of the pool. Of whom the reader was told, a tuple
    with that value is taken from the first group that they fit and that shows it: where they fit
    several that do, this knows more than there is to know.
    """
    pool = components_of(where, release.n_groups)
    counts = release.value_counts.copy()
    known = np.flatnonzero((told != UNTOLD) & where.published)
    taken_from = np.full(len(told), NO_POOL)
    for row in known:  # the few that somebody told of
        candidates = where.candidates[where.offsets[row] : where.offsets[row + 1]]
        showing = candidates[counts[candidates, told[row]] > 0]
        if len(showing):
            counts[showing[0], told[row]] -= 1
            taken_from[row] = pool[showing[0]]
    there = where.published & (told == UNTOLD)
    pool_of = np.full(len(told), NO_POOL)
    pool_of[there] = pool[where.candidates[where.offsets[:-1][there]]]
    cells = np.repeat(np.arange(counts.size), counts.ravel())
    groups, values = cells // n_values, cells % n_values
    tuples = np.bincount(pool[groups], minlength=len(pool))
    people = np.bincount(pool_of[there], minlength=len(pool))
    nobodys = np.repeat(np.arange(len(pool)), np.maximum(tuples - people, 0))
    simple = (np.bincount(pool, minlength=len(pool)) == 1) & (people <= tuples)
    # The groups that each may be in; of nobody's, all groups of their pool.
    lengths = np.where(there & ~simple[pool_of], np.diff(where.offsets), 0)
    fitting = where.candidates[spans(where.offsets[:-1], lengths)]
    owner = np.repeat(np.arange(len(lengths)), lengths)
    fitting = fitting[np.lexsort((fitting, owner))]
    by_pool = np.argsort(pool, kind="stable")
    begins = np.searchsorted(pool[by_pool], nobodys)
    anywhere = np.where(simple[nobodys], 0, np.bincount(pool, minlength=len(pool))[nobodys])
    some = ~simple[pool[groups]]
    return _Shown(
        np.concatenate([pool_of, nobodys]),
        release.n_groups,
        pool[groups],
        values,
        len(nobodys),
        np.concatenate([lengths, anywhere]),
        np.concatenate([fitting, by_pool[spans(begins, anywhere)]]),
        groups[some],
        values[some],
        np.concatenate([np.where(told == UNTOLD, pool_of, taken_from), nobodys]),
    )


def _joined(parts: list[_Part], n_pools: int, automaton: Automaton) -> Appearances:
    """Put releases together, person by person."""

    def all_of(name: str) -> IntArray:
        return np.concatenate([getattr(part, name) for part in parts])

    person, release = all_of("person"), all_of("release")
    order = np.lexsort((release, person))
    person = person[order]
    prior_of = all_of("prior_of")[order]
    n_values = len(automaton.values)
    prior = np.concatenate([*(part.prior for part in parts), np.full((1, n_values), 1 / n_values)])
    prior_of = np.where(prior_of < 0, len(prior) - 1, prior_of)
    first = np.concatenate([[True], person[1:] != person[:-1]])
    repeated = all_of("repeated")[order].astype(bool) & ~first
    classes = all_of("classes")[order]
    moments = moments_seen(all_of("moments")[order].astype(np.float64), repeated)
    gaps = np.where(first, 0.0, moments - np.concatenate([[0.0], moments[:-1]]))
    lengths, fit_begins = all_of("fits"), np.concatenate([[0], np.cumsum(all_of("fits"))])
    columns = {
        "release_of": release[order],
        "row_of": all_of("row")[order],
        "order": 2 * release[order],
        "pool_of": all_of("pool")[order],
        "told": all_of("told")[order],
        "prior_of": prior_of,
        "fits": lengths[order],
        "shown_in": all_of("shown_in")[order],
        "classes": classes,
        "person": person,
        "repeated": repeated.astype(np.int64),
    }
    fitting = all_of("fitting")[spans(fit_begins[:-1][order], lengths[order])]
    if isinstance(automaton.tempo, Period):
        unseen = np.where(first, 0, automaton.tempo.unseen_steps(gaps))
        automaton, tables, columns = _through_periods(automaton, unseen, columns)
    else:
        automaton, tables = automaton.after(gaps, classes)
    automaton, tables = with_repeated(automaton, tables, columns["repeated"].astype(bool))
    return Appearances(
        np.concatenate([[0], np.cumsum(np.bincount(columns["person"]))]),
        columns["release_of"],
        columns["row_of"],
        columns["order"],
        columns["pool_of"],
        columns["told"].astype(np.int32),
        Pools.of(all_of("tuple_pools"), all_of("tuple_values"), n_pools),
        np.asarray(tables, dtype=np.int64),
        prior,
        columns["prior_of"],
        automaton,
        np.concatenate([[0], np.cumsum(columns["fits"])]),
        fitting,
        all_of("open_groups"),
        all_of("open_values"),
        columns["shown_in"],
        columns["repeated"].astype(bool),
    )


def _through_periods(
    automaton: Automaton, unseen: IntArray, columns: dict[str, IntArray]
) -> tuple[Automaton, IntArray, dict[str, IntArray]]:
    """Carry people through periods that nobody saw.

    Where a state is nothing but the last value, such periods are summed over: a table for each
    number of them, next_value · Tⁿ. Else they are appearances that nobody saw.
    """
    forgetful = automaton.is_forgetful
    assert automaton.known is not None
    led_to = automaton.next_state[0]
    if forgetful and automaton.known[:, led_to].all():
        n_classes = automaton.n_classes
        cells, tables = np.unique(unseen * n_classes + columns["classes"], return_inverse=True)
        made = []
        for steps, kind in zip(cells // n_classes, cells % n_classes, strict=True):
            step = automaton.next_value[kind, led_to]
            made.append(automaton.next_value[kind] @ np.linalg.matrix_power(step, int(steps)))
        return (
            automaton.with_tables(np.array(made), automaton.known[cells % n_classes]),
            tables.ravel(),
            columns,
        )
    times = unseen + 1
    seen = np.cumsum(times) - 1
    made_columns = {name: np.repeat(column, times) for name, column in columns.items()}
    nobody_saw = np.ones(int(times.sum()), dtype=bool)
    nobody_saw[seen] = False
    for name, nothing in (
        ("release_of", -1),
        ("row_of", NOBODY),
        ("pool_of", NO_POOL),
        ("shown_in", NO_POOL),
        ("told", UNTOLD),
        ("fits", 0),
        ("repeated", 0),
    ):
        made_columns[name][nobody_saw] = nothing
    made_columns["order"] = made_columns["order"] - nobody_saw
    return automaton, made_columns["classes"], made_columns


def _repeated(membership: Membership | Placement) -> BoolArray:
    """Tell whose tuple repeats the last one; of other tools' releases nobody knows."""
    if isinstance(membership, Membership) and membership.carried is not None:
        return membership.carried
    return np.zeros(len(membership.roster), dtype=bool)


def _without_memory(domain: tuple[Value, ...]) -> Automaton:
    """Return knowledge of nothing: the prior speaks at every appearance."""
    shape = (1, len(domain))
    return Automaton(
        domain, np.zeros(shape), np.zeros(shape, dtype=np.int64), known=np.zeros((1, 1), dtype=bool)
    )


def _moment(automaton: Automaton, release: Release) -> float:
    """Return when a release was, where that counts."""
    if automaton.tempo is None:
        return 0.0
    gaps_until(automaton, np.zeros(1), release.at)  # refuses what is no number
    return moment(release.at)
