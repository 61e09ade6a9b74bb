"""A made series of any size in files: views as CSV, knowledge and a study, for the benchmarks.

    python benchmarks/large_series.py FOLDER --tuples 1000000

The same shape as ``series.py`` (stages of diseases, half of the pool attends, some leave for
good), drawn in pieces, so that ten million tuples fit in memory. With more values than 19,
stages repeat: as many diseases of five stages as are needed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

import seriatim as sr

_PIECE = 500_000
_LEAVE = 0.05

STUDY = """\
name = "benchmark"

[columns]
respondent = "patient"

[quasi_identifiers.age]
kind = "numeric"
low = 45
high = 74

[quasi_identifiers.gender]
kind = "categorical"
values = ["F", "M"]

[quasi_identifiers.weight]
kind = "numeric"
low = 60
high = 89

[sensitive]
column = "exam"
values = {values}

[policy]
k = 10
t = {t}
j = {j}
partitioner = "{partitioner}"
{cells}
[reader]
sequence = "knowledge.csv"
rule = "{rule}"
filtering = "{filtering}"

[output]
files = ["csv"]
"""


def contexts_automaton(rng: np.random.Generator, n_values: int, steps: int) -> sr.Automaton:
    """Knowledge of what follows the last one or two values: stay, or go to a neighbouring stage."""
    base = np.full((n_values, n_values), 0.3 / n_values)
    stage = np.arange(n_values)
    first = stage - stage % 5
    last = np.minimum(first + 4, n_values - 1)
    base[stage, stage] += 0.5
    np.add.at(base, (stage, np.minimum(stage + 1, last)), 0.1)
    np.add.at(base, (stage, np.maximum(stage - 1, first)), 0.1)
    rows = [np.full((1, n_values), 1.0 / n_values), base]
    next_state = [1 + stage[None], 1 + np.tile(stage, (n_values, 1))]
    if steps == 2:
        rows.append(np.tile(base, (n_values, 1)) * rng.lognormal(0, 0.4, (n_values**2, n_values)))
        after = 1 + n_values + stage[:, None] * n_values + stage[None]
        next_state = [next_state[0], after, np.tile(after, (n_values, 1))]
    table = np.concatenate(rows)
    values = tuple(f"value-{code:04d}" for code in range(n_values))
    return sr.Automaton(
        values, table / table.sum(axis=1, keepdims=True), np.concatenate(next_state)
    )


def drawn_views(
    automaton: sr.Automaton, *, tuples: int, releases: int, rng: np.random.Generator
) -> Iterator[pa.Table]:
    """Draw one view after the other."""
    pool = 2 * tuples
    ids, next_id = np.arange(pool), pool
    age = rng.integers(45, 75, pool).astype(np.int16)
    weight = rng.integers(60, 90, pool).astype(np.int16)
    gender = rng.integers(0, 2, pool).astype(np.int8)
    state = np.zeros(pool, dtype=np.int32)
    sums = automaton.next_value[0].cumsum(axis=1)
    most = sums.shape[1] - 1
    values, letters = pa.array(automaton.values), pa.array(["F", "M"])
    for _ in range(releases):
        value = np.empty(pool, dtype=np.int32)
        # All rows of the table behind each other, each in its own unit of length.
        edges = (sums + 2.0 * np.arange(len(sums))[:, None]).ravel()
        for begin in range(0, pool, _PIECE):
            here = slice(begin, min(begin + _PIECE, pool))
            marks = rng.random(here.stop - begin) + 2.0 * state[here]
            found = np.searchsorted(edges, marks, side="right") - state[here] * (most + 1)
            value[here] = np.clip(found, 0, most)
        state = automaton.next_state[state, value].astype(np.int32)
        here = rng.permutation(pool)[:tuples]
        yield pa.table(
            {
                "patient": ids[here],
                "age": age[here],
                "gender": letters.take(pa.array(gender[here])),
                "weight": weight[here],
                "exam": values.take(pa.array(value[here])),
            }
        )
        gone = np.flatnonzero(rng.random(pool) < _LEAVE)
        ids[gone] = next_id + np.arange(len(gone))
        next_id += len(gone)
        state[gone] = 0


def write_series(  # noqa: PLR0913 - as many as a study has
    folder: Path,
    *,
    tuples: int,
    releases: int = 5,
    n_values: int = 19,
    steps: int = 2,
    partitioner: str = "hilbert-greedy",
    t: float = 0.5,
    j: float = 0.6,
    rule: str = "omega",
    filtering: str = "marginal",
    seed: int = 1,
) -> list[Path]:
    """Write a series into a folder, unless it is there; return the paths of its views.

    The study is written anew each time, and what was published of it is removed by whoever
    measures.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    automaton = contexts_automaton(rng, n_values, steps)
    names = str(list(automaton.values)).replace("'", '"')
    cells = "cell_size = 20\n" if partitioner == "standing-cells" else ""
    text = STUDY.format(
        values=names,
        t=t,
        j=j,
        partitioner=partitioner,
        cells=cells,
        rule=rule,
        filtering=filtering,
    )
    (folder / "study.toml").write_text(text, encoding="utf-8")
    paths = [folder / f"view-{number}.csv" for number in range(1, releases + 1)]
    if not all(path.exists() for path in paths):
        sr.write_knowledge(automaton, folder / "knowledge.csv")
        views = drawn_views(automaton, tuples=tuples, releases=releases, rng=rng)
        options = pyarrow.csv.WriteOptions(quoting_style="none")
        for path, view in zip(paths, views, strict=True):
            pyarrow.csv.write_csv(view, path, options)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tuples", type=int, default=100_000)
    parser.add_argument("--releases", type=int, default=5)
    parser.add_argument("--values", type=int, default=19)
    parser.add_argument("--steps", type=int, choices=(1, 2), default=2)
    given = parser.parse_args()
    write_series(
        given.folder,
        tuples=given.tuples,
        releases=given.releases,
        n_values=given.values,
        steps=given.steps,
    )


if __name__ == "__main__":
    main()
