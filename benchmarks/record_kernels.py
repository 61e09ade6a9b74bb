"""Write which kernels commands call, with which types: ``src/seriatim/kernels/ahead.json``.

    python benchmarks/record_kernels.py

Each command runs in a process of its own with an empty cache of compiled kernels, on a small made
hospital with the study that ``init`` proposes. The kernels that take longest to compile come first.
Run it after a change of kernels or of what calls them; a test of the long tier fails for a list
that is out of date.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIST = Path(__file__).parents[1] / "src" / "seriatim" / "kernels" / "ahead.json"

COMMANDS = {
    "publish": "publish view-01.csv",
    "demo": "demo --folder demo",
    "rehearse": (
        "rehearse hospital/view-01.csv --study hospital/study.toml --releases 3 --histories 1"
    ),
    "audit": (
        "audit hospital/releases/release-0001.csv hospital/releases/release-0002.csv"
        " -o hospital/view-01.csv -o hospital/view-02.csv --study hospital/study.toml"
    ),
}
"""What is recorded, under the name of the command."""

PREPARATION = (
    "simulate --views 2 --size 200 -o hospital",
    "publish hospital/view-01.csv --study hospital/study.toml",
    "publish hospital/view-02.csv --study hospital/study.toml",
)


def record(words: list[str]) -> None:
    """Run a command in this process, and print what it had to compile, as JSON."""
    from numba.core import event

    from seriatim.cli import main
    from seriatim.kernels.ahead import written_type

    compiled: list[tuple[float, str, list[str]]] = []
    nested: list[float] = []

    class Recorder(event.Listener):
        def on_start(self, _event):
            nested.append(time.perf_counter())

        def on_end(self, told):
            seconds = time.perf_counter() - nested.pop()
            function = told.data["dispatcher"].py_func
            if nested or not function.__module__.startswith("seriatim.kernels."):
                return
            types = [written_type(one) for one in told.data["args"]]
            name = f"{function.__module__.removeprefix('seriatim.kernels.')}.{function.__name__}"
            if None in types:
                print(f"{name} is left to its call: {told.data['args']}", file=sys.stderr)
                return
            compiled.append((seconds, name, types))

    event.register("numba:compile", Recorder())
    sys.argv = ["seriatim", *words]
    try:
        with contextlib.redirect_stdout(sys.stderr):
            main()
    except SystemExit as ended:
        if ended.code:
            raise
    print(json.dumps(compiled))


def called(words: str, folder: Path, cache: Path) -> list[tuple[float, str, list[str]]]:
    """Return what a command compiles from an empty cache."""
    done = subprocess.run(
        [sys.executable, __file__, *words.split()],
        cwd=folder,
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache), "SERIATIM_CORES": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder, listed = Path(place), {}
        cache = folder / "cache"
        # An empty list, or what is recorded would be compiled ahead.
        LIST.write_text(json.dumps({name: {} for name in COMMANDS}), encoding="utf-8")
        for words in PREPARATION:
            called(words, folder, cache)
        (folder / "view-01.csv").write_bytes((folder / "hospital" / "view-01.csv").read_bytes())
        called("init view-01.csv --yes", folder, cache)
        for name, words in COMMANDS.items():
            found = called(words, folder, folder / f"cache-{name}")
            kernels: dict[str, list[list[str]]] = {}
            for _, kernel, types in sorted(found, key=lambda one: -one[0]):
                kernels.setdefault(kernel, []).append(types)
            listed[name] = kernels
            seconds = sum(one[0] for one in found)
            print(f"{name:10} {len(kernels):3} kernels, {seconds:.1f} s one after the other")
    LIST.write_text(_written(listed), encoding="utf-8")


def _written(listed: dict[str, dict[str, list[list[str]]]]) -> str:
    """Return the list as text: a line for each set of types."""
    parts = []
    for command, kernels in listed.items():
        lines = []
        for kernel, signatures in kernels.items():
            inner = ",\n   ".join(json.dumps(types) for types in signatures)
            lines.append(f"  {json.dumps(kernel)}: [\n   {inner}\n  ]")
        parts.append(f" {json.dumps(command)}: {{\n" + ",\n".join(lines) + "\n }")
    text = "{\n" + ",\n".join(parts) + "\n}\n"
    assert json.loads(text) == listed
    return text


if __name__ == "__main__":
    record(sys.argv[1:]) if sys.argv[1:] else main()
