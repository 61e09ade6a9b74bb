"""How what a reader gained is spread over tuples: counts in classes, about nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seriatim._typing import FloatArray
from seriatim.audit.findings import Findings

EDGES = tuple(round(-0.2 + 0.05 * step, 2) for step in range(25))
"""From −0.2 to 1 in steps of 0.05."""


@dataclass(frozen=True)
class Distribution:
    """How many tuples of a series a reader gained how much on."""

    reader: str
    """The reader's name."""

    edges: tuple[float, ...]
    """Where the classes begin and end; each holds its lower end, the last its upper end too."""

    tuples: tuple[int, ...]
    """How many there are in each class; what lies under the first edge is in the first."""

    def above(self, gain: float) -> float:
        """Return the share of tuples in the classes from an edge on."""
        whole = sum(self.tuples)
        held = zip(self.edges[:-1], self.tuples, strict=True)
        return sum(count for edge, count in held if edge >= gain - 1e-9) / whole if whole else 0.0


def distribution(reader: str, gains: FloatArray, edges: Sequence[float] = EDGES) -> Distribution:
    """Count gains by class.

    >>> distribution("joint", np.array([-3.0, 0.0, 0.02, 1.0]), (-0.5, 0.0, 0.5, 1.0)).tuples
    (1, 2, 1)
    """
    bounds = np.asarray(edges, dtype=np.float64)
    # A gain of 0.3 may come as 0.29999999999999998: it belongs where it reads.
    places = np.searchsorted(bounds, gains + 1e-12, side="right") - 1
    counts = np.bincount(np.clip(places, 0, len(bounds) - 2), minlength=len(bounds) - 1)
    return Distribution(reader, tuple(map(float, edges)), tuple(counts.tolist()))


def distributions(findings: Findings) -> tuple[Distribution, ...]:
    """Return how the gain of each reader is spread; nothing where the truth is not known."""
    found = []
    for reader in findings.readers:
        exposures = [one.exposure for one in findings.measured[reader]]
        known = [one.gain for one in exposures if one is not None]
        if len(known) == len(exposures):
            found.append(distribution(reader, np.concatenate(known)))
    return tuple(found)
