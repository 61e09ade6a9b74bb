"""A store in one file, for backups and for seals, is the same store again."""

import errno
import itertools
import json
import shutil
import signal
import struct
from pathlib import Path
from unittest import mock

import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import killed
import seriatim as sr
from processes import exit_code
from seriatim.publish import DuckDBStore, upkeep
from seriatim.publish.seal import is_sealed
from seriatim.publish.store_archive import Stream, is_archive, packed, unpack
from seriatim.publish.store_folder import StoreFiles, StoreFolder
from studies import begun_study, week

MAGIC = b"seriatim store archive 1\n"


@pytest.fixture
def study(tmp_path):
    return sr.Study.read(begun_study(tmp_path))


def publish(study, number):
    with sr.Press(study) as press:
        return press.publish(week(study.path, number), at=number)


def current(study):
    return StoreFolder(study.store_path).current


def content(files):
    """Return the bytes of a store's files."""
    people = sorted(files.people.iterdir()) if files.people.exists() else []
    return [files.database.read_bytes(), *((file.name, file.read_bytes()) for file in people)]


def archive(*members, listed=None):
    listed = listed if listed is not None else [[name, len(data)] for name, data in members]
    head = json.dumps(listed).encode()
    return MAGIC + struct.pack(">I", len(head)) + head + b"".join(data for _, data in members)


@given(st.lists(st.binary(min_size=1, max_size=9)), st.lists(st.integers(1, 20)))
def test_stream__is_read_by_the_length(pieces, sizes):
    stream, whole = Stream(iter(pieces)), b"".join(pieces)
    for size in sizes:
        assert stream.read(size) == whole[:size]
        whole = whole[size:]


def test_archive__unpacked_is_the_same_store(study, tmp_path):
    files, again = current(study), StoreFiles(tmp_path / "again")
    names = [file.name for file in files.people.iterdir()]
    assert names
    again.folder.mkdir()
    unpack(packed(files.database, files.people, names), again.database, again.people)
    assert content(again) == content(files)
    assert {path.stat().st_mode & 0o777 for path in (again.database, *again.people.iterdir())} == {
        0o600
    }


def test_backup__is_one_file_that_is_restored_with_its_people(study, tmp_path):
    backup = tmp_path / "backup"
    with DuckDBStore(study.store_path) as store:
        store.copy_to(backup)
    assert is_archive(backup)
    with pytest.raises(sr.StoreError, match="it is a backup"):
        DuckDBStore(backup)
    assert backup.stat().st_mode & 0o777 == 0o600
    before = content(current(study))
    publish(study, 2)
    newer = content(current(study))
    replaced = upkeep.restore(backup, study.store_path, None)
    assert content(current(study)) == before
    assert content(StoreFiles(replaced)) == newer
    assert {path.name for path in study.store_path.iterdir()} == {"current", "lock", "replaced-1"}
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize(
    "part", ["list", "name", "length", "database", "people", "empty", "size", "no number"]
)
def test_backup__that_is_damaged_is_refused_and_nothing_is_moved(study, tmp_path, part):
    backup = tmp_path / "backup"
    with DuckDBStore(study.store_path) as store:
        store.copy_to(backup)
    whole = backup.read_bytes()
    people = next(current(study).people.iterdir()).read_bytes()
    damaged = {
        "list": archive(("", b"x"), listed={"no": "list"}),
        "name": archive(("", b"x"), ("../outside", b"y")),
        "length": whole[: len(MAGIC) + 2],
        "database": whole[:9000],
        "people": whole.replace(people, bytes([people[0] ^ 1]) + people[1:]),
        "empty": archive(listed=[]),
        "size": archive(("", b"x"), listed=[["", -1]]),
        "no number": archive(("", b"x"), listed=[["", float("inf")]]),
    }
    backup.write_bytes(damaged[part])
    before = content(current(study))
    with pytest.raises(sr.StoreError, match=r"archive|damaged"):
        upkeep.restore(backup, study.store_path, None)
    assert content(current(study)) == before
    assert not (study.store_path / "trial").exists()
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), KeyboardInterrupt()])
@pytest.mark.parametrize("failing", range(3))
def test_restore__that_cannot_move_is_done_or_not_done(study, tmp_path, failing, error):
    backup, rename, moves = tmp_path / "backup", Path.rename, itertools.count()
    with DuckDBStore(study.store_path) as store:
        store.copy_to(backup)
    before = content(current(study))
    publish(study, 2)
    with DuckDBStore(study.store_path):
        pass  # removes what release 2 superseded
    after = content(current(study))

    def fails_once(self, target):
        if next(moves) == failing:
            raise error
        return rename(self, target)

    told = pytest.raises((sr.StoreError, KeyboardInterrupt), match=r"could not be restored|^$")
    with mock.patch.object(Path, "rename", fails_once), told:
        upkeep.restore(backup, study.store_path, None)
    with DuckDBStore(study.store_path) as store:
        # The first renaming decides, and whoever opens the store next finishes the others.
        assert store.n_releases == (2 if failing == 0 else 1)
    assert content(current(study)) == (after if failing == 0 else before)
    assert not (study.store_path / "trial").exists()


def test_restore__of_a_store_in_use_is_refused(study, tmp_path):
    with DuckDBStore(study.store_path) as store:
        store.copy_to(tmp_path / "backup")
        with pytest.raises(sr.StoreError, match="Another process is using study"):
            upkeep.restore(tmp_path / "backup", study.store_path, None)


def test_restore__keeps_what_a_killed_process_had_committed(study, tmp_path):
    with DuckDBStore(study.store_path) as store:
        store.copy_to(tmp_path / "backup")
    publishing = killed.publishing_before_the_store_is_closed
    assert exit_code(publishing, study.path, week(study.path, 2), 2) == -signal.SIGKILL
    assert current(study).has_log
    replaced = upkeep.restore(tmp_path / "backup", study.store_path, None)
    releases = []
    copy = StoreFolder(tmp_path / "copy")
    copy.path.mkdir()
    StoreFiles(replaced).copy_to(copy.current)
    for path in (study.store_path, copy.path):
        with DuckDBStore(path) as store:
            releases.append(store.n_releases)
            assert all(one.sound for one in upkeep.check_up(store, study)[:3])
    assert releases == [1, 2]
    again = upkeep.restore(replaced, study.store_path, None)
    assert again != replaced
    assert replaced.exists()
    with DuckDBStore(study.store_path) as store:
        assert store.n_releases == 2
        assert upkeep.check_up(store, study)[0].sound


def test_store_check__finds_damaged_people(study):
    folder = current(study).people
    file = next(folder.iterdir())
    data = file.read_bytes()
    file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with DuckDBStore(study.store_path) as store:
        found = [one for one in upkeep.check_up(store, study) if not one.sound]
    assert [one.what for one in found] == ["tables"]
    assert f"{folder.name}/{file.name} is damaged" in found[0].found


def test_sealed_store__is_one_file_and_its_people_are_in_it(study, tmp_path):
    key = sr.Key(b"correct horse battery staple", "a test")
    files = current(study)
    before = files.people
    people = [file.read_bytes() for file in before.iterdir()]
    upkeep.rekey(study.store_path, None, key)
    assert is_sealed(files.sealed)
    assert [one.name for one in files.folder.iterdir()] == ["series.sealed"]
    before.mkdir()  # as if it had been killed in between
    (before / "pasts-1-0123456789ab").write_bytes(people[0])
    with DuckDBStore(study.store_path, key=key) as store:
        assert [file.read_bytes() for file in store.people.path.iterdir()] == people
        inside = store.people.path
        store.copy_to(tmp_path / "backup")
    assert not inside.exists()
    upkeep.restore(tmp_path / "backup", study.store_path, key)
    with DuckDBStore(study.store_path, key=key) as store:
        assert [file.read_bytes() for file in store.people.path.iterdir()] == people
    assert not before.exists()


def test_backup__without_all_people_names_the_file_that_is_missing(study, tmp_path):
    file = next(current(study).people.iterdir())
    file.unlink()
    with (
        DuckDBStore(study.store_path) as store,
        pytest.raises(sr.StoreError, match=rf"people/{file.name} is not there"),
    ):
        store.copy_to(tmp_path / "backup")
    assert not list(tmp_path.glob("backup*"))


def test_store__called_by_another_name_has_the_folder_of_its_file(study, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.store"
    link.symlink_to(study.store_path)
    with DuckDBStore(link) as store:
        assert upkeep.check_up(store, study)[0].sound


def test_rekey__leaves_files_that_are_not_the_stores_and_tells(study):
    key = sr.Key(b"correct horse battery staple", "a test")
    foreign = current(study).people / "pasts-9-0123456789ab"
    foreign.write_bytes(b"of another copy of the database")
    with pytest.raises(sr.StoreError, match="still there in plain"):
        upkeep.rekey(study.store_path, None, key)
    assert [one.name for one in current(study).people.iterdir()] == [foreign.name]
    assert not current(study).database.exists()
    with DuckDBStore(study.store_path, key=key) as store:
        assert store.n_releases == 1
    assert foreign.exists()


def test_restore__never_takes_the_place_of_a_store_that_was_replaced(study, tmp_path):
    backup = tmp_path / "backup"
    with DuckDBStore(study.store_path) as store:
        store.copy_to(backup)
    publish(study, 2)
    newest = content(current(study))
    replaced = [upkeep.restore(backup, study.store_path, None) for _ in range(3)]
    assert [one.name for one in replaced] == ["replaced-1", "replaced-2", "replaced-3"]
    assert content(StoreFiles(replaced[0])) == newest
    shutil.rmtree(current(study).folder)
    assert upkeep.restore(replaced[0], study.store_path, None) is None
    with DuckDBStore(study.store_path) as store:
        assert store.n_releases == 2


def test_restore__of_a_folder_shares_no_file_with_it(study, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(study.store_path, copy)
    (copy / "lock").unlink()
    linked = tmp_path / "linked"
    for file in (one for one in copy.rglob("*") if one.is_file()):
        link = linked / file.relative_to(copy)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(file)
    upkeep.restore(linked, study.store_path, None)
    with DuckDBStore(study.store_path) as store:
        assert upkeep.check_up(store, study)[0].sound
    files = [one for one in study.store_path.rglob("*") if one.is_file()]
    assert not any(one.is_symlink() or one.stat().st_nlink > 1 for one in files)


def test_backup__in_the_store_itself_is_refused(study):
    for place in (study.store_path / "replaced-1", study.store_path / "current" / "x.part"):
        with (
            DuckDBStore(study.store_path) as store,
            pytest.raises(sr.StoreError, match="is in the store itself"),
        ):
            store.copy_to(place)


def test_backup__of_a_damaged_store_is_refused(study, tmp_path):
    file = next(current(study).people.iterdir())
    data = file.read_bytes()
    file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with (
        DuckDBStore(study.store_path) as store,
        pytest.raises(sr.StoreError, match="is damaged"),
    ):
        store.copy_to(tmp_path / "backup")
    assert not (tmp_path / "backup").exists()


def test_backup__removes_only_its_own_leftovers(study, tmp_path):
    others, own = tmp_path / ".report.2026.part", tmp_path / ".*.0123456789ab.part"
    for file in (others, own):
        file.write_text("x")
    with DuckDBStore(study.store_path) as store:
        store.copy_to(tmp_path / "*")
    assert (others.exists(), own.exists()) == (True, False)


def test_forget__tells_when_a_file_is_left(study):
    patients = pyarrow.csv.read_csv(week(study.path, 1))["patient"].combine_chunks()

    def refused(self, missing_ok=False):
        raise OSError(errno.EPERM, "Operation not permitted")

    with (
        DuckDBStore(study.store_path) as store,
        mock.patch.object(store, "_rewrite"),
        mock.patch.object(Path, "unlink", refused),
        pytest.raises(sr.StoreError, match="may still tell of people who were forgotten"),
    ):
        store.forget(patients[:5])


def test_forget__leaves_no_key_in_any_file(study):
    with DuckDBStore(study.store_path) as store:
        patients = pyarrow.csv.read_csv(week(study.path, 1))["patient"].combine_chunks()
        gone = patients[:5]
        high, _ = store.keys(gone)
        files = store.people.path
        (files / "brought by another program").mkdir()
        kept = b"".join(file.read_bytes() for file in files.glob("*-*"))
        assert all(word.tobytes() in kept for word in high)
        assert store.forget(gone) == 5
        kept = b"".join(file.read_bytes() for file in files.glob("*-*"))
        assert not any(word.tobytes() in kept for word in high)
