"""What hypothesis draws: beliefs, groups, knowledge, views and whole series.

Probabilities come from small whole numbers, so zeros, ties and certainty turn up
often, and what differs does so by more than rounding.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np
from hypothesis import strategies as st

import seriatim as sr
from oracles import Knowledge, Row, TupleOfView
from seriatim.partition import Partition


def distributions(n_values: int) -> st.SearchStrategy[list[float]]:
    """A distribution over some values."""
    weights = st.lists(st.integers(0, 9), min_size=n_values, max_size=n_values).filter(any)
    return weights.map(lambda row: [weight / sum(row) for weight in row])


def rows_of(n_rows: int, n_values: int) -> st.SearchStrategy[list[list[float]]]:
    """A distribution for each row."""
    return st.lists(distributions(n_values), min_size=n_rows, max_size=n_rows)


def codes(n_rows: int, n_values: int) -> st.SearchStrategy[list[int]]:
    """A value for each row, by its code."""
    return st.lists(st.integers(0, n_values - 1), min_size=n_rows, max_size=n_rows)


@st.composite
def beliefs(draw: st.DrawFn, *, most_rows: int = 6, most_values: int = 5) -> list[list[float]]:
    """Some beliefs over one domain."""
    n_rows, n_values = draw(st.integers(1, most_rows)), draw(st.integers(1, most_values))
    return draw(rows_of(n_rows, n_values))


@st.composite
def groups(draw: st.DrawFn, *, most_rows: int = 5) -> tuple[list[list[float]], list[int]]:
    """What is believed of the members of a group, and the values it publishes."""
    rows = draw(beliefs(most_rows=most_rows, most_values=4))
    return rows, draw(codes(len(rows), len(rows[0])))


@st.composite
def wide_groups(
    draw: st.DrawFn, n_values: int, *, least_members: int = 1
) -> tuple[list[list[float]], list[int]]:
    """A group that may publish more values than the reader knows members."""
    n_members, n_strangers = draw(st.integers(least_members, 4)), draw(st.integers(0, 3))
    n_tuples = max(n_members + n_strangers, 1)
    return draw(rows_of(n_members, n_values)), draw(codes(n_tuples, n_values))


@st.composite
def knowledge(draw: st.DrawFn, n_values: int, *, most_states: int = 4) -> Knowledge:
    """An automaton; some of its states may know nothing."""
    n_states = draw(st.integers(1, most_states))
    states = st.integers(0, n_states - 1)
    return Knowledge(
        draw(rows_of(n_states, n_values)),
        draw(
            st.lists(
                st.lists(states, min_size=n_values, max_size=n_values),
                min_size=n_states,
                max_size=n_states,
            )
        ),
        draw(states),
        draw(st.lists(st.booleans(), min_size=n_states, max_size=n_states)),
    )


def automaton(known: Knowledge) -> sr.Automaton:
    """The package's form of an oracle's knowledge; values are their codes."""
    n_values = len(known.next_state[0])
    return sr.Automaton(
        tuple(range(n_values)), known.next_value, known.next_state, known.start, known.known
    )


def tabulated(prior: Mapping[Hashable, Row]) -> sr.TabulatedPrior:
    """The package's form of what is known of each person before any release."""
    entries = [
        (respondent, value, probability)
        for respondent, row in prior.items()
        for value, probability in enumerate(row)
    ]
    columns = ("respondent", "value", "probability")
    table = dict(zip(columns, map(list, zip(*entries, strict=True)), strict=True))
    return sr.TabulatedPrior.from_table(table)


GRID_BITS = 3
PEOPLE = range(8)


def grid_schema(n_values: int, *, bits: int = GRID_BITS, dimensions: int = 2) -> sr.Schema:
    """Quasi-identifiers that are grid coordinates, so that codes, points and grid are one."""
    sides = [sr.Numeric(f"x{axis}", 0, 2**bits - 1) for axis in range(dimensions)]
    return sr.Schema("id", sides, sr.Sensitive("value", tuple(range(n_values))))


def grid_table(view: list[TupleOfView]) -> dict[str, list[int]]:
    """A view of an oracle as a table."""
    table = {"id": [respondent for respondent, _, _ in view]}
    for axis in range(len(view[0][1])):
        table[f"x{axis}"] = [point[axis] for _, point, _ in view]
    return {**table, "value": [value for _, _, value in view]}


@st.composite
def grid_views(
    draw: st.DrawFn, n_values: int, *, people: range = PEOPLE, least: int = 2
) -> list[TupleOfView]:
    """Some of the people, each at a point of their own, sorted by id as a view sorts them."""
    present = draw(st.lists(st.sampled_from(people), min_size=least, unique=True))
    side = st.integers(0, 2**GRID_BITS - 1)
    n = len(present)
    points = draw(st.lists(st.tuples(side, side), min_size=n, max_size=n, unique=True))
    return list(zip(sorted(present), points, draw(codes(n, n_values)), strict=True))


@dataclass(frozen=True)
class Series:
    """Views with newcomers and absences, and a reader who knows something."""

    n_values: int
    views: list[list[TupleOfView]]
    prior: dict[int, Row]
    knowledge: Knowledge

    def adversary(self, rule: str = "omega") -> sr.Adversary:
        """A reader with this knowledge."""
        return sr.Adversary(tabulated(self.prior), automaton(self.knowledge), rule)


@st.composite
def series(draw: st.DrawFn, *, least: int = 2) -> Series:
    """Up to four views, and what a reader knows of the people in them."""
    n_values = draw(st.integers(2, 3))
    return Series(
        n_values,
        draw(st.lists(grid_views(n_values, least=least), min_size=1, max_size=4)),
        dict(zip(PEOPLE, draw(rows_of(len(PEOPLE), n_values)), strict=True)),
        draw(knowledge(n_values)),
    )


GRADES = ("low", "middle", "high", "top")
GENDERS = ("F", "M", "X")
ZIPS = ("12030", "12031", "12044", "20100", "20131")
EXAMS = ("neg", "pos", "unclear")


def hospital_schema() -> sr.Schema:
    """One quasi-identifier of each kind."""
    return sr.Schema(
        "id",
        [
            sr.Numeric("age", 0, 99),
            sr.Categorical("gender", GENDERS),
            sr.Ordinal("grade", GRADES),
            sr.Hierarchical("zip", mask="prefix", values=ZIPS),
        ],
        sr.Sensitive("exam", EXAMS),
    )


@st.composite
def hospital_tables(draw: st.DrawFn, *, least: int = 6, most: int = 24) -> dict[str, list]:
    """A table of the hospital's schema, rows in any order."""
    n = draw(st.integers(least, most))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    return {
        "id": rng.permutation(n + 5)[:n].tolist(),
        "age": rng.integers(0, 100, n).tolist(),
        "gender": rng.choice(GENDERS, n).tolist(),
        "grade": rng.choice(GRADES, n).tolist(),
        "zip": rng.choice(ZIPS, n).tolist(),
        "exam": rng.choice(EXAMS, n, p=draw(distributions(len(EXAMS)))).tolist(),
    }


@st.composite
def partitions(draw: st.DrawFn, n_rows: int) -> list[list[int]]:
    """Rows in any order, cut into some groups; the last list is the remainder."""
    cuts = sorted(draw(st.sets(st.integers(1, n_rows), min_size=1, max_size=4)))
    order = draw(st.permutations(range(n_rows)))
    return [order[begin:end] for begin, end in zip([0, *cuts], [*cuts, n_rows], strict=True)]


def as_partition(groups: list[list[int]], remainder: list[int]) -> Partition:
    """The package's form of groups of rows."""
    return Partition(
        np.array([*chain(*groups)], dtype=np.int64),
        np.cumsum([0, *map(len, groups)]),
        np.array(remainder, dtype=np.int64),
    )


LETTERS = 'ab ,"{}[]*\n\r'
"""Letters of labels that could be misread when they are written between others."""


def labels(least: int = 1) -> st.SearchStrategy[list[str]]:
    """A domain of labels that look like sets, runs, masks and quotations."""
    return st.lists(st.text(LETTERS, max_size=5), min_size=least, max_size=6, unique=True)
