"""Readers that bring a mishap about in the middle of a release, once.

They are shipped to the executors and act from inside a task, so that a mishap always comes
while a shard is being made, and never before or after.
"""

import contextlib
import os
import signal
from dataclasses import dataclass
from pathlib import Path

from seriatim import UniformPrior


def once(flag):
    """Tell the first who asks, of all processes, that it is the first."""
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def parent_of(process):
    """The process that started another one."""
    return int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])


def is_executor(process):
    """Tell whether a process is an executor of Spark."""
    return "CoarseGrainedExecutor" in Path(f"/proc/{process}/cmdline").read_text()


def executors_of(driver):
    """The executors that a driver started on this machine."""
    found = set()
    for process in (int(one.name) for one in Path("/proc").glob("[0-9]*")):
        # Processes may end while they are looked at.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if parent_of(process) == driver and is_executor(process):
                found.add(process)
    return found


@dataclass(frozen=True)
class KillsItsExecutor(UniformPrior):
    """A prior whose first use kills the executor that it is used on."""

    flag: str = ""

    def belief(self, roster, domain):
        if once(self.flag):
            daemon = os.getppid()
            executor = parent_of(daemon)
            assert is_executor(executor)
            os.kill(executor, signal.SIGKILL)
        return super().belief(roster, domain)


@dataclass(frozen=True)
class LosesTheShuffle(UniformPrior):
    """A prior whose first use removes all shuffle files that are there."""

    flag: str = ""
    folder: str = ""

    def belief(self, roster, domain):
        if once(self.flag):
            lost = [*Path(self.folder).rglob("shuffle_*.data"), *Path(self.folder).rglob("*.index")]
            for file in lost:
                file.unlink(missing_ok=True)
            Path(self.flag).write_text(str(len(lost)))
        return super().belief(roster, domain)
