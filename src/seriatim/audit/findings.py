"""What readers learned of a series: figures, who is most at risk, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from seriatim._typing import Value
from seriatim.audit.bracket import Bracket
from seriatim.audit.figures import ReleaseFinding, SeriesFinding, told
from seriatim.audit.measuring import Measured, series_finding
from seriatim.audit.reader import Reader
from seriatim.errors import OrderError, did_you_mean, listed
from seriatim.knowledge.belief import Belief
from seriatim.measure.differences import Differences, NamedValue
from seriatim.measure.strongest import strongest_of
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster, numbered
from seriatim.microdata.tables import TableKind, write_table
from seriatim.microdata.view import View

if TYPE_CHECKING:
    from seriatim.audit.explain import Explanation


@dataclass(frozen=True)
class Risk:
    """A tuple of which a reader learned much; it names nobody.

    >>> from seriatim import Adversary, audit, running_example
    >>> made = running_example()
    >>> readers = {"paper": Adversary(made.prior, made.sequence)}
    >>> found = audit(made.releases, made.views, readers, memberships=made.memberships)
    >>> worst = found.at_risk("paper")[0]
    >>> worst.value, round(worst.belief, 2), worst.frequency
    ('PNE-pos', 0.93, 0.5)
    >>> found.respondent(worst)  # the custodian may know
    'Carol'
    """

    reader: str
    """The reader's name."""

    release: int
    """The release, from 0."""

    row: int
    """The row in the sorted roster of that release."""

    value: Value
    """The true value, or without originals the most believed one."""

    belief: float
    """How much the reader believes in it."""

    frequency: float
    """How much a reader does who only counts."""


@dataclass(frozen=True, eq=False)
class Findings:
    """What all readers learned from all releases.

    >>> from seriatim import Adversary, audit, running_example
    >>> made = running_example()
    >>> readers = {"paper": Adversary(made.prior, made.sequence)}
    >>> found = audit(made.releases, made.views, readers, memberships=made.memberships)
    >>> [round(row.gain, 2) for row in found.of("paper")]
    [0.0, 0.32]
    >>> found.series_to_frame().column_names[:3]
    ['reader', 'tuples', 'sure_above_nine_tenths']
    """

    rows: tuple[ReleaseFinding, ...]
    """One for each reader and release."""

    beliefs: dict[str, list[Belief]] = field(repr=False)
    """Each reader's beliefs, release by release; private."""

    measured: dict[str, list[Measured]] = field(repr=False)
    """The same beside counting and truth, without those the reader was told of; private."""

    rosters: tuple[Roster, ...] = field(repr=False)
    """Who may be in each release, with the truth where it is known; private."""

    releases: tuple[Release, ...] = field(repr=False)
    """What was attacked."""

    memberships: tuple[Membership | Placement, ...] = field(repr=False)
    """Who is in which group; private."""

    adversaries: Mapping[str, Reader] = field(repr=False)
    """Who attacked."""

    differences: Differences
    """Whom subtracting groups separates, and whose value follows, without any reader."""

    brackets: tuple[Bracket, ...] = ()
    """For each reader of worlds how sure it is of itself, and what is to be known."""

    @property
    def readers(self) -> tuple[str, ...]:
        """The readers' names."""
        return tuple(self.beliefs)

    @cached_property
    def series(self) -> tuple[SeriesFinding, ...]:
        """What each reader learned from the whole series."""
        return tuple(
            series_finding(reader, self.measured[reader], self.rosters) for reader in self.readers
        )

    @property
    def strongest(self) -> str | None:
        """The name of the reader with the lowest log-loss, of equals the last.

        None where every reader is worse than counting. Without originals nobody knows how
        right a reader is, and it is the one that was named last.
        """
        if all(row.log_loss is None for row in self.series):
            return self.readers[-1]
        found = strongest_of(self.series)
        return None if found is None else found.reader

    @property
    def company(self) -> str:
        """Say how many tuples of how many people were attacked, and how many fit a group."""
        placed = sum(int(one.published.sum()) for one in self.memberships)
        tuples = sum(len(roster) for roster in self.rosters)
        people = len(np.unique(np.concatenate(numbered(self.rosters))))
        return (
            f"{len(self.releases)} releases, {people:,} people; {placed:,} of their {tuples:,}"
            " tuples fit a group."
        )

    def of(self, reader: str) -> tuple[ReleaseFinding, ...]:
        """Return the findings of one reader, release by release."""
        self.require_reader(reader)
        return tuple(row for row in self.rows if row.reader == reader)

    def to_frame(self, kind: TableKind = "pyarrow") -> Any:
        """Return all figures as a table, a row for each reader and release."""
        return _frame(self.rows, ReleaseFinding, kind)

    def series_to_frame(self, kind: TableKind = "pyarrow") -> Any:
        """Return the figures of the whole series as a table, a row for each reader."""
        return _frame(self.series, SeriesFinding, kind)

    def at_risk(self, reader: str, most: int = 10) -> list[Risk]:
        """Return the tuples that a reader learned most of, beginning with the worst.

        By gain; without originals by how much surer the reader is than one who counts.
        """
        self.require_reader(reader)
        found: list[tuple[float, Risk]] = []
        for index, measured in enumerate(self.measured[reader]):
            domain = self.releases[index].schema.sensitive.domain
            codes = measured.named(self.rosters[index])
            everyone = np.arange(len(codes))
            beliefs = measured.beliefs[everyone, codes]
            counted = measured.counted[everyone, codes]
            surplus = beliefs - counted if measured.exposure is None else measured.exposure.gain
            for place in np.argsort(-surplus, kind="stable")[:most]:
                risk = Risk(
                    reader,
                    index,
                    int(measured.rows[place]),
                    domain[codes[place]],
                    float(beliefs[place]),
                    float(counted[place]),
                )
                found.append((float(surplus[place]), risk))
        found.sort(key=lambda pair: -pair[0])
        return [risk for _, risk in found[:most]]

    def explain(self, risk: Risk) -> Explanation:
        """Tell how the reader came to believe what makes a risk."""
        from seriatim.audit.explain import explain

        views = [roster for roster in self.rosters if isinstance(roster, View)]
        explanation = explain(
            self.adversaries[risk.reader],
            self.releases,
            self.memberships,
            release=risk.release,
            row=risk.row,
            value=risk.value,
            originals=views if len(views) == len(self.rosters) else None,
            belief=risk.belief,
        )
        reason = self.differences.reason(risk.release, risk.row, risk.value)
        settled = any(one.reader == risk.reader and one.has_settled for one in self.brackets)
        return replace(explanation, subtraction=reason, settled=settled)

    def respondent(self, risk: Risk | NamedValue) -> Any:
        """Return the id of whom a risk is about; private, and never printed unasked."""
        return self.rosters[risk.release].respondents[risk.row].as_py()

    def __str__(self) -> str:
        """Tell the series in a table, and of readers of worlds how sure they are."""
        return "\n".join([told(self.series), *map(str, self.brackets)])

    def require_reader(self, reader: str) -> None:
        """Refuse the name of a reader who did not attack."""
        if reader not in self.beliefs:
            message = (
                f"There is no reader {reader!r} in these findings; there are"
                f" {listed(self.readers)}.{did_you_mean(reader, self.readers)}"
            )
            raise OrderError(message)


def _frame(rows: tuple[Any, ...], kind_of_row: Any, kind: TableKind) -> Any:
    names = [one.name for one in fields(kind_of_row)]
    columns = {name: [getattr(row, name) for row in rows] for name in names}
    return write_table(pa.table(columns), kind)
