"""Puts what a release made of people and partitioners where the next release finds it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from seriatim.engines.between import without
from seriatim.engines.hashes import WHO
from seriatim.engines.recall import PASTS, newest
from seriatim.engines.series import Manifest, SeriesFolder
from seriatim.engines.shard_records import PAST, PLAN
from seriatim.engines.workers import KIND, Data, Plain

if TYPE_CHECKING:
    from seriatim.engines.engine import ShardedEngine

_WASTE = 2
"""Records are compacted when there are so many times as many as people."""


@dataclass(frozen=True, eq=False)
class Keeping(Generic[Data]):
    """Keeps the records of one release."""

    engine: ShardedEngine[Data]
    """Where the work runs."""

    manifest: Manifest
    """The series as it was before the release."""

    place: SeriesFolder
    """Where it lies."""

    made: tuple[str, ...]
    """The folders of what shards made; those of later rounds last."""

    def kept(
        self, told: Sequence[dict[str, Any]], fallen: frozenset[tuple[int, int]]
    ) -> dict[str, Any]:
        """Put records of people and plans into place; return what the next manifest says of it.

        ``fallen`` are the labels of groups that were suppressed after all.
        """
        manifest, names = self.manifest, self._records(fallen)
        records = manifest.records + sum(one["records"] for one in told)
        people = manifest.people + sum(one["newcomers"] for one in told)
        pasts = (*manifest.pasts, *names)
        if records > _WASTE * people:
            pasts, records = (self._compacted(pasts, records),), people
        return {
            "pasts": pasts,
            "records": records,
            "people": people,
            "members": (*manifest.members, names),
            **self._plans(),
        }

    @property
    def _number(self) -> int:
        return self.manifest.number + 1

    def _target(self, name: str) -> str:
        return f"{self.place.folder}/pasts/{name}"

    def _records(self, fallen: frozenset[tuple[int, int]]) -> tuple[str, ...]:
        """Move the records of people, or write them without those whose group fell."""
        workers, names = self.engine.workers, []
        kind = f"{KIND}={PAST}"
        there = [folder for folder in self.made if kind in workers.files.names(folder)]
        for place, folder in enumerate(there):
            name = f"{self._number:04}-{place}"
            if fallen:
                data = workers.kept([f"{folder}/{kind}"], PASTS)
                kept = workers.mapped(data, Plain(without, fallen), PASTS)
                workers.write(kept, self._target(name))
            else:
                workers.files.rename(f"{folder}/{kind}", self._target(name))
            names.append(name)
        return tuple(names)

    def _compacted(self, pasts: tuple[str, ...], records: int) -> str:
        """Write the newest record of everyone, and nothing else; return the folder's name."""
        workers, name = self.engine.workers, f"{self._number:04}-all"
        data = workers.kept(self.place.pasts(pasts), PASTS)
        data = workers.exchanged(data, WHO[0], math.ceil(records / self.engine.sizes.bucket))
        workers.write(workers.mapped(data, Plain(newest, PASTS), PASTS), self._target(name))
        return name

    def _plans(self) -> dict[str, Any]:
        """Move what the partitioner remembers."""
        files, kind = self.engine.workers.files, f"{KIND}={PLAN}"
        if kind not in files.names(self.made[0]):
            return {}
        name = f"{self._number:04}-plans"
        files.rename(f"{self.made[0]}/{kind}", self._target(name))
        return {"plans": (name,)}
