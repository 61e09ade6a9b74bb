"""A release as its readers see it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.partition import generalize
from strategies import (
    EXAMS,
    GENDERS,
    GRADES,
    ZIPS,
    as_partition,
    hospital_schema,
    hospital_tables,
    partitions,
)

KNOWLEDGE = sr.DomainKnowledge.from_table(
    {"given": list(EXAMS), "next": list(EXAMS), "probability": [0.8, 0.6, 0.4]}, unlisted="spread"
)
BANDS = {"age": ["0-49"] * 2 + ["50-99"] * 2, "value": ["neg", "pos"] * 2}


def adversary():
    prior = sr.ClassPrior.from_table(
        BANDS | {"probability": [0.7, 0.2, 0.3, 0.3]}, classes=["age"], unlisted="spread"
    )
    return sr.Adversary(prior, KNOWLEDGE)


@st.composite
def policies(draw):
    bounds = {
        "k": draw(st.integers(1, 5)),
        "t": draw(st.sampled_from([0.2, 0.4, 0.6])),
        "j": draw(st.sampled_from([0.02, 0.1, 0.5])),
    }
    return bounds, sr.js_reduce(**bounds, remainder=draw(st.sampled_from(["suppress", "merge"])))


def publish_all(publisher, tables):
    """Publish what can be published; yield everything about it."""
    for at, table in enumerate(tables):
        try:
            publisher.publish(table, at=at)
        except sr.UnsatisfiableError:
            continue
        yield table, publisher.latest


def rows_by_group(frame):
    return {
        number: [row for row, group in enumerate(frame["group"]) if group == number]
        for number in set(frame["group"])
    }


@given(st.lists(hospital_tables(), min_size=1, max_size=3), policies())
def test_every_group__satisfies_its_policy_as_read_from_the_table(tables, drawn):
    bounds, policy = drawn
    publisher = sr.Publisher(hospital_schema(), policy, adversary(), seed=3)
    for table, latest in publish_all(publisher, tables):
        frame = latest.release.to_frame()
        in_view = [EXAMS.index(exam) for exam in table["exam"]]
        for number, rows in rows_by_group(frame).items():
            published = [EXAMS.index(frame["exam"][row]) for row in rows]
            members = np.flatnonzero(latest.membership.group_of == number - 1)
            beliefs = latest.revised.probabilities[members].tolist()
            assert len(rows) == len(members) >= bounds["k"]
            closeness = oracles.equal_distance(published, in_view, len(EXAMS))
            assert closeness <= bounds["t"] + 1e-9
            assert oracles.js_divergence(beliefs) <= bounds["j"] + 1e-9


@given(st.lists(hospital_tables(), min_size=1, max_size=2), policies())
def test_every_group__shows_the_tightest_region_around_its_members_and_their_values(tables, drawn):
    publisher = sr.Publisher(hospital_schema(), drawn[1], adversary(), seed=3)
    for table, latest in publish_all(publisher, tables):
        frame = latest.release.to_frame()
        ids = latest.view.respondents.to_pylist()
        for number, rows in rows_by_group(frame).items():
            members = np.flatnonzero(latest.membership.group_of == number - 1)
            places = [table["id"].index(ids[member]) for member in members]
            true = {name: [column[place] for place in places] for name, column in table.items()}
            expected = {
                "age": oracles.interval(true["age"], 0, 99).text,
                "gender": oracles.value_set(true["gender"], GENDERS).text,
                "grade": oracles.run_of(true["grade"], GRADES).text,
                "zip": oracles.lowest_node(true["zip"], oracles.prefix_paths(ZIPS)).text,
            }
            for name, text in expected.items():
                assert {frame[name][row] for row in rows} == {text}
            assert sorted(frame["exam"][row] for row in rows) == sorted(true["exam"])


@given(st.lists(hospital_tables(), min_size=1, max_size=3), policies(), st.integers(0, 99))
def test_release__is_the_same_when_tuples_arrive_in_another_order(tables, drawn, seed):
    rng = np.random.default_rng(seed)
    shuffled = []
    for table in tables:
        order = rng.permutation(len(table["id"]))
        shuffled.append({name: [column[i] for i in order] for name, column in table.items()})
    publishers = [sr.Publisher(hospital_schema(), drawn[1], adversary(), seed=3) for _ in range(2)]
    pairs = zip(
        publish_all(publishers[0], tables), publish_all(publishers[1], shuffled), strict=True
    )
    for (_, one), (_, other) in pairs:
        assert one.release.to_frame() == other.release.to_frame()
        assert (one.posterior.probabilities == other.posterior.probabilities).all()
        assert (one.membership.group_of == other.membership.group_of).all()


@given(hospital_tables(), st.integers(1, 6))
def test_release__loses_nobody_when_leftovers_may_join_and_only_size_matters(table, k):
    policy = sr.Policy(sr.KAnonymity(k=k), remainder="merge")
    release = sr.Publisher(hospital_schema(), policy, adversary(), seed=3).publish(table, at=1)
    assert sorted(release.to_frame()["exam"]) == sorted(table["exam"])
    assert release.sizes.min() >= k


def spread_out(table):
    """Give everyone an age of their own: nobody shares a point, and chance only shuffles."""
    return table | {"age": list(range(len(table["id"])))}


def groups_of(publication):
    group_of = publication.membership.group_of
    return {
        frozenset(np.flatnonzero(group_of == number).tolist())
        for number in range(publication.release.n_groups)
    }


def assert_shuffled_anew(one, other):
    """The same groups; of ten and more, the same order would come up once in millions."""
    assert groups_of(one) == groups_of(other)
    assert one.release.n_groups >= 10
    assert one.release.to_frame() != other.release.to_frame()


@given(hospital_tables(least=20, most=30), st.integers(1, 2))
def test_release__of_another_secret_has_the_same_groups_in_another_order(table, k):
    policy = sr.Policy(sr.KAnonymity(k=k))
    publishers = [sr.Publisher(hospital_schema(), policy, adversary(), seed=s) for s in (1, 2)]
    assert_shuffled_anew(*(one.preview(spread_out(table), at=1) for one in publishers))


@given(hospital_tables(least=20, most=30), st.integers(1, 2))
def test_release__of_the_same_view_at_two_instants_is_shuffled_differently(table, k):
    policy = sr.Policy(sr.KAnonymity(k=k))
    publisher = sr.Publisher(hospital_schema(), policy, adversary(), seed=1)
    assert_shuffled_anew(*(publisher.preview(spread_out(table), at=at) for at in (1, 2)))


@given(hospital_tables(least=20, most=30), st.integers(0, 99))
def test_release__of_two_views_at_one_instant_is_shuffled_differently(table, row):
    # Everyone alone; then one person's exam is another, and all rows lie elsewhere.
    policy = sr.Policy(sr.KAnonymity(k=1))
    publisher = sr.Publisher(hospital_schema(), policy, adversary(), seed=1)
    table = spread_out(table)
    changed = [*table["exam"]]
    place = row % len(changed)
    changed[place] = EXAMS[EXAMS.index(changed[place]) - 1]
    one, other = (
        publisher.preview(shown, at=1).release.to_frame()["age"]
        for shown in (table, table | {"exam": changed})
    )
    assert sorted(one) == sorted(other)
    assert one != other


@given(hospital_tables(least=2, most=12), st.integers(0, 99), st.data())
def test_release__is_the_same_in_whatever_order_a_partition_lists_groups_and_rows(
    table, seed, data
):
    # Few exams and one region: groups often differ in nothing but their values.
    if data.draw(st.booleans()):
        n = len(table["id"])
        table |= {"age": [50] * n, "gender": ["F"] * n, "grade": ["low"] * n, "zip": ["12030"] * n}
    view = sr.View.from_table(table, hospital_schema())
    *groups, left = data.draw(partitions(len(view)))
    listed_anew = [
        data.draw(st.permutations(group)) for group in data.draw(st.permutations(groups))
    ]
    one, other = (
        generalize(view, as_partition(listed, left), at=1, rng=np.random.default_rng(seed))
        for listed in (groups, listed_anew)
    )
    assert one[0].to_frame() == other[0].to_frame()
    for release, membership in (one, other):
        assert membership.fits(release)
        together = {tuple(np.flatnonzero(membership.group_of == g)) for g in range(len(groups))}
        assert together == {tuple(sorted(group)) for group in groups}
