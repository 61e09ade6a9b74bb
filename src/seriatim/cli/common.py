"""What the commands share: how figures, tables and progress are shown, folders for what is made."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from rich import box
from rich.console import Console, JustifyMethod
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column, Table

from seriatim._figures import written_figure
from seriatim.errors import StudyError, hearing_warnings
from seriatim.kernels.ahead import COMPILING, compile_ahead

errors = Console(stderr=True)
"""Where progress goes, so that what is printed can be piped on."""

_WIDTH_OF_FILES = 120
"""Characters of a line where nobody looks at a terminal."""

_WIDTH_OF_TIMES = len("0:00:00")
"""Times are not cut short where a terminal is narrow."""


def console() -> Console:
    """Return a console for tables; what is piped on is not squeezed into a narrow terminal."""
    found = Console()
    return found if found.is_terminal else Console(width=_WIDTH_OF_FILES)


def table_of(*titles: str, left: Collection[str] = (), title: str | None = None) -> Table:
    """Return a table to fill, tight enough for a terminal of 80 characters.

    Figures stand right, but for the columns that are named.
    """
    table = Table(box=box.SIMPLE_HEAD, title=title, collapse_padding=True, pad_edge=False)
    for place, one in enumerate(titles):
        side: JustifyMethod = "left" if one in left else "right"
        table.add_column(one, justify=side, no_wrap=place == 0)
    return table


def print_rows(
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: Collection[str] = (),
    title: str | None = None,
    cut: int,
    keys: int = 1,
) -> None:
    """Print rows as one table; as two, one under the other, where the terminal is too narrow.

    The second begins with the first columns again, so many as tell rows apart (``keys``), and
    goes on from the column ``cut``.
    """
    shown = console()

    def of(places: Sequence[int], named: str | None) -> Table:
        table = table_of(*(titles[place] for place in places), left=left, title=named)
        for row in rows:
            table.add_row(*(row[place] for place in places))
        return table

    every = range(len(titles))
    whole = of(every, title)
    needed = shown.measure(whole, options=shown.options.update(width=sys.maxsize)).maximum
    if needed <= shown.width:
        shown.print(whole)
    else:
        shown.print(of(every[:cut], title), of((*every[:keys], *every[cut:]), None))


def today() -> dt.date:
    """Return the day, for pages that say when they were made."""
    return dt.datetime.now(dt.UTC).date()


def print_json(found: Any) -> None:
    """Print for machines."""
    typer.echo(json.dumps(found, indent=1, ensure_ascii=False, default=str))


def program() -> str:
    """Return the word that calls the program, for commands that a user may try next.

    A program that is not on the path, as in an environment that was not activated, is named
    as it was called.
    """
    called = Path(sys.argv[0])
    found = shutil.which("seriatim")
    if called.stem != "seriatim" or (found and Path(found).resolve() == called.resolve()):
        return "seriatim"
    return sys.argv[0]


def require_new_folder(folder: Path, option: str) -> None:
    """Refuse a folder that has something in it, or is none."""
    try:
        taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    except OSError as error:
        message = f"{folder} cannot be looked into: {error.strerror}. Name another with {option}."
        raise StudyError(message) from None
    if taken:
        message = f"{folder} is not empty. Name another folder with {option}, or remove it."
        raise StudyError(message)


@contextlib.contextmanager
def telling_warnings() -> Iterator[list[str]]:
    """Tell on stderr what is odd about tables, whatever comes of the command."""
    with hearing_warnings() as heard:
        try:
            yield heard
        finally:
            tell_warnings(heard)
            heard.clear()


def tell_warnings(told: Iterable[str]) -> None:
    """Tell on stderr what is odd; what is printed can be piped on."""
    for one in told:
        typer.echo(f"WARNING: {one}", err=True)


@contextlib.contextmanager
def progress_through(
    steps: tuple[str, ...], *, quiet: bool = False, kernels: str | None = None
) -> Iterator[Callable[[str], None]]:
    """Show a bar that moves through named steps; nothing where nobody is looking.

    ``kernels`` names the command whose kernels are compiled before it goes on.
    """
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with _bar(columns, len(steps), quiet=quiet, kernels=kernels) as (bar, task):

        def reached(step: str) -> None:
            done = steps.index(step) if step in steps else 0
            bar.update(task, description=step, completed=done)

        yield reached


@contextlib.contextmanager
def progress_counting(
    total: int, *, quiet: bool = False, kernels: str | None = None
) -> Iterator[Callable[[str], None]]:
    """Show a bar that moves with every part that is done, in whatever order.

    ``kernels`` names the command whose kernels are compiled before it goes on.
    """
    columns = (
        SpinnerColumn(),
        BarColumn(bar_width=10),
        MofNCompleteColumn(),
        TimeElapsedColumn(Column(min_width=_WIDTH_OF_TIMES)),
        TimeRemainingColumn(table_column=Column(min_width=_WIDTH_OF_TIMES)),
        TextColumn("{task.description}"),
    )
    with _bar(columns, total, quiet=quiet, kernels=kernels) as (bar, task):

        def done(part: str) -> None:
            bar.update(task, advance=1, description=part)

        yield done


@contextlib.contextmanager
def _bar(
    columns: Sequence[ProgressColumn], total: int, *, quiet: bool, kernels: str | None
) -> Iterator[tuple[Progress, TaskID]]:
    """Show a bar on a terminal: first for the kernels that must be compiled, if any, then again."""
    hidden = quiet or not errors.is_terminal
    with Progress(*columns, console=errors, transient=True, disable=hidden) as bar:
        task = bar.add_task("", total=total)
        if kernels is not None:

            def compiled(done: int, wanted: int) -> None:
                bar.update(task, description=COMPILING, completed=done, total=wanted, refresh=True)

            compile_ahead(kernels, compiled)
            bar.reset(task, total=total, description="")
        yield bar, task


def given_away(certificate: Mapping[str, Any]) -> list[str]:
    """Say what columns of a release give away of who is in it, as its certificate tells."""
    from seriatim.measure.singling_out import told

    allowed = certificate["allowed though nearly unique"]
    lines = told(certificate["singled out"], allowed)
    if allowed:
        lines.append(f"Published though nearly unique, as the study says: {', '.join(allowed)}.")
    return lines


def figure(number: float | int | None, form: str = ".3f") -> str:
    """Write a figure, or a dash where there is none."""
    return written_figure(number, form, nothing="-")
