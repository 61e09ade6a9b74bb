"""m-invariance of whole series: people come, go and come again."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_rivals as rivals
import seriatim as sr
from seriatim.errors import OrderError, PolicyError, UnsatisfiableError

N_VALUES = 5
PEOPLE = 24
SCHEMA = sr.Schema(
    "id",
    [sr.Numeric("age", 0, 63), sr.Categorical("gender", ["F", "M"])],
    sr.Sensitive("exam", tuple(range(N_VALUES))),
)


@st.composite
def series(draw, *, changing=False):
    """Tables in which people come and go; values stay, or change now and then."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    few = draw(st.integers(2, N_VALUES))
    skew = rng.dirichlet(np.full(few, draw(st.sampled_from([0.3, 1.0, 5.0]))))
    values = rng.choice(few, PEOPLE, p=skew)
    ages, genders = rng.integers(0, 64, PEOPLE), rng.choice(["F", "M"], PEOPLE)
    tables = []
    for _ in range(draw(st.integers(1, 5))):
        there = rng.permutation(PEOPLE)[: rng.integers(1, PEOPLE + 1)]
        if changing:
            moved = rng.random(PEOPLE) < 0.3
            values = np.where(moved, rng.choice(few, PEOPLE), values)
        tables.append(
            {
                "id": there.tolist(),
                "age": ages[there].tolist(),
                "gender": genders[there].tolist(),
                "exam": values[there].tolist(),
            }
        )
    return tables


def published(tables, m, store=None):
    publisher = sr.Publisher(
        SCHEMA, sr.m_invariance(m), sr.Adversary(), store=store or sr.MemoryStore(), seed=3
    )
    made = []
    for at, table in enumerate(tables, start=1):
        publisher.publish(table, at=at)
        made.append(publisher.latest)
    return made


def measured(made):
    return sr.invariance([one.release for one in made], [one.membership for one in made])


def as_groups(one):
    """Who is in each group, and which values its public table shows."""
    table = one.release.to_arrow().to_pydict()
    people = one.view.respondents.to_pylist()
    return [
        (
            [people[row] for row in np.flatnonzero(one.membership.group_of == group)],
            [
                value
                for number, value in zip(table["group"], table["exam"], strict=True)
                if number == group + 1
            ],
        )
        for group in range(one.release.n_groups)
    ]


def told(found):
    return rivals.Shown(found.m, found.returning, found.broken)


@given(series(), st.integers(2, 3))
def test_series__is_m_invariant_where_values_stay(tables, m):
    made = published(tables, m)
    found = measured(made)
    assert told(found) == rivals.invariance([as_groups(one) for one in made])
    assert found.holds
    assert (found.m >= m, found.broken) == (True, 0)
    assert all(one.suppressed == 0 for one in made)


@given(series(changing=True), st.integers(2, 3))
def test_series__counts_how_often_a_changed_value_broke_it(tables, m):
    store = sr.MemoryStore()
    made = published(tables, m, store)
    found = measured(made)
    assert told(found) == rivals.invariance([as_groups(one) for one in made])
    assert found.m >= m
    assert store.register.plan["broken"] == found.broken
    # Whoever's value was not among those shown with them before, and nobody else.
    last, broken = {}, 0
    for one, table in zip(made, tables, strict=True):
        values = dict(zip(table["id"], table["exam"], strict=True))
        for members, shown in as_groups(one):
            for member in members:
                broken += member in last and values[member] not in last[member]
                last[member] = set(shown)
    assert found.broken == broken


@given(series(changing=True), st.integers(2, 3))
def test_counterfeits__are_what_no_member_has_and_the_store_knows_them(tables, m):
    store = sr.MemoryStore()
    made = published(tables, m, store)
    for one, entry, table in zip(made, store.entries, tables, strict=True):
        values = dict(zip(table["id"], table["exam"], strict=True))
        expected = []
        for group, (members, shown) in enumerate(as_groups(one)):
            left = list(shown)
            for member in members:
                left.remove(values[member])
            expected += [(group, value) for value in sorted(left)]
        assert sorted(entry.counterfeits) == expected
        assert one.counterfeits == len(expected) == len(one.release) - len(table["id"])
        # Each group has somebody in it.
        assert all(members for members, _ in as_groups(one))


@given(series(), st.integers(2, 3))
def test_first_release__needs_no_counterfeit_where_no_value_is_too_frequent(tables, m):
    """Xiao and Tao: a view is m-eligible if at most one in m tuples has the same value."""
    table = tables[0]
    most = max(table["exam"].count(value) for value in table["exam"])
    (one,) = published([table], m)
    if most * m <= len(table["id"]):
        assert one.counterfeits == 0
    else:
        assert one.counterfeits > 0


@given(series(changing=True), st.data())
def test_series__does_not_go_by_the_order_of_the_input(tables, data):
    turned = []
    for table in tables:
        order = data.draw(st.permutations(range(len(table["id"]))))
        turned.append({name: [column[row] for row in order] for name, column in table.items()})
    for one, other in zip(published(tables, 2), published(turned, 2), strict=True):
        assert one.release.to_frame() == other.release.to_frame()


@given(series(changing=True))
def test_measure__of_any_series_is_what_its_groups_show(tables):
    """Also of series that are not m-invariant, with suppressed people and values twice."""
    publisher = sr.Publisher(SCHEMA, sr.k_anonymity(2), sr.Adversary(), seed=1)
    made = []
    for at, table in enumerate(tables, start=1):
        if len(table["id"]) > 2:
            publisher.publish(table, at=at)
            made.append(publisher.latest)
    expected = rivals.invariance([as_groups(one) for one in made])
    assert told(measured(made)) == expected


def test_running_example__is_2_invariant_in_each_release_and_2_diverse(running_example):
    """m = 2 and l = 2 in each release; the exams change, so that nobody keeps a signature."""
    found = sr.invariance(running_example.releases, running_example.memberships)
    assert (found.m, found.returning, found.broken) == (2, 2, 2)
    for release in running_example.releases:
        for group in release.groups:
            assert len(group.counts) == len(group) >= 2


def test_running_example__satisfies_m_2_and_its_reader_ends_at_0_899(running_example):
    reader = sr.Adversary(running_example.prior, running_example.sequence, rule="additive")
    for release, membership in zip(
        running_example.releases, running_example.memberships, strict=True
    ):
        after = reader.observe(release, membership)
    assert after.of("BCM-pos")[0].round(3) == 0.899


def test_running_example__is_published_with_m_2(running_example):
    publisher = sr.Publisher(running_example.schema, sr.m_invariance(2), sr.Adversary(), seed=1)
    for at, table in enumerate(running_example.tables, start=1):
        publisher.publish(table, at=at)
        assert publisher.latest.verdict.holds
        assert publisher.latest.suppressed == 0


def test_who_skips_a_release__keeps_the_signature():
    table = {"id": [1, 2], "age": [1, 2], "gender": ["F", "M"], "exam": [0, 1]}
    other = {"id": [3, 4], "age": [1, 2], "gender": ["F", "M"], "exam": [2, 3]}
    alone = {"id": [1], "age": [1], "gender": ["F"], "exam": [0]}
    made = published([table, other, alone], 2)
    assert measured(made).holds
    assert sorted(as_groups(made[2])[0][1]) == [0, 1]
    assert made[2].counterfeits == 1


def test_newcomers__who_make_a_group_of_their_own_fill_no_bucket():
    table = {"id": [1, 2], "age": [1, 2], "gender": ["F", "M"], "exam": [0, 1]}
    later = {"id": [1, 3, 4], "age": [1, 2, 3], "gender": ["F"] * 3, "exam": [0, 1, 2]}
    made = published([table, later], 2)
    assert sorted(members for members, _ in as_groups(made[1])) == [[1], [3, 4]]


def test_m_invariant__refuses_what_its_groups_cannot_promise():
    table = {"id": [1, 2], "age": [1, 2], "gender": ["F", "M"], "exam": [0, 1]}
    for asked in (sr.KAnonymity(k=3), sr.TCloseness(t=0.5), sr.KAnonymity(k=2) & sr.JSBound(j=1)):
        with pytest.raises(PolicyError, match=r"MInvariant\(m=2\).*cannot promise"):
            sr.Policy(asked, sr.MInvariant(m=2))
    policy = sr.Policy(sr.MUniqueness(m=6), sr.MInvariant(m=6))
    with pytest.raises(UnsatisfiableError, match="Ask for a smaller m"):
        sr.Publisher(SCHEMA, policy, sr.Adversary(), seed=1).publish(table, at=1)


def test_invariance__needs_as_many_memberships_as_releases(running_example):
    with pytest.raises(OrderError, match="2 releases need as many memberships, not 1"):
        sr.invariance(running_example.releases, running_example.memberships[:1])
    assert told(sr.invariance([], [])) == (0, 0, 0)


@given(st.data())
def test_m_uniqueness__is_the_size_where_no_value_occurs_twice(data):
    groups = data.draw(
        st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), min_size=1, max_size=4)
    )
    codes = np.array([value for group in groups for value in group])
    evidence = sr.privacy.Evidence(codes, np.full((len(codes), 4), 0.25))
    starts = np.cumsum([0, *map(len, groups)])
    tally = sr.privacy.Tally.of(evidence, np.arange(len(codes)), starts)
    expected = [len(group) if len(set(group)) == len(group) else 0 for group in groups]
    assert sr.MUniqueness(m=2).measure(tally).tolist() == expected


def test_places__of_a_series_are_numbers_of_signatures():
    store = sr.MemoryStore()
    published([{"id": [1, 2], "age": [1, 2], "gender": ["F", "M"], "exam": [0, 1]}], 2, store)
    (signature,) = store.register.plan["signatures"]
    assert signature == [0, 1]
    assert store.register.places(pa.array([2, 9, 1])).tolist() == [0, -1, 0]


def test_m__cannot_grow_in_a_series():
    table = {"id": [1, 2, 3], "age": [1, 2, 3], "gender": ["F"] * 3, "exam": [0, 1, 2]}
    store = sr.MemoryStore()
    sr.Publisher(SCHEMA, sr.m_invariance(2), sr.Adversary(), store=store).publish(table, at=1)
    with pytest.raises(OrderError, match="begun with m=2"):
        sr.Publisher(SCHEMA, sr.m_invariance(3), sr.Adversary(), store=store).publish(table, at=2)
    assert len(store.history) == 1


def test_series__that_was_made_otherwise_cannot_become_m_invariant():
    table = {"id": [1, 2], "age": [1, 2], "gender": ["F", "M"], "exam": [0, 1]}
    store = sr.MemoryStore()
    sr.Publisher(SCHEMA, sr.k_anonymity(2), sr.Adversary(), store=store).publish(table, at=1)
    with pytest.raises(OrderError, match="made with another"):
        sr.Publisher(SCHEMA, sr.m_invariance(2), sr.Adversary(), store=store).publish(table, at=2)


@given(series(changing=True), st.integers(2, 3))
def test_place__never_rules_out_where_someone_is(tables, m):
    publisher = sr.Publisher(SCHEMA, sr.m_invariance(m), sr.Adversary(), seed=1)
    for at, table in enumerate(tables):
        release = publisher.publish(table, at=at)
        membership = publisher.latest.membership
        found = sr.place(membership.roster, release)
        if isinstance(found, sr.Membership):
            assert found.group_of.tolist() == membership.group_of.tolist()
            continue
        for row, group in enumerate(membership.group_of.tolist()):
            assert group in found.candidates[found.offsets[row] : found.offsets[row + 1]]
