"""The people of the made hospital, week by week.

A hospital has slots, each with one patient at a time; a share of them has an exam in a
given week, always the same number, every set of slots as likely as any other. A
patient whose result ends the stay makes room for a new one, who is first seen at some
later exam: a first exam is always drawn from the distribution of first results,
whenever it takes place. Only the current pool is in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.simulate.course import START, Course
from seriatim.simulate.patients import SMALLEST, classes_of, drawn_patients

_BLOCK = 1 << 20
"""Slots that are gone through at once: so many random numbers are in memory."""


@dataclass(frozen=True, eq=False)
class Week:
    """The exams of one week, in the order of slots."""

    patient: np.ndarray
    """Numbers in the order of admission, from 1."""

    age: np.ndarray
    """Years."""

    gender: np.ndarray
    """Codes of genders."""

    weight: np.ndarray
    """Kilograms."""

    value: np.ndarray
    """Codes of exam results."""

    newcomers: int
    """For how many it was the first exam."""


class _Pool:
    """The patients of the moment, one to a slot."""

    def __init__(self, slots: int, rng: np.random.Generator) -> None:
        self.rng = rng
        self.admitted = 0
        self.patient = np.empty(slots, dtype=np.int64)
        self.age, self.gender, self.weight, self.kind = (
            np.empty(slots, dtype=SMALLEST) for _ in range(4)
        )
        self.state = np.empty(slots, dtype=np.int32)
        self.admit(np.arange(slots))

    def admit(self, slots: IntArray) -> None:
        """Fill slots with new patients."""
        self.patient[slots] = self.admitted + 1 + np.arange(len(slots))
        self.admitted += len(slots)
        age, gender, weight = drawn_patients(self.rng, len(slots))
        self.age[slots], self.gender[slots], self.weight[slots] = age, gender, weight
        self.kind[slots] = classes_of(age, gender, weight)
        self.state[slots] = START


def weeks_of(course: Course, *, size: int, pool: int, rng: np.random.Generator) -> Iterator[Week]:
    """Yield week after week, without end; ``size`` of ``pool`` slots have an exam in each."""
    reached = _cumulated(course.next_value)
    patients = _Pool(pool, rng)
    while True:
        yield _week(course, reached, patients, size)


def _week(course: Course, reached: FloatArray, patients: _Pool, size: int) -> Week:
    """Hold the exams of a week; whoever leaves is replaced before the next."""
    from seriatim.kernels.exams import hold_exams

    pool = len(patients.patient)
    patient = np.empty(size, dtype=np.int64)
    age, gender, weight = (np.empty(size, dtype=SMALLEST) for _ in range(3))
    codes = np.min_scalar_type(-len(course.values))
    value = np.empty(size, dtype=codes)
    slots, values = np.empty(_BLOCK, dtype=np.int32), np.empty(_BLOCK, dtype=codes)
    done = newcomers = 0
    for begin in range(0, pool, _BLOCK):
        block = slice(begin, min(begin + _BLOCK, pool))
        count, first = hold_exams(
            patients.rng.random((block.stop - begin, 2)),
            patients.kind[block],
            reached,
            course.next_state,
            course.step == "week",
            size - done,
            pool - begin,
            patients.state[block],
            slots,
            values,
        )
        here, rows = begin + slots[:count].astype(np.int64), slice(done, done + count)
        patient[rows] = patients.patient[here]
        age[rows], gender[rows] = patients.age[here], patients.gender[here]
        weight[rows], value[rows] = patients.weight[here], values[:count]
        done, newcomers = done + count, newcomers + first
        patients.admit(here[values[:count] >= course.n_stages])
    return Week(patient, age, gender, weight, value, int(newcomers))


def _cumulated(chances: FloatArray) -> FloatArray:
    """Return cumulated chances that reach beyond 1 at the last possible value."""
    reached = np.cumsum(chances, axis=-1)
    last = chances.shape[-1] - 1 - np.argmax(chances[..., ::-1] > 0, axis=-1)
    reached[np.arange(chances.shape[-1]) >= last[..., None]] = 2.0
    return np.ascontiguousarray(reached)
