"""Tell publishes to end at random moments, and look whether they do, and what they leave behind.

    python validation/terminate.py [--tries 200] [--seed 0]

Each try begins from the same store with one release. A command that publishes the second is sent
SIGTERM after a random time, once it handles signals. Two fifths of the tries are of a plain store,
two fifths of a sealed one, and a fifth are of a sealed one with no kernel compiled yet, so that
most of these signals arrive while the compiler works. Every command must end within seconds and
leave no private folder; then the series must go on, and its files and chain must be those of an
undisturbed run. The first that does not is told, and ends the validation with 1.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import seriatim as sr
from processes import wait_until_signals_are_handled
from studies import week, write_study

KEY = "correct horse battery staple"
SEALED = '[store]\nsealed = true\nkey_variable = "CLINIC_KEY"\n\n[reader]'
COMPILING = 8.0
"""Seconds within which a publish that must compile is told to end; it would take a minute."""

HANGS = 30.0
"""Seconds after which a command that was told to end is said to hang."""


@dataclass
class Series:
    """A series with one release, kept to be begun from again and again."""

    study: sr.Study
    begun: Path
    undisturbed: dict[str, bytes]
    seconds: float
    private: Path | None

    def restore(self) -> None:
        shutil.rmtree(self.study.folder)
        shutil.copytree(self.begun, self.study.folder)


@dataclass
class Ended:
    """How a command ended that was told to."""

    code: int
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    os.environ["CLINIC_KEY"] = KEY
    draw = random.Random(asked.seed)
    found: Counter[str] = Counter()
    slowest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        plain = begin(Path(folder) / "plain", sealed=False)
        sealed = begin(Path(folder) / "sealed", sealed=True)
        for number in range(asked.tries):
            kind = ("plain", "sealed", "plain", "sealed", "compiling")[number % 5]
            series = plain if kind == "plain" else sealed
            series.restore()
            if kind == "compiling":
                cache = Path(folder) / f"cache-{number}"
                ended = terminated(series, draw.uniform(0, COMPILING), cache)
                shutil.rmtree(cache, ignore_errors=True)
            else:
                ended = terminated(series, draw.uniform(0, 1.2 * series.seconds))
            slowest = max(slowest, ended.seconds)
            there = went_on(series, number)
            told = {143: "terminated", 0: "ended before"}[ended.code]
            found[f"{kind:9} {told}, release {'there' if there else 'absent'}"] += 1
    for what, times in sorted(found.items()):
        print(f"{times:4} {what}")
    print(f"an undisturbed publish takes {plain.seconds:.2f} s, sealed {sealed.seconds:.2f} s")
    print(f"{asked.tries} tries, 0 hangs, the slowest end took {slowest:.2f} s; no private folder")
    print("was left, and every series went on as if undisturbed")


def begin(folder: Path, *, sealed: bool) -> Series:
    """Publish a first release, keep what is there, and publish the second undisturbed."""
    changes = [("[reader]", SEALED)] if sealed else []
    study = sr.Study.read(write_study(folder / "study", changes=changes, size=200))
    publish(study, 1)
    begun = folder / "begun"
    shutil.copytree(study.folder, begun)
    with sr.Press(study) as press:
        private = press.store.working.parent if sealed else None
    series = Series(study, begun, {}, float("inf"), private)
    for _ in range(3):
        series.restore()
        with started(study) as run:
            wait_until_signals_are_handled(run)
            begin = time.monotonic()
            assert run.wait() == 0
            series.seconds = min(series.seconds, time.monotonic() - begin)
    series.undisturbed = files(study)
    return series


def started(study: sr.Study, cache: Path | None = None) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "seriatim", "publish", str(week(study.path, 2)), "--at", "2"]
    env = os.environ if cache is None else os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    return subprocess.Popen(
        [*command, "--study", str(study.path)], env=env, stdout=subprocess.DEVNULL
    )


def terminated(series: Series, after: float, cache: Path | None = None) -> Ended:
    """Tell a publish to end after some seconds; stop where it does not, or leaves something."""
    with started(series.study, cache) as run:
        wait_until_signals_are_handled(run)
        time.sleep(after)
        run.terminate()
        told = time.monotonic()
        try:
            code = run.wait(HANGS)
        except subprocess.TimeoutExpired:
            run.kill()
            sys.exit(f"a publish hangs that was told to end after {after:.3f} s")
    if code == -15:
        code = 143  # the interpreter was leaving, and handles no signals any more
    if code not in (0, 143):
        sys.exit(f"a publish that was told to end after {after:.3f} s exits with {code}")
    if series.private is not None and series.private.exists():
        sys.exit(f"a publish that was told to end after {after:.3f} s left its private folder")
    return Ended(code, time.monotonic() - told)


def went_on(series: Series, number: int) -> bool:
    """Publish what is not there yet; tell whether the release was there already."""
    with sr.Press(series.study) as press:
        there = len(press.store.entries) == 2
    if not there:
        publish(series.study, 2)
    if files(series.study) != series.undisturbed:
        sys.exit(f"try {number}: the files are not those of an undisturbed run")
    chain = sr.verify_chain(sorted(series.study.output_folder.glob("*.json")))
    if not all(one.holds for one in chain):
        sys.exit(f"try {number}: the chain does not verify")
    return there


def publish(study: sr.Study, number: int) -> None:
    with sr.Press(study) as press:
        press.publish(week(study.path, number), at=number)


def files(study: sr.Study) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in study.output_folder.glob("release-*")}


if __name__ == "__main__":
    main()
