"""What study.toml may say: its sections, and what each key means."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import PurePath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from seriatim.privacy.beta_likeness import BetaLikeness
from seriatim.privacy.bt_privacy import BTPrivacy
from seriatim.privacy.delta_disclosure import DeltaDisclosure
from seriatim.privacy.entropy_l_diversity import EntropyLDiversity
from seriatim.privacy.js_bound import JSBound
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.l_diversity import DistinctLDiversity
from seriatim.privacy.m_uniqueness import MUniqueness
from seriatim.privacy.posterior_bound import PosteriorBound
from seriatim.privacy.recursive_cl_diversity import RecursiveCLDiversity
from seriatim.privacy.requirement import AllOf, Measured, Requirement
from seriatim.privacy.t_closeness import TCloseness

Missing = Literal["error", "drop", "category"]
"""What a cell without a value does: an error, its row is left out, or it is a category."""

Enforce = Literal[False, True, "refuse", "enlarge"]
"""What becomes of a release by which the simulated reader gains too much; true is refuse."""

Cell = str | int | float | bool
"""A value as TOML writes it."""

_MISSING: Any = Field(
    default=None, description="Cells without a value; as under [input] if left out."
)


class Section(BaseModel):
    """A part of the file: unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Columns(Section):
    """Columns by their part; those without one are never published."""

    respondent: str = Field(description="Who a tuple is about: an id that leaves no trace.")
    identifying: list[str] = Field(
        default=[],
        description="Columns that name people. They are dropped, like all without a part.",
    )
    insensitive: list[str] = Field(
        default=[], description="Columns that are published as they are; only those named here."
    )
    allow_unique: list[str] = Field(
        default=[],
        description="Columns that are published though hardly two people share a value: who knows"
        " it of someone finds them by it. Certificates tell which.",
    )


class NumericColumn(Section):
    """Numbers, generalized to intervals."""

    kind: Literal["numeric"]
    low: float | None = Field(
        default=None, description="Least value; read off the views if left out."
    )
    high: float | None = Field(
        default=None, description="Greatest value; read off the views if left out."
    )
    missing: Literal["error", "drop"] | None = _MISSING


class DateColumn(Section):
    """Dates, generalized to months, quarters and years."""

    kind: Literal["date"]
    levels: list[Literal["month", "quarter", "year"]] = Field(
        default=["month", "quarter", "year"],
        description="What days may become, from the finest to the coarsest.",
    )
    form: str | None = Field(default=None, description="How dates are written, such as %d.%m.%Y.")
    missing: Literal["error", "drop"] | None = _MISSING


class OrdinalColumn(Section):
    """Ordered categories, generalized to runs of neighbours."""

    kind: Literal["ordinal"]
    values: list[Cell] = Field(description="All values, from least to greatest.")
    missing: Literal["error", "drop"] | None = _MISSING


class CategoricalColumn(Section):
    """Unordered categories, generalized to sets."""

    kind: Literal["categorical"]
    values: list[Cell] | None = Field(default=None, description="Read off the views if left out.")
    missing: Missing | None = _MISSING


class HierarchicalColumn(Section):
    """Categories in a tree, generalized to its nodes."""

    kind: Literal["hierarchical"]
    mask: Literal["prefix"] | None = Field(
        default=None, description="Mask characters from the right."
    )
    hierarchy: str | None = Field(
        default=None, description="A file: each line a leaf and its ancestors."
    )
    missing: Missing | None = _MISSING

    @model_validator(mode="after")
    def _one_tree(self) -> HierarchicalColumn:
        if (self.mask is None) == (self.hierarchy is None):
            message = 'give either mask = "prefix" or hierarchy = "FILE.csv"'
            raise ValueError(message)
        return self


QuasiIdentifierColumn = Annotated[
    NumericColumn | DateColumn | OrdinalColumn | CategoricalColumn | HierarchicalColumn,
    Field(discriminator="kind"),
]


class SensitiveColumn(Section):
    """What a reader must not learn."""

    column: str = Field(description="The column that has it.")
    values: list[Cell] | None = Field(
        default=None,
        description="All values that may ever occur; left out, the first view settles them.",
    )
    ordered: bool = Field(default=False, description="Whether neighbours in values are closer.")
    missing: Missing | None = _MISSING


class Input(Section):
    """What happens to rows before they are a view."""

    missing: Missing = Field(default="error", description="Cells without a value.")
    label: str = Field(
        default="missing", description="The category of missing cells, where they have one."
    )
    empty: list[str] = Field(default=[""], description="Cells of a text file that mean no value.")
    repeated: Literal["error", "first", "last", "earliest", "latest"] = Field(
        default="error", description="Several rows of one respondent."
    )
    by: str | None = Field(default=None, description="The column that earliest and latest go by.")

    @model_validator(mode="after")
    def _named_column(self) -> Input:
        if (self.by is not None) != (self.repeated in ("earliest", "latest")):
            message = 'repeated = "earliest" or "latest" needs by = "COLUMN", and only these do'
            raise ValueError(message)
        return self


class PolicySection(Section):
    """What every release must satisfy, and how it is made."""

    k: int = Field(ge=2, description="Least size of a group.")
    l: int | None = Field(
        default=None, ge=2, description="Least number of different values in a group."
    )
    entropy_l: float | None = Field(
        default=None,
        ge=1,
        allow_inf_nan=False,
        description="Least effective number of values in a group (entropy l-diversity).",
    )
    recursive_c: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="The most frequent value stays below c times those from the l-th on.",
    )
    recursive_l: int | None = Field(
        default=None, ge=2, description="The l of recursive (c, l)-diversity."
    )
    t: float | None = Field(
        default=None, ge=0, le=1, description="Greatest distance to the whole table."
    )
    beta: float | None = Field(
        default=None,
        ge=0,
        allow_inf_nan=False,
        description="Greatest relative growth of a value's share, from table to group.",
    )
    beta_enhanced: bool = Field(
        default=False, description="Whether the growth is also at most -ln of the share."
    )
    delta: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="What the logarithm of a value's share in a group over its share in the"
        " table stays below, either way.",
    )
    j: float | None = Field(
        default=None,
        ge=0,
        description="Greatest divergence of what is believed in a group, in bits.",
    )
    distance: Literal["equal", "ordered"] = Field(
        default="equal", description="For t: all values equally far apart, or by their order."
    )
    bt_bandwidth: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="How far people count as near for the reader of (B, t)-privacy.",
    )
    bt_t: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="How far that reader's belief in anyone may move, in bits.",
    )
    gain: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="What the reader may gain on any member of a group.",
    )
    m: int | None = Field(
        default=None, ge=2, description='Values of a group, for partitioner = "m-invariant".'
    )
    partitioner: (
        Literal["hilbert-greedy", "hilbert-optimal", "mondrian", "m-invariant", "standing-cells"]
        | None
    ) = Field(
        default=None,
        description="How groups are formed; standing-cells where j is given and more than one"
        " release is planned, else hilbert-greedy.",
    )
    cell_size: int | None = Field(
        default=None,
        ge=1,
        description="Tuples of a standing cell, at least; twice k if left out."
        " `seriatim rehearse` finds what a series needs.",
    )
    cells_by: Literal["first-seen", "current"] = Field(
        default="first-seen",
        description="Whether people stay in the cell where they were first seen.",
    )
    cells_merge: Literal["stay", "anew", "recut"] = Field(
        default="stay",
        description="Whether cells that were merged stay merged; with recut, each view cuts cells"
        ' of its own, which needs cells_by = "current".',
    )
    remainder: Literal["suppress", "merge", "counterfeit"] = Field(
        default="suppress",
        description="Tuples that fit no group: left out, joined to a group that stays legal, or"
        " filled up with invented ones.",
    )
    batch: int = Field(
        default=1,
        ge=1,
        description="Newcomers of a standing cell wait until so many may enter together, and those"
        " who left stay listed as they were last until so many may go together.",
    )
    keep: int = Field(
        default=0,
        ge=0,
        description="For how many releases people who are not in the view stay listed as they were"
        " last.",
    )
    pool: int = Field(
        default=1,
        ge=1,
        description="How many tables make one release: everybody who is in any of them, once, by"
        " their latest row.",
    )

    @model_validator(mode="after")
    def _complete(self) -> PolicySection:
        if self.cells_merge == "recut" and self.cells_by != "current":
            message = 'cells_merge = "recut" needs cells_by = "current"'
            raise ValueError(message)
        if (self.recursive_c is None) != (self.recursive_l is None):
            message = "recursive (c, l)-diversity needs both recursive_c and recursive_l"
            raise ValueError(message)
        if (self.bt_bandwidth is None) != (self.bt_t is None):
            message = "(B, t)-privacy needs both bt_bandwidth and bt_t"
            raise ValueError(message)
        if (self.m is None) != (self.partitioner != "m-invariant"):
            message = 'm and partitioner = "m-invariant" need each other'
            raise ValueError(message)
        if self.beta_enhanced and self.beta is None:
            message = "beta_enhanced is true, and no beta is given"
            raise ValueError(message)
        return self

    @property
    def requirement(self) -> Requirement:
        """All that is asked, joined."""
        asked: list[tuple[bool, Callable[[], Measured]]] = [
            (self.l is not None, lambda: DistinctLDiversity(l=self.l or 0)),
            (self.entropy_l is not None, lambda: EntropyLDiversity(l=self.entropy_l or 0)),
            (
                self.recursive_c is not None,
                lambda: RecursiveCLDiversity(c=self.recursive_c or 0, l=self.recursive_l or 0),
            ),
            (self.t is not None, lambda: TCloseness(t=self.t or 0, distance=self.distance)),
            (
                self.beta is not None,
                lambda: BetaLikeness(beta=self.beta or 0, enhanced=self.beta_enhanced),
            ),
            (self.delta is not None, lambda: DeltaDisclosure(delta=self.delta or 0)),
            (
                self.bt_t is not None,
                lambda: BTPrivacy(bandwidth=self.bt_bandwidth or 0, t=self.bt_t or 0),
            ),
            (self.gain is not None, lambda: PosteriorBound(gain=self.gain or 0)),
            (self.m is not None, lambda: MUniqueness(m=self.m or 0)),
            (self.j is not None, lambda: JSBound(j=self.j or 0)),
        ]
        parts = (KAnonymity(k=self.k), *(make() for given, make in asked if given))
        return parts[0] if len(parts) == 1 else AllOf(parts)


class PlanSection(Section):
    """What is planned, for rehearsals."""

    releases: int = Field(default=1, ge=1, description="How many releases there will be.")
    target_gain: float = Field(
        default=0.12,
        ge=0,
        le=1,
        description="The greatest mean gain of a release that is acceptable; 1 asks for nothing.",
    )
    known: float = Field(
        default=0.9,
        ge=0,
        le=1,
        description="Who is believed above this to have what they have is known.",
    )
    share: float = Field(
        default=0.005,
        ge=0,
        le=1,
        description="The greatest share of people who may ever be known, beyond what counting"
        " tells; 1 asks for nothing.",
    )
    basis: Literal["determined", "found"] = Field(
        default="determined",
        description="Whether the promise is about all that the tables determine at most, or about"
        " what the reader finds in them.",
    )
    harmless: list[Cell] = Field(
        default=[], description="Sensitive values whose knowledge does no harm."
    )
    told: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="The share of people whose values the planned reader knows from elsewhere.",
    )
    allow: list[Literal["batch", "pool", "keep"]] = Field(
        default=["batch"],
        description="What rehearsals may recommend besides larger cells: arrivals and departures"
        " in batches, several periods to a release, people kept listed while they are away.",
    )
    reader: Literal["strongest", "snapshot", "paper", "joint", "retrospective", "worlds"] = Field(
        default="strongest",
        description="The reader that rehearsals and tuning play against; the strongest weighs"
        " worlds where what follows goes by the last value alone, and passes messages where it"
        " goes by more.",
    )
    attendance: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="The share of the people under way in a view; estimated from past views if"
        " left out, and 0.5 where only one is given.",
    )
    turnover: float | None = Field(
        default=None,
        ge=0,
        lt=1,
        description="The share who leave for good after each release; estimated from past views if"
        " left out, and 0 where fewer than three are given.",
    )
    lag: int = Field(
        default=4,
        ge=0,
        description="How many releases the watched reader looks back; 0 for one who does not.",
    )
    enforce: Enforce = Field(
        default=False,
        description="What becomes of a release by which the simulated reader gains more than the"
        ' target: "refuse" it (also true), or "enlarge" its groups until the gain is under it.',
    )


class ReaderSection(Section):
    """The reader whom a release is chosen against."""

    prior: str = Field(
        default="uniform",
        description='"uniform", "views" (learned from them), or a knowledge file.',
    )
    bandwidth: float = Field(default=0.3, gt=0, description='For prior = "views".')
    sequence: str = Field(
        default="views", description='"views" (counted in them), "none", or a knowledge file.'
    )
    steps: int = Field(
        default=2, ge=0, le=5, description='Past values looked at, for sequence = "views".'
    )
    rule: Literal["additive", "omega", "sinkhorn", "bethe", "exact", "strongest"] = Field(
        default="strongest", description="How conclusions are drawn from a group."
    )
    filtering: Literal["marginal", "joint"] = Field(
        default="joint", description="How they are carried from one release to the next."
    )


class OutputSection(Section):
    """What is written."""

    folder: str = Field(default="releases", description="Where releases and certificates go.")
    form: Literal["generalized", "buckets"] = Field(
        default="generalized",
        description="Quasi-identifiers made coarser, or exact and apart from the values.",
    )
    files: list[Literal["csv", "parquet"]] = Field(
        default=["csv", "parquet"], min_length=1, description="Kinds of files."
    )


class StoreSection(Section):
    """Where the series is kept."""

    folder: str = Field(
        default="study.store",
        description="The store's own folder; nobody but its owner may enter it.",
    )
    sealed: bool = Field(default=False, description="Encrypt the store at rest.")
    key_file: str | None = Field(default=None, description="A file that holds the key.")
    key_variable: str | None = Field(
        default=None, description="An environment variable that holds it."
    )

    @model_validator(mode="after")
    def _one_key(self) -> StoreSection:
        given = [self.key_file, self.key_variable].count(None)
        if self.sealed and given != 1:
            message = "a sealed store needs either key_file or key_variable"
            raise ValueError(message)
        if not self.sealed and given != 2:
            message = "a key is given, and sealed is not true"
            raise ValueError(message)
        return self


class EngineSection(Section):
    """Where the work runs."""

    name: Literal["local", "shards", "spark"] = Field(
        default="local",
        description="local: all of a view at once, in a store; shards: cut into shards, on this"
        " machine; spark: shards on a cluster.",
    )
    folder: str = Field(
        default="study.series",
        description="Where shards keep the series; on a cluster, where all machines find it.",
    )
    master: str | None = Field(default=None, description="The cluster; Spark's own choice if not.")
    shards: int | None = Field(default=None, ge=1, description="How many; by size if left out.")


class StudyFile(Section):
    """The sections of study.toml."""

    name: str = Field(default="study", description="What the series is called.")
    columns: Columns
    quasi_identifiers: dict[str, QuasiIdentifierColumn] = Field(min_length=1)
    sensitive: SensitiveColumn
    input: Input = Input()
    policy: PolicySection
    plan: PlanSection = PlanSection()
    reader: ReaderSection = ReaderSection()
    output: OutputSection = OutputSection()
    store: StoreSection = StoreSection()
    engine: EngineSection = EngineSection()

    @model_validator(mode="after")
    def _one_role_each(self) -> StudyFile:
        named = [
            self.columns.respondent,
            *self.columns.identifying,
            *self.columns.insensitive,
            *self.quasi_identifiers,
            self.sensitive.column,
        ]
        twice = sorted({name for name in named if named.count(name) > 1})
        if twice:
            message = f"each column has one part, and {', '.join(twice)} has several"
            raise ValueError(message)
        if self.sensitive.values is not None:
            unknown = [one for one in self.plan.harmless if one not in self.sensitive.values]
            if unknown:
                message = (
                    f"harmless under [plan] names {unknown[0]!r}, which is none of the values of"
                    f" {self.sensitive.column}"
                )
                raise ValueError(message)
        public = [*self.quasi_identifiers, self.sensitive.column, *self.columns.insensitive]
        strangers = [name for name in self.columns.allow_unique if name not in public]
        if strangers:
            message = (
                f"allow_unique under [columns] names {', '.join(strangers)}, and published are"
                f" {', '.join(public)}"
            )
            raise ValueError(message)
        if self.plan.enforce == "enlarge" and self.policy.partitioner == "m-invariant":
            message = 'groups of m-invariant have their size from m; use enforce = "refuse"'
            raise ValueError(message)
        if _is_inside(self.store.folder, self.output.folder) or _is_inside(
            self.output.folder, self.store.folder
        ):
            message = (
                "the store is private and releases are public: neither folder may be the other one,"
                " or inside it"
            )
            raise ValueError(message)
        if self.columns.insensitive and self.output.form == "buckets":
            message = "buckets keep people and values apart, and insensitive columns have no place"
            raise ValueError(message)
        return self


def _is_inside(path: str, folder: str) -> bool:
    """Tell whether a path names a folder, or something in it; the study's own holds everything."""
    place, around = (PurePath(os.path.normpath(one)) for one in (path, folder))
    return around != PurePath() and place.is_relative_to(around)


def study_json_schema() -> dict[str, Any]:
    """Return the JSON Schema of study.toml, for editors."""
    return StudyFile.model_json_schema()
