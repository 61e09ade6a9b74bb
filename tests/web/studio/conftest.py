"""A studio that runs, and a real browser before it."""

import pytest

from studies import write_study
from studios import Visit, running, watch


@pytest.fixture
def clinic(tmp_path):
    """A folder with a study, its views and its knowledge; nothing is published yet."""
    write_study(tmp_path, weeks=4, size=80)
    return tmp_path


@pytest.fixture
def studio(clinic):
    with running(clinic) as studio:
        yield studio


@pytest.fixture
def chromium(browser):
    return browser


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
