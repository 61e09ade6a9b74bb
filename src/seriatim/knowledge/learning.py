"""Knowledge that is learned from the views themselves, as they come.

The reader one defends against is then one who knows the custodian's own data as a
whole: how values go with quasi-identifiers, and what followed what. What is learned
from a view is a ``Lesson``, kept in a ``Notebook`` together with the release or not
at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray
from seriatim.errors import OrderError
from seriatim.microdata.slots import Slots
from seriatim.microdata.view import View


@dataclass(frozen=True, eq=False)
class Lesson:
    """What one view teaches: where each respondent's sequence stands, and what was counted."""

    respondents: pa.Array
    """The respondents of the view."""

    contexts: IntArray
    """The number of the context of each one's last values, this view included."""

    cells: IntArray
    """What was counted: places in the flat table of counts, each once."""

    times: IntArray
    """How often each was counted in this view."""

    size: int
    """The length of the table of counts."""

    version: int
    """The state of the notebook that this rests on."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Lesson({len(self.contexts)} respondents)"


class Notebook(Protocol):
    """Keeps what was learned from original views."""

    @property
    def version(self) -> int:
        """A number that grows with every lesson."""
        ...

    def contexts(self, respondents: pa.Array) -> IntArray:
        """Return the context of each respondent; 0 for those never seen."""
        ...

    def counts(self, size: int) -> IntArray:
        """Return what was counted so far, as a flat table of a size; not to be changed."""
        ...

    def keep(self, lesson: Lesson) -> None:
        """Add a lesson, which must rest on the notebook as it is."""
        ...


class LocalNotebook:
    """A notebook in arrays that grow with the respondents seen."""

    def __init__(self) -> None:
        """Begin with nothing learned."""
        self._slots = Slots()
        self._contexts: IntArray = np.empty(0, dtype=np.int64)
        self._counts: IntArray | None = None
        self._version = 0

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"LocalNotebook({len(self._slots)} respondents)"

    @property
    def version(self) -> int:
        """A number that grows with every lesson."""
        return self._version

    def contexts(self, respondents: pa.Array) -> IntArray:
        """Return the context of each respondent; 0 for those never seen."""
        slots = self._slots.of(respondents)
        found = np.zeros(len(slots), dtype=np.int64)
        found[slots >= 0] = self._contexts[slots[slots >= 0]]
        return found

    def counts(self, size: int) -> IntArray:
        """Return what was counted so far, as a flat table of a size; not to be changed."""
        if self._counts is None:
            return np.zeros(size, dtype=np.int64)
        if len(self._counts) != size:
            message = (
                "The notebook was kept with another number of steps, values or classes. Go on"
                " with the knowledge that the series was begun with."
            )
            raise OrderError(message)
        return self._counts

    def keep(self, lesson: Lesson) -> None:
        """Add a lesson, which must rest on the notebook as it is."""
        require_unchanged(self, lesson)
        slots, new = self._slots.with_newcomers(lesson.respondents)
        more = len(self._slots) + len(new) - len(self._contexts)
        if more > 0:
            # Doubling keeps the cost of growth proportional to the newcomers.
            room = np.zeros(max(more, len(self._contexts)), dtype=np.int64)
            self._contexts = np.concatenate([self._contexts, room])
        counts = self.counts(lesson.size)
        counts[lesson.cells] += lesson.times
        self._counts = counts
        self._contexts[slots] = lesson.contexts
        self._slots.add(lesson.respondents.take(pa.array(new)), slots[new])
        self._version += 1


def require_unchanged(notebook: Notebook, lesson: Lesson) -> None:
    """Refuse a lesson that was drawn before the notebook's last one."""
    if notebook.version != lesson.version:
        message = (
            "The notebook has changed since this view was studied; keeping the lesson now would"
            " count something twice. Study the view again."
        )
        raise OrderError(message)


@runtime_checkable
class Learner(Protocol):
    """Knowledge that must study each original view before it can be asked."""

    def study(self, view: View, notebook: Notebook) -> tuple[Any, Lesson | None]:
        """Return what is known with this view, and what to keep of it."""
        ...
