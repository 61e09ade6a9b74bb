"""A made hospital in the paper's shape, as large and as long as one likes.

24 weekly views of 5,000 tuples, some 16,160 individuals, 3 quasi-identifiers, 19 exam
results, 18 classes (Section VI-A; the authors' own data is not to be had). With the
tables comes the truth about them: the prior and the sequence model that they were
drawn from.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.class_prior import ClassPrior
from seriatim.microdata.schema import Schema
from seriatim.microdata.view import View
from seriatim.simulate.course import Course, Model
from seriatim.simulate.patients import GENDERS, schema_of
from seriatim.simulate.population import Week, weeks_of
from seriatim.simulate.presets import preset_by_name
from seriatim.simulate.ranges import require_whole_between

_MOST_TUPLES = 1_000_000_000


@dataclass(frozen=True, eq=False)
class Hospital:
    """A made hospital: its tables on demand, and what they are drawn from.

    Given a patient's results so far, the next one is distributed as ``sequence`` says
    for the state they lead to, exactly. For all presets but ``literature`` a step is
    from one exam to the next, however many weeks lie between; in ``literature`` illness goes on
    from week to week, and ``sequence`` has a period of 1: number the views 1, 2, 3.

    >>> made = hospital(views=2, size=100, preset="mild")
    >>> made, made.pool
    (Hospital(2 views of 100 tuples, seed 1), 200)
    >>> made.tables[0].column_names
    ['patient', 'age', 'gender', 'weight', 'exam_result']
    """

    schema: Schema
    """Patient, age, gender, weight, exam result."""

    prior: ClassPrior
    """What a patient's first result is, by class: exact whenever they are first seen."""

    sequence: Automaton
    """What follows what: exact for the results of a patient."""

    model: Model
    """The parameters of the course of illness."""

    course: Course
    """What was drawn from them: prior and sequence in one, and what the states mean."""

    n_views: int
    """How many views there are."""

    size: int
    """Tuples of each view."""

    seed: int
    """What everything is drawn from."""

    patients: int = 0
    """Which patients: another number has others, under the same course of illness."""

    def __repr__(self) -> str:
        """Say how large it is."""
        return f"Hospital({self.n_views} views of {self.size:,} tuples, seed {self.seed})"

    @property
    def pool(self) -> int:
        """How many patients there are at any time."""
        return max(self.size, round(self.size / self.model.attendance))

    def weeks(self) -> Iterator[Week]:
        """Yield the exams of week after week as bare arrays; only one is in memory."""
        rng = np.random.default_rng(_streams(self.seed, self.patients)[1])
        endless = weeks_of(self.course, size=self.size, pool=self.pool, rng=rng)
        return itertools.islice(endless, self.n_views)

    def counted(self) -> Iterator[tuple[pa.Table, int]]:
        """Yield table after table, each with how many are in one for the first time."""
        return ((self.table(week), week.newcomers) for week in self.weeks())

    def stream(self) -> Iterator[pa.Table]:
        """Yield table after table; only one is in memory, beside the current patients."""
        return (table for table, _ in self.counted())

    def table(self, week: Week) -> pa.Table:
        """Return the exams of a week as a table."""
        results = pa.array([str(value) for value in self.course.values])
        return pa.table(
            {
                "patient": week.patient,
                "age": week.age,
                "gender": pa.DictionaryArray.from_arrays(week.gender, pa.array(GENDERS)),
                "weight": week.weight,
                "exam_result": pa.DictionaryArray.from_arrays(week.value, results),
            }
        )

    @cached_property
    def tables(self) -> tuple[pa.Table, ...]:
        """All tables."""
        return tuple(self.stream())

    @cached_property
    def views(self) -> tuple[View, ...]:
        """All tables, as views."""
        return tuple(View.from_table(table, self.schema) for table in self.stream())


def hospital(
    *,
    views: int = 24,
    size: int = 5000,
    preset: str | Model = "paper-like",
    seed: int = 1,
    patients: int = 0,
) -> Hospital:
    """Make a hospital; its tables are drawn when asked for.

    ``preset`` is ``"paper-like"``, ``"mild"``, ``"sharp"``, ``"literature"``, or parameters of
    your own: ``Progression(momentum=5)``. The same seed gives the same tables, and a longer
    series begins with the shorter one; another seed draws another course of illness too,
    not only other patients. Another number of ``patients`` draws other patients alone, as an
    outside corpus needs them.

    >>> made = hospital(views=2, size=100)
    >>> [table.num_rows for table in made.stream()], len(made.prior.classes)
    ([100, 100], 18)
    >>> made.sequence
    Automaton(19 values, 309 states, 18 classes)
    """
    require_whole_between("views", views, 1, 1_000_000)
    require_whole_between("size", size, 1, _MOST_TUPLES)
    require_whole_between("seed", seed, 0, 2**63)
    require_whole_between("patients", patients, 0, 1_000_000)
    model = preset_by_name(preset)
    course = model.draw(np.random.default_rng(_streams(seed)[0]))
    return Hospital(
        schema_of(course.values),
        course.prior(),
        course.sequence(),
        model,
        course,
        int(views),
        int(size),
        int(seed),
        int(patients),
    )


def _streams(seed: int, patients: int = 0) -> tuple[np.random.SeedSequence, ...]:
    """Return two sources of chance: for the course of illness, and for the patients."""
    spawned = np.random.SeedSequence(seed).spawn(2 + patients)
    return spawned[0], spawned[1 + patients]
