"""Cut one long table into the views of a study, for ``seriatim reproduce --data``.

    python validation/views_of.py TABLE.csv FOLDER --value state \\
        --numeric age weight height --categorical male

The table has a row per person and period. The folder gets view-01.csv, view-02.csv, … and a
study.toml whose domains are as wide as all views need them.
"""

import argparse
from pathlib import Path

import polars as pl


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--value", required=True)
    parser.add_argument("--person", default="person")
    parser.add_argument("--period", default="period")
    parser.add_argument("--numeric", nargs="*", default=[])
    parser.add_argument("--categorical", nargs="*", default=[])
    asked = parser.parse_args()

    table = pl.read_csv(asked.table)
    asked.folder.mkdir(parents=True, exist_ok=True)
    parts = table.partition_by(asked.period, as_dict=True)
    for number, period in enumerate(sorted(parts), start=1):
        parts[period].drop(asked.period).write_csv(asked.folder / f"view-{number:02}.csv")
    lines = [f'name = "{Path(asked.table).stem}"', "", "[columns]"]
    lines += [f'respondent = "{asked.person}"', ""]
    for name in asked.numeric:
        low, high = table[name].min(), table[name].max()
        lines += [f"[quasi_identifiers.{name}]", 'kind = "numeric"', f"low = {low}"]
        lines += [f"high = {high}", ""]
    for name in asked.categorical:
        lines += [f"[quasi_identifiers.{name}]", 'kind = "categorical"']
        lines += [f"values = {_list(table[name])}", ""]
    lines += ["[sensitive]", f'column = "{asked.value}"', f"values = {_list(table[asked.value])}"]
    lines += ["", "[policy]", "k = 10", "t = 0.5", "j = 0.6", ""]
    (asked.folder / "study.toml").write_text("\n".join(lines), encoding="utf-8")


def _list(column: pl.Series) -> str:
    return str(column.unique().sort().to_list()).replace("'", '"')


if __name__ == "__main__":
    main()
