"""``seriatim store``: upkeep of a study's store."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import typer

from seriatim.cli.common import print_json
from seriatim.errors import PolicyError, StoreError, listed
from seriatim.microdata.typed_numbers import typed_whole
from seriatim.publish import upkeep
from seriatim.publish.duckdb_store import DuckDBStore
from seriatim.publish.press import open_store, study_key
from seriatim.publish.seal import Key
from seriatim.publish.study import Study


def run_check(study: Path, *, as_json: bool) -> None:
    """Read everything, and compare it with the files; exit with 3 where something is amiss."""
    with _opened(study) as (declared, store):
        found = upkeep.check_up(store, declared)
    if as_json:
        print_json([asdict(one) for one in found])
    else:
        for one in found:
            mark = "?? " if one.found == upkeep.GONE else "ok " if one.sound else "NOT"
            typer.echo(f"{mark} {one.what}: {one.found}")
    if not all(one.sound for one in found):
        raise typer.Exit(3)


def run_export(study: Path, folder: Path, *, as_json: bool) -> None:
    """Write what the store holds for other programs."""
    with _opened(study) as (_, store):
        written = upkeep.export(store, folder)
    if as_json:
        print_json([str(file) for file in written])
    else:
        typer.echo("\n".join(str(file) for file in written))


def run_forget(study: Path, respondents: list[str], *, as_json: bool) -> None:
    """Remove every trace of respondents."""
    with _opened(study) as (_, store):
        known = store.forget(_ids(respondents, store))
    if as_json:
        print_json({"asked": len(respondents), "known": known})
    else:
        typer.echo(
            f"{known} of {len(respondents)} were known; nothing about them is left in the store."
            " Backups and stores that were replaced still have what they had."
        )


def run_extend(study: Path, *, as_json: bool) -> None:
    """Extend a series by the values that its study declares and it does not have."""
    with _opened(study) as (declared, store):
        more = upkeep.extend(store, declared)
    if as_json:
        print_json({"new values": list(more)})
    else:
        told = listed(more) if more else "nothing: the series has all values of the study"
        typer.echo(f"The series was extended by {told}.")


def run_key(file: Path) -> None:
    """Make a key file."""
    Key.generate(file)
    typer.echo(f"{file} written. Without it a store that is sealed with it cannot be opened.")


def run_rekey(study: Path, key_file: Path | None, key_variable: str | None) -> None:
    """Seal the store with another key, or for the first time."""
    declared = Study.read(study)
    _require_store(declared)
    if (key_file is None) == (key_variable is None):
        message = "Name the new key: either --key-file or --key-variable."
        raise PolicyError(message)
    if key_file is not None:
        new = Key.from_file(key_file)
    else:
        assert key_variable is not None
        new = Key.from_environment(key_variable)
    upkeep.rekey(declared.store_path, study_key(declared), new)
    typer.echo(
        f"{declared.store_path.name} is sealed with the new key. Name it in {declared.path.name}:"
        " [store] sealed = true, and key_file or key_variable."
    )


def run_backup(study: Path, target: Path) -> None:
    """Copy the store as it is at rest; a sealed one stays sealed."""
    if target.exists():
        message = f"{target} exists. Name another file for the backup, or remove it."
        raise StoreError(message)
    with _opened(study) as (_, store):
        store.copy_to(target)
    typer.echo(f"{target} written.")


def run_restore(study: Path, backup: Path) -> None:
    """Put a backup in the store's place."""
    declared = Study.read(study)
    replaced = upkeep.restore(backup, declared.store_path, study_key(declared))
    name = declared.store_path.name
    where = f" The store that was there is now {name}/{replaced.name}." if replaced else ""
    typer.echo(f"{name} is restored.{where}")


@contextlib.contextmanager
def _opened(study: Path) -> Iterator[tuple[Study, DuckDBStore]]:
    """Open a study's store, which must be there."""
    declared = Study.read(study)
    _require_store(declared)
    with open_store(declared) as store:
        yield declared, store


def _require_store(study: Study) -> None:
    if not study.has_store:
        message = f"There is no store {study.store_path} yet: nothing was published."
        raise StoreError(message)


def _ids(words: list[str], store: DuckDBStore) -> pa.Array:
    """Return ids of the kind that the store knows."""
    if store.meta("ids are texts") == b"0":
        numbers = [typed_whole(word) for word in words]
        if None in numbers:
            message = (
                "The respondents of this series are numbers. Give their ids as such, in plain"
                " digits."
            )
            raise PolicyError(message)
        return pa.array(numbers, pa.int64())
    return pa.array(words)
