"""A store in a file keeps a series across processes, and nobody's id."""

import os
import shutil
import signal
import stat
import time
from concurrent.futures import wait
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import killed
import seriatim as sr
from processes import Forked, exit_code
from seriatim import checks
from seriatim.publish import DuckDBStore, Key, seal
from seriatim.publish.duckdb_bundles import Bundles
from seriatim.publish.duckdb_layout import KINDS, SCHEMA_VERSION
from seriatim.publish.duckdb_store import _BEGUN
from seriatim.publish.past_records import PASTS
from seriatim.publish.store_folder import StoreFolder
from small_series import publisher, week


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.store"


@pytest.fixture
def key():
    return Key(b"correct horse battery staple", "a test")


def fill(path, weeks=2, key=None):
    with DuckDBStore(path, key=key) as store:
        for at in range(1, weeks + 1):
            publisher(store).publish(week(at), at=at)


def content(path):
    """Return the bytes of all files of a store."""
    return b"".join(file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file())


def database(path):
    return StoreFolder(path).current.database


def everything(store):
    """Return all rows of all tables, but for what is being tried, and the bytes of all files."""
    tables = {name: store.table(f"SELECT * FROM {name}").to_pylist() for name in store.tables}
    tables["meta"] = [row for row in tables["meta"] if row["name"] != _BEGUN]
    files = {file.name: file.read_bytes() for file in store.people.path.iterdir()}
    return tables | files


@pytest.mark.parametrize("sealed", [False, True])
def test_store__keeps_the_laws(tmp_path, key, sealed):
    numbers = iter(range(100))
    checks.check_store(
        lambda: DuckDBStore(tmp_path / f"{next(numbers)}.store", key=key if sealed else None)
    )


@pytest.mark.parametrize("sealed", [False, True])
def test_commit__is_undone_by_what_fails_meanwhile(path, key, sealed):
    def full():
        raise sr.TableError("no space left")

    fill(path, key=key if sealed else None)
    with DuckDBStore(path, key=key if sealed else None) as store:
        before = everything(store)
        _, step = publisher(store).prepare(week(3), at=3)
        with pytest.raises(sr.TableError, match="no space left"):
            store.commit(step, meanwhile=full)
        assert everything(store) == before
        store.commit(step)
        assert store.n_releases == 3


def test_store__goes_on_in_another_process_as_in_one(path, tmp_path):
    with DuckDBStore(tmp_path / "in one.store") as store:
        whole = [publisher(store).publish(week(at), at=at).to_arrow() for at in (1, 2, 3)]
    for at in (1, 2, 3):
        with DuckDBStore(path) as store:
            assert publisher(store).publish(week(at), at=at).to_arrow().equals(whole[at - 1])
    with DuckDBStore(path) as store:
        assert [one.to_arrow() for one in store.history] == whole
        assert store.history.instants == (1, 2, 3)


def test_store__learns_from_the_views_as_a_reader_in_memory_does(path):
    learning = sr.Adversary(sequence=sr.IncrementalKnowledge(2))
    memory = publisher(sr.MemoryStore(), learning)
    for at in (1, 2, 3):
        memory.publish(week(at), at=at)
        with DuckDBStore(path) as store:
            ours = publisher(store, learning)
            ours.publish(week(at), at=at)
        assert np.allclose(
            ours.latest.revised.probabilities, memory.latest.revised.probabilities, atol=1e-6
        )


def test_store__holds_no_id(path):
    fill(path)
    assert b"person-0" not in content(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_store__that_is_sealed_holds_nothing_readable_and_leaves_nothing_behind(path, key):
    fill(path, key=key)
    assert not any(word in content(path) for word in (b"person-0", b"DUCK", b"exam"))
    with DuckDBStore(path, key=key) as store:
        folder = store.working.parent
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert len(store.history) == 2
    assert not folder.exists()


def test_sealed_store__is_never_opened_without_its_key(path, key):
    fill(path, key=key)
    with pytest.raises(sr.StoreError, match="is sealed"):
        DuckDBStore(path)
    with pytest.raises(sr.StoreError, match="not the key that it was sealed with"):
        DuckDBStore(path, key=Key(b"another horse, another staple", "a test"))
    with DuckDBStore(path, key=key) as store:
        assert len(store.history) == 2


def test_plain_store__is_never_opened_as_a_sealed_one(path, key):
    fill(path)
    with pytest.raises(sr.StoreError, match="is not sealed, and a key was given"):
        DuckDBStore(path, key=key)


def test_store__forgets_people_to_the_last_byte(path):
    fill(path, weeks=3)
    everyone = pa.array(sorted({one for at in (1, 2, 3) for one in week(at)["who"]}))
    with DuckDBStore(path) as store:
        someone = everyone[:1]
        high, low = (int(words[0]) for words in store.keys(someone))
        assert store.memory.recall(someone)[0].tolist() == [True]
        assert store.forget(someone) == 1
        assert store.memory.recall(someone)[0].tolist() == [False]
        assert store.memory.recall(everyone)[0].sum() == len(everyone) - 1
        assert store.forget(someone) == 0
    assert high.to_bytes(8, "little") not in content(path)
    assert low.to_bytes(8, "little") not in content(path)


def test_store__can_be_used_by_one_at_a_time(path):
    fill(path)
    with DuckDBStore(path), pytest.raises(sr.StoreError, match="Another process is using"):
        DuckDBStore(path)


def test_store__is_waited_for(path, monkeypatch):
    fill(path)
    with Forked(killed.holding, path) as other:
        while other.told != "held\n":
            assert other.poll() is None, other.told
        with pytest.raises(sr.StoreError, match="Another process"):
            DuckDBStore(path)

        def pause(_):
            other.send_signal(signal.SIGTERM)
            other.wait()

        monkeypatch.setattr("seriatim.publish.lock.time.sleep", pause)
        with DuckDBStore(path, wait=20) as store:
            assert len(store.history) == 2


@pytest.mark.parametrize("content", [b"", b"hello", b"x" * 20_000])
def test_store__says_when_a_database_is_none(path, content):
    database(path).parent.mkdir(parents=True)
    database(path).write_bytes(content)
    with pytest.raises(sr.StoreError, match=r"no store|damaged"):
        DuckDBStore(path)
    assert database(path).read_bytes() == content


def test_store__is_never_a_file(path):
    path.write_bytes(b"hello")
    with pytest.raises(sr.StoreError, match="it is a file, and a store is a folder"):
        DuckDBStore(path)
    assert path.read_bytes() == b"hello"


def test_plain_store__where_modes_mean_nothing_is_refused(path, key, monkeypatch):
    path.mkdir(mode=0o755)
    monkeypatch.setattr(Path, "chmod", lambda *_: None)  # as some network drives do
    with pytest.raises(sr.StoreError, match="others can enter it whatever its mode says"):
        DuckDBStore(path)
    assert not database(path).exists()
    DuckDBStore(path, key=key).close()


def test_store__through_a_link_inside_its_folder_is_refused(path, tmp_path):
    fill(path)
    (path / "current").rename(tmp_path / "disk")
    (path / "current").symlink_to(tmp_path / "disk")
    with pytest.raises(sr.StoreError, match="current in it is a link"):
        DuckDBStore(path)


def test_store__of_another_user_is_refused(path, monkeypatch):
    fill(path)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(sr.StoreError, match="belongs to another user"):
        DuckDBStore(path)


def test_plain_content__of_a_killed_process_is_removed_by_the_next_of_any_store(
    path, key, tmp_path
):
    with Forked(killed.holding_sealed, tmp_path / "moved.store", key, seal.COST_BITS) as process:
        assert process.wait() == -signal.SIGKILL
        left = Path(process.told.strip())
    assert left.exists()
    with DuckDBStore(path, key=key) as one, DuckDBStore(tmp_path / "other.store", key=key) as two:
        assert not left.exists()
        assert one.working.exists()
        assert two.working.exists()


def test_store__is_never_begun_in_a_folder_with_other_files(path):
    path.mkdir(mode=0o755)
    (path / "thesis.tex").write_text("mine")
    with pytest.raises(sr.StoreError, match=r"other files in it, such as thesis.tex"):
        DuckDBStore(path)
    assert [one.name for one in path.iterdir()] == ["thesis.tex"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


def test_store__finds_damage(path):
    fill(path, weeks=3)
    whole = database(path).read_bytes()
    found = 0
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(whole), 15):
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        database(path).write_bytes(bytes(changed))
        try:
            with DuckDBStore(path) as store:
                for name in store.tables:
                    store.table(f"SELECT count(DISTINCT hash(*COLUMNS(*))) AS n FROM {name}")
                assert len(store.history) == 3
        except sr.StoreError:
            found += 1
    assert found > 0


def test_store__of_a_newer_version_is_refused(path):
    fill(path)
    with DuckDBStore(path) as store:
        store.set_meta("schema version", str(SCHEMA_VERSION + 1).encode())
    with pytest.raises(sr.StoreError, match="written by a newer seriatim"):
        DuckDBStore(path)


@pytest.mark.parametrize("name", ["missing/study.store", ".."])
def test_store__needs_a_place(tmp_path, name):
    with pytest.raises(sr.StoreError, match="cannot be a store"):
        DuckDBStore(tmp_path / name)


def test_store__in_a_read_only_folder_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    before = os.geteuid()
    if before == 0:  # root may write everywhere
        os.seteuid(65534)
    try:
        with pytest.raises(sr.StoreError, match=r"could not be opened|could not be read|denied"):
            DuckDBStore(tmp_path / "study.store")
    finally:
        os.seteuid(before)
        tmp_path.chmod(0o700)


def test_store__refuses_ids_of_another_kind(path):
    fill(path)
    table = week(3)
    table["who"] = list(range(30))
    with DuckDBStore(path) as store:
        with pytest.raises(sr.OrderError, match="texts in earlier releases and are numbers"):
            publisher(store).publish(table, at=3)
        assert len(store.history) == 2


def test_store__does_not_grow_with_the_number_of_releases(path):
    with DuckDBStore(path) as store:
        sizes = []
        for at in range(1, 31):
            publisher(store).publish(week(at % 5), at=at)
            sizes.append(sum(one.people for one in Bundles(store, PASTS).listed))
        people = Bundles(store, PASTS).count()
    assert max(sizes) <= 2 * people


def test_store__that_fails_in_the_middle_of_a_commit_is_as_it_was(path, monkeypatch):
    fill(path)
    with DuckDBStore(path) as store:
        before = everything(store)

        def fails(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr("seriatim.publish.duckdb_store.write_release", fails)
        with pytest.raises(KeyboardInterrupt):
            publisher(store).publish(week(3), at=3)
        monkeypatch.undo()
        assert everything(store) == before
        assert len(store.history) == 2
        publisher(store).publish(week(3), at=3)
        assert len(store.history) == 3


@pytest.mark.parametrize("at", [3, 2.5, "2026-W03"])
def test_store__keeps_instants_of_every_kind(path, at):
    with DuckDBStore(path) as store:
        publisher(store).publish(week(1), at=at)
    with DuckDBStore(path) as store:
        assert store.last_instant == at
        assert type(store.last_instant) is type(at)


def test_store__whose_folder_is_gone_says_so_and_stays_as_it_was(path):
    fill(path)
    folder = StoreFolder(path).current.people
    folder.rename(path.with_name("elsewhere"))
    before = database(path).read_bytes()
    with DuckDBStore(path) as store:
        with pytest.raises(sr.StoreError, match=r"people/pasts.* is not there"):
            publisher(store).publish(week(3), at=3)
        assert store.n_releases == 2
    assert database(path).read_bytes() == before
    path.with_name("elsewhere").rename(folder)
    with DuckDBStore(path) as store:
        publisher(store).publish(week(3), at=3)


def test_store__finds_damage_of_people(path):
    fill(path)
    with DuckDBStore(path) as store:
        [bundle, *_] = Bundles(store, PASTS).listed
        file = store.people.path / bundle.file
        content = file.read_bytes()
        for place in range(0, len(content), 7):
            file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
            with pytest.raises(sr.StoreError, match="is damaged"):
                list(Bundles(store, PASTS).pieces(bundle))


def killed_at_a_commit(path, when):
    """Publish a third release, and be killed before the commit or after it."""
    assert exit_code(killed.committing, path, when) == -signal.SIGKILL


def test_store__removes_what_a_killed_process_began_and_nothing_else(path):
    fill(path)
    people = StoreFolder(path).current.people
    stranger = people / "pasts-9-0123456789ab"
    stranger.write_bytes(b"of another copy of the database")
    before = {file.name for file in people.iterdir()}
    killed_at_a_commit(path, "before")
    assert {file.name for file in people.iterdir()} - before
    with DuckDBStore(path) as store:
        named = {one.file for kind in KINDS for one in Bundles(store, kind).listed}
        assert store.people.names() == named | {stranger.name}
        assert store.n_releases == 2
        publisher(store).publish(week(3), at=3)
    assert stranger.exists()


def test_store__that_lost_its_log_is_the_store_before_the_last_commit(path):
    fill(path)
    killed_at_a_commit(path, "after")
    log = database(path).with_name("series.duckdb.wal")
    assert log.exists()
    log.unlink()
    with DuckDBStore(path) as store:
        assert store.n_releases == 2
        assert len(list(Bundles(store, PASTS).pieces(Bundles(store, PASTS).listed[-1]))) == 1
        publisher(store).publish(week(3), at=3)


def test_store__has_what_its_database_names_though_the_log_is_lost_after_it_was_opened(path):
    fill(path)
    killed_at_a_commit(path, "after")
    copy = path.with_name("copy.store")
    with DuckDBStore(path):
        shutil.copytree(path, copy)  # as after a kill
    database(copy).with_name("series.duckdb.wal").unlink(missing_ok=True)
    with DuckDBStore(copy) as store:
        named = {one.file for kind in KINDS for one in Bundles(store, kind).listed}
        assert named <= store.people.names()


def test_store__removes_superseded_files_when_it_is_opened_next(path):
    with DuckDBStore(path) as store:
        for at in range(1, 5):
            publisher(store).publish(week(1), at=at)  # everyone again: what was before is dropped
            assert len(store.people.names()) <= 2
    with DuckDBStore(path) as store:
        assert store.people.names() == {one.file for one in Bundles(store, PASTS).listed}


@pytest.mark.parametrize("sealed", [False, True])
def test_store__is_not_begun_where_the_files_of_another_are(path, key, sealed):
    fill(path, weeks=3)
    before = content(path)
    database(path).rename(path.with_name("aside"))
    for _ in range(2):
        with pytest.raises(sr.StoreError, match="No new series is begun over"):
            DuckDBStore(path, key=key if sealed else None)
    path.with_name("aside").rename(database(path))
    assert content(path) == before
    with DuckDBStore(path) as store:
        publisher(store).publish(week(4), at=4)


def test_store__is_not_begun_where_a_log_is(path):
    fill(path, weeks=1)
    killed_log = database(path).with_name("series.duckdb.wal")
    killed_log.write_bytes(b"something that was committed")
    for file in (database(path), *StoreFolder(path).current.people.iterdir()):
        file.unlink()
    with pytest.raises(sr.StoreError, match="No new series is begun over"):
        DuckDBStore(path)
    assert killed_log.exists()


def test_store__whose_seal_failed_does_not_go_on(path, key, monkeypatch):
    fill(path, key=key)
    with DuckDBStore(path, key=key) as store:
        going = publisher(store)
        with monkeypatch.context() as full:

            def refused(*_):
                raise sr.StoreError("No space left on device")

            full.setattr("seriatim.publish.duckdb_store.seal_stream", refused)
            with pytest.raises(sr.StoreError, match="No space left"):
                going.publish(week(3), at=3)
        with pytest.raises(sr.StoreError, match="is closed"):
            publisher(store).publish(week(4), at=4)
    with DuckDBStore(path, key=key) as store:
        assert store.n_releases == 2
        publisher(store).publish(week(3), at=3)


def test_sealed_store__reached_by_another_name_is_one_store(path, key, tmp_path):
    fill(path, key=key)
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.store"
    link.symlink_to(path)
    with DuckDBStore(path, key=key) as store:
        with pytest.raises(sr.StoreError, match="Another process is using"):
            DuckDBStore(link, key=key)
        publisher(store).publish(week(3), at=3)
    with DuckDBStore(link, key=key) as store:
        publisher(store).publish(week(4), at=4)
    assert link.is_symlink()
    with DuckDBStore(path, key=key) as store:
        assert store.n_releases == 4


def test_store__stopped_just_after_a_commit_keeps_what_the_database_names(path, monkeypatch):
    fill(path)
    run = DuckDBStore._run

    def stopped(self, statement, values=None):
        run(self, statement, values)
        if statement == "COMMIT":
            raise KeyboardInterrupt

    with DuckDBStore(path) as store:
        monkeypatch.setattr(DuckDBStore, "_run", stopped)
        with pytest.raises(KeyboardInterrupt):
            publisher(store).publish(week(3), at=3)
        monkeypatch.undo()
    with DuckDBStore(path) as store:
        assert store.n_releases == 3
        publisher(store).publish(week(4), at=4)


def test_commit__waits_for_what_writes_however_often_it_is_asked_to_stop(path, monkeypatch):
    fill(path)
    written, asked = DuckDBStore._write, iter([True, True, False])

    def slowly(self, step):
        time.sleep(0.2)
        return written(self, step)

    def impatient(writing):
        if next(asked, False):
            raise KeyboardInterrupt
        return wait(writing)

    def stops():
        raise KeyboardInterrupt

    with DuckDBStore(path) as store:
        before = everything(store)
        _, step = publisher(store).prepare(week(3), at=3)
        monkeypatch.setattr(DuckDBStore, "_write", slowly)
        monkeypatch.setattr("seriatim.publish.duckdb_store.wait", impatient)
        with pytest.raises(KeyboardInterrupt):
            store.commit(step, meanwhile=stops)
        monkeypatch.undo()
        assert everything(store) == before
        publisher(store).publish(week(3), at=3)


def test_store__without_memory_is_not_said_to_be_damaged(path):
    with DuckDBStore(path) as store, pytest.raises(MemoryError):
        store._rows("SELECT list(range) FROM range(50_000_000)")
