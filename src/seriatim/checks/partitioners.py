"""Laws of partitioners."""

from __future__ import annotations

import numpy as np

from seriatim._typing import Value
from seriatim.checks._cases import random_beliefs, random_table, require, schema_over
from seriatim.knowledge.belief import Belief
from seriatim.microdata.view import View
from seriatim.partition.partition import Partition, Partitioner
from seriatim.partition.ties import tie_order
from seriatim.privacy.js_bound import JSBound
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.t_closeness import TCloseness
from seriatim.privacy.tally import Evidence, Tally


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
    for case in range(cases):
        values: tuple[Value, ...] = tuple(f"v{code}" for code in range(int(rng.integers(1, 6))))
        rows = int(rng.integers(3, 80))
        table = random_table(rng, rows, values)
        view = View.from_table(table, schema_over(values))
        revised = Belief(random_beliefs(rng, rows, len(values)), values)
        goal = asked if requirement is None else requirement

        def partition(
            of: View, goal: Requirement = goal, revised: Belief = revised, case: int = case
        ) -> Partition:
            return partitioner.partition(of, revised, goal, ties=tie_order(of, bytes([case])))

        found = partition(view)
        everyone = np.sort(np.concatenate([found.rows, found.remainder]))
        require(
            np.array_equal(everyone, np.arange(rows)),
            "Groups and remainder together must be the view, every tuple once.",
            f"{rows} tuples",
        )
        verdict = goal.verdict(Tally.of(Evidence.of(view, revised), found.rows, found.starts))
        require(verdict.holds, "Every group must meet the requirement.", verdict)
        shuffle = rng.permutation(rows)
        other = {name: [column[row] for row in shuffle] for name, column in table.items()}
        again = partition(View.from_table(other, schema_over(values)))
        require(
            np.array_equal(found.group_of, again.group_of),
            "The order in which tuples arrive must not matter.",
            f"{rows} tuples",
        )
