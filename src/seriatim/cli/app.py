"""The program: its commands in the order in which help lists them, and how errors reach people."""

from __future__ import annotations

import gc
import io
import signal
import sys
from typing import Annotated

import typer

from seriatim._version import __version__
from seriatim.cli import (
    attack_commands,
    planning_commands,
    series_commands,
    starting_commands,
    store_commands,
)
from seriatim.errors import InternalError, SeriatimError

INTERNAL_EXIT_CODE = 70
TERMINATED_EXIT_CODE = 143

_EXIT_CODES = (
    "Exit codes: 0 done; 1 the data or a guarantee does not allow it; 2 bad usage or"
    " configuration; 3 the store is locked, damaged or the key is wrong; 70 a defect of seriatim."
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
    for stream in (sys.stdout, sys.stderr):
        # A terminal that has no Ω shows a question mark instead of a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    # Looking for cycles among all that libraries made takes longer than a command makes any.
    gc.set_threshold(50_000)
    # Asked to end, a command ends as it does after an error: nothing private is left behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED_EXIT_CODE))
    try:
        app()
    except SeriatimError as error:
        typer.echo(f"seriatim: {error}", err=True)
        sys.exit(error.exit_code)
    except InternalError as error:
        typer.echo(
            f"seriatim: {error}\nThis is a defect of seriatim, not of your data. Please report"
            " it with the command you ran; the message names no respondent.",
            err=True,
        )
        sys.exit(INTERNAL_EXIT_CODE)
