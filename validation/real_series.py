"""Attack a real series: half of the people are published, the others are the reader's corpus.

    python validation/real_series.py TABLE.csv --value state --k 10 \\
        --numeric age weight height --categorical male

The table has a row per person and period. Releases are k-anonymous groups along the
Hilbert curve, ``--partitioner mondrian`` or ``cells`` (standing, of ``--cell`` people); knowledge
is mined with three steps of memory. ``--passes 0 1 2 3`` sends retrospective readers who make
so many passes, and nobody else.
"""

import argparse
import time
from dataclasses import replace

import numpy as np
import polars as pl

import seriatim as sr


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("--value", required=True)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--person", default="person")
    parser.add_argument("--period", default="period")
    parser.add_argument("--numeric", nargs="*", default=[])
    parser.add_argument("--categorical", nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--partitioner", choices=["scan", "mondrian", "cells"], default="scan")
    parser.add_argument("--cell", type=int, default=48)
    parser.add_argument("--passes", nargs="*", type=int, default=[])
    asked = parser.parse_args()

    table = pl.read_csv(asked.table)
    people = table[asked.person].unique().sort().to_numpy()
    rng = np.random.default_rng(asked.seed)
    half = pl.col(asked.person).is_in(rng.choice(people, len(people) // 2, replace=False).tolist())
    corpus, published = table.filter(half), table.filter(~half)
    mined = sr.mine(corpus, steps=3, respondent=asked.person, value=asked.value, at=asked.period)
    first = corpus.sort(asked.period).group_by(asked.person).first()
    prior = sr.MarginalPrior.from_table(first, asked.value)
    attributes = [sr.Numeric(name) for name in asked.numeric]
    attributes += [sr.Categorical(name) for name in asked.categorical]
    values = tuple(table[asked.value].unique().sort())
    schema = sr.Schema(asked.person, attributes, sr.Sensitive(asked.value, values))
    partitioners = {"mondrian": sr.Mondrian(), "cells": sr.StandingCells(asked.cell)}
    policy = sr.Policy(sr.KAnonymity(k=asked.k))
    if asked.partitioner in partitioners:
        policy = replace(policy, partitioner=partitioners[asked.partitioner])
    publisher = sr.Publisher(schema, policy, sr.Adversary(), seed=1)
    made = []
    for period in sorted(published[asked.period].unique()):
        publisher.publish(published.filter(pl.col(asked.period) == period), at=period)
        made.append(publisher.latest)

    strong = {"prior": prior, "sequence": mined, "rule": "strongest"}
    readers = {
        "snapshot": sr.Adversary(prior=prior),
        "paper": sr.Adversary(prior=prior, sequence=mined),
        "joint": sr.Adversary(**strong, filtering="joint"),
        "retrospective": sr.Retrospective(sr.Adversary(**strong)),
    }
    if asked.passes:
        readers = {
            f"retrospective, passes={passes}": sr.Retrospective(sr.Adversary(**strong), passes)
            for passes in asked.passes
        }
    begin = time.perf_counter()
    findings = sr.audit(
        [one.release for one in made],
        [one.view for one in made],
        readers,
        memberships=[one.membership for one in made],
    )
    tuples = sum(len(one.release) for one in made)
    print(
        f"{len(made)} releases, {tuples:,} tuples, audited in {time.perf_counter() - begin:.1f} s"
    )
    print(findings)
    counted = findings.series[0].log_loss_by_frequency
    print(f"log-loss of counting: {counted:.2f} bit")


if __name__ == "__main__":
    main()
