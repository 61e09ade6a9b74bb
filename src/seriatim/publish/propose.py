"""Proposes a study from a table, and says why.

Names and contents of columns suggest their parts: who a row is about, what a reader
may know from elsewhere, what must not be learned. A proposal is a beginning: the
custodian knows the data, and every choice is explained so that it can be corrected.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import IntArray, Table
from seriatim.errors import StudyError, at_positions, did_you_mean, listed, warn_of_table
from seriatim.microdata.calendar_units import read_day
from seriatim.microdata.near_unique import FEW, LISTED, is_nearly_unique
from seriatim.microdata.shape import count_distinct
from seriatim.microdata.tables import Columns, missing_mask, read_table, to_numpy, to_text

Part = Literal["respondent", "identifying", "quasi-identifier", "sensitive", "insensitive", "none"]
"""The parts that a column can have; insensitive only where the custodian says so."""

_RESPONDENT = r"(^|_)(id|ids|person|patient|pat|respondent|subject|mrn|pid|nr|no|key)($|_|nr|id)"
_IDENTIFYING = r"name|surname|first|last|mail|phone|tel|address|street|ssn|passport|iban|insurance"
_SENSITIVE = (
    r"diag|exam|result|disease|illness|state|status|outcome|condition|drug|medic|icd|test|stage"
    r"|salary|income|wage|claim|score|treat|^ex$|readm"
)
_QUASI = (
    r"age|sex|gender|male|female|zip|post|plz|cap|birth|dob|race|ethn|region|county|city|state|prov"
    r"|weight|height|bmi|educ|marital|occup|job|nation|country|urban|admission|ward|area"
)
_BIRTH_YEAR = r"yob|geburtsjahr|jahrgang|naissance|nascita|(birth|dob).*year|year.*(birth|dob)"
_MOSTLY = 0.95
"""From this share of numbers on, a column is one of numbers, and the other cells are slips."""

_NUMBER = r"^\s*[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?\s*$"
"""Numbers without leading zeros, which are codes."""

_MOST_VALUES = 200
"""A column with more values is not proposed as the sensitive one."""

_DATE_FORMS = (
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%y",
)
"""How texts may write days, besides ISO's form, which is read as dates."""


@dataclass(frozen=True)
class ColumnProposal:
    """What one column is proposed to be."""

    name: str
    """The column."""

    part: Part
    """Its part."""

    because: str
    """Why."""

    kind: str = ""
    """The kind of quasi-identifier."""

    settings: dict[str, Any] = field(default_factory=dict)
    """What study.toml says of it besides."""


@dataclass(frozen=True)
class Proposal:
    """A study proposed for a table."""

    columns: tuple[ColumnProposal, ...]
    """Every column of the table."""

    rows: int
    """Rows of the table."""

    unique: float
    """Share of people who are the only ones with their quasi-identifiers, in some row."""

    k: int
    """The proposed least size of a group."""

    missing: Literal["error", "drop", "category"] = "error"
    """What to do with missing values."""

    people: int = 0
    """Different respondents; every row is one where no column says who it is about."""

    @property
    def alone(self) -> str:
        """Say how many are alone with their quasi-identifiers."""
        whom = "people" if self.of("respondent") else "rows"
        return f"{self.unique:.0%} of {self.people:,} {whom}"

    def of(self, part: Part) -> list[ColumnProposal]:
        """Return the columns proposed for a part."""
        return [column for column in self.columns if column.part == part]


def propose(table: Table) -> Proposal:
    """Propose a study for a table.

    >>> week = {"patient": [1, 2, 3], "age": [51, 52, 60], "exam": ["neg", "pos", "neg"]}
    >>> [(one.name, one.part) for one in propose(week).columns]
    [('patient', 'respondent'), ('age', 'quasi-identifier'), ('exam', 'sensitive')]
    """
    columns = read_table(table)
    if len(columns) == 0:
        message = "The table has no rows to propose a study from."
        raise StudyError(message)
    found = [_Column.of(columns, name) for name in columns.names]
    respondent = _best(found, _respondent_score)
    people = len(columns) if respondent is None else respondent.distinct
    found = [one if one is respondent else replace(one, people=people) for one in found]
    sensitive = _best([one for one in found if one is not respondent], _sensitive_score)
    proposed = tuple(_proposed(one, respondent, sensitive) for one in found)
    return _completed(columns, Proposal(proposed, len(columns), 0.0, 2), found)


def reassign(
    table: Table,
    proposal: Proposal,
    *,
    respondent: str | None = None,
    sensitive: str | None = None,
    quasi_identifiers: Sequence[str] | None = None,
) -> Proposal:
    """Return a proposal with parts chosen by the custodian."""
    columns = read_table(table)
    given: dict[str, Part] = {} if respondent is None else {respondent: "respondent"}
    found = _columns(columns, _someone(proposal, given))
    chosen = [respondent, sensitive, *(quasi_identifiers or ())]
    for name in chosen:
        if name is not None and name not in found:
            message = (
                f"The table has no column {name!r}; it has {listed(found)}."
                f"{did_you_mean(name, found)}"
            )
            raise StudyError(message)
    changed = []
    for one in proposal.columns:
        part = _chosen_part(one, respondent, sensitive, quasi_identifiers)
        because = "another column was chosen instead" if part == "none" else "you said so"
        changed.append(_assigned(one, found[one.name], part, because))
    return _completed(columns, replace(proposal, columns=tuple(changed)), list(found.values()))


def assign(
    table: Table, proposal: Proposal, parts: Mapping[str, Part], kinds: Mapping[str, str]
) -> Proposal:
    """Return a proposal in which columns have the parts, and kinds, that the custodian gave them.

    >>> week = {"patient": [1, 2, 3], "age": [51, 52, 60], "exam": ["neg", "pos", "neg"]}
    >>> assigned = assign(week, propose(week), {}, {"age": "categorical"})
    >>> assigned.of("quasi-identifier")[0].settings
    {'values': [51, 52, 60]}
    """
    columns = read_table(table)
    found = _columns(columns, _someone(proposal, parts))
    changed = []
    for one in proposal.columns:
        part, kind = parts.get(one.name, one.part), kinds.get(one.name) or None
        changed.append(_assigned(one, found[one.name], part, "you said so", kind))
    return _completed(columns, replace(proposal, columns=tuple(changed)), list(found.values()))


def _someone(proposal: Proposal, parts: Mapping[str, Part]) -> str | None:
    """Return the column that says who rows are about, as it was chosen or proposed."""
    chosen = [name for name, part in parts.items() if part == "respondent"]
    left = [one.name for one in proposal.of("respondent") if one.name not in parts]
    return next(iter((*chosen, *left)), None)


def _columns(columns: Columns, someone: str | None) -> dict[str, _Column]:
    """Return what is looked at in each column, beside the number of people."""
    known = someone is not None and someone in columns.names
    people = count_distinct(columns[someone]) if known and someone else len(columns)
    return {name: replace(_Column.of(columns, name), people=people) for name in columns.names}


def published_columns(table: Table, proposal: Proposal) -> dict[str, pa.Array]:
    """Return the columns that a proposal would publish, as they are in the table."""
    columns = read_table(table)
    parts = ("quasi-identifier", "sensitive", "insensitive")
    return {one.name: columns[one.name] for one in proposal.columns if one.part in parts}


def tell_of_slips(table: Table, proposal: Proposal) -> None:
    """Tell which cells of columns that a proposal takes for numbers are none, by position."""
    columns = read_table(table)
    for proposed in proposal.of("quasi-identifier"):
        one = _Column.of(columns, proposed.name)
        if proposed.kind == "numeric" and len(one.slips):
            warn_of_table(
                f"Column {one.name!r} has {len(one.slips):,} cell(s) that are no number among"
                f" {one.filled:,}, at {at_positions(one.slips)}. It is proposed as numbers:"
                " correct these cells before they are published."
            )


def _assigned(
    one: ColumnProposal, found: _Column, part: Part, because: str, kind: str | None = None
) -> ColumnProposal:
    """Return a column with another part, or kind; as it is where it has them already."""
    if part == one.part and (part != "quasi-identifier" or kind in (None, one.kind)):
        return one
    if part == "quasi-identifier":
        return _quasi_identifier(found, because, kind)
    settings = _values_of(found) if part == "sensitive" else {}
    return ColumnProposal(one.name, part, because, settings=settings)


def _chosen_part(
    one: ColumnProposal,
    respondent: str | None,
    sensitive: str | None,
    quasi_identifiers: Sequence[str] | None,
) -> Part:
    """Return the part of a column after the custodian chose; what was not chosen stays."""
    if one.name == respondent:
        return "respondent"
    if one.name == sensitive:
        return "sensitive"
    if quasi_identifiers is not None and one.name in quasi_identifiers:
        return "quasi-identifier"
    given_away = {
        "respondent": respondent is not None,
        "sensitive": sensitive is not None,
        "quasi-identifier": quasi_identifiers is not None,
    }
    return "none" if given_away.get(one.part, False) else one.part


@dataclass(frozen=True)
class _Column:
    """What is looked at in a column."""

    name: str
    column: pa.Array
    rows: int
    distinct: int
    missing: int
    people: int

    @classmethod
    def of(cls, columns: Columns, name: str) -> _Column:
        column = columns[name]
        missing = int(missing_mask(column).sum())
        return cls(name, column, len(column), count_distinct(column), missing, len(column))

    @property
    def filled(self) -> int:
        return self.rows - self.missing

    @property
    def is_number(self) -> bool:
        kind = self.column.type
        return bool(
            pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        )

    @property
    def is_date(self) -> bool:
        kind = self.column.type
        return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))

    @property
    def nearly_unique(self) -> bool:
        """Whether hardly two people share a value."""
        return is_nearly_unique(self.distinct, self.people)

    @property
    def identifies(self) -> bool:
        """Whether nearly everyone has a value of their own."""
        return self.distinct > max(0.9 * self.people, FEW)

    @cached_property
    def date_form(self) -> str | None:
        """How its texts write days, where all of them do and in one way only."""
        texts = [] if self.is_number or self.is_date else self.texts()
        fitting = [
            form
            for form in _DATE_FORMS
            if texts and all(read_day(text, form) is not None for text in texts)
        ]
        return fitting[0] if len(fitting) == 1 else None

    @cached_property
    def numbers(self) -> pa.Array | None:
        """Its numbers, where nearly all cells are numbers; those that are not are missing."""
        if self.is_number:
            return self.column
        if self.is_date or not self.filled or pa.types.is_boolean(self.column.type):
            return None
        texts = to_text(self.column, self.name)
        written = pc.match_substring_regex(texts, _NUMBER)
        if not _MOSTLY * self.filled <= (pc.sum(written).as_py() or 0) < self.filled:
            return None
        return pc.if_else(written, pc.utf8_trim_whitespace(texts), None).cast(pa.float64())

    @property
    def slips(self) -> IntArray:
        """Rows whose cell is no number, where nearly all others are."""
        if self.numbers is None:
            return np.zeros(0, np.int64)
        return np.flatnonzero(missing_mask(self.numbers) & ~missing_mask(self.column))

    def named(self, pattern: str) -> bool:
        return re.search(pattern, self.name.lower()) is not None

    def texts(self) -> list[str]:
        return [text for text in to_text(self.column, self.name).unique().to_pylist() if text]


def _respondent_score(one: _Column) -> float:
    if one.missing or one.is_date or pa.types.is_floating(one.column.type):
        return 0.0
    share = one.distinct / one.rows
    return share * (3.0 if one.named(_RESPONDENT) else 1.0) if share > 0.2 else 0.0


def _sensitive_score(one: _Column) -> float:
    if one.distinct < 2 or one.is_date or one.named(_BIRTH_YEAR):
        return 0.0
    if one.distinct > _MOST_VALUES or one.nearly_unique:
        # What its name calls sensitive is, though its values must be grouped to be published.
        floats = pa.types.is_floating(one.column.type)
        return 1.3 if one.named(_SENSITIVE) and not one.identifies and not floats else 0.0
    if one.distinct > max(one.people // 2, 2):
        return 0.0
    score = 1.0 if not one.is_number else 0.3
    if one.named(_QUASI) and not one.named(_SENSITIVE):
        score *= 0.1
    return score * (5.0 if one.named(_SENSITIVE) else 1.0) * (1 + min(one.distinct, 20) / 100)


def _best(found: Iterable[_Column], score: Any) -> _Column | None:
    ranked = [(score(one), one) for one in found]
    best = max(ranked, key=lambda pair: pair[0], default=(0.0, None))
    return best[1] if best[0] > 0 else None


def _proposed(
    one: _Column, respondent: _Column | None, sensitive: _Column | None
) -> ColumnProposal:
    if one is respondent:
        because = f"{one.distinct:,} different values in {one.rows:,} rows: says who a row is about"
        return ColumnProposal(one.name, "respondent", because)
    if one is sensitive:
        because = f"{one.distinct} different values, and a name of what should not be learned"
        if one.nearly_unique:
            because = (
                f"a name of what should not be learned; has {one.distinct:,} values among"
                f" {one.people:,} people: group the codes, or publish will refuse it"
            )
        elif not one.named(_SENSITIVE):
            because = f"{one.distinct} different values; no other column looks more sensitive"
        return ColumnProposal(one.name, "sensitive", because, settings=_values_of(one))
    return _by_content(one)


def _by_content(one: _Column) -> ColumnProposal:
    """Propose a part for a column that is neither the respondent's nor the sensitive one."""
    part: Part = "none"
    because = "does not look like something known from elsewhere"
    if one.named(_IDENTIFYING) and one.distinct > 1 and not one.is_number:
        part, because = "identifying", "names or reaches people; never published"
    elif one.distinct < 2:
        because = "the same in every row"
    elif one.is_date or one.date_form is not None:
        return _quasi_identifier(one, "a reader may know it from elsewhere")
    elif one.identifies and one.numbers is None:
        part, because = "identifying", "nearly everyone has their own"
    elif one.named(_QUASI) or one.named(_BIRTH_YEAR):
        proposed = _quasi_identifier(one, "a reader may know it from elsewhere")
        if proposed.kind != "categorical" or proposed.settings or not one.nearly_unique:
            return proposed
        because = (
            f"{one.distinct:,} values among {one.people:,} people, and sets of them would list who"
            " is there; give it bands or a hierarchy to publish it"
        )
    return ColumnProposal(one.name, part, because)


def _quasi_identifier(one: _Column, because: str, kind: str | None = None) -> ColumnProposal:
    """Propose how a quasi-identifier is generalized, or settle the kind that was chosen."""
    part: Part = "quasi-identifier"
    if kind is not None:
        return ColumnProposal(one.name, part, because, kind, _settings_of(one, kind))
    if one.is_date or one.date_form is not None:
        reason = f"{because}; dates become months, quarters, years"
        return ColumnProposal(one.name, part, reason, "date", _settings_of(one, "date"))
    texts = one.texts()
    codes = texts and all(re.fullmatch(r"[0-9A-Z]{4,10}", text) for text in texts)
    same_length = len({len(text) for text in texts}) == 1
    if codes and same_length and (not one.is_number or one.named(r"zip|post|plz|cap")):
        reason = f"{because}; codes lose characters from the right"
        return ColumnProposal(one.name, part, reason, "hierarchical", {"mask": "prefix"})
    is_year = one.named(_BIRTH_YEAR)
    if one.is_number and 3 <= one.distinct <= 6 and not is_year:
        reason = f"{because}; {one.distinct} ordered values become runs"
        return ColumnProposal(one.name, part, reason, "ordinal", _values_of(one))
    if one.numbers is not None and (is_year or count_distinct(one.numbers) > 6):
        return ColumnProposal(
            one.name, part, f"{because}; becomes intervals", "numeric", _range(one)
        )
    reason = f"{because}; {one.distinct} values become sets"
    return ColumnProposal(one.name, part, reason, "categorical", _values_of(one))


def _settings_of(one: _Column, kind: str) -> dict[str, Any]:
    """Return what a chosen kind needs to be told, as far as the column tells it."""
    if kind == "numeric":
        return _range(one) if one.numbers is not None and one.filled else {}
    if kind == "hierarchical":
        return {"mask": "prefix"}
    if kind == "date":
        return {} if one.date_form is None else {"form": one.date_form}
    return _values_of(one)


def _range(one: _Column) -> dict[str, float]:
    """Return a range with room at both ends: what a later view brings must fit."""
    low, high = (float(end.as_py()) for end in pc.min_max(one.numbers).values())
    if one.named("^age|_age|age_|^age$") and low >= 0 and high <= 120:
        return {"low": 0, "high": 120}
    room = 10 ** math.floor(math.log10(max(high - low, 1.0)))
    wide = (math.floor(low / room) - 1) * room, (math.ceil(high / room) + 1) * room
    low, high = (max(wide[0], 0.0) if low >= 0 else wide[0]), wide[1]
    return {"low": int(low), "high": int(high)}


def _values_of(one: _Column) -> dict[str, Any]:
    """Return the values of a column, where they are few and not nearly everyone's own."""
    if one.distinct > LISTED or one.identifies:
        return {}
    values = one.column.drop_null().unique()
    return {"values": values.take(pc.sort_indices(values)).to_pylist()}


def _completed(columns: Columns, proposal: Proposal, found: list[_Column]) -> Proposal:
    """Add what depends on all columns together: uniqueness, k, and what to do with gaps."""
    names = [one.name for one in proposal.of("quasi-identifier")]
    someone = [one.name for one in proposal.of("respondent")][:1]
    who = _combined(columns, someone) if someone else np.arange(proposal.rows)
    people = int(who.max()) + 1
    # A person with several rows is nobody else's company.
    pairs = np.unique(_combined(columns, names) * people + who)
    _, place, times = np.unique(pairs // people, return_inverse=True, return_counts=True)
    alone = np.unique(pairs[times[place.ravel()] == 1] % people)
    unique = len(alone) / people if names else 0.0
    k = min(10, max(2, people // 20))
    used = {one.name for one in proposal.columns if one.part not in ("none", "identifying")}
    gaps = any(one.missing for one in found if one.name in used)
    missing: Literal["error", "drop"] = "drop" if gaps else "error"
    return replace(proposal, unique=unique, people=people, k=k, missing=missing)


def _combined(columns: Columns, names: Sequence[str]) -> IntArray:
    """Number the different combinations of some columns' cells, from 0, and return each row's."""
    found = np.zeros(len(columns), dtype=np.int64)
    for name in names:
        codes = to_numpy(columns[name].dictionary_encode().indices.fill_null(-1)) + 1
        joined = found * (int(codes.max()) + 1) + codes
        found = np.unique(joined, return_inverse=True)[1].ravel()
    return found
