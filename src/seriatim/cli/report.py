"""``seriatim report``: one HTML file that tells what a series gave away."""

from __future__ import annotations

import json
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from seriatim.audit.findings import Findings
from seriatim.cli.audit import attacked
from seriatim.cli.common import print_json, progress_through, telling_warnings, today
from seriatim.errors import StudyError
from seriatim.microdata.buckets import PEOPLE
from seriatim.microdata.instants import read_instant_word
from seriatim.microdata.published import read_history
from seriatim.publish.certificate_file import certificate_beside, read_certificate
from seriatim.publish.press import open_store
from seriatim.publish.study import Study
from seriatim.report.account import Account, Case, Kind
from seriatim.report.cases import explained_cases
from seriatim.report.of_audit import account_of_audit, series_of_findings, with_findings
from seriatim.report.of_comparison import account_of_comparison
from seriatim.report.of_study import (
    account_of_series,
    account_of_study,
    described,
    knowledge_of,
    series_of_files,
)
from seriatim.report.writing import key_figures_of, write_page, write_pictures

_STEPS = (
    "reading the series",
    "reading releases",
    "reading originals",
    "reading like an adversary",
    "explaining",
    "writing the page",
    "done",
)

Reached = Callable[[str], None]
"""Told what is being done, before it is done."""


@dataclass(frozen=True)
class _Attack:
    """Which readers are tried, on what, and how much is told of it."""

    originals: list[str]
    """The view of each release; no reader is tried where there is none."""

    readers: list[str]
    """Readers by name; all where none is named."""

    sequence: str | None
    """What they know of sequences; what the study says if left out."""

    cases: int
    """How many of the most exposed cases are explained."""

    how: dict[str, Any]
    """How the originals are read."""


def run_report(
    releases: list[str],
    study: Path,
    *,
    originals: list[str],
    readers: list[str],
    sequence: str | None,
    instants: list[str],
    audited: Path | None,
    compared: Path | None,
    cases: int,
    out: Path | None,
    pictures: Path | None,
    opened: bool,
    how: dict[str, Any],
    as_json: bool,
) -> None:
    """Write the report of a study's series, of releases, of an audit or of a comparison."""
    _require_one_subject(releases, originals, audited, compared)
    if sequence is not None and not originals:
        message = (
            "--sequence is what readers know, and without originals none is tried. Give the view of"
            " each release with --original, or leave --sequence out."
        )
        raise StudyError(message)
    when = [read_instant_word(word) for word in instants]
    with (
        telling_warnings(),
        progress_through(_STEPS, quiet=as_json, kernels="audit" if originals else None) as reached,
    ):
        reached("reading the series")
        if audited is not None:
            account, folder = account_of_audit(_read_json(audited)), audited.parent
        elif compared is not None:
            account, folder = account_of_comparison(_read_json(compared)), compared.parent
        else:
            declared = Study.read(study)
            attack = _Attack(originals, readers, sequence, cases, how)
            folder = declared.folder
            account = (
                _of_releases(declared, releases, when, attack, reached)
                if releases
                else _of_study(declared, attack, reached)
            )
        reached("writing the page")
        written = write_page(
            account, folder / "report.html" if out is None else out, made_on=today()
        )
        drawn = [] if pictures is None else write_pictures(account, pictures)
    _tell(account, written, drawn, as_json=as_json)
    if opened:
        webbrowser.open(written.resolve().as_uri())


def _of_study(study: Study, attack: _Attack, reached: Reached) -> Account:
    """Tell of all releases that a study's store holds."""
    account = account_of_study(study)
    if not attack.originals:
        return account
    with open_store(study) as store:
        instants = [entry.at for entry in store.entries]
        certified = [entry.record["certificate"]["files"] for entry in store.entries]
    files = [study.output_folder / _with_values(names) for names in certified]
    findings, cases = _found(study, files, instants, attack, reached)
    return account_of_study(study, findings, cases, sequence=attack.sequence)


def _of_releases(
    study: Study, releases: list[str], instants: list[Any], attack: _Attack, reached: Reached
) -> Account:
    """Tell of released files, with certificates or, made by other tools, without."""
    files = [_table_beside(source) for source in releases]
    when = instants or _certified_instants(files)
    history = read_history(files, study.intake.labelled, instants=when or None)
    name = study.declared.name
    series = series_of_files(name, history, files)
    if series is not None:
        series = described(study, series, attack.sequence)
    kind: Kind = "release" if len(files) == 1 else "series"
    if not attack.originals:
        if series is None:
            message = (
                f"{files[0]} has no certificate beside it, and without one nothing is known of a"
                " release but its sizes. Give its original with --original to audit it."
            )
            raise StudyError(message)
        return account_of_series(kind, study, series)
    findings, cases = _found(study, files, when, attack, reached)
    if series is None:
        # Whoever made it: what the study says of its making may not be true of it.
        told = replace(
            series_of_findings(name, findings, cases=cases),
            knowledge=knowledge_of(study, attack.sequence),
        )
        return account_of_series("audit", study, told, private=True)
    told = with_findings(series, findings, cases=cases)
    return account_of_series(kind, study, told, private=True)


def _found(
    study: Study,
    files: Sequence[str | Path],
    instants: Sequence[Any],
    attack: _Attack,
    reached: Reached,
) -> tuple[Findings, tuple[Case, ...]]:
    """Let readers attack released files, and explain what is worst."""
    findings = attacked(
        study,
        files,
        attack.originals,
        readers=attack.readers,
        instants=instants,
        sequence=attack.sequence,
        how=attack.how,
        reached=reached,
    )
    reached("explaining")
    return findings, explained_cases(findings, attack.cases)


def _with_values(names: Sequence[str]) -> str:
    """Return the one of a release's files that says which values each group has."""
    return next(name for name in names if PEOPLE not in name)


def _table_beside(source: str) -> str:
    """Return a released file; one that a certificate names where the certificate was given."""
    path = Path(source)
    if path != certificate_beside(path):
        return source
    return str(path.with_name(_with_values(read_certificate(path)["files"])))


def _certified_instants(files: Sequence[str]) -> list[Any]:
    """Return the instants that certificates state; nothing where one is missing."""
    beside = [certificate_beside(file) for file in files]
    if not all(file.is_file() for file in beside):
        return []
    return [
        read_instant_word(str(next(iter(read_certificate(file)["at"].values())))) for file in beside
    ]


def _require_one_subject(
    releases: list[str], originals: list[str], audited: Path | None, compared: Path | None
) -> None:
    files = [one for one in (audited, compared) if one is not None]
    if len(files) > 1 or (files and (releases or originals)):
        message = (
            "A report is about one thing: the study's series, releases, --audit FILE or"
            " --comparison FILE. Give one of them."
        )
        raise StudyError(message)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        message = f"{path} could not be read: {error.strerror}."
        raise StudyError(message) from None
    except (ValueError, TypeError):
        message = (
            f"{path} is not JSON. Keep what `seriatim audit --json` or `seriatim compare --json`"
            " prints in a file, and give that."
        )
        raise StudyError(message) from None


def _tell(account: Account, written: Path, drawn: list[Path], *, as_json: bool) -> None:
    figures = key_figures_of(account)
    if as_json:
        shown = {"report": str(written), "pictures": [str(one) for one in drawn]}
        print_json(shown | figures)
        return
    typer.echo(f"{figures['verdict']}: {figures['sentence']}")
    typer.echo(f"{written} written." + (f" {len(drawn)} pictures." if drawn else ""))
