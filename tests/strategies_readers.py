"""What hypothesis draws for readers: releases with regions that overlap, and told series."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import oracles_readers as oracles
import seriatim as sr
from oracles import Knowledge, Row
from strategies import automaton, knowledge, rows_of, tabulated

AGES = range(10)
GENDERS = ("F", "M", "X")
VALUES = ("a", "b", "c")

Point = tuple[int, str]


def region_schema(values: tuple[str, ...] = VALUES) -> sr.Schema:
    """A schema with one quasi-identifier in intervals and one in sets."""
    return sr.Schema(
        "id",
        [sr.Numeric("age", AGES[0], AGES[-1]), sr.Categorical("gender", GENDERS)],
        sr.Sensitive("exam", values),
    )


@st.composite
def age_cells(draw: st.DrawFn, ages: list[int]) -> tuple[str, frozenset[int]]:
    """A cell around some ages, as tools write it, and the ages that it means."""
    low = draw(st.integers(AGES[0], min(ages)))
    high = draw(st.integers(max(ages), AGES[-1]))
    meant = {
        "*": range(AGES[0], AGES[-1] + 1),
        f"[{low},{high}]": range(low, high + 1),
        f"{low}-{high}": range(low, high + 1),
        f"[{low}, {high + 1}[": range(low, high + 1),
        f"({low - 1},{high}]": range(low, high + 1),
        f">={low}": range(low, AGES[-1] + 1),
        f"<{high + 1}": range(AGES[0], high + 1),
    }
    word = draw(st.sampled_from(sorted(meant)))
    return word, frozenset(meant[word])


@st.composite
def gender_cells(draw: st.DrawFn, genders: list[str]) -> tuple[str, frozenset[str]]:
    """A cell around some genders, and the genders that it means."""
    more = draw(st.sets(st.sampled_from(GENDERS), max_size=1))
    meant = sorted({*genders, *more})
    words = ["*", "{" + ", ".join(meant) + "}", ",".join(meant)]
    word = draw(st.sampled_from(words))
    return word, frozenset(GENDERS if word == "*" else meant)


@dataclass(frozen=True)
class Opened:
    """A release, a roster, and what the cells mean."""

    release: sr.Release
    roster: sr.Roster
    points: list[Point]
    meaning: list[dict[str, frozenset]]

    @property
    def sizes(self) -> list[int]:
        return [len(group) for group in self.release.groups]

    @property
    def tuples(self) -> list[oracles.Tuple]:
        return [
            (number, int(code))
            for number, group in enumerate(self.release.groups)
            for code in group.value_codes
        ]

    @property
    def fitting(self) -> list[set[int]]:
        """The groups whose cells hold each respondent."""
        return [
            {
                number
                for number, group in enumerate(self.release.groups)
                if all(
                    cell in self.meaning[axis][word]
                    for axis, (cell, word) in enumerate(zip(point, group.region.texts, strict=True))
                )
            }
            for point in self.points
        ]


@st.composite
def opened(draw: st.DrawFn, *, most_tuples: int = 5, most_spare: int = 2) -> Opened:
    """A release that the roster can have made, with more people than tuples or not."""
    n_tuples = draw(st.integers(1, most_tuples))
    n_people = n_tuples + draw(st.integers(0, most_spare))
    point = st.tuples(st.sampled_from(AGES), st.sampled_from(GENDERS))
    points = draw(st.lists(point, min_size=n_people, max_size=n_people))
    n_groups = draw(st.integers(1, min(n_tuples, 3)))
    homes = draw(st.lists(st.integers(0, n_groups - 1), min_size=n_tuples, max_size=n_tuples))
    meaning: list[dict[str, frozenset]] = [{}, {}]
    table: dict[str, list[str]] = {"age": [], "gender": [], "exam": []}
    for home in sorted(set(homes)):
        members = [points[person] for person in range(n_tuples) if homes[person] == home]
        age, ages = draw(age_cells([one for one, _ in members]))
        gender, genders = draw(gender_cells([one for _, one in members]))
        meaning[0][age], meaning[1][gender] = ages, genders
        table["age"] += [age] * len(members)
        table["gender"] += [gender] * len(members)
        table["exam"] += [draw(st.sampled_from(VALUES)) for _ in members]
    # Who is published is not told by who comes first.
    order = draw(st.permutations(range(n_people)))
    points = [points[person] for person in order]
    schema = region_schema()
    people = {
        "id": list(range(n_people)),
        "age": [age for age, _ in points],
        "gender": [gender for _, gender in points],
    }
    return Opened(
        sr.read_release(table, schema, at=1),
        sr.Roster.from_table(people, schema),
        points,
        meaning,
    )


@st.composite
def positive_rows(draw: st.DrawFn, n_rows: int, n_values: int) -> np.ndarray:
    """Distributions without zeros."""
    row = st.lists(st.integers(1, 20), min_size=n_values, max_size=n_values)
    weights = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    return np.array([[one / sum(row) for one in row] for row in weights])


@st.composite
def positive_knowledge(draw: st.DrawFn, n_values: int) -> Knowledge:
    """An automaton that holds everything possible."""
    n_states = draw(st.integers(1, 4))
    states = st.lists(st.integers(0, n_states - 1), min_size=n_values, max_size=n_values)
    return Knowledge(
        draw(positive_rows(n_states, n_values)).tolist(),
        draw(st.lists(states, min_size=n_states, max_size=n_states)),
    )


@dataclass(frozen=True)
class ToldSeries:
    """A few releases whose groups are known, and a reader who was told some values."""

    weeks: list[oracles.Week]
    prior: dict[Hashable, Row]
    knowledge: Knowledge

    def publish(
        self, instants: Sequence[int] | None = None
    ) -> tuple[list[sr.Release], list[sr.View]]:
        """Return releases that tell everyone's group, and the views they were made of."""
        values = tuple(range(len(next(iter(self.prior.values())))))
        schema = sr.Schema("id", [sr.Numeric("home", 0, 9)], sr.Sensitive("value", values))
        releases, views = [], []
        for at, week in zip(instants or itertools.count(1), self.weeks, strict=False):
            rows = [
                (person, home, value)
                for home, group in enumerate(week.groups)
                for person, value in group
            ]
            people, homes, values = (list(column) for column in zip(*rows, strict=True))
            views.append(sr.View.from_table({"id": people, "home": homes, "value": values}, schema))
            releases.append(sr.read_release({"home": homes, "value": values}, schema, at=at))
        return releases, views

    @property
    def compromised(self) -> sr.CompromisedTuples:
        rows = [
            (person, at, value)
            for at, week in enumerate(self.weeks, start=1)
            for person, value in week.told.items()
        ]
        columns = list(zip(*rows, strict=True)) or [(), (), ()]
        table = dict(zip(("who", "when", "what"), map(list, columns), strict=True))
        return sr.CompromisedTuples.from_table(table, respondent="who", at="when", value="what")

    def adversary(
        self, *, told: bool = True, compromised: sr.CompromisedTuples | None = None
    ) -> sr.Adversary:
        """A reader with this knowledge, told what it was told or something else."""
        return sr.Adversary(
            tabulated(self.prior),
            automaton(self.knowledge),
            "exact",
            "joint",
            self.compromised if told else compromised,
        )


@st.composite
def told_series(draw: st.DrawFn, *, most_weeks: int = 2) -> ToldSeries:
    """Up to five people in groups, some of whom come back, some of whom are told of."""
    n_values = draw(st.integers(2, 3))
    people = [f"SECRET-{number}" for number in range(5)]
    weeks = []
    for _ in range(draw(st.integers(1, most_weeks))):
        present = draw(st.lists(st.sampled_from(people), min_size=1, unique=True))
        n_groups = draw(st.integers(1, 2))
        groups: list[list[tuple[Hashable, int]]] = [[] for _ in range(n_groups)]
        for person in present:
            home = draw(st.integers(0, n_groups - 1))
            groups[home].append((person, draw(st.integers(0, n_values - 1))))
        true = dict(pair for group in groups for pair in group)
        told = draw(st.lists(st.sampled_from(present), unique=True))
        weeks.append(
            oracles.Week(
                [group for group in groups if group], {person: true[person] for person in told}
            )
        )
    prior = draw(positive_rows(len(people), n_values)).tolist()
    return ToldSeries(
        weeks, dict(zip(people, prior, strict=True)), draw(positive_knowledge(n_values))
    )


@st.composite
def surprising_series(draw: st.DrawFn) -> ToldSeries:
    """The same with knowledge that rules values out, or knows nothing of them."""
    case = draw(told_series(most_weeks=3))
    n_values = len(case.knowledge.next_state[0])
    prior = draw(rows_of(len(case.prior), n_values))
    return ToldSeries(
        case.weeks, dict(zip(case.prior, prior, strict=True)), draw(knowledge(n_values))
    )
