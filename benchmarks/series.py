"""A made series in the paper's shape, for the benchmarks.

Values are stages of diseases; a respondent moves to neighbouring stages, by a
3-step automaton whose contexts differ from each other by noise. Half of the
active pool attends each release, and some leave for good.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from seriatim import (
    Adversary,
    Automaton,
    Categorical,
    Material,
    Numeric,
    Policy,
    Publication,
    Schema,
    Sensitive,
    Technique,
)
from seriatim.experiments import publish_series

STAGES = (5, 4, 3, 5, 2)
"""How many stages each disease has."""


@dataclass(frozen=True)
class Series:
    """A made series, and what it was drawn from."""

    schema: Schema
    """Which column plays which part."""

    automaton: Automaton
    """What follows what."""

    views: list[pa.Table]
    """The views, earliest first."""


def schema_of(automaton: Automaton) -> Schema:
    """Return the schema of the made tables, with the values of an automaton."""
    return Schema(
        "patient",
        [Numeric("age", 45, 74), Categorical("gender", ["F", "M"]), Numeric("weight", 60, 89)],
        Sensitive("exam", automaton.values),
    )


def stage_transitions(stay: float, switch: float) -> np.ndarray:
    """One-step transitions between the stages of several diseases."""
    n_values = sum(STAGES)
    table = np.full((n_values, n_values), switch / n_values)
    first = 0
    for stages in STAGES:
        for stage in range(stages):
            here = first + stage
            table[here, here] += stay
            table[here, first + min(stage + 1, stages - 1)] += (1 - stay) / 2
            table[here, first + max(stage - 1, 0)] += (1 - stay) / 2
        first += stages
    return table / table.sum(axis=1, keepdims=True)


def three_step_automaton(
    rng: np.random.Generator, *, stay: float, switch: float, noise: float, steps: int = 3
) -> Automaton:
    """Contexts of up to three values, each with its own noisy distribution."""
    base = stage_transitions(stay, switch)
    n_values = len(base)
    contexts = [
        context
        for length in range(steps + 1)
        for context in itertools.product(range(n_values), repeat=length)
    ]
    number = {context: state for state, context in enumerate(contexts)}
    next_state = [[number[(*c, v)[-steps:]] for v in range(n_values)] for c in contexts]
    rows = np.array([base[c[-1]] if c else np.full(n_values, 1 / n_values) for c in contexts])
    rows = rows * rng.lognormal(0.0, noise, rows.shape)
    values = tuple(f"value-{code:02d}" for code in range(n_values))
    return Automaton(values, rows / rows.sum(axis=1, keepdims=True), np.array(next_state))


def make_series(
    *,
    seed: int,
    views: int,
    size: int,
    stay: float = 0.5,
    switch: float = 0.3,
    noise: float = 0.4,
    leave: float = 0.05,
) -> Series:
    """Draw a whole series of views of one size."""
    rng = np.random.default_rng(seed)
    automaton = three_step_automaton(rng, stay=stay, switch=switch, noise=noise)
    pool = 2 * size
    ids = np.arange(pool)
    next_id = pool
    age, gender = rng.integers(45, 75, pool), rng.integers(0, 2, pool)
    weight = rng.integers(60, 90, pool)
    state = np.zeros(pool, dtype=np.int64)
    tables = []
    for _ in range(views):
        rows = automaton.next_value[0][state]
        value = (rows.cumsum(axis=1) < rng.random(pool)[:, None]).sum(axis=1)
        value = np.minimum(value, rows.shape[1] - 1)
        state = automaton.next_state[state, value].astype(np.int64)
        here = rng.choice(pool, size, replace=False)
        tables.append(
            pa.table(
                {
                    "patient": ids[here],
                    "age": age[here],
                    "gender": np.array(["F", "M"])[gender[here]],
                    "weight": weight[here],
                    "exam": np.array(automaton.values)[value[here]],
                }
            )
        )
        gone = rng.random(pool) < leave
        count = int(gone.sum())
        ids[gone] = next_id + np.arange(count)
        next_id += count
        state[gone] = 0
        age[gone], weight[gone] = rng.integers(45, 75, count), rng.integers(60, 90, count)
    return Series(schema_of(automaton), automaton, tables)


def published(series: Series, policy: Policy) -> tuple[Publication, ...]:
    """Publish a series in memory, against a reader who knows nothing."""
    material = Material(series.views, series.schema)
    return publish_series(Technique("", policy), material, Adversary()).publications
