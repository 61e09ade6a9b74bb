"""Commands to start with: the stories, made data, a proposed study, the web application."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from seriatim.cli.options import HERE, Delimiter, Encoding, Json, Sheet, StudyPath


class TableForm(StrEnum):
    """How tables are written."""

    csv = "csv"
    parquet = "parquet"


def demo(
    folder: Annotated[Path, typer.Option(help="Where to write; must be new or empty.")] = Path(
        "seriatim-demo"
    ),
    weeks: Annotated[int, typer.Option(min=2, max=24, help="How many weeks to publish.")] = 12,
    as_json: Json = False,
) -> None:
    """Run the whole story on generated data, in about a minute.

    Makes a clinic's weekly tables, publishes them, verifies what was written, lets readers
    attack it and a rival that anonymizes each week by itself, and writes a report of it all.
    """
    from seriatim.cli.demo import run_demo

    run_demo(folder, weeks=weeks, as_json=as_json)


def example(as_json: Json = False) -> None:
    """Tell the story of Alice, Betty, Carol and Doris.

    Two weeks of exam results, published as two tables that are each anonymous;
    what a reader learns from both together; and what JS-reduce does about it.
    """
    if as_json:
        from seriatim.cli.example import print_figures

        print_figures()
    else:
        from seriatim.cli.story import tell_story

        tell_story()


def init(
    data: Annotated[str, typer.Argument(help="A table such as those that will be published.")],
    study: StudyPath = HERE,
    respondent: Annotated[str | None, typer.Option(help="The column that says who.")] = None,
    sensitive: Annotated[str | None, typer.Option(help="What must not be learned.")] = None,
    quasi_identifier: Annotated[
        list[str] | None, typer.Option(help="What a reader may know; may be repeated.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a study that is there.")] = False,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    as_json: Json = False,
) -> None:
    """Propose a study for a table, and explain each choice.

    Writes study.toml, and study.schema.json beside it for editors that complete and
    check. On a terminal it asks before it writes.

    Example: seriatim init views/week-1.csv
    """
    from seriatim.cli.init import run_init

    run_init(
        data,
        study,
        respondent=respondent,
        sensitive=sensitive,
        quasi_identifiers=quasi_identifier or [],
        yes=yes,
        force=force,
        as_json=as_json,
        how={"encoding": encoding, "delimiter": delimiter, "sheet": sheet},
    )


def simulate(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where to write; must be new or empty. hospital or register if left out.",
        ),
    ] = None,
    views: Annotated[
        int | None, typer.Option(help="How many views; 24 if left out, 8 of a register.")
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(
            help="Tuples of each view; 5,000 if left out. In a register, people enrolled; 500."
        ),
    ] = None,
    preset: Annotated[
        str,
        typer.Option(
            help="paper-like, mild, sharp or literature: a hospital; register: people with"
            " chronic diagnoses, the case that breaks naive series."
        ),
    ] = "paper-like",
    stays: Annotated[
        float | None,
        typer.Option(
            help="In a register: the share of values that stay from view to view; 1 if left out."
        ),
    ] = None,
    turnover: Annotated[
        float | None,
        typer.Option(
            help="In a register: the share who leave after each view, as many joining; .02."
        ),
    ] = None,
    attendance: Annotated[
        float | None,
        typer.Option(help="In a register: the share of those enrolled who are in a view; 1."),
    ] = None,
    values: Annotated[
        int | None, typer.Option(help="In a register: how many diagnoses there are; 8.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed draws another series.")] = 1,
    form: Annotated[
        TableForm | None,
        typer.Option("--format", help="csv up to 100,000 tuples a view, else parquet."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a hospital or a register: views, the knowledge they are drawn from, and a study.

    As large as wanted; views are written as they are made, and only one is in memory.

    Example: seriatim simulate --views 3 --size 1000 -o hospital

    Example: seriatim simulate --preset register --stays .995 --attendance .5
    """
    from seriatim.cli.simulate import run_simulate

    settings = {
        "stays": stays,
        "turnover": turnover,
        "attendance": attendance,
        "values": values,
    }
    run_simulate(
        output,
        views=views,
        size=size,
        preset=preset,
        seed=seed,
        settings={name: given for name, given in settings.items() if given is not None},
        form=None if form is None else form.value,
        as_json=as_json,
    )


def studio(
    folder: Annotated[
        Path, typer.Argument(help="The folder of tables and studies; nothing else is looked at.")
    ] = Path(),
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: one that is free.")] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether to open the browser.")
    ] = True,
) -> None:
    """Serve a local web application for the studies of a folder.

    On this machine only (127.0.0.1). The address has a token that is good for one use; the
    browser that opens it first is let in, and no other. Ends with Ctrl-C.

    Example: seriatim studio hospital
    """
    from seriatim.cli.studio import run_studio

    run_studio(folder, port=port, browser=browser)
