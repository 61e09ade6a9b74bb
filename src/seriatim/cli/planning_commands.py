"""Commands before a series: what readers may know, how exposed it is, which cells it needs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from seriatim.cli.options import (
    HERE,
    Against,
    Allowed,
    CellSizes,
    Json,
    KnownShare,
    StudyPath,
    Target,
    ToldShare,
)


class Unseen(StrEnum):
    """What is expected after a context that a corpus does not have."""

    suffix = "suffix"
    impossible = "impossible"


def mine(
    corpus: Annotated[
        list[str], typer.Argument(help="One table with instants, or several in order.")
    ],
    respondent: Annotated[str, typer.Option(help="The column that says who.")],
    value: Annotated[str, typer.Option(help="The column of sensitive values.")],
    output: Annotated[Path, typer.Option("--output", help="A .csv or .json file.")] = Path(
        "knowledge.csv"
    ),
    at: Annotated[str | None, typer.Option(help="The column of instants.")] = None,
    by: Annotated[list[str] | None, typer.Option(help="Columns that make classes.")] = None,
    steps: Annotated[int, typer.Option(min=0, max=6, help="Past values looked at.")] = 2,
    unseen: Annotated[
        Unseen, typer.Option(help="After a context never seen: its longest ending, or nothing.")
    ] = Unseen.suffix,
    as_json: Json = False,
) -> None:
    """Learn what tends to follow what from other data, to a readable file.

    Example: seriatim mine old.csv --respondent patient --value exam --at week
    """
    from seriatim.cli.mine import run_mine

    run_mine(
        corpus,
        output,
        respondent=respondent,
        value=value,
        at=at,
        by=by or [],
        steps=steps,
        unseen=unseen.value,
        as_json=as_json,
    )


def assess(
    views: Annotated[list[str], typer.Argument(help="Views, earliest first; at least two.")],
    study: StudyPath = HERE,
    k: Annotated[int, typer.Option(min=2, help="The size of groups to think of.")] = 10,
    as_json: Json = False,
) -> None:
    """Say how exposed a series is before anything of it is published, and which defence fits.

    Example: seriatim assess in/w1.csv in/w2.csv in/w3.csv
    """
    from seriatim.cli.assess import run_assess

    run_assess(views, study, k=k, as_json=as_json)


def rehearse(
    rosters: Annotated[
        list[str], typer.Argument(help="Past views or rosters, earliest first; one will do.")
    ],
    study: StudyPath = HERE,
    releases: Annotated[int | None, typer.Option(min=2, help="How many are planned.")] = None,
    share: KnownShare = None,
    target: Target = None,
    reader: Against = None,
    told: ToldShare = None,
    allow: Allowed = None,
    attendance: Annotated[
        float | None, typer.Option(help="The share of the people under way in a view.")
    ] = None,
    turnover: Annotated[
        float | None, typer.Option(help="The share who leave for good after each release.")
    ] = None,
    histories: Annotated[int, typer.Option(min=1, help="Made histories to confirm on.")] = 3,
    size: CellSizes = None,
    seed: Annotated[int, typer.Option(min=0, help="What histories are drawn by.")] = 1,
    values: Annotated[
        bool, typer.Option("--values/--no-values", help="Whether sensitive values are read.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Play the planned series before it is published, and find what it needs.

    Who comes, how quasi-identifiers change and what people have is learned from past views, as
    far as the study's knowledge does not say it. Recommends the cells, and batches of those who
    come and go, that keep the study's promise at the least cost to users of the data.

    Example: seriatim rehearse in/w1.csv --releases 24 --share 0.005
    """
    from seriatim.cli.rehearse import run_rehearse

    changes = {
        "releases": releases,
        "share": share,
        "target": target,
        "reader": reader,
        "told": told,
        "allow": None if allow is None else tuple(allow),
        "attendance": attendance,
        "turnover": turnover,
    }
    run_rehearse(
        rosters,
        study,
        changes=changes,
        histories=histories,
        sizes=size or [],
        seed=seed,
        values=values,
        as_json=as_json,
    )


def tune(
    views: Annotated[list[str], typer.Argument(help="Past views, earliest first.")],
    study: StudyPath = HERE,
    share: KnownShare = None,
    target: Target = None,
    reader: Against = None,
    told: ToldShare = None,
    allow: Allowed = None,
    size: CellSizes = None,
    as_json: Json = False,
) -> None:
    """Show what past views would have given away, by cell size, and what that costs.

    Publishes nothing and leaves the study's store alone.

    Example: seriatim tune in/w1.csv in/w2.csv in/w3.csv
    """
    from seriatim.cli.rehearse import run_tune

    changes = {
        "releases": max(len(views), 2),
        "share": share,
        "target": target,
        "reader": reader,
        "told": told,
        "allow": None if allow is None else tuple(allow),
    }
    run_tune(views, study, changes=changes, sizes=size or [], as_json=as_json)
