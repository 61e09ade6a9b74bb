"""Commands that attack: releases, whoever made them; techniques; the paper's experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seriatim.cli.options import (
    HERE,
    Engine,
    Instants,
    Json,
    Master,
    OriginalsDelimiter,
    OriginalsEncoding,
    Readers,
    SequenceKnowledge,
    Settings,
    StudyPath,
)


def audit(
    originals: Annotated[
        list[str],
        typer.Option(
            "--original", "-o", help="The view of each release, or a roster without values."
        ),
    ],
    releases: Annotated[
        list[str] | None,
        typer.Argument(help="Releases, earliest first; none for a series that engines keep."),
    ] = None,
    study: StudyPath = HERE,
    reader: Readers = None,
    at: Instants = None,
    sequence: SequenceKnowledge = None,
    sweeps: Annotated[
        int | None,
        typer.Option(min=1, help="How long the reader of worlds looks: more sweeps may find more."),
    ] = None,
    encoding: OriginalsEncoding = None,
    delimiter: OriginalsDelimiter = None,
    explain: Annotated[
        int, typer.Option(min=0, help="Explain the beliefs in so many tuples most at risk.")
    ] = 1,
    show_ids: Annotated[
        bool, typer.Option("--show-ids", help="Name the respondents that are explained.")
    ] = False,
    closed_ends: Annotated[
        bool, typer.Option("--closed-ends", help="Read [40, 60) as if 60 were inside.")
    ] = False,
    follow: Annotated[
        bool, typer.Option("--follow", help="Ask for an id, and tell what was learned of it.")
    ] = False,
    differences: Annotated[
        bool,
        typer.Option(
            "--differences", help="Tell in words whose values follow from subtracting groups."
        ),
    ] = False,
    engine: Engine = None,
    master: Master = None,
    setting: Settings = None,
    as_json: Json = False,
) -> None:
    """Attack a series of releases, also one that another tool made.

    The study says which columns are what, and what the readers know. Beside the readers it is
    told whom subtracting groups of two releases separates from all but fewer than k people.
    Without releases, the series that the engine shards or spark keeps is attacked where it lies.

    Example: seriatim audit out/w1.csv out/w2.csv -o in/w1.csv -o in/w2.csv
    """
    from seriatim.cli.audit import run_audit

    run_audit(
        releases or [],
        originals,
        study,
        readers=reader or [],
        instants=at or [],
        sequence=sequence,
        sweeps=sweeps,
        how={"encoding": encoding, "delimiter": delimiter},
        explain=explain,
        show_ids=show_ids,
        closed_ends=closed_ends,
        follow=follow,
        differences=differences,
        engine=None if engine is None else engine.value,
        master=master,
        settings=setting or [],
        as_json=as_json,
    )


def compare(
    study: Annotated[Path, typer.Argument(help="study.toml, or the folder it is in.")],
    views: Annotated[list[str], typer.Argument(help="Views, earliest first.")],
    technique: Annotated[
        list[str] | None,
        typer.Option(
            help="study, k-anonymity, l-diversity, t-closeness, bt-privacy, m-invariance or"
            " js-reduce; all if left out."
        ),
    ] = None,
    matched: Annotated[
        bool,
        typer.Option(
            "--matched/--as-published",
            help="Ask all for the same k and t, or take the parameters of the literature.",
        ),
    ] = True,
    k: Annotated[int | None, typer.Option(min=2, help="The same k; the study's if left out.")] = (
        None
    ),
    t: Annotated[
        float | None, typer.Option(min=0, max=1, help="The same t; the study's if left out, or .5.")
    ] = None,
    reader: Readers = None,
    at: Annotated[list[str] | None, typer.Option(help="The instant of each view.")] = None,
    selectivity: Annotated[
        float, typer.Option(help="Share of the domain that a query is expected to count.")
    ] = 0.05,
    queries: Annotated[
        int | None,
        typer.Option(min=1, help="Queries asked of each release; 1,000, of large views fewer."),
    ] = None,
    seed: Annotated[int, typer.Option(help="What ties, shuffles and queries go by.")] = 1,
    chart: Annotated[
        Path | None, typer.Option(help="Write a chart: a name that ends in .svg, .png or .json.")
    ] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of CSV views.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Delimiter of CSV views.")] = None,
    as_json: Json = False,
) -> None:
    """Publish a series with several techniques, in memory, and compare what readers learn.

    Nothing is published and the study's store is not touched. The study says which columns
    are what, and what the readers know.

    Example: seriatim compare study.toml in/w1.csv in/w2.csv in/w3.csv --chart compare.svg
    """
    from seriatim.cli.compare import run_compare

    run_compare(
        study,
        views,
        names=technique or [],
        matched=matched,
        readers=reader or [],
        instants=at or [],
        k=k,
        t=t,
        selectivity=selectivity,
        queries=queries,
        seed=seed,
        chart=chart,
        how={"encoding": encoding, "delimiter": delimiter},
        as_json=as_json,
    )


def reproduce(
    folder: Annotated[
        Path, typer.Option("--output", "-o", help="Where results, figures and the page go.")
    ] = Path("reproduction"),
    figure: Annotated[
        list[str] | None,
        typer.Option(help="3 to 9, suppression, matched, readers or lasting; all if left out."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="6 releases of 400 tuples, one seed: only a look.")
    ] = False,
    seeds: Annotated[
        int | None, typer.Option(min=1, max=100, help="How many; 5 if left out, 1 when quick.")
    ] = None,
    preset: Annotated[
        str,
        typer.Option(
            help="The generator that claims are judged by: paper-like, mild, sharp, literature or"
            " register."
        ),
    ] = "paper-like",
    sensitivity: Annotated[
        bool | None,
        typer.Option(
            "--sensitivity/--no-sensitivity",
            help="Whether to show the other generators as well; unless quick if left out.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="A study with its views, instead of made data: figures 4 to 8, and lasting."
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; as many as cores if left out, 1 if quick.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run the paper's experiments, and set its claims beside what comes out.

    Interrupted, it goes on where it stopped when it is called again with the same folder.

    Example: seriatim reproduce --figure 4 --figure 5 -o reproduction
    """
    from seriatim.cli.reproduce import run_reproduce

    run_reproduce(
        folder,
        names=figure or [],
        quick=quick,
        seeds=seeds,
        preset=preset,
        sensitivity=sensitivity,
        data=data,
        workers=workers,
        as_json=as_json,
    )
