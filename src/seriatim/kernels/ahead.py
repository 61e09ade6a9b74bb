"""Compiling what a command will call before it is called, on all cores.

Left alone, a first use compiles one kernel after the other: the compiler holds a lock, so that
threads would wait for each other. Processes do not, and all of them fill the same cache. Which
kernels a command calls, with which types, stands in ``ahead.json``, the longest to compile first;
``benchmarks/record_kernels.py`` writes it. A kernel that is not listed is compiled when called.
"""

from __future__ import annotations

import functools
import importlib
import json
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from seriatim.kernels.compiled import chosen_folder, compiled_names

COMPILING = "compiling for this machine, once for each version of seriatim"
"""What people are shown meanwhile."""

_SERVE = "from seriatim.kernels.ahead import serve; serve()"


_Work = tuple[str, list[list[str]]]
"""A kernel, as ``module.name``, and the lists of types that it is to be compiled for."""


@functools.cache
def listed() -> dict[str, dict[str, list[list[str]]]]:
    """Return what is listed: for each command its kernels, each with its lists of types."""
    text = (Path(__file__).parent / "ahead.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, list[list[str]]]] = json.loads(text)
    return found


def missing(command: str) -> list[str]:
    """Return the listed kernels of a command that were never compiled here.

    Known without loading the compiler.
    """
    there = compiled_names()
    return [name for name in listed()[command] if name not in there]


def compile_ahead(
    command: str, progress: Callable[[int, int], None] = lambda _done, _all: None
) -> None:
    """Compile the missing kernels of a command, on all cores; what fails is left for its call.

    ``progress`` is told how many of how many are done.
    """
    compile_signatures({name: listed()[command][name] for name in missing(command)}, progress)


def compile_all() -> None:
    """Compile the missing kernels of all listed commands: for an image of a machine, for tests."""
    for command in listed():
        compile_ahead(command)


def compile_signatures(
    wanted: Mapping[str, list[list[str]]],
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> None:
    """Compile kernels, given as ``module.name``, each for its lists of types, on all cores."""
    if not wanted:
        return
    from seriatim.kernels._jit import cache_folder, usable_cores

    pending, done, lock = deque(wanted.items()), 0, threading.Lock()

    def count() -> None:
        nonlocal done
        with lock:
            done += 1
            progress(done, len(wanted))

    progress(0, len(wanted))
    # A cache that ends with this process is of no use to others.
    helpers = usable_cores() - 1 if Path(cache_folder) == chosen_folder() else 0
    threads = [
        threading.Thread(target=_hand_out, args=(pending, count), daemon=True)
        for _ in range(min(helpers, len(wanted) - 1))
    ]
    for thread in threads:
        thread.start()
    for name, signatures in _taken(pending):
        _compile(name, signatures)
        count()
    for thread in threads:
        thread.join()


def _taken(pending: deque[_Work]) -> Iterator[_Work]:
    """Yield what is waiting, until another has taken the last."""
    while True:
        try:
            yield pending.popleft()
        except IndexError:
            return


def _hand_out(pending: deque[_Work], count: Callable[[], None]) -> None:
    """Let a process of its own compile, one kernel after the other, while any are waiting."""
    # -P: a folder that someone works in must not stand in for our packages.
    asked = [sys.executable, "-P", "-c", _SERVE]
    try:
        with subprocess.Popen(
            asked,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            for work in _taken(pending):
                process.stdin.write(json.dumps(work) + "\n")
                process.stdin.flush()
                if not process.stdout.readline():
                    return
                count()
            process.stdin.close()
    except OSError:  # no process, or one that ended: kernels are compiled when they are called
        return


def serve(asked: TextIO = sys.stdin, answers: TextIO = sys.stdout) -> None:
    """Compile what is asked for, line by line, until nobody asks any more."""
    for line in asked:
        _compile(*json.loads(line))
        answers.write("done\n")
        answers.flush()


def _compile(name: str, signatures: list[list[str]]) -> None:
    from numba.core.errors import NumbaError

    module, _, function = name.rpartition(".")
    try:
        dispatcher = getattr(importlib.import_module(f"seriatim.kernels.{module}"), function)
        for types in signatures:
            dispatcher.compile(tuple(map(type_of, types)))
    except NumbaError:  # told when it is called
        return


def type_of(written: str) -> Any:
    """Return a type as it is written in the list: ``float64``, ``readonly int64[::1]``."""
    from numba.core import sigutils

    word = written.removeprefix("readonly ")
    ((found,), _) = sigutils.normalize_signature(f"({word},)")  # type: ignore[no-untyped-call]
    return found if word == written else found.copy(readonly=True)


def written_type(found: Any) -> str | None:
    """Return how a type is written in the list; None for what is neither number nor array."""
    from numba import types

    plain = (types.Number, types.Boolean)
    if isinstance(found, plain):
        return str(found)
    if not isinstance(found, types.Array) or not isinstance(found.dtype, plain):
        return None
    axes = [":"] * found.ndim
    if found.layout in "CF":
        axes[-1 if found.layout == "C" else 0] = "::1"
    written = f"{found.dtype}[{','.join(axes)}]"
    return written if found.mutable else f"readonly {written}"
