"""Processes that are sent signals."""

import re
import signal
import time
from pathlib import Path


def handles_signals(process):
    """Tell whether a process handles SIGTERM itself, as Linux shows it."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return False
    caught = int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


def wait_until_signals_are_handled(process, seconds=60.0):
    """Wait until a signal would not find the interpreter's own handlers any more."""
    until = time.monotonic() + seconds
    while not handles_signals(process):
        assert process.poll() is None, "the process has ended"
        assert time.monotonic() < until, "the process does not handle signals"
        time.sleep(0.002)
