"""Figure 8: data quality, by penalty and by the error of random counts."""

from __future__ import annotations

from seriatim.experiments.claims import (
    OURS,
    Claim,
    Curve,
    Drawing,
    Panel,
    judged,
    mean_size,
    suppressed_share,
    told,
)
from seriatim.experiments.paper_plans import ALL, EXISTING, JS_REDUCE_SPM, js_reduce_of
from seriatim.experiments.plans import Demand
from seriatim.experiments.results import Point, Results, query_measure
from seriatim.experiments.standing import STANDING, STANDING_SPM, beside, standing_of

SELECTIVITIES = (0.02, 0.04, 0.06, 0.08, 0.1)


def demands() -> list[Demand]:
    """Return all techniques, with queries."""
    plans = (*ALL, JS_REDUCE_SPM, STANDING, STANDING_SPM)
    return [Demand(plan, (), SELECTIVITIES) for plan in plans]


def drawings(results: Results) -> list[Drawing]:
    """Return the penalty release by release, and the error by selectivity."""
    names = [plan.name for plan in beside(results, *EXISTING, js_reduce_of(results))]
    penalties = tuple(Curve(name, results.curve(name, measure="GCP")) for name in names)
    errors = tuple(
        Curve(
            name,
            tuple(
                Point(each, found.mean, found.spread)
                for each in SELECTIVITIES
                if results.has(name, measure=query_measure(each))
                for found in [results.mean(name, measure=query_measure(each))]
            ),
        )
        for name in names
    )
    return [
        Drawing(
            "figure-8a",
            "Global certainty penalty",
            "release",
            "GCP",
            (Panel("", penalties),),
        ),
        Drawing(
            "figure-8b",
            "Median error of random range-count queries",
            "expected selectivity",
            "median relative error",
            (Panel("", errors),),
        ),
    ]


def claims(results: Results) -> list[Claim]:
    """Judge whether JS-reduce keeps more detail than the others."""
    plan = js_reduce_of(results)
    own = "" if plan is None else plan.name
    found = []
    for measure, says in (
        ("GCP", "JS-reduce loses less detail (GCP) than the other techniques"),
        (
            query_measure(0.06),
            "JS-reduce answers counts with a smaller median error than the others",
        ),
    ):
        if not results.has(own, measure=measure):
            continue
        mine = results.mean(own, measure=measure)
        others = {plan.name: results.mean(plan.name, measure=measure) for plan in EXISTING}
        found.append(
            Claim(
                "Figure 8",
                says,
                f"{own} {told(mine)}; "
                + ", ".join(f"{name} {told(point)}" for name, point in others.items()),
                judged([mine.mean < point.mean for point in others.values()]),
                f"its groups have {mean_size(results, own):.0f} tuples and those of the others "
                + ", ".join(f"{mean_size(results, plan.name):.0f}" for plan in EXISTING),
            )
        )
    return found + _ours(results, own)


def _ours(results: Results, rival: str) -> list[Claim]:
    """Set the cells beside the other series that promises the same k, t and j."""
    plan, measure = standing_of(results), query_measure(0.06)
    if plan is None or not all(results.has(one, measure=measure) for one in (plan.name, rival)):
        return []
    mine, other = (results.mean(one, measure=measure) for one in (plan.name, rival))
    return [
        Claim(
            OURS,
            "standing cells answer counts with a smaller median error than JS-reduce, at the same"
            " promise of k, t and j",
            f"{plan.name} {told(mine)}; {rival} {told(other)}",
            judged([mine.mean < other.mean]),
            "; ".join(
                f"{one}: groups of {mean_size(results, one):.0f},"
                f" {suppressed_share(results, one):.1%} suppressed"
                for one in (plan.name, rival)
            ),
        )
    ]
