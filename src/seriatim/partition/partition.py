"""A partition: which tuples of a view form groups, and which are left over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from seriatim._typing import BoolArray, IntArray, WordArray
from seriatim.errors import PolicyError
from seriatim.knowledge.belief import Belief
from seriatim.microdata.membership import ABSENT
from seriatim.microdata.view import View
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.tally import Evidence, Tally


@dataclass(frozen=True, eq=False)
class Counterfeits:
    """Tuples of nobody, added to groups so that they meet a requirement."""

    groups: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """The group of each, from 0."""

    value_codes: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """The value of each."""

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.groups)

    def __repr__(self) -> str:
        """Say how many there are."""
        return f"Counterfeits({len(self)})"

    def counts(self, n_groups: int, n_values: int) -> IntArray:
        """Return how many of each value were added to each group (groups, values)."""
        cells = self.groups * n_values + self.value_codes
        return np.bincount(cells, minlength=n_groups * n_values).reshape(n_groups, n_values)

    def kept(self, groups: BoolArray) -> Counterfeits:
        """Return those of some groups, which are numbered anew."""
        mine = groups[self.groups]
        numbers = np.cumsum(groups) - 1
        return Counterfeits(numbers[self.groups[mine]], self.value_codes[mine])


@dataclass(frozen=True, eq=False)
class Partition:
    """Groups of rows of a view; every row is in one group or in the remainder."""

    rows: IntArray
    """Rows that are in groups, group by group."""

    starts: IntArray
    """Where each group begins; one more entry than groups."""

    remainder: IntArray
    """Rows that form no group."""

    counterfeits: Counterfeits = field(default_factory=Counterfeits)
    """Tuples that were added to the groups."""

    def __post_init__(self) -> None:
        """Refuse what is no partition: an empty group, a row twice, a row lost."""
        total = len(self.rows) + len(self.remainder)
        parts = [part for part in (self.rows, self.remainder) if len(part)]
        starts_fit = (
            len(self.starts) > 0
            and self.starts[0] == 0
            and self.starts[-1] == len(self.rows)
            and bool((np.diff(self.starts) > 0).all())
        )
        # As many as there are rows: where each is there, none is there twice.
        once = all(part.min() >= 0 and part.max() < total for part in parts)
        if once:
            there = np.zeros(total, dtype=np.bool_)
            for part in parts:
                there[part] = True
            once = bool(there.all())
        added = self.counterfeits.groups
        added_fit = len(added) == 0 or (added.min() >= 0 and added.max() < len(self.starts) - 1)
        if not (starts_fit and once and added_fit):
            message = (
                f"This is no partition of {total} tuples: groups must not be empty, and every"
                " tuple is in one group or in the remainder, once."
            )
            raise PolicyError(message)

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.starts) - 1

    def __repr__(self) -> str:
        """Say how large it is."""
        return f"Partition({len(self)} groups, {len(self.remainder)} tuples left over)"

    def tally(self, evidence: Evidence) -> Tally:
        """Return the totals of its groups, counterfeits included."""
        found = Tally.of(evidence, self.rows, self.starts)
        if len(self.counterfeits) == 0:
            return found
        return found.with_counterfeits(self.counterfeits.counts(len(self), evidence.n_values))

    def without(self, groups: BoolArray) -> Partition:
        """Return it without some groups, which are left over."""
        sizes = np.diff(self.starts)
        kept = np.repeat(~groups, sizes)
        return Partition(
            self.rows[kept],
            np.concatenate([[0], np.cumsum(sizes[~groups])]),
            np.concatenate([self.remainder, self.rows[~kept]]),
            self.counterfeits.kept(~groups),
        )

    @property
    def groups(self) -> Iterator[IntArray]:
        """Go through the groups, each as its rows."""
        return (self.rows[self.starts[g] : self.starts[g + 1]] for g in range(len(self)))

    @property
    def group_of(self) -> IntArray:
        """The group of each row of the view, from 0; -1 for the remainder."""
        numbers = np.full(len(self.rows) + len(self.remainder), ABSENT, dtype=np.int64)
        numbers[self.rows] = np.repeat(np.arange(len(self)), np.diff(self.starts))
        return numbers


class Partitioner(Protocol):
    """A way to form groups that meet a requirement."""

    def partition(
        self,
        view: View,
        revised: Belief,
        requirement: Requirement,
        *,
        ties: WordArray,
    ) -> Partition:
        """Form groups that all meet the requirement.

        ``ties`` orders respondents who have the same quasi-identifiers. It is the same
        for a respondent in every release; nothing else may be left to chance.
        """
        ...
