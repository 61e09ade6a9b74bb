"""How a browser gets to the studio, and how the studio ends."""

import contextlib
import re
import signal
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from seriatim.publish.duckdb_store import DuckDBStore
from seriatim.publish.seal import Key
from studies import write_study
from studios import Client, running, waits_for

BROWSER = """#!/bin/sh
# Notes what everyone on the machine can see of a browser, and what it was shown.
printf '%s\\n' "$@" > "{notes}/arguments"
file="${{1#file://}}"
stat -c %a "$file" > "{notes}/mode"
stat -c %a "$(dirname "$file")" > "{notes}/mode of folder"
cp "$file" "{notes}/page.html"
"""
SEALED = [("[reader]", '[store]\nsealed = true\nkey_variable = "CLINIC_KEY"\n\n[reader]')]


@contextlib.contextmanager
def opening(tmp_path_factory):
    """Let a studio open a browser, and say what that one noted."""
    notes, clinic = (tmp_path_factory.mktemp(name) for name in ("notes", "clinic"))
    browser = notes / "browser"
    browser.write_text(BROWSER.format(notes=notes))
    browser.chmod(0o700)
    with running(clinic, browser=browser) as studio:
        waits_for((notes / "page.html").exists)
        yield studio, notes


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A studio that opened a browser; one test alone follows it."""
    with opening(tmp_path_factory) as found:
        yield found


@pytest.fixture
def unused(tmp_path_factory):
    """A studio whose address nobody used."""
    with opening(tmp_path_factory) as found:
        yield found


def redirect_file(notes):
    return Path(unquote(urlsplit((notes / "arguments").read_text().strip()).path))


def test_browser__is_started_without_the_token(opened):
    studio, notes = opened
    token = studio.address.partition("token=")[2]
    assert token not in (notes / "arguments").read_text()
    assert (notes / "arguments").read_text().startswith("file://")
    assert token in (notes / "page.html").read_text()


def test_browser__is_started_with_a_file_that_is_its_owner_s_alone(opened):
    _, notes = opened
    assert (notes / "mode").read_text() == "600\n"
    assert (notes / "mode of folder").read_text() == "700\n"


def test_browser__gets_from_the_file_to_the_studio_and_the_file_is_removed(opened, chromium):
    studio, notes = opened
    assert redirect_file(notes).exists()
    context = chromium.new_context()
    page = context.new_page()
    page.goto(redirect_file(notes).as_uri())
    page.wait_for_url(f"{studio.base}/")
    assert "Studies" in page.inner_text("body")
    waits_for(lambda: not redirect_file(notes).parent.exists())
    context.close()


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 0)])
def test_file__is_removed_when_the_studio_ends_unused(unused, sent, code):
    studio, notes = unused
    studio.process.send_signal(sent)
    assert studio.process.wait(20) == code
    assert not redirect_file(notes).parent.exists()


@pytest.fixture
def publishing(tmp_path, monkeypatch):
    """A studio that publishes to a sealed store, and the private folder of that."""
    monkeypatch.setenv("CLINIC_KEY", "correct horse battery staple")
    write_study(tmp_path, weeks=1, size=20_000, changes=SEALED)  # the work takes a while
    with DuckDBStore(tmp_path / "study.store", key=Key.from_environment("CLINIC_KEY")) as store:
        private = store.working.parent
    with running(tmp_path) as studio:
        guest = Client(studio)
        guest.enter()
        guest.post("/publish", form=[("view", "views/week-1.csv"), ("action", "publish")])
        waits_for(private.exists)
        yield studio, private


def test_studio__told_to_end_does_so_at_once_and_leaves_no_plain_content(publishing):
    studio, private = publishing
    studio.process.terminate()
    assert studio.process.wait(10) == 143
    assert not private.exists()


def test_studio__interrupted_twice_does_not_wait_for_its_work(publishing):
    studio, private = publishing
    studio.process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert studio.process.poll() is None
    studio.process.send_signal(signal.SIGINT)
    assert studio.process.wait(10) == 130
    assert not private.exists()
    assert not re.search("Traceback|Error", studio.process.stdout.read())
