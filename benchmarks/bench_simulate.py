"""The made hospital as a load generator: seconds a view, and memory.

    python benchmarks/bench_simulate.py [--size 10000000] [--views 3] [--preset paper-like] [--json]

A view is made, turned into a table and written as Parquet, like ``seriatim simulate`` does.
The first view also compiles the kernel, or loads it. Peak memory is that of the whole process.
"""

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

import pyarrow.parquet

import seriatim as sr


def measure(made) -> dict:
    """Time making and writing of each view."""
    views = []
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        for table in made.stream():
            making = time.perf_counter() - begin
            file = Path(folder) / "view.parquet"
            begin = time.perf_counter()
            pyarrow.parquet.write_table(table, file)
            writing = time.perf_counter() - begin
            megabytes = file.stat().st_size / 1e6
            views.append({"making_s": making, "writing_s": writing, "file_mb": megabytes})
            begin = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return {"size": made.size, "pool": made.pool, "views": views, "peak_mb": peak}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=10_000_000)
    parser.add_argument("--views", type=int, default=3)
    parser.add_argument("--preset", default="paper-like")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = measure(sr.hospital(views=asked.views, size=asked.size, preset=asked.preset))
    if asked.json:
        print(json.dumps(found, indent=1))
    else:
        for number, view in enumerate(found["views"], start=1):
            print(
                f"view {number} of {found['size']:,} tuples: {view['making_s']:.1f} s to make,"
                f" {view['writing_s']:.1f} s to write {view['file_mb']:.0f} MB"
            )
        print(f"peak memory {found['peak_mb']:,.0f} MB")
