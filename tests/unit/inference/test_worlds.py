"""The reader who weighs whole worlds: what single beliefs forget, and what it is told."""

import numpy as np
import pytest

import seriatim as sr
from oracles_worlds import beliefs_over_worlds, worlds
from seriatim.inference.appearances import Pools, plain_appearances
from seriatim.inference.drawing import STRENGTHS, Chains, Effort, draw_worlds
from seriatim.inference.hints import hints_of
from seriatim.inference.met import appearances_in
from seriatim.inference.trust import trusted
from seriatim.kernels.placing import match_people

SCHEMA = sr.Schema(
    "id", [sr.Categorical("ward", ["a", "b", "c"])], sr.Sensitive("exam", ["n", "p"])
)
STICKY = np.array([[0.9, 0.1], [0.2, 0.8]])
PRIOR = [0.6, 0.4]


def reader(**known):
    automaton = sr.Automaton(("n", "p"), np.vstack([STICKY, PRIOR]), [[0, 1]] * 3, start=2)
    prior = sr.MarginalPrior(dict(zip(["n", "p"], PRIOR, strict=True)))
    return sr.Adversary(prior, automaton, **known)


def series(*releases):
    """Releases and memberships of groups given as (members, codes), and who is suppressed."""
    made, places = [], []
    for at, (groups, suppressed) in enumerate(releases, start=1):
        ids = sorted([one for members, _ in groups for one in members] + list(suppressed))
        table = {
            "ward": ["abc"[number] for number, (_, codes) in enumerate(groups) for _ in codes],
            "exam": ["np"[code] for _, codes in groups for code in codes],
        }
        release = sr.read_release(table, SCHEMA, at=at)
        roster = sr.Roster.from_table({"id": ids, "ward": ["a"] * len(ids)}, SCHEMA)
        group_of = np.full(len(ids), -1)
        for number, (members, _) in enumerate(groups):
            group_of[[ids.index(one) for one in members]] = number
        extra = [len(codes) - len(members) for members, codes in groups]
        made.append(release)
        places.append(sr.Membership(roster, group_of, np.array(extra) if any(extra) else None))
    return made, places


def asked(knowledge, made, places, **effort):
    found = sr.Worlds(knowledge, **({"sweeps": 4000, "approach": 400, "seed": 1} | effort))
    return [belief.probabilities for belief in found.read(made, places)]


def test_reader__knows_what_a_subtraction_tells():
    june = ([((1, 2, 3), (0, 0, 1)), ((4, 5), (0, 1))], ())
    july = ([((1, 2), (0, 0)), ((4, 5), (0, 1))], ())
    always = sr.Automaton(("n", "p"), [[1, 0], [0, 1], PRIOR], [[0, 1]] * 3, start=2)
    made, places = series(june, july)
    first, second = asked(sr.Adversary(reader().prior, always), made, places)
    np.testing.assert_allclose(first[:3, 1], [0, 0, 1], atol=0.01)
    np.testing.assert_allclose(second[2:, 1], [0.5, 0.5], atol=0.05)


def test_reader__weighs_counterfeits_as_nobodys():
    groups = [[((1, 2), (0, 1, 1))], [((1, 2), (0, 1))]]
    made, places = series(*((one, ()) for one in groups))
    found = asked(reader(), made, places)
    expected = beliefs_over_worlds(groups, PRIOR, STICKY)
    for belief, twin in zip(found, expected, strict=True):
        np.testing.assert_allclose(belief, twin, atol=0.03)


def test_reader__who_was_told_a_value_takes_it_for_granted():
    groups = [[((1, 2, 3), (0, 1, 1))], [((1, 2, 3), (0, 0, 1))]]
    told = sr.CompromisedTuples.from_table(
        {"id": [1], "at": [1], "exam": ["n"]}, respondent="id", at="at", value="exam"
    )
    made, places = series(*((one, ()) for one in groups))
    found = asked(reader(compromised=told), made, places)
    expected = [np.zeros((3, 2)), np.zeros((3, 2))]
    for weight, world in worlds(groups, PRIOR, STICKY):
        if world[0][0] == 0:
            for belief, values in zip(expected, world, strict=True):
                belief[np.arange(3), values] += weight
    for belief, twin in zip(found, expected, strict=True):
        np.testing.assert_allclose(belief, twin / twin.sum(axis=1, keepdims=True), atol=0.03)


def test_reader__estimates_who_was_suppressed_from_before_and_after():
    made, places = series(
        ([((1, 2), (1, 1))], ()), ([((2, 3), (0, 1))], (1,)), ([((1, 2), (1, 1))], ())
    )
    found = asked(reader(), made, places)
    # A value between two that are known: P(v | p before) · P(p after | v).
    weights = STICKY[1] * STICKY[:, 1]
    np.testing.assert_allclose(found[1][0], weights / weights.sum(), atol=0.01)


def test_reader__without_sequence_knowledge_reads_each_release_alone():
    groups = [[((1, 2), (0, 1)), ((3,), (1,))], [((1, 2), (0, 0))]]
    made, places = series(*((one, ()) for one in groups))
    found = asked(sr.Adversary(reader().prior), made, places)
    np.testing.assert_allclose(found[0][:, 1], [0.5, 0.5, 1.0], atol=0.02)
    np.testing.assert_allclose(found[1][:, 1], [0.0, 0.0], atol=1e-9)


def test_reader__lets_people_who_fit_several_groups_change_places():
    ages = sr.Schema("id", [sr.Numeric("age", 0, 9)], sr.Sensitive("exam", ["n", "p"]))
    table = {"age": ["[0,5]", "[0,5]", "[4,9]", "[4,9]"], "exam": ["n", "n", "p", "p"]}
    release = sr.read_release(table, ages, at=1)
    roster = sr.Roster.from_table({"id": [1, 2, 3, 4], "age": [1, 4, 5, 9]}, ages)
    place = sr.place(roster, release)
    assert not isinstance(place, sr.Membership)
    knowledge = sr.Adversary(reader().prior)
    (found,) = asked(knowledge, [release], [place])
    np.testing.assert_allclose(found[:, 1], [0, 0.5, 0.5, 1], atol=0.04)


def test_reader__begins_from_the_truth_only_where_it_is_told_to():
    made = sr.running_example()
    knowledge = sr.Worlds(sr.Adversary(made.prior, made.sequence), sweeps=40, approach=40)
    with pytest.raises(sr.OrderError, match="original views"):
        knowledge.weigh(made.releases, made.memberships, from_truth=True)
    found = knowledge.weigh(made.releases, made.memberships, made.views, from_truth=True)
    assert found.disagreement < 0.2
    assert "Alice" not in repr(found)


def test_reader__is_the_same_every_time_for_a_seed():
    made = sr.running_example()
    knowledge = sr.Worlds(sr.Adversary(made.prior, made.sequence), sweeps=40, approach=40)
    first, second = (
        [one.probabilities for one in knowledge.read(made.releases, made.memberships)]
        for _ in range(2)
    )
    for one, two in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, two)


def test_explanation__tells_in_how_many_worlds_it_is_so():
    made = sr.running_example()
    knowledge = {"worlds": sr.Worlds(sr.Adversary(made.prior, made.sequence))}
    found = sr.audit(made.releases, made.views, knowledge, memberships=made.memberships)
    risk = found.at_risk("worlds")[0]
    told = str(found.explain(risk)).splitlines()
    assert f"it is in {1000 * risk.belief:.0f} of 1,000 worlds" in told[0]
    assert len(told) > 1
    again = sr.explain(
        knowledge["worlds"],
        made.releases,
        made.memberships,
        release=risk.release,
        row=risk.row,
        value=risk.value,
    )
    assert abs(again.belief - risk.belief) < 0.05


@pytest.mark.parametrize("name", ["approach", "sweeps", "chains"])
def test_effort__that_is_none_is_refused(name):
    with pytest.raises(sr.KnowledgeError, match=f"{name} is a whole number from 1, not 0"):
        sr.Worlds(reader(), **{name: 0})


@pytest.mark.parametrize(
    ("group", "complaint"),
    [(([1, 2], [0]), "2 members and shows 1 values"), (([1], [2]), "codes from 0 to 1")],
)
def test_plain_data__that_is_none_is_refused(group, complaint):
    with pytest.raises(sr.KnowledgeError, match=complaint):
        sr.weigh_worlds([[group]], PRIOR, STICKY)


@pytest.mark.parametrize(
    ("releases", "complaint"),
    [
        ([], "nobody is in any"),
        ([[]], "nobody is in any"),
        ([[([1], [0]), ([1], [1])]], "Someone is twice in release 1"),
        ([[([1, 1], [0, 1])]], "Someone is twice in release 1"),
    ],
)
def test_plain_data__without_people_or_with_somebody_twice_is_refused(releases, complaint):
    with pytest.raises(sr.KnowledgeError, match=complaint):
        sr.weigh_worlds(releases, PRIOR, STICKY)


def test_chains__are_trusted_as_far_as_they_foretell_each_other():
    made, places = series(([((1, 2, 3, 4), (0, 0, 1, 1))], ()))
    who = appearances_in(reader(), made, places)
    # Room for both values of four people; two chains that agree, and two that do not.
    same = np.tile([0.98, 0.02], 4)
    agreed = trusted(who, [same, same])
    np.testing.assert_allclose(agreed, same, atol=0.01)
    apart = [np.tile([1.0, 0.0], 4), np.tile([0.0, 1.0], 4)]
    np.testing.assert_allclose(trusted(who, apart), 0.5, atol=0.01)
    # Where they do not agree, what foretells them best is believed.
    leaning = [np.tile([0.999, 0.001], 4), np.tile([0.6, 0.4], 4)]
    by_messages = np.tile([0.8, 0.2], 4)
    np.testing.assert_allclose(trusted(who, leaning, [by_messages]), by_messages, atol=0.02)


def test_evidence__is_how_likely_people_are_to_come_near_the_counts():
    who = plain_appearances([[([1, 2], [0, 1])]], np.array(PRIOR), *_no_memory())
    chains = Chains(who, Effort(approach=400, sweeps=1, chains=400, seed=3))
    # Both 0 or both 1: each count is off by one, so misses are 2; else there are none.
    alike, strength = 0.6**2 + 0.4**2, STRENGTHS[1]
    expected = np.log(1 - alike + alike * np.exp(-2 * strength))
    assert chains.approach() == pytest.approx(expected, abs=0.1)


def _no_memory():
    return (sr.Automaton((0, 1), [PRIOR], [[0, 0]]),)


def test_hints__lead_chains_and_are_no_proof():
    made, places = series(([((1, 2), (0, 1))], ()), ([((1, 2), (0, 1))], ()))
    who = appearances_in(reader(), made, places)
    hints = hints_of(reader(), who, made, places)
    assert hints.weight.min() >= 1e-4
    assert hints.weight.max() == 1.0
    np.testing.assert_allclose(np.add.reduceat(hints.belief, who.rooms[:-1]), 1.0)


def test_family__is_foretold_by_the_others_and_not_by_itself():
    made, places = series(([((1, 2, 3, 4), (0, 0, 0, 1))], ()))
    who = appearances_in(reader(), made, places)
    # The other family foretells the surer one worse than counting does.
    found = trusted(who, [np.tile([0.9, 0.1], 4), np.tile([0.3, 0.7], 4)])
    np.testing.assert_allclose(found, np.tile([0.75, 0.25], 4), atol=0.01)


def test_worlds__show_what_was_published_at_every_moment():
    made, places = series(
        ([((1, 2, 3), (0, 1, 1)), ((4, 5), (0, 0))], ()), ([((1, 4, 5, 2), (1, 1, 0, 0))], (3,))
    )
    who = appearances_in(reader(), made, places)
    for chain in draw_worlds(who, Effort(50, 50, 3, seed=2)).chains:
        there = who.pool_of >= 0
        shown = Pools.of(who.pool_of[there], chain.values[there], len(who.pools.starts) - 1)
        np.testing.assert_array_equal(shown.options, who.pools.options)
        np.testing.assert_array_equal(shown.counts, who.pools.counts)


@pytest.mark.parametrize("seed", range(30))
def test_matching__fills_as_many_groups_as_can_be(seed):
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    rng = np.random.default_rng(seed)
    n_people, n_groups = rng.integers(1, 12), rng.integers(1, 5)
    fits = rng.random((n_people, n_groups)) < 0.4
    sizes = rng.integers(1, 4, n_groups)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    groups = np.full(n_people, -1)
    match_people(
        starts,
        np.concatenate([[0], np.cumsum(fits.sum(axis=1))]),
        np.nonzero(fits)[1],
        rng.permutation(n_people),
        groups,
    )
    given = groups >= 0
    assert fits[given, groups[given]].all()
    assert (np.bincount(groups[given], minlength=n_groups) <= sizes).all()
    slots = csr_array(np.repeat(fits, sizes, axis=1).astype(int))
    most = np.count_nonzero(maximum_bipartite_matching(slots, perm_type="column") >= 0)
    assert given.sum() == most


def test_reader__learns_from_every_view_what_follows_what():
    made = sr.register(people=60, releases=4, values=3)
    learner = sr.Adversary(made.prior, sr.IncrementalKnowledge(steps=1))
    publisher = sr.Publisher(made.schema, sr.Policy(sr.KAnonymity(k=5)), sr.Adversary(), seed=1)
    steps = []
    for at, table in enumerate(made.tables, start=1):
        publisher.publish(table, at=at)
        steps.append(publisher.latest)
    series = [one.release for one in steps], [one.membership for one in steps]
    who = appearances_in(learner, *series, [one.view for one in steps])
    after = who.automaton.next_state[who.automaton.start]
    stays = who.automaton.next_value[0, after, np.arange(3)]
    np.testing.assert_array_equal(stays, 1.0)


def test_reader__takes_the_prior_that_was_learned_by_each_release(running_example):
    made = running_example
    learner = sr.Adversary(sr.KernelPrior(bandwidth=0.3), made.sequence)
    who = appearances_in(learner, made.releases, made.memberships, made.views)
    for number, view in enumerate(made.views):
        taught, _ = learner.taught(view)
        entries = np.flatnonzero(who.release_of == number)
        expected = taught.prior.belief(view.roster, view.schema.sensitive.domain)
        np.testing.assert_array_equal(
            who.prior[who.prior_of[entries]], expected.probabilities[who.row_of[entries]]
        )
