"""One publish on its way, from the rows of a view to a manifest that makes its release count."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
import pyarrow as pa

from seriatim._typing import Instant
from seriatim.engines.between import regrouped, without
from seriatim.engines.certificates import certificate_of
from seriatim.engines.declaration import Outcome, Series
from seriatim.engines.districts import SAMPLE, Districts
from seriatim.engines.entrance import (
    ROW,
    Entrance,
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
    totals,
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
from seriatim.engines.shard import (
    GROUP,
    LEFT,
    PAST,
    PLAN,
    PLANS,
    ShardTask,
    published_shard,
    shard_schema,
)
from seriatim.engines.workers import (
    KIND,
    NOTE,
    Data,
    Plain,
)
from seriatim.errors import (
    InternalError,
    KnowledgeError,
    OrderError,
    TableError,
    UnsatisfiableError,
)
from seriatim.inference.filtering import filtering_by_name
from seriatim.partition.standing_cells import StandingCells
from seriatim.publish.certificate import sha256, written_certificate
from seriatim.publish.publisher import continued
from seriatim.publish.records import write_instant

if TYPE_CHECKING:
    from seriatim.engines.engine import ShardedEngine

_RECALLED = pa.schema([PASTS.field(name) for name in (*WHO, VERSION, "seen_at", "past", "home")])
_ANOTHER_PARTITIONER = (
    "The series was begun with another partitioner, which remembers something else. Go on with"
    " that one, or begin a new series."
)
_WASTE = 2
"""Records are compacted when there are so many times as many as people."""


class Run(Generic[Data]):
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
        cut = self._cut(rows, shards)
        told = self._shards(rows, cut)
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
            shards=cut.shards,
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
            districts=cut.to_plain() if isinstance(cut, Districts) else {},
            **pasts,
        )
        memory = max(one["memory"] for one in told)
        name = release_name(self._number)
        files = tuple(f"{self._place.output}/{one}" for one in certificate["files"])
        files = (*files, f"{self._place.output}/{name}.certificate.json")
        return after, Outcome(certificate, files, cut, memory, dropped)

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

    def _cut(self, rows: Data, shards: int | None) -> Boundaries | Districts:
        """Cut the view into shards: anew, or as the series was cut when it began."""
        self._engine.reached("counting along the curve")
        wanted = math.ceil(self._rows / self._sizes.shard) if shards is None else shards
        if not isinstance(self._series.policy.partitioner, StandingCells):
            if self._manifest.districts:
                raise OrderError(_ANOTHER_PARTITIONER)
            return self._surveyed(rows, wanted)
        begun = self._manifest.districts
        if self._manifest.number and not begun:
            raise OrderError(_ANOTHER_PARTITIONER)
        # Numbers are drawn evenly, so the least of them are a sample that no machine can change.
        below = 0 if begun else min(SAMPLE * 2**64 // self._rows, 2**64 - 1)
        told = self._engine.told(
            rows, surveyed, Survey(self._schema, self._manifest.secret, (), below)
        )
        self._note(told)
        if begun:
            return Districts.from_plain(begun)
        points = np.array(sorted(point for one in told for point in one["sample"]))
        return Districts.cut(points, self._schema, wanted)

    def _surveyed(self, rows: Data, wanted: int) -> Boundaries:
        """Count values and places; cut the curve where shards are about equal."""
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

    def _shards(self, rows: Data, cut: Boundaries | Districts) -> list[dict[str, Any]]:
        """Let rows meet their pasts, and every shard form its groups; mend what is left over."""
        self._engine.reached("simulating the reader")
        n_attributes = len(self._schema.quasi_identifiers)
        known, columns = rows_schema(n_attributes), shard_schema(n_attributes)
        if self._manifest.pasts:
            before = self._workers.kept(self._place.pasts(self._manifest.pasts), _RECALLED)
            rows = self._workers.together(rows, before)
        buckets = math.ceil((self._rows + self._manifest.records) / self._sizes.bucket)
        rows = self._workers.exchanged(rows, WHO[0], buckets)
        partitioner = self._series.policy.partitioner
        standing = isinstance(partitioner, StandingCells)
        stays = isinstance(partitioner, StandingCells) and partitioner.by == "first-seen"
        task = Recall(self._schema, cut, stays)
        rows = self._workers.mapped(rows, Plain(recalled, task, known), known)
        shards = cut.shards
        if self._manifest.plans:
            plans = self._workers.kept(self._place.pasts(self._manifest.plans), PLANS)
            rows = self._workers.together(rows, plans)
        rows = self._workers.exchanged(rows, "shard", shards)
        asked = ShardTask(
            self._schema,
            self._series.policy,
            self._series.reader.anew(),
            self._at,
            self._number,
            self._view_counts,
            self._label_key,
            ends_here=standing or shards == 1,
        )
        told = self._engine.made(rows, published_shard, asked, columns, f"{self._work}/shards")
        told.sort(key=lambda one: one["shard"])
        _require_once(told)
        if sum(one["rows"] for one in told) != self._rows:
            raise InternalError("Rows of the view were lost on the way; nothing was published.")
        left = sum(one["left"] for one in told)
        self._made = [f"{self._work}/shards"]
        if left and not asked.ends_here:
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
            total = totals(found)
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
        plans: dict[str, Any] = self._plans()
        records = self._manifest.records + sum(one["records"] for one in told)
        people = self._manifest.people + sum(one["newcomers"] for one in told)
        every = (*self._manifest.pasts, *names)
        plans["members"] = (*self._manifest.members, tuple(names))
        if records <= _WASTE * people:
            return {"pasts": every, "records": records, **plans}
        data = self._workers.kept(self._place.pasts(every), PASTS)
        buckets = math.ceil(records / self._sizes.bucket)
        data = self._workers.exchanged(data, WHO[0], buckets)
        name = f"{self._number:04}-all"
        self._workers.write(
            self._workers.mapped(data, Plain(newest, PASTS), PASTS),
            f"{self._place.folder}/pasts/{name}",
        )
        return {"pasts": (name,), "records": people, **plans}

    def _plans(self) -> dict[str, Any]:
        """Put what the partitioner remembers where the next release finds it."""
        if f"{KIND}={PLAN}" not in self._workers.files.names(self._made[0]):
            return {}
        name = f"{self._number:04}-plans"
        self._workers.files.rename(
            f"{self._made[0]}/{KIND}={PLAN}", f"{self._place.folder}/pasts/{name}"
        )
        return {"plans": (name,)}


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
