"""What becomes of a store when the sensitive domain grows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seriatim._typing import IntArray
from seriatim.microdata.schema import Schema


@dataclass(frozen=True, eq=False)
class Extension:
    """Where everything goes when the sensitive domain grows."""

    schema: Schema
    """The schema with the larger domain."""

    structure: bytes = b""
    """What the places of pasts mean from now on."""

    places: IntArray | None = None
    """The new place for each old one; None where nothing is remembered."""

    contexts: IntArray | None = None
    """The new context for each old one; None where nothing is learned from the views."""

    old_shape: tuple[int, int] = (0, 0)
    """Contexts and values of the table of counts as it was."""

    new_shape: tuple[int, int] = (0, 0)
    """The same as it is from now on."""

    n_classes: int = 1
    """Classes of the table of counts."""

    @property
    def size(self) -> int:
        """The new length of the table of counts."""
        return self.n_classes * self.new_shape[0] * self.new_shape[1]

    def moved_cells(self, cells: IntArray) -> IntArray:
        """Return the new places in the flat table of counts."""
        assert self.contexts is not None
        contexts, values = self.old_shape
        kind, rest = np.divmod(cells, contexts * values)
        context, value = np.divmod(rest, values)
        row = kind * self.new_shape[0] + self.contexts[context]
        return np.asarray(row * self.new_shape[1] + value)
