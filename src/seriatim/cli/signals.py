"""Signals: Ctrl-C, a closed terminal and a stopped job end a command at once, and tidily.

No exception is raised for them. It could come at any moment, such as while the compiler holds its
lock or while threads are joined, and the process would then wait for ever. Instead a thread of
its own reads the signal, also while the main thread is in compiled code, removes temporary files
and folders, first of all the plain content of sealed stores, and exits. What else is on the disk
is as after ``kill -9``, which every command survives: a publish is whole or absent.
"""

from __future__ import annotations

import contextlib
import functools
import os
import select
import signal
import socket
import sys
import threading
import time
from types import FrameType
from typing import Any

from seriatim._temporary import remove_registered

if sys.platform != "win32":
    import termios

INTERRUPTED = b"seriatim: interrupted. A publish is whole or absent; call the command again.\n"
"""What is told after Ctrl-C."""

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""Those that end a command; a system may not have all of them."""

_ENDED_BY = 128
"""What shells add to a signal's number to make an exit code of it."""

_PATIENCE = 5.0
"""Seconds after which the main thread exits itself, should the other not do it."""

_SHOW_CURSOR = b"\r\x1b[2K\x1b[?25h"
"""Erases the line of a progress bar, and shows the cursor that it hid."""


def end_at_once_on_signals() -> None:
    """Let signals end the process at once from now on, to its very end.

    Signals that are ignored, as under ``nohup``, stay ignored. Whoever handles a signal
    otherwise later on, as the studio does with Ctrl-C, gets it alone.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    signal.set_wakeup_fd(_thread_that_ends().fileno(), warn_on_full_buffer=False)
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stand_still)


@functools.cache
def _thread_that_ends() -> socket.socket:
    """Start the thread that ends the process; return where it is told of signals."""
    hears, tells = socket.socketpair()
    tells.setblocking(False)
    threading.Thread(
        target=_end_when_told,
        args=(hears, _terminal_settings()),
        name="seriatim-signals",
        daemon=True,
    ).start()
    return tells


def _stand_still(number: int, _: FrameType | None) -> None:
    """Keep the main thread from going on while files that it needs are removed.

    The thread that ends the process knows of the signal already, from the system, unless another
    handler called this one.
    """
    with contextlib.suppress(OSError):
        _thread_that_ends().send(bytes([_ENDED_BY + number]))
    time.sleep(_PATIENCE)
    os._exit(_ENDED_BY + number)


def _end_when_told(hears: socket.socket, terminal: list[Any] | None) -> None:
    """Wait for a signal that is ours to handle, and end the process.

    The system writes a signal's number, and ``_stand_still`` its exit code.
    """
    while told := hears.recv(1):
        number = told[0] % _ENDED_BY
        if told[0] > _ENDED_BY or signal.getsignal(number) is _stand_still:
            _end(number, terminal)


def _end(number: int, terminal: list[Any] | None) -> None:
    """Remove what must not stay, bring the terminal in order, and exit."""
    try:
        remove_registered()
        _end_children()
        _restore_terminal(terminal)
        if number == signal.SIGINT:
            _tell(INTERRUPTED)
    finally:
        os._exit(_ENDED_BY + number)


def _end_children() -> None:
    """End the processes that ``compare`` and ``reproduce`` work with: they would wait for ever.

    Spark's Java ends by itself when the pipe from its parent closes.
    """
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is not None:
        for child in multiprocessing.active_children():
            child.kill()


if sys.platform == "win32":  # pragma: no cover - the tests run on POSIX

    def _terminal_settings() -> None:
        return None

    def _restore_terminal(_: None) -> None:
        return None
else:

    def _terminal_settings() -> list[Any] | None:
        """Return the settings of the terminal that is typed at; a prompt for an id changes them."""
        try:
            return termios.tcgetattr(0)
        except (OSError, termios.error):
            return None

    def _restore_terminal(settings: list[Any] | None) -> None:
        """Show what is typed, and the cursor."""
        with contextlib.suppress(OSError, termios.error):
            # From the background, the system would stop the process for it.
            if settings is not None and os.tcgetpgrp(0) == os.getpgrp():
                termios.tcsetattr(0, termios.TCSANOW, settings)
        if os.isatty(2) and os.environ.get("TERM", "dumb") != "dumb":
            _tell(_SHOW_CURSOR)


def _tell(what: bytes) -> None:
    """Write to standard error, unless nobody reads it."""
    with contextlib.suppress(OSError, ValueError):
        if sys.platform == "win32" or select.select([], [2], [], 0)[1]:
            os.write(2, what)
