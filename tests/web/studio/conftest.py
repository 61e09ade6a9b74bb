"""A studio that runs, and a real browser before it."""

import pytest

from studies import write_study
from studios import CHROMIUM, QUIET, Visit, absent, need, running, watch


@pytest.fixture
def clinic(tmp_path):
    """A folder with a study, its views and its knowledge; nothing is published yet."""
    write_study(tmp_path, weeks=4, size=80)
    return tmp_path


@pytest.fixture
def studio(clinic):
    with running(clinic) as studio:
        yield studio


@pytest.fixture(scope="session")
def chromium():
    need("playwright")
    if CHROMIUM is None:
        absent("Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield browser
        browser.close()


@pytest.fixture
def visit(studio, chromium):
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    visit = Visit(context, context.new_page(), [], {})
    watch(visit, visit.page)
    visit.page.goto(studio.address)
    yield visit
    context.close()
    assert visit.complaints == []


@pytest.fixture
def page(visit):
    return visit.page
