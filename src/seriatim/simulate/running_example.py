"""The paper's running example: Alice, Betty, Carol, Doris and two weeks of exams.

Table I as views and releases, Table II as a prior and as sequence knowledge.
Table II(a) lists a few values for each woman, always with the same figures: all
are of one age and one neighbourhood, and we read it as one distribution for
everyone. What Table II leaves out of a distribution is spread evenly over the
exam results it does not name. Neither choice changes a figure of Table III.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from seriatim.knowledge.domain_knowledge import DomainKnowledge
from seriatim.knowledge.marginal_prior import MarginalPrior
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.hierarchical import Hierarchical
from seriatim.microdata.membership import Membership
from seriatim.microdata.numeric import Numeric
from seriatim.microdata.release import Release
from seriatim.microdata.schema import Schema
from seriatim.microdata.sensitive import Sensitive
from seriatim.microdata.view import View

EXAM_RESULTS = tuple(
    f"{exam}-{result}" for exam in ("BCM", "BS", "CX", "MAM", "PNE") for result in ("neg", "pos")
)

_WEEKS: tuple[dict[str, list[Any]], ...] = (
    {
        "name": ["Alice", "Betty", "Carol", "Doris"],
        "age": [51, 52, 51, 52],
        "gender": ["F", "F", "F", "F"],
        "zip": ["12030", "12030", "12031", "12031"],
        "exam": ["MAM-pos", "CX-neg", "CX-pos", "BS-neg"],
    },
    {
        "name": ["Alice", "Carol", "Elisa", "Fran", "Grace"],
        "age": [51, 51, 51, 51, 51],
        "gender": ["F", "F", "F", "F", "F"],
        "zip": ["12030", "12031", "12044", "12045", "12040"],
        "exam": ["BCM-pos", "PNE-pos", "MAM-neg", "CX-neg", "CX-pos"],
    },
)

_PRINTED_GROUPS: tuple[tuple[int, ...], ...] = ((0, 0, 1, 1), (0, 0, 1, 1, 1))

_PRIOR = {"MAM-pos": 0.002, "CX-neg": 0.05, "CX-pos": 0.0003, "BS-neg": 0.2, "BCM-pos": 0.001}

_SEQUENCE: dict[str, list[Any]] = {
    "given": ["MAM-pos", "CX-neg", "CX-pos", "BS-neg", "MAM-pos", "CX-neg", "CX-pos", "BS-neg"],
    "next": ["BCM-pos"] * 4 + ["PNE-pos"] * 4,
    "probability": [0.6, 0.02, 0.02, 0.02, 0.02, 0.08, 0.6, 0.02],
}


@dataclass(frozen=True, eq=False)
class RunningExample:
    """Everything that the paper's Section II gives."""

    schema: Schema
    """Name, age, gender, zip and exam result."""

    tables: tuple[dict[str, list[Any]], ...]
    """The original data of both weeks: Table I(a) and (c)."""

    views: tuple[View, ...]
    """The same, as views."""

    releases: tuple[Release, ...]
    """The generalized data that the paper prints: Table I(b) and (d)."""

    memberships: tuple[Membership, ...]
    """Who is in which group of the printed releases."""

    prior: MarginalPrior
    """Table II(a)."""

    sequence: DomainKnowledge
    """Table II(b)."""


def running_example() -> RunningExample:
    """Return the running example.

    >>> print(running_example().releases[0].group(0).region)
    age [51,52], gender F, zip 12030
    """
    schema = Schema(
        respondent="name",
        quasi_identifiers=(
            Numeric("age"),
            Categorical("gender"),
            Hierarchical("zip", mask="prefix"),
        ),
        sensitive=Sensitive("exam", EXAM_RESULTS),
    )
    views = tuple(View.from_table(week, schema) for week in _WEEKS)
    memberships = tuple(
        Membership(view.roster, np.array(groups))
        for view, groups in zip(views, _PRINTED_GROUPS, strict=True)
    )
    return RunningExample(
        schema,
        _WEEKS,
        views,
        tuple(
            _printed(view, at + 1, members)
            for at, (view, members) in enumerate(zip(views, memberships, strict=True))
        ),
        memberships,
        MarginalPrior(_PRIOR, unlisted="spread"),
        DomainKnowledge.from_table(_SEQUENCE, unlisted="spread"),
    )


def _printed(view: View, at: int, membership: Membership) -> Release:
    """Generalize a view as printed; names are in order, so rows lie as in the paper."""
    rows = membership.members
    starts = np.concatenate([[0], np.cumsum(np.bincount(membership.group_of))])
    covers = tuple(
        attribute.cover(view.points[rows, axis], starts)
        for axis, attribute in enumerate(view.schema.quasi_identifiers)
    )
    return Release(at, view.schema.public(), covers, starts, view.value_codes[rows], view.kind)
