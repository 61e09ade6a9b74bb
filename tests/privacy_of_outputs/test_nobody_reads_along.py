"""While a command runs, other users of the machine can open nothing that is private."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from processes import Forked, command, exit_code
from studies import SEALED, begun_study, week

PUBLIC = {"study.toml", "knowledge.csv", "views", "releases", "study.backup.txt"}


def exposed(folder):
    """Return what others can reach and read or write below a study's folder, but public things."""
    found = set()
    pending = [one for one in _entries(folder) if Path(one.path).name not in PUBLIC]
    while pending:
        one = pending.pop()
        try:
            mode = one.stat(follow_symlinks=False).st_mode
        except FileNotFoundError:
            continue
        if stat.S_ISDIR(mode):
            if mode & (stat.S_IXOTH | stat.S_IXGRP):
                pending += _entries(one.path)
        elif mode & 0o066:
            found.add((Path(one.path).name, oct(stat.S_IMODE(mode))))
    return found


def _entries(folder):
    try:
        return list(os.scandir(folder))
    except FileNotFoundError:
        return []


def watched(folder, umask, *words, **environment):
    """Run a command; return what was exposed at any moment, and how often we looked."""
    found, looks = set(), 0
    how = {"folder": folder, "umask": umask, "environment": environment}
    with Forked(command, *words, **how) as run:
        while run.poll() is None:
            found |= exposed(folder)
            looks += 1
        assert run.poll() == 0, run.told
    return found | exposed(folder), looks


@pytest.fixture
def study(tmp_path):
    return begun_study(tmp_path / "clinic")


@pytest.mark.parametrize("umask", [0o000, pytest.param(0o022, marks=pytest.mark.slow)])
def test_commands__expose_nothing_private_at_any_moment(study, umask, monkeypatch):
    folder = study.parent
    shutil.rmtree(folder / "study.store")
    shutil.rmtree(folder / "releases")
    monkeypatch.setenv("CLINIC_KEY", "correct horse battery staple")
    patient = week(study, 1).read_text().splitlines()[1].split(",")[0].strip('"')
    commands = [
        ("publish", week(study, 1)),
        ("publish", week(study, 2)),
        ("store", "check"),
        ("store", "forget", patient),
        ("store", "backup", "study.backup"),
        ("store", "restore", "study.backup"),
        ("store", "export", "export"),
        ("store", "rekey", "--key-variable", "CLINIC_KEY"),
    ]
    for words in commands:
        found, looks = watched(folder, umask, *words)
        assert (found, looks > 100) == (set(), True), words
    modes = {one.stat().st_mode & 0o777 for one in (folder / "releases").iterdir()}
    assert modes == {0o644}
    assert (folder / "releases").stat().st_mode & 0o777 == 0o755
    study.write_text(study.read_text().replace(*SEALED))
    for words in [("publish", week(study, 3)), ("store", "rekey", "--key-variable", "OTHER")]:
        found, _ = watched(folder, umask, *words, OTHER="another horse, another staple")
        assert found == set(), words


def test_store__that_was_copied_with_open_modes_is_private_once_it_is_opened(study):
    folder = study.parent
    (folder / "study.store").chmod(0o755)
    watched(folder, 0o022, "history")
    assert (folder / "study.store").stat().st_mode & 0o777 == 0o700


def test_backup__is_not_written_through_a_link_that_others_planted(study, tmp_path):
    folder = study.parent
    stranger = tmp_path / "stranger"
    stranger.write_bytes(b"as it was")
    for planted in ("study.backup.part", ".study.backup.part"):
        (folder / planted).symlink_to(stranger)
    watched(folder, 0o022, "store", "backup", "study.backup")
    assert stranger.read_bytes() == b"as it was"
    assert (folder / "study.backup").stat().st_mode & 0o777 == 0o600
    assert not (folder / "study.backup").is_symlink()


def test_backup__never_takes_the_place_of_another_file(study, tmp_path):
    folder = study.parent
    (folder / "study.backup").symlink_to(tmp_path / "nowhere")
    assert exit_code(command, "store", "backup", "study.backup", folder=folder) == 3
    assert not (tmp_path / "nowhere").exists()
