"""Mondrian: cut the quasi-identifiers top-down, at the median of the widest one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seriatim._typing import BoolArray, IntArray, WordArray
from seriatim.knowledge.belief import Belief
from seriatim.microdata.view import View
from seriatim.partition.partition import Partition
from seriatim.partition.space import Space
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.tally import Evidence, Tally


@dataclass(frozen=True)
class Mondrian:
    """Strict Mondrian (LeFevre, DeWitt and Ramakrishnan, 2006), under any requirement.

    A group is cut in two at the median of the quasi-identifier in which it is widest,
    relative to the domain, if both halves meet the requirement; otherwise the next widest
    is tried. The border nearest to the median is taken, above or below it, so a cut
    separates also where the median is the greatest value. In trees and calendars the
    borders between the largest units are tried first, then those inside them.

    Requirements such as the divergence of beliefs may fail for the whole view and hold for
    its parts: what does not meet the requirement is cut all the same, and only what cannot
    be cut any further is left over.

    Cuts are made anew for every release, by who is in it: over a series, people are dealt
    into new groups. That is how this technique leaks, and why it is here as a baseline.

    >>> from seriatim import Adversary, KAnonymity, Numeric, Policy, Publisher, Schema, Sensitive
    >>> schema = Schema("name", [Numeric("age", 50, 80)], Sensitive("exam"))
    >>> publisher = Publisher(schema, Policy(KAnonymity(k=2), Mondrian()), Adversary())
    >>> table = {"name": list("ABCDE"), "age": [51, 52, 60, 61, 79], "exam": list("xyxyx")}
    >>> sorted(publisher.publish(table, at=1).covers[0].text.to_pylist())
    ['[51,60]', '[61,79]']
    """

    def partition(
        self,
        view: View,
        revised: Belief,
        requirement: Requirement,
        *,
        ties: WordArray,
    ) -> Partition:
        """Form groups by cutting; equals are never separated, so ties are not needed."""
        from seriatim.kernels.mondrian import mondrian_segments

        space = Space.of(view)
        evidence = Evidence.of(view, revised)
        compiled = requirement.compiled(evidence)
        if compiled is None:
            order, ends, standing = _in_python(space, evidence, requirement)
        else:
            order, ends, standing = mondrian_segments(
                space.ranks,
                space.places,
                space.offsets,
                space.heights,
                evidence.value_codes,
                evidence.beliefs,
                evidence.entropies,
                evidence.view_counts,
                *compiled.arguments,
            )
        sizes = np.diff(ends, prepend=0)
        kept = np.repeat(standing, sizes)
        starts = np.concatenate([[0], np.cumsum(sizes[standing])])
        return Partition(order[kept], starts, order[~kept])


def _in_python(
    space: Space, evidence: Evidence, requirement: Requirement
) -> tuple[IntArray, IntArray, BoolArray]:
    """Cut as the kernel does, for requirements that have no compiled form."""
    everyone = np.arange(len(evidence))
    waiting = [(everyone, _holds(evidence, requirement, everyone))]
    segments: list[IntArray] = []
    standing: list[bool] = []
    while waiting:
        rows, may_stand = waiting.pop()
        parts = _cut(space, evidence, requirement, rows, may_stand=may_stand)
        if parts is None:
            segments.append(rows)
            standing.append(may_stand)
        else:
            waiting += [(part, _holds(evidence, requirement, part)) for part in reversed(parts)]
    return (
        np.concatenate(segments),
        np.cumsum([len(rows) for rows in segments]),
        np.array(standing, dtype=bool),
    )


def _cut(
    space: Space, evidence: Evidence, requirement: Requirement, rows: IntArray, *, may_stand: bool
) -> tuple[IntArray, IntArray] | None:
    """Return the halves of the first cut that leaves two groups; None where rows stay together."""
    from seriatim.kernels.mondrian import HIGHEST, NO_BORDER, best_border, divide, widths_of

    widths = widths_of(rows, space.ranks, space.places, space.offsets)
    first = None
    for axis in np.argsort(-widths, kind="stable"):
        own, heights = space.ranks[:, axis], space.heights[space.offsets[axis] :]
        in_order, below = np.sort(own[rows]), HIGHEST
        while True:
            border, below = best_border(in_order, heights, below)
            if border == NO_BORDER:
                break
            divided = np.empty_like(rows)
            left = divide(rows, own, border, divided)
            halves = divided[:left], divided[left:]
            if all(_holds(evidence, requirement, half) for half in halves):
                return halves
            first = first or halves
    return None if may_stand else first


def _holds(evidence: Evidence, requirement: Requirement, rows: IntArray) -> bool:
    tally = Tally.of(evidence, rows, np.array([0, len(rows)]))
    return requirement.verdict(tally, scanning=True).holds
