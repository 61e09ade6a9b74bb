"""A studio that runs, and a real browser before it."""

import contextlib
import shutil

import pytest

from seriatim.publish.press import open_store
from seriatim.publish.study import Study
from studies import write_study
from studios import Visit, hosting, watch


@pytest.fixture(scope="session")
def studio_host():
    """The process that serves studios."""
    with hosting() as host:
        yield host


@pytest.fixture
def clinic(tmp_path):
    """A folder with a study, its views and its knowledge; nothing is published yet."""
    write_study(tmp_path, weeks=4, size=80)
    return tmp_path


@pytest.fixture
def published(clinic, published_weeks):
    """The folder of the studio, with a study that has published three weeks."""
    shutil.rmtree(clinic)
    shutil.copytree(published_weeks.parent, clinic)
    return clinic


@pytest.fixture
def store_in_use(clinic):
    """Have the store of the studio's study for a while: work that needs it waits."""

    @contextlib.contextmanager
    def in_use():
        with open_store(Study.read(clinic / "study.toml")):
            yield

    return in_use


@pytest.fixture
def studio(studio_host, clinic):
    """The studio of a folder; others are served by the same process."""
    with studio_host.serving(clinic) as studio:
        yield studio


@pytest.fixture
def chromium(browser):
    return browser


@pytest.fixture
def visit(studio, chromium):
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    visit = Visit(context, context.new_page(), [], {})
    watch(visit, visit.page)
    # The cookie alone: tests go to the screens that they are about.
    context.request.get(studio.address)
    yield visit
    context.close()
    assert visit.complaints == []


@pytest.fixture
def page(visit):
    return visit.page
