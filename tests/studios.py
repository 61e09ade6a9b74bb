"""A studio that runs, and what a real browser before it notes.

The browser is the system's Chromium. Where it, or the studio's own libraries, are not there,
these tests say so and are skipped; in CI that is a failure.
"""

import contextlib
import http.client
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def absent(what):
    """Say plainly what is not there."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is not there, and in CI it must be")
    pytest.skip(f"{what} is not there", allow_module_level=True)


def need(*modules):
    """Say plainly which of some modules is not there."""
    for name in modules:
        if importlib.util.find_spec(name) is None:
            absent(name)


@dataclass
class Running:
    """A studio that runs in a process of its own."""

    process: subprocess.Popen
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
            return self.process.communicate(timeout=60)[0]
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
        env=os.environ
        | {"PYTHONPATH": str(Path(__file__).parents[1] / "src"), "BROWSER": str(browser)},
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


class Client:
    """A browser without a browser: it keeps the cookie, and says what it is told to say."""

    def __init__(self, studio):
        self.studio = studio
        self.cookie = None
        self.csrf = None

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.studio.port, timeout=30)
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
