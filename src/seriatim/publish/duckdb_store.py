"""A store in a private folder: releases, and what the simulated reader believes after them.

Nothing in it holds a respondent's id: people are known by a keyed digest of theirs. Only where
people are listed who are not in the view (``listing.py``) it has the ids, quasi-identifiers and
values of those who are listed: whoever is away is published from there. What is remembered of
people is kept in bundles (``duckdb_bundles.py``), which newer ones take in, so that a release costs
what its view costs and the store stays within a small multiple of what it must hold. Bundles are
files of numbers; all else is in a database, which says also which bundles count.
``store_folder.py`` says what lies where.

Kinds of bundles: ``pasts``, ``contexts`` (what was learned from the views, by respondent) and
``places`` (what the partitioner remembers of respondents). Tables: ``meta`` (names and values),
``releases`` (what is recorded of each), a ``release_…`` for each or a ``releases_…`` for a few
small ones, ``counts`` (what was learned, in sum), and what the watch follows of the last
releases: a ``trace_…`` for each, and ``traces`` (what changes of them), and who was in which
group of them, a ``whereabouts_…`` for each; and ``listing``, where there is one. A table that
gains a row is written anew as a whole, so what is large has tables of its own.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow as pa

from seriatim._typing import Instant, IntArray
from seriatim.errors import InternalError, SeriatimError, StoreError
from seriatim.inference.pasts import spans
from seriatim.knowledge.learning import require_unchanged
from seriatim.microdata.history import History, require_later
from seriatim.microdata.release import Release
from seriatim.microdata.schema import Schema
from seriatim.publish.duckdb_bundles import Bundles, Kind, Portion
from seriatim.publish.duckdb_file import (
    connected,
    copy_database,
    copy_file,
    copy_stream,
    flushed_until,
    has_table,
    require_sealed,
    settled,
    told_plainly,
)
from seriatim.publish.duckdb_layout import (
    CONTEXTS,
    KINDS,
    SCHEMA_VERSION,
    TABLES,
    keep_release,
)
from seriatim.publish.duckdb_listing import DuckDBListing
from seriatim.publish.duckdb_memory import DuckDBMemory, DuckDBNotebook
from seriatim.publish.duckdb_register import DuckDBRegister
from seriatim.publish.duckdb_tables import DuckDBTables
from seriatim.publish.duckdb_traces import TRACES, DuckDBTraces
from seriatim.publish.duckdb_whereabouts import DuckDBWhereabouts
from seriatim.publish.extension import Extension
from seriatim.publish.key_lookup import KeyLookup
from seriatim.publish.listing import Listing
from seriatim.publish.new_files import fsync_directory
from seriatim.publish.past_records import PASTS
from seriatim.publish.people_folder import PeopleFolder
from seriatim.publish.private_folder import PrivateFolder
from seriatim.publish.records import (
    read_instant,
    read_release_record,
    read_schema,
    write_instant,
    write_release,
    write_schema,
)
from seriatim.publish.seal import Key, seal_stream, unsealed
from seriatim.publish.store import Entry, Meanwhile, Step, Told
from seriatim.publish.store_archive import Stream, packed, unpack
from seriatim.publish.store_folder import StoreFiles, StoreFolder
from seriatim.publish.traces import Trace
from seriatim.publish.whereabouts import Whereabouts

_BEGUN = "token of files begun"
"""Under what name the database keeps the token of files that a transaction began."""

_SUPERSEDED = "files superseded"
"""Under what name it keeps which files counted before the last transaction."""


class DuckDBStore(DuckDBTables):
    """A series in a folder of its own: a DuckDB file, and files of what is known of people.

    >>> import tempfile
    >>> from seriatim import Adversary, KAnonymity, Numeric, Policy, Publisher, Sensitive
    >>> schema = Schema("name", [Numeric("age")], Sensitive("exam"))
    >>> policy = Policy(KAnonymity(k=2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for at in (1, 2):  # as if on two days
    ...         with DuckDBStore(f"{folder}/series.store") as store:
    ...             publisher = Publisher(schema, policy, Adversary(), store=store)
    ...             table = {"name": ["A", "B"], "age": [51, 52], "exam": ["x", "y"]}
    ...             print(publisher.publish(table, at=at), store.n_releases)
    Release(at=1, 2 tuples in 1 groups) 1
    Release(at=2, 2 tuples in 1 groups) 2
    """

    def __init__(self, path: str | Path, *, key: Key | None = None, wait: float = 0.0) -> None:
        """Open a store, or begin one; others are kept out until it is closed.

        With a key the store is sealed: encrypted and authenticated whenever it is at rest. It
        is worked on in a private folder, in memory where the system has such, and sealed
        again by every commit. A sealed store is never opened without its key, nor a plain
        one with a key.
        """
        self._folder = StoreFolder(path)
        self._key = key
        self._workshop: PrivateFolder | None = None
        self._lock = self._folder.open(wait=wait)
        try:
            require_sealed(self._folder.current, self.path.name, sealed=key is not None)
            self._files = self._working_files()
            logged = self._files.has_log
            super().__init__(
                self.path, connected(self._files.database), PeopleFolder(self._files.people)
            )
            try:
                self._prepare()
                self._remove_superseded(logged=logged)
                settled(self.path, self._connection)
            except BaseException:
                self._connection.close()
                raise
        except BaseException:
            self._clear()
            raise

    def __repr__(self) -> str:
        """Say where it is."""
        return f"DuckDBStore({str(self.path)!r})"

    def __enter__(self) -> DuckDBStore:
        """Keep the store open."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Let others open the file; doing so twice does nothing."""
        self._connection.close()
        self._clear()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Let the files of people count with what the database says of them, or not at all.

        Which files are to come is committed first, so that after a kill the database knows which
        files are nobody's. Those that count no more are removed by the next open or the next
        transaction: should the write-ahead log be lost, the database still finds its files.
        """
        self._remove_superseded(logged=True)
        token, before = secrets.token_hex(4), self._bundle_files()
        self.set_meta(_BEGUN, token.encode())
        self.people.start(token)
        try:
            with super()._transaction():
                yield
                self.people.fsync_names()
                gone = sorted(before - self._bundle_files())
                self.set_meta(_SUPERSEDED, json.dumps(gone).encode())
                self.set_meta(_BEGUN, b"")
            # The log may be a new file: without its name its content would be lost.
            fsync_directory(self._files.folder)
        except BaseException:
            # Whatever stopped it may have come after the commit: the database knows.
            with contextlib.suppress(SeriatimError, InternalError):
                self.people.undo(self._bundle_files())
            raise

    def _remove_superseded(self, *, logged: bool) -> None:
        """Remove files of people that this database named, and that count no more.

        Where what it says now may be in its log only, it is brought into the database first.
        """
        listed = json.loads(self.meta(_SUPERSEDED) or b"[]")
        begun = self.people.begun_with((self.meta(_BEGUN) or b"").decode())
        gone = (begun | set(listed)) & self.people.names() - self._bundle_files()
        if gone:
            if logged:
                self.settle()
            self.people.remove(gone)

    def _bundle_files(self) -> set[str]:
        return {bundle.file for kind in KINDS for bundle in Bundles(self, kind).listed}

    @property
    def path(self) -> Path:
        """The folder."""
        return self._folder.path

    @property
    def history(self) -> History:
        """The releases made so far."""
        kept = self._rows("SELECT number, kept_in FROM releases ORDER BY number")
        return History(tuple(self._release(*one) for one in kept))

    def _release(self, number: int, table: str) -> Release:
        [(record,)] = self._rows(f"SELECT release FROM {table} WHERE number = {number}")
        return read_release_record(record)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What is recorded of each release."""
        rows = self._rows(
            "SELECT instant, view, record, counterfeits FROM releases ORDER BY number"
        )
        return tuple(
            Entry(
                read_instant(at),
                view,
                json.loads(record),
                tuple((group, code) for group, code in json.loads(added)),
            )
            for at, view, record, added in rows
        )

    @property
    def n_releases(self) -> int:
        """How many releases were made."""
        return int(self._rows("SELECT count(*) FROM releases")[0][0])

    @property
    def last_instant(self) -> Instant | None:
        """When the last release was made; None before the first."""
        rows = self._rows("SELECT instant FROM releases ORDER BY number DESC LIMIT 1")
        return read_instant(rows[0][0]) if rows else None

    @property
    def schema(self) -> Schema | None:
        """The schema of the series, every domain settled; None before the first release."""
        found = self.meta("schema")
        return None if found is None else read_schema(found.decode())

    @property
    def memory(self) -> DuckDBMemory:
        """What the simulated reader remembers."""
        return DuckDBMemory(self)

    @property
    def notebook(self) -> DuckDBNotebook:
        """What the simulated reader learned from the views."""
        return DuckDBNotebook(self)

    @property
    def register(self) -> DuckDBRegister:
        """What the partitioner remembers."""
        return DuckDBRegister(self)

    @property
    def traces(self) -> tuple[Trace, ...]:
        """What is followed of the last releases; it may be asked for beside all else."""
        with self._aside() as tables:
            return DuckDBTraces(tables).read()

    @property
    def whereabouts(self) -> tuple[Whereabouts, ...]:
        """Who was in which group of the last releases; it may be asked for beside all else."""
        with self._aside() as tables:
            return DuckDBWhereabouts(tables).read()

    @property
    def listing(self) -> Listing | None:
        """Who was listed in the last release, where that was kept."""
        with self._aside() as tables:
            return DuckDBListing(tables).read()

    def commit(self, step: Step, *, meanwhile: Meanwhile = lambda: None) -> None:
        """Add all of a step or nothing of it.

        ``meanwhile`` is called while most rows are written, and before they count: whatever it
        raises undoes them, and it may tell what the step does not.
        """
        # Writing holds no interpreter lock.
        beside = ThreadPoolExecutor(3, thread_name_prefix="seriatim-store")
        with self._transaction(), beside:
            writing, written = beside.submit(self._write, step), threading.Event()
            writing.add_done_callback(lambda _: written.set())
            beside.submit(flushed_until, self.working, written)
            beside.submit(self.people.flush_until, written)
            try:
                told = meanwhile() or Told(step.record, step.traces, step.whereabouts)
                number = writing.result()
            finally:
                _finished(writing)
            DuckDBTraces(self).keep(told.traces)
            DuckDBWhereabouts(self).keep(told.whereabouts)
            record = json.dumps(told.record)
            self._run("UPDATE releases SET record = ? WHERE number = ?", [record, number])
            told.settle()
        self._seal()

    def _write(self, step: Step) -> int:
        """Write a step but for its record and traces, in a transaction; return its number."""
        require_later(step.release.at, self.last_instant)
        if step.lesson is not None:
            require_unchanged(self.notebook, step.lesson)
        step.impression.remember_in(self.memory)
        if step.lesson is not None:
            self.notebook.keep(step.lesson)
        if step.enrolment is not None:
            self.register.keep(step.enrolment)
        DuckDBListing(self).keep(step.listing)
        self.set_meta("schema", write_schema(step.schema).encode())
        number = self.n_releases
        row = {
            "number": [number],
            "instant": [write_instant(step.release.at)],
            "view": [step.view_digest],
            "counterfeits": [json.dumps(step.counterfeits)],
            "kept_in": [keep_release(self, number, write_release(step.release))],
        }
        self.insert("releases", pa.table(row))
        return number

    def forget(self, respondents: pa.Array) -> int:
        """Remove every trace of respondents from the store; return how many it knew.

        The file is written anew without them: nothing is left in freed space. What was
        counted over all views stays, as sums that name nobody.
        """
        lookup = KeyLookup(*self.keys(respondents))
        known = np.zeros(len(respondents), dtype=bool)
        with self._transaction():
            for kind in KINDS:
                known |= Bundles(self, kind).forget(lookup)
            DuckDBTraces(self).forget(respondents, self.secret)
            DuckDBWhereabouts(self).forget(respondents, self.secret)
            DuckDBListing(self).forget(respondents)
        self._rewrite()
        self._remove_superseded(logged=False)
        self._seal()
        left = sorted(self.people.names() - self._bundle_files())
        if left:
            message = (
                f"{self.people.path / left[0]} is there beside the files of the store, and may"
                " still tell of people who were forgotten. Remove it by hand, unless it belongs to"
                " another copy of this store that you mean to keep."
            )
            raise StoreError(message)
        return int(known.sum())

    def extend(self, extension: Extension) -> None:
        """Carry everything that is remembered over to a larger sensitive domain."""
        with self._transaction():
            self.set_meta("schema", write_schema(extension.schema).encode())
            if self.meta("structure") is not None and extension.places is not None:
                places = extension.places
                wide = int(places.max(initial=0)) > np.iinfo(np.uint16).max
                self._carry(PASTS, lambda portion: _moved(portion, places), wide=wide)
                self.set_meta("structure", extension.structure)
                self.set_meta("values", str(len(extension.schema.sensitive.domain)).encode())
            if self.number("size of counts") and extension.contexts is not None:
                contexts = extension.contexts
                self._carry(CONTEXTS, lambda portion: _recontexted(portion, contexts))
                counted = self.table("SELECT * FROM counts")
                cells = extension.moved_cells(counted.column("cell").to_numpy())
                self._run("DELETE FROM counts")
                self.insert("counts", counted.set_column(0, "cell", pa.array(cells)))
                self.set_meta("size of counts", str(extension.size).encode())
            if extension.places is not None:
                DuckDBTraces(self).extend(extension.places)
        self._seal()

    def _carry(
        self, kind: Kind, change: Callable[[Portion], Portion], *, wide: bool = False
    ) -> None:
        """Change everything of a kind."""
        bundles = Bundles(self, kind)
        changed = {one.number: map(change, bundles.pieces(one)) for one in bundles.listed}
        bundles.replace(changed, wide=wide)

    def copy_to(self, target: Path) -> None:
        """Write the store to another file: a backup, sealed where the store is.

        What is damaged is no backup, so everything is read before.
        """
        if target.resolve().is_relative_to(self.path):
            message = f"{target} is in the store itself. Name a place for the backup elsewhere."
            raise StoreError(message)
        for kind in KINDS:
            bundles = Bundles(self, kind)
            for bundle in bundles.listed:
                for _ in bundles.pieces(bundle, {}):
                    pass
        if self._key is None:
            copy_stream(self._stream(), target)
        else:
            self.settle()
            copy_file(self._folder.current.sealed, target)

    def _rewrite(self) -> None:
        """Write the file anew, without what was deleted from it."""
        self.settle()
        self._connection.close()
        database = self._files.database
        fresh = database.with_name(database.name + ".part")
        fresh.unlink(missing_ok=True)
        copy_database(database, fresh)
        with told_plainly(self.path):
            fresh.replace(database)
            fsync_directory(database.parent)
        self._connection = connected(database)
        settled(self.path, self._connection)

    def settle(self) -> None:
        """Bring everything that was committed into the file itself."""
        self._run("CHECKPOINT")

    @property
    def working(self) -> Path:
        """The database that is worked on: in the store, or in a private folder."""
        return self._files.database

    def _working_files(self) -> StoreFiles:
        """Return the files to work on: the store's own, or what was sealed in a private folder."""
        current = self._folder.current
        if not current.is_there:
            current.require_nothing_orphaned()
        if self._key is None:
            if not self._folder.is_private:
                message = (
                    f"{self.path} is on a file system where others can enter it whatever its mode"
                    " says. Put the store elsewhere ([store] folder), or seal it."
                )
                raise StoreError(message)
            return current
        self._workshop = PrivateFolder(self.path)
        working = StoreFiles(self._workshop.path)
        if current.sealed.exists():
            with told_plainly(self.path):
                unpack(unsealed(current.sealed, self._key), working.database, working.people)
                # Sealing a plain store may have been stopped before its files were removed.
                current.remove_plain(PeopleFolder(working.people).names())
        return working

    def _seal(self) -> None:
        """Bring what was committed to rest; until then a sealed store is as it was."""
        if self._key is None or self._workshop is None:
            return
        try:
            self._remove_superseded(logged=False)
            self.seal_to(self._key)
        except BaseException:
            # Going on from here would add to releases that the sealed store does not have.
            self.close()
            raise

    def seal_to(self, key: Key) -> None:
        """Write the store sealed, in one file."""
        seal_stream(self._stream(), self.path, self._folder.current.sealed, key)

    def seal_plain(self, key: Key) -> None:
        """Seal a plain store, and close it: what was plain is removed."""
        self._remove_superseded(logged=True)
        self.seal_to(key)
        names = self._bundle_files()
        self._connection.close()
        self._folder.current.remove_plain(names)
        self._clear()

    def _stream(self) -> Stream:
        """Return all there is of the store as one stream of bytes."""
        self.settle()
        files = self._files
        return Stream(packed(files.database, files.people, sorted(self._bundle_files())))

    def _clear(self) -> None:
        """Remove the private folder, and let others in."""
        if self._workshop is not None:
            self._workshop.close()
            self._workshop = None
        self._lock.release()

    @property
    def tables(self) -> list[str]:
        """The names of all tables."""
        released = [name for (name,) in self._rows("SELECT DISTINCT kept_in FROM releases")]
        kept = [*DuckDBTraces(self).tables, *DuckDBWhereabouts(self).tables]
        kept += DuckDBListing(self).tables
        return ["meta", "releases", *released, "counts", *kept]

    def _prepare(self) -> None:
        """Make the tables of a new store, or see that those of an old one can be read."""
        if not has_table(self.path, self._connection, "meta"):
            self._files.require_nothing_orphaned(ignore_log=True)
            with super()._transaction():
                self._run(TABLES + TRACES)
                self.set_meta("schema version", str(SCHEMA_VERSION).encode())
                self.set_meta("secret", secrets.token_bytes(32))
            self._seal()
            return
        version = self.number("schema version")
        if version > SCHEMA_VERSION:
            message = (
                f"{self.path.name} was written by a newer seriatim (form {version}, this one"
                f" knows {SCHEMA_VERSION}). Use that version, or a newer one."
            )
            raise StoreError(message)
        if version < SCHEMA_VERSION:
            message = (
                f"{self.path.name} was written by an older seriatim (form {version}, this one"
                f" knows {SCHEMA_VERSION}), or is no store of seriatim."
            )
            raise StoreError(message)


def _finished(writing: Future[int]) -> None:
    """Wait for what writes, however often it is asked to stop: its transaction ends after it."""
    while not writing.done():
        with contextlib.suppress(KeyboardInterrupt):
            wait([writing])


def _moved(portion: Portion, places: IntArray) -> Portion:
    """Let the places of pasts be those of another automaton."""
    counts, lengths = (portion.columns[name].astype(np.int64) for name in ("places", "entries"))
    used = spans(np.cumsum(lengths) - lengths, counts)
    moved = portion.entries["place"].astype(np.uint32)
    moved[used] = places[moved[used]]
    return replace(portion, entries=portion.entries | {"place": moved})


def _recontexted(portion: Portion, contexts: IntArray) -> Portion:
    return replace(portion, columns={"context": contexts[portion.columns["context"]]})
