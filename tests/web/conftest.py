"""A real browser for the pages: the system's chromium, driven by playwright."""

import contextlib

import pytest

from equipment import absent, find_browser, need
from report_studies import published_study
from studios import QUIET, opened


@pytest.fixture(scope="session")
def browser():
    """One for all pages: a thread has one driver at a time."""
    need("playwright")
    chromium = find_browser()
    if chromium is None:
        absent("Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=chromium, args=list(QUIET))
        yield running
        running.close()


@pytest.fixture(scope="session")
def published_weeks(tmp_path_factory):
    """A study that has published its weeks, for whoever copies it or only looks at it."""
    return published_study(tmp_path_factory.mktemp("published"))


@pytest.fixture
def visit(browser):
    """Open pages as someone sees them; see ``opened``."""
    with contextlib.ExitStack() as stack:
        yield lambda file, **seen: stack.enter_context(opened(browser, file, **seen))
