"""A study: everything about a series of releases, declared in ``study.toml``.

Which column plays which part, what every release must satisfy, which reader is
simulated, what is written and where. All mistakes in the file are reported together,
each with its line, what is possible there and the nearest match.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from seriatim._typing import Value
from seriatim.errors import StudyError
from seriatim.inference.adversary import Adversary
from seriatim.knowledge.files import read_knowledge
from seriatim.knowledge.incremental import IncrementalKnowledge
from seriatim.knowledge.kernel_prior import KernelPrior
from seriatim.knowledge.prior import Prior
from seriatim.knowledge.uniform_prior import UniformPrior
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.dates import Date
from seriatim.microdata.hierarchical import Hierarchical
from seriatim.microdata.intake import Intake
from seriatim.microdata.numeric import Numeric
from seriatim.microdata.ordinal import Ordinal
from seriatim.microdata.schema import Schema
from seriatim.microdata.sensitive import Sensitive
from seriatim.partition.hilbert_greedy import HilbertGreedy
from seriatim.partition.hilbert_optimal import HilbertOptimal
from seriatim.partition.m_invariant import MInvariant
from seriatim.partition.mondrian import Mondrian
from seriatim.partition.partition import Partitioner
from seriatim.partition.register import SerialPartitioner
from seriatim.partition.standing_cells import StandingCells
from seriatim.publish.policy import Policy
from seriatim.publish.series_plan import SeriesPlan
from seriatim.publish.store_folder import StoreFolder
from seriatim.publish.study_errors import explain_mistakes, explain_syntax
from seriatim.publish.study_file import (
    CategoricalColumn,
    DateColumn,
    HierarchicalColumn,
    NumericColumn,
    OrdinalColumn,
    StudyFile,
)
from seriatim.simulate.foresight import Attendance


@dataclass(frozen=True)
class Study:
    """A study as declared in a file.

    >>> text = '''
    ... [columns]
    ... respondent = "patient"
    ... [quasi_identifiers.age]
    ... kind = "numeric"
    ... [sensitive]
    ... column = "exam"
    ... [policy]
    ... k = 10
    ... '''
    >>> study = Study.from_text(Path("study.toml"), text)
    >>> study.schema.columns, study.policy.requirement
    (('patient', 'age', 'exam'), KAnonymity(k=10))
    """

    path: Path
    """The file."""

    declared: StudyFile
    """What it says."""

    @classmethod
    def read(cls, path: str | Path) -> Study:
        """Read and check a study file, or the ``study.toml`` of a folder."""
        file = Path(path)
        file = file / "study.toml" if file.is_dir() else file
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            message = (
                f"{file} could not be read: {reason}. Make one with `seriatim init DATA`, or name"
                " another with --study."
            )
            raise StudyError(message) from None
        return cls.from_text(file, text)

    @classmethod
    def from_text(cls, file: Path, text: str) -> Study:
        """Check what a study file says, or is about to say."""
        try:
            study = cls(file, StudyFile.model_validate(tomllib.loads(text)))
        except tomllib.TOMLDecodeError as error:
            raise StudyError(explain_syntax(file.name, text, error)) from None
        except ValidationError as error:
            raise StudyError(explain_mistakes(file.name, text, error, StudyFile)) from None
        # What sections mean together shows when they are put to use.
        _ = study.intake, study.policy
        return study

    @property
    def folder(self) -> Path:
        """Where the study lies; other files are named relative to it."""
        return self.path.parent

    @property
    def store_path(self) -> Path:
        """The folder of the store."""
        return self.folder / self.declared.store.folder

    @property
    def has_store(self) -> bool:
        """Whether something was published into the store."""
        return StoreFolder(self.store_path).has_store

    @property
    def output_folder(self) -> Path:
        """Where releases are written."""
        return self.folder / self.declared.output.folder

    @property
    def schema(self) -> Schema:
        """Which column plays which part."""
        declared = self.declared
        attributes = [
            self._attribute(name, column) for name, column in declared.quasi_identifiers.items()
        ]
        values: list[Value] | None = (
            None if declared.sensitive.values is None else list(declared.sensitive.values)
        )
        sensitive = Sensitive(declared.sensitive.column, values, ordered=declared.sensitive.ordered)
        columns = declared.columns
        return Schema(
            columns.respondent,
            attributes,
            sensitive,
            columns.insensitive,
            allow_unique=columns.allow_unique,
        )

    @property
    def columns(self) -> list[str]:
        """The columns that are read; all others are never looked at."""
        by = self.declared.input.by
        named = [*self.schema.columns, *([] if by is None else [by])]
        return list(dict.fromkeys(named))

    @property
    def text_columns(self) -> list[str]:
        """Columns that stay texts whatever they look like: codes are no numbers."""
        found = self.declared.quasi_identifiers.items()
        return [name for name, column in found if isinstance(column, HierarchicalColumn)]

    @property
    def policy(self) -> Policy:
        """What every release must satisfy, and how it is made."""
        asked = self.declared.policy
        form = self.declared.output.form
        return Policy(
            asked.requirement,
            self._partitioner(),
            asked.remainder,
            form,
            asked.batch,
            asked.keep,
            asked.pool,
        )

    def require_shards_can_list(self) -> None:
        """Refuse engines over shards where a release lists others than who is in one table."""
        asked = self.declared.policy
        defaults = {"batch": 1, "keep": 0, "pool": 1}
        used = [
            f"{key} = {getattr(asked, key)}"
            for key in defaults
            if getattr(asked, key) != defaults[key]
        ]
        if used:
            message = (
                f"{self.path.name} says {' and '.join(used)} under [policy], and an engine over"
                " shards publishes one table at a time, with just those who are in it. Publish with"
                " the engine local ([engine], or --engine local), or leave that out."
            )
            raise StudyError(message)

    @property
    def plan(self) -> SeriesPlan:
        """What is planned."""
        asked = self.declared.plan
        return SeriesPlan(
            releases=asked.releases,
            target=asked.target_gain,
            reader=asked.reader,
            attendance=Attendance(asked.attendance, asked.turnover),
            known=asked.known,
            share=asked.share,
            basis=asked.basis,
            harmless=tuple(asked.harmless),
            told=asked.told,
            allow=tuple(asked.allow),
        )

    def _partitioner(self) -> Partitioner | SerialPartitioner:
        asked = self.declared.policy
        lasting = asked.j is not None and self.declared.plan.releases > 1
        name = asked.partitioner or ("standing-cells" if lasting else "hilbert-greedy")
        if name == "standing-cells":
            size = asked.cell_size or 2 * asked.k
            return StandingCells(size, asked.cells_by, asked.cells_merge)
        if name == "m-invariant" and asked.m is not None:
            return MInvariant(m=asked.m)
        others: dict[str, Partitioner] = {
            "mondrian": Mondrian(),
            "hilbert-optimal": HilbertOptimal(),
        }
        return others.get(name, HilbertGreedy())

    @property
    def adversary(self) -> Adversary:
        """The reader whom a release is chosen against."""
        asked = self.declared.reader
        return Adversary(
            self._prior(), self._sequence(), rule=asked.rule, filtering=asked.filtering
        )

    @property
    def intake(self) -> Intake:
        """What happens to rows before they are a view."""
        declared = self.declared
        columns: dict[str, Any] = {
            name: column.missing
            for name, column in declared.quasi_identifiers.items()
            if column.missing is not None
        }
        if declared.sensitive.missing is not None:
            columns[declared.sensitive.column] = declared.sensitive.missing
        repeated: Any = declared.input.repeated
        if declared.input.by is not None:
            repeated = (repeated, declared.input.by)
        return Intake(
            self.schema,
            missing=declared.input.missing,
            missing_in=columns,
            repeated=repeated,
            label=declared.input.label,
        )

    def _attribute(self, name: str, column: Any) -> QuasiIdentifier:
        if isinstance(column, NumericColumn):
            return Numeric(name, column.low, column.high)
        if isinstance(column, DateColumn):
            return Date(name, levels=tuple(column.levels), form=column.form)
        if isinstance(column, OrdinalColumn):
            return Ordinal(name, column.values)
        if isinstance(column, CategoricalColumn):
            return Categorical(name, column.values)
        if column.hierarchy is None:
            return Hierarchical(name, mask="prefix")
        return Hierarchical.from_csv(name, self.folder / column.hierarchy)

    def _prior(self) -> Prior:
        asked = self.declared.reader
        if asked.prior == "uniform":
            return UniformPrior()
        if asked.prior == "views":
            return KernelPrior(asked.bandwidth)
        prior: Prior = self._known(asked.prior, "belief", "prior")
        return prior

    def _sequence(self) -> Any:
        asked = self.declared.reader
        if asked.sequence == "none":
            return None
        if asked.sequence == "views":
            return IncrementalKnowledge(asked.steps)
        return self._known(asked.sequence, "automaton", "sequence")

    def _known(self, name: str, method: str, part: str) -> Any:
        found = read_knowledge(self.folder / name)
        if not hasattr(found, method):
            message = f"{name} holds {type(found).__name__}, which cannot be the reader's {part}."
            raise StudyError(message)
        return found
