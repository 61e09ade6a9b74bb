"""Tallies: the running totals that decide whether a group may stand.

Size, published values, the sum of the members' beliefs and the sum of their
entropies: most requirements are functions of these. Adding a tuple, or joining
groups, costs O(values) whatever their size. Requirements that look at every member
find them in the tally's roll.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import PolicyError
from seriatim.knowledge.belief import Belief
from seriatim.knowledge.divergence import entropy_of_rows
from seriatim.microdata.view import View


@dataclass(frozen=True, eq=False)
class Evidence:
    """What requirements look at: each tuple's value, and what is believed of its respondent."""

    value_codes: IntArray
    """The sensitive value of each tuple."""

    beliefs: FloatArray
    """What the reader expects of each respondent (tuples, values)."""

    view: View | None = None
    """The view, for requirements that simulate a reader of their own."""

    source: Belief | None = None
    """What the beliefs are those of, where their entropies may be known already."""

    whole_counts: IntArray | None = None
    """How often each value occurs in the whole view, where these tuples are only some of it."""

    _derived: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Evidence({len(self)} tuples, {self.n_values} values)"

    @classmethod
    def of(cls, view: View, revised: Belief) -> Evidence:
        """Collect the evidence of a view."""
        if len(view) != len(revised):
            message = f"A view of {len(view)} tuples needs as many beliefs, and has {len(revised)}."
            raise PolicyError(message)
        return cls(view.value_codes, revised.probabilities, view, revised)

    def derived(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what a requirement worked out of this evidence, made when first asked for."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]

    def __len__(self) -> int:
        """Return the number of tuples."""
        return len(self.value_codes)

    @property
    def n_values(self) -> int:
        """The number of values in the domain."""
        return int(self.beliefs.shape[1])

    @cached_property
    def entropies(self) -> FloatArray:
        """Entropy of each belief, in bits."""
        return entropy_of_rows(self.beliefs) if self.source is None else self.source.entropies

    @cached_property
    def view_counts(self) -> IntArray:
        """How often each value occurs in the whole view."""
        if self.whole_counts is not None:
            return self.whole_counts
        return np.bincount(self.value_codes, minlength=self.n_values)


@dataclass(frozen=True, eq=False)
class Roll:
    """Who is in each group of a tally; groups may share members while unions are weighed."""

    evidence: Evidence
    """What requirements look at."""

    rows: IntArray
    """Rows of the evidence."""

    begins: IntArray
    """Where each group's rows begin."""

    ends: IntArray
    """Where they end."""


@dataclass(eq=False)
class Tally:
    """Totals of one or several groups; the first axis of every array is the group."""

    sizes: IntArray
    """Tuples (groups)."""

    value_counts: IntArray
    """Times each value occurs (groups, values)."""

    belief_sums: FloatArray
    """Sum of the members' beliefs (groups, values)."""

    entropy_sums: FloatArray
    """Sum of the entropies of the members' beliefs (groups)."""

    view_counts: IntArray
    """Times each value occurs in the whole view (values)."""

    roll: Roll | None = None
    """Who is in each group, where that is known."""

    counterfeits: IntArray | None = None
    """How many of the tuples have no member (groups); none where it is left out."""

    @property
    def people(self) -> IntArray:
        """Members of each group: its tuples without the counterfeits."""
        return self.sizes if self.counterfeits is None else self.sizes - self.counterfeits

    def __repr__(self) -> str:
        """Say how large it is, and nothing of what is in it."""
        return f"Tally({len(self.sizes)} groups)"

    @classmethod
    def empty(cls, evidence: Evidence, groups: int = 1) -> Tally:
        """Return totals of groups without members."""
        nobody = np.empty(0, dtype=np.int64)
        return cls(
            np.zeros(groups, dtype=np.int64),
            np.zeros((groups, evidence.n_values), dtype=np.int64),
            np.zeros((groups, evidence.n_values)),
            np.zeros(groups),
            evidence.view_counts,
            Roll(evidence, nobody, np.zeros(groups, np.int64), np.zeros(groups, np.int64)),
        )

    @classmethod
    def of(cls, evidence: Evidence, rows: IntArray, starts: IntArray) -> Tally:
        """Return the totals of finished groups, each rows[starts[g]:starts[g + 1]]."""
        n_groups = len(starts) - 1
        if n_groups == 0:
            return cls.empty(evidence, 0)
        from seriatim.kernels._jit import over_ranges
        from seriatim.kernels.totals import add_members

        found = cls.empty(evidence, n_groups)
        over_ranges(
            add_members,
            n_groups,
            rows,
            starts,
            evidence.value_codes,
            evidence.beliefs,
            evidence.entropies,
            found.value_counts,
            found.belief_sums,
            found.entropy_sums,
        )
        found.sizes = np.diff(starts)
        found.roll = Roll(evidence, rows, starts[:-1], starts[1:])
        return found

    def with_counterfeits(self, value_counts: IntArray) -> Tally:
        """Return the totals of the same groups with tuples that have no member (groups, values)."""
        added = value_counts.sum(axis=1)
        return Tally(
            self.sizes + added,
            self.value_counts + value_counts,
            self.belief_sums,
            self.entropy_sums,
            self.view_counts,
            self.roll,
            added if self.counterfeits is None else self.counterfeits + added,
        )

    def add(self, evidence: Evidence, row: int, group: int = 0) -> None:
        """Let a tuple join a group."""
        self.roll = None if self.roll is None else _joined(self.roll, row, group)
        self.sizes[group] += 1
        self.value_counts[group, evidence.value_codes[row]] += 1
        self.belief_sums[group] += evidence.beliefs[row]
        self.entropy_sums[group] += evidence.entropies[row]

    def joined_from_the_end(self) -> Tally:
        """Return the totals of each group together with all groups behind it."""
        return Tally(
            np.cumsum(self.sizes[::-1])[::-1],
            np.cumsum(self.value_counts[::-1], axis=0)[::-1],
            np.cumsum(self.belief_sums[::-1], axis=0)[::-1],
            np.cumsum(self.entropy_sums[::-1])[::-1],
            self.view_counts,
            None if self.roll is None else _to_the_end(self.roll),
        )

    def clear(self, group: int = 0) -> None:
        """Empty a group."""
        for totals in (self.sizes, self.value_counts, self.belief_sums, self.entropy_sums):
            totals[group] = 0
        if self.roll is not None:
            begins = self.roll.begins.copy()
            begins[group] = self.roll.ends[group]
            self.roll = Roll(self.roll.evidence, self.roll.rows, begins, self.roll.ends)


def _joined(roll: Roll, row: int, group: int) -> Roll:
    """Return a roll after a tuple joined a group."""
    place = int(roll.ends[group])
    behind = np.arange(len(roll.ends)) > group
    rows = np.insert(roll.rows, place, row)
    ends = roll.ends + behind
    ends[group] += 1
    return Roll(roll.evidence, rows, roll.begins + behind, ends)


def _to_the_end(roll: Roll) -> Roll:
    return Roll(roll.evidence, roll.rows, roll.begins, np.full_like(roll.ends, len(roll.rows)))
