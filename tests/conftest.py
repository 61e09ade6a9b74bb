"""Hypothesis profiles, and what many tests start from."""

import functools
import os
import shutil
import signal
import threading
from pathlib import Path

import pytest
import typer.testing
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

import seriatim as sr
from equipment import tell_what_was_not_run

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "dev")
"""``dev`` for everyone, ``nightly`` for the long tier."""

# A compiled kernel is slow once, when it is compiled: no deadlines.
settings.register_profile(
    "dev", deadline=None, max_examples=10, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("nightly", settings.get_profile("dev"), max_examples=100)
# In CI the same examples are tried every time: a run that fails can be repeated.
settings.register_profile(
    "repeatable",
    settings.get_profile(PROFILE),
    derandomize=True,
    database=None,
    print_blob=True,
)
settings.load_profile("repeatable" if os.environ.get("CI") else PROFILE)


# A runner builds all commands anew for every call: a fifth of what tests of commands take.
typer.testing._get_command = functools.cache(typer.testing._get_command)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Look for examples in the docstrings of the package alone, not in those of tests."""
    collected = yield
    return [one for one in collected if not isinstance(one, DoctestModule)]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """Start one worker more than there are cores: tests wait for Spark, browsers and disks."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Let workers share the tests as ``scheduling`` says."""
    from scheduling import TogetherScheduling

    return TogetherScheduling(config, log)


def pytest_addoption(parser):
    parser.addoption("--kinds", action="store_true", help="end with where the time went, by kind")


MEMORY, ROOM = Path("/dev/shm"), 4 << 30
"""A folder that lies in memory, and how many bytes must be free there: a run writes one GB."""


def pytest_configure(config):
    # Stores wait for the disk at every commit, and no test is about disks.
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
    if config.getoption("--kinds", default=False):
        from kinds import Kinds

        config.pluginmanager.register(Kinds())


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter):
    """End with what was not run, and why, after all other summaries."""
    yield
    tell_what_was_not_run(terminalreporter)


@pytest.fixture(autouse=True)
def own_signals():
    """Let signals end the tests as they would have, after a test that ran the program itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)
            signal.set_wakeup_fd(-1)


@pytest.fixture(scope="session")
def running_example():
    """Alice, Betty, Carol, Doris: the paper's Section II."""
    return sr.running_example()
