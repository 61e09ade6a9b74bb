"""Are drawn histories like what comes? Learn from one half of the people, compare with the other.

    python validation/foresight.py [--data FOLDER] [--only NAME …] [--views 5] [--releases 8]

A folder has NAME.csv with a row per person and period, and NAME.json with the ``columns`` person,
period, qi, qi_numeric and sensitive. People are split in two halves. A population is learned from
the first views of one half; what it draws is set beside the same releases of the other half. Both
are published with the same standing cells and attacked by the same reader, whose knowledge is
mined from all views of the first half. *Dealt* draws values from the views alone, *known* from that
knowledge tilted by the views, *plain* from that knowledge by itself and from one roster, as if half
of the people came each time. Told are ratios, drawn to real: 1 is true.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import polars as pl

import seriatim as sr
from seriatim.simulate.population_of_views import learned_population

SERIES = ("nafld_state", "nafld_exres", "srhs_hrs", "diabetes130")
MADE = ("paper-like", "mild", "sharp", "register")


def real_halves(folder: Path, name: str):
    """Return schema, and the tables of two halves of the people."""
    columns = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["columns"]
    person, period, value = (columns[one] for one in ("person", "period", "sensitive"))
    table = pl.read_csv(folder / f"{name}.csv")
    attributes = []
    for one in columns["qi"]:
        if one in columns["qi_numeric"]:
            attributes.append(sr.Numeric(one, table[one].min(), table[one].max()))
        else:
            attributes.append(sr.Categorical(one, tuple(table[one].unique().sort())))
    values = tuple(table[value].unique().sort())
    schema = sr.Schema(person, attributes, sr.Sensitive(value, values))
    periods = sorted(table[period].unique())
    return schema, halves([table.filter(pl.col(period) == one) for one in periods], person)


def made_halves(name: str, releases: int):
    """Return schema, and the tables of two halves of the people of a made series."""
    if name == "register":
        made = sr.register(people=4000, releases=releases, stays=0.98, attendance=0.6)
    else:
        made = sr.hospital(preset=name, views=releases, size=4000, seed=1)
    tables = [pl.from_arrow(one) for one in made.tables]
    return made.schema, halves(tables, made.schema.respondent)


def halves(tables, person: str):
    people = pl.concat([one[person] for one in tables]).unique().sort().to_numpy()
    chosen = np.random.default_rng(0).choice(people, len(people) // 2, replace=False)
    half = pl.col(person).is_in(chosen.tolist())
    return [one.filter(half) for one in tables], [one.filter(~half) for one in tables]


def measured(views) -> dict[str, float]:
    """Return what makes a series leak, of a real one or a drawn one."""
    told = sr.assess(views)
    people = [set(one.respondents.to_pylist()) for one in views]
    late = max(len(views) - 3, 1)
    before = set().union(*people[:late])
    newly = [len(one - before) / len(one) for one in people[late:]]
    further = [len(one & two) / len(one) for one, two in zip(people, people[3:], strict=False)]
    return {
        "come again": told.coming_again,
        "there 3 later": float(np.mean(further)),
        "releases each": told.releases_per_person,
        "new at the end": float(np.mean(newly)),
        "last size": len(views[-1]),
        "memory": told.memory,
        "tie to qi": float(np.mean([tie(one) for one in views])),
        "moving": told.moving,
        "new values": np.mean([np.unique(one.value_codes).size for one in views]),
    }


def tie(view) -> float:
    """Mutual information of value and quasi-identifiers in thirds of each, in bits."""
    cell = np.zeros(len(view), dtype=np.int64)
    for column in view.points.T:
        borders = np.unique(np.quantile(column, (1 / 3, 2 / 3)))
        cell = cell * 3 + np.searchsorted(borders, column)
    _, cell = np.unique(cell, return_inverse=True)
    table = np.zeros((cell.max() + 1, len(view.schema.sensitive.domain)))
    np.add.at(table, (cell, view.value_codes), 1)

    def entropy(counts):
        shares = counts[counts > 0] / counts.sum()
        return float(-(shares * np.log2(shares)).sum())

    free = (len(table) - 1) * ((table.sum(axis=0) > 0).sum() - 1)
    found = entropy(table.sum(axis=0)) + entropy(table.sum(axis=1)) - entropy(table.ravel())
    return max(found - free / (2 * len(view) * np.log(2)), 1e-4)


def attacked(views, cells, reader) -> dict[str, float]:
    """Publish views in standing cells, and return what a reader gains."""
    policy = sr.Policy(sr.KAnonymity(k=10), cells, "merge")
    publisher = sr.Publisher(views[0].schema, policy, sr.Adversary(), seed=1)
    steps = []
    for at, view in enumerate(views, start=1):
        publisher.publish(view, at=at)
        steps.append(publisher.latest)
    found = sr.audit(
        [one.release for one in steps],
        views,
        {"reader": reader},
        memberships=[one.membership for one in steps],
    )
    (row,) = found.series
    penalty = np.mean([sr.global_certainty_penalty(one.release) for one in steps])
    return {
        "gain, greatest": max(one.gain for one in found.rows),
        "bits over counting": row.log_loss_by_frequency - row.log_loss,
        "GCP": float(penalty),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--views", type=int, default=5)
    parser.add_argument("--releases", type=int, default=8)
    parser.add_argument("--size", type=int, default=24)
    parser.add_argument("--steps", type=int, default=1)
    parser.add_argument("--worlds", action="store_true")
    asked = parser.parse_args()
    for name in asked.only or [*(SERIES if asked.data else ()), *MADE]:
        compare(name, asked)


def compare(name: str, asked) -> None:
    learned, total = asked.views, asked.views + asked.releases - 1
    if name in SERIES:
        schema, (own, others) = real_halves(asked.data, name)
    else:
        schema, (own, others) = made_halves(name, total)
    for table in (*own, *others):
        schema = schema.resolve(table)
    own, others = ([sr.View.from_table(one, schema) for one in half] for half in (own, others))
    real = others[learned - 1 : total]
    corpus = mined(own, steps=asked.steps)
    prior = sr.MarginalPrior(
        dict(zip(schema.sensitive.domain, shares(own[0]).tolist(), strict=True))
    )
    knowledge = sr.Adversary(prior, corpus, rule="strongest", filtering="joint")
    reader = sr.Retrospective(knowledge)
    if asked.worlds:
        reader = sr.Worlds(knowledge, approach=100, sweeps=100)
    automaton = corpus.automaton(schema.sensitive.domain)
    half = sr.Attendance(0.5, 0.0)
    ways = {
        "dealt": learned_population(own[:learned]),
        "known": learned_population(own[:learned], prior=prior, automaton=automaton),
        "plain": learned_population(
            [own[learned - 1].roster], prior=prior, automaton=automaton, attendance=half
        ),
    }
    cells = sr.StandingCells(asked.size, "current", "anew")
    truth = measured(real) | attacked(real, cells, reader)
    print(f"== {name}: {len(real)} releases from {len(real[0])} people on")
    print(" " * 9, *(f"{one:>9.9}" for one in truth))
    print(f"{'real':9}", *(f"{one:9.3f}" for one in truth.values()), flush=True)
    for way, population in ways.items():
        begun = time.perf_counter()
        views = population.draw(len(real), np.random.default_rng(1))
        took = time.perf_counter() - begun
        found = measured(views) | attacked(views, cells, reader)
        ratios = (found[one] / truth[one] if truth[one] else np.nan for one in truth)
        print(f"{way:9}", *(f"{one:9.2f}" for one in ratios), f" {took:.2f} s", flush=True)


def mined(views, steps: int):
    tables = []
    for view in views:
        values = np.array(view.schema.sensitive.domain, dtype=object)[view.value_codes]
        tables.append({"who": view.respondents, "value": values.tolist()})
    return sr.mine(tables, steps=steps, respondent="who", value="value")


def shares(view):
    counts = view.value_counts + 1.0
    return counts / counts.sum()


if __name__ == "__main__":
    main()
