"""Long work: runs in the background, tells how far it is, can be called off.

Jobs live on the server as long as it does, so that a reload or a second tab finds them.
Only one at a time works with the store of a study.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Literal

from seriatim._unforeseen import unforeseen
from seriatim.kernels.ahead import COMPILING, compile_ahead, missing

State = Literal["waiting", "running", "done", "failed", "cancelled"]
"""How a job stands."""

_WORKERS = 4
"""Jobs that are at work, or wait for their study to be free, at a time."""

_KEPT = 60
"""Jobs that are remembered; older ones that ended are forgotten."""

Clock = Callable[[], float]
"""Tells seconds that only grow."""


class CalledOffError(Exception):
    """Whoever started a job called it off."""


@dataclass(eq=False)
class Job:
    """One piece of work, and how far it is."""

    kind: str
    """What it does, such as ``publish``."""

    study: str
    """The study it belongs to, as the studio names it."""

    command: str
    """The command that does the same."""

    total: int
    """How many steps there may be."""

    clock: Clock = time.monotonic
    """What time it is."""

    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    """Its name in addresses; it tells nothing of what it is about."""

    state: State = "waiting"
    """How it stands."""

    step: str = "waiting for other work on this study"
    """What is being done."""

    done: int = 0
    """Steps that are behind it."""

    result: Any = None
    """What came of it; private."""

    error: str | None = None
    """Why it failed."""

    started: float = 0.0
    """When its work began, by its clock; 0 before that."""

    ended: float | None = None
    """When it ended; None before that."""

    binding: str | None = None
    """The step from which on it cannot be called off any more."""

    _cancel: threading.Event = field(default_factory=threading.Event, repr=False)
    _bound: bool = False

    @property
    def active(self) -> bool:
        """Whether it is still to come to an end."""
        return self.state in ("waiting", "running")

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        if self.state == "done":
            return 1.0
        return min(self.done / max(self.total, 1), 0.99)

    @property
    def seconds(self) -> float:
        """How long it has been at work."""
        if not self.started:
            return 0.0
        return (self.clock() if self.ended is None else self.ended) - self.started

    @property
    def cancelling(self) -> bool:
        """Whether it was called off, and has not noticed yet."""
        return self.active and self._cancel.is_set()

    @property
    def can_cancel(self) -> bool:
        """Whether it can still be called off."""
        return self.active and not self._bound and not self._cancel.is_set()

    def tell(self, step: str) -> None:
        """Note the next step; a job that was called off ends here."""
        self.check()
        self._bound = self._bound or step == self.binding
        self.done += bool(self.step)
        self.step = step

    def check(self) -> None:
        """End here if the job was called off, unless it is too late for that."""
        if self._cancel.is_set() and not self._bound:
            raise CalledOffError

    def begin(self, step: str = "beginning") -> None:
        """Note that work begins."""
        self.check()
        self.state, self.step, self.started = "running", step, self.clock()

    def cancel(self) -> None:
        """Call it off."""
        self._cancel.set()

    def seen(self) -> Job:
        """Return it as it stands now.

        Work that ends while a page is written must not be under way above and over below.
        """
        return copy(self)


Work = Callable[[Job], Any]
"""What a job does; it tells the job each step, and returns what came of it."""


class Jobs:
    """All work of one run of the studio."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        """Begin without any."""
        self._clock = clock
        self._pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="studio-job")
        self._jobs: dict[str, Job] = {}
        self._busy: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def start(
        self,
        kind: str,
        study: str,
        work: Work,
        *,
        command: str,
        total: int,
        binding: str | None = None,
    ) -> Job:
        """Start work; the same work of the same study that is under way is returned instead."""
        with self._lock:
            for job in self._jobs.values():
                if job.active and (job.kind, job.study) == (kind, study):
                    return job
            job = Job(kind, study, command, total, self._clock, binding=binding)
            self._forget()
            self._jobs[job.id] = job
            busy = self._busy.setdefault(study, threading.Lock())
        future = self._pool.submit(_run, job, work, busy)
        future.add_done_callback(lambda ended: _end(job, ended))
        return job

    def get(self, number: str) -> Job | None:
        """Return a job by its name, as it stands now."""
        job = self._jobs.get(number)
        return None if job is None else job.seen()

    def latest(self, study: str, *kinds: str) -> Job | None:
        """Return the newest job of a study, of some kinds, as it stands now."""
        with self._lock:
            found = [job for job in self._jobs.values() if job.study == study and job.kind in kinds]
        return found[-1].seen() if found else None

    @property
    def active(self) -> list[Job]:
        """Return the jobs that are not at their end, as they stand now."""
        with self._lock:
            seen = [job.seen() for job in self._jobs.values()]
        return [job for job in seen if job.active]

    def dismiss(self, study: str, *kinds: str) -> None:
        """Forget what ended of some kinds: its results no longer fit the study."""
        with self._lock:
            gone = [
                job.id
                for job in self._jobs.values()
                if job.study == study and job.kind in kinds and not job.active
            ]
            for number in gone:
                del self._jobs[number]

    def close(self) -> None:
        """Call everything off, and wait until nothing is half done."""
        for job in self.active:
            job.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _forget(self) -> None:
        over = [number for number, job in self._jobs.items() if not job.active]
        for number in over[: max(len(self._jobs) - _KEPT, 0)]:
            del self._jobs[number]


_KERNELS = {
    "audit": "audit",
    "follow": "audit",
    "preview": "publish",
    "publish": "publish",
    "rehearse": "rehearse",
}
"""Whose kernels a kind of work calls."""


def _run(job: Job, work: Work, busy: threading.Lock) -> Any:
    """Do the work when its study is free."""
    while not busy.acquire(timeout=0.1):
        job.check()
    try:
        kernels = _KERNELS.get(job.kind)
        if kernels is not None and missing(kernels):
            job.begin(COMPILING)
            compile_ahead(kernels)
        job.begin()
        return work(job)
    finally:
        busy.release()


def _end(job: Job, ended: Future[Any]) -> None:
    """Note what came of a job; the state comes last, for whoever looks at it meanwhile."""
    job.ended = job.clock()
    error = None if ended.cancelled() else ended.exception()
    if ended.cancelled() or isinstance(error, CalledOffError):
        job.state = "cancelled"
    elif error is None:
        job.result = ended.result()
        job.step, job.state = "done", "done"
    else:
        job.error = told(error)
        job.state = "failed"


def told(error: BaseException) -> str:
    """Say what went wrong; the words of foreign errors may quote a table and are left out."""
    return unforeseen(error).told
