"""Attack a real series: half of the people are published, the others are the reader's corpus.

    python validation/real_series.py TABLE.csv --value state --k 10 \\
        --numeric age weight height --categorical male

The table has a row per person and period. Releases are k-anonymous groups along the
Hilbert curve; knowledge is mined with three steps of memory.
"""

import argparse
import time

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
    publisher = sr.Publisher(schema, sr.Policy(sr.KAnonymity(k=asked.k)), sr.Adversary(), seed=1)
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
    for name in readers:
        named, right = sureness(findings, name)
        rows = findings.of(name)
        weights = [row.tuples for row in rows]
        gain = np.average([row.gain for row in rows], weights=weights)
        loss = np.average([row.log_loss for row in rows], weights=weights)
        counted = np.average([row.log_loss_by_frequency for row in rows], weights=weights)
        print(
            f"{name:14} gain {gain:6.3f}   log-loss {loss:.2f} bit (counting {counted:.2f})"
            f"   named above .9: {named:.1%}, right {right:.0%}"
        )


def sureness(findings: sr.Findings, reader: str) -> tuple[float, float]:
    """Share of tuples for which some value is believed above 0.9, and how often rightly."""
    sure, right = [], []
    for belief, view, membership in zip(
        findings.beliefs[reader], findings.views, findings.memberships, strict=True
    ):
        rows = belief.probabilities[membership.published]
        sure.append(rows.max(axis=1) > 0.9)
        right.append(rows.argmax(axis=1) == view.value_codes[membership.published])
    is_sure = np.concatenate(sure)
    return float(is_sure.mean()), float(np.concatenate(right)[is_sure].mean())


if __name__ == "__main__":
    main()
