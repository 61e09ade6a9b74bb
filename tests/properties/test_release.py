"""A release as its readers see it."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from strategies import EXAMS, GENDERS, GRADES, ZIPS, hospital_schema, hospital_tables

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


@given(hospital_tables(least=12), st.integers(1, 2))
def test_release__of_another_secret_has_the_same_groups_in_another_order(table, k):
    # One age a tuple: nobody shares a point, so chance decides nothing but the order.
    table["age"] = list(range(len(table["id"])))
    policy = sr.Policy(sr.KAnonymity(k=k))
    one, other = (
        sr.Publisher(hospital_schema(), policy, adversary(), seed=seed).preview(table, at=1)
        for seed in (1, 2)
    )
    groups = [
        {frozenset(np.flatnonzero(p.membership.group_of == g)) for g in range(p.release.n_groups)}
        for p in (one, other)
    ]
    assert groups[0] == groups[1]
    assume(one.release.n_groups > 4)
    assert one.release.to_frame() != other.release.to_frame()
