"""How long 10,000 range-count queries take on a release of 5,000 tuples, after compiling."""

from time import perf_counter

import numpy as np

import seriatim as sr

TUPLES, QUERIES, K = 5_000, 10_000, 10
SCHEMA = sr.Schema(
    "id",
    [
        sr.Numeric("age"),
        sr.Categorical("sex"),
        sr.Hierarchical("zip", mask="prefix"),
        sr.Numeric("weight"),
    ],
    sr.Sensitive("exam"),
)


def table(rng):
    return {
        "id": np.arange(TUPLES),
        "age": rng.integers(18, 95, TUPLES),
        "sex": rng.choice(["F", "M"], TUPLES),
        "zip": rng.integers(10_000, 10_300, TUPLES).astype(str),
        "weight": rng.normal(70, 10, TUPLES),
        "exam": rng.choice(list("abcdefghijklmnopqrs"), TUPLES),
    }


def main():
    policy = sr.Policy(sr.KAnonymity(k=K))
    publisher = sr.Publisher(SCHEMA, policy, sr.Adversary(), seed=1)
    release = publisher.publish(table(np.random.default_rng(0)), at=1)
    view = publisher.latest.view
    sr.median_query_error(release, view, queries=10)  # compiles
    for selectivity in (0.01, 0.05, 0.1):
        start = perf_counter()
        found = sr.query_errors(release, view, selectivity=selectivity, queries=QUERIES)
        seconds = perf_counter() - start
        print(f"{release.n_groups} groups, selectivity {selectivity}: {seconds:.2f} s, {found}")


if __name__ == "__main__":
    main()
