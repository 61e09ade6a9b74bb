"""Signals sent to real commands: they end at once, leave nothing private, the series goes on."""

import contextlib
import os
import pty
import random
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

import seriatim as sr
from processes import (
    Forked,
    answer_signals,
    command,
    command_under_nohup,
    wait_until_signals_are_handled,
)
from seriatim.publish import seal
from seriatim.publish.pending_folder import PENDING
from studies import SEALED, begun_study, week

SECONDS = 20
"""Within which a command ends that was told to, on a machine that is busy."""


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("CLINIC_KEY", "correct horse battery staple")
    monkeypatch.setattr(seal, "COST_BITS", 4)
    monkeypatch.setenv("PYTHONPATH", str(Path(sr.__file__).parents[1]))


def publishing(study):
    """Return the words that publish the second week."""
    return "publish", str(week(study, 2)), "--at", "2", "--study", str(study)


def started(study, *, cache=None, **how):
    """Start the program itself, which loads and does everything anew."""
    env = os.environ | ({} if cache is None else {"NUMBA_CACHE_DIR": str(cache)})
    return subprocess.Popen(
        [sys.executable, "-m", "seriatim", *publishing(study)],
        env=env,
        preexec_fn=answer_signals,  # noqa: PLW1509 - it asks for no lock
        **how,
    )


def ended(process):
    try:
        return process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        pytest.fail("the command hangs")


def begun(folder, *, sealed):
    """A study with one release; and the private folder of its store."""
    study = begun_study(folder, changes=[SEALED] if sealed else ())
    with sr.Press(sr.Study.read(study)) as press:
        return study, press.store.working.parent


def goes_on(study):
    with sr.Press(sr.Study.read(study)) as press:
        if len(press.store.entries) == 1:
            press.publish(week(study, 2), at=2)
    chain = sr.verify_chain(sorted(sr.Study.read(study).output_folder.glob("*.json")))
    return [bool(one.holds) for one in chain] == [True, True]


@pytest.mark.parametrize("sealed", [False, True], ids=["plain", "sealed"])
def test_publish__told_to_end_at_any_moment_does_so_and_the_series_goes_on(tmp_path, sealed):
    study, private = begun(tmp_path, sealed=sealed)
    with Forked(command, *publishing(study)) as process:
        wait_until_signals_are_handled(process)
        time.sleep(moment := random.uniform(0, 0.6))
        process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS) in (0, 143, -signal.SIGTERM), f"after {moment} s"
    assert not sealed or not private.exists(), f"after {moment} s"
    assert goes_on(study)


@pytest.mark.slow
@pytest.mark.parametrize("sealed", [False, True], ids=["plain", "sealed"])
def test_program__told_to_end_at_many_moments_does_so_and_the_series_goes_on(tmp_path, sealed):
    study, private = begun(tmp_path, sealed=sealed)
    for moment in (random.uniform(0, 0.4), random.uniform(0.4, 1.2), random.uniform(1.2, 2)):
        with started(study, stdout=subprocess.DEVNULL) as process:
            wait_until_signals_are_handled(process)
            time.sleep(moment)
            process.terminate()
            code = ended(process)
        assert code in (0, 143, -signal.SIGTERM), f"after {moment} s"
        assert not sealed or not private.exists(), f"after {moment} s"
        if code == 0:
            break
    assert goes_on(study)


def test_program__killed_while_it_writes_files_is_whole_or_absent(tmp_path):
    study, _ = begun(tmp_path, sealed=False)
    with started(study, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and not (tmp_path / "releases" / PENDING).exists():
            time.sleep(0.002)
        process.kill()
        assert ended(process) in (0, -signal.SIGKILL)
    assert goes_on(study)


@pytest.mark.slow
def test_publish__told_to_end_while_it_compiles_removes_the_plain_content_of_the_store(tmp_path):
    study, private = begun(tmp_path / "study", sealed=True)
    for number in range(2):
        with started(study, cache=tmp_path / f"cache-{number}") as process:
            # The store is open, and the first kernels are on their way to be compiled.
            while not private.exists():
                assert process.poll() is None
                time.sleep(0.01)
            time.sleep(random.uniform(0.5, 4))
            process.terminate()
            assert ended(process) == 143
        assert not private.exists()
    assert goes_on(study)


def test_program__interrupted_says_so_and_ends_without_a_traceback(tmp_path):
    study, private = begun(tmp_path, sealed=True)
    with started(study, stderr=subprocess.PIPE, text=True) as process:
        while not private.exists():
            assert process.poll() is None
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        assert ended(process) == 130
        said = process.stderr.read()
    assert said.startswith("seriatim: interrupted. A publish")
    assert said.count("\n") == 1
    assert not private.exists()
    assert goes_on(study)


def test_publish__hung_up_ends_without_a_word(tmp_path):
    study, private = begun(tmp_path, sealed=True)
    with Forked(command, *publishing(study)) as process:
        while not private.exists():
            assert process.poll() is None
            time.sleep(0.002)
        process.send_signal(signal.SIGHUP)
        assert process.wait(SECONDS) == 129
        assert process.told == ""
    assert not private.exists()
    assert goes_on(study)


def test_publish__under_nohup_goes_on_when_the_terminal_is_closed(tmp_path):
    study, _ = begun(tmp_path, sealed=False)
    with Forked(command_under_nohup, *publishing(study)) as process:
        wait_until_signals_are_handled(process)
        process.send_signal(signal.SIGHUP)
        assert process.wait() == 0


def test_prompt__that_is_interrupted_lets_the_terminal_show_again_what_is_typed(tmp_path):
    study, _ = begun(tmp_path, sealed=False)
    ours, theirs = pty.openpty()
    asked = ["audit", str(tmp_path / "releases" / "release-0001.csv"), "--study", str(study)]
    asked += ["--original", str(week(study, 1)), "--reader", "paper", "--follow"]
    with subprocess.Popen(
        [sys.executable, "-m", "seriatim", *asked],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - nothing else runs in this process meanwhile
    ) as process:
        said = b""
        while b"Id of the respondent" not in said:
            said += os.read(ours, 4096)
            assert process.poll() is None, said
        while _shows_typing(theirs):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert ended(process) == 130
    assert _shows_typing(theirs)
    for one in (ours, theirs):
        os.close(one)


def _take_terminal():
    import fcntl

    answer_signals()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _shows_typing(terminal):
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


def test_workers__of_a_reproduction_end_with_it(tmp_path):
    asked = ["reproduce", "--quick", "--figure", "4", "--workers", "2", "--output", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-m", "seriatim", *asked],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=answer_signals,  # noqa: PLW1509 - it asks for no lock
    ) as process:
        while len(workers := _workers_of(process.pid)) < 2:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        process.terminate()
        assert ended(process) == 143
        said = process.stderr.read()
    assert "Traceback" not in said
    until = time.monotonic() + SECONDS
    while any(_is_running(worker) for worker in workers):
        assert time.monotonic() < until
        time.sleep(0.05)


def _workers_of(parent):
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    found = []
    for child in children:
        with contextlib.suppress(OSError):
            is_worker = b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
            # One that waits for what it is to do would complain that nobody tells it.
            if is_worker and b"/pyarrow/" in Path(f"/proc/{child}/maps").read_bytes():
                found.append(int(child))
    return found


def _is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
