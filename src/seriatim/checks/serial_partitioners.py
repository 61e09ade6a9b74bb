"""Laws of partitioners that go on with what they did before."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from seriatim._typing import Value
from seriatim.checks._cases import random_beliefs, random_table, require, schema_over, shuffled
from seriatim.checks.partitioners import require_lawful
from seriatim.knowledge.belief import Belief
from seriatim.microdata.view import View
from seriatim.partition.register import Enrolment, LocalRegister, SerialPartitioner
from seriatim.partition.ties import tie_order
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.tally import Evidence

_VALUES: tuple[Value, ...] = ("v0", "v1", "v2", "v3")


def check_serial_partitioner(
    partitioner: SerialPartitioner,
    requirement: Requirement,
    *,
    releases: int = 5,
    cases: int = 10,
    seed: int = 0,
) -> None:
    """Check that a serial partitioner keeps what series rely on.

    In every release each tuple is in one group or left over, every group meets the
    requirement with its counterfeits, and the order in which tuples arrived does not
    matter. The register is only read, and an enrolment names whom it placed, once each.
    """
    rng = np.random.default_rng(seed)
    for case in range(cases):
        register = LocalRegister()
        for release in range(releases):
            rows = int(rng.integers(12, 60))
            table = random_table(rng, rows, _VALUES)
            # Ids from a small pool, so that people come again.
            table["who"] = rng.choice(rows + 20, rows, replace=False).tolist()
            revised = Belief(random_beliefs(rng, rows, len(_VALUES)), _VALUES)
            views = [
                View.from_table(one, schema_over(_VALUES)) for one in (table, shuffled(rng, table))
            ]
            version = register.version
            (found, enrolment), (again, _) = (
                partitioner.partition_next(
                    view,
                    revised,
                    requirement,
                    ties=tie_order(view, bytes([case])),
                    register=register,
                )
                for view in views
            )
            where = f"release {release} of {rows} tuples"
            verdict = requirement.verdict(found.tally(Evidence.of(views[0], revised)))
            require_lawful(found, again, verdict, where)
            require(register.version == version, "A register may only be read.", where)
            _check_enrolment(register, enrolment, where)


def _check_enrolment(register: LocalRegister, enrolment: Enrolment, where: str) -> None:
    known = len(pa.array(enrolment.respondents).unique()) == len(enrolment.places)
    require(known, "An enrolment names each respondent once.", where)
    register.keep(enrolment)
    kept = register.places(enrolment.respondents)
    require(np.array_equal(kept, enrolment.places), "A register keeps what it is given.", where)
