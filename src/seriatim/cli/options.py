"""Options that several commands have, with the same words in each."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

HERE = Path("study.toml")
"""The study that is meant where none is named."""

StudyPath = Annotated[
    Path, typer.Option("--study", help="study.toml, or the folder it is in.", show_default=True)
]
Json = Annotated[bool, typer.Option("--json", help="Print the figures as JSON, for machines.")]

Encoding = Annotated[str | None, typer.Option(help="Encoding of a CSV file.")]
Delimiter = Annotated[str | None, typer.Option(help="Delimiter of a CSV file.")]
Sheet = Annotated[str | None, typer.Option(help="Sheet of an Excel file.")]

OriginalsEncoding = Annotated[str | None, typer.Option(help="Encoding of CSV originals.")]
OriginalsDelimiter = Annotated[str | None, typer.Option(help="Delimiter of CSV originals.")]

Readers = Annotated[
    list[str] | None,
    typer.Option(
        help="snapshot, paper, joint, retrospective, or worlds, who weighs all tables together"
        " and takes longest; those of a command if left out."
    ),
]
SequenceKnowledge = Annotated[
    str | None,
    typer.Option(
        "--sequence",
        help="A knowledge file, instead of what the study says of sequences; or releases, to"
        " learn from the releases alone what follows what, and how common values are.",
    ),
]
Instants = Annotated[list[str] | None, typer.Option(help="The instant of each release.")]

Against = Annotated[
    str | None, typer.Option(help="Against whom: strongest, paper, joint, retrospective or worlds.")
]
Target = Annotated[
    float | None, typer.Option(min=0, max=1, help="The greatest gain that is acceptable.")
]
KnownShare = Annotated[
    float | None,
    typer.Option("--share", min=0, max=1, help="The greatest share of people ever known."),
]
ToldShare = Annotated[
    float | None,
    typer.Option("--told", min=0, max=1, help="The share of people the reader knows already."),
]
Allowed = Annotated[
    list[str] | None,
    typer.Option("--allow", help="What may be recommended besides cells: batch, pool, keep."),
]
CellSizes = Annotated[list[int] | None, typer.Option(min=1, help="Cell sizes to try.")]


class EngineName(StrEnum):
    """Where the work of a release runs."""

    local = "local"
    shards = "shards"
    spark = "spark"


Engine = Annotated[
    EngineName | None,
    typer.Option(help="Where the work runs; what the study says, if left out."),
]
Master = Annotated[
    str | None, typer.Option(help="The cluster of the engine spark, such as yarn or local[4].")
]
Settings = Annotated[
    list[str] | None, typer.Option(help="A setting of Spark, NAME=VALUE; may be repeated.")
]
