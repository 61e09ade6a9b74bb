"""The guard reads the finished table, and believes nothing else."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.privacy import Evidence
from seriatim.publish import guard


@pytest.fixture
def made(make_publisher, table, schema):
    """Two groups of four neighbours."""
    schema = sr.Schema("name", schema.quasi_identifiers[:1], schema.sensitive)
    publisher = make_publisher(sr.KAnonymity(k=4), schema=schema)
    publisher.publish(table, at=1)
    return publisher.latest


def check(made, requirement=None, **tampered):
    parts = {"release": made.release, "membership": made.membership, **tampered}
    return guard(
        parts["release"],
        made.view,
        parts["membership"],
        Evidence.of(made.view, made.revised),
        requirement or sr.KAnonymity(k=4),
    )


def rewritten(made, *texts):
    """The release with other words for the ages of its groups, the younger group's first."""
    younger = int(made.membership.group_of[0])
    words = texts if younger == 0 else texts[::-1]
    cover = replace(made.release.covers[0], text=pa.array(words, pa.string()))
    return replace(made.release, covers=(cover,))


def test_guard__passes_what_is_right(made):
    verdict = check(made, sr.KAnonymity(k=4) & sr.TCloseness(t=0.5) & sr.JSBound(j=0.0))
    assert verdict.holds
    assert [finding.worst for finding in verdict.findings] == [4.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("requirement", "part"),
    [
        (sr.KAnonymity(k=5), r"KAnonymity\(k=5\) fails in 2 of 2 groups: worst 4 tuples"),
        (sr.DistinctLDiversity(l=3), r"DistinctLDiversity\(l=3\) fails"),
    ],
)
def test_guard__refuses_a_release_that_breaks_its_policy(made, requirement, part):
    with pytest.raises(
        sr.InternalError, match=f"breaks its policy; nothing was published.\n{part}"
    ):
        check(made, requirement)


def test_guard__measures_the_beliefs_of_the_members(made):
    far_apart = np.eye(2)[[0, 1] * 4]
    belief = sr.Belief(far_apart, made.revised.domain)
    with pytest.raises(sr.InternalError, match=r"JSBound\(j=0\.5\) fails in 2 of 2 groups"):
        check(replace(made, revised=belief), sr.JSBound(j=0.5))


@pytest.mark.parametrize("tamper", ["all alike", "swapped between groups"])
def test_guard__refuses_values_that_are_not_those_of_the_members(made, tamper):
    codes = made.release.value_codes.copy()
    if tamper == "all alike":
        codes[:] = 0
    else:
        first, second = (np.flatnonzero(codes[:4] == 0)[0], 4 + np.flatnonzero(codes[4:] == 1)[0])
        codes[[first, second]] = codes[[second, first]]
    with pytest.raises(sr.InternalError, match="values of a group are not those of its members"):
        check(made, release=replace(made.release, value_codes=codes))


def test_guard__refuses_group_borders_that_moved(made):
    with pytest.raises(sr.InternalError, match="values of a group are not those of its members"):
        check(made, release=replace(made.release, starts=np.array([0, 3, 8])))


def test_guard__refuses_a_table_with_a_value_that_nobody_can_have(made, monkeypatch):
    table = made.release.tables()[""]
    column = table.schema.names.index(made.view.schema.sensitive.name)
    forged = table.set_column(column, table.schema.names[column], pa.array(["else"] * len(table)))
    monkeypatch.setattr(sr.Release, "tables", lambda _: {"": forged})
    with pytest.raises(sr.InternalError, match="a value that its view cannot have"):
        check(made)


@pytest.mark.parametrize("missing", [[7], [0], [0, 7], [1, 2, 5]])
def test_guard__refuses_a_membership_that_leaves_published_people_out(made, missing):
    groups = made.membership.group_of.copy()
    groups[missing] = -1
    with pytest.raises(sr.InternalError, match="values of a group are not those of its members"):
        check(made, membership=sr.Membership(made.view.roster, groups))


@pytest.mark.parametrize("groups", [np.arange(8), np.full(8, 5), np.full(8, -1)])
def test_guard__refuses_members_of_groups_that_are_not_there(made, groups):
    with pytest.raises(sr.InternalError, match="in a group that the table does not have"):
        check(made, membership=sr.Membership(made.view.roster, groups))


def test_guard__refuses_members_outside_their_region(made):
    swapped = sr.Membership(made.view.roster, 1 - made.membership.group_of)
    with pytest.raises(sr.InternalError, match="A region does not contain its members in 'age'"):
        check(made, membership=swapped)


def test_guard__reads_the_words_of_a_region_back(made):
    assert check(made, release=rewritten(made, "[51,54]", "[70,73]")).holds


@pytest.mark.parametrize(
    "texts", [("[51,53]", "[70,73]"), ("[51,54]", "[71,73]"), ("51", "[70,73]")]
)
def test_guard__refuses_a_region_that_leaves_a_member_out(made, texts):
    with pytest.raises(sr.InternalError, match="A region does not contain its members in 'age'"):
        check(made, release=rewritten(made, *texts))


@pytest.mark.parametrize("texts", [("[0,60]", "[61,99]"), ("*", "*"), ("[51,73]", "[51,73]")])
def test_guard__lets_a_region_be_wider_than_its_members(made, texts):
    assert check(made, release=rewritten(made, *texts)).holds


@pytest.mark.parametrize("texts", [("old", "[70,73]"), ("[51,54]", ""), ("[54,51]", "[70,73]")])
def test_guard__refuses_words_that_cannot_be_read_back(made, texts):
    with pytest.raises(sr.InternalError, match="A region of 'age' cannot be read back"):
        check(made, release=rewritten(made, *texts))


def test_guard__refuses_a_code_outside_the_domain(made):
    release = replace(made.release, value_codes=np.full(8, 9))
    with pytest.raises(sr.InternalError, match="cannot be written as a table"):
        check(made, release=release)


@pytest.mark.parametrize("values", [["x", "y"], ["pos", "neg"], ["neg", "pos", "more"]])
def test_guard__refuses_another_domain(made, values):
    other = replace(made.release.schema, sensitive=sr.Sensitive("exam", values))
    with pytest.raises(sr.InternalError, match="empty, or over another domain than its view"):
        check(made, release=replace(made.release, schema=other))


def test_guard__refuses_an_empty_release(made):
    cover = replace(made.release.covers[0], text=pa.array([], pa.string()))
    nothing = np.array([], dtype=np.int64)
    release = replace(made.release, covers=(cover,), starts=np.array([0]), value_codes=nothing)
    with pytest.raises(sr.InternalError, match="A finished release is empty"):
        check(made, release=release)


class Chatty(sr.Release):
    """A release that prints a column it should not have."""

    def to_arrow(self):
        return super().to_arrow().append_column("row", pa.array(range(len(self))))


class Wavering(sr.Release):
    """A release that writes two regions for the tuples of one group."""

    def to_arrow(self):
        table = super().to_arrow()
        ages = ["[0,99]", *table.column("age").to_pylist()[1:]]
        return table.set_column(1, "age", pa.array(ages))


class Mute(sr.Release):
    """A release that forgets a column."""

    def to_arrow(self):
        return super().to_arrow().drop_columns(["age"])


def as_kind(kind, release):
    fields = ("at", "schema", "covers", "starts", "value_codes", "kind")
    return kind(*(getattr(release, field) for field in fields))


@pytest.mark.parametrize("kind", [Chatty, Mute])
def test_guard__refuses_any_other_columns(made, kind):
    with pytest.raises(sr.InternalError, match=r"may have the columns \['group', 'age', 'exam'\]"):
        check(made, release=as_kind(kind, made.release))


def test_guard__refuses_tuples_of_one_group_in_two_regions(made):
    with pytest.raises(sr.InternalError, match="Tuples of one group differ in 'age'"):
        check(made, release=as_kind(Wavering, made.release))


def test_guard__looks_at_every_attribute(make_publisher, table):
    publisher = make_publisher(sr.KAnonymity(k=4))
    publisher.publish(table, at=1)
    made = publisher.latest
    gender = replace(made.release.covers[1], text=pa.array(["F", "F"]))
    release = replace(made.release, covers=(made.release.covers[0], gender))
    with pytest.raises(sr.InternalError, match="does not contain its members in 'gender'"):
        check(made, release=release)


class Careless:
    """A partitioner that makes a group of each tuple."""

    def partition(self, view, revised, requirement, *, ties):
        from seriatim.partition import Partition

        rows = np.arange(len(view))
        return Partition(rows, np.arange(len(view) + 1), rows[:0])


def test_guard__stands_between_a_careless_partitioner_and_the_public(schema, table):
    policy = sr.Policy(sr.KAnonymity(k=2), Careless())
    publisher = sr.Publisher(schema, policy, sr.Adversary())
    with pytest.raises(sr.InternalError, match=r"KAnonymity\(k=2\) fails in 8 of 8 groups"):
        publisher.publish(table, at=1)
    assert len(publisher.history) == 0


@pytest.mark.parametrize(
    ("words", "holds"), [(("{F,M}", "M"), True), (("*", "{M,F}"), True), (("F", "M"), False)]
)
def test_guard__looks_for_members_in_sets(words, holds):
    """Two groups of a release in which women and men share the first, and the second is men's."""
    schema = sr.Schema("id", [sr.Categorical("sex", "FM")], sr.Sensitive("exam", ["neg", "pos"]))
    table = {"id": list(range(4)), "sex": list("FMMM"), "exam": ["neg", "pos"] * 2}
    view = sr.View.from_table(table, schema)
    groups = np.array([0, 0, 1, 1])
    cover = view.schema.quasi_identifiers[0].cover(view.points[:, 0], np.array([0, 2, 4]))
    release = sr.Release(
        1,
        view.schema,
        (replace(cover, text=pa.array(words)),),
        np.array([0, 2, 4]),
        view.value_codes,
    )
    evidence = Evidence.of(view, sr.Belief(np.full((4, 2), 0.5), ("neg", "pos")))

    def judged():
        return guard(
            release, view, sr.Membership(view.roster, groups), evidence, sr.KAnonymity(k=2)
        )

    if holds:
        assert judged().holds
    else:
        with pytest.raises(sr.InternalError, match="does not contain its members in 'sex'"):
            judged()
