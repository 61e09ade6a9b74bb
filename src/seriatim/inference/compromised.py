"""Compromised tuples: values that a reader was told, by whatever way.

A friend's own answer, a leaked list, an insider. What is known of some sharpens what
can be concluded of the others in their groups.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import Instant, IntArray, Table, Value
from seriatim.errors import KnowledgeError, at_positions, listed
from seriatim.inference.conclusions import UNTOLD
from seriatim.microdata.roster import Roster, numbered
from seriatim.microdata.tables import find_codes, read_table, require_present, to_numpy
from seriatim.microdata.view import View


@dataclass(frozen=True, eq=False)
class CompromisedTuples:
    """The values of some respondents at some instants.

    >>> known = CompromisedTuples.from_table(
    ...     {"name": ["Betty"], "week": [1], "exam": ["CX-neg"]},
    ...     respondent="name",
    ...     at="week",
    ...     value="exam",
    ... )
    >>> known
    CompromisedTuples(1 tuples)
    """

    respondents: dict[Instant, pa.Array]
    """Who was told of, by instant."""

    values: dict[Instant, pa.Array]
    """What was told of them, by instant."""

    @classmethod
    def from_table(cls, table: Table, *, respondent: str, at: str, value: str) -> CompromisedTuples:
        """Read a table with a respondent, an instant and a value in each row."""
        columns = read_table(table)
        for name in (respondent, at, value):
            require_present(columns[name], name)
        when = columns[at].dictionary_encode()
        number = to_numpy(when.indices)
        here = {
            instant: pa.array(np.flatnonzero(number == which))
            for which, instant in enumerate(when.dictionary.to_pylist())
        }
        who = {instant: columns[respondent].take(rows) for instant, rows in here.items()}
        told = {instant: columns[value].take(rows) for instant, rows in here.items()}
        twice = [instant for instant, ids in who.items() if len(ids.unique()) < len(ids)]
        if twice:
            message = (
                "A reader is told one value of a respondent and instant; some are told twice at"
                f" {listed(twice)}."
            )
            raise KnowledgeError(message)
        return cls(who, told)

    @classmethod
    def drawn(
        cls, originals: Sequence[View], instants: Sequence[Instant], *, share: float, seed: int
    ) -> CompromisedTuples:
        """Draw a share of all tuples of a series: what a reader may happen to know."""
        if not 0 <= share <= 1:
            message = f"share is a number from 0 to 1, not {share!r}."
            raise KnowledgeError(message)
        if len(originals) != len(instants):
            message = f"{len(originals)} originals need as many instants, not {len(instants)}."
            raise KnowledgeError(message)
        rng = np.random.default_rng(seed)
        who, told = {}, {}
        for view, instant in zip(originals, instants, strict=True):
            rows = np.sort(rng.choice(len(view), round(share * len(view)), replace=False))
            who[instant] = view.respondents.take(pa.array(rows))
            told[instant] = view.schema.sensitive.decode(view.value_codes[rows])
        return cls(who, told)

    @classmethod
    def of_people(
        cls, originals: Sequence[View], instants: Sequence[Instant], *, share: float, seed: int
    ) -> CompromisedTuples:
        """Draw a share of the people of a series: all that is published of them is known.

        >>> from seriatim import running_example
        >>> made = running_example()
        >>> CompromisedTuples.of_people(made.views, (1, 2), share=1.0, seed=1)
        CompromisedTuples(9 tuples)
        """
        people = numbered(originals)
        n_people = 1 + max(int(who.max(initial=-1)) for who in people)
        chosen = np.random.default_rng(seed).random(n_people) < share
        who, told = {}, {}
        for view, instant, numbers in zip(originals, instants, people, strict=True):
            rows = np.flatnonzero(chosen[numbers])
            who[instant] = view.respondents.take(pa.array(rows))
            told[instant] = view.schema.sensitive.decode(view.value_codes[rows])
        return cls(who, told)

    def __len__(self) -> int:
        """Return the number of tuples."""
        return sum(len(ids) for ids in self.respondents.values())

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"CompromisedTuples({len(self)} tuples)"

    def codes(self, roster: Roster, at: Instant, domain: tuple[Value, ...]) -> IntArray:
        """Return the code of each respondent's value at an instant; -1 where it was not told."""
        found = np.full(len(roster), UNTOLD, dtype=np.int64)
        if at not in self.respondents:
            return found
        values = find_codes(self.values[at], domain)
        if (values < 0).any():
            message = (
                f"The reader was told values at {at!r} that are not in the sensitive domain, at"
                f" {at_positions(np.flatnonzero(values < 0))}. The domain is {listed(domain)}."
            )
            raise KnowledgeError(message)
        ids = _alike(self.respondents[at], roster.respondents.type)
        places = pc.index_in(roster.respondents, value_set=ids).fill_null(UNTOLD)
        places = places.to_numpy(zero_copy_only=False)
        found[places >= 0] = values[places[places >= 0]]
        return found


def _alike(ids: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return ids in the kind of a roster's; the library's own message would show one."""
    found = None
    if pa.types.is_string(ids.type) == pa.types.is_string(kind):
        with contextlib.suppress(pa.ArrowException):
            found = ids.cast(kind)
    if found is None:
        message = (
            f"The reader was told of respondents named as {ids.type}, and the roster names them"
            f" as {kind}. Use one kind."
        )
        raise KnowledgeError(message)
    return found
