"""Laws of requirements."""

from __future__ import annotations

import numpy as np

from seriatim._typing import IntArray
from seriatim.checks._cases import ROUNDING, random_view, require
from seriatim.privacy.requirement import Measured, Requirement
from seriatim.privacy.tally import Evidence, Tally


def check_requirement(requirement: Requirement, *, cases: int = 50, seed: int = 0) -> None:
    """Check that a requirement measures groups as partitioners expect.

    A group is measured the same alone and among others, whatever the order of its
    members; a tally grown tuple by tuple gives the same verdict; and the compiled
    form, where there is one, measures what the requirement measures.
    """
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        n_values, n_tuples = int(rng.integers(1, 7)), int(rng.integers(2, 40))
        values = tuple(f"v{code}" for code in range(n_values))
        evidence = Evidence.of(*random_view(rng, n_tuples, values))
        rows = rng.permutation(n_tuples)
        cut = int(rng.integers(1, n_tuples))
        among_others = Tally.of(evidence, rows, np.array([0, cut, n_tuples]))
        members = rng.permutation(rows[:cut])
        alone = Tally.of(evidence, members, np.array([0, cut]))
        _same(requirement, alone, among_others, "alone and among others, in any order")
        _same(requirement, alone, _grown(evidence, members), "finished and grown one by one")
        _check_compiled(requirement, alone)


def _grown(evidence: Evidence, members: IntArray) -> Tally:
    tally = Tally.empty(evidence)
    for row in members.tolist():
        tally.add(evidence, row)
    return tally


def _close(one: float, other: float) -> bool:
    return one == other or abs(one - other) <= ROUNDING  # infinite measures are the same


def _same(requirement: Requirement, one: Tally, other: Tally, how: str) -> None:
    pairs = zip(requirement.verdict(one).findings, requirement.verdict(other).findings, strict=True)
    for first, second in pairs:
        require(
            _close(float(first.measured[0]), float(second.measured[0])),
            f"A group must measure the same {how}.",
            f"{first.requirement} on {one.sizes[0]} tuples",
        )


def _check_members(part: Measured, tally: Tally) -> None:
    from seriatim.kernels.criteria import farthest

    assert tally.roll is not None
    criterion = part.member_criterion(tally.roll.evidence)
    if criterion is None:
        return
    fast = farthest(
        tally.roll.rows,
        tally.value_counts[0],
        tally.sizes[0],
        criterion.beliefs,
        criterion.smoother,
    )
    require(
        _close(fast, float(part.measure(tally)[0]))
        and criterion.bound == part.bound + part.scan_tolerance,
        "The compiled form must measure what the requirement measures, against the same bound.",
        f"{part}: {fast} compiled",
    )


def _check_compiled(requirement: Requirement, tally: Tally) -> None:
    from seriatim.kernels.criteria import AT_LEAST, is_strict, measured

    for part in requirement.parts:
        _check_members(part, tally)
        criterion = part.criterion()
        if criterion is None:
            continue
        fast = measured(
            criterion.code,
            tally.sizes[0],
            tally.value_counts[0],
            tally.belief_sums[0],
            tally.entropy_sums[0],
            tally.view_counts,
            int(tally.view_counts.sum()),
        )
        slow = float(part.measure(tally)[0])
        law = (
            "The compiled form must measure what the requirement measures, against the same bound."
        )
        require(
            _close(fast, slow)
            and criterion.bound == part.bound
            and (criterion.code in AT_LEAST) == part.at_least
            and is_strict(criterion.code) == part.strict,
            law,
            f"{part}: {fast} compiled, {slow} in Python",
        )
