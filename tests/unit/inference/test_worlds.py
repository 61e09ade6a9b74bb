"""The reader who weighs whole worlds: what single beliefs forget, and what it is told."""

import itertools

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


def test_chains_from_the_truth__are_taken_at_their_word():
    made = sr.register(people=300, releases=5, turnover=0.05)
    policy = sr.Policy(sr.KAnonymity(k=6), sr.StandingCells(10))
    publisher = sr.Publisher(made.schema, policy, sr.Adversary(), seed=1)
    memberships = []
    for at, view in enumerate(made.views, start=1):
        publisher.publish(view, at=at)
        memberships.append(publisher.latest.membership)
    asked_for = sr.Worlds(sr.Adversary(made.prior, made.sequence), sweeps=20, chains=2)
    found = asked_for.weigh(list(publisher.history), memberships, list(made.views), from_truth=True)
    mean = sum(found.drawn.by_family()) / 2
    np.testing.assert_array_equal(found.drawn.beliefs(), mean)


def test_kin__came_and_left_together():
    releases = [
        [((1, 2, 3), (0, 1, 0)), ((4, 5), (1, 1))],
        [((1, 2, 6), (0, 1, 0)), ((4, 5), (1, 1))],
    ]
    chain = chain_of(STICKY).sequence.automaton(("n", "p"))
    who = plain_appearances(releases, np.array(PRIOR), chain)
    groups = {}
    for person, kin in zip((1, 2, 3, 4, 5, 6), who.kin_of, strict=True):
        groups.setdefault(int(kin), set()).add(person)
    assert {frozenset(one) for one in groups.values()} == {
        frozenset(one) for one in ({1, 2}, {3}, {4, 5}, {6})
    }
    starts, kin = who.kin
    assert sorted(kin) == list(range(6))
    assert all(len(set(who.kin_of[kin[a:b]])) == 1 for a, b in itertools.pairwise(starts))


@pytest.mark.parametrize("n_values", [2, 4, 8])
def test_reader__is_not_held_in_place_where_a_whole_group_is_left_out_once(n_values):
    # All are in one group, but for a release that leaves out the group: nobody stands out.
    values = [str(code) for code in range(n_values)]
    schema = sr.Schema("id", [sr.Categorical("ward", ["a", "b"])], sr.Sensitive("exam", values))
    ids, codes = list(range(n_values)), values
    shown = {"ward": ["a"] * n_values, "exam": codes}
    other = {"ward": ["b"], "exam": ["0"]}
    releases = [
        sr.read_release(table, schema, at=at)
        for at, table in enumerate((shown, other, shown), start=1)
    ]
    everyone = sr.Roster.from_table({"id": ids, "ward": ["a"] * n_values}, schema)
    beside = sr.Roster.from_table({"id": [*ids, 99], "ward": ["a"] * (n_values + 1)}, schema)
    together = np.zeros(n_values, dtype=np.int64)
    places = [
        sr.Membership(everyone, together),
        sr.Membership(beside, np.append(together - 1, 0)),
        sr.Membership(everyone, together),
    ]
    stays = 0.999 * np.eye(n_values) + 0.001 / n_values
    chain = sr.Automaton(
        values,
        np.vstack([stays, np.full(n_values, 1 / n_values)]),
        [list(range(n_values))] * (n_values + 1),
        start=n_values,
    )
    knowing = sr.Worlds(sr.Adversary(sr.UniformPrior(), chain), sweeps=400, approach=50, chains=2)
    for belief in (knowing.read(releases, places)[0], knowing.read(releases, places)[2]):
        assert belief.probabilities.max() < 1 / n_values + 0.25


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


def sticky(stays):
    """Transitions of a value that stays with a chance, and is drawn anew otherwise."""
    return stays * np.eye(2) + (1 - stays) * np.array(PRIOR)


def chain_of(transition):
    automaton = sr.Automaton(("n", "p"), np.vstack([transition, PRIOR]), [[0, 1]] * 3, start=2)
    return sr.Adversary(reader().prior, automaton)


def with_hidden(releases):
    """Every way to show the suppressed: each alone in a group, with any value."""
    shown = [list(groups) for groups, _ in releases]
    hidden = [(at, one) for at, (_, suppressed) in enumerate(releases) for one in suppressed]
    for values in itertools.product(range(2), repeat=len(hidden)):
        filled = [list(groups) for groups in shown]
        for (at, one), value in zip(hidden, values, strict=True):
            filled[at].append(((one,), (value,)))
        yield filled


def beliefs_with_hidden(releases, transition):
    """By id, the belief in each value of everyone, of all worlds and all hidden values."""
    total = [{} for _ in releases]
    for filled in with_hidden(releases):
        for weight, world in worlds(filled, PRIOR, transition):
            for found, groups, values in zip(total, filled, world, strict=True):
                people = [one for members, _ in groups for one in members]
                for one, value in zip(people, values, strict=True):
                    found.setdefault(one, np.zeros(2))[value] += weight
    return [np.array([found[one] / found[one].sum() for one in sorted(found)]) for found in total]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("stays", [0.5, 0.95, 1.0])
def test_reader__draws_hidden_values_along_with_those_that_are_shown(stays, seed):
    rng = np.random.default_rng(seed)
    values, releases = rng.integers(0, 2, 5), []
    for _ in range(3):
        there = rng.permutation(5)
        suppressed, cut = there[: rng.integers(1, 3)].tolist(), rng.integers(3, 4)
        groups = [there[len(suppressed) : cut], there[cut:]]
        releases.append(
            (
                [(tuple(one.tolist()), tuple(values[one].tolist())) for one in groups if len(one)],
                suppressed,
            )
        )
        values = np.where(rng.random(5) < stays, values, rng.integers(0, 2, 5))
    made, places = series(*releases)
    found = asked(chain_of(sticky(stays)), made, places)
    expected = beliefs_with_hidden(releases, sticky(stays))
    for belief, twin in zip(found, expected, strict=True):
        np.testing.assert_allclose(belief, twin, atol=0.04)


@pytest.mark.parametrize("stays", [0.99, 1.0])
def test_reader__is_not_held_in_place_by_what_two_people_have_where_neither_is_shown(stays):
    prior = sr.TabulatedPrior.from_table(
        {"respondent": [1, 1, 2, 2], "value": list("npnp"), "probability": [0.9, 0.1, 0.5, 0.5]},
        otherwise=sr.UniformPrior(),
    )
    made, places = series(([((1, 2), (0, 1))], ()), ([((3,), (0,))], (1, 2)))
    knowledge = sr.Adversary(prior, chain_of(sticky(stays)).sequence)
    for seed in range(3):
        first, _ = asked(knowledge, made, places, seed=seed, sweeps=500)
        np.testing.assert_allclose(first[:, 0], [0.9, 0.1], atol=0.02)


def test_reader__is_not_held_in_place_by_periods_that_nobody_saw():
    corpus = [{"who": range(4), "exam": ["n", "p", "n", "p"]}] * 4
    knowledge = sr.mine(corpus, steps=2, respondent="who", value="exam")
    prior = sr.TabulatedPrior.from_table(
        {"respondent": [1, 1, 2, 2], "value": list("npnp"), "probability": [0.8, 0.2, 0.5, 0.5]}
    )
    both = ([((1, 2), (0, 1))], ())
    made, places = series(both, both)
    later = sr.read_release({"ward": ["a", "a"], "exam": ["n", "p"]}, SCHEMA, at=4)
    known = sr.Adversary(prior, sr.PerPeriod(knowledge, 1))
    first, second = asked(known, [made[0], later], places)
    np.testing.assert_allclose(first[:, 0], [0.8, 0.2], atol=0.03)
    np.testing.assert_allclose(second, first, atol=0.03)


def wards(of_groups, exams, of_people):
    """A release of groups that fit several wards, and the people who may be in them."""
    release = sr.read_release({"ward": of_groups, "exam": exams}, SCHEMA, at=1)
    people = {"id": range(len(of_people)), "ward": list(of_people)}
    return release, sr.place(sr.Roster.from_table(people, SCHEMA), release)


def test_reader__lets_three_change_places_where_no_two_can():
    three = sr.Schema(
        "id", [sr.Categorical("ward", ["a", "b", "c"])], sr.Sensitive("exam", ["u", "v", "w"])
    )
    release = sr.read_release(
        {"ward": ["{a,b}", "{b,c}", "{a,c}"], "exam": ["u", "v", "w"]}, three, at=1
    )
    roster = sr.Roster.from_table({"id": [1, 2, 3], "ward": ["a", "b", "c"]}, three)
    prior = sr.TabulatedPrior.from_table(
        {
            "respondent": [1] * 3 + [2] * 3 + [3] * 3,
            "value": list("uvw") * 3,
            "probability": [0.6, 0.2, 0.2, 0.2, 0.6, 0.2, 0.2, 0.2, 0.6],
        }
    )
    (found,) = asked(sr.Adversary(prior), [release], [sr.place(roster, release)])
    # Two worlds: everyone the likely value, .6 ** 3, or everyone another, .2 ** 3.
    np.testing.assert_allclose(found.max(axis=1), 0.216 / 0.224, atol=0.03)


def test_reader__asks_which_tuples_of_several_groups_are_nobodys():
    release, place = wards(["{a,b}"] * 2 + ["{b,c}"], ["n", "p", "p"], "ab")
    assert not isinstance(place, sr.Membership)
    (found,) = asked(sr.Adversary(reader().prior), [release], [place])
    expected = np.zeros((2, 2))
    tuples = [("ab", 0), ("ab", 1), ("bc", 1)]
    for one, two in itertools.permutations(range(3), 2):
        if "a" in tuples[one][0] and "b" in tuples[two][0]:
            weight = PRIOR[tuples[one][1]] * PRIOR[tuples[two][1]]
            expected[0, tuples[one][1]] += weight
            expected[1, tuples[two][1]] += weight
    np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True), atol=0.03)


def test_reader__treats_people_who_fit_one_group_as_its_members():
    june, july = (
        ([((1, 2), (0, 1)), ((3, 4), (0, 1))], ()),
        ([((2, 3), (0, 1)), ((1, 4), (0, 1))], ()),
    )
    made, places = series(june, july)
    listed = [
        sr.Placement(one.roster, np.arange(len(one.roster) + 1), one.group_of) for one in places
    ]
    who, same = (appearances_in(reader(), made, each) for each in (places, listed))
    assert not same.open.any()
    np.testing.assert_array_equal(who.pools.counts, same.pools.counts)
    for one, two in zip(asked(reader(), made, places), asked(reader(), made, listed), strict=True):
        np.testing.assert_array_equal(one, two)


def test_reader__of_a_history_next_to_impossible_believes_numbers():
    first = sr.Automaton(("n", "p"), [[0.5, 0.5], [1, 0], [0, 1]], [[1, 2], [1, 1], [2, 2]])
    both, kept, turned = (
        ([((1, 2), (0, 1))], ()),
        ([((1,), (0,)), ((2,), (1,))], ()),
        ([((1,), (1,)), ((2,), (0,))], ()),
    )
    made, places = series(both, *[kept] * 14, both, *[turned] * 20)
    for belief in asked(sr.Adversary(sequence=first), made, places, sweeps=100, approach=50):
        assert np.isfinite(belief).all()


def test_reader__refuses_releases_of_different_values():
    wide = sr.Schema(
        "id", [sr.Categorical("ward", ["a", "b", "c"])], sr.Sensitive("exam", ["n", "p", "q"])
    )
    made, places = series(([((1, 2), (0, 1))], ()), ([((1, 2), (0, 1))], ()))
    other = sr.read_release({"ward": ["a", "a"], "exam": ["n", "q"]}, wide, at=2)
    with pytest.raises(sr.KnowledgeError, match="different sensitive values"):
        asked(sr.Adversary(), [made[0], other], places)


def test_reader__draws_hidden_values_of_a_domain_of_hundreds():
    values = [f"v{number:03}" for number in range(300)]
    wide = sr.Schema("id", [sr.Categorical("ward", ["a"])], sr.Sensitive("exam", values))
    roster = sr.Roster.from_table({"id": [1, 2], "ward": ["a", "a"]}, wide)
    releases = [
        sr.read_release({"ward": ["a"], "exam": [values[at]]}, wide, at=at) for at in (1, 2)
    ]
    places = [sr.Membership(roster, np.array([0, -1])), sr.Membership(roster, np.array([-1, 0]))]
    first, second = asked(sr.Adversary(), releases, places, sweeps=40, approach=4)
    np.testing.assert_allclose(first[1], 1 / 300, atol=1e-6)
    np.testing.assert_allclose(second[0], 1 / 300, atol=1e-6)
