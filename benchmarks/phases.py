"""Where the time of a release goes: functions of the package, timed by the phase they belong to.

Time inside a phase that another phase calls counts for the inner one alone, so that phases add
up to the whole. What is done beside, in another thread, counts where it is waited for.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator

PHASES: dict[str, tuple[str, ...]] = {
    "read": ("seriatim.publish.press:open_view",),
    "take in": ("seriatim.microdata.intake:Intake.take_in",),
    "encode": (
        "seriatim.publish.publisher:Publisher.read",
        "seriatim.microdata.view:View.digest",
    ),
    "learn": ("seriatim.inference.adversary:Adversary.taught",),
    "recall": ("seriatim.publish.duckdb_memory:DuckDBMemory.recall",),
    "revise": ("seriatim.inference.adversary:Adversary.anticipate",),
    "partition": ("seriatim.publish.publisher:Publisher._partition",),
    "generalize": ("seriatim.publish.publisher:generalize",),
    "guard": ("seriatim.publish.publisher:guard",),
    "posterior": ("seriatim.inference.adversary:Adversary.consider",),
    "watch": ("seriatim.publish.press:watch",),
    "write": ("seriatim.publish.press:Press._written",),
    "certify": ("seriatim.publish.press:certify",),
    "store": ("seriatim.publish.duckdb_store:DuckDBStore.commit",),
    "open and close": (
        "seriatim.publish.press:Press.__init__",
        "seriatim.publish.press:Press.__exit__",
    ),
}
"""The phases of a publish from file to file, and the functions that do them."""


class Stopwatch:
    """Seconds by phase; a phase inside another stops the outer one's clock."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._clock = clock
        self._open: list[str] = []
        self._since = 0.0

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        self._turn()
        self._open.append(name)
        try:
            yield
        finally:
            self._turn()
            self._open.pop()

    def _turn(self) -> None:
        now = self._clock()
        if self._open:
            self.seconds[self._open[-1]] += now - self._since
        self._since = now


@contextlib.contextmanager
def timed_phases(watch: Stopwatch) -> Iterator[None]:
    """Let a stopwatch see every phase, as long as the context lasts."""
    restored = []
    for phase, places in PHASES.items():
        for place in places:
            module, _, name = place.partition(":")
            owner = importlib.import_module(module)
            *outer, last = name.split(".")
            for part in outer:
                owner = getattr(owner, part)
            function = getattr(owner, last)
            setattr(owner, last, _timed(function, phase, watch))
            restored.append((owner, last, function))
    try:
        with watch.phase("other"):
            yield
    finally:
        for owner, last, function in restored:
            setattr(owner, last, function)


def _timed(function: Callable, phase: str, watch: Stopwatch) -> Callable:
    @functools.wraps(function)
    def timed(*positional, **named):
        if threading.current_thread() is not threading.main_thread():
            return function(*positional, **named)
        with watch.phase(phase):
            return function(*positional, **named)

    return timed
