"""The paper's Algorithm 2: scan the Hilbert order, close a group as soon as it may stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seriatim._typing import IntArray, WordArray
from seriatim.knowledge.belief import Belief
from seriatim.microdata.view import View
from seriatim.partition.hilbert import hilbert_order
from seriatim.partition.partition import Partition
from seriatim.privacy.requirement import Compiled, Requirement
from seriatim.privacy.tally import Evidence, Tally


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


def greedy_starts(order: IntArray, evidence: Evidence, requirement: Requirement) -> IntArray:
    """Return where groups begin along an order; the last entry is where the last one ends."""
    compiled = requirement.compiled(evidence)
    if compiled is None:
        ends = _scan(order, evidence, requirement)
    else:
        ends = _compiled_scan(order, evidence, compiled)
    return np.concatenate([[0], ends]).astype(np.int64)


def _compiled_scan(order: IntArray, evidence: Evidence, compiled: Compiled) -> IntArray:
    from seriatim.kernels.greedy import greedy_ends

    ends: IntArray = greedy_ends(
        order,
        evidence.value_codes,
        evidence.beliefs,
        evidence.entropies,
        evidence.view_counts,
        *compiled.arguments,
    )
    return ends


def _scan(order: IntArray, evidence: Evidence, requirement: Requirement) -> IntArray:
    """Scan in Python, for requirements that have no compiled form."""
    tally, ends = Tally.empty(evidence), []
    for place, row in enumerate(order.tolist()):
        tally.add(evidence, row)
        if requirement.verdict(tally, scanning=True).holds:
            ends.append(place + 1)
            tally.clear()
    return np.array(ends, dtype=np.int64)
