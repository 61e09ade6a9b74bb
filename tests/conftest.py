"""Hypothesis profiles, and what many tests start from."""

import os

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


@pytest.fixture(scope="session")
def running_example():
    """Alice, Betty, Carol, Doris: the paper's Section II."""
    return sr.running_example()
