"""Write the sample files of tests/data/foreign; every person in them is invented.

Run `PYTHONHASHSEED=0 python validation/make_foreign.py` with the packages their README.md names.
"""

import random
from collections import Counter
from itertools import product
from pathlib import Path

import anonypy
import anonypyx
import pandas as pd
from anjana.anonymity import k_anonymity
from anjana.anonymity.utils import generate_intervals

HERE = Path(__file__).parents[1] / "tests" / "data" / "foreign"
KEYS = ["age", "gender", "zip"]
ZIPS = ["38121", "38122", "38124", "38130", "38131", "38201", "38205", "38210"]
EXAMS = ["neg", "neg", "neg", "pos", "unclear"]
WIDTHS = ((1, 10), (2, 20), (3, 60))
K = 3


def people():
    """Yield one table per week: mostly the same people, some absent, values that change."""
    rng = random.Random(20240501)
    rows = [
        [i, rng.randint(20, 79), rng.choice("FM"), rng.choice(ZIPS), rng.choice(EXAMS)]
        for i in range(1, 41)
    ]
    for _ in range(3):
        here = sorted(rng.sample(rows, rng.randint(33, 38)))
        yield pd.DataFrame(here, columns=["id", *KEYS, "exam"])
        for row in rows:
            row[1] = min(79, row[1] + (rng.random() < 0.05))
            row[3] = rng.choice(ZIPS) if rng.random() < 0.1 else row[3]
            row[4] = rng.choice(EXAMS) if rng.random() < 0.3 else row[4]


def anonypyx_tables(table):
    """Return AnonyPyx's output by file name: two algorithms, three ways of generalizing."""
    table = table.drop(columns="id").astype({"gender": "category", "zip": "category"})
    made = {}
    for name, keys, algorithm, strategy in [
        ("anonypyx", KEYS, "Mondrian", "human-readable"),
        ("anonypyx_mdav", KEYS, "MDAV-generic", "human-readable"),
        ("anonypyx_machine", KEYS, "Mondrian", "machine-readable"),
        ("anonypyx_micro", ["age"], "MDAV-generic", "microaggregation"),
    ]:
        made[name] = anonypyx.Anonymiser(
            table if len(keys) > 1 else table[["age", "exam"]],
            k=K,
            feature_columns=keys,
            sensitive_column="exam",
            algorithm=algorithm,
            generalisation_strategy=strategy,
        ).anonymise()
    return made


def anonypy_table(table):
    """Return AnonyPy's rows as the data frame its README makes of them."""
    table = table.drop(columns="id").astype({"gender": "category", "zip": "category"})
    return pd.DataFrame(anonypy.Preserver(table, KEYS, "exam").anonymize_k_anonymity(k=K))


def anjana_table(table):
    """Return anjana's k-anonymous table, with record suppression of at most 40 percent."""
    ages, genders, zips = (table[key].to_numpy() for key in KEYS)
    masks = {i: [z[: 5 - i] + "*" * i for z in zips] for i in range(1, 6)}
    hierarchies = {
        "age": {0: ages, **{i: generate_intervals(ages, 20, 80, w) for i, w in WIDTHS}},
        "gender": {0: genders, 1: ["*"] * len(table)},
        "zip": {0: zips, **masks},
    }
    return k_anonymity(table, ["id"], KEYS, K, 40, hierarchies)


def arx_hierarchies():
    """Return the rows of the hierarchies as ARX's builders write them, the leaf first."""

    def interval(age, width):
        low = 30 + (age - 30) // width * width
        return "<30" if age < 30 else ">=70" if age >= 70 else f"[{low}, {low + width}["

    return {
        "age": [[str(a), interval(a, 10), interval(a, 20), "*"] for a in range(20, 80)],
        "gender": [["F", "{F, M}"], ["M", "{F, M}"]],
        "zip": [[z[: 5 - i] + "*" * i for i in range(6)] for z in ZIPS],
    }


def arx_table(table):
    """Return a table in ARX's form: the least generalization that suppresses at most 20 percent."""
    maps = [{row[0]: row for row in arx_hierarchies()[key]} for key in KEYS]
    for levels in sorted(product((1, 2), (0, 1), range(6)), key=lambda v: (sum(v), v)):
        made = [
            tuple(m[str(cell)][level] for m, cell, level in zip(maps, row, levels, strict=True))
            for row in table[KEYS].to_numpy()
        ]
        size = Counter(made)
        kept = [cells if size[cells] >= K else ("*",) * 3 for cells in made]
        if kept.count(("*",) * 3) <= 0.2 * len(kept):
            break
    return [["*", *cells, exam] for cells, exam in zip(kept, table["exam"], strict=True)]


def sdcmicro_table(table):
    """Return a table in sdcMicro's form: cut() labels, joined levels, suppressed cells as None."""
    groups = {z: "_".join(y for y in ZIPS if y[:3] == z[:3]) for z in ZIPS}
    bands = [19 + (age - 20) // 20 * 20 for age in table["age"]]
    cells = zip(bands, table["gender"], table["zip"], strict=True)
    rows = [[f"({low},{low + 20}]", gender, groups[code]] for low, gender, code in cells]

    def alike(row):
        return sum(all(None in {a, b} or a == b for a, b in zip(row, r, strict=True)) for r in rows)

    for column in (2, 1, 0):
        for row in rows:
            row[column] = None if alike(row) < K else row[column]
    return [[*cells, exam] for cells, exam in zip(rows, table["exam"], strict=True)]


def write(path, rows, delimiter, quoted):
    """Write rows as ARX does, or as R's write.table does: text quoted, NA bare."""
    form = '"{}"' if quoted else "{}"
    lines = [delimiter.join("NA" if c is None else form.format(c) for c in row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    """Write every file of this folder but the README."""
    for week, table in enumerate(people(), 1):
        made = {"original": table, **anonypyx_tables(table)}
        made |= {"anonypy": anonypy_table(table), "anjana": anjana_table(table)}
        for name, frame in made.items():
            frame.to_csv(HERE / f"{name}_{week}.csv", index=False)
        write(HERE / f"arx_{week}.csv", [["id", *KEYS, "exam"], *arx_table(table)], ";", False)
        rows, head = sdcmicro_table(table), [*KEYS, "exam"]
        numbered = [[i, *row] for i, row in enumerate(rows, 1)]
        write(HERE / f"sdcmicro_{week}.csv", [head, *rows], ",", True)
        write(HERE / f"sdcmicro_gui_{week}.csv", [head, *numbered], ";", True)
    for key, rows in arx_hierarchies().items():
        write(HERE / f"arx_hierarchy_{key}.csv", rows, ";", False)


if __name__ == "__main__":
    main()
