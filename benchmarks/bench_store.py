"""A store of a million people: load and save what is remembered of a view of 100,000.

    python benchmarks/bench_store.py [--people 1000000] [--view 100000]

Target: load and save together under 3 s.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from series import three_step_automaton
from store_files import store_bytes

from seriatim.inference.pasts import Pasts
from seriatim.inference.revision import push
from seriatim.publish.duckdb_store import DuckDBStore
from seriatim.publish.seal import Key, seal, unseal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--view", type=int, default=100_000)
    asked = parser.parse_args()
    rng = np.random.default_rng(0)
    automaton = three_step_automaton(rng, stay=0.5, switch=0.3, noise=0.4, steps=2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.store"
        with DuckDBStore(path) as store:
            begin = time.perf_counter()
            for first in range(0, asked.people, asked.view):
                pasts = drawn_pasts(rng, automaton, asked.view)
                store.memory.keep(pa.array(np.arange(first, first + asked.view)), pasts)
            print(f"{asked.people:,} people written in {time.perf_counter() - begin:.1f} s")
        weights = len(pasts.weights) / len(pasts)
        print(f"{store_bytes(path) / asked.people:.0f} bytes a person, {weights:.0f} weights each")
        totals = []
        for turn in range(5):
            everyone = rng.choice(asked.people, asked.view, replace=False)
            people = pa.array(np.sort(everyone))
            begin = time.perf_counter()
            with DuckDBStore(path) as store:
                known, found = store.memory.recall(people)
                loaded = time.perf_counter()
                store.memory.keep(people, pasts)
            saved = time.perf_counter()
            assert found is not None
            assert known.all()
            totals.append(saved - begin)
            print(
                f"turn {turn + 1}: opened and loaded {loaded - begin:.2f} s, saved and closed"
                f" {saved - loaded:.2f} s, file {store_bytes(path) / 2**20:.0f} MiB"
            )
        print(f"load + save, median: {np.median(totals):.2f} s")
        key = Key(b"a passphrase for a benchmark", "benchmark")
        begin = time.perf_counter()
        seal(path, path.with_suffix(".sealed"), key)
        sealed = time.perf_counter()
        unseal(path.with_suffix(".sealed"), path.with_suffix(".plain"), key)
        print(f"seal {sealed - begin:.2f} s, unseal {time.perf_counter() - sealed:.2f} s")


def drawn_pasts(rng, automaton, people: int) -> Pasts:
    """Pasts as groups of ten leave them: some six values each."""

    def posterior() -> np.ndarray:
        rows = np.zeros((people, len(automaton.values)))
        codes = rng.integers(0, len(automaton.values), (people, 6))
        rows[np.arange(people)[:, None], codes] = rng.random((people, 6)) + 0.1
        return rows / rows.sum(axis=1, keepdims=True)

    return push(automaton, Pasts.beginning(automaton, posterior()), posterior())


if __name__ == "__main__":
    main()
