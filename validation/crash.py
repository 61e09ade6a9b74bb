"""Kill a publish at random moments, and look whether the series is whole or the release absent.

    python validation/crash.py [--kills 200] [--sealed]

Each round begins from the same store with one release. A process that publishes the second
is killed with SIGKILL after a random time; then the study is opened again, the release is
published if it is not there, and files and chain must be those of an undisturbed run.
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
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import seriatim as sr
from studies import week, write_study

PUBLISH = """
import sys
import seriatim as sr
study = sr.Study.read(sys.argv[1])
print("begun", flush=True)
with sr.Press(study) as press:
    press.publish(study.folder / "views" / "week-2.csv", at=2)
print("done", flush=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--sealed", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    os.environ["CLINIC_KEY"] = "correct horse battery staple"
    section = '[store]\nsealed = true\nkey_variable = "CLINIC_KEY"\n\n[reader]'
    changes = [("[reader]", section)] if asked.sealed else []
    draw = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as folder:
        study = sr.Study.read(write_study(Path(folder) / "study", changes=changes, size=200))
        publish(study, 1)
        begun = Path(folder) / "begun"
        keep(study, begun)
        undisturbed, longest = published_alone(study, begun)
        found: Counter[str] = Counter()
        for kill in range(asked.kills):
            restore(study, begun)
            ended = killed(study, draw.uniform(0, 1.05 * longest))
            with sr.Press(study) as press:
                there = len(press.store.entries) == 2
            found[f"{ended}, release {'there' if there else 'absent'}"] += 1
            if not there:
                publish(study, 2)
            if files(study) != undisturbed:
                sys.exit(f"kill {kill}: the files are not those of an undisturbed run")
            chain = sr.verify_chain(sorted(study.output_folder.glob("*.json")))
            if not all(one.holds for one in chain):
                sys.exit(f"kill {kill}: the chain does not verify")
        for what, times in sorted(found.items()):
            print(f"{times:4} {what}")
        print(f"{asked.kills} kills, every series whole")


def publish(study: sr.Study, number: int) -> None:
    with sr.Press(study) as press:
        press.publish(week(study.path, number), at=number)


def published_alone(study: sr.Study, begun: Path) -> tuple[dict[str, bytes], float]:
    """Return the files of an undisturbed run, and how long it takes after it has begun."""
    longest = 0.0
    for _ in range(3):
        restore(study, begun)
        with subprocess.Popen(
            [sys.executable, "-c", PUBLISH, str(study.path)], stdout=subprocess.PIPE, text=True
        ) as run:
            assert run.stdout.readline() == "begun\n"
            begin = time.monotonic()
            assert run.stdout.readline() == "done\n"
            longest = max(longest, time.monotonic() - begin)
    return files(study), longest


def killed(study: sr.Study, after: float) -> str:
    with subprocess.Popen(
        [sys.executable, "-c", PUBLISH, str(study.path)], stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout.readline() == "begun\n"
        time.sleep(after)
        run.kill()
        return "killed" if run.wait() == -9 else "ended before"


def keep(study: sr.Study, place: Path) -> None:
    shutil.copytree(study.folder, place)


def restore(study: sr.Study, place: Path) -> None:
    shutil.rmtree(study.folder)
    shutil.copytree(place, study.folder)


def files(study: sr.Study) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in study.output_folder.glob("release-*")}


if __name__ == "__main__":
    main()
