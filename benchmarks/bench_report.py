"""How long the report of 24 releases of 5,000 tuples takes, and how large it is."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

RELEASES, TUPLES = 24, 5_000


def run(*arguments):
    start = perf_counter()
    command = [sys.executable, "-m", "seriatim.cli", *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ)
    return perf_counter() - start


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "hospital"
        run("simulate", "-o", folder, "--views", RELEASES, "--size", TUPLES)
        for number in range(1, RELEASES + 1):
            run("publish", folder / f"view-{number:02}.csv", "--study", folder)
        seconds = sorted(run("report", "--study", folder) for _ in range(3))
        size = (folder / "report.html").stat().st_size
        print(
            f"{RELEASES} releases of {TUPLES:,}: {seconds[1]:.2f} s (median of 3, the whole"
            f" command), {size / 1e6:.2f} MB"
        )


if __name__ == "__main__":
    main()
