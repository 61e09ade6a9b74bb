"""The program: its commands in the order in which help lists them, and how errors reach people."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, TextIO

import typer

from seriatim._unforeseen import DEFECT, unforeseen
from seriatim._version import __version__
from seriatim.cli import (
    attack_commands,
    planning_commands,
    series_commands,
    starting_commands,
    store_commands,
)
from seriatim.cli.signals import end_at_once_on_signals

INTERNAL_EXIT_CODE = DEFECT
READER_LEFT_EXIT_CODE = 141
"""Whoever read what was printed left, as shells number it."""

_EXIT_CODES = (
    "Exit codes: 0 done; 1 the data or a guarantee does not allow it; 2 bad usage or"
    " configuration; 3 the store is locked, damaged or the key is wrong; 70 a defect of seriatim;"
    " 71 no memory, no room on the disk or no permission; 129, 130, 141, 143 ended by a signal."
)

_COMMANDS = (
    starting_commands.demo,
    starting_commands.example,
    starting_commands.init,
    series_commands.publish,
    attack_commands.audit,
    attack_commands.compare,
    planning_commands.assess,
    planning_commands.rehearse,
    planning_commands.tune,
    attack_commands.reproduce,
    planning_commands.mine,
    starting_commands.simulate,
    series_commands.verify,
    series_commands.report,
    series_commands.history,
    starting_commands.studio,
)
"""Each says what it takes, and imports what does the work when it is called."""

app = typer.Typer(
    name="seriatim",
    help="Publish tables about people again and again, safely.",
    epilog=_EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for _command in _COMMANDS:
    app.command()(_command)
app.add_typer(store_commands.store, name="store")


@app.callback(invoke_without_command=True)
def seriatim(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True)
    ] = False,
) -> None:
    """Publish tables about people again and again, safely."""
    if version:
        typer.echo(f"seriatim {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; errors are one clear paragraph, never a traceback."""
    _prepare_streams()
    # Looking for cycles among all that libraries made takes longer than a command makes any.
    gc.set_threshold(50_000)
    end_at_once_on_signals()
    with _without_lost_errors():
        sys.exit(_exit_code())


def _exit_code() -> int:
    """Run a command, tell what went wrong, and return what the process ends with."""
    out = sys.stdout
    try:
        code = _run()
        if out is not None:
            out.flush()
    except BrokenPipeError:
        # Whoever read had enough, as `head` has.
        code = READER_LEFT_EXIT_CODE
    except Exception as error:  # noqa: BLE001 - nobody else would tell of it in plain words
        found = unforeseen(error)
        with contextlib.suppress(OSError):
            typer.echo(f"seriatim: {found.told}", err=True)
        code = found.exit_code
    _drain(out)
    return code


def _run() -> int:
    try:
        app()
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):
            # typer and rich have noticed themselves, and would end with 1.
            raise ended.__context__ from None
        return ended.code if isinstance(ended.code, int) else 0
    return 0


def _prepare_streams() -> None:
    """Let nothing that is printed fail, whatever the terminal is, or where there is none."""
    for number in range(3):
        # Or the next file that is opened, such as the store, would get what is printed.
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that has no Ω shows a question mark instead of a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _drain(out: TextIO | None) -> None:
    """Empty the buffer of a stream that cannot be written, or the interpreter would complain."""
    if out is None:
        return
    try:
        out.flush()
    except OSError:
        with contextlib.suppress(OSError), Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), out.fileno())


@contextlib.contextmanager
def _without_lost_errors() -> Iterator[None]:
    """Print no traceback of errors that nobody can catch, such as while objects are removed."""
    before = sys.unraisablehook, threading.excepthook
    sys.unraisablehook, threading.excepthook = (lambda _: None), (lambda _: None)
    try:
        yield
    finally:
        sys.unraisablehook, threading.excepthook = before
