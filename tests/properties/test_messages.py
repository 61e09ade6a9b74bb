"""Messages both ways, against enumerating every world, and against passing them by hand."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_readers
import plain_series
import seriatim as sr
from oracles_worlds import beliefs_over_worlds, members_of
from seriatim.inference import messages, smoothing
from seriatim.knowledge.classes import Classes
from seriatim.microdata.placement import Placement
from strategies_readers import surprising_series, told_series

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "worlds.json"
MANY = 60
"""Passes after which messages stand still, where they do: each halves what is left."""


def drawn_rows(rng, n_values):
    """A prior, and values that stay more or less."""
    staying = rng.choice([0.0, 0.5, 0.9])
    others = rng.dirichlet(np.ones(n_values), n_values)
    transition = staying * np.eye(n_values) + (1 - staying) * others
    return rng.dirichlet(np.full(n_values, 2.0)), transition


def drawn_series(rng, *, spare=0, cycles=True, people=6, most_releases=3):
    """Some people in groups; without cycles nobody meets anyone of theirs again."""
    n_values = int(rng.integers(2, 4))
    parts, releases = {}, []  # who is connected with whom, so far

    def part_of(node):
        while parts.get(node, node) != node:
            node = parts[node]
        return node

    for release in range(int(rng.integers(1, most_releases + 1))):
        n_groups = int(rng.integers(1, 3))
        members = [[] for _ in range(n_groups)]
        for person in rng.permutation(people).tolist():
            home = int(rng.integers(0, n_groups))
            apart = part_of(("person", person)) != part_of(("group", release, home))
            if rng.random() < 0.8 and (cycles or apart):
                members[home].append(person)
                parts[part_of(("person", person))] = part_of(("group", release, home))
        groups = [
            (group, rng.integers(0, n_values, len(group) + int(rng.integers(0, spare + 1))))
            for group in members
            if group
        ]
        if groups:
            releases.append([(group, sorted(values.tolist())) for group, values in groups])
    return releases, *drawn_rows(rng, n_values)


def read_plainly(releases, prior, transition, passes, **changed):
    made, memberships = plain_series.published(releases, len(prior))
    adversary = replace(plain_series.reader(prior.tolist(), transition.tolist()), **changed)
    found = sr.Retrospective(adversary, passes).read(made, memberships)
    return plain_series.in_order(releases, memberships, found)


@given(st.integers(0, 2**32), st.integers(0, 1))
def test_messages__without_cycles_are_those_of_whoever_weighs_all_worlds(seed, spare):
    releases, prior, transition = drawn_series(
        np.random.default_rng(seed), spare=spare, cycles=False
    )
    if not releases:
        return
    expected = beliefs_over_worlds(releases, prior, transition)
    found = read_plainly(releases, prior, transition, MANY)
    for belief, truth in zip(found, expected, strict=True):
        assert np.allclose(belief, truth, atol=1e-7)


@given(st.integers(0, 2**32), st.integers(0, 2), st.integers(0, 5))
def test_messages__of_a_single_release_are_exact_whatever_the_passes(seed, spare, passes):
    rng = np.random.default_rng(seed)
    releases, prior, transition = drawn_series(rng, spare=spare, most_releases=1)
    if not releases:
        return
    expected = beliefs_over_worlds(releases, prior, transition)
    found = read_plainly(releases, prior, transition, passes)
    assert np.allclose(found[0], expected[0], atol=1e-9)


@given(told_series(most_weeks=3), st.integers(0, 3))
def test_messages__agree_with_passing_them_by_enumeration(case, passes):
    releases, views = case.publish()
    members = [sr.place(view.roster, one) for view, one in zip(views, releases, strict=True)]
    found = sr.Retrospective(case.adversary(), passes).read(releases, members)
    read = oracles_readers.read_jointly(case.weeks, case.prior, case.knowledge)
    read = oracles_readers.passed_messages(case.weeks, read, case.prior, case.knowledge, passes)
    expected = oracles_readers.smoothed_weeks(read, case.prior, case.knowledge)
    for view, belief, rows in zip(views, found, expected, strict=True):
        for row, person in enumerate(view.respondents.to_pylist()):
            assert np.allclose(belief.probabilities[row], rows[person], atol=1e-8)


@given(surprising_series(), st.integers(1, 4), st.sampled_from(["omega", "bethe", "strongest"]))
def test_messages__stay_distributions_whatever_was_ruled_out(case, passes, rule):
    releases, views = case.publish()
    members = [sr.place(view.roster, one) for view, one in zip(views, releases, strict=True)]
    reader = sr.Retrospective(replace(case.adversary(), rule=rule), passes)
    for belief in reader.read(releases, members):
        assert np.allclose(belief.probabilities.sum(axis=1), 1)
        assert (belief.probabilities >= 0).all()


def golden_error(passes):
    """The mean absolute error over all golden cases."""
    errors = []
    for case in json.loads(GOLDEN.read_text())["cases"]:
        releases = [
            [(one["members"], one["values"]) for one in groups] for groups in case["releases"]
        ]
        found = read_plainly(
            releases, np.array(case["prior"]), np.array(case["transition"]), passes
        )
        pairs = zip(found, case["believed_after_all"], strict=True)
        errors.append(np.mean(np.concatenate([np.abs(b - e).ravel() for b, e in pairs])))
    return np.mean(errors)


def test_messages__are_twice_as_near_to_the_golden_worlds_as_one_way():
    assert golden_error(sr.Retrospective(sr.Adversary()).passes) < golden_error(0) / 2


def test_messages__are_the_same_when_people_are_smoothed_in_pieces(monkeypatch):
    releases, prior, transition = drawn_series(np.random.default_rng(4))
    whole = read_plainly(releases, prior, transition, 2)
    monkeypatch.setattr(smoothing, "_OBSERVATIONS_AT_ONCE", 2)
    for one, other in zip(whole, read_plainly(releases, prior, transition, 2), strict=True):
        assert np.array_equal(one, other)


# ---------------------------------------------------------------------------
# Any knowledge, any membership
# ---------------------------------------------------------------------------

MEETING = [
    [([1, 2, 3], [0, 0, 1]), ([4, 5], [0, 1])],
    [([1, 2, 4], [0, 1, 1]), ([3, 5], [0, 0])],
    [([1, 5], [0, 1]), ([2, 3, 4], [0, 0, 1])],
]
PRIOR = np.array([0.6, 0.4])
STAYING = np.array([[0.9, 0.1], [0.2, 0.8]])


def at_instants(made, instants):
    return [replace(release, at=at) for release, at in zip(made, instants, strict=True)]


def read_with(sequence, instants=(1, 2, 3), passes=2):
    made, memberships = plain_series.published(MEETING, 2)
    adversary = replace(plain_series.reader(PRIOR, STAYING), sequence=sequence)
    found = sr.Retrospective(adversary, passes).read(at_instants(made, instants), memberships)
    return np.concatenate([belief.probabilities for belief in found])


def chain(transition):
    return plain_series.reader(PRIOR, transition).sequence


def test_messages__go_through_the_periods_that_nobody_saw():
    found = read_with(sr.PerPeriod(chain(STAYING), 1), instants=(1, 3, 5))
    assert np.allclose(found, read_with(chain(STAYING @ STAYING)))
    assert not np.allclose(found, read_with(sr.PerPeriod(chain(STAYING), 1)))


def test_messages__by_rates_go_by_the_time_between_sightings():
    rates = sr.TransitionRates((0, 1), np.array([[[-0.3, 0.3], [0.1, -0.1]]]))
    after = np.array(oracles_readers.rates_after([[-0.3, 0.3], [0.1, -0.1]], 2.0))
    assert np.allclose(read_with(rates, instants=(1, 3, 5)), read_with(chain(after)), atol=1e-7)


def test_messages__where_nothing_is_known_of_a_value_the_prior_stands_in():
    known = np.array([[True, True, False]])
    found = read_with(replace(chain(STAYING), known=known))
    assert np.allclose(found, read_with(chain(np.array([STAYING[0], PRIOR]))))


def test_messages__tell_classes_of_respondents_apart():
    alone, other = chain(STAYING), chain(STAYING[::-1])
    tables = np.concatenate([other.next_value, alone.next_value])
    classes = Classes(("home",), ((0,), (1,)))
    split = replace(alone, next_value=tables, known=None, classes=classes)
    assert not np.allclose(read_with(split), read_with(alone))
    same = replace(split, next_value=tables[[1, 1]], known=None)
    assert np.allclose(read_with(same), read_with(alone))


def test_messages__of_groups_that_anyone_may_be_in_are_those_of_one_large_group():
    made, memberships = plain_series.published(MEETING, 2)
    opened = []
    for membership in memberships:
        people = len(membership.roster)
        either = np.tile([0, 1], people), np.arange(people + 1) * 2
        opened.append(Placement(membership.roster, either[1], either[0]))
    joined = [
        [(members_of(groups), [value for _, values in groups for value in values])]
        for groups in MEETING
    ]
    reader = plain_series.reader(PRIOR, STAYING)
    found = sr.Retrospective(reader).read(made, opened)
    expected = sr.Retrospective(reader).read(*plain_series.published(joined, 2))
    for one, other in zip(found, expected, strict=True):
        assert np.allclose(one.probabilities, other.probabilities, atol=1e-7)


def test_messages__leave_whoever_was_not_shown_what_the_filter_expected():
    made, memberships = plain_series.published([MEETING[0], MEETING[1][:1], MEETING[2]], 2)
    roster = plain_series.published(MEETING, 2)[1][1].roster
    memberships[1] = sr.Membership(roster, np.array([0, 0, -1, 0, -1]))
    reader = plain_series.reader(PRIOR, STAYING)
    forward = replace(reader, filtering="joint").read(made, memberships)
    found = sr.Retrospective(reader).read(made, memberships)
    left_out = [2, 4]
    assert np.array_equal(found[1].probabilities[left_out], forward[1].probabilities[left_out])
    assert not np.allclose(found[1].probabilities[[0, 1, 3]], forward[1].probabilities[[0, 1, 3]])


def test_reader__of_fewer_than_no_passes_is_refused():
    with pytest.raises(sr.KnowledgeError, match="0 passes or more"):
        sr.Retrospective(sr.Adversary(), passes=-1)


def test_messages__say_how_many_they_are_and_nothing_of_anyone():
    made, memberships = plain_series.published(MEETING, 2)
    read = smoothing.read_through(plain_series.reader(PRIOR, STAYING), made, memberships)
    assert repr(messages.Messages.of(read)) == "Messages(3 releases)"
