"""What must be known of a whole view before any group of it is formed.

Rows enter without ids; domains, counts and a digest are summed up; the view is cut into shards.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
import pyarrow as pa

from seriatim._typing import Instant
from seriatim.engines.districts import SAMPLE, Districts
from seriatim.engines.entrance import (
    ROW,
    Entrance,
    Survey,
    entered,
    entered_schema,
    refuse_giveaways,
    refuse_lonely_values,
    settled_schema,
    surveyed,
)
from seriatim.engines.hashes import derived
from seriatim.engines.places import LEVELS, WHOLE, Boundaries, Stretch, boundaries_at, parts_of
from seriatim.engines.workers import KIND, NOTE, Data
from seriatim.errors import KnowledgeError, OrderError
from seriatim.inference.adversary import Adversary
from seriatim.inference.filtering import filtering_by_name
from seriatim.microdata.formulas import tell_of_formulas_in_domains
from seriatim.microdata.schema import Schema
from seriatim.partition.standing_cells import StandingCells
from seriatim.publish.series_schema import continued

if TYPE_CHECKING:
    from seriatim.engines.declaration import Series
    from seriatim.engines.engine import ShardedEngine
    from seriatim.engines.series import Manifest

_ANOTHER_PARTITIONER = (
    "The series was begun with another partitioner, which remembers something else. Go on with"
    " that one, or begin a new series."
)


@dataclass(frozen=True, eq=False)
class WholeView(Generic[Data]):
    """A view that entered, and what is known of all its rows."""

    rows: Data
    """Its rows, with hashes for ids."""

    size: int
    """How many there are."""

    dropped: dict[str, int]
    """Missing cells of the rows left out, by column."""

    dropped_rows: int
    """Rows left out for want of a value, each once."""

    schema: Schema
    """The schema, with every domain as wide as this view makes it."""

    structure: str
    """What the places of pasts mean, in hexadecimal."""

    cut: Boundaries | Districts
    """How it is cut into shards."""

    value_counts: tuple[int, ...]
    """How often each value occurs."""

    digest: bytes
    """A keyed digest of its content."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"WholeView({self.size} rows)"

    def label_key(self, secret: bytes, at: Instant) -> bytes:
        """Return what the labels of groups are drawn with."""
        return derived(secret, self.digest, repr(at).encode(), person=b"group labels")


@dataclass(frozen=True, eq=False)
class Admission(Generic[Data]):
    """Lets the next view of a series in."""

    engine: ShardedEngine[Data]
    """Where the work runs."""

    series: Series
    """The series, as it is declared."""

    manifest: Manifest
    """The series, as it is."""

    def admitted(self, source: Any, work: str, shards: int | None) -> WholeView[Data]:
        """Let a view in, and find out what must be known of all of it."""
        rows, schema, told = self._entered(source, f"{work}/entered")
        size = sum(one["rows"] for one in told)
        gaps: Counter[str] = Counter()
        for one in told:
            gaps.update(one["dropped"])
        dropped = dict(gaps), sum(one["dropped rows"] for one in told)
        structure = self._structure(schema)
        self.engine.reached("counting along the curve")
        wanted = math.ceil(size / self.engine.sizes.shard) if shards is None else shards
        cut, found = self._cut(rows, schema, size, wanted)
        counts = np.sum([one["values"] for one in found], axis=0)
        refuse_lonely_values(self.series.schema, counts)
        total = sum(one["digest"] for one in found) % 2**64
        content = total.to_bytes(8, "little") + size.to_bytes(8, "little")
        digest = derived(self.manifest.secret, content, person=b"views")
        values = tuple(int(count) for count in counts)
        return WholeView(rows, size, *dropped, schema, structure, cut, values, digest)

    def _entered(self, source: Any, folder: str) -> tuple[Data, Schema, list[dict[str, Any]]]:
        """Let the rows of the view in; return them, the settled schema and what parts told."""
        self.engine.reached("reading the view")
        series, before, workers = self.series, self.manifest.schema, self.engine.workers
        schema = series.schema if before is None else continued(series.schema, before)
        data = workers.source(source, schema.columns, series.texts)
        columns = entered_schema(schema, workers.schema_of(data))
        task = Entrance(schema, self.manifest.secret, series.missing)
        told = self.engine.made(data, entered, task, columns, folder)
        settled = settled_schema(schema, told, series.reader.values, first=before is None)
        refuse_giveaways(series.schema, told)
        tell_of_formulas_in_domains(settled)
        kept = pa.schema([field for field in columns if field.name not in (KIND, NOTE)])
        rows = workers.kept([f"{folder}/{KIND}={ROW}"], kept)
        return rows, settled, told

    def _structure(self, schema: Schema) -> str:
        """Return what the places of pasts mean; a reader of another kind is refused."""
        structure = _structure_of(self.series.reader, schema)
        if self.manifest.number and structure != self.manifest.structure:
            message = (
                "The series was begun with other sequence knowledge, or filtered otherwise. Go on"
                " with the reader that it was begun with, or begin a new series."
            )
            raise KnowledgeError(message)
        return structure

    def _cut(
        self, rows: Data, schema: Schema, size: int, wanted: int
    ) -> tuple[Boundaries | Districts, list[dict[str, Any]]]:
        """Cut the view: anew, or as the series was cut when it began; return what was counted."""
        begun = self.manifest.districts
        if not isinstance(self.series.policy.partitioner, StandingCells):
            if begun:
                raise OrderError(_ANOTHER_PARTITIONER)
            return self._surveyed(rows, schema, size, wanted)
        if self.manifest.number and not begun:
            raise OrderError(_ANOTHER_PARTITIONER)
        # Numbers are drawn evenly, so the least of them are a sample that no machine can change.
        below = 0 if begun else min(SAMPLE * 2**64 // size, 2**64 - 1)
        told = self.engine.told(rows, surveyed, Survey(schema, self.manifest.secret, (), below))
        if begun:
            return Districts.from_plain(begun), told
        points = np.array(sorted(point for one in told for point in one["sample"]))
        return Districts.cut(points, schema, wanted), told

    def _surveyed(
        self, rows: Data, schema: Schema, size: int, wanted: int
    ) -> tuple[Boundaries, list[dict[str, Any]]]:
        """Count along the curve, ever finer where many stand; cut where shards are about equal."""
        stretches: tuple[Stretch, ...] = (WHOLE,) if wanted > 1 else ()
        bins: list[tuple[Stretch, int]] = []
        heavy = max(size // (2 * wanted), 1)
        first: list[dict[str, Any]] = []
        while not first or stretches:
            task = Survey(schema, self.manifest.secret, stretches)
            told = self.engine.told(rows, surveyed, task)
            first = first or told
            counts: Counter[tuple[int, int]] = Counter()
            for which, digit, count in (one for part in told for one in part["places"]):
                counts[which, digit] += count
            found = [(parts_of(stretches[which], digit), n) for (which, digit), n in counts.items()]
            finer = {one: n > heavy and one.level < LEVELS for one, n in found}
            stretches = tuple(one for one, _ in found if finer[one])
            bins += [(one, n) for one, n in found if not finer[one]]
        return boundaries_at(bins, wanted) if bins else Boundaries(), first


def _structure_of(reader: Adversary, schema: Schema) -> str:
    automaton = reader.automaton(schema.sensitive.domain)
    if automaton is None:
        return ""
    return filtering_by_name(reader.filtering).structure(automaton).hex()
