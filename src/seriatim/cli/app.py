"""The commands, and how errors reach people."""

from __future__ import annotations

import io
import signal
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from seriatim._version import __version__
from seriatim.errors import InternalError, SeriatimError

INTERNAL_EXIT_CODE = 70
TERMINATED_EXIT_CODE = 143

_EXIT_CODES = (
    "Exit codes: 0 done; 1 the data or a guarantee does not allow it; 2 bad usage or"
    " configuration; 3 the store is locked, damaged or the key is wrong; 70 a defect of seriatim."
)

app = typer.Typer(
    name="seriatim",
    help="Publish tables about people again and again, safely.",
    epilog=_EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
store = typer.Typer(help="Look after a study's store.", no_args_is_help=True)
app.add_typer(store, name="store")

Json = Annotated[bool, typer.Option("--json", help="Print the figures as JSON, for machines.")]
StudyPath = Annotated[
    Path, typer.Option("--study", help="study.toml, or the folder it is in.", show_default=True)
]
HERE = Path("study.toml")


class Unseen(StrEnum):
    """What is expected after a context that a corpus does not have."""

    suffix = "suffix"
    impossible = "impossible"


class EngineName(StrEnum):
    """Where the work of a release runs."""

    local = "local"
    shards = "shards"
    spark = "spark"


class TableForm(StrEnum):
    """How tables are written."""

    csv = "csv"
    parquet = "parquet"


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
def demo(
    folder: Annotated[Path, typer.Option(help="Where to write; must be new or empty.")] = Path(
        "seriatim-demo"
    ),
    weeks: Annotated[int, typer.Option(min=2, max=24, help="How many weeks to publish.")] = 12,
    as_json: Json = False,
) -> None:
    """Run the whole story on generated data, in under a minute.

    Makes a clinic's weekly tables, publishes them, verifies what was written, lets readers
    attack it and a rival that anonymizes each week by itself, and writes a report of it all.
    """
    from seriatim.cli.demo import run_demo

    run_demo(folder, weeks=weeks, as_json=as_json)


@app.command()
def example(as_json: Json = False) -> None:
    """Tell the story of Alice, Betty, Carol and Doris.

    Two weeks of exam results, published as two tables that are each anonymous;
    what a reader learns from both together; and what JS-reduce does about it.
    """
    from seriatim.cli.example import print_figures, tell_story

    if as_json:
        print_figures()
    else:
        tell_story()


@app.command()
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
    encoding: Annotated[str | None, typer.Option(help="Encoding of a CSV file.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Delimiter of a CSV file.")] = None,
    sheet: Annotated[str | None, typer.Option(help="Sheet of an Excel file.")] = None,
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


@app.command()
def publish(
    view: Annotated[str, typer.Argument(help="The view: a file, or a table of a database.")],
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
        float, typer.Option(help="Seconds to wait while another process has the store.")
    ] = 0.0,
    encoding: Annotated[str | None, typer.Option(help="Encoding of a CSV file.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Delimiter of a CSV file.")] = None,
    sheet: Annotated[str | None, typer.Option(help="Sheet of an Excel file.")] = None,
    engine: Annotated[
        EngineName | None,
        typer.Option(help="Where the work runs; what the study says, if left out."),
    ] = None,
    master: Annotated[
        str | None, typer.Option(help="The cluster of the engine spark, such as yarn or local[4].")
    ] = None,
    shards: Annotated[
        int | None, typer.Option(min=1, help="How many shards a view is cut into.")
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option(help="A setting of Spark, NAME=VALUE; may be repeated.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Publish the next release of a study.

    Writes the release and its certificate, and advances the store: all of it, or nothing.

    Example: seriatim publish views/week-7.csv --at 2026-11-16
    """
    from seriatim.publish.study import Study

    declared = Study.read(study)
    chosen = declared.declared.engine.name if engine is None else engine.value
    if chosen != "local":
        from seriatim.cli.publish_shards import run_publish_shards

        run_publish_shards(
            view,
            declared,
            at,
            engine=chosen,
            master=master,
            shards=shards,
            settings=setting or [],
            dry_run=dry_run,
            again=again,
            as_json=as_json,
        )
        return
    from seriatim.cli.publish import run_publish

    run_publish(
        view,
        study,
        at,
        dry_run=dry_run,
        again=again,
        wait=wait,
        as_json=as_json,
        how={"encoding": encoding, "delimiter": delimiter, "sheet": sheet},
    )


@app.command()
def audit(
    releases: Annotated[list[str], typer.Argument(help="Releases, earliest first.")],
    originals: Annotated[
        list[str],
        typer.Option(
            "--original", "-o", help="The view of each release, or a roster without values."
        ),
    ],
    study: StudyPath = HERE,
    reader: Annotated[
        list[str] | None,
        typer.Option(help="snapshot, paper, joint or retrospective; all if left out."),
    ] = None,
    at: Annotated[list[str] | None, typer.Option(help="The instant of each release.")] = None,
    sequence: Annotated[
        str | None,
        typer.Option(help="A knowledge file, instead of what the study says of sequences."),
    ] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of CSV originals.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Delimiter of CSV originals.")] = None,
    explain: Annotated[
        int, typer.Option(help="Explain the beliefs in so many tuples most at risk.")
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
    as_json: Json = False,
) -> None:
    """Attack a series of releases, also one that another tool made.

    The study says which columns are what, and what the readers know.

    Example: seriatim audit out/w1.csv out/w2.csv -o in/w1.csv -o in/w2.csv
    """
    from seriatim.cli.audit import run_audit

    run_audit(
        releases,
        originals,
        study,
        readers=reader or [],
        instants=at or [],
        sequence=sequence,
        how={"encoding": encoding, "delimiter": delimiter},
        explain=explain,
        show_ids=show_ids,
        closed_ends=closed_ends,
        follow=follow,
        as_json=as_json,
    )


@app.command()
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
    reader: Annotated[
        list[str] | None,
        typer.Option(help="snapshot, paper, joint or retrospective; all if left out."),
    ] = None,
    at: Annotated[list[str] | None, typer.Option(help="The instant of each view.")] = None,
    selectivity: Annotated[
        float, typer.Option(help="Share of the domain that a query is expected to count.")
    ] = 0.05,
    queries: Annotated[int, typer.Option(min=1, help="Queries asked of each release.")] = 1000,
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


@app.command()
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


@app.command()
def rehearse(
    rosters: Annotated[
        list[str], typer.Argument(help="A view or roster; several are played in their order.")
    ],
    study: StudyPath = HERE,
    releases: Annotated[int | None, typer.Option(min=2, help="How many are planned.")] = None,
    target: Annotated[
        float | None, typer.Option(min=0, max=1, help="The greatest gain that is acceptable.")
    ] = None,
    reader: Annotated[
        str | None, typer.Option(help="Against whom: paper, joint or retrospective.")
    ] = None,
    attendance: Annotated[
        float | None, typer.Option(help="The share of the people under way in a view.")
    ] = None,
    turnover: Annotated[
        float | None, typer.Option(help="The share who leave for good after each release.")
    ] = None,
    histories: Annotated[int, typer.Option(min=1, help="Made histories to confirm on.")] = 3,
    size: Annotated[list[int] | None, typer.Option(min=1, help="Cell sizes to try.")] = None,
    seed: Annotated[int, typer.Option(help="What histories are drawn by.")] = 1,
    as_json: Json = False,
) -> None:
    """Play the planned series before it is published, and find what it needs.

    What people will have is drawn from the study's knowledge; sensitive values are not read.
    Recommends the standing cells with least detail lost that hold the target.

    Example: seriatim rehearse in/w1.csv --releases 24 --target 0.12
    """
    from seriatim.cli.rehearse import run_rehearse

    changes = {
        "releases": releases,
        "target": target,
        "reader": reader,
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
        as_json=as_json,
    )


@app.command()
def tune(
    views: Annotated[list[str], typer.Argument(help="Past views, earliest first.")],
    study: StudyPath = HERE,
    target: Annotated[
        float | None, typer.Option(min=0, max=1, help="The greatest gain that is acceptable.")
    ] = None,
    reader: Annotated[
        str | None, typer.Option(help="Against whom: paper, joint or retrospective.")
    ] = None,
    size: Annotated[list[int] | None, typer.Option(min=1, help="Cell sizes to try.")] = None,
    as_json: Json = False,
) -> None:
    """Show what past views would have given away, by cell size, and what that costs.

    Publishes nothing and leaves the study's store alone.

    Example: seriatim tune in/w1.csv in/w2.csv in/w3.csv
    """
    from seriatim.cli.rehearse import run_tune

    changes = {"releases": max(len(views), 2), "target": target, "reader": reader}
    run_tune(views, study, changes=changes, sizes=size or [], as_json=as_json)


@app.command()
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
        str, typer.Option(help="The generator that claims are judged by.")
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


@app.command()
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


@app.command()
def simulate(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write; must be new or empty.")
    ] = Path("hospital"),
    views: Annotated[int, typer.Option(help="How many weekly views.")] = 24,
    size: Annotated[int, typer.Option(help="Tuples of each view.")] = 5000,
    preset: Annotated[
        str, typer.Option(help="paper-like, mild, sharp or literature.")
    ] = "paper-like",
    seed: Annotated[int, typer.Option(help="Another seed draws another hospital.")] = 1,
    form: Annotated[
        TableForm | None,
        typer.Option("--format", help="csv up to 100,000 tuples a view, else parquet."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a hospital: views, the knowledge they are drawn from, and a study.

    As large as wanted; views are written as they are made, and only one is in memory.

    Example: seriatim simulate --views 3 --size 1000 -o hospital
    """
    from seriatim.cli.simulate import run_simulate

    run_simulate(
        output,
        views=views,
        size=size,
        preset=preset,
        seed=seed,
        form=None if form is None else form.value,
        as_json=as_json,
    )


@app.command()
def verify(
    paths: Annotated[
        list[Path], typer.Argument(help="Certificates, releases beside theirs, or a folder.")
    ],
    as_json: Json = False,
) -> None:
    """Check releases against their certificates, from the files alone.

    Measures again what was promised, and looks whether each certificate names the one
    before it. Exits with 1 where anything is not as certified.

    Example: seriatim verify releases
    """
    from seriatim.cli.verify import run_verify

    run_verify(paths, as_json=as_json)


@app.command()
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
    reader: Annotated[
        list[str] | None,
        typer.Option(help="snapshot, paper, joint or retrospective; all if left out."),
    ] = None,
    at: Annotated[list[str] | None, typer.Option(help="The instant of each release.")] = None,
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
    encoding: Annotated[str | None, typer.Option(help="Encoding of CSV originals.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Delimiter of CSV originals.")] = None,
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


@app.command()
def history(study: StudyPath = HERE, as_json: Json = False) -> None:
    """List what was published."""
    from seriatim.cli.history import run_history

    run_history(study, as_json=as_json)


@app.command()
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


@store.command("check")
def store_check(study: StudyPath = HERE, as_json: Json = False) -> None:
    """Read everything the store holds, and compare it with the released files."""
    from seriatim.cli.store import run_check

    run_check(study, as_json=as_json)


@store.command("export")
def store_export(
    folder: Annotated[Path, typer.Argument(help="Where to write.")],
    study: StudyPath = HERE,
    as_json: Json = False,
) -> None:
    """Write what the store holds as JSON and Parquet; it has no ids."""
    from seriatim.cli.store import run_export

    run_export(study, folder, as_json=as_json)


@store.command("forget")
def store_forget(
    respondents: Annotated[list[str], typer.Argument(help="Ids of respondents.")],
    study: StudyPath = HERE,
    as_json: Json = False,
) -> None:
    """Remove every trace of respondents from the store."""
    from seriatim.cli.store import run_forget

    run_forget(study, respondents, as_json=as_json)


@store.command("extend")
def store_extend(study: StudyPath = HERE, as_json: Json = False) -> None:
    """Extend a series by sensitive values that were added to the study."""
    from seriatim.cli.store import run_extend

    run_extend(study, as_json=as_json)


@store.command("key")
def store_key(
    file: Annotated[Path, typer.Argument(help="The file to write; must be new.")],
) -> None:
    """Make a key file for a sealed store, readable by its owner alone."""
    from seriatim.cli.store import run_key

    run_key(file)


@store.command("rekey")
def store_rekey(
    key_file: Annotated[Path | None, typer.Option(help="A file that holds the new key.")] = None,
    key_variable: Annotated[
        str | None, typer.Option(help="An environment variable that holds the new key.")
    ] = None,
    study: StudyPath = HERE,
) -> None:
    """Seal the store with another key, or for the first time."""
    from seriatim.cli.store import run_rekey

    run_rekey(study, key_file, key_variable)


@store.command("backup")
def store_backup(
    target: Annotated[Path, typer.Argument(help="The file to write.")], study: StudyPath = HERE
) -> None:
    """Copy the store; a sealed one stays sealed."""
    from seriatim.cli.store import run_backup

    run_backup(study, target)


@store.command("restore")
def store_restore(
    backup: Annotated[Path, typer.Argument(help="A backup.")], study: StudyPath = HERE
) -> None:
    """Put a backup in the store's place; what was there is kept beside it."""
    from seriatim.cli.store import run_restore

    run_restore(study, backup)


def main() -> None:
    """Run the command line; errors are one clear paragraph, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that has no Ω shows a question mark instead of a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
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
