"""Stores: where a series keeps its releases and what its reader remembers."""

from __future__ import annotations

from typing import Protocol

from seriatim._typing import Value
from seriatim.inference.adversary import Impression
from seriatim.inference.memory import LocalMemory, Memory
from seriatim.microdata.history import History
from seriatim.microdata.release import Release


class Store(Protocol):
    """Keeps a series: what was published, and what a reader believes after it."""

    @property
    def history(self) -> History:
        """The releases made so far."""
        ...

    @property
    def memory(self) -> Memory:
        """What the simulated reader remembers; written by ``commit`` only."""
        ...

    @property
    def domain(self) -> tuple[Value, ...] | None:
        """The sensitive domain of the series; None before the first release."""
        ...

    def commit(self, release: Release, impression: Impression) -> None:
        """Add a release and what it left in the reader, both or neither."""
        ...


class MemoryStore:
    """A store that lives as long as the process."""

    def __init__(self) -> None:
        """Start an empty series."""
        self._history = History()
        self._memory = LocalMemory()

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"MemoryStore({len(self._history)} releases, {len(self._memory)} respondents)"

    @property
    def history(self) -> History:
        """The releases made so far."""
        return self._history

    @property
    def memory(self) -> LocalMemory:
        """What the simulated reader remembers."""
        return self._memory

    @property
    def domain(self) -> tuple[Value, ...] | None:
        """The sensitive domain of the series; None before the first release."""
        return self._history[-1].schema.sensitive.domain if self._history else None

    def commit(self, release: Release, impression: Impression) -> None:
        """Add a release and what it left in the reader, both or neither."""
        history = self._history.append(release)
        if impression.pasts is not None:
            published = impression.seen.respondents.filter(impression.published)
            self._memory.keep(published, impression.pasts)
        self._history = history
