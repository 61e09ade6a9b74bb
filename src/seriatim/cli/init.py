"""``seriatim init``: propose a study from a table."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import typer
from rich import box
from rich.table import Table
from rich.text import Text

from seriatim.cli.common import console, print_json, program, telling_warnings
from seriatim.cli.options import HERE
from seriatim.errors import StudyError
from seriatim.microdata.formulas import tell_of_formulas
from seriatim.microdata.sources import open_table
from seriatim.publish.propose import (
    Proposal,
    propose,
    published_columns,
    reassign,
    tell_of_slips,
)
from seriatim.publish.study import Study
from seriatim.publish.study_edit import save_study
from seriatim.publish.study_text import study_text


def run_init(
    source: str,
    study: Path,
    *,
    respondent: str | None,
    sensitive: str | None,
    quasi_identifiers: list[str],
    yes: bool,
    force: bool,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """Propose a study, let the custodian correct it, and write it."""
    # Of what is not there yet, a name with another ending is a folder.
    named = study.is_file() or (study.suffix == ".toml" and not study.is_dir())
    file = study if named else study / "study.toml"
    if file.exists() and not force:
        message = f"{file} exists. Edit it, or write a new one with --force."
        raise StudyError(message)
    with telling_warnings() as heard:
        table = open_table(source, **how)
        read = list(heard)
    proposal = reassign(
        table,
        propose(table),
        respondent=respondent,
        sensitive=sensitive,
        quasi_identifiers=quasi_identifiers or None,
    )
    if not as_json:
        _show(proposal)
        if not yes and _on_terminal():
            proposal = _asked(table, proposal)
    with telling_warnings() as heard:
        tell_of_slips(table, proposal)
        tell_of_formulas(published_columns(table, proposal))
        warnings = [*read, *heard]
    text = study_text(proposal, name=file.resolve().parent.name)
    Study.from_text(file, text)  # refused before anything is written
    _make_folder(file.parent)
    save_study(file, text)
    if as_json:
        print_json({"file": str(file), "proposal": asdict(proposal), "warnings": warnings})
        return
    typer.echo(
        f"{file} written. Read it: each choice stands there with its reason.\n"
        f"Then try: {_next_command(source, study, how)}"
    )


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{folder} could not be made: {error.strerror}. Name another with --study."
        raise StudyError(message) from None


def _next_command(source: str, study: Path, how: dict[str, Any]) -> str:
    words = [program(), "publish", source, "--dry-run"]
    if study != HERE:
        words += ["--study", str(study)]
    words += [word for name, value in how.items() if value for word in (f"--{name}", value)]
    return shlex.join(words)


def _on_terminal() -> bool:
    return sys.stdin.isatty()


def _show(proposal: Proposal) -> None:
    shown = console()
    table = Table(box=box.SIMPLE_HEAD)
    for title in ("column", "part", "as", "because"):
        table.add_column(title, overflow="fold")
    for one in proposal.columns:
        # A title may look like rich's markup, or move the cursor.
        name = Text(one.name if one.name.isprintable() else repr(one.name))
        table.add_row(name, "-" if one.part == "none" else one.part, one.kind, one.because)
    shown.print(table)
    shown.print(f"{proposal.alone} are alone with their quasi-identifiers.")


def _asked(table: pa.Table, proposal: Proposal) -> Proposal:
    """Let the custodian correct the parts, one question each."""
    respondents, sensitives = proposal.of("respondent"), proposal.of("sensitive")
    quasi = ",".join(one.name for one in proposal.of("quasi-identifier"))
    respondent = typer.prompt("Respondent", default=respondents[0].name if respondents else None)
    sensitive = typer.prompt("Sensitive", default=sensitives[0].name if sensitives else None)
    chosen = typer.prompt("Quasi-identifiers (with commas)", default=quasi or None)
    return reassign(
        table,
        proposal,
        respondent=respondent.strip(),
        sensitive=sensitive.strip(),
        quasi_identifiers=[name.strip() for name in chosen.split(",") if name.strip()],
    )
