"""Stop commands at random moments, and look whether each is done wholly or not at all.

    python validation/crash.py [--kills 50] [--only publish forget …] [--sealed] [--signal TERM]

Each round begins from the same study with one or two releases. A process that runs one command
is stopped after a random time; meanwhile the modes of all files are looked at as often as
possible. Then the study is opened again, and must be as before the command or as after it: store,
files and chain. What is tried:

    publish   the second release
    pending   the second release, stopped after its commit, then a file that waits is damaged
    forget    a person is removed from the store
    backup    the store is written to one file
    restore   an older backup takes the store's place
    rekey     a plain store is sealed

With ``--signal TERM`` processes are asked to end, and must do so within seconds.
"""

import argparse
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import pyarrow as pa

import seriatim as sr
from seriatim.publish import DuckDBStore, upkeep
from seriatim.publish.press import study_key
from seriatim.publish.store_folder import StoreFolder
from studies import week, write_study

COMMAND = """
import sys
import duckdb, pyarrow.parquet
import seriatim.publish.press, seriatim.publish.upkeep
from seriatim.cli.app import main
print("begun", flush=True)
main()
"""
"""Runs a command of the program; libraries are loaded before it begins."""

COMMITTED = """
import os, signal, sys
import seriatim as sr
def stop(step):
    if step == "moving the files into place":
        os.kill(os.getpid(), signal.SIGKILL)
study = sr.Study.read(sys.argv[1])
with sr.Press(study, progress=stop) as press:
    press.publish(study.folder / "views" / "week-2.csv", at=2)
"""

PUBLIC = {"study.toml", "knowledge.csv", "views", "releases"}
PATIENCE = 20.0
"""Seconds after which a process that was asked to end counts as hanging."""


class Trials:
    """A study, and what is tried on it."""

    def __init__(self, folder: Path, asked: argparse.Namespace) -> None:
        """Publish one release; each trial begins from a copy of that, or of two releases."""
        section = '[store]\nsealed = true\nkey_variable = "CLINIC_KEY"\n\n[reader]'
        changes = [("[reader]", section)] if asked.sealed else []
        self.study = sr.Study.read(write_study(folder / "study", changes=changes, size=200))
        self.signal = signal.Signals[f"SIG{asked.signal}"]
        self.draw = random.Random(asked.seed)
        self.private: Path | None = None
        if asked.sealed:
            with DuckDBStore(self.study.store_path, key=study_key(self.study)) as store:
                self.private = store.working.parent
        self.kept = {number: folder / f"after-{number}" for number in (1, 2)}
        for number in (1, 2):
            publish(self.study, number)
            shutil.copytree(self.study.folder, self.kept[number])
        self.after_two = files(self.study)
        publish(self.study, 3)
        self.after_three = files(self.study)
        self.patient = week(self.study.path, 1).read_text().splitlines()[1].split(",")[0].strip('"')

    def begin(self, number: int) -> None:
        """Put the study back to what it was after a release."""
        shutil.rmtree(self.study.folder)
        shutil.copytree(self.kept[number], self.study.folder)

    def longest(self, number: int, command: tuple[str, ...]) -> float:
        """Return how long an undisturbed run takes after it has begun."""
        took = 0.0
        for _ in range(2):
            self.begin(number)
            with self.started(command) as run:
                begin = time.monotonic()
                assert run.wait() == 0, run.stderr.read()
                took = max(took, time.monotonic() - begin)
        return took

    def started(self, command: tuple[str, ...]) -> subprocess.Popen[str]:
        """Start a command, and wait until it begins."""
        run = subprocess.Popen(
            [sys.executable, "-c", COMMAND, *command],
            cwd=self.study.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            umask=0,
        )
        assert run.stdout.readline() == "begun\n"
        return run

    def stopped(self, command: tuple[str, ...], after: float) -> str:
        """Run a command, stop it after a while, and see that nothing private was open to others."""
        with self.started(command) as run:
            until = time.monotonic() + after
            while time.monotonic() < until:
                require_private(self.study.folder)
            run.send_signal(self.signal)
            try:
                code = run.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                run.kill()
                sys.exit(f"{command[0]} hangs {PATIENCE:g} s after {self.signal.name}")
        require_private(self.study.folder)
        if self.signal is signal.SIGTERM and self.private is not None:
            require(not self.private.exists(), "a private folder is left after SIGTERM")
        if code == 0:
            return "ended before"
        require(code in (-self.signal, 128 + self.signal), f"exit code {code}")
        return "stopped"

    def open(self, key: sr.Key | None = None) -> DuckDBStore:
        """Open the store, which must be sound."""
        store = DuckDBStore(self.study.store_path, key=key or study_key(self.study))
        for condition in upkeep.check_up(store, self.study)[:3]:
            require(condition.sound, f"{condition.what} {condition.found}")
        names = {one.name for one in store.path.iterdir()} - {"lock", "current"}
        left = {name for name in names if not name.startswith("replaced-")}
        require(not left, f"left behind: {left}")
        return store

    def go_on(self) -> None:
        """Publish the third release; files and chain must be those of an undisturbed run."""
        publish(self.study, 3)
        require(files(self.study) == self.after_three, "the files are not those expected")
        chain = sr.verify_chain(sorted(self.study.output_folder.glob("*.certificate.json")))
        require(all(one.holds for one in chain), "the chain does not verify")

    def publish(self, after: float) -> str:
        self.begin(1)
        ended = self.stopped(("publish", "views/week-2.csv"), after)
        with sr.Press(self.study) as press:
            there = len(press.store.entries) == 2
        if not there:
            publish(self.study, 2)
        require(files(self.study) == self.after_two, "the files are not those expected")
        self.go_on()
        return f"{ended}, release {'there' if there else 'absent'}"

    def pending(self, _: float) -> str:
        self.begin(1)
        command = [sys.executable, "-c", COMMITTED, str(self.study.path)]
        require(subprocess.run(command, check=False).returncode == -9, "was not killed")
        waiting = sorted((self.study.output_folder / ".pending").iterdir())
        file, content = (one := self.draw.choice(waiting)), one.read_bytes()
        place = self.draw.randrange(len(content))
        how = self.draw.choice(["cut short", "changed", "removed"])
        if how == "removed":
            file.unlink()
        else:
            rest = bytes([content[place] ^ 1]) + content[place + 1 :] if how == "changed" else b""
            file.write_bytes(content[:place] + rest)
        self.go_on()
        return f"{file.suffix[1:]} {how}, written again"

    def forget(self, after: float) -> str:
        self.begin(2)
        with self.open() as store:
            words = [word.tobytes() for word in store.keys(pa.array([self.patient]))]
        ended = self.stopped(("store", "forget", self.patient), after)
        with self.open() as store:
            known = store.memory.recall(pa.array([self.patient]))[0].tolist() == [True]
            store.forget(pa.array([self.patient]))
            content = b"".join(
                file.read_bytes() for file in store.working.parent.rglob("*") if file.is_file()
            )
            require(not any(word in content for word in words), "traces of a forgotten person")
        publish(self.study, 3)
        return f"{ended}, {'still known' if known else 'forgotten'}"

    def backup(self, after: float) -> str:
        self.begin(2)
        target = self.study.folder / "study.backup"
        ended = self.stopped(("store", "backup", target.name), after)
        there = target.exists()
        if not there:
            with self.open() as store:
                store.copy_to(target)
        left = [*self.study.folder.glob(".*.part")]
        require(not left, f"left behind: {left}")
        upkeep.restore(target, self.study.store_path, study_key(self.study))
        self.go_on()
        return f"{ended}, backup {'whole' if there else 'absent'}"

    def restore(self, after: float) -> str:
        self.begin(1)
        backup = self.kept[1].parent / "study.backup"
        if not backup.exists():
            with self.open() as store:
                store.copy_to(backup)
        self.begin(2)
        ended = self.stopped(("store", "restore", str(backup)), after)
        with self.open() as store:
            releases = store.n_releases
        if releases == 1:
            for file in self.study.output_folder.glob("*0002*"):
                file.unlink()
            publish(self.study, 2)
        self.go_on()
        return f"{ended}, {'restored' if releases == 1 else 'as before'}"

    def rekey(self, after: float) -> str:
        self.begin(2)
        variable = "OTHER_KEY"
        ended = self.stopped(("store", "rekey", "--key-variable", variable), after)
        files = StoreFolder(self.study.store_path).current
        other = sr.Key.from_environment(variable)
        try:
            self.open(other).close()
            sealed = True
        except sr.StoreError:
            self.open().close()
            sealed = False
        require(not (sealed and files.database.exists()), "plain files are left")
        return f"{ended}, {'sealed anew' if sealed else 'as before'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands: dict[str, tuple[int, tuple[str, ...]]] = {
        "publish": (1, ("publish", "views/week-2.csv")),
        "pending": (1, ("history",)),
        "forget": (2, ("store", "forget", "nobody")),
        "backup": (2, ("store", "backup", "study.backup")),
        "restore": (2, ("store", "restore", "../study.backup")),
        "rekey": (2, ("store", "rekey", "--key-variable", "OTHER_KEY")),
    }
    parser.add_argument("--kills", type=int, default=50, help="how often each is stopped")
    parser.add_argument("--only", nargs="+", choices=commands, default=list(commands))
    parser.add_argument("--sealed", action="store_true")
    parser.add_argument("--signal", choices=["KILL", "TERM"], default="KILL")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    os.environ["CLINIC_KEY"] = "correct horse battery staple"
    os.environ["OTHER_KEY"] = "another horse, another staple"
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(Path(folder), asked)
        for name in asked.only:
            trial: Callable[[float], str] = getattr(trials, name)
            if name == "restore":
                trial(0.0)  # makes the backup
            longest = trials.longest(*commands[name])
            found: Counter[str] = Counter()
            for number in range(asked.kills):
                # Most happens at the end: every other stop comes late.
                after = longest * trials.draw.uniform(0.7 if number % 2 else 0.0, 1.1)
                try:
                    found[trial(after)] += 1
                except BrokenSeriesError as error:
                    sys.exit(f"{name}, stop {number} after {after:.3f} s: {error}")
            print(f"{name}: stopped {asked.kills} times with SIG{asked.signal}, all whole")
            for what, times in sorted(found.items()):
                print(f"{times:6} {what}", flush=True)


class BrokenSeriesError(Exception):
    """Something is neither as before nor as after."""


def require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BrokenSeriesError(otherwise)


def require_private(folder: Path) -> None:
    """See that others can open nothing that is private, at this moment."""
    looking = [one for one in entries(folder) if one.name not in PUBLIC]
    while looking:
        one = looking.pop()
        try:
            mode = one.stat(follow_symlinks=False).st_mode
        except FileNotFoundError:
            continue
        if stat.S_ISDIR(mode):
            if mode & 0o011:
                looking += entries(Path(one.path))
        else:
            require(not mode & 0o066, f"{one.name} has mode {stat.S_IMODE(mode):o}")


def entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        return list(os.scandir(folder))
    except FileNotFoundError:
        return []


def publish(study: sr.Study, number: int) -> None:
    with sr.Press(study) as press:
        press.publish(week(study.path, number), at=number)


def files(study: sr.Study) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in study.output_folder.glob("release-*")}


if __name__ == "__main__":
    main()
