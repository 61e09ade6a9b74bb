"""What a partitioner remembers of a series: whom it put where.

Most partitioners look at one view. A serial one goes on with what it did before: it is
shown a register, and hands back an enrolment that becomes part of the series when the
release does, or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray, WordArray
from seriatim.errors import OrderError
from seriatim.knowledge.belief import Belief
from seriatim.microdata.slots import Slots
from seriatim.microdata.view import View
from seriatim.partition.partition import Partition
from seriatim.privacy.requirement import Requirement

UNPLACED = -1
"""The place of a respondent who has none yet."""


@dataclass(frozen=True, eq=False)
class Enrolment:
    """What a partitioner will remember once a release is part of the series."""

    respondents: pa.Array
    """Whom it placed."""

    places: IntArray
    """A number for each, from 0, that means something to the partitioner."""

    plan: Mapping[str, Any]
    """What it remembers besides, in plain values."""

    version: int
    """The state of the register that this rests on."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Enrolment({len(self.places)} respondents)"


class Register(Protocol):
    """Keeps what a partitioner remembers."""

    @property
    def version(self) -> int:
        """A number that grows with every enrolment."""
        ...

    @property
    def plan(self) -> Mapping[str, Any]:
        """What is remembered besides places; empty before the first release."""
        ...

    def places(self, respondents: pa.Array) -> IntArray:
        """Return the place of each respondent; -1 for those without one."""
        ...

    def keep(self, enrolment: Enrolment) -> None:
        """Take in an enrolment, which must rest on the register as it is."""
        ...


@runtime_checkable
class SerialPartitioner(Protocol):
    """A way to form groups that goes on with what it did in earlier releases."""

    def partition_next(
        self,
        view: View,
        revised: Belief,
        requirement: Requirement,
        *,
        ties: WordArray,
        register: Register,
    ) -> tuple[Partition, Enrolment]:
        """Form groups that all meet the requirement, and say what to remember of them."""
        ...


class LocalRegister:
    """A register in arrays that grow with the respondents seen."""

    def __init__(self) -> None:
        """Begin with nobody placed."""
        self._slots = Slots()
        self._places: IntArray = np.empty(0, dtype=np.int64)
        self._plan: Mapping[str, Any] = {}
        self._version = 0

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"LocalRegister({len(self._slots)} respondents)"

    @property
    def version(self) -> int:
        """A number that grows with every enrolment."""
        return self._version

    @property
    def plan(self) -> Mapping[str, Any]:
        """What is remembered besides places; empty before the first release."""
        return self._plan

    def places(self, respondents: pa.Array) -> IntArray:
        """Return the place of each respondent; -1 for those without one."""
        slots = self._slots.of(respondents)
        found = np.full(len(slots), UNPLACED, dtype=np.int64)
        found[slots >= 0] = self._places[slots[slots >= 0]]
        return found

    def keep(self, enrolment: Enrolment) -> None:
        """Take in an enrolment, which must rest on the register as it is."""
        require_current(self, enrolment)
        slots, new = self._slots.with_newcomers(enrolment.respondents)
        more = len(self._slots) + len(new) - len(self._places)
        if more > 0:
            # Doubling keeps the cost of growth proportional to the newcomers.
            room = np.full(max(more, len(self._places)), UNPLACED, dtype=np.int64)
            self._places = np.concatenate([self._places, room])
        self._places[slots] = enrolment.places
        self._slots.add(enrolment.respondents.take(pa.array(new)), slots[new])
        self._plan = dict(enrolment.plan)
        self._version += 1


def require_begun_with(register: Register, name: str) -> None:
    """Refuse a series that another partitioner began: its plan does not have what is needed."""
    if register.version and name not in register.plan:
        message = (
            "The series was begun with another partitioner, which remembers something else. Go on"
            " with that one, or begin a new series."
        )
        raise OrderError(message)


def require_current(register: Register, enrolment: Enrolment) -> None:
    """Refuse an enrolment that rests on an older state of the register."""
    if register.version != enrolment.version:
        message = (
            "The series has gone on since these groups were formed; keeping them now would undo"
            " what was remembered since. Form them again."
        )
        raise OrderError(message)
