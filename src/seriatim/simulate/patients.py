"""Who the made hospital's patients are: their attributes, and the 18 classes they fall into.

Age 45–74 and weight 60–89 in three bands of ten each, and gender: 3 × 2 × 3 classes,
each with its own way of falling ill (the paper's Section VI-A).
"""

from __future__ import annotations

import itertools

import numpy as np

from seriatim._typing import Value
from seriatim.knowledge.classes import Classes
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.numeric import Numeric
from seriatim.microdata.schema import Schema
from seriatim.microdata.sensitive import Sensitive

FIRST_AGE, FIRST_WEIGHT, BAND = 45, 60, 10
"""The youngest, the lightest, and how many years or kilograms a band has."""

BANDS = 3
"""Bands of age, and of weight."""

GENDERS = ("F", "M")

ENDINGS = ("deceased", "discharged")
"""The two values that end a stay; they stand behind all stages."""


def _bands(first: int) -> list[str]:
    return [f"{low}-{low + BAND - 1}" for low in range(first, first + BANDS * BAND, BAND)]


AGES, WEIGHTS = _bands(FIRST_AGE), _bands(FIRST_WEIGHT)

CLASSES = Classes(("age", "gender", "weight"), tuple(itertools.product(AGES, GENDERS, WEIGHTS)))
"""Age slowest, weight fastest."""

CLASS_BANDS = np.array(list(itertools.product(range(BANDS), range(len(GENDERS)), range(BANDS))))
"""Age band, gender and weight band of each class, counted from 0 (classes, 3)."""

SMALLEST = np.int8
"""Ages, weights and genders are small: ten million of them should be ten megabytes."""


def schema_of(values: tuple[Value, ...]) -> Schema:
    """Return the schema of the hospital's tables."""
    ages = (FIRST_AGE, FIRST_AGE + BANDS * BAND - 1)
    weights = (FIRST_WEIGHT, FIRST_WEIGHT + BANDS * BAND - 1)
    return Schema(
        "patient",
        [Numeric("age", *ages), Categorical("gender", GENDERS), Numeric("weight", *weights)],
        Sensitive("exam_result", values),
    )


def drawn_patients(
    rng: np.random.Generator, people: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw age, gender (as a code) and weight of people, each evenly and by itself."""
    return (
        rng.integers(FIRST_AGE, FIRST_AGE + BANDS * BAND, people, dtype=SMALLEST),
        rng.integers(0, len(GENDERS), people, dtype=SMALLEST),
        rng.integers(FIRST_WEIGHT, FIRST_WEIGHT + BANDS * BAND, people, dtype=SMALLEST),
    )


def classes_of(age: np.ndarray, gender: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the class of people.

    >>> classes_of(np.array([45, 74]), np.array([0, 1]), np.array([60, 89])).tolist()
    [0, 17]
    """
    kind = (age - FIRST_AGE) // BAND * len(GENDERS) + gender
    return np.asarray(kind * BANDS + (weight - FIRST_WEIGHT) // BAND)
