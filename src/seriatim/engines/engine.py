"""The engine: publishes a view in shards, wherever its workers are.

    rows enter ─ domains, counts, boundaries ─ rows meet their pasts ─ shards form groups
    ─ leftovers are mended ─ groups are counted, numbered, written ─ the files are inspected
    ─ one manifest appears: now the release exists

The driver holds summaries only. Every step is a function on tables that both engines run, so
with the same boundaries they make the same release.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic

import numpy as np
import pyarrow as pa

from seriatim._typing import Instant
from seriatim.engines.between import regrouped, without
from seriatim.engines.certificates import certificate_of
from seriatim.engines.entrance import (
    ROW,
    Entrance,
    Missing,
    Survey,
    entered,
    entered_schema,
    settled_schema,
    surveyed,
)
from seriatim.engines.group_records import (
    CensusTask,
    PrintTask,
    census,
    group_columns,
    printed,
    printed_schema,
)
from seriatim.engines.hashes import WHO, derived
from seriatim.engines.inspection import Inspection, inspected
from seriatim.engines.places import (
    LEVELS,
    WHOLE,
    Boundaries,
    Stretch,
    boundaries_at,
    parts_of,
)
from seriatim.engines.recall import (
    PASTS,
    VERSION,
    Recall,
    newest,
    recalled,
    rows_schema,
)
from seriatim.engines.series import Manifest, SeriesFolder, release_name
from seriatim.engines.shard import GROUP, LEFT, PAST, ShardTask, published_shard, shard_schema
from seriatim.engines.support import require_supported
from seriatim.engines.workers import (
    KIND,
    NOTE,
    SUMMARIES,
    SUMMARY,
    Data,
    Told,
    Workers,
    read_summaries,
)
from seriatim.errors import (
    InternalError,
    KnowledgeError,
    OrderError,
    TableError,
    UnsatisfiableError,
)
from seriatim.inference.adversary import Adversary
from seriatim.inference.filtering import filtering_by_name
from seriatim.microdata.history import require_later
from seriatim.microdata.schema import Schema
from seriatim.publish.certificate import sha256, written_certificate
from seriatim.publish.policy import Policy
from seriatim.publish.publisher import continued
from seriatim.publish.records import write_instant

STEPS = (
    "reading the view",
    "counting along the curve",
    "simulating the reader",
    "mending the boundaries",
    "counting the groups",
    "writing the release",
    "verifying the written files",
    "committing the series",
    "moving the files into place",
    "done",
)
"""What a publish goes through."""

_RECALLED = pa.schema([PASTS.field(name) for name in (*WHO, VERSION, "seen_at", "past")])
_WASTE = 2
"""Records are compacted when there are so many times as many as people."""


@dataclass(frozen=True)
class Sizes:
    """How much one worker takes at a time."""

    shard: int = 250_000
    """Tuples of a shard, about."""

    bucket: int = 1_000_000
    """Rows and records of a bucket, about."""

    part: int = 1_000_000
    """Tuples of a file of a release, about."""


@dataclass(frozen=True)
class Series:
    """A series, as it is declared."""

    folder: str
    """Where its manifests and records lie; private."""

    output: str
    """Where its releases go."""

    schema: Schema
    """Which column plays which part."""

    policy: Policy
    """What every release promises."""

    reader: Adversary
    """The reader whom releases are chosen against."""

    name: str = "series"
    """What certificates call it."""

    missing: Missing = "error"
    """What a missing cell of a view does."""

    texts: tuple[str, ...] = ()
    """Columns that stay texts whatever they look like."""


@dataclass(frozen=True)
class Outcome:
    """What came of a publish, in figures."""

    certificate: dict[str, Any]
    """The certificate of the release."""

    files: tuple[str, ...]
    """Where it was written; empty where only a look was asked for."""

    boundaries: Boundaries
    """Where the shards began."""

    dropped: dict[str, int]
    """Rows left out for want of a value, by column."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        told = self.certificate
        return (
            f"Outcome(release {told['number']}, {told['tuples']} tuples in {told['groups']} groups)"
        )


class ShardedEngine(Generic[Data]):
    """Publishes views in shards."""

    def __init__(
        self,
        workers: Workers[Data],
        *,
        sizes: Sizes | None = None,
        progress: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Take workers; ``progress`` is told what is being done, before it is done."""
        self._workers = workers
        self._sizes = Sizes() if sizes is None else sizes
        self._progress = progress

    def publish(
        self,
        series: Series,
        source: Any,
        *,
        at: Instant | None = None,
        seed: int | None = None,
        shards: int | None = None,
        again: bool = False,
        only_look: bool = False,
    ) -> Outcome:
        """Publish the next view of a series; whole or not at all.

        ``seed`` takes the place of a drawn secret where a series must repeat exactly.
        ``shards`` asks for so many; left out, it goes by the size of the view. With
        ``only_look`` everything is done but the last step, and removed again.
        """
        require_supported(series.schema, series.policy, series.reader)
        place = SeriesFolder(self._workers.files, series.folder, series.output)
        found = place.manifest()
        place.recover(found)
        manifest = Manifest(_new_secret(seed)) if found is None else found
        at = _next_instant(manifest) if at is None else at
        require_later(at, manifest.last_instant)
        work = place.new_work()
        run = _Run(self, series, manifest, place, work, at, again)
        try:
            after, outcome = run.prepared(source, shards)
            if only_look:
                return replace(outcome, files=())
            self._progress("committing the series")
            place.commit(after)
        finally:
            self._workers.files.remove(work)
            if only_look:
                place.recover(found)
        self._progress("moving the files into place")
        place.put_in_place(after.number)
        place.sweep(work, after)
        self._progress("done")
        return outcome

    @property
    def workers(self) -> Workers[Data]:
        """Where functions on tables run."""
        return self._workers

    @property
    def sizes(self) -> Sizes:
        """How much one worker takes at a time."""
        return self._sizes

    def reached(self, step: str) -> None:
        """Tell that a step begins."""
        self._progress(step)

    def told(self, data: Data, work: Callable[..., Any], task: Any) -> list[dict[str, Any]]:
        """Let a function that only tells something work on every part, and read it."""
        mapped = self._workers.mapped(data, Told(work, SUMMARIES, task, SUMMARIES), SUMMARIES)
        return read_summaries(self._workers.collect(mapped))

    def made(
        self, data: Data, work: Callable[..., Any], task: Any, schema: pa.Schema, folder: str
    ) -> list[dict[str, Any]]:
        """Let a function work on every part, write what it makes, and read what it tells."""
        mapped = self._workers.mapped(data, Told(work, schema, task, schema), schema)
        self._workers.write(mapped, folder, by_kind=True)
        notes = pa.schema([SUMMARIES.field(NOTE)])
        return read_summaries(
            self._workers.collect(self._workers.kept([f"{folder}/{KIND}={SUMMARY}"], notes))
        )


class _Run(Generic[Data]):
    """One publish on its way."""

    def __init__(
        self,
        engine: ShardedEngine[Data],
        series: Series,
        manifest: Manifest,
        place: SeriesFolder,
        work: str,
        at: Instant,
        again: bool,
    ) -> None:
        self._engine, self._workers, self._sizes = engine, engine.workers, engine.sizes
        self._series, self._manifest, self._place = series, manifest, place
        self._work, self._at, self._again = work, at, again
        self._number = manifest.number + 1

    def prepared(self, source: Any, shards: int | None) -> tuple[Manifest, Outcome]:
        """Do everything but the last step; return the manifest that makes it count."""
        rows, dropped = self._entered(source)
        boundaries = self._surveyed(rows, shards)
        told = self._shards(rows, boundaries)
        counted = self._counted(told)
        inspected = self._printed(counted)
        pasts = self._pasts(told, counted)
        certificate = certificate_of(
            self._series,
            self._schema,
            at=self._at,
            number=self._number,
            previous=self._manifest.entries[-1]["certificate sha256"]
            if self._manifest.entries
            else None,
            counted=counted,
            inspected=inspected,
            told=told,
            shards=len(boundaries) + 1,
            dropped=sum(dropped.values()),
            entries=self._manifest.entries,
        )
        content = written_certificate(certificate)
        self._workers.files.write_new(
            f"{self._place.pending(self._number)}.certificate.json", content
        )
        entry = {
            "at": json.loads(write_instant(self._at)),
            "number": self._number,
            "view digest": self._digest.hex(),
            "certificate": certificate,
            "certificate sha256": sha256(content),
        }
        newcomers = sum(one["newcomers"] for one in told)
        after = self._manifest.with_release(
            entry,
            schema=self._schema,
            structure=self._structure(),
            people=self._manifest.people + newcomers,
            **pasts,
        )
        name = release_name(self._number)
        files = tuple(f"{self._place.output}/{one}" for one in certificate["files"])
        files = (*files, f"{self._place.output}/{name}.certificate.json")
        return after, Outcome(certificate, files, boundaries, dropped)

    def _entered(self, source: Any) -> tuple[Data, dict[str, int]]:
        """Let the rows of the view in."""
        self._engine.reached("reading the view")
        series, before = self._series, self._manifest.schema
        schema = series.schema if before is None else continued(series.schema, before)
        data = self._workers.source(source, schema.columns, series.texts)
        columns = entered_schema(schema, self._workers.schema_of(data))
        folder = f"{self._work}/entered"
        task = Entrance(schema, self._manifest.secret, series.missing)
        told = self._engine.made(data, entered, task, columns, folder)
        self._schema = settled_schema(schema, told, series.reader.values, first=before is None)
        self._rows = sum(one["rows"] for one in told)
        dropped: dict[str, int] = {}
        for one in told:
            for name, count in one["dropped"].items():
                dropped[name] = dropped.get(name, 0) + count
        kept = pa.schema([field for field in columns if field.name not in (KIND, NOTE)])
        self._structure()
        return self._workers.kept([f"{folder}/{KIND}={ROW}"], kept), dropped

    def _structure(self) -> str:
        """Return what the places of pasts mean; a reader of another kind is refused."""
        reader = self._series.reader
        automaton = reader.automaton(self._schema.sensitive.domain)
        structure = (
            ""
            if automaton is None
            else filtering_by_name(reader.filtering).structure(automaton).hex()
        )
        if self._manifest.number and structure != self._manifest.structure:
            message = (
                "The series was begun with other sequence knowledge, or filtered otherwise. Go on"
                " with the reader that it was begun with, or begin a new series."
            )
            raise KnowledgeError(message)
        return structure

    def _surveyed(self, rows: Data, shards: int | None) -> Boundaries:
        """Count values and places; cut the curve where shards are about equal."""
        self._engine.reached("counting along the curve")
        wanted = math.ceil(self._rows / self._sizes.shard) if shards is None else shards
        stretches: tuple[Stretch, ...] = (WHOLE,) if wanted > 1 else ()
        bins: list[tuple[Stretch, int]] = []
        first = True
        while first or stretches:
            task = Survey(self._schema, self._manifest.secret, stretches)
            told = self._engine.told(rows, surveyed, task)
            if first:
                self._note(told)
            counts: dict[tuple[int, int], int] = {}
            for which, digit, count in (one for part in told for one in part["places"]):
                counts[which, digit] = counts.get((which, digit), 0) + count
            found = [(parts_of(stretches[which], digit), n) for (which, digit), n in counts.items()]
            heavy = max(self._rows // (2 * wanted), 1)
            stretches = tuple(one for one, n in found if n > heavy and one.level < LEVELS)
            bins += [(one, n) for one, n in found if not (n > heavy and one.level < LEVELS)]
            first = False
        return boundaries_at(bins, wanted) if bins else Boundaries()

    def _note(self, told: list[dict[str, Any]]) -> None:
        """Keep what is known of the whole view; refuse one that was published before."""
        values = np.sum([one["values"] for one in told], axis=0)
        self._view_counts = tuple(int(count) for count in values)
        total = sum(one["digest"] for one in told) % 2**64
        content = total.to_bytes(8, "little") + self._rows.to_bytes(8, "little")
        self._digest = derived(self._manifest.secret, content, person=b"views")
        at = repr(self._at).encode()
        self._label_key = derived(self._manifest.secret, self._digest, at, person=b"group labels")
        for entry in self._manifest.entries:
            if entry["view digest"] == self._digest.hex() and not self._again:
                message = (
                    f"This view was published before, as release {entry['number']}. To publish the"
                    " same content again on purpose, say so with --again."
                )
                raise OrderError(message)

    def _shards(self, rows: Data, boundaries: Boundaries) -> list[dict[str, Any]]:
        """Let rows meet their pasts, and every shard form its groups; mend what is left over."""
        self._engine.reached("simulating the reader")
        n_attributes = len(self._schema.quasi_identifiers)
        known, columns = rows_schema(n_attributes), shard_schema(n_attributes)
        if self._manifest.pasts:
            before = self._workers.kept(self._place.pasts(self._manifest.pasts), _RECALLED)
            rows = self._workers.together(rows, before)
        buckets = math.ceil((self._rows + self._manifest.records) / self._sizes.bucket)
        rows = self._workers.exchanged(rows, WHO[0], buckets)
        task = Recall(self._schema, boundaries)
        rows = self._workers.mapped(rows, Plain(recalled, task, known), known)
        shards = len(boundaries) + 1
        rows = self._workers.exchanged(rows, "shard", shards)
        asked = ShardTask(
            self._schema,
            self._series.policy,
            self._series.reader.anew(),
            self._at,
            self._number,
            self._view_counts,
            self._label_key,
            ends_here=shards == 1,
        )
        told = self._engine.made(rows, published_shard, asked, columns, f"{self._work}/shards")
        told.sort(key=lambda one: one["shard"])
        _require_once(told)
        if sum(one["rows"] for one in told) != self._rows:
            raise InternalError("Rows of the view were lost on the way; nothing was published.")
        left = sum(one["left"] for one in told)
        self._made = [f"{self._work}/shards"]
        if left and shards > 1:
            told += self._mended(left, shards, replace(asked, ends_here=True, mending=True))
        if not any(one["groups"] for one in told):
            raise UnsatisfiableError(_why_no_group(self._rows))
        return told

    def _mended(self, left: int, shards: int, asked: ShardTask) -> list[dict[str, Any]]:
        """Form groups of what was left over at the ends of shards, along the whole curve."""
        self._engine.reached("mending the boundaries")
        n_attributes = len(self._schema.quasi_identifiers)
        known, columns = rows_schema(n_attributes), shard_schema(n_attributes)
        rounds = math.ceil(left / self._sizes.shard)
        rows = self._workers.kept([f"{self._work}/shards/{KIND}={LEFT}"], known)
        rows = self._workers.mapped(rows, Plain(regrouped, (shards, rounds)), known)
        rows = self._workers.exchanged(rows, "shard", rounds)
        told = self._engine.made(rows, published_shard, asked, columns, f"{self._work}/mended")
        self._made.append(f"{self._work}/mended")
        return sorted(told, key=lambda one: -int(one["shard"]))

    def _groups(self) -> Data:
        columns = group_columns(len(self._schema.quasi_identifiers))
        return self._workers.kept([f"{one}/{KIND}={GROUP}" for one in self._made], columns)

    def _counted(self, told: list[dict[str, Any]]) -> dict[str, Any]:
        """Count the groups that stand against the table that their readers will have."""
        self._engine.reached("counting the groups")
        published = sum(one["published"] for one in told)
        shown = tuple(int(one) for one in np.sum([one["shown"] for one in told], axis=0))
        parts = math.ceil(published / self._sizes.part)
        # Where nothing is suppressed, readers' table is the view, and groups stand against it.
        tables: tuple[tuple[int, ...], ...] = () if published == self._rows else (shown,)
        while True:
            task = CensusTask(
                self._series.policy.requirement, tables, len(self._view_counts), parts
            )
            found = self._engine.told(self._groups(), census, task)
            total = _totals(found)
            if total["groups"] == 0:
                raise UnsatisfiableError(_why_no_group(self._rows))
            if not tables or total["shown"] == tables[-1]:
                return total | {"task": task}
            tables = (*tables, total["shown"])

    def _printed(self, counted: dict[str, Any]) -> list[dict[str, Any]]:
        """Write the release, read it back, and measure it."""
        self._engine.reached("writing the release")
        task: CensusTask = counted["task"]
        counts = counted["groups of parts"]
        first = tuple(int(one) for one in np.cumsum(counts) - counts)
        groups = self._workers.exchanged(self._groups(), "label_1", task.parts)
        asked = PrintTask(self._schema, task, first, self._label_key)
        columns = printed_schema(self._schema, counted["example"])
        folder = self._place.pending(self._number)
        self._workers.files.remove(folder)
        self._workers.write_parts(
            self._workers.mapped(groups, Plain(printed, asked), columns), folder
        )
        self._engine.reached("verifying the written files")
        look = Inspection(
            self._schema,
            self._series.policy.requirement,
            counted["shown"],
            self._label_key,
            counted["most divergent"],
        )
        found = self._engine.told(self._workers.contents(folder), inspected, look)
        found.sort(key=lambda one: one["first"])
        there = [part for part in range(task.parts) if counts[part]]
        same = len(found) == len(there) and all(
            one["first"] == first[part] + 1
            and one["groups"] == counts[part]
            and one["labels"] == [labels[part] for labels in counted["labels"]]
            for one, part in zip(found, there, strict=True)
        )
        if not same:
            raise InternalError("The written files are not the groups that were formed.")
        return found

    def _pasts(self, told: list[dict[str, Any]], counted: dict[str, Any]) -> dict[str, Any]:
        """Put the records of people where the next release finds them."""
        folders = [f"{one}/{KIND}={PAST}" for one in self._made]
        there = [
            folder
            for folder in folders
            if f"{KIND}={PAST}" in self._workers.files.names(folder.rsplit("/", 1)[0])
        ]
        published = sum(one["published"] for one in told)
        names = []
        for place, folder in enumerate(there):
            name = f"{self._number:04}-{place}"
            if counted["fallen"]:
                data = self._workers.kept([folder], PASTS)
                kept = self._workers.mapped(data, Plain(without, counted["fallen"]), PASTS)
                self._workers.write(kept, f"{self._place.folder}/pasts/{name}")
            else:
                self._workers.files.rename(folder, f"{self._place.folder}/pasts/{name}")
            names.append(name)
        records = self._manifest.records + published
        people = self._manifest.people + sum(one["newcomers"] for one in told)
        every = (*self._manifest.pasts, *names)
        if records <= _WASTE * people:
            return {"pasts": every, "records": records}
        data = self._workers.kept(self._place.pasts(every), PASTS)
        buckets = math.ceil(records / self._sizes.bucket)
        data = self._workers.exchanged(data, WHO[0], buckets)
        name = f"{self._number:04}-all"
        self._workers.write(
            self._workers.mapped(data, Plain(newest, PASTS), PASTS),
            f"{self._place.folder}/pasts/{name}",
        )
        return {"pasts": (name,), "records": people}


class Plain:
    """Work with what is given beside the tables, whose errors are defects."""

    def __init__(self, work: Callable[..., Any], *given: Any) -> None:
        """Keep what is given."""
        self._work, self._given = work, given

    def __call__(self, tables: Any) -> Any:
        """Work."""
        return self._work(*self._given, tables)


def _totals(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Add up what was counted in every part, in an order that does not depend on machines."""
    found = sorted(found, key=lambda one: one["order"])
    there = [one for one in found if one["divergence"] is not None]
    farthest = max(there, key=lambda one: (one["divergence"], one["divergence of"]), default=None)
    counts = np.sum([one["groups"] for one in found], axis=0) if found else np.zeros(1, int)
    return {
        "groups": int(counts.sum()),
        "groups of parts": counts,
        "labels": [
            [
                sum(column) % 2**64
                for column in zip(*(one["labels"][word] for one in found), strict=True)
            ]
            for word in range(2)
        ],
        "shown": tuple(int(n) for n in np.sum([one["shown"] for one in found], axis=0))
        if found
        else (),
        "fallen": frozenset(tuple(pair) for one in found for pair in one["fallen"]),
        "penalty": math.fsum(one["penalty"] for one in found),
        "extent": math.fsum(one["extent"] for one in found),
        "gain": math.fsum(one["gain"] for one in found),
        "gain worst": max((one["gain worst"] for one in found), default=0.0),
        "divergence": None if farthest is None else farthest["divergence"],
        "most divergent": None if farthest is None else tuple(farthest["divergence of"]),
        "example": next((one["example"] for one in found if one["example"]), []),
    }


def _new_secret(seed: int | None) -> bytes:
    import secrets

    return secrets.token_bytes(32) if seed is None else str(seed).encode()


def _next_instant(manifest: Manifest) -> Instant:
    """Return the next number of a numbered series."""
    last = manifest.last_instant
    if last is None:
        return 1
    if isinstance(last, int):
        return last + 1
    message = f"The last release was at {last!r}. Say when this one is, with --at."
    raise OrderError(message)


def _require_once(told: list[dict[str, Any]]) -> None:
    """Refuse a view with several rows of one respondent."""
    repeated = sum(one["repeated"] for one in told)
    if repeated:
        message = (
            f"A view has one tuple per respondent, and {repeated} rows share theirs. Keep one row"
            " of each respondent."
        )
        raise TableError(message)


def _why_no_group(rows: int) -> str:
    return (
        f"No group of the {rows} tuples satisfies the policy, so nothing was published.\n"
        "Ask for less where a requirement fails, or try a smaller k."
    )
