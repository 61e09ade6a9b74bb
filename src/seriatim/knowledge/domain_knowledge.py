"""Domain knowledge: what the literature says tends to follow what.

Given as a table "given → next, probability", as the paper's Table II(b); with
longer contexts where more of the past matters, and class columns where it
matters who one is. A history is judged by the longest context that it ends
with; where no context fits, the respondent's prior stands in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray, Table, Value
from seriatim.errors import KnowledgeError, did_you_mean, listed
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.classes import Classes, collect_classes
from seriatim.knowledge.contexts import back_off, suffix_automaton
from seriatim.knowledge.distributions import Distributions, Unlisted
from seriatim.microdata.tables import Columns, missing_mask, read_filled_table

Context = tuple[Value, ...]
"""Past values, oldest first."""


@dataclass(frozen=True, eq=False)
class DomainKnowledge:
    """Distributions over the next value, by context and class.

    >>> table = {"given": ["neg", "neg", "pos"], "next": ["neg", "pos", "pos"]}
    >>> knowledge = DomainKnowledge.from_table(table | {"probability": [0.8, 0.2, 1.0]})
    >>> knowledge
    DomainKnowledge(2 contexts, up to 1 steps)
    >>> knowledge.automaton(("neg", "pos")).next_value[0, 1].tolist()  # after neg
    [0.8, 0.2]
    """

    contexts: tuple[Context, ...]
    """The context of each row, oldest value first; the empty context is allowed."""

    distributions: Distributions
    """One row for each pair of context and class that the table has."""

    class_of: IntArray
    """The class of each row."""

    classes: Classes | None = None
    """How respondents fall into classes, where it matters."""

    @classmethod
    def from_table(
        cls,
        table: Table,
        *,
        given: str | Sequence[str] = "given",
        following: str = "next",
        probability: str = "probability",
        classes: str | Sequence[str] = (),
        unlisted: Unlisted = "error",
    ) -> DomainKnowledge:
        """Read a long table: context, next value, probability.

        For contexts of several values name several columns, oldest first; empty
        cells on the left make a context shorter.

        >>> table = {
        ...     "given": ["MAM-pos", "MAM-pos"],
        ...     "next": ["BCM-pos", "PNE-pos"],
        ...     "probability": [0.6, 0.02],
        ... }
        >>> knowledge = DomainKnowledge.from_table(table, unlisted="spread")
        >>> knowledge.steps, knowledge.contexts
        (1, (('MAM-pos',),))
        """
        columns = read_filled_table(table, "domain knowledge")
        names = (given,) if isinstance(given, str) else tuple(given)
        if not names:
            message = "given names at least one column of past values."
            raise KnowledgeError(message)
        written = _contexts(columns, names)
        if classes:
            found, class_of_entry = collect_classes(columns, classes)
        else:
            found, class_of_entry = None, np.zeros(len(columns), dtype=np.int64)
        rows: dict[tuple[int, Context], int] = {}
        row_of = np.array(
            [
                rows.setdefault((kind, context), len(rows))
                for kind, context in zip(class_of_entry.tolist(), written, strict=True)
            ],
            dtype=np.int64,
        )
        distributions = Distributions.from_columns(
            row_of, len(rows), columns[following], columns[probability], unlisted
        )
        return cls(
            tuple(context for _, context in rows),
            distributions,
            np.array([kind for kind, _ in rows], dtype=np.int64),
            found,
        )

    def __repr__(self) -> str:
        """Say how large it is."""
        return f"DomainKnowledge({len(self.contexts)} contexts, up to {self.steps} steps)"

    @property
    def steps(self) -> int:
        """How many past values the longest context looks at."""
        return max(len(context) for context in self.contexts)

    @property
    def values(self) -> tuple[Value, ...]:
        """The values that it speaks of."""
        seen = dict.fromkeys(value for context in self.contexts for value in context)
        return tuple(dict.fromkeys([*seen, *self.distributions.values]))

    def automaton(self, domain: tuple[Value, ...]) -> Automaton:
        """Return its computable form: one state per beginning of a context."""
        codes = {value: code for code, value in enumerate(domain)}
        unknown = [value for value in self.values if value not in codes]
        if unknown:
            message = (
                f"Domain knowledge speaks of values outside the sensitive domain:"
                f" {listed(unknown)}. The domain is {listed(domain)}."
                f"{did_you_mean(unknown[0], domain)} Declare them in Sensitive(values=...)."
            )
            raise KnowledgeError(message)
        contexts = [tuple(codes[value] for value in context) for context in self.contexts]
        states, next_state, shorter = suffix_automaton(contexts, len(domain))
        n_classes = 1 if self.classes is None else len(self.classes)
        next_value = np.zeros((n_classes, len(states), len(domain)))
        known = np.zeros((n_classes, len(states)), dtype=bool)
        places = np.array([states[context] for context in contexts])
        next_value[self.class_of, places] = self.distributions.over(domain)
        known[self.class_of, places] = True
        back_off(next_value, known, shorter)
        return Automaton(tuple(domain), next_value, next_state, 0, known, self.classes)


def _cells(column: pa.Array) -> list[Any]:
    """Return the cells of a column, None where there is nothing."""
    return [
        None if missing else cell
        for cell, missing in zip(column.to_pylist(), missing_mask(column), strict=True)
    ]


def _contexts(columns: Columns, names: tuple[str, ...]) -> list[Context]:
    """Read contexts, oldest value first; a gap in the middle of one is an error."""
    cells: list[list[Any]] = [_cells(columns[name]) for name in names]
    found = []
    for position, row in enumerate(zip(*cells, strict=True)):
        context = tuple(row)
        while context and context[0] is None:
            context = context[1:]
        if None in context:
            message = (
                f"The context at row position {position} (the first row is 0) has an empty cell"
                " between two values. Leave only the oldest cells empty."
            )
            raise KnowledgeError(message)
        found.append(context)
    return found
