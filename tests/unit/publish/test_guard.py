"""The guard reads the finished table, and believes nothing else."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
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
        made.revised,
        requirement or sr.KAnonymity(k=4),
    )


def test_guard__passes_what_is_right(made):
    assert check(made, sr.KAnonymity(k=4) & sr.TCloseness(t=0.5) & sr.JSBound(j=0.0)).holds


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


@pytest.mark.parametrize(
    "groups", [[0, 0, 0, 0, 1, 1, 1, -1], [0, 0, 0, 0, 0, 1, 1, 1], [-1] * 4 + [0] * 4]
)
def test_guard__refuses_a_membership_of_other_sizes(made, groups):
    with pytest.raises(sr.InternalError, match="values of a group are not those of its members"):
        check(made, membership=sr.Membership(made.view, np.array(groups)))


def test_guard__refuses_members_outside_their_region(made):
    swapped = sr.Membership(made.view, 1 - made.membership.group_of)
    with pytest.raises(sr.InternalError, match="A region does not cover its members in 'age'"):
        check(made, membership=swapped)


@pytest.mark.parametrize("ages", [[51.0, 53.0, 70.0, 73.0], [0.0, 99.0, 0.0, 99.0]])
def test_guard__refuses_a_region_that_is_not_the_tightest(made, ages):
    age = sr.Numeric("age", 0, 100)
    cover = age.cover(np.array(ages), np.array([0, 2, 4]))
    with pytest.raises(sr.InternalError, match="A region does not cover its members in 'age'"):
        check(made, release=replace(made.release, covers=(cover,)))


class Chatty(sr.Release):
    """A release that prints a column it should not have."""

    def to_arrow(self):
        return super().to_arrow().append_column("row", pa.array(range(len(self))))


class Mute(sr.Release):
    """A release that forgets a column."""

    def to_arrow(self):
        return super().to_arrow().drop_columns(["age"])


@pytest.mark.parametrize("kind", [Chatty, Mute])
def test_guard__refuses_any_other_columns(made, kind):
    fields = ("at", "schema", "covers", "starts", "value_codes", "kind")
    release = kind(*(getattr(made.release, field) for field in fields))
    with pytest.raises(sr.InternalError, match=r"may have the columns \['group', 'age', 'exam'\]"):
        check(made, release=release)


class Careless:
    """A partitioner that makes a group of each tuple."""

    def partition(self, view, revised, requirement, *, rng):
        from seriatim.partition import Partition

        rows = np.arange(len(view))
        return Partition(rows, np.arange(len(view) + 1), rows[:0])


def test_guard__stands_between_a_careless_partitioner_and_the_public(schema, table):
    policy = sr.Policy(sr.KAnonymity(k=2), Careless())
    publisher = sr.Publisher(schema, policy, sr.Adversary())
    with pytest.raises(sr.InternalError, match=r"KAnonymity\(k=2\) fails in 8 of 8 groups"):
        publisher.publish(table, at=1)
    assert len(publisher.history) == 0
