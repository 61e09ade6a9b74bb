"""What the same people's tables are good for: detail lost, query error, what can be learned.

    python validation/utility.py --size 5000 --seeds 1 2 3

One view of a made register, a made hospital, and made patients whose diagnosis depends on
their age, sex, district and job, each published by Mondrian with k = 10 and in standing cells, as
generalized tables and as buckets of the same groups. The register's diagnoses depend on no
quasi-identifier, so nothing can be learned there.
"""

import argparse
from collections.abc import Iterator

import numpy as np

import seriatim as sr
from seriatim._typing import Table

DIAGNOSES = tuple("abcdefgh")
JOBS = tuple("uvwxyz")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=5000)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    asked = parser.parse_args()
    print(f"{asked.size} people, means over seeds {asked.seeds}")
    print(f"{'made':10} {'groups':14} {'form':12} size    GCP  query error  learnable")
    names = ("register", "hospital", "patients")
    for name in names:
        for groups, partitioner in (("Mondrian k=10", sr.Mondrian()), ("cells of 20", None)):
            for form in ("generalized", "buckets"):
                found = [
                    figures(
                        *made(name, asked.size, seed), partitioner or sr.StandingCells(20), form
                    )
                    for seed in asked.seeds
                ]
                print(f"{name:10} {groups:14} {form:12} {' '.join(told(found))}", flush=True)


def figures(
    schema: sr.Schema, table: Table, partitioner: object, form: str
) -> tuple[float, float, float, float]:
    """Return mean size of groups, GCP, query error, and what can be learned."""
    policy = sr.Policy(sr.KAnonymity(k=10), partitioner, remainder="merge", form=form)
    publisher = sr.Publisher(schema, policy, sr.Adversary(), seed=1)
    release = publisher.publish(table, at=1)
    latest = publisher.latest
    learned = sr.learnability(release, latest.view, latest.membership)
    share = np.nan if learned is None or learned.share is None else learned.share
    error = sr.median_query_error(release, latest.view)
    return len(release) / release.n_groups, sr.global_certainty_penalty(release), error, share


def told(found: list[tuple[float, float, float, float]]) -> Iterator[str]:
    size, lost, error, _ = np.mean(found, axis=0)
    shares = [share for *_, share in found if not np.isnan(share)]
    yield f"{size:4.1f} {lost:6.3f} {error:12.1%}"
    yield f"{np.mean(shares):10.0%}" if shares else f"{'-':>10}"


def made(name: str, size: int, seed: int) -> tuple[sr.Schema, Table]:
    if name == "register":
        register = sr.register(people=size, releases=1, seed=seed)
        return register.schema, register.tables[0]
    if name == "hospital":
        hospital = sr.hospital(views=1, size=size, seed=seed)
        return hospital.schema, hospital.tables[0]
    return patients(size, seed)


def patients(size: int, seed: int) -> tuple[sr.Schema, Table]:
    """Make people whose diagnosis has odds that rise or fall with each quasi-identifier."""
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(18, 95, size), rng.integers(0, 2, size)
    district, job = rng.integers(100, 140, size), rng.integers(0, len(JOBS), size)
    places = np.column_stack([(age - 56) / 22, sex * 2 - 1, (district - 120) / 12, (job - 2.5) / 2])
    slopes = np.random.default_rng(0).normal(scale=0.5, size=(len(DIAGNOSES), 4))
    odds = np.exp(places @ slopes.T + np.linspace(1, -1, len(DIAGNOSES)))
    chances = (odds / odds.sum(axis=1, keepdims=True)).cumsum(axis=1)
    diagnosis = (chances > rng.random((size, 1))).argmax(axis=1)
    schema = sr.Schema(
        "person",
        [
            sr.Numeric("age", 18, 94),
            sr.Categorical("sex", ["F", "M"]),
            sr.Hierarchical(
                "district", mask="prefix", values=[str(one) for one in range(100, 140)]
            ),
            sr.Categorical("job", JOBS),
        ],
        sr.Sensitive("diagnosis", DIAGNOSES),
    )
    return schema, {
        "person": np.arange(size),
        "age": age,
        "sex": np.array(["F", "M"])[sex],
        "district": district.astype(str),
        "job": np.array(JOBS)[job],
        "diagnosis": np.array(DIAGNOSES)[diagnosis],
    }


if __name__ == "__main__":
    main()
