"""What a partitioner remembers: in memory, in a file, from one form of file to the next."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.errors import OrderError
from seriatim.partition import Enrolment, LocalRegister
from seriatim.publish import duckdb_layout
from seriatim.publish.duckdb_bundles import Bundles
from seriatim.publish.duckdb_layout import PLACES

SCHEMA = sr.Schema(
    "name",
    [sr.Numeric("age", 0, 99), sr.Categorical("gender", ["F", "M"])],
    sr.Sensitive("exam", ["a", "b", "c", "d"]),
)
PEOPLE = [f"SECRET-{number:03d}" for number in range(20)]


def table(release):
    """Twenty people whose values stay; each release lacks three of them."""
    there = [n for n in range(20) if n % 7 != release % 7]
    return {
        "name": [PEOPLE[n] for n in there],
        "age": [(n * 37) % 90 + release for n in there],
        "gender": ["FM"[n % 2] for n in there],
        "exam": ["abcd"[n % 4] for n in there],
    }


def publisher(store, policy=None):
    staying = sr.Automaton(tuple("abcd"), np.eye(4) * 0.6 + 0.1, [[0, 1, 2, 3]] * 4)
    reader = sr.Adversary(sequence=staying)
    return sr.Publisher(SCHEMA, policy or sr.m_invariance(2), reader, store=store, seed=1)


@pytest.fixture(params=["memory", "file"])
def register(request, tmp_path):
    if request.param == "memory":
        yield LocalRegister()
        return
    with sr.DuckDBStore(tmp_path / "series.store") as store:
        yield store.register


def enrolment(names, places, version, **plan):
    return Enrolment(pa.array(names), np.array(places, dtype=np.int64), plan, version)


def test_register__keeps_places_and_plan(register):
    assert (register.version, dict(register.plan)) == (0, {})
    assert register.places(pa.array(["x", "y"])).tolist() == [-1, -1]
    register.keep(enrolment(["x", "y"], [4, 0], 0, signatures=[[1, 2]], broken=0))
    assert register.places(pa.array(["y", "z", "x"])).tolist() == [0, -1, 4]
    assert dict(register.plan) == {"signatures": [[1, 2]], "broken": 0}
    register.keep(enrolment(["z", "y"], [7, 2], 1, broken=3))
    assert register.places(pa.array(["x", "y", "z"])).tolist() == [4, 2, 7]
    assert (register.version, dict(register.plan)) == (2, {"broken": 3})


def test_register__refuses_an_enrolment_that_rests_on_an_older_state(register):
    register.keep(enrolment(["x"], [1], 0))
    with pytest.raises(OrderError, match="gone on since these groups were formed"):
        register.keep(enrolment(["x"], [5], 0))
    assert register.places(pa.array(["x"])).tolist() == [1]


def test_register__grows_with_people(register):
    names = [f"p{number}" for number in range(50)]
    for version, begin in enumerate(range(0, 50, 5)):
        some = names[begin : begin + 5]
        register.keep(enrolment(some, range(begin, begin + 5), version))
    assert register.places(pa.array(names)).tolist() == list(range(50))


def test_register__prints_nobody(register):
    register.keep(enrolment(PEOPLE, range(20), 0))
    assert "SECRET" not in repr(register) + repr(enrolment(PEOPLE, range(20), 0))


@pytest.mark.parametrize("begin", [sr.MemoryStore, "file"])
def test_commit__of_groups_formed_before_another_release_is_refused(begin, tmp_path):
    store = sr.DuckDBStore(tmp_path / "s.store") if begin == "file" else begin()
    one, two = publisher(store), publisher(store)
    prepared = one.prepare(table(1), at=1)
    late = two.prepare(table(2), at=2)
    one.commit(*prepared)
    places = store.register.places(pa.array(PEOPLE)).tolist()
    with pytest.raises(OrderError, match=r"gone on since|changed since"):
        two.commit(*late)
    assert len(store.history) == len(store.entries) == 1
    assert store.register.places(pa.array(PEOPLE)).tolist() == places
    assert store.register.version == 1
    two.publish(table(2), at=2)
    store.close()


def test_places__survive_reopening(tmp_path):
    path, one = tmp_path / "series.store", sr.MemoryStore()
    for release in range(4):
        with sr.DuckDBStore(path) as store:
            frame = publisher(store).publish(table(release), at=release).to_frame()
        assert frame == publisher(one).publish(table(release), at=release).to_frame()
        with sr.DuckDBStore(path) as store:
            found = store.register
            assert found.places(pa.array(PEOPLE)).tolist() == (
                one.register.places(pa.array(PEOPLE)).tolist()
            )
            assert dict(found.plan) == dict(one.register.plan)
            assert found.version == one.register.version == release + 1


def test_series__goes_on_m_invariant_in_a_file(tmp_path):
    made = []
    for release in range(4):
        with sr.DuckDBStore(tmp_path / "series.store") as store:
            going = publisher(store)
            going.publish(table(release), at=release)
            made.append(going.latest)
    found = sr.invariance([one.release for one in made], [one.membership for one in made])
    assert found.holds
    assert found.returning > 30


def test_forget__removes_places_to_the_last_row(tmp_path):
    path = tmp_path / "series.store"
    with sr.DuckDBStore(path) as store:
        publisher(store).publish(table(1), at=1)
        asked = pa.array(PEOPLE[2:5])
        before = store.register.places(pa.array(PEOPLE))
        assert (before[2:5] >= 0).all()
        assert store.forget(asked) == 3
        after = store.register.places(pa.array(PEOPLE))
        assert after[2:5].tolist() == [-1] * 3
        others = [n for n in range(20) if n not in (2, 3, 4)]
        assert (after[others] == before[others]).all()
    with sr.DuckDBStore(path) as store:
        assert Bundles(store, PLACES).count() == int((after >= 0).sum())
        publisher(store).publish(table(2), at=2)


@pytest.mark.parametrize(("block", "tables"), [(1, 3), (2**18, 2)])
def test_releases__have_tables_of_their_own_where_they_are_large(tmp_path, block, tables):
    with (
        mock.patch.multiple(duckdb_layout, _BLOCK=block, _SHARED=2),
        sr.DuckDBStore(tmp_path / "series.store") as store,
    ):
        made = [publisher(store).publish(table(at), at=at).to_frame() for at in range(3)]
        assert sum(name.startswith("release") for name in store.tables) == tables + 1
        assert [release.to_frame() for release in store.history] == made


def test_series__begun_with_another_serial_partitioner_is_refused():
    store = sr.MemoryStore()
    going = publisher(store)
    publication, step = going.prepare(table(1), at=1)
    other = replace(step.enrolment, plan={"cells": [1, 2]})
    going.commit(publication, replace(step, enrolment=other))
    with pytest.raises(OrderError, match="begun with another partitioner"):
        going.publish(table(2), at=2)
