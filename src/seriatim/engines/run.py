"""One publish on its way, from a view that entered to a manifest that makes its release count."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
import pyarrow as pa

from seriatim._typing import Instant
from seriatim.engines.between import regrouped
from seriatim.engines.certificates import certificate_of
from seriatim.engines.declaration import Outcome, Series
from seriatim.engines.districts import Districts
from seriatim.engines.group_records import (
    CensusTask,
    PrintTask,
    census,
    group_columns,
    printed,
    printed_schema,
    totals,
)
from seriatim.engines.hashes import WHO
from seriatim.engines.inspection import Inspection, inspected
from seriatim.engines.keeping import Keeping
from seriatim.engines.recall import PASTS, VERSION, Recall, recalled, rows_schema
from seriatim.engines.series import Manifest, SeriesFolder, release_name
from seriatim.engines.shard import published_shard
from seriatim.engines.shard_records import GROUP, LEFT, PLANS, shard_schema
from seriatim.engines.shard_task import ShardTask
from seriatim.engines.whole_view import WholeView
from seriatim.engines.workers import KIND, Data, Plain
from seriatim.errors import InternalError, OrderError, TableError, UnsatisfiableError
from seriatim.measure.singling_out import Fits, require_hidden, share_singled_out, summed
from seriatim.partition.standing_cells import StandingCells
from seriatim.publish.certificate import sha256, written_certificate
from seriatim.publish.records import write_instant

if TYPE_CHECKING:
    from seriatim.engines.engine import ShardedEngine

_RECALLED = pa.schema([PASTS.field(name) for name in (*WHO, VERSION, "seen_at", "past", "home")])


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
        view: WholeView[Data],
    ) -> None:
        """Take the view that entered; ``work`` is a folder of which nothing counts."""
        self._engine, self._workers, self._sizes = engine, engine.workers, engine.sizes
        self._series, self._manifest, self._place = series, manifest, place
        self._work, self._at, self._view = work, at, view
        self._number = manifest.number + 1
        self._label_key = view.label_key(manifest.secret, at)
        self._made: tuple[str, ...] = (f"{work}/shards",)

    def prepared(self) -> tuple[Manifest, Outcome]:
        """Do everything but the last step; return the manifest that makes it count."""
        told = self._shards()
        counted = self._counted(told)
        inspected = self._printed(counted)
        keeping = Keeping(self._engine, self._manifest, self._place, self._made)
        kept = keeping.kept(told, counted["fallen"])
        certificate = self._certificate(told, counted, inspected)
        content = written_certificate(certificate)
        name = f"{release_name(self._number)}.certificate.json"
        pending = f"{self._place.pending(self._number)}.certificate.json"
        self._workers.files.write_new(pending, content, public=True)
        entry = {
            "at": json.loads(write_instant(self._at)),
            "number": self._number,
            "view digest": self._view.digest.hex(),
            "certificate": certificate,
            "certificate sha256": sha256(content),
        }
        view = self._view
        after = self._manifest.with_release(
            entry,
            schema=view.schema,
            structure=view.structure,
            districts=view.cut.to_plain() if isinstance(view.cut, Districts) else {},
            **kept,
        )
        files = tuple(f"{self._place.output}/{one}" for one in (*certificate["files"], name))
        memory = max(one["memory"] for one in told)
        return after, Outcome(certificate, files, view.cut, memory, view.dropped, view.dropped_rows)

    def _certificate(
        self,
        told: list[dict[str, Any]],
        counted: dict[str, Any],
        inspected: list[dict[str, Any]],
    ) -> dict[str, Any]:
        entries = self._manifest.entries
        return certificate_of(
            self._series,
            self._view.schema,
            at=self._at,
            number=self._number,
            previous=entries[-1]["certificate sha256"] if entries else None,
            counted=counted,
            inspected=inspected,
            told=told,
            shards=self._view.cut.shards,
            dropped=self._view.dropped_rows,
            singled_out={name: share_singled_out(one) for name, one in _fits(inspected).items()},
            entries=entries,
        )

    def _shards(self) -> list[dict[str, Any]]:
        """Let rows meet their pasts, and every shard form its groups; mend what is left over."""
        self._engine.reached("simulating the reader")
        rows, cut = self._view.rows, self._view.cut
        n_attributes = len(self._view.schema.quasi_identifiers)
        known, columns = rows_schema(n_attributes), shard_schema(n_attributes)
        if self._manifest.pasts:
            before = self._workers.kept(self._place.pasts(self._manifest.pasts), _RECALLED)
            rows = self._workers.together(rows, before)
        buckets = math.ceil((self._view.size + self._manifest.records) / self._sizes.bucket)
        rows = self._workers.exchanged(rows, WHO[0], buckets)
        partitioner = self._series.policy.partitioner
        standing = isinstance(partitioner, StandingCells)
        stays = isinstance(partitioner, StandingCells) and partitioner.by == "first-seen"
        task = Recall(self._view.schema, cut, stays)
        rows = self._workers.mapped(rows, Plain(recalled, task, known), known)
        shards = cut.shards
        if self._manifest.plans:
            plans = self._workers.kept(self._place.pasts(self._manifest.plans), PLANS)
            rows = self._workers.together(rows, plans)
        rows = self._workers.exchanged(rows, "shard", shards)
        asked = ShardTask(
            self._view.schema,
            self._series.policy,
            self._series.reader.anew(),
            self._at,
            self._number,
            self._view.value_counts,
            self._label_key,
            ends_here=standing or shards == 1,
        )
        told = self._engine.made(rows, published_shard, asked, columns, self._made[0])
        told.sort(key=lambda one: one["shard"])
        _require_once(told)
        if sum(one["rows"] for one in told) != self._view.size:
            raise InternalError("Rows of the view were lost on the way; nothing was published.")
        left = sum(one["left"] for one in told)
        if left and not asked.ends_here:
            told += self._mended(left, shards, replace(asked, ends_here=True, mending=True))
        if not any(one["groups"] for one in told):
            raise UnsatisfiableError(_why_no_group(self._view.size))
        return told

    def _mended(self, left: int, shards: int, asked: ShardTask) -> list[dict[str, Any]]:
        """Form groups of what was left over at the ends of shards, along the whole curve."""
        self._engine.reached("mending the boundaries")
        n_attributes = len(self._view.schema.quasi_identifiers)
        known, columns = rows_schema(n_attributes), shard_schema(n_attributes)
        rounds = math.ceil(left / self._sizes.shard)
        rows = self._workers.kept([f"{self._made[0]}/{KIND}={LEFT}"], known)
        rows = self._workers.mapped(rows, Plain(regrouped, (shards, rounds)), known)
        rows = self._workers.exchanged(rows, "shard", rounds)
        told = self._engine.made(rows, published_shard, asked, columns, f"{self._work}/mended")
        self._made = (*self._made, f"{self._work}/mended")
        return sorted(told, key=lambda one: -int(one["shard"]))

    def _groups(self) -> Data:
        columns = group_columns(len(self._view.schema.quasi_identifiers))
        return self._workers.kept([f"{one}/{KIND}={GROUP}" for one in self._made], columns)

    def _counted(self, told: list[dict[str, Any]]) -> dict[str, Any]:
        """Count the groups that stand against the table that their readers will have."""
        self._engine.reached("counting the groups")
        published = sum(one["published"] for one in told)
        shown = tuple(int(one) for one in np.sum([one["shown"] for one in told], axis=0))
        parts = math.ceil(published / self._sizes.part)
        # Where nothing is suppressed, readers' table is the view, and groups stand against it.
        tables: tuple[tuple[int, ...], ...] = () if published == self._view.size else (shown,)
        while True:
            task = CensusTask(
                self._series.policy.requirement, tables, len(self._view.value_counts), parts
            )
            found = self._engine.told(self._groups(), census, task)
            total = totals(found)
            if total["groups"] == 0:
                raise UnsatisfiableError(_why_no_group(self._view.size))
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
        asked = PrintTask(self._view.schema, task, first, self._label_key)
        columns = printed_schema(self._view.schema, counted["example"])
        folder = self._place.pending(self._number)
        self._workers.files.remove(folder)
        self._workers.write_parts(
            self._workers.mapped(groups, Plain(printed, asked), columns), folder
        )
        self._engine.reached("verifying the written files")
        look = Inspection(
            self._view.schema,
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
        try:
            require_hidden(_fits(found), self._series.schema)
        except UnsatisfiableError:
            self._workers.files.remove(folder)
            raise
        return found


def _fits(inspected: list[dict[str, Any]]) -> dict[str, Fits]:
    """Return how many tuples fit each value of the sets, over all files of a release."""
    return {name: summed(one["fits"][name] for one in inspected) for name in inspected[0]["fits"]}


def require_new(view: WholeView[Any], manifest: Manifest) -> None:
    """Refuse a view whose content was published before."""
    for entry in manifest.entries:
        if entry["view digest"] == view.digest.hex():
            message = (
                f"This view was published before, as release {entry['number']}. To publish the"
                " same content again on purpose, say so with --again."
            )
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
