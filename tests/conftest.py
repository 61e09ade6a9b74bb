"""Hypothesis profiles, and what many tests start from."""

import os
import signal
import threading

import pytest
from hypothesis import HealthCheck, settings

import seriatim as sr

# A compiled kernel is slow once, when it is compiled: no deadlines.
settings.register_profile(
    "dev", deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "ci",
    settings.get_profile("dev"),
    max_examples=40,
    derandomize=True,
    database=None,
    print_blob=True,
)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Let workers share the tests as ``scheduling`` says."""
    from scheduling import TogetherScheduling

    return TogetherScheduling(config, log)


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
