"""A real browser for the pages: the system's chromium, driven by playwright."""

import pytest

from studios import CHROMIUM, QUIET, absent, need


@pytest.fixture(scope="session")
def browser():
    """One for all pages: a thread has one driver at a time."""
    need("playwright")
    if CHROMIUM is None:
        absent("Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield running
        running.close()


@pytest.fixture
def visit(browser):
    """Open a page as someone sees it: width, light; what it asked for and complained of is kept."""
    contexts = []

    def open_page(file, *, width=1024, light="light"):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=light, accept_downloads=True
        )
        contexts.append(context)
        page = context.new_page()
        page.asked, page.complaints = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda said: page.complaints.append(said.text))
        page.goto(file.resolve().as_uri())
        page.wait_for_selector("html[data-drawn]")
        return page

    yield open_page
    for context in contexts:
        context.close()
