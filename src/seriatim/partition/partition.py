"""A partition: which tuples of a view form groups, and which are left over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from seriatim._typing import IntArray, WordArray
from seriatim.errors import PolicyError
from seriatim.knowledge.belief import Belief
from seriatim.microdata.membership import ABSENT
from seriatim.microdata.view import View
from seriatim.privacy.requirement import Requirement


@dataclass(frozen=True, eq=False)
class Partition:
    """Groups of rows of a view; every row is in one group or in the remainder."""

    rows: IntArray
    """Rows that are in groups, group by group."""

    starts: IntArray
    """Where each group begins; one more entry than groups."""

    remainder: IntArray
    """Rows that form no group."""

    def __post_init__(self) -> None:
        """Refuse what is no partition: an empty group, a row twice, a row lost."""
        total = len(self.rows) + len(self.remainder)
        everyone = np.concatenate([self.rows, self.remainder])
        starts_fit = (
            len(self.starts) > 0
            and self.starts[0] == 0
            and self.starts[-1] == len(self.rows)
            and bool((np.diff(self.starts) > 0).all())
        )
        in_range = total == 0 or (everyone.min() >= 0 and everyone.max() < total)
        once = in_range and bool((np.bincount(everyone, minlength=total) == 1).all())
        if not (starts_fit and once):
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
