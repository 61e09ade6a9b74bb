"""Upkeep of stores: check, export, restore a backup, change the key, extend the domain."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet

from seriatim._typing import Value
from seriatim.errors import SeriatimError, StoreError
from seriatim.inference.extension import carried_junctions, carried_states
from seriatim.inference.filtering import Joint, filtering_by_name
from seriatim.knowledge.automaton import Automaton, SequenceModel
from seriatim.knowledge.incremental import IncrementalKnowledge
from seriatim.publish.certificate import sha256, written_certificate
from seriatim.publish.duckdb_bundles import Bundles, Kind, Portion
from seriatim.publish.duckdb_file import copy_file
from seriatim.publish.duckdb_layout import KINDS
from seriatim.publish.duckdb_store import DuckDBStore
from seriatim.publish.extension import Extension
from seriatim.publish.new_files import new_file
from seriatim.publish.past_records import PASTS, told_as_columns, told_plainly
from seriatim.publish.seal import Key, is_sealed
from seriatim.publish.store_archive import unpack
from seriatim.publish.store_folder import StoreFiles, StoreFolder
from seriatim.publish.study import Study

GONE = "is not in the folder; moved on purpose?"
"""What is said of a released file that is not where it was written."""


@dataclass(frozen=True)
class Condition:
    """One thing that was looked at in a store."""

    what: str
    """What was looked at."""

    sound: bool
    """Whether it is as it should be."""

    found: str
    """What was found."""


def check_up(store: DuckDBStore, study: Study) -> tuple[Condition, ...]:
    """Read everything a store holds, and compare it with the files of the study."""
    found = [_tables(store), _releases(store), _chain(store)]
    for number, entry in enumerate(store.entries, start=1):
        for name, digest in entry.record.get("files", {}).items():
            file = study.output_folder / name
            if not file.is_file():
                told, sound = GONE, True
            else:
                sound = sha256(file.read_bytes()) == digest
                told = "is as published" if sound else "was changed after it was published"
            found.append(Condition(f"release {number}: {name}", sound, told))
    return tuple(found)


def export(store: DuckDBStore, folder: Path) -> tuple[Path, ...]:
    """Write what a store holds in forms that other programs read; ids are in none of it.

    Certificates as JSON, what is remembered of people (under their keyed digests) as
    Parquet. The secret stays in the store, and so do what the watch follows, which is of a few
    releases only and has true values in it, and who is listed, which has ids in it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        records = [entry.record.get("certificate", {}) for entry in store.entries]
        with _exported(folder / "certificates.json") as file:
            file.write(json.dumps(records, indent=1, ensure_ascii=False).encode())
        written = [folder / "certificates.json"]
        tables = {kind.name: _people(store, kind) for kind in KINDS}
        tables["counts"] = iter([store.table("SELECT * FROM counts")])
        for name, pieces in tables.items():
            path, first = folder / f"{name}.parquet", next(pieces)
            with (
                _exported(path) as file,
                pyarrow.parquet.ParquetWriter(file, first.schema) as writer,
            ):
                for piece in itertools.chain([first], pieces):
                    writer.write_table(piece)
            written.append(path)
    except OSError as error:
        message = f"The export to {folder} failed: {error.strerror}."
        raise StoreError(message) from None
    return tuple(written)


@contextlib.contextmanager
def _exported(path: Path) -> Iterator[BinaryIO]:
    """Create a file of its owner's alone, in the place of what an earlier export left."""
    path.unlink(missing_ok=True)
    with new_file(path) as file:
        yield file


def _people(store: DuckDBStore, kind: Kind) -> Iterator[pa.Table]:
    """Go through all that is remembered of people; the newest bundle counts."""
    told = told_plainly if kind is PASTS else told_as_columns
    bundles = Bundles(store, kind)
    yield told(Portion.empty(kind), 0)
    for bundle in bundles.listed:
        for portion in bundles.pieces(bundle):
            yield told(portion, bundle.number)


def restore(backup: Path, path: Path, key: Key | None) -> Path | None:
    """Put a backup in a store's place; return where the store that was there went.

    The backup must open and be whole before anything is moved.
    """
    if not backup.exists():
        message = f"There is no backup {backup}."
        raise StoreError(message)
    folder = StoreFolder(path)
    with folder.open():
        try:
            _bring(backup, folder.trial.current)
            _require_sound(backup, folder.trial.path, key)
            return folder.exchange()
        except OSError as error:
            message = f"{folder.path.name} could not be restored: {error.strerror}."
            raise StoreError(message) from None
        finally:
            with contextlib.suppress(OSError):
                folder.discard_trial()


def _bring(backup: Path, trial: StoreFiles) -> None:
    """Make a store of a backup: of a file, or of a folder that was copied or replaced."""
    trial.folder.parent.mkdir(mode=0o700)
    if backup.is_dir():
        whole = StoreFolder(backup).current
        found = whole if whole.is_there else StoreFiles(backup)
        if not found.is_there:
            message = f"{backup} is a folder, and there is no store in it. Name a backup."
            raise StoreError(message)
        found.copy_to(trial)
        return
    trial.folder.mkdir(mode=0o700)
    if is_sealed(backup):
        copy_file(backup, trial.sealed)
        return
    with backup.open("rb") as file:
        unpack(iter(lambda: file.read(2**20), b""), trial.database, trial.people)


def _require_sound(backup: Path, trial: Path, key: Key | None) -> None:
    """Refuse a copy of a backup that does not open or is not whole; errors name the backup."""
    try:
        store = DuckDBStore(trial, key=key)
    except StoreError as error:
        message = str(error)
        for found in (trial / "current" / "series.sealed", trial):
            message = message.replace(str(found), backup.name)
        raise StoreError(message.replace(trial.name, backup.name)) from None
    with store:
        for condition in (_tables(store), _releases(store), _chain(store)):
            if not condition.sound:
                message = f"The backup is not sound: {condition.what} {condition.found}."
                raise StoreError(message)
        store.settle()


def rekey(path: Path, old: Key | None, new: Key) -> None:
    """Seal a store with another key, or a plain one for the first time."""
    files = StoreFolder(path).current
    sealed = files.sealed.exists()
    if sealed and old is None:
        message = f"{path.name} is sealed: name the key that it is sealed with."
        raise StoreError(message)
    # A study may name the key before the store is sealed with it.
    with DuckDBStore(path, key=old if sealed else None) as store:
        if sealed:
            store.seal_to(new)
            return
        store.seal_plain(new)
    if files.database.exists() or files.people.exists():
        message = (
            f"{path.name} is sealed with the new key, but what it held is still there in plain and"
            f" could not be removed. Remove all but {files.sealed} by hand."
        )
        raise StoreError(message)


def extend(store: DuckDBStore, study: Study) -> tuple[Value, ...]:
    """Extend a series by the sensitive values that its study declares and it does not have.

    Returns the new values. What is remembered of people, and what was learned from the
    views, is carried over; the new values come behind the old ones.
    """
    stored, declared = store.schema, study.intake.labelled.sensitive
    if stored is None:
        message = (
            "Nothing was published yet: values that are declared now are there from the start."
        )
        raise StoreError(message)
    old = stored.sensitive.domain
    more = tuple(value for value in declared.values or () if value not in old)
    if not more:
        return ()
    new = (*old, *more)
    schema = replace(stored, sensitive=replace(stored.sensitive, values=new))
    sequence, filtering = study.adversary.sequence, study.adversary.filtering
    if sequence is None:
        store.extend(Extension(schema))
        return more
    learned = isinstance(sequence, IncrementalKnowledge)
    before, after = _automaton(sequence, old), _automaton(sequence, new)
    joint = isinstance(filtering_by_name(filtering), Joint)
    states = carried_states(before, after)
    store.extend(
        Extension(
            schema,
            filtering_by_name(filtering).structure(after),
            states if joint else carried_junctions(before, after),
            states if learned else None,
            (before.n_states, len(old)),
            (after.n_states, len(new)),
            after.n_classes,
        )
    )
    return more


def _automaton(sequence: SequenceModel, domain: tuple[Value, ...]) -> Automaton:
    if isinstance(sequence, IncrementalKnowledge):
        return sequence.tree(domain)[0]
    return sequence.automaton(domain)


def _tables(store: DuckDBStore) -> Condition:
    """Read every table and file to its end: a damaged block does not pass its checksum."""
    try:
        counts = {
            name: store.table(f"SELECT count(*) AS n, bit_xor(hash(*COLUMNS(*))) AS d FROM {name}")
            .column("n")[0]
            .as_py()
            for name in store.tables
        }
        for kind in KINDS:
            bundles = Bundles(store, kind)
            for _ in itertools.chain.from_iterable(map(bundles.pieces, bundles.listed)):
                pass
        people = Bundles(store, PASTS).count()
    except SeriatimError as error:
        return Condition("tables", False, str(error))
    told = f"{counts['releases']} releases, {people:,} people remembered"
    return Condition("tables", True, told)


def _releases(store: DuckDBStore) -> Condition:
    try:
        history = store.history
    except (SeriatimError, ValueError, KeyError, TypeError):
        return Condition("releases", False, "a release cannot be read back")
    return Condition("releases", True, f"{len(history)} can be read back, in order")


def _chain(store: DuckDBStore) -> Condition:
    """Look whether each certificate names the one before."""
    before = None
    for entry in store.entries:
        certificate = entry.record.get("certificate")
        if certificate is None:
            continue
        digest = sha256(written_certificate(certificate))
        if certificate["previous"] != before or digest != entry.record["certificate sha256"]:
            return Condition("certificates", False, "the chain is broken")
        before = digest
    return Condition("certificates", True, "each names the one before it")
