"""What a partitioner remembers: in memory, in a file, from one form of file to the next."""

from dataclasses import replace
from unittest import mock

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.errors import OrderError
from seriatim.partition import Enrolment, LocalRegister
from seriatim.publish import duckdb_migrations
from seriatim.publish.duckdb_bundles import Bundles
from seriatim.publish.duckdb_migrations import PLACES, SCHEMA_VERSION
from seriatim.publish.seal import seal
from studies import to_form_2, to_form_3, to_form_4, to_form_5, to_form_6

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
    with sr.DuckDBStore(tmp_path / "series.duckdb") as store:
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
    store = sr.DuckDBStore(tmp_path / "s.duckdb") if begin == "file" else begin()
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
    path, one = tmp_path / "series.duckdb", sr.MemoryStore()
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
        with sr.DuckDBStore(tmp_path / "series.duckdb") as store:
            going = publisher(store)
            going.publish(table(release), at=release)
            made.append(going.latest)
    found = sr.invariance([one.release for one in made], [one.membership for one in made])
    assert found.holds
    assert found.returning > 30


def test_forget__removes_places_to_the_last_row(tmp_path):
    path = tmp_path / "series.duckdb"
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


def downgraded(path):
    """Make a store of form 1, as version 1 wrote it."""
    to_form_2(path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("DROP TABLE places")
        connection.execute("ALTER TABLE releases DROP COLUMN counterfeits")
        connection.execute("DELETE FROM meta WHERE name IN ('plan', 'register version')")
        connection.execute("UPDATE meta SET value = '1'::BLOB WHERE name = 'schema version'")


@pytest.mark.parametrize("releases", [0, 2])
@pytest.mark.parametrize(
    "policy", [sr.js_reduce(k=3, t=0.9, j=1.0), sr.k_anonymity(3)], ids=["js-reduce", "mondrian"]
)
def test_store__of_form_1_is_migrated_and_its_series_goes_on(tmp_path, releases, policy):
    path, begun = tmp_path / "series.duckdb", sr.js_reduce(k=3, t=0.9, j=1.0)
    with sr.DuckDBStore(path) as store:
        for at in range(releases):
            publisher(store, begun).publish(table(at), at=at)
        secret = store.secret
        frames = [release.to_frame() for release in store.history]
    downgraded(path)
    with sr.DuckDBStore(path) as store:
        assert store.number("schema version") == SCHEMA_VERSION
        assert store.secret == secret
        assert [release.to_frame() for release in store.history] == frames
        assert [entry.counterfeits for entry in store.entries] == [()] * releases
        assert store.register.version == 0
        publisher(store, policy).publish(table(releases), at=releases)
    with sr.DuckDBStore(path) as store:
        publisher(store, policy).publish(table(releases + 1), at=releases + 1)
        assert len(store.history) == releases + 2
        assert store.forget(pa.array(PEOPLE)) >= 17
        assert (store.register.places(pa.array(PEOPLE)) == -1).all()


@pytest.mark.parametrize("older", [to_form_6, to_form_5, to_form_4, to_form_3, downgraded])
def test_series__is_the_same_after_a_migration(tmp_path, older):
    path, policy = tmp_path / "series.duckdb", sr.js_reduce(k=3, t=0.9, j=1.0)
    straight = sr.MemoryStore()
    for at in range(3):
        with sr.DuckDBStore(path) as store:
            frame = publisher(store, policy).publish(table(at), at=at).to_frame()
        assert frame == publisher(straight, policy).publish(table(at), at=at).to_frame()
        older(path)


@pytest.mark.parametrize(("block", "tables"), [(1, 3), (2**18, 2)])
def test_releases__have_tables_of_their_own_where_they_are_large(tmp_path, block, tables):
    with (
        mock.patch.multiple(duckdb_migrations, _BLOCK=block, _SHARED=2),
        sr.DuckDBStore(tmp_path / "series.duckdb") as store,
    ):
        made = [publisher(store).publish(table(at), at=at).to_frame() for at in range(3)]
        assert sum(name.startswith("release") for name in store.tables) == tables + 1
        assert [release.to_frame() for release in store.history] == made


def test_sealed_store__of_form_1_is_migrated(tmp_path):
    path, plain = tmp_path / "sealed.duckdb", tmp_path / "plain.duckdb"
    key = sr.Key(b"correct horse battery staple", "a test")
    with sr.DuckDBStore(plain) as store:
        publisher(store, sr.k_anonymity(3)).publish(table(0), at=0)
    downgraded(plain)
    seal(plain, path, key)
    for at in (1, 2):
        with sr.DuckDBStore(path, key=key) as store:
            publisher(store, sr.k_anonymity(3)).publish(table(at), at=at)
            assert store.n_releases == at + 1


def test_series__begun_with_another_serial_partitioner_is_refused():
    store = sr.MemoryStore()
    going = publisher(store)
    publication, step = going.prepare(table(1), at=1)
    other = replace(step.enrolment, plan={"cells": [1, 2]})
    going.commit(publication, replace(step, enrolment=other))
    with pytest.raises(OrderError, match="begun with another partitioner"):
        going.publish(table(2), at=2)
