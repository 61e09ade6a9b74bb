"""The paper's Algorithm 2: scan the Hilbert order, close a group as soon as it may stand."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from seriatim._typing import IntArray, WordArray
from seriatim.knowledge.belief import Belief
from seriatim.microdata.view import View
from seriatim.partition.hilbert import hilbert_order
from seriatim.partition.partition import Partition
from seriatim.privacy.requirement import Compiled, Requirement
from seriatim.privacy.tally import Evidence, Tally

_PIECE = 2**14
"""Tuples that are worth a scan of their own."""


@dataclass(frozen=True)
class HilbertGreedy:
    """Grow one group at a time along the curve; what is open at the end is left over.

    Faithful to the paper, with its weakness: where knowledge is sharp, beliefs
    drift apart, the open group never gets under j again, and everything behind
    it is left over.

    >>> from seriatim import Adversary, KAnonymity, Numeric, Policy, Publisher, Schema, Sensitive
    >>> schema = Schema("name", [Numeric("age", 50, 80)], Sensitive("exam"))
    >>> publisher = Publisher(schema, Policy(KAnonymity(k=2), HilbertGreedy()), Adversary())
    >>> table = {"name": list("ABCDE"), "age": [51, 52, 60, 61, 79], "exam": list("xyxyx")}
    >>> release = publisher.publish(table, at=1)
    >>> sorted(release.covers[0].text.to_pylist()), publisher.latest.suppressed
    (['[51,52]', '[60,61]'], 1)
    """

    def partition(
        self,
        view: View,
        revised: Belief,
        requirement: Requirement,
        *,
        ties: WordArray,
    ) -> Partition:
        """Form groups along the curve."""
        order = hilbert_order(view, ties=ties)
        evidence = Evidence.of(view, revised)
        starts = greedy_starts(order, evidence, requirement)
        return Partition(order[: starts[-1]], starts, order[starts[-1] :])


def greedy_starts(
    order: IntArray, evidence: Evidence, requirement: Requirement, *, pieces: int | None = None
) -> IntArray:
    """Return where groups begin along an order; the last entry is where the last one ends.

    The order is scanned in ``pieces`` at once, as many as keep the cores busy if left out; the
    groups do not depend on their number.
    """
    compiled = requirement.compiled(evidence)
    if compiled is None:
        ends = _scan(order, evidence, requirement)
    else:
        ends = _compiled_scan(order, evidence, compiled, pieces)
    return np.concatenate([[0], ends]).astype(np.int64)


def _compiled_scan(
    order: IntArray, evidence: Evidence, compiled: Compiled, pieces: int | None
) -> IntArray:
    """Scan the pieces as if a group began with each, and join them where the groups agree."""
    from seriatim.kernels._jit import calls, usable_cores
    from seriatim.kernels.greedy import greedy_ends

    n_tuples = len(order)
    if pieces is None:
        cores = usable_cores()
        pieces = max(1, min(4 * cores, n_tuples // _PIECE) if cores > 1 else 1)
    borders = [n_tuples * piece // pieces for piece in range(pieces + 1)]
    awaited = np.zeros(n_tuples + 1, dtype=bool)
    totals = (order, evidence.value_codes, evidence.beliefs, evidence.entropies)
    given = (*totals, evidence.view_counts, *compiled.arguments)
    guessed = calls(
        greedy_ends, [(first, last, awaited, *given) for first, last in pairwise(borders)]
    )
    found = [guessed[0]]
    for first, ends in zip(borders[1:-1], guessed[1:], strict=True):
        awaited[first] = True
        awaited[ends] = True
    begin = _last(guessed[0], 0)
    while pieces > 1 and begin < n_tuples:
        # The group that a border cuts, and those behind it until one ends where a guess begins.
        found.append(greedy_ends(begin, n_tuples, awaited, *given))
        begin = _last(found[-1], begin)
        if not awaited[begin] or len(found[-1]) == 0:
            break
        ends = guessed[bisect_right(borders, begin, hi=pieces) - 1]
        found.append(ends[np.searchsorted(ends, begin, side="right") :])
        begin = _last(found[-1], begin)
    return np.concatenate(found)


def _last(ends: IntArray, otherwise: int) -> int:
    return int(ends[-1]) if len(ends) else otherwise


def _scan(order: IntArray, evidence: Evidence, requirement: Requirement) -> IntArray:
    """Scan in Python, for requirements that have no compiled form."""
    tally, ends = Tally.empty(evidence), []
    for place, row in enumerate(order.tolist()):
        tally.add(evidence, row)
        if requirement.verdict(tally, scanning=True).holds:
            ends.append(place + 1)
            tally.clear()
    return np.array(ends, dtype=np.int64)
