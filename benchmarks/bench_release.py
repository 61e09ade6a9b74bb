"""One release in steady state: how long it takes, and how much faster than the oracle loop.

    python benchmarks/bench_release.py [--json]

Steady state: kernels compiled, the tenth release of a series of 5,000 tuples, 19
values, 3 quasi-identifiers and 3-step knowledge; table in, release out. The paper
reports minutes to 43 minutes for such a view (2.4 GHz, 2010). The oracle enumerates
every sequence of past values, so it is run on a small series, and so are we.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from series import make_series

import seriatim as sr
from seriatim._version import __version__

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import oracles

POLICY = {"k": 10, "t": 0.5, "j": 0.6}
WARM_RELEASES = 9
REPEATS = 7


def steady_state(series) -> dict:
    """Time the tenth release of a series, several times from the same state."""
    adversary = sr.Adversary(sequence=series.automaton)
    publisher = sr.Publisher(series.schema, sr.js_reduce(**POLICY), adversary, seed=1)
    for at, view in enumerate(series.views[:WARM_RELEASES]):
        publisher.publish(view, at=at)
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        publication = publisher.preview(series.views[WARM_RELEASES], at=WARM_RELEASES)
        times.append(time.perf_counter() - begin)
    begin = time.perf_counter()
    publisher.publish(series.views[WARM_RELEASES], at=WARM_RELEASES)
    with_commit = time.perf_counter() - begin
    return {
        "tuples": len(publication.view),
        "groups": publication.release.n_groups,
        "suppressed": publication.suppressed,
        "median_ms": 1000 * statistics.median(times),
        "fastest_ms": 1000 * min(times),
        "publish_with_commit_ms": 1000 * with_commit,
    }


def along_the_history(series) -> dict:
    """Time every release of a long series: the cost must not grow with the history."""
    adversary = sr.Adversary(sequence=series.automaton)
    publisher = sr.Publisher(series.schema, sr.js_reduce(**POLICY), adversary, seed=1)
    times = []
    for at, view in enumerate(series.views):
        begin = time.perf_counter()
        publisher.publish(view, at=at)
        times.append(time.perf_counter() - begin)
    half = len(times) // 2
    early, late = statistics.median(times[8:half]), statistics.median(times[half:])
    return {"releases": len(times), "late_over_early": late / early}


def against_oracle(*, views: int = 5, size: int = 100, n_values: int = 19) -> dict:
    """Run the same small series through the oracle loop and through the package."""
    rng = np.random.default_rng(5)
    values = tuple(range(n_values))
    next_state = [
        [n_values * (state % n_values) + value for value in values] for state in range(n_values**2)
    ]
    rows = rng.dirichlet(np.ones(n_values), n_values**2)
    automaton = sr.Automaton(values, rows, np.array(next_state))
    points = [rng.choice(32**3, size, replace=False) for _ in range(views)]
    tables = [
        [
            (who, (int(place) // 1024, int(place) // 32 % 32, int(place) % 32), int(value))
            for who, place, value in zip(
                range(size), where, rng.integers(0, n_values, size), strict=True
            )
        ]
        for where in points
    ]
    begin = time.perf_counter()
    readings = oracles.js_reduce_series(
        tables,
        lambda _: [1.0 / n_values] * n_values,
        oracles.Knowledge(rows.tolist(), next_state),
        k=4,
        t=0.6,
        j=1.0,
        bits=5,
    )
    slow = time.perf_counter() - begin
    schema = sr.Schema("who", [sr.Numeric(a, 0, 31) for a in "xyz"], sr.Sensitive("value", values))
    columns = [
        {
            "who": [row[0] for row in table],
            **{axis: [row[1][place] for row in table] for place, axis in enumerate("xyz")},
            "value": [row[2] for row in table],
        }
        for table in tables
    ]
    times = []
    for _ in range(REPEATS):
        adversary = sr.Adversary(sequence=automaton)
        publisher = sr.Publisher(schema, sr.js_reduce(k=4, t=0.6, j=1.0), adversary, seed=1)
        begin = time.perf_counter()
        for at, table in enumerate(columns):
            publisher.publish(table, at=at)
        times.append(time.perf_counter() - begin)
    ours = publisher.latest.posterior.probabilities
    theirs = np.array([readings[-1].posterior[who] for who in range(size)])
    fast = statistics.median(times)
    return {
        "series": f"{views} releases of {size} tuples, {n_values} values, 2-step knowledge",
        "largest_difference": float(np.abs(ours - theirs).max()),
        "oracle_ms": 1000 * slow,
        "seriatim_ms": 1000 * fast,
        "times_faster": slow / fast,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    series = make_series(seed=1, views=40, size=5000)
    figures = {
        "seriatim": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "steady_state": steady_state(series),
        "history": along_the_history(series),
        "oracle": against_oracle(),
    }
    if arguments.json:
        print(json.dumps(figures, indent=2))
        return
    steady, history, oracle = figures["steady_state"], figures["history"], figures["oracle"]
    print(f"{figures['machine']}, Python {figures['python']}, seriatim {figures['seriatim']}")
    print(
        f"10th release of {steady['tuples']:,} tuples ({steady['groups']} groups,"
        f" {steady['suppressed']} suppressed): median {steady['median_ms']:.0f} ms,"
        f" fastest {steady['fastest_ms']:.0f} ms; one publish with commit"
        f" {steady['publish_with_commit_ms']:.0f} ms"
    )
    print(
        f"{history['releases']} releases: the late half takes"
        f" {history['late_over_early']:.2f} × the early half"
    )
    print(
        f"{oracle['series']}: oracle {oracle['oracle_ms']:,.0f} ms, seriatim"
        f" {oracle['seriatim_ms']:.1f} ms, {oracle['times_faster']:,.0f} × faster"
        f" (posteriors differ by at most {oracle['largest_difference']:.1e})"
    )
    if oracle["largest_difference"] > 1e-9:
        raise SystemExit("The oracle finds other posteriors: the comparison means nothing.")


if __name__ == "__main__":
    main()
