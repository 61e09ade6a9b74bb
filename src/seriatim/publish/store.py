"""Stores: where a series keeps its releases and what its reader remembers."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from seriatim._typing import Instant
from seriatim.inference.adversary import Impression
from seriatim.inference.memory import LocalMemory, Memory
from seriatim.knowledge.learning import Lesson, LocalNotebook, Notebook, require_unchanged
from seriatim.microdata.history import History
from seriatim.microdata.release import Release
from seriatim.microdata.schema import Schema
from seriatim.partition.register import Enrolment, LocalRegister, Register, require_current
from seriatim.publish.listing import Listing
from seriatim.publish.traces import Trace
from seriatim.publish.whereabouts import Whereabouts


@dataclass(frozen=True, eq=False)
class Step:
    """Everything that one publish adds to a series."""

    release: Release
    """What was published."""

    impression: Impression
    """What it left in the simulated reader."""

    schema: Schema
    """The schema after this release, with every domain as wide as it is by now."""

    view_digest: bytes
    """A digest of the view that it was made from."""

    lesson: Lesson | None = None
    """What the view taught the reader, where its knowledge comes from the views."""

    enrolment: Enrolment | None = None
    """What the partitioner will remember, where it remembers anything."""

    counterfeits: tuple[tuple[int, int], ...] = ()
    """Group and value code of each published tuple that is nobody's; private."""

    traces: tuple[Trace, ...] = ()
    """What is followed of the last releases from now on; a series that is not watched has none."""

    whereabouts: tuple[Whereabouts, ...] = ()
    """Who was in which group of the last releases, where releases are compared with these."""

    record: Mapping[str, Any] = field(default_factory=dict)
    """What is to be recorded with the release, in plain values."""

    listing: Listing | None = None
    """Who is listed, where that is not just who is in the view; private."""


class Told(NamedTuple):
    """What is known of a step only when most of it is written."""

    record: Mapping[str, Any]
    """What is to be recorded with the release, in plain values."""

    traces: tuple[Trace, ...]
    """What is followed of the last releases from now on."""

    whereabouts: tuple[Whereabouts, ...] = ()
    """Who was in which group of the last releases."""

    settle: Callable[[], None] = lambda: None
    """What is waited for before the step counts; whatever it raises undoes the step."""


Meanwhile = Callable[[], Told | None]
"""What is done while a step is written; it may tell what the step does not."""


@dataclass(frozen=True)
class Entry:
    """What a store records of a release besides the release itself."""

    at: Instant
    """When it was made."""

    view_digest: bytes
    """A digest of the view that it was made from; private."""

    record: Mapping[str, Any]
    """What whoever published it wanted to have recorded: files, their digests, the certificate."""

    counterfeits: tuple[tuple[int, int], ...] = ()
    """Group and value code of each published tuple that is nobody's; private."""


class Store(Protocol):
    """Keeps a series: what was published, and what a reader believes after it."""

    @property
    def history(self) -> History:
        """The releases made so far."""
        ...

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What is recorded of each release."""
        ...

    @property
    def n_releases(self) -> int:
        """How many releases were made."""
        ...

    @property
    def last_instant(self) -> Instant | None:
        """When the last release was made; None before the first."""
        ...

    @property
    def schema(self) -> Schema | None:
        """The schema of the series, every domain settled; None before the first release."""
        ...

    @property
    def memory(self) -> Memory:
        """What the simulated reader remembers; written by ``commit`` only."""
        ...

    @property
    def notebook(self) -> Notebook:
        """What the simulated reader learned from the views; written by ``commit`` only."""
        ...

    @property
    def register(self) -> Register:
        """What the partitioner remembers; written by ``commit`` only."""
        ...

    @property
    def traces(self) -> tuple[Trace, ...]:
        """What is followed of the last releases; written by ``commit`` only."""
        ...

    @property
    def whereabouts(self) -> tuple[Whereabouts, ...]:
        """Who was in which group of the last releases; written by ``commit`` only."""
        ...

    @property
    def listing(self) -> Listing | None:
        """Who was listed in the last release, where that was kept; written by ``commit`` only."""
        ...

    @property
    def secret(self) -> bytes:
        """The secret of the series, the same for whoever publishes it."""
        ...

    def commit(self, step: Step) -> None:
        """Add all of a step or nothing of it."""
        ...


class MemoryStore:
    """A store that lives as long as the process.

    Whoever publishes over it goes on with its series:

    >>> from seriatim import Adversary, KAnonymity, Numeric, Policy, Publisher, Sensitive
    >>> schema = Schema("name", [Numeric("age")], Sensitive("exam"))
    >>> store, policy = MemoryStore(), Policy(KAnonymity(k=2))
    >>> for at in (1, 2):
    ...     publisher = Publisher(schema, policy, Adversary(), store=store)
    ...     _ = publisher.publish({"name": ["A", "B"], "age": [51, 52], "exam": ["x", "y"]}, at=at)
    >>> store.n_releases, store.last_instant
    (2, 2)
    """

    def __init__(self) -> None:
        """Start an empty series."""
        self._history = History()
        self._memory = LocalMemory()
        self._notebook = LocalNotebook()
        self._register = LocalRegister()
        self._schema: Schema | None = None
        self._entries: tuple[Entry, ...] = ()
        self._traces: tuple[Trace, ...] = ()
        self._whereabouts: tuple[Whereabouts, ...] = ()
        self._listing: Listing | None = None
        self._secret = secrets.token_bytes(32)

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"MemoryStore({len(self._history)} releases, {len(self._memory)} respondents)"

    @property
    def history(self) -> History:
        """The releases made so far."""
        return self._history

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What is recorded of each release."""
        return self._entries

    @property
    def n_releases(self) -> int:
        """How many releases were made."""
        return len(self._history)

    @property
    def last_instant(self) -> Instant | None:
        """When the last release was made; None before the first."""
        return self._history[-1].at if len(self._history) else None

    @property
    def schema(self) -> Schema | None:
        """The schema of the series, every domain settled; None before the first release."""
        return self._schema

    @property
    def memory(self) -> LocalMemory:
        """What the simulated reader remembers."""
        return self._memory

    @property
    def notebook(self) -> LocalNotebook:
        """What the simulated reader learned from the views."""
        return self._notebook

    @property
    def register(self) -> LocalRegister:
        """What the partitioner remembers."""
        return self._register

    @property
    def traces(self) -> tuple[Trace, ...]:
        """What is followed of the last releases."""
        return self._traces

    @property
    def whereabouts(self) -> tuple[Whereabouts, ...]:
        """Who was in which group of the last releases."""
        return self._whereabouts

    @property
    def listing(self) -> Listing | None:
        """Who was listed in the last release, where that was kept."""
        return self._listing

    @property
    def secret(self) -> bytes:
        """The secret of the series, drawn when it begins."""
        return self._secret

    def close(self) -> None:
        """Do nothing: there is no file to let go of."""

    def commit(self, step: Step, *, meanwhile: Meanwhile = lambda: None) -> None:
        """Add all of a step or nothing of it.

        ``meanwhile`` is called before it counts, and may tell what the step does not.
        """
        told = meanwhile() or Told(step.record, step.traces, step.whereabouts)
        told.settle()
        history = self._history.append(step.release)
        if step.lesson is not None:
            require_unchanged(self._notebook, step.lesson)
        if step.enrolment is not None:
            require_current(self._register, step.enrolment)
        step.impression.remember_in(self._memory)
        if step.lesson is not None:
            self._notebook.keep(step.lesson)
        if step.enrolment is not None:
            self._register.keep(step.enrolment)
        entry = Entry(
            step.release.at,
            step.view_digest,
            told.record,
            step.counterfeits,
        )
        self._history, self._schema = history, step.schema
        self._entries = (*self._entries, entry)
        self._traces, self._whereabouts = told.traces, told.whereabouts
        self._listing = step.listing
