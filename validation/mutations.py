"""Whether the quick tests notice when one of twenty lines is broken.

    python validation/mutations.py [--only 3]

Each line is changed in a copy of the repository, and the tests of the quick tier are run there
until one fails: first those that are nearest, then all others. The lines, of privacy, inference
and publish, are chosen for what they protect, not for being easy to notice.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]

MUTATIONS = [
    # file, line, what becomes of it, tests that are tried first
    ("privacy/k_anonymity.py", "tally.sizes.astype(float)", "tally.sizes + 1.0", "unit/privacy"),
    ("privacy/t_closeness.py", "axis=1)[:, -1] / 2)", "axis=1)[:, -1] / 2.001)", "properties"),
    ("privacy/t_closeness.py", "/ (n_values - 1))", "/ n_values)", "properties"),
    (
        "privacy/js_bound.py",
        "sizes = np.maximum(tally.people, 1)",
        "sizes = np.maximum(tally.sizes, 1)",
        "properties",
    ),
    ("privacy/verdict.py", "self.margins >= -self.tolerance", "self.margins >= -0.01", "unit"),
    ("privacy/verdict.py", "return all(finding", "return any(finding", "unit"),
    (
        "inference/compromised.py",
        "found[places >= 0] = values[places[places >= 0]]",
        "found[places > 0] = values[places[places > 0]]",
        "properties",
    ),
    (
        "inference/conclusions.py",
        "- first >= taken[cells[order]]",
        "- first > taken[cells[order]]",
        "properties",
    ),
    (
        "inference/revision.py",
        "weights /= np.repeat(np.add.reduceat(weights, offsets[:-1]), lengths)"
        " if len(weights) else 1.0",
        "weights /= 1.0",
        "unit/inference properties",
    ),
    ("inference/matching_rules.py", "_STATES_OF_THREE = 8", "_STATES_OF_THREE = 2", "properties"),
    ("inference/elapsed.py", "moment(at) - seen_at", "moment(at) - seen_at + 1", "properties"),
    (
        "publish/guard.py",
        "    if not verdict.holds:",
        "    if verdict is None:",
        "unit/publish",
    ),
    ("publish/guard.py", "if codes.min(initial=0) < 0:", "if codes.min(initial=0) < -1:", "unit"),
    (
        "publish/pending_folder.py",
        "sha256(waiting.read_bytes()) != digest",
        "sha256(waiting.read_bytes()) is None",
        "unit/publish",
    ),
    ("publish/seal.py", "bytes([last])", "bytes([0])", "unit/publish"),
    ("publish/seal.py", "mode & _OTHERS", "mode & 0o002", "unit/publish"),
    (
        "publish/duckdb_store.py",
        "                self.set_meta(_SUPERSEDED, json.dumps(gone).encode())\n",
        "",
        "unit/publish",
    ),
    (
        "publish/verify.py",
        "return all(check.holds for",
        "return any(check.holds for",
        "unit/publish",
    ),
    ("publish/new_files.py", "    | os.O_EXCL\n", "", "unit/publish"),
    (
        "publish/publisher.py",
        'hashlib.blake2b(self._secret, digest_size=32, person=b"shuffle")',
        'hashlib.blake2b(b"", digest_size=32, person=b"shuffle")',
        "privacy_of_outputs unit/publish",
    ),
]


def notice(folder: Path, tests: list[str]) -> str | None:
    """Return the first test that fails, None where all pass."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-n",
            "auto",
            "-p",
            "no:cacheprovider",
            *tests,
        ],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if done.returncode and not failed:
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return failed[0].split(" ")[1] if failed else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", type=int, help="the number of one of them")
    given = parser.parse_args()
    noticed = tried = 0
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "seriatim"
        unwanted = shutil.ignore_patterns(
            ".git", ".venv", "build", "dist", "__pycache__", ".*_cache"
        )
        shutil.copytree(ROOT, copy, ignore=unwanted)
        for number, (name, line, broken, near) in enumerate(MUTATIONS, start=1):
            if given.only not in (None, number):
                continue
            file = copy / "src" / "seriatim" / name
            whole = file.read_text(encoding="utf-8")
            assert whole.count(line) == 1, f"{name} has {whole.count(line)} times: {line}"
            file.write_text(whole.replace(line, broken), encoding="utf-8")
            begin = time.perf_counter()
            found = notice(copy, [f"tests/{one}" for one in near.split()]) or notice(copy, [])
            file.write_text(whole, encoding="utf-8")
            tried, noticed = tried + 1, noticed + (found is not None)
            seconds = time.perf_counter() - begin
            print(f"{number:2} {name} {line.strip()[:50]!r}, {seconds:.0f} s", end=": ")
            print(found or "NOT NOTICED", flush=True)
    print(f"{noticed} of {tried} noticed")


if __name__ == "__main__":
    main()
