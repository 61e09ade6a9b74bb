"""Commands of a study's series: publishing it, and telling of what was published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seriatim.cli.options import (
    HERE,
    Delimiter,
    Encoding,
    Engine,
    Instants,
    Json,
    Master,
    OriginalsDelimiter,
    OriginalsEncoding,
    Readers,
    SequenceKnowledge,
    Settings,
    Sheet,
    StudyPath,
)


def publish(
    views: Annotated[
        list[str],
        typer.Argument(
            help="The view: a file, or a table of a database. As many as the study pools (pool"
            " under [policy]), the earliest first."
        ),
    ],
    study: StudyPath = HERE,
    at: Annotated[
        str | None,
        typer.Option(help="When: a number or a date. Left out, numbered series count on."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the same figures, and write nothing.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Allow a view whose content was published before.")
    ] = False,
    wait: Annotated[
        float,
        typer.Option(
            min=0, max=604_800, help="Seconds to wait while another process has the store."
        ),
    ] = 0.0,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    engine: Engine = None,
    master: Master = None,
    shards: Annotated[
        int | None, typer.Option(min=1, help="How many shards a view is cut into.")
    ] = None,
    setting: Settings = None,
    as_json: Json = False,
) -> None:
    """Publish the next release of a study.

    Writes the release and its certificate, and advances the store: all of it, or nothing. A study
    with pool = 3 makes a release of three tables: everybody who is in any of them, once.

    Example: seriatim publish views/week-7.csv --at 2026-11-16
    """
    from seriatim.cli.publish import run_publish

    run_publish(
        views,
        study,
        at,
        engine=None if engine is None else engine.value,
        master=master,
        shards=shards,
        settings=setting or [],
        dry_run=dry_run,
        again=again,
        wait=wait,
        as_json=as_json,
        how={"encoding": encoding, "delimiter": delimiter, "sheet": sheet},
    )


def verify(
    paths: Annotated[
        list[Path], typer.Argument(help="Certificates, releases beside theirs, or a folder.")
    ],
    head: Annotated[
        Path | None,
        typer.Option(help="A head.json that was kept elsewhere, instead of the one beside them."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check releases against their certificates, from the files alone.

    Looks whether columns, groups and values are those certified, whether all files of a release
    say the same, measures again what was promised, and follows the chain. A folder must have
    a whole series, from release 1 to the one that its head names. Exits with 1 where
    anything is not as certified, or a promise is unknown to this version.

    Example: seriatim verify releases
    """
    from seriatim.cli.verify import run_verify

    run_verify(paths, head=head, as_json=as_json)


def report(
    releases: Annotated[
        list[str] | None,
        typer.Argument(help="Released files, earliest first; the study's series if left out."),
    ] = None,
    study: StudyPath = HERE,
    originals: Annotated[
        list[str] | None,
        typer.Option(
            "--original", "-o", help="The view of each release: then readers are tried on them."
        ),
    ] = None,
    reader: Readers = None,
    sequence: SequenceKnowledge = None,
    at: Instants = None,
    audit_file: Annotated[
        Path | None, typer.Option("--audit", help="What `seriatim audit --json` printed.")
    ] = None,
    comparison_file: Annotated[
        Path | None, typer.Option("--comparison", help="What `seriatim compare --json` printed.")
    ] = None,
    cases: Annotated[
        int, typer.Option(min=0, max=20, help="Explain so many of the most exposed cases.")
    ] = 3,
    out: Annotated[
        Path | None, typer.Option(help="The file to write; report.html beside the study.")
    ] = None,
    pictures: Annotated[
        Path | None, typer.Option(help="A folder for the charts as SVG and PNG as well.")
    ] = None,
    opened: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    encoding: OriginalsEncoding = None,
    delimiter: OriginalsDelimiter = None,
    as_json: Json = False,
) -> None:
    """Write one HTML file that tells what a series gave away, and whether that is acceptable.

    About the study's series, about releases, an audit or a comparison. The file needs no
    network and names nobody. With originals it says what readers learn; without, only what
    was recorded when the releases were made.

    Example: seriatim report -o in/w1.csv -o in/w2.csv --open
    """
    from seriatim.cli.report import run_report

    run_report(
        releases or [],
        study,
        originals=originals or [],
        readers=reader or [],
        sequence=sequence,
        instants=at or [],
        audited=audit_file,
        compared=comparison_file,
        cases=cases,
        out=out,
        pictures=pictures,
        opened=opened,
        how={"encoding": encoding, "delimiter": delimiter},
        as_json=as_json,
    )


def history(study: StudyPath = HERE, as_json: Json = False) -> None:
    """List what was published."""
    from seriatim.cli.history import run_history

    run_history(study, as_json=as_json)
