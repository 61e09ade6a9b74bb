"""The one door to numba: how kernels are compiled, cached and run over ranges.

Kernels release the interpreter lock, so plain Python threads use all cores;
numba's own ``parallel=True`` may abort a process that already has threads.
"""

from __future__ import annotations

import atexit
import functools
import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

from seriatim._temporary import register
from seriatim.kernels.compiled import kept_in

_LEAST_ITEMS_PER_THREAD = 256

_RANGES_PER_THREAD = 8
"""How many times each thread takes a range, were they alike: the last ones end together."""


def _writable(folder: Path) -> str:
    """Return the folder, or a temporary one where it cannot be written.

    numba refuses to import a cached kernel when it finds no writable folder,
    which happens in containers with a read-only installation and no HOME. What is cached is
    code: a folder that others may write is made private, or not used.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_mode & 0o022:
            folder.chmod(0o700)
        with tempfile.TemporaryFile(dir=folder):
            return str(folder)
    except OSError:
        private = tempfile.mkdtemp(prefix="seriatim-numba-")
        register(Path(private))
        atexit.register(shutil.rmtree, private, ignore_errors=True)
        return private


# Read when a kernel is declared, so it also works where numba was imported before us.
cache_folder = _writable(kept_in(getattr(numba.config, "CACHE_DIR", "")))
numba.config.CACHE_DIR = cache_folder  # type: ignore[attr-defined]

kernel = numba.njit(cache=True, nogil=True, error_model="numpy")
"""Compile a function on arrays; exact IEEE order of operations, no fast-math."""


class _InnerKernel(type(kernel(lambda: None))):  # type: ignore[misc]
    """A kernel that Python cannot call: without a wrapper, the interpreter would crash."""

    def __call__(self, *_: Any, **__: Any) -> None:
        message = f"{self.py_func.__name__} is an inner kernel: only kernels can call it."
        raise TypeError(message)


_Function = TypeVar("_Function", bound=Callable[..., Any])


def inner_kernel(function: _Function) -> _Function:
    """Compile a function that only kernels call, without the wrapper for calls from Python.

    A wrapper unpacks arguments. It takes a tenth of the time that a kernel takes to compile.
    """
    njit: Any = numba.njit  # its types do not know all of its options
    compiled = njit(
        cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True
    )(function)
    compiled.__class__ = _InnerKernel
    return cast(_Function, compiled)


inlined_kernel = numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
"""A kernel that becomes a part of every kernel that calls it.

A call counts who holds each of its arrays, up and down again, and threads wait for each other
to count: much for a call at every tuple.
"""


def usable_cores() -> int:
    """Return the cores this process may use, which in a container may be fewer than there are.

    The variable SERIATIM_CORES says it for workers that share a machine with others of their kind.
    """
    asked = os.environ.get("SERIATIM_CORES", "")
    if asked.isdigit():
        return max(int(asked), 1)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def over_ranges(
    work: Callable[..., None], length: int, *arrays: Any, least: int = _LEAST_ITEMS_PER_THREAD
) -> None:
    """Call ``work(start, stop, *arrays)`` on ranges that together cover ``range(length)``.

    Fewer than ``least`` items are not worth a thread of their own.

    Each item must write only its own part of the output, so that the result
    does not depend on the number of threads.
    """
    threads = min(usable_cores(), length // least)
    if threads <= 1:
        work(0, length, *arrays)
        return
    # Items differ in cost, and a free thread takes the next range.
    ranges = threads * _RANGES_PER_THREAD
    bounds = [length * part // ranges for part in range(ranges + 1)]
    calls(work, [(start, stop, *arrays) for start, stop in itertools.pairwise(bounds)], threads)


def calls(
    work: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], threads: int | None = None
) -> list[Any]:
    """Call ``work`` with each of some arguments, on all cores; return what came of each."""
    threads = min(usable_cores() if threads is None else threads, len(arguments))
    if threads <= 1:
        return [work(*one) for one in arguments]
    found: list[Any] = [None] * len(arguments)
    waiting = list(enumerate(arguments))[::-1]

    def take_turns() -> None:
        while waiting:
            try:
                place, one = waiting.pop()
            except IndexError:  # another took the last one meanwhile
                return
            found[place] = work(*one)

    # Whoever calls works too: a thread that has to be woken for each call costs more than many
    # a kernel's work, and one that is still busy elsewhere is not waited for.
    pool = _pool(os.getpid(), threads)
    helpers = [pool.submit(take_turns) for _ in range(threads - 1)]
    try:
        take_turns()
    finally:
        waiting.clear()
        for helper in helpers:
            if not helper.cancel():
                helper.result()
    return found


@functools.lru_cache(maxsize=4)
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """Return threads that stay: starting them costs more than many a kernel's work.

    By process, because threads do not survive a fork.
    """
    return ThreadPoolExecutor(threads, thread_name_prefix="seriatim")
