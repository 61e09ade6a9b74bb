"""Whether the quick tests notice when one of twenty lines is broken.

    python validation/mutations.py [--only 3]
    python validation/mutations.py --drawn 20 --seed 1

Each line is changed in a copy of the repository, and the tests of the quick tier are run there
until one fails: first those that are nearest, then all others. The lines, of privacy, inference
and publish, are chosen for what they protect, not for being easy to notice; or they are drawn from
all of these rooms' lines, and changed in one of the ways of `CHANGES`.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "seriatim"

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

ROOMS = ("privacy", "inference", "publish")

COMPARED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
COMPUTED = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
}
"""What takes the place of an operator; ``|`` is left alone, since most of them stand in types."""


def changed(node: ast.AST) -> ast.AST | None:
    """Return what is drawn instead of a piece of code, None where it is left alone."""
    other = copy.deepcopy(node)
    match other:
        case ast.Compare() if type(other.ops[0]) in COMPARED:
            other.ops[0] = COMPARED[type(other.ops[0])]()
        case ast.BinOp() if type(other.op) in COMPUTED:
            other.op = COMPUTED[type(other.op)]()
        case ast.BoolOp():
            other.op = ast.Or() if isinstance(other.op, ast.And) else ast.And()
        case ast.UnaryOp(op=ast.Not()):
            return other.operand
        case ast.Constant(value=bool()):
            other.value = not other.value
        case ast.Constant(value=int()):
            other.value += 1
        case ast.Expr(value=ast.Call()):
            return ast.Pass()
        case _:
            return None
    return ast.fix_missing_locations(other)


def drawn(count: int, seed: int) -> list[tuple[str, str, str, str, int]]:
    """Draw of all that can be changed: file, code, what becomes of it, near tests, and where."""
    places = []
    for file in sorted(one for room in ROOMS for one in (SOURCE / room).glob("*.py")):
        whole = file.read_text(encoding="utf-8")
        lines, tree = whole.splitlines(keepends=True), ast.parse(whole)
        told = {  # what says something, to people or to types, decides nothing
            inside
            for node in ast.walk(tree)
            if isinstance(node, ast.Raise | ast.JoinedStr | ast.AnnAssign | ast.arg)
            for inside in ast.walk(node)
        }
        for node in ast.walk(tree):
            other = None if node in told else changed(node)
            if other is not None and node.lineno == node.end_lineno:
                before = "".join(lines[: node.lineno - 1])
                line = lines[node.lineno - 1].encode()
                first = len(before) + len(line[: node.col_offset].decode())
                code = line[node.col_offset : node.end_col_offset].decode()
                broken = "pass" if isinstance(other, ast.Pass) else f"({ast.unparse(other)})"
                name, near = f"{file.parent.name}/{file.name}", f"unit/{file.parent.name}"
                places.append((name, code, broken, f"{near} properties", first))
    return random.Random(seed).sample(places, count)


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
    parser.add_argument("--only", type=int, nargs="+", help="the numbers of some of them")
    parser.add_argument("--drawn", type=int, help="so many that are drawn, not the chosen ones")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    given = parser.parse_args()
    noticed = tried = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "seriatim"
        unwanted = shutil.ignore_patterns(
            ".git", ".venv", "build", "dist", "__pycache__", ".*_cache"
        )
        shutil.copytree(ROOT, folder, ignore=unwanted)
        chosen = drawn(given.drawn, given.seed) if given.drawn else MUTATIONS
        for number, (name, line, broken, near, *at) in enumerate(chosen, start=1):
            if given.only and number not in given.only:
                continue
            file = folder / "src" / "seriatim" / name
            whole = file.read_text(encoding="utf-8")
            assert at or whole.count(line) == 1, f"{name} has {whole.count(line)} times: {line}"
            first = at[0] if at else whole.index(line)
            file.write_text(whole[:first] + broken + whole[first + len(line) :], encoding="utf-8")
            begin = time.perf_counter()
            found = notice(folder, [f"tests/{one}" for one in near.split()]) or notice(folder, [])
            file.write_text(whole, encoding="utf-8")
            tried, noticed = tried + 1, noticed + (found is not None)
            where = f"{name}:{whole[:first].count(chr(10)) + 1}"
            print(f"{number:2} {where}: {line.strip()[:60]}", f"-> {broken.strip()[:60]}", end=": ")
            print(found or "NOT NOTICED", f"({time.perf_counter() - begin:.0f} s)", flush=True)
    print(f"{noticed} of {tried} noticed")


if __name__ == "__main__":
    main()
