"""Settings: the data an experiment runs on, and what its readers may know.

Kinds of knowledge, as the paper has them: ``DK`` is what the data was drawn from,
``1-step`` to ``3-step`` the same with a shorter memory, ``SPM`` is mined from an outside
corpus (``SPM/5`` from one with a fifth of the tuples), ``IE`` counted in the original views
as they come, ``snapshot`` none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

from seriatim.errors import KnowledgeError, listed
from seriatim.experiments.series import Material
from seriatim.inference.adversary import Adversary
from seriatim.knowledge.incremental import IncrementalKnowledge
from seriatim.knowledge.mining import mine
from seriatim.knowledge.truncate import truncate
from seriatim.simulate.hospital import Hospital
from seriatim.simulate.made import made_series
from seriatim.simulate.register import Register

STEPS = 3
"""Past values that mined knowledge looks at."""

CORPUS = 1
"""The patients of the outside corpus."""


class Setting(Protocol):
    """Data to publish, and readers of it; small, so that it can be sent to another process."""

    @property
    def name(self) -> str:
        """What it is called in results."""
        ...

    @property
    def seed(self) -> int:
        """What it was drawn or split by."""
        ...

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of knowledge that readers may have here."""
        ...

    def material(self) -> Material:
        """Return what is published."""
        ...

    def reader(self, kind: str) -> Adversary:
        """Return the paper's reader with a kind of knowledge."""
        ...


@dataclass(frozen=True)
class MadeSetting:
    """A made hospital or register, whose knowledge is exact."""

    preset: str
    """The generator."""

    views: int
    """Views in the series."""

    size: int
    """Tuples in a view."""

    seed: int
    """What everything is drawn from."""

    @property
    def name(self) -> str:
        """The generator's name."""
        return self.preset

    @property
    def kinds(self) -> tuple[str, ...]:
        """All kinds: the exact one, and its approximations."""
        return ("snapshot", "1-step", "2-step", "3-step", "DK", "IE", "SPM", "SPM/2", "SPM/5")

    def material(self) -> Material:
        """Return the views."""
        made = _made(self).series
        return Material(made.tables, made.schema, seed=self.seed)

    def reader(self, kind: str) -> Adversary:
        """Return the paper's reader with a kind of knowledge."""
        require_kind(kind, self.kinds)
        made = _made(self)
        return Adversary(made.series.prior, made.sequence(kind))


class Learner(ABC):
    """Learns each kind of knowledge once, and keeps it while jobs of the same setting run."""

    def __init__(self) -> None:
        """Begin knowing nothing."""
        self._known: dict[str, Any] = {}

    def sequence(self, kind: str) -> Any:
        """Return what is known of sequences."""
        if kind not in self._known:
            self._known[kind] = self._learned(kind)
        return self._known[kind]

    @abstractmethod
    def _learned(self, kind: str) -> Any:
        """Learn a kind of knowledge."""


class _Made(Learner):
    """What is made of a setting."""

    def __init__(self, setting: MadeSetting) -> None:
        super().__init__()
        self._setting = setting

    @cached_property
    def series(self) -> Hospital | Register:
        return self._drawn(self._setting.size)

    def _drawn(self, size: int, patients: int = 0) -> Hospital | Register:
        own = self._setting
        return made_series(own.preset, views=own.views, size=size, seed=own.seed, patients=patients)

    def _learned(self, kind: str) -> Any:
        if kind == "snapshot":
            return None
        if kind == "DK":
            return self.series.sequence
        if kind == "IE":
            return IncrementalKnowledge(STEPS)
        if kind.endswith("-step"):
            return truncate(self.series.sequence, steps=int(kind[0]))
        part = int(kind.partition("/")[2] or 1)
        corpus = self._drawn(max(self._setting.size // part, 1), CORPUS)
        schema = corpus.schema
        return mine(
            list(corpus.stream()),
            steps=STEPS,
            respondent=schema.respondent,
            value=schema.sensitive.name,
        )


@lru_cache(maxsize=2)
def _made(setting: MadeSetting) -> _Made:
    return _Made(setting)


def require_kind(kind: str, kinds: tuple[str, ...]) -> None:
    """Refuse a kind of knowledge that a setting does not have."""
    if kind not in kinds:
        message = f"Readers have no knowledge {kind!r} here; possible are {listed(kinds)}."
        raise KnowledgeError(message)
