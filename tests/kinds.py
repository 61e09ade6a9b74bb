"""Where the time of a run went, by kind of test: ``pytest -n auto --kinds``.

A test is of the first kind that fits: Spark, browser, docs, doctest, processes (it starts or forks
any), hypothesis, other. What the compiler took inside of tests is counted apart; processes that
tests start compile, too, and that is not seen here.
"""

import sys
import time
from collections import Counter

import pytest
from _pytest.doctest import DoctestItem

STARTS = ("subprocess.Popen", "os.fork", "os.posix_spawn", "os.spawn")


class Kinds:
    """Tells each test's kind and seconds to whoever reports, and adds them up there."""

    def __init__(self):
        self.started = 0
        self.compiling = 0.0
        self.nested = []
        self.seconds, self.tests, self.compiled = Counter(), Counter(), Counter()
        sys.addaudithook(self._heard)

    def _heard(self, event, _):
        self.started += event in STARTS

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self._listen_to_compiler()
        self.started, self.compiling = 0, 0.0
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        report.user_properties = [("kind", self._kind(item)), ("compiling", self.compiling)]
        self.compiling = 0.0
        return report

    def _kind(self, item):
        function = getattr(item, "obj", None)
        fits = {
            "Spark": "tests/spark" in item.nodeid,
            "browser": "browser" in getattr(item, "fixturenames", ()),
            "docs": "tests/docs" in item.nodeid,
            "doctest": isinstance(item, DoctestItem),
            "processes": self.started > 0,
            "hypothesis": getattr(function, "is_hypothesis_test", False),
            "other": True,
        }
        return next(kind for kind, fitting in fits.items() if fitting)

    def _listen_to_compiler(self):
        """Count the seconds of the compiler, once it is loaded."""
        if self.nested is None or "numba.core.event" not in sys.modules:
            return
        from numba.core import event

        kinds, nested, self.nested = self, [], None

        class Listener(event.Listener):
            def on_start(self, _):
                nested.append(time.perf_counter())

            def on_end(self, _):
                begun = nested.pop()
                if not nested:
                    kinds.compiling += time.perf_counter() - begun

        event.register("numba:compile", Listener())

    def pytest_runtest_logreport(self, report):
        told = dict(report.user_properties)
        if "kind" not in told:
            return
        kind = told["kind"]
        self.tests[kind] += report.when == "call"
        self.seconds[kind] += report.duration - told["compiling"]
        self.compiled[kind] += told["compiling"]

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("seconds of tests, by kind")
        rows = [(one, self.tests[one], self.seconds[one]) for one, _ in self.seconds.most_common()]
        rows.append(("compilation inside of tests", "", self.compiled.total()))
        rows.append(("all", self.tests.total(), self.seconds.total() + self.compiled.total()))
        for kind, tests, seconds in rows:
            terminalreporter.write_line(f"{kind:30} {tests:>6} {seconds:8.0f}")
