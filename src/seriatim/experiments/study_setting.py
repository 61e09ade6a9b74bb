"""A study's own views as a setting: half of the people are published, half are the corpus."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim.errors import StudyError
from seriatim.experiments.plans import Scale
from seriatim.experiments.series import Material
from seriatim.experiments.settings import STEPS, Learner, Setting, require_kind
from seriatim.inference.adversary import Adversary
from seriatim.knowledge.incremental import IncrementalKnowledge
from seriatim.knowledge.marginal_prior import MarginalPrior
from seriatim.knowledge.mining import mine
from seriatim.microdata.keys import respondent_keys
from seriatim.microdata.schema import Schema
from seriatim.publish.press import open_view
from seriatim.publish.study import Study

_TABLES = (".csv", ".parquet")


@dataclass(frozen=True)
class StudySetting:
    """The views of a study's folder, split by people.

    Readers mine the half that is not published: no knowledge here is exact. Their prior is
    how often each value is someone's first in that half.
    """

    folder: str
    """Where study.toml and the views lie."""

    seed: int
    """What the split goes by."""

    @property
    def name(self) -> str:
        """The study's name."""
        return _read(self).study.declared.name

    @property
    def kinds(self) -> tuple[str, ...]:
        """What can be mined; nothing is exact."""
        return ("snapshot", "1-step", "2-step", "3-step", "IE", "SPM", "SPM/2", "SPM/5")

    def material(self) -> Material:
        """Return the views of the people who are published."""
        found = _read(self)
        return Material(found.published, found.schema, seed=self.seed)

    def reader(self, kind: str) -> Adversary:
        """Return the paper's reader with a kind of knowledge."""
        require_kind(kind, self.kinds)
        found = _read(self)
        return Adversary(found.prior, found.sequence(kind))


def study_settings(folder: Path, scale: Scale) -> list[Setting]:
    """Return the splits of a study's views, one for each seed."""
    settings: list[Setting] = [
        StudySetting(str(folder), seed) for seed in range(1, scale.seeds + 1)
    ]
    # Read once here, so that a mistake shows before any work is handed out.
    settings[0].material()
    return settings


class _Split(Learner):
    """What is read of a folder."""

    def __init__(self, setting: StudySetting) -> None:
        super().__init__()
        self.study = Study.read(setting.folder)
        intake = self.study.intake
        taken = [intake.take_in(open_view(self.study, file)) for file in _files(self.study)]
        self.schema: Schema = taken[0].schema
        tables = [pa.table(one.table) for one in taken]
        drawn = [_drawn(table[self.schema.respondent], setting.seed) for table in tables]
        self.published = [
            table.filter(pa.array(share < 0.5)) for table, share in zip(tables, drawn, strict=True)
        ]
        self._corpus = [
            (table.filter(pa.array(share >= 0.5)), share[share >= 0.5])
            for table, share in zip(tables, drawn, strict=True)
        ]
        self.prior = MarginalPrior.from_table(self._first_tuples(), self.schema.sensitive.name)

    def _learned(self, kind: str) -> Any:
        if kind == "snapshot":
            return None
        if kind == "IE":
            return IncrementalKnowledge(STEPS)
        steps = int(kind[0]) if kind.endswith("-step") else STEPS
        part = int(kind.partition("/")[2] or 1)
        # A smaller corpus has fewer people, with all of their tuples.
        people = [table.filter(pa.array(share < 0.5 + 0.5 / part)) for table, share in self._corpus]
        return mine(
            [table for table in people if table.num_rows],
            steps=steps,
            respondent=self.schema.respondent,
            value=self.schema.sensitive.name,
        )

    def _first_tuples(self) -> pa.Table:
        joined = pa.concat_tables(table for table, _ in self._corpus)
        who = joined.select([self.schema.respondent])
        who = who.append_column("row", pa.array(np.arange(len(who))))
        found = who.group_by(self.schema.respondent).aggregate([("row", "min")])
        return joined.take(found.column("row_min"))


@lru_cache(maxsize=2)
def _read(setting: StudySetting) -> _Split:
    return _Split(setting)


def _files(study: Study) -> list[Path]:
    """Return the views of a study's folder, by name."""
    found = sorted(file for file in study.folder.glob("view*") if file.suffix in _TABLES)
    if not found:
        message = (
            f"{study.folder} has no views: tables named view-01.csv, view-02.csv, … beside its"
            " study.toml, in the order of their names."
        )
        raise StudyError(message)
    return found


def _drawn(respondents: pa.ChunkedArray, seed: int) -> np.ndarray:
    """Draw a number from 0 to 1 for each respondent, the same in every view."""
    digests = respondent_keys(respondents.combine_chunks(), str(seed).encode())
    words = np.frombuffer(digests.buffers()[1], dtype=">u8")
    words = words[2 * digests.offset : 2 * (digests.offset + len(digests))]
    return words[::2].astype(np.float64) / 2.0**64
