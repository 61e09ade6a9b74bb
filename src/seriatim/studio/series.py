"""The series that a study has published: its releases, and the views that they came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from seriatim.errors import StudyError
from seriatim.microdata.buckets import VALUES
from seriatim.microdata.history import History
from seriatim.microdata.instants import read_instant_word
from seriatim.microdata.published import read_history
from seriatim.microdata.roster import Roster
from seriatim.publish.certificate_file import CERTIFICATE_ENDING
from seriatim.publish.originals import open_originals
from seriatim.publish.press import open_store
from seriatim.publish.study import Study
from seriatim.studio.folder import Folder, Found
from seriatim.studio.forms import Form

_PATIENCE = 10.0
"""Seconds to wait while a command has the store."""

_HEAD = 100_000
"""Bytes that a head may have."""


@dataclass(frozen=True)
class Pair:
    """A release, and the table that it is said to be made from."""

    number: int
    """The release's number."""

    at: str
    """When it was."""

    file: str
    """Its file, in the output folder."""

    original: str
    """The table, as the studio names it."""


def records(study: Study) -> list[dict[str, Any]]:
    """Return what the store of a study records of all its releases."""
    if not study.has_store:
        return []
    with open_store(study, wait=_PATIENCE) as store:
        return [dict(entry.record) for entry in store.entries]


def certificates(study: Study) -> list[dict[str, Any]]:
    """Return the certificates of all releases of a study."""
    return [dict(one["certificate"]) for one in records(study)]


def instant_of(certificate: dict[str, Any]) -> str:
    """Return when a release was, in words."""
    return str(next(iter(certificate["at"].values())))


def release_file(certificate: dict[str, Any], study: Study) -> str | None:
    """Return a file of a release that an audit can read; CSV where there is one."""
    there = [name for name in certificate["files"] if (study.output_folder / name).is_file()]
    there = [name for name in there if VALUES not in name]
    return min(there, key=lambda name: (not name.endswith(".csv"), name), default=None)


def shown_folder(study: Study, name: str) -> str:
    """Return the folder of a study's releases, as it would be typed in the studio's folder."""
    parent = name.rpartition("/")[0]
    return "/".join(filter(None, (parent, study.declared.output.folder)))


def pairs(study: Study, tables: list[Found], form: Form | None = None) -> list[Pair]:
    """Return the releases of a study with their originals: as chosen, or in their order."""
    found = []
    names = [one.name for one in tables]
    for place, certificate in enumerate(certificates(study)):
        file = release_file(certificate, study)
        number = certificate["number"]
        guess = names[place] if place < len(names) else ""
        original = guess if form is None else form.one(f"original-{number}")
        if file is not None:
            found.append(Pair(number, instant_of(certificate), file, original))
    return found


def releases_out(study: Study) -> int:
    """Return how many releases a study has out, by their certificates; its store stays closed."""
    folder = study.output_folder
    return len(list(folder.glob(f"*{CERTIFICATE_ENDING}"))) if folder.is_dir() else 0


def likely_views(folder: Folder, study: Study) -> list[Found]:
    """Return the tables that may be views of a study: knowledge and hierarchies are not.

    Those whose heads name its columns come first: releases are paired with them in their order.
    """
    declared = study.declared
    trees = [getattr(one, "hierarchy", None) for one in declared.quasi_identifiers.values()]
    other = {declared.reader.prior, declared.reader.sequence, *filter(None, trees)}
    known = {Path(name).name for name in other}
    found = [one for one in folder.tables(study.folder) if Path(one.name).name not in known]
    return sorted(found, key=lambda one: not names_columns(folder.inside(one.name), study.columns))


def names_columns(path: Path, columns: Sequence[str]) -> bool:
    """Tell whether a table's head names some columns, as far as that is seen without reading it."""
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            return set(columns) <= set(pyarrow.parquet.read_schema(path).names)
        with path.open("rb") as file:
            head = file.read(_HEAD).split(b"\n", 1)[0].decode("utf-8", errors="replace")
    except (OSError, pa.ArrowException):
        return False
    return all(name in head for name in columns)


def require_chosen(chosen: list[Pair]) -> None:
    """Refuse a series of which an original is missing."""
    if not chosen:
        message = "Nothing was published yet: there is no release to attack."
        raise StudyError(message)
    missing = [str(one.number) for one in chosen if not one.original]
    if missing:
        message = f"Choose the view of release {', '.join(missing)}: readers are measured by it."
        raise StudyError(message)


def open_series(study: Study, folder: Folder, chosen: list[Pair]) -> tuple[History, list[Roster]]:
    """Open releases and originals, as the commands do."""
    released = [study.output_folder / one.file for one in chosen]
    history = read_history(
        released,
        study.intake.labelled,
        instants=[read_instant_word(one.at) for one in chosen],
    )
    originals: list[Any] = [folder.inside(one.original) for one in chosen]
    return history, open_originals(study, history, originals, released=released)


def audit_words(study: Study, name: str, chosen: list[Pair]) -> tuple[list[str], dict[str, Any]]:
    """Return the words and options of the command that attacks the same series."""
    folder = shown_folder(study, name)
    words = [f"{folder}/{one.file}" for one in chosen]
    numbered = [one.at for one in chosen] == [str(place + 1) for place in range(len(chosen))]
    at = [] if numbered else [one.at for one in chosen]
    return words, {"original": [one.original for one in chosen], "at": at}
