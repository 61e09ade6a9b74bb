"""Log-loss of the strongest readers beside counting, on real series and on made ones.

    python validation/strongest_readers.py --data FOLDER [--only nafld_state cells] [--options ...]

A folder has NAME.csv with a row per person and period, and NAME.json with the ``columns`` person,
period, qi, qi_numeric and sensitive. Half of the people of a real series are published, the others
teach readers what follows what (three steps). Of made series, readers know the truth about that.
Published are groups of 10 by Mondrian, and standing cells of 48. *Alone* is the reader of worlds
who knows nothing but the releases.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import polars as pl

import seriatim as sr

SERIES = ("nafld_state", "nafld_exres", "srhs_hrs", "diabetes130")
MADE = ("paper-like", "mild", "sharp", "literature", "register")
PARTITIONERS = {"mondrian": sr.Mondrian(), "cells": sr.StandingCells(48)}


def half_of(folder: Path, name: str):
    """Return schema and tables of half of the people, and what the others teach."""
    columns = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["columns"]
    person, period, value = (columns[one] for one in ("person", "period", "sensitive"))
    table = pl.read_csv(folder / f"{name}.csv")
    people = table[person].unique().sort().to_numpy()
    chosen = np.random.default_rng(0).choice(people, len(people) // 2, replace=False)
    half = pl.col(person).is_in(chosen.tolist())
    corpus, published = table.filter(half), table.filter(~half)
    mined = sr.mine(corpus, steps=3, respondent=person, value=value, at=period)
    prior = sr.MarginalPrior.from_table(corpus.sort(period).group_by(person).first(), value)
    attributes = [
        (sr.Numeric if one in columns["qi_numeric"] else sr.Categorical)(one)
        for one in columns["qi"]
    ]
    schema = sr.Schema(person, attributes, sr.Sensitive(value, tuple(table[value].unique().sort())))
    periods = sorted(published[period].unique())
    return schema, [published.filter(pl.col(period) == one) for one in periods], prior, mined


def made_series(name: str):
    """Return schema and tables of a made series, and what they are drawn from."""
    if name == "register":
        made = sr.register(people=2000, releases=12)
    else:
        made = sr.hospital(preset=name, views=12, size=1500, seed=1)
    return made.schema, made.tables, made.prior, made.sequence


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--k", type=int, default=10)
    asked = parser.parse_args()
    names = [*(SERIES if asked.data else ()), *MADE]
    names = [one for one in names if not asked.only or one in asked.only] or names
    for name in names:
        schema, tables, prior, sequence = (
            half_of(asked.data, name) if name in SERIES else made_series(name)
        )
        for partitioner, how in PARTITIONERS.items():
            if set(asked.only) & set(PARTITIONERS) and partitioner not in asked.only:
                continue
            policy = sr.Policy(sr.KAnonymity(k=asked.k), how, "merge")
            publisher = sr.Publisher(schema, policy, sr.Adversary(), seed=1)
            steps = []
            for at, table in enumerate(tables, start=1):
                publisher.publish(table, at=at)
                steps.append(publisher.latest)
            attack(f"{name}, {partitioner}", steps, prior, sequence)


def attack(title: str, steps, prior, sequence) -> None:
    releases, views, members = (
        [getattr(one, kind) for one in steps] for kind in ("release", "view", "membership")
    )
    sizes = np.concatenate([one.sizes for one in releases])
    tuples = int(sizes.sum())
    print(f"== {title}: {len(releases)} releases, {tuples:,} tuples, mean size {sizes.mean():.0f}")
    knowledge = sr.Adversary(prior, sequence, rule="strongest")
    readers = {
        "retrospective": lambda: sr.Retrospective(knowledge),
        "worlds": lambda: sr.Worlds(knowledge, sweeps=1000),
        "alone": lambda: sr.Worlds(sr.learned_from_releases(releases, members), sweeps=1000),
    }
    for name, reader in readers.items():
        begun = time.perf_counter()
        found = sr.audit(releases, views, {name: reader()}, memberships=members)
        lines = str(found).splitlines()
        if name == "retrospective":
            print(lines[0])
        print(f"{lines[1]}  {time.perf_counter() - begun:.0f} s", *lines[2:], sep="\n", flush=True)


if __name__ == "__main__":
    main()
