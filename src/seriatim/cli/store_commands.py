"""Commands that look after a study's store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seriatim.cli.options import HERE, Json, StudyPath

store = typer.Typer(help="Look after a study's store.", no_args_is_help=True)


@store.command()
def check(study: StudyPath = HERE, as_json: Json = False) -> None:
    """Read everything the store holds, and compare it with the released files."""
    from seriatim.cli.store import run_check

    run_check(study, as_json=as_json)


@store.command()
def export(
    folder: Annotated[Path, typer.Argument(help="Where to write.")],
    study: StudyPath = HERE,
    as_json: Json = False,
) -> None:
    """Write what the store holds as JSON and Parquet; it has no ids."""
    from seriatim.cli.store import run_export

    run_export(study, folder, as_json=as_json)


@store.command()
def forget(
    respondents: Annotated[list[str], typer.Argument(help="Ids of respondents.")],
    study: StudyPath = HERE,
    as_json: Json = False,
) -> None:
    """Remove every trace of respondents from the store."""
    from seriatim.cli.store import run_forget

    run_forget(study, respondents, as_json=as_json)


@store.command()
def extend(study: StudyPath = HERE, as_json: Json = False) -> None:
    """Extend a series by sensitive values that were added to the study."""
    from seriatim.cli.store import run_extend

    run_extend(study, as_json=as_json)


@store.command()
def key(
    file: Annotated[Path, typer.Argument(help="The file to write; must be new.")],
) -> None:
    """Make a key file for a sealed store, readable by its owner alone."""
    from seriatim.cli.store import run_key

    run_key(file)


@store.command()
def rekey(
    key_file: Annotated[Path | None, typer.Option(help="A file that holds the new key.")] = None,
    key_variable: Annotated[
        str | None, typer.Option(help="An environment variable that holds the new key.")
    ] = None,
    study: StudyPath = HERE,
) -> None:
    """Seal the store with another key, or for the first time."""
    from seriatim.cli.store import run_rekey

    run_rekey(study, key_file, key_variable)


@store.command()
def backup(
    target: Annotated[Path, typer.Argument(help="The file to write.")], study: StudyPath = HERE
) -> None:
    """Copy the store; a sealed one stays sealed."""
    from seriatim.cli.store import run_backup

    run_backup(study, target)


@store.command()
def restore(
    backup: Annotated[Path, typer.Argument(help="A backup.")], study: StudyPath = HERE
) -> None:
    """Put a backup in the store's place; what was there is kept beside it."""
    from seriatim.cli.store import run_restore

    run_restore(study, backup)
