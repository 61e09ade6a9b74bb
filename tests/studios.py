"""A studio that runs, and what a real browser before it notes.

``equipment`` says which browser, and what becomes of these tests where there is none.
"""

import contextlib
import http.client
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest

from equipment import need

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SOURCES = Path(__file__).parents[1] / "src"


@dataclass
class Running:
    """A studio that runs."""

    process: subprocess.Popen | None
    """Its own; None where one process serves many."""

    folder: Path
    address: str
    """The address with the token."""

    @property
    def base(self):
        return self.address.split("/open")[0]

    @property
    def port(self):
        return int(self.base.rsplit(":", 1)[1])

    def end(self):
        """End it as Ctrl-C does, and return all that it said."""
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.communicate(timeout=120)[0]
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


@contextlib.contextmanager
def running(folder, *, browser=None):
    """Run the command, as a person would; ``browser`` is a program that is to be opened."""
    need("starlette", "uvicorn", "jinja2")
    asked = [str(folder)] if browser else [str(folder), "--no-browser"]
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "seriatim.cli", "studio", *asked],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONPATH": str(SOURCES), "BROWSER": str(browser)},
    )
    said = []
    for line in process.stdout:
        said.append(line)
        if found := re.search(r"http://\S+", line):
            break
    else:
        pytest.fail("the studio did not start:\n" + "".join(said))
    studio = Running(process, folder, found[0])
    try:
        yield studio
    finally:
        if process.poll() is None:
            studio.end()
        process.stdout.close()


@dataclass
class Host:
    """A process that serves many studios, and lasts as long as the tests do."""

    process: subprocess.Popen

    @contextlib.contextmanager
    def serving(self, folder):
        """Serve a studio of a folder, whose libraries and kernels are there already."""
        studio = Running(None, folder, self._ask(folder))
        try:
            yield studio
        finally:
            self._tell(studio.port)

    def _ask(self, folder):
        self._tell(folder)
        address = self.process.stdout.readline().strip()
        if not address:
            pytest.fail("the process that serves studios has ended")
        return address

    def _tell(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()


@contextlib.contextmanager
def hosting():
    """Run a process that serves studios; see ``studio_host``."""
    need("starlette", "uvicorn", "jinja2")
    process = subprocess.Popen(
        [sys.executable, Path(__file__).with_name("studio_host.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(SOURCES)},
    )
    with process:
        try:
            yield Host(process)
            process.stdin.close()
            process.wait(120)
        finally:
            process.kill()


def waits_for(there, seconds=120):
    """Wait for what no event tells of."""
    until = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < until
        time.sleep(0.02)


class Client:
    """A browser without a browser: it keeps the cookie, and says what it is told to say."""

    def __init__(self, studio):
        self.studio = studio
        self.cookie = None
        self.csrf = None

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.studio.port, timeout=120)
        sent = {} if self.cookie is None else {"Cookie": self.cookie}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body=body, headers=sent)
        answer = connection.getresponse()
        answer.text = answer.read().decode("utf-8", "replace")
        connection.close()
        return answer

    def enter(self):
        path = self.studio.address.removeprefix(self.studio.base)
        answer = self.ask("GET", path, Sec_Fetch_Site="none")  # typed, or opened by a program
        assert answer.status == 303
        self.cookie = answer.headers["Set-Cookie"].split(";")[0]
        self.csrf = re.search(r'name="csrf" value="([^"]+)"', self.get("/publish").text)[1]
        return answer

    def get(self, path, **headers):
        return self.ask("GET", path, **headers)

    def post(self, path, *, csrf=True, form=(), **headers):
        fields = [*form, *([("csrf", self.csrf)] if csrf else [])]
        headers.setdefault("Origin", self.studio.base)
        headers.setdefault("Content_Type", "application/x-www-form-urlencoded")
        given = {name: value for name, value in headers.items() if value is not None}
        return self.ask("POST", path, urlencode(fields), **given)


@contextlib.contextmanager
def opened(browser, file, *, width=1024, light="light"):
    """Open the page of a file as someone sees it; what it asked for and complained of is kept."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=light, accept_downloads=True
    )
    page = context.new_page()
    page.asked, page.complaints = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("console", lambda said: page.complaints.append(said.text))
    page.goto(file.resolve().as_uri())
    page.wait_for_selector("html[data-drawn]")
    yield page
    context.close()


@dataclass
class Visit:
    """A browser that was let in; it notes what pages complain of, and all that they say."""

    context: object
    page: object
    complaints: list
    bodies: dict


def watch(visit, page):
    """Note errors, what a policy blocked, requests to elsewhere, and every page that came."""
    from playwright.sync_api import Error

    page.set_default_timeout(120_000)

    def on_console(message):
        # A page that says what cannot be done; an answer that nobody waits for any more.
        meant = "status of 4" in message.text or "AbortError" in message.text
        if message.type in ("error", "warning") and not meant:
            visit.complaints.append(message.text)

    def on_response(response):
        kind = response.headers.get("content-type", "")
        if "text/html" in kind and not 300 <= response.status < 400:
            # Someone who goes on leaves an answer behind that no page was made of.
            with contextlib.suppress(Error):
                visit.bodies[f"{len(visit.bodies)} {response.url}"] = response.text()

    page.on("console", on_console)
    page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    page.on("response", on_response)


_APPEARS = """
([css, words, folded]) => [...document.querySelectorAll(css)].some(one => folded
  ? one.textContent.includes(words)
  : one.checkVisibility() && (!words || one.innerText.replace(/\\s+/g, ' ').includes(words)))
"""
_LOOKS = 40
"""Milliseconds between looks; those of ``wait_for_selector`` soon lie half a second apart."""


def appears(page, css, words="", *, folded=False):
    """Wait until something is seen, with some words; or is there, though ``folded`` away."""
    page.wait_for_function(_APPEARS, arg=[css, words, folded], polling=_LOOKS)


def vanishes(page, css):
    """Wait until nothing of a kind is there any more."""
    page.wait_for_function("css => !document.querySelector(css)", arg=css, polling=_LOOKS)
