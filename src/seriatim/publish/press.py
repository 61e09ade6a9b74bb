"""The press: publishes the views of a study into files, whole or absent.

    read the view ─ form the release ─ look what a reader gains by it, write it, and its
    certificate, to a pending folder, read them back and verify (the store is written beside)
    ─ commit the store ─ move the files into place

The commit of the store is the moment at which a release exists. Killed before it, the
pending files are nobody's, and the next release takes their place; killed after it, they
are moved into place by the next start. Nothing else is ever in between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TypeAlias

from seriatim._typing import Instant, Table
from seriatim.errors import InternalError, OrderError, StoreError, hearing_warnings, listed
from seriatim.inference.adversary import Adversary
from seriatim.microdata.bad_cells import refuse_ids_of_lines
from seriatim.microdata.formulas import tell_of_released_formulas
from seriatim.microdata.history import require_later
from seriatim.microdata.instants import read_instant_word
from seriatim.microdata.intake import Taken
from seriatim.microdata.release import Release
from seriatim.microdata.sources import open_table
from seriatim.microdata.view import View
from seriatim.publish.certificate import (
    certify,
    require_same_name,
    sha256,
    written_certificate,
)
from seriatim.publish.certificate_file import CERTIFICATE_ENDING
from seriatim.publish.csv_text import Content
from seriatim.publish.duckdb_store import DuckDBStore
from seriatim.publish.enforcement import Attempt, Looked, enforced
from seriatim.publish.head import head_number, write_head
from seriatim.publish.output import KINDS, Kind, written
from seriatim.publish.pending_folder import PENDING, PendingFolder
from seriatim.publish.policy import Policy
from seriatim.publish.pooling import naming_table, require_pool, tables_of, taken_together
from seriatim.publish.publisher import Publication, Publisher
from seriatim.publish.seal import Key
from seriatim.publish.store import Entry, MemoryStore, Told
from seriatim.publish.store_folder import StoreFolder
from seriatim.publish.study import Study
from seriatim.publish.traces import PANEL
from seriatim.publish.verify import verify
from seriatim.publish.watch import Watch, told_in_public, watch
from seriatim.publish.whereabouts import Separation

Progress = Callable[[str], None]
"""Told what is being done, before it is done."""

Sources: TypeAlias = Table | str | Path | Sequence[Table | str | Path]
"""What a release is made from: a table or a file, or one for each of the periods it is of."""

STEPS = (
    "reading the view",
    "simulating the reader",
    "writing the release",
    "verifying the written files",
    "committing the store",
    "moving the files into place",
    "done",
)
"""What a publish goes through."""


@dataclass(frozen=True, eq=False)
class Printed:
    """A release in files, and all about it; private."""

    publication: Publication
    """The release, and what it was made from."""

    certificate: dict[str, Any]
    """Its certificate."""

    files: tuple[Path, ...]
    """Where it was written; empty for a rehearsal."""

    taken: Taken
    """What happened to the rows before they were a view; a rehearsal has the table itself."""

    changed: tuple[str, ...] = ()
    """What it promises otherwise than the release before it."""

    watched: Watch | None = None
    """What the simulated reader gains by it."""

    separation: Separation | None = None
    """Whom it separates by subtraction from the last releases; None where it has none to."""

    instead: Watch | None = None
    """What it would have gained with the groups that were asked for, where they were enlarged."""

    warnings: tuple[str, ...] = ()
    """What is odd about the table or the release, and may be meant."""

    @property
    def waiting(self) -> int:
        """How many were in the table and are not listed yet."""
        return self.publication.waiting

    @property
    def carried(self) -> int:
        """How many are listed who were not in the table."""
        return self.publication.carried

    @property
    def held_back(self) -> int:
        """How many tuples were left out whose groups would have differed by few from earlier."""
        return self.publication.held_back

    def __repr__(self) -> str:
        """Say what it is, and nothing about anyone in it."""
        return f"Printed({self.publication.release!r}, {len(self.files)} files)"


@dataclass(frozen=True, eq=False)
class _Formed:
    """A release that was formed, and has no files yet."""

    taken: Taken
    """What happened to the rows before they were a view."""

    made: Attempt
    """The release."""

    reader: Adversary
    """Who was simulated, as the study says it."""

    number: int
    """Its number in the series."""

    before: Mapping[str, Any] | None
    """What is recorded of the release before it."""

    warnings: tuple[str, ...]
    """What is odd about the table or the release."""

    def printed(self, certificate: dict[str, Any], files: tuple[Path, ...] = ()) -> Printed:
        made = self.made
        changed = _changed(certificate, self.before)
        return Printed(
            made.publication,
            certificate,
            files,
            self.taken,
            changed,
            made.watched,
            made.looked.separation,
            made.instead,
            self.warnings,
        )


class _Copy(NamedTuple):
    """The files of a release, ready to be written."""

    contents: dict[str, Content]
    """What each is to hold."""

    certificate: dict[str, Any]
    """What one of them certifies."""

    record: dict[str, Any]
    """What the store is to record."""

    certified_in: str
    """The name of the file that certifies the others."""


class Press:
    """Publishes the views of a study into files, one after the other.

    >>> import tempfile
    >>> from seriatim.publish.propose import propose
    >>> from seriatim.publish.study_text import study_text
    >>> week = {"patient": list(range(24)), "age": list(range(50, 74)), "exam": ["neg", "pos"] * 12}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "study.toml"
    ...     _ = file.write_text(study_text(propose(week)))
    ...     with Press(Study.read(file)) as press:
    ...         printed = press.publish(week, at=1)
    >>> [file.name for file in printed.files]
    ['release-0001.csv', 'release-0001.parquet', 'release-0001.certificate.json']
    """

    def __init__(
        self,
        study: Study,
        *,
        wait: float = 0.0,
        progress: Progress = lambda _: None,
        only_look: bool = False,
    ) -> None:
        """Open the study's store, and finish or undo what was interrupted.

        With ``only_look`` a store that is not there yet is not made: previews write nothing.
        """
        self._study = study
        self._progress = progress
        self._pending = PendingFolder(study.output_folder)
        # What the reader knows depends on no store, nor on a view.
        beside = ThreadPoolExecutor(1, thread_name_prefix="seriatim-reader")
        self._knowing: Future[Adversary] | None = beside.submit(lambda: study.adversary)
        beside.shutdown(wait=False)
        fresh = only_look and not study.has_store
        self._store: DuckDBStore | MemoryStore = (
            MemoryStore() if fresh else open_store(study, wait=wait)
        )
        if only_look:
            return
        try:
            entries = self._store.entries
            self._recover(entries)
            self._name_newest(entries)
        except BaseException:
            self._store.close()
            raise

    def __enter__(self) -> Press:
        """Keep the store open."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the store."""
        self._store.close()

    @property
    def store(self) -> DuckDBStore | MemoryStore:
        """The study's store."""
        return self._store

    def instant(self, word: str | None) -> Instant:
        """Return the instant that was named, or the next number of a numbered series."""
        if word is not None:
            return read_instant_word(word)
        last = self._store.last_instant
        if last is None:
            return 1
        if isinstance(last, int):
            return last + 1
        message = f"The last release was at {last!r}. Say when this one is, with --at."
        raise OrderError(message)

    def publish(self, source: Sources, *, at: Instant, again: bool = False, **how: Any) -> Printed:
        """Publish the next view, or the next of several periods where the study pools them.

        ``again`` allows a view whose content was published before. Whole or absent: an error
        leaves files and store as they were.
        """
        if self._pending.is_there:
            self._recover(self._store.entries)
        formed = self._form(source, at, again=again, keeps_rows=False, how=how)
        copies: list[_Copy] = []
        holds = False
        with (
            ThreadPoolExecutor(1, thread_name_prefix="seriatim-disk") as disk,
            ThreadPoolExecutor(1, thread_name_prefix="seriatim-check") as checks,
        ):

            def written() -> Told:
                self._progress("writing the release")
                copy, syncing = self._written(formed, disk)
                copies.append(copy)
                self._progress("verifying the written files")
                checking = checks.submit(self._require_verified, copy, syncing)
                looked = formed.made.looked
                return Told(
                    copy.record, looked.window, looked.whereabouts, lambda: settle(checking)
                )

            def settle(checking: Future[None]) -> None:
                nonlocal holds
                checking.result()
                self._progress("committing the store")
                holds = True

            try:
                self._store.commit(formed.made.step, meanwhile=written)
            except BaseException:
                # What came to hold may be committed, and its files are moved by the next start.
                if not holds:
                    for busy in (checks, disk):
                        busy.shutdown()
                    self._pending.discard()
                raise
        self._progress("moving the files into place")
        files = self._pending.move(copies[0].record["files"])
        write_head(self._study.output_folder, copies[0].record)
        self._progress("done")
        return formed.printed(copies[0].certificate, files)

    def preview(self, source: Sources, *, at: Instant, again: bool = False, **how: Any) -> Printed:
        """Return what ``publish`` would make of a view, and write nothing."""
        formed = self._form(source, at, again=again, keeps_rows=True, how=how)
        contents = self._contents(formed)
        return formed.printed(self._copy(formed, contents).certificate)

    def _form(
        self,
        source: Sources,
        at: Instant,
        *,
        again: bool,
        keeps_rows: bool,
        how: dict[str, Any],
    ) -> _Formed:
        """Form the release; nothing is written yet."""
        study, store = self._study, self._store
        require_later(at, store.last_instant)
        self._progress("reading the view")
        policy, plan = study.policy, study.declared.plan
        sources = tables_of(source)
        require_pool(policy.pool, len(sources))
        # Neither what the reader knows nor what is followed depends on the view.
        with (
            hearing_warnings() as heard,
            ThreadPoolExecutor(3, thread_name_prefix="seriatim-reader") as beside,
        ):
            knowing, self._knowing = self._knowing, None
            if knowing is None:  # read for each release: files may have changed
                knowing = beside.submit(lambda: study.adversary)
            tracing = beside.submit(lambda: store.traces if plan.lag else ())
            looks = plan.lag or policy.looks_back
            placing = beside.submit(lambda: store.whereabouts if looks else ())
            periods = _taken_in(study, sources, how)
            schema, reader = periods[0].schema, knowing.result()
            entries = store.entries
            if entries:
                require_same_name(study.declared.name, entries[-1].record["certificate"])
            self._progress("simulating the reader")

            def publisher(policy: Policy) -> Publisher:
                panel = PANEL if plan.lag else 0
                return Publisher(schema, policy, reader, store=store, panel=panel, back=plan.lag)

            def attempt(view: View, policy: Policy, k: int) -> Attempt:
                publication, step = publisher(policy).prepare(view, at=at)

                def look() -> Looked:
                    window = publication.window(tracing.result(), plan.lag)
                    found, placed = publication.compared(
                        placing.result(), plan.lag, study.policy.k, policy.looks_back
                    )
                    return Looked(watch(publication, entries, window), window, found, placed)

                return Attempt(publication, step, look, k)

            tables = [one.table for one in periods]
            view = publisher(policy).read(tables, [one.rows for one in periods])
            taken = taken_together(periods, keeps_rows=keeps_rows)
            # They are many, and whoever publishes does not look at them again.
            del tables, periods
            first = attempt(view, policy, policy.k)
            if not again:
                _require_new(first.step.view_digest, entries)
            number = len(entries) + 1
            _require_unpublished(study.output_folder, number)
            made = enforced(
                first, policy, study.plan, plan.enforce, lambda policy, k: attempt(view, policy, k)
            )
            tell_of_released_formulas(made.publication.release)
        before = entries[-1].record if entries else None
        return _Formed(taken, made, reader, number, before, tuple(heard))

    def _written(
        self, formed: _Formed, disk: ThreadPoolExecutor
    ) -> tuple[_Copy, list[Future[None]]]:
        """Write the files of a release; return them, and what waits until the disk has them."""
        contents = self._contents(formed)
        pending = self._pending
        pending.empty()
        # What was written is digested while the disk takes it in.
        writing = disk.submit(pending.write, contents)
        syncing = [disk.submit(pending.sync, tuple(contents))]
        copy = self._copy(formed, contents)
        writing.result()
        pending.write({copy.certified_in: copy.contents[copy.certified_in]})
        syncing.append(disk.submit(pending.sync, (copy.certified_in,)))
        return copy, syncing

    def _contents(self, formed: _Formed) -> dict[str, Content]:
        kinds = self._study.declared.output.files
        return _contents(formed.made.publication.release, kinds, formed.number)

    def _require_verified(self, copy: _Copy, syncing: list[Future[None]]) -> None:
        """Refuse files that are not what they should be, or that the disk does not have."""
        found = verify(self._pending.path / copy.certified_in, bytewise=False)
        # A requirement of one's own is unknown to a reader of files; its release is published.
        if not found.checked:
            message = f"The written release does not verify; nothing was published.\n{found}"
            raise InternalError(message)
        for one in syncing:
            one.result()

    def _copy(self, formed: _Formed, contents: dict[str, Content]) -> _Copy:
        """Add the certificate to the files of a release; return them, and what is recorded."""
        study, made, number = self._study, formed.made, formed.number
        certificate = certify(
            made.publication,
            study.policy,
            formed.reader,
            study=study.declared.name,
            number=number,
            files=contents,
            previous=None if formed.before is None else formed.before["certificate sha256"],
            declared=formed.taken.schema.sensitive,
        )
        certificate["simulated reader"] = told_in_public(made.watched, study.declared.plan.lag)
        separation = made.looked.separation
        if separation is not None:
            certificate["differences"] = separation.in_public
        certificate["groups formed with k"] = made.k
        certificate["dropped for missing values"] = formed.taken.dropped_rows
        certificate["repeated rows left out"] = formed.taken.repeated
        certificate["allowed though nearly unique"] = list(study.schema.allow_unique)
        digests = {name: one["sha256"] for name, one in certificate["files"].items()}
        name = _certificate_name(number)
        contents = contents | {name: written_certificate(certificate)}
        digests[name] = sha256(contents[name])
        record = {
            "number": number,
            "files": digests,
            "certificate": certificate,
            "watch": asdict(made.watched),
            "groups formed with k": made.k,
            "certificate sha256": digests[name],
        }
        return _Copy(contents, certificate, record, name)

    def _recover(self, entries: Sequence[Entry]) -> None:
        """Finish a release that was committed and not moved."""
        if not entries:
            return
        digests = entries[-1].record["files"]
        waits = self._pending.is_there and not self._pending.is_of_another(digests)
        if not waits and not self._never_came_out(entries[-1].record):
            # What else waits may belong to a newer store; the next release takes its place.
            return
        missing = self._pending.damaged(digests)
        if missing:
            self._write_again(missing, entries[-1].record)
        self._pending.move(digests)

    def _never_came_out(self, record: Mapping[str, Any]) -> bool:
        """Tell whether the last release is nowhere, though releases before it are in their place.

        Readers who move files elsewhere take the head with them, or leave one that names them.
        """
        folder, number = self._study.output_folder, record["number"]
        there = any((folder / name).exists() for name in record["files"])
        return not there and 0 < head_number(folder) < number

    def _write_again(self, names: list[str], record: Mapping[str, Any]) -> None:
        """Write files of the last release from the store, to wait with the others."""
        number, digests = record["number"], record["files"]
        kinds: list[Kind] = [kind for kind in KINDS if any(one.endswith(kind) for one in digests)]
        contents = _contents(self._store.history[-1], kinds, number)
        contents[_certificate_name(number)] = written_certificate(record["certificate"])
        found = {name: contents[name] for name in names if name in contents}
        lost = [name for name in names if sha256(found.get(name, b"")) != digests[name]]
        if lost:
            message = (
                f"Release {number} is part of the series, but {listed(lost)} was damaged before it"
                f" came from {PENDING} to its place, and cannot be written from the store as it was"
                " (was seriatim or pyarrow updated meanwhile?). Put a copy with SHA-256"
                f" {digests[lost[0]]} into {self._study.output_folder}, then publish again."
            )
            raise StoreError(message)
        self._pending.make()
        self._pending.write(found)
        self._pending.sync(found)

    def _name_newest(self, entries: Sequence[Entry]) -> None:
        """Let the head name the newest release, where a process was killed before it did."""
        if entries and self._study.output_folder.is_dir():
            write_head(self._study.output_folder, entries[-1].record, raising=True)


def _taken_in(
    study: Study, sources: Sequence[Table | str | Path], how: dict[str, Any]
) -> list[Taken]:
    """Take in the tables of a release, each by itself."""
    taken = []
    for number, source in enumerate(sources, start=1):
        with naming_table(number, len(sources)):
            taken.append(study.intake.take_in(open_view(study, source, **how)))
    return taken


def open_view(study: Study, source: Table | str | Path, **how: Any) -> Table:
    """Open a view of a study: only the columns that have a part are read."""
    if not isinstance(source, str | Path):
        return source
    table = open_table(
        source,
        columns=study.columns,
        text=study.text_columns,
        missing=study.declared.input.empty,
        **how,
    )
    refuse_ids_of_lines(table.column(study.schema.respondent), study.schema.respondent)
    return table


def open_store(study: Study, *, wait: float = 0.0) -> DuckDBStore:
    """Open the store of a study, with its key where it is sealed.

    A store is never begun where releases are: it would not be the one that they were made with.
    """
    released = sorted(study.output_folder.glob("release-*"))
    if released and not study.has_store:
        StoreFolder(study.store_path).current.require_nothing_orphaned()
        message = (
            f"{study.output_folder} has {released[0].name}, and there is no store"
            f" {study.store_path}: the series cannot go on without what its readers were told."
            " Bring the store back, restore a backup with `seriatim store restore`, or name"
            " another folder for the releases of a new series."
        )
        raise StoreError(message)
    return DuckDBStore(study.store_path, key=study_key(study), wait=wait)


def study_key(study: Study) -> Key | None:
    """Return the key that a study names; None for a plain store."""
    declared = study.declared.store
    if declared.key_file is not None:
        return Key.from_file(study.folder / declared.key_file)
    if declared.key_variable is not None:
        return Key.from_environment(declared.key_variable)
    return None


def _contents(release: Release, kinds: Sequence[Kind], number: int) -> dict[str, Content]:
    files = written(release, kinds)
    return {
        f"release-{number:04}{ending}.{kind}": content for (ending, kind), content in files.items()
    }


def _certificate_name(number: int) -> str:
    return f"release-{number:04}{CERTIFICATE_ENDING}"


def _require_new(digest: bytes, entries: tuple[Entry, ...]) -> None:
    for number, entry in enumerate(entries, start=1):
        if entry.view_digest == digest:
            message = (
                f"This view was published before, as release {number} at {entry.at!r}. To publish"
                " the same content again on purpose, say so with --again."
            )
            raise OrderError(message)


def _require_unpublished(folder: Path, number: int) -> None:
    """Refuse to publish over a release that is out: the store is not the one it was made with."""
    there = sorted(file.name for file in folder.glob(f"release-{number:04}*"))
    if there:
        message = (
            f"{folder} already has {there[0]}, and the store knows of {number - 1} releases: it is"
            " an older one, or another's. Restore the store that belongs to these releases, or"
            " name another folder for a new series."
        )
        raise OrderError(message)


def _changed(certificate: dict[str, Any], before: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Tell what a release promises otherwise than the one before it, as recorded."""
    if before is None:
        return ()
    former = before["certificate"]
    return tuple(
        f"{what}: {former[what]} before, {certificate[what]} now"
        for what in ("promised", "reader", "form", "made by")
        if former[what] != certificate[what]
    )
