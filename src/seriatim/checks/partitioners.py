"""Laws of partitioners."""

from __future__ import annotations

import numpy as np

from seriatim._typing import Value
from seriatim.checks._cases import random_beliefs, random_table, require, schema_over, shuffled
from seriatim.knowledge.belief import Belief
from seriatim.microdata.view import View
from seriatim.partition.partition import Partition, Partitioner
from seriatim.partition.ties import tie_order
from seriatim.privacy.js_bound import JSBound
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.t_closeness import TCloseness
from seriatim.privacy.tally import Evidence
from seriatim.privacy.verdict import Verdict


def check_partitioner(
    partitioner: Partitioner,
    requirement: Requirement | None = None,
    *,
    cases: int = 20,
    seed: int = 0,
) -> None:
    """Check that a partitioner keeps what releases rely on.

    Every tuple is in one group or left over; every group meets the requirement;
    and the order in which tuples arrived does not matter.
    """
    rng = np.random.default_rng(seed)
    asked = KAnonymity(k=3) & TCloseness(t=0.6) & JSBound(j=0.8)
    goal = asked if requirement is None else requirement
    for case in range(cases):
        values: tuple[Value, ...] = tuple(f"v{code}" for code in range(int(rng.integers(1, 6))))
        rows = int(rng.integers(3, 80))
        table = random_table(rng, rows, values)
        revised = Belief(random_beliefs(rng, rows, len(values)), values)
        views = [View.from_table(one, schema_over(values)) for one in (table, shuffled(rng, table))]
        found, again = (
            partitioner.partition(view, revised, goal, ties=tie_order(view, bytes([case])))
            for view in views
        )
        verdict = goal.verdict(found.tally(Evidence.of(views[0], revised)))
        require_lawful(found, again, verdict, f"{rows} tuples")


def require_lawful(found: Partition, again: Partition, verdict: Verdict, case: str) -> None:
    """Require what every partition keeps; ``again`` is that of the same tuples in another order."""
    everyone = np.sort(np.concatenate([found.rows, found.remainder]))
    require(
        np.array_equal(everyone, np.arange(len(everyone))),
        "Groups and remainder together must be the view, every tuple once.",
        case,
    )
    require(verdict.holds, "Every group must meet the requirement.", verdict)
    require(
        np.array_equal(found.group_of, again.group_of),
        "The order in which tuples arrive must not matter.",
        case,
    )
