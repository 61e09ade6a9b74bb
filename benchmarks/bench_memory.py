"""How fast does this machine hand over memory? What a release costs depends on it.

    python benchmarks/bench_memory.py [--gigabytes 4] [--idle 6] [--json]

A virtual machine may give memory that is free back to its host, and has to ask for it again: then
memory that nobody used for a while costs many times what the same costs right after it was freed.
A release of ten million tuples touches eight gigabytes.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np

PAGE = 4096


def touched(size: int) -> float:
    """Return gigabytes a second at which new memory can be written to."""
    begin = time.perf_counter()
    memory = np.empty(size, dtype=np.uint8)
    memory[::PAGE] = 1
    return size / (time.perf_counter() - begin) / 1e9


def measure(gigabytes: float, idle: float) -> dict[str, float]:
    """Touch memory at once again, and after it was free for a while."""
    size = int(gigabytes * 1e9)
    touched(size)
    again = touched(size)
    time.sleep(idle)
    return {"right after it was freed": again, f"after {idle:g} s": touched(size)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--idle", type=float, default=6.0, help="seconds that memory is free")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    found = measure(given.gigabytes, given.idle)
    if given.json:
        print(json.dumps(found, indent=2))
        return
    told = ", ".join(f"{rate:.1f} GB/s {when}" for when, rate in found.items())
    print(f"{given.gigabytes:g} GB of memory: {told}")


if __name__ == "__main__":
    main()
