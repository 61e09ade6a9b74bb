"""Processes that are watched, killed or sent signals.

A new interpreter takes two seconds to load everything. A fork server loads it once, in a process
that has one thread, and forks a process for each call.
"""

import contextlib
import os
import re
import signal
import sys
import tempfile
import time
from multiprocessing import forkserver, get_context
from pathlib import Path
from unittest import mock

FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(["warmed"])

ONE_THREAD = {"JE_ARROW_MALLOC_CONF": "background_thread:false", "OPENBLAS_NUM_THREADS": "1"}
"""Keeps libraries from starting threads when they are imported."""


class Forked:
    """A process that calls a function and ends; it is used as ``subprocess.Popen`` is."""

    def __init__(self, function, *arguments, folder=None, umask=None, environment=None):
        start_server()
        self._told = tempfile.NamedTemporaryFile()  # noqa: SIM115 - closed with the process
        how = os.environ | (environment or {}), folder or Path.cwd(), umask, self._told.name
        self._process = FORKS.Process(target=_call, args=(how, function, arguments))
        self._process.start()

    @property
    def pid(self):
        return self._process.pid

    @property
    def told(self):
        """What it has printed so far."""
        return Path(self._told.name).read_text(encoding="utf-8")

    def poll(self):
        return self._process.exitcode

    def wait(self, seconds=60.0):
        self._process.join(seconds)
        assert self._process.exitcode is not None, "the process hangs"
        return self._process.exitcode

    def send_signal(self, number):
        with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(self.pid, number)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.join()
        self._process.close()
        self._told.close()


def start_server():
    """Start the fork server where it does not run yet."""
    path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with mock.patch.dict(os.environ, ONE_THREAD | path):
        forkserver.ensure_running()


def _call(how, function, arguments):
    """Call a function as whoever asked would have, and end with what it returns."""
    environment, folder, umask, told = how
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    if umask is not None:
        os.umask(umask)
    answer_signals()
    with Path(told).open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.exit(function(*arguments))


def answer_signals():
    """Answer signals as a process does that a terminal starts, whatever those above it ignore."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def exit_code(function, *arguments, **how):
    """Call a function in a process of its own, and return what the process ended with."""
    with Forked(function, *arguments, **how) as process:
        return process.wait()


def command(*words):
    """Run the program as a command line does."""
    from seriatim.cli import main

    sys.argv = ["seriatim", *map(str, words)]
    main()


def command_under_nohup(*words):
    """Run the program where a closed terminal is ignored."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    command(*words)


def handles_signals(process):
    """Tell whether a process handles SIGTERM itself, as Linux shows it."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return False
    caught = int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


def wait_until_signals_are_handled(process, seconds=60.0):
    """Wait until a signal would not find the interpreter's own handlers any more."""
    until = time.monotonic() + seconds
    while not handles_signals(process):
        assert process.poll() is None, "the process has ended"
        assert time.monotonic() < until, "the process does not handle signals"
        time.sleep(0.002)
