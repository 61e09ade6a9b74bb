"""Figure 8: data quality, by penalty and by the error of random counts."""

from __future__ import annotations

from seriatim.experiments.claims import Claim, Curve, Drawing, Panel, judged, mean_size, told
from seriatim.experiments.paper_plans import ALL, EXISTING, JS_REDUCE_SPM, js_reduce_of
from seriatim.experiments.plans import Demand
from seriatim.experiments.results import Point, Results

SELECTIVITIES = (0.02, 0.04, 0.06, 0.08, 0.1)


def demands() -> list[Demand]:
    """Return all techniques, with queries."""
    return [Demand(plan, (), SELECTIVITIES) for plan in (*ALL, JS_REDUCE_SPM)]


def drawings(results: Results) -> list[Drawing]:
    """Return the penalty release by release, and the error by selectivity."""
    own = js_reduce_of(results)
    names = [plan.name for plan in (*EXISTING, own) if plan is not None]
    penalties = tuple(Curve(name, results.curve(name, measure="GCP")) for name in names)
    errors = tuple(
        Curve(
            name,
            tuple(
                Point(each, found.mean, found.spread)
                for each in SELECTIVITIES
                if results.has(name, measure=_query(each))
                for found in [results.mean(name, measure=_query(each))]
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
        (_query(0.06), "JS-reduce answers counts with a smaller median error than the others"),
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
    return found


def _query(selectivity: float) -> str:
    return f"query error {selectivity:g}"
