"""Random cases for the checks, and what a check raises."""

from __future__ import annotations

from typing import Any

import numpy as np

from seriatim._typing import FloatArray, Value
from seriatim.knowledge.belief import Belief
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.numeric import Numeric
from seriatim.microdata.schema import Schema
from seriatim.microdata.sensitive import Sensitive
from seriatim.microdata.view import View

ROUNDING = 1e-9
"""Two ways to compute the same figure may differ by this much."""


class BrokenLawError(AssertionError):
    """A part breaks a law that others rely on."""


def require(kept: bool, law: str, case: object = "") -> None:
    """Raise BrokenLawError unless a law is kept."""
    if not kept:
        message = f"{law}\nCase: {case}" if str(case) else law
        raise BrokenLawError(message)


def random_beliefs(rng: np.random.Generator, rows: int, n_values: int) -> FloatArray:
    """Draw beliefs, some sharp, some flat, some with impossible values."""
    beliefs = rng.dirichlet(np.full(n_values, rng.choice([0.1, 1.0, 10.0])), rows)
    if n_values > 1 and rng.random() < 0.3:
        beliefs[:, rng.integers(n_values)] = 0.0
        beliefs[beliefs.sum(axis=1) == 0] = 1.0
        beliefs /= beliefs.sum(axis=1, keepdims=True)
    return np.asarray(beliefs)


def random_table(
    rng: np.random.Generator, rows: int, values: tuple[Value, ...]
) -> dict[str, list[Any]]:
    """Draw a table of respondents with two quasi-identifiers and a sensitive value."""
    return {
        "who": rng.choice(10 * rows, rows, replace=False).tolist(),
        "age": rng.integers(18, 90, rows).tolist(),
        "sex": rng.choice(["F", "M"], rows).tolist(),
        "value": [values[code] for code in rng.integers(0, len(values), rows)],
    }


def shuffled(rng: np.random.Generator, table: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return the rows of a table in another order."""
    order = rng.permutation(len(table["who"]))
    return {name: [column[row] for row in order] for name, column in table.items()}


def schema_over(values: tuple[Value, ...]) -> Schema:
    """Return the schema of the random tables."""
    return Schema(
        "who", (Numeric("age", 18, 90), Categorical("sex", ("F", "M"))), Sensitive("value", values)
    )


def random_view(
    rng: np.random.Generator, rows: int, values: tuple[Value, ...]
) -> tuple[View, Belief]:
    """Draw a view, and what a reader expects of it."""
    view = View.from_table(random_table(rng, rows, values), schema_over(values))
    return view, Belief(random_beliefs(rng, rows, len(values)), values)
