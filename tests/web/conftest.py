"""A real browser for the pages: the system's chromium, driven by playwright."""

import os
import shutil

import pytest

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def missing():
    """Say what is not there to drive a browser with."""
    wanted = []
    if shutil.which("chromium") is None:
        wanted.append("chromium (from the system's packages)")
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        wanted.append("playwright (from requirements-dev.lock)")
    return wanted


@pytest.fixture(scope="session")
def browser():
    wanted = missing()
    if wanted:
        message = f"pages are not tried in a real browser: {' and '.join(wanted)} not found"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        running = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(ARGUMENTS)
        )
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
