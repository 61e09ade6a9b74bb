"""What tests need that no wheel of ours brings: a browser, Java, libraries of extras.

Where something is not there, the tests that need it say so and are skipped, and the last lines of
the run tell what was not run and why. In CI that is a failure.
"""

import importlib.util
import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

WITHOUT_WINDOWS = ("chromium-headless-shell", "chrome-headless-shell")
"""What Chromium is called where it has no windows: pages cost it half the processor's time."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""What it is called with them."""

OBTAINED = Path(__file__).parents[1] / ".venv" / "browser" / "chromium"
"""Where ``obtain_browser.py`` leaves one."""

WHY_NONE = OBTAINED.with_name("why-none.txt")


def find_browser(names=(*WITHOUT_WINDOWS, str(OBTAINED), *BROWSERS)):
    """Return the path of a Chromium, None where there is none."""
    return next(filter(None, map(shutil.which, names)), None)


NOT_THERE = "is not there"


def absent(what):
    """Say plainly what is not there."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} {NOT_THERE}, and in CI it must be")
    pytest.skip(f"{what} {NOT_THERE}", allow_module_level=True)


def need(*modules):
    """Say plainly which of some modules is not there."""
    for name in modules:
        if importlib.util.find_spec(name) is None:
            absent(name)


def tell_what_was_not_run(reporter):
    """Write which tests were not run for want of what they need, as the last of a run's lines."""
    reasons = [report.longrepr[2] for report in reporter.stats.get("skipped", [])]
    wanted = Counter(one.removeprefix("Skipped: ") for one in reasons if one.endswith(NOT_THERE))
    for reason, count in sorted(wanted.items()):
        why = ""
        if "Chromium" in reason and WHY_NONE.exists():
            why = f" ({WHY_NONE.read_text(encoding='utf-8')})"
        reporter.write_line(f"NOT RUN: {count} tests, since {reason}{why}", yellow=True)
