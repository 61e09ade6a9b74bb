"""The commands, and how errors reach people."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from seriatim._version import __version__
from seriatim.errors import InternalError, SeriatimError

INTERNAL_EXIT_CODE = 70

app = typer.Typer(
    name="seriatim",
    help="Publish tables about people again and again, safely.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


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


@app.command()
def example(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the figures as JSON, for machines.")
    ] = False,
) -> None:
    """Tell the story of Alice, Betty, Carol and Doris.

    Two weeks of exam results, published as two tables that are each anonymous;
    what a reader learns from both together; and what JS-reduce does about it.
    """
    from seriatim.cli.example import print_figures, tell_story

    if as_json:
        print_figures()
    else:
        tell_story()


def main() -> None:
    """Run the command line; errors are one clear paragraph, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that has no Ω shows a question mark instead of a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
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
