"""The press writes a release, its certificate and the store: all of it or nothing."""

import errno
import functools
import json
import os
import shutil
import signal
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest

import killed
import seriatim as sr
from processes import Forked
from seriatim.errors import InternalError
from seriatim.publish import duckdb_store, seal, upkeep
from seriatim.publish.certificate import sha256
from seriatim.publish.pending_folder import PENDING, PendingFolder
from seriatim.publish.press import STEPS
from seriatim.publish.store_folder import StoreFolder
from studies import SEALED, begun_study, copy_store, week, write_study

BUCKETS = (("[reader]", '[output]\nform = "buckets"\n\n[reader]'),)


def study_with(releases, folder, changes=()):
    return sr.Study.read(begun_study(folder, releases=releases, changes=changes))


@pytest.fixture
def study(tmp_path):
    return study_with(0, tmp_path)


@pytest.fixture
def begun(tmp_path):
    """A study with one release."""
    return study_with(1, tmp_path)


def published(study, weeks=(1, 2, 3)):
    with sr.Press(study) as press:
        return [press.publish(week(study.path, number), at=number) for number in weeks]


def interrupt(*_):
    raise KeyboardInterrupt


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


def test_press__publishes_nothing_that_the_disk_holds_otherwise(begun, monkeypatch):
    before = files_of(begun)
    write = PendingFolder.write

    def one_value_changed(folder, contents):
        write(folder, contents)
        for file in folder.path.glob("*.csv"):
            file.write_bytes(file.read_bytes()[:-2] + b"?\n")

    with monkeypatch.context() as patched, sr.Press(begun) as press:
        patched.setattr(PendingFolder, "write", one_value_changed)
        with pytest.raises(InternalError, match=r"does not verify; nothing was published"):
            press.publish(week(begun.path, 2), at=2)
        assert press.store.n_releases == 1
        assert files_of(begun) == before
    (printed,) = published(begun, [2])
    assert sr.verify(printed.files[-1]).holds


@pytest.mark.parametrize("step", STEPS[: STEPS.index("committing the store") + 1])
def test_press__leaves_nothing_where_a_publish_is_called_off(begun, step):
    before = files_of(begun)

    def told(now):
        if now == step:
            raise KeyboardInterrupt

    with sr.Press(begun, progress=told) as press:
        with pytest.raises(KeyboardInterrupt):
            press.publish(week(begun.path, 2), at=2)
        assert press.store.n_releases == 1
        assert files_of(begun) == before


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


def test_press__repeats_exactly_from_the_same_store(begun, tmp_path):
    backup = tmp_path / "copy.store"
    copy_store(begun.store_path, backup)
    published(begun, [2])
    first = files_of(begun)
    for file in begun.output_folder.glob("release-0002*"):
        file.unlink()
    copy_store(backup, begun.store_path)
    published(begun, [2])
    assert files_of(begun) == first


def test_preview__shows_the_same_figures_and_writes_nothing(begun):
    before = files_of(begun), StoreFolder(begun.store_path).current.database.read_bytes()
    with sr.Press(begun) as press:
        preview = press.preview(week(begun.path, 2), at=2)
    assert (files_of(begun), StoreFolder(begun.store_path).current.database.read_bytes()) == before
    (printed,) = published(begun, [2])
    assert preview.certificate == printed.certificate


def test_press__refuses_a_view_that_was_published(begun):
    with sr.Press(begun) as press:
        with pytest.raises(sr.OrderError, match="published before, as release 1"):
            press.publish(week(begun.path, 1), at=2)
        assert press.publish(week(begun.path, 1), at=2, again=True).certificate["number"] == 2


@pytest.mark.parametrize("at", [1, 0, "later"])
def test_press__refuses_an_instant_out_of_order(begun, at):
    before = files_of(begun)
    with sr.Press(begun) as press, pytest.raises(sr.OrderError):
        press.publish(week(begun.path, 2), at=at)
    assert files_of(begun) == before


def test_press__that_cannot_keep_the_promise_writes_nothing(tmp_path):
    path = write_study(tmp_path, changes=[("k = 5", "k = 100")])
    study = sr.Study.read(path)
    with sr.Press(study) as press, pytest.raises(sr.UnsatisfiableError):
        press.publish(week(path, 1), at=1)
    assert not study.output_folder.exists() or not files_of(study)


def test_press__publishes_buckets(tmp_path):
    study = study_with(0, tmp_path, BUCKETS)
    (printed,) = published(study, [1])
    people = pyarrow.csv.read_csv(study.output_folder / "release-0001.people.csv")
    values = pyarrow.csv.read_csv(study.output_folder / "release-0001.values.csv")
    assert people.column_names == ["group", "age", "gender", "zip"]
    assert values.column_names == ["group", "exam", "count"]
    assert sum(values["count"].to_pylist()) == people.num_rows == 60
    originals = pyarrow.csv.read_csv(week(study.path, 1))
    assert sorted(people["age"].to_pylist()) == sorted(originals["age"].to_pylist())
    assert sr.verify(printed.files[-1]).holds


def test_press__with_a_sealed_store_needs_the_key_every_time(tmp_path, monkeypatch):
    study = study_with(1, tmp_path, (SEALED,))
    published(study, [2])
    assert b"DUCK" not in StoreFolder(study.store_path).current.sealed.read_bytes()
    monkeypatch.setenv("CLINIC_KEY", "another horse, another staple")
    with pytest.raises(sr.StoreError, match="not the key"):
        published(study, [3])
    monkeypatch.delenv("CLINIC_KEY")
    with pytest.raises(sr.StoreError, match="CLINIC_KEY"):
        published(study, [3])


def killed_at(study, step):
    """Publish week 2, and be killed where a step begins."""
    view = week(study.path, 2)
    with Forked(killed.publishing, study.path, view, 2, step, seal.COST_BITS) as process:
        assert process.wait() == -signal.SIGKILL, process.told


SEALED_STEPS = ("committing the store", "moving the files into place")
"""A sealed store is another from the first of these to the second."""


@pytest.mark.parametrize(
    ("step", "changes"),
    [
        *(pytest.param(step, (), id=step) for step in STEPS),
        *(
            pytest.param(
                step,
                (SEALED,),
                id=f"{step}, sealed",
                marks=() if step in SEALED_STEPS else pytest.mark.slow,
            )
            for step in STEPS
        ),
    ],
)
def test_press__killed_between_two_steps_is_whole_or_absent(tmp_path, step, changes):
    undisturbed = files_of(study_with(2, tmp_path / "undisturbed", changes))
    study = study_with(1, tmp_path / "killed", changes)
    killed_at(study, step)
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


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    """Return a study that was killed after a commit, whose files wait; once for each form."""

    @functools.cache
    def committed(form):
        study = study_with(1, tmp_path_factory.mktemp(form), BUCKETS if form == "buckets" else ())
        killed_at(study, "moving the files into place")
        return study.folder

    return committed


DAMAGE = ("changed", "cut short", "empty", "removed", "all removed", "certificate", "moved half")


@pytest.mark.parametrize(
    ("damage", "form"),
    [*((one, "generalized") for one in DAMAGE), ("certificate", "buckets"), ("removed", "buckets")],
)
def test_press__writes_a_committed_release_again_where_what_waited_was_damaged(
    tmp_path, damage, form, committed
):
    shutil.copytree(committed(form), tmp_path, dirs_exist_ok=True)
    study = sr.Study.read(tmp_path / "study.toml")
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
def test_press__brings_out_a_committed_release_that_never_came_out(begun, tmp_path, how):
    with sr.DuckDBStore(begun.store_path) as store:
        store.copy_to(tmp_path / "backup")
    killed_at(begun, "moving the files into place")
    if how == "removed":
        shutil.rmtree(begun.output_folder / PENDING)
    else:
        newest = upkeep.restore(tmp_path / "backup", begun.store_path, None)
        with sr.Press(begun) as press, pytest.raises(sr.SeriatimError):
            press.publish(begun.folder / "nowhere.csv", at=2)
        upkeep.restore(newest, begun.store_path, None)
    published(begun, [3])
    chain = sr.verify_chain(sorted(begun.output_folder.glob("*.certificate.json")))
    assert [one.holds for one in chain] == [True] * 3


def test_press__brings_out_a_first_release_that_was_committed_and_interrupted(study, monkeypatch):
    with monkeypatch.context() as patch, sr.Press(study) as press:
        patch.setattr(duckdb_store, "fsync_directory", interrupt)  # behind the commit
        with pytest.raises(KeyboardInterrupt):
            press.publish(week(study.path, 1), at=1)
    with sr.Press(study) as press:
        assert press.store.n_releases == 1
    assert sr.verify(study.output_folder / "release-0001.certificate.json").holds


def test_press__of_files_that_were_moved_on_purpose_writes_none_again(tmp_path):
    study = study_with(2, tmp_path)
    shutil.move(study.output_folder, tmp_path / "public")
    published(study, [3])
    assert {one.name for one in study.output_folder.glob("*0002*")} == set()


def test_head__is_never_moved_back_by_an_older_store(tmp_path):
    study = study_with(2, tmp_path)
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


def test_press__stops_where_a_committed_release_cannot_be_written_again(begun, monkeypatch):
    killed_at(begun, "moving the files into place")
    damaged = begun.output_folder / PENDING / "release-0002.parquet"
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:-1])
    with monkeypatch.context() as later:
        later.setattr("seriatim.publish.output._parquet", lambda *_: b"of a later pyarrow")
        for _ in range(2):
            with pytest.raises(sr.StoreError, match="was damaged before it came") as stopped:
                published(begun, [3])
    assert stopped.value.exit_code == 3
    assert sr.StoreError is type(stopped.value)
    (begun.output_folder / "release-0002.parquet").write_bytes(whole)
    published(begun, [3])
    chain = sr.verify_chain(sorted(begun.output_folder.glob("*.certificate.json")))
    assert [one.holds for one in chain] == [True] * 3


@pytest.mark.parametrize("step", ["verifying the written files", "moving the files into place"])
def test_dry_run__touches_no_pending_file(begun, step):
    killed_at(begun, step)
    pending = begun.output_folder / PENDING
    before = {file.name: file.read_bytes() for file in pending.iterdir()}
    assert before
    with sr.Press(begun, only_look=True) as press:
        press.preview(week(begun.path, 3), at=3)
    assert {file.name: file.read_bytes() for file in pending.iterdir()} == before


def test_press__whose_seal_failed_does_not_split_the_series(tmp_path, monkeypatch):
    study = study_with(1, tmp_path, (SEALED,))

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


def test_press__on_a_full_disk_says_so_and_loses_nothing(begun):
    before = files_of(begun), StoreFolder(begun.store_path).current.database.read_bytes()
    view = week(begun.path, 2)
    with Forked(killed.publishing_on_a_full_disk, begun.path, view, 2) as process:
        process.wait()
        assert "could not be written" in process.told
    assert files_of(begun) == before[0]
    published(begun, [2])


def test_press__in_a_read_only_folder_says_so(begun):
    before = files_of(begun)
    begun.output_folder.chmod(0o500)
    user = os.geteuid()
    view = pyarrow.csv.read_csv(week(begun.path, 2))
    with sr.Press(begun) as press:
        press.preview(view, at=2)
        try:
            if user == 0:  # root may write everywhere
                os.seteuid(65534)
            with pytest.raises(sr.SeriatimError, match=r"could not be written|denied"):
                press.publish(view, at=2)
        finally:
            os.seteuid(user)
            begun.output_folder.chmod(0o700)
    assert files_of(begun) == before


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


def test_head__names_the_newest_release_for_everyone_to_read(tmp_path):
    study = study_with(2, tmp_path)
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


def test_head__that_a_killed_process_did_not_write_is_written_by_the_next(tmp_path):
    study = study_with(2, tmp_path)
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


def test_head__that_cannot_be_written_is_told_and_the_release_is_out(begun):
    (begun.output_folder / "head.json").unlink()
    (begun.output_folder / "head.json").mkdir()
    with pytest.raises(sr.SeriatimError, match=r"The release is out, and head\.json"):
        sr.Press(begun)
    assert (begun.output_folder / "release-0001.certificate.json").is_file()
