"""The press writes a release, its certificate and the store: all of it or nothing."""

import errno
import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest

import seriatim as sr
from seriatim.errors import InternalError
from seriatim.publish import upkeep
from seriatim.publish.certificate import sha256
from seriatim.publish.pending_folder import PENDING, PendingFolder
from seriatim.publish.press import STEPS
from seriatim.publish.store_folder import StoreFolder
from studies import copy_store, week, write_study


@pytest.fixture
def study(tmp_path):
    return sr.Study.read(write_study(tmp_path))


def published(study, weeks=(1, 2, 3)):
    with sr.Press(study) as press:
        return [press.publish(week(study.path, number), at=number) for number in weeks]


def files_of(study):
    files = (path for path in study.output_folder.iterdir() if path.is_file())
    return {path.name: path.read_bytes() for path in files}


def test_press__writes_a_release_its_table_for_machines_and_its_certificate(study):
    (printed,) = published(study, [1])
    assert [file.name for file in printed.files] == [
        "release-0001.csv",
        "release-0001.parquet",
        "release-0001.certificate.json",
    ]
    people = pyarrow.csv.read_csv(printed.files[0])
    machines = pyarrow.parquet.read_table(printed.files[1])
    assert people.column_names == ["group", "age", "gender", "zip", "exam"]
    assert machines.column_names == [
        "group", "age", "age_lower", "age_upper", "gender", "zip", "exam",
    ]  # fmt: skip
    assert people.num_rows == machines.num_rows == 60
    assert not (study.output_folder / PENDING).exists()


def test_press__publishes_nothing_that_the_disk_holds_otherwise(study, monkeypatch):
    published(study, [1])
    before = files_of(study)
    write = PendingFolder.write

    def one_value_changed(folder, contents):
        write(folder, contents)
        for file in folder.path.glob("*.csv"):
            file.write_bytes(file.read_bytes()[:-2] + b"?\n")

    with monkeypatch.context() as patched, sr.Press(study) as press:
        patched.setattr(PendingFolder, "write", one_value_changed)
        with pytest.raises(InternalError, match=r"does not verify; nothing was published"):
            press.publish(week(study.path, 2), at=2)
        assert press.store.n_releases == 1
        assert files_of(study) == before
    (printed,) = published(study, [2])
    assert sr.verify(printed.files[-1]).holds


@pytest.mark.parametrize("step", STEPS[: STEPS.index("committing the store") + 1])
def test_press__leaves_nothing_where_a_publish_is_called_off(study, step):
    published(study, [1])
    before = files_of(study)

    def told(now):
        if now == step:
            raise KeyboardInterrupt

    with sr.Press(study, progress=told) as press:
        with pytest.raises(KeyboardInterrupt):
            press.publish(week(study.path, 2), at=2)
        assert press.store.n_releases == 1
        assert files_of(study) == before


def test_press__moves_what_was_committed_before_it_goes_on(study, monkeypatch):
    def refuse(file, target):
        raise OSError(errno.EIO, "Input/output error")

    with sr.Press(study) as press:
        with monkeypatch.context() as patched:
            patched.setattr(Path, "replace", refuse)
            with pytest.raises(sr.SeriatimError, match=r"is part of the series.*wait in"):
                press.publish(week(study.path, 1), at=1)
        assert press.store.n_releases == 1
        press.publish(week(study.path, 2), at=2)
    certificates = sorted(study.output_folder.glob("*.certificate.json"))
    assert len(certificates) == 2
    assert all(one.holds for one in sr.verify_chain(certificates))


def test_press__reads_what_the_reader_knows_for_each_release(study):
    knowledge = study.folder / "knowledge.csv"
    before = knowledge.read_text()
    with sr.Press(study) as press:
        press.publish(week(study.path, 1), at=1)
        knowledge.write_text("not, a, table of knowledge")
        with pytest.raises(sr.SeriatimError):
            press.publish(week(study.path, 2), at=2)
        knowledge.write_text(before)
        press.publish(week(study.path, 2), at=2)
        assert press.store.n_releases == 2


def test_press__publishes_what_a_publisher_with_the_same_store_would(study, tmp_path):
    printed = published(study)
    other = sr.Publisher(study.schema, study.policy, study.adversary, seed=1)
    for number, one in enumerate(printed, start=1):
        table = study.intake.take_in(pyarrow.csv.read_csv(week(study.path, number))).table
        theirs = other.publish(table, at=number)
        assert len(theirs) == len(one.publication.release)
        assert sorted(theirs.sizes) == sorted(one.publication.release.sizes)


def test_press__repeats_exactly_from_the_same_store(study, tmp_path):
    published(study, [1])
    backup = tmp_path / "copy.store"
    copy_store(study.store_path, backup)
    published(study, [2])
    first = files_of(study)
    for file in study.output_folder.glob("release-0002*"):
        file.unlink()
    copy_store(backup, study.store_path)
    published(study, [2])
    assert files_of(study) == first


def test_preview__shows_the_same_figures_and_writes_nothing(study):
    published(study, [1])
    before = files_of(study), StoreFolder(study.store_path).current.database.read_bytes()
    with sr.Press(study) as press:
        preview = press.preview(week(study.path, 2), at=2)
    assert (files_of(study), StoreFolder(study.store_path).current.database.read_bytes()) == before
    (printed,) = published(study, [2])
    assert preview.certificate == printed.certificate


def test_press__refuses_a_view_that_was_published(study):
    published(study, [1])
    with sr.Press(study) as press:
        with pytest.raises(sr.OrderError, match="published before, as release 1"):
            press.publish(week(study.path, 1), at=2)
        assert press.publish(week(study.path, 1), at=2, again=True).certificate["number"] == 2


@pytest.mark.parametrize("at", [1, 0, "later"])
def test_press__refuses_an_instant_out_of_order(study, at):
    published(study, [1])
    before = files_of(study)
    with sr.Press(study) as press, pytest.raises(sr.OrderError):
        press.publish(week(study.path, 2), at=at)
    assert files_of(study) == before


def test_press__that_cannot_keep_the_promise_writes_nothing(tmp_path):
    path = write_study(tmp_path, changes=[("k = 5", "k = 100")])
    study = sr.Study.read(path)
    with sr.Press(study) as press, pytest.raises(sr.UnsatisfiableError):
        press.publish(week(path, 1), at=1)
    assert not study.output_folder.exists() or not files_of(study)


def test_press__publishes_buckets(tmp_path):
    path = write_study(tmp_path, changes=[("[reader]", '[output]\nform = "buckets"\n\n[reader]')])
    study = sr.Study.read(path)
    (printed,) = published(study, [1])
    people = pyarrow.csv.read_csv(study.output_folder / "release-0001.people.csv")
    values = pyarrow.csv.read_csv(study.output_folder / "release-0001.values.csv")
    assert people.column_names == ["group", "age", "gender", "zip"]
    assert values.column_names == ["group", "exam", "count"]
    assert sum(values["count"].to_pylist()) == people.num_rows == 60
    originals = pyarrow.csv.read_csv(week(path, 1))
    assert sorted(people["age"].to_pylist()) == sorted(originals["age"].to_pylist())
    assert sr.verify(printed.files[-1]).holds


def test_press__with_a_sealed_store_needs_the_key_every_time(tmp_path, monkeypatch):
    sealed = '[store]\nsealed = true\nkey_variable = "CLINIC_KEY"\n\n[reader]'
    study = sr.Study.read(write_study(tmp_path, changes=[("[reader]", sealed)]))
    monkeypatch.setenv("CLINIC_KEY", "correct horse battery staple")
    published(study, [1, 2])
    assert b"DUCK" not in StoreFolder(study.store_path).current.sealed.read_bytes()
    monkeypatch.setenv("CLINIC_KEY", "another horse, another staple")
    with pytest.raises(sr.StoreError, match="not the key"):
        published(study, [3])
    monkeypatch.delenv("CLINIC_KEY")
    with pytest.raises(sr.StoreError, match="CLINIC_KEY"):
        published(study, [3])


KILLED_AT = """
import os, signal, sys
import seriatim as sr
def stop(step):
    if step == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)
study = sr.Study.read(sys.argv[1])
with sr.Press(study, progress=stop) as press:
    press.publish(study.folder / "views" / "week-2.csv", at=2)
"""


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_press__killed_between_two_steps_is_whole_or_absent(tmp_path, step, sealed, monkeypatch):
    changes = []
    if sealed:
        monkeypatch.setenv("CLINIC_KEY", "correct horse battery staple")
        section = '[store]\nsealed = true\nkey_variable = "CLINIC_KEY"\n\n[reader]'
        changes = [("[reader]", section)]
    study = sr.Study.read(write_study(tmp_path, changes=changes))
    published(study, [1])
    copy_store(study.store_path, tmp_path / "begun")
    published(study, [2])
    undisturbed = files_of(study)
    for name in list(undisturbed):
        if "0002" in name:
            (study.output_folder / name).unlink()
    copy_store(tmp_path / "begun", study.store_path)
    run = subprocess.run(
        [sys.executable, "-c", KILLED_AT, str(study.path), step], check=False, capture_output=True
    )
    assert run.returncode == -9, run.stderr
    with sr.Press(study) as press:
        there = len(press.store.entries)
    if there == 1:
        assert all("0002" not in name for name in files_of(study))
        published(study, [2])
    assert files_of(study) == undisturbed
    assert all(one.holds for one in sr.verify_chain(sorted(study.output_folder.glob("*.json"))))
    published(study, [3])


@pytest.mark.parametrize(
    ("output", "store"),
    [("out", "out"), ("out", "out/store"), ("study.store/out", "study.store"), ("out", "./out/s")],
)
def test_study__keeps_the_store_apart_from_the_releases(tmp_path, output, store):
    sections = f'[output]\nfolder = "{output}"\n\n[store]\nfolder = "{store}"\n\n[reader]'
    path = write_study(tmp_path, changes=[("[reader]", sections)])
    with pytest.raises(sr.StudyError, match="the store is private and releases are public"):
        sr.Study.read(path)


DAMAGE = ["changed", "cut short", "empty", "removed", "all removed", "certificate", "moved half"]


@pytest.mark.parametrize("form", ["generalized", "buckets"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_press__writes_a_committed_release_again_where_what_waited_was_damaged(
    tmp_path, damage, form
):
    changes = [("[reader]", f'[output]\nform = "{form}"\n\n[reader]')]
    study = sr.Study.read(write_study(tmp_path, changes=changes))
    published(study, [1])
    run = subprocess.run(
        [sys.executable, "-c", KILLED_AT, str(study.path), "moving the files into place"],
        check=False,
    )
    assert run.returncode == -9
    pending = study.output_folder / PENDING
    waiting = sorted(pending.iterdir())
    undisturbed = {file.name: file.read_bytes() for file in waiting}
    file = waiting[0] if damage == "certificate" else waiting[-1]
    assert file.name.endswith(".json") == (damage == "certificate")
    if damage in ("changed", "certificate"):
        file.write_bytes(file.read_bytes()[:-3] + b"x\n}")
    elif damage == "cut short":
        file.write_bytes(file.read_bytes()[:40])
    elif damage == "empty":
        file.write_bytes(b"")
    elif damage == "moved half":
        waiting[1].rename(study.output_folder / waiting[1].name)
        file.unlink()
    else:
        for one in waiting if damage == "all removed" else [file]:
            one.unlink()
    published(study, [3])
    for name, content in undisturbed.items():
        assert (study.output_folder / name).read_bytes() == content, name
    assert not pending.exists()
    chain = sr.verify_chain(sorted(study.output_folder.glob("*.certificate.json")))
    assert [one.holds for one in chain] == [True] * 3


@pytest.mark.parametrize("how", ["removed", "older store in between"])
def test_press__brings_out_a_committed_release_that_never_came_out(study, tmp_path, how):
    published(study, [1])
    with sr.DuckDBStore(study.store_path) as store:
        store.copy_to(tmp_path / "backup")
    subprocess.run(
        [sys.executable, "-c", KILLED_AT, str(study.path), "moving the files into place"],
        check=False,
    )
    if how == "removed":
        shutil.rmtree(study.output_folder / PENDING)
    else:
        newest = upkeep.restore(tmp_path / "backup", study.store_path, None)
        with sr.Press(study) as press, pytest.raises(sr.SeriatimError):
            press.publish(study.folder / "nowhere.csv", at=2)
        upkeep.restore(newest, study.store_path, None)
    published(study, [3])
    chain = sr.verify_chain(sorted(study.output_folder.glob("*.certificate.json")))
    assert [one.holds for one in chain] == [True] * 3


def test_press__of_files_that_were_moved_on_purpose_writes_none_again(study, tmp_path):
    published(study, [1, 2])
    shutil.move(study.output_folder, tmp_path / "public")
    published(study, [3])
    assert {one.name for one in study.output_folder.glob("*0002*")} == set()


def test_head__is_never_moved_back_by_an_older_store(study, tmp_path):
    published(study, [1, 2])
    with sr.DuckDBStore(study.store_path) as store:
        store.copy_to(tmp_path / "backup")
    published(study, [3])
    head = (study.output_folder / "head.json").read_bytes()
    upkeep.restore(tmp_path / "backup", study.store_path, None)
    with pytest.raises(sr.OrderError, match="already has release-0003"):
        published(study, [3])
    assert (study.output_folder / "head.json").read_bytes() == head


def test_pending__that_is_a_link_is_not_followed(study, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mine").write_text("x")
    study.output_folder.mkdir()
    (study.output_folder / PENDING).symlink_to(tmp_path / "elsewhere")
    published(study, [1])
    assert [one.name for one in (tmp_path / "elsewhere").iterdir()] == ["mine"]


def test_press__stops_where_a_committed_release_cannot_be_written_again(study, monkeypatch):
    published(study, [1])
    subprocess.run(
        [sys.executable, "-c", KILLED_AT, str(study.path), "moving the files into place"],
        check=False,
    )
    damaged = study.output_folder / PENDING / "release-0002.parquet"
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:-1])
    with monkeypatch.context() as later:
        later.setattr("seriatim.publish.output._parquet", lambda *_: b"of a later pyarrow")
        for _ in range(2):
            with pytest.raises(sr.StoreError, match="was damaged before it came") as stopped:
                published(study, [3])
    assert stopped.value.exit_code == 3
    assert sr.StoreError is type(stopped.value)
    (study.output_folder / "release-0002.parquet").write_bytes(whole)
    published(study, [3])
    chain = sr.verify_chain(sorted(study.output_folder.glob("*.certificate.json")))
    assert [one.holds for one in chain] == [True] * 3


@pytest.mark.parametrize("step", ["verifying the written files", "moving the files into place"])
def test_dry_run__touches_no_pending_file(study, step):
    published(study, [1])
    subprocess.run(
        [sys.executable, "-c", KILLED_AT, str(study.path), step], check=False, capture_output=True
    )
    pending = study.output_folder / PENDING
    before = {file.name: file.read_bytes() for file in pending.iterdir()}
    assert before
    with sr.Press(study, only_look=True) as press:
        press.preview(week(study.path, 3), at=3)
    assert {file.name: file.read_bytes() for file in pending.iterdir()} == before


def test_press__whose_seal_failed_does_not_split_the_series(tmp_path, monkeypatch):
    monkeypatch.setenv("CLINIC_KEY", "correct horse battery staple")
    section = '[store]\nsealed = true\nkey_variable = "CLINIC_KEY"\n\n[reader]'
    study = sr.Study.read(write_study(tmp_path, changes=[("[reader]", section)]))
    published(study, [1])

    def refused(*_):
        raise sr.StoreError("No space left on device")

    with sr.Press(study) as press:
        with monkeypatch.context() as full:
            full.setattr("seriatim.publish.duckdb_store.seal_stream", refused)
            with pytest.raises(sr.StoreError, match="No space left"):
                press.publish(week(study.path, 2), at=2)
        with pytest.raises(sr.StoreError, match="is closed"):
            press.publish(week(study.path, 3), at=3)
    published(study, [2, 3])
    chain = sr.verify_chain(sorted(study.output_folder.glob("*.certificate.json")))
    assert [one.holds for one in chain] == [True] * 3


def test_press__on_a_full_disk_says_so_and_loses_nothing(study):
    published(study, [1])
    before = files_of(study), StoreFolder(study.store_path).current.database.read_bytes()
    script = (
        "import resource, sys; import seriatim as sr\n"
        "study = sr.Study.read(sys.argv[1])\n"
        "with sr.Press(study) as press:\n"
        "    press.preview(study.folder / 'views' / 'week-2.csv', at=2)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))\n"
        "    try:\n"
        "        press.publish(study.folder / 'views' / 'week-2.csv', at=2)\n"
        "    except sr.SeriatimError as error:\n"
        "        print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(study.path)], check=False, capture_output=True, text=True
    )
    assert "could not be written" in run.stdout, run.stderr
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    assert files_of(study) == before[0]
    published(study, [2])


def test_press__in_a_read_only_folder_says_so(study):
    published(study, [1])
    before = files_of(study)
    study.output_folder.chmod(0o500)
    user = os.geteuid()
    view = pyarrow.csv.read_csv(week(study.path, 2))
    with sr.Press(study) as press:
        press.preview(view, at=2)
        try:
            if user == 0:  # root may write everywhere
                os.seteuid(65534)
            with pytest.raises(sr.SeriatimError, match=r"could not be written|denied"):
                press.publish(view, at=2)
        finally:
            os.seteuid(user)
            study.output_folder.chmod(0o700)
    assert files_of(study) == before


def test_certificate__names_nobody_and_says_what_was_promised(study):
    (printed,) = published(study, [1])
    text = printed.files[-1].read_text()
    ids = pyarrow.csv.read_csv(week(study.path, 1))["patient"].to_pylist()
    assert not any(one in text for one in ids)
    found = json.loads(text)
    assert [one["name"] for one in found["promised"]] == [
        "k-anonymity",
        "t-closeness",
        "divergence of beliefs",
    ]
    assert found["measured"][0]["worst"] >= 5
    assert found["previous"] is None


def test_head__names_the_newest_release_for_everyone_to_read(study):
    published(study, [1, 2])
    head = study.output_folder / "head.json"
    newest = study.output_folder / "release-0002.certificate.json"
    told = json.loads(head.read_text())
    assert (told["study"], told["number"]) == ("test clinic", 2)
    assert told["certificate"] == newest.name
    assert told["sha256"] == sha256(newest.read_bytes())
    assert head.stat().st_mode & 0o777 == 0o644 & ~current_umask()


def current_umask():
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def test_head__is_readable_and_not_writable_by_others_under_any_umask(study):
    before = os.umask(0)
    try:
        published(study, [1])
    finally:
        os.umask(before)
    assert (study.output_folder / "head.json").stat().st_mode & 0o777 == 0o644


def test_head__that_a_killed_process_did_not_write_is_written_by_the_next(study):
    published(study, [1, 2])
    head = study.output_folder / "head.json"
    content = head.read_bytes()
    for left in (None, b"{}", content.replace(b'"number": 2', b'"number": 1')):
        head.unlink()
        if left is not None:
            head.write_bytes(left)
        with sr.Press(study, only_look=True):
            assert not head.exists() or head.read_bytes() == left
        with sr.Press(study):
            assert head.read_bytes() == content
    (study.output_folder / ".head.json.part").write_bytes(b"half")
    head.unlink()
    published(study, [3])
    assert json.loads(head.read_text())["number"] == 3
    assert not (study.output_folder / ".head.json.part").exists()


def test_head__that_cannot_be_written_is_told_and_the_release_is_out(study):
    published(study, [1])
    (study.output_folder / "head.json").unlink()
    (study.output_folder / "head.json").mkdir()
    with pytest.raises(sr.SeriatimError, match=r"The release is out, and head\.json"):
        sr.Press(study)
    assert (study.output_folder / "release-0001.certificate.json").is_file()
