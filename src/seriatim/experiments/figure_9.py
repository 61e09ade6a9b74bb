"""Figure 9: what an adversary gains against JS-reduce, by the threshold j.

Standing cells have no curve here: what bounds the gain on them is the size that a rehearsal
finds for a target, so another j means another rehearsal and other cells, and curves over j
would show how well rehearsals meet their target, which `lasting` does.
"""

from __future__ import annotations

import itertools

from seriatim.experiments.claims import (
    Claim,
    Curve,
    Drawing,
    Panel,
    gains,
    judged,
    on_condition,
    suppressed_share,
    told,
)
from seriatim.experiments.figure_3 import JS_J
from seriatim.experiments.paper_plans import JS_REDUCE
from seriatim.experiments.plans import Demand, Plan
from seriatim.experiments.results import Results
from seriatim.publish.policy import js_reduce


def demands() -> list[Demand]:
    """Return JS-reduce with each threshold."""
    return [Demand(plan, ("DK",)) for plan in _plans().values()]


def drawings(results: Results) -> list[Drawing]:
    """Return one panel with a curve for each threshold."""
    curves = tuple(
        Curve(f"j = {j:g}", curve.points)
        for j, plan in _plans().items()
        for curve in gains(results, "", plan.name, ("DK",)).curves
    )
    title = "Adversary gain against JS-reduce by threshold j (t = 0.5)"
    return [Drawing("figure-9", title, "release", "gain", (Panel("", curves),))]


def claims(results: Results) -> list[Claim]:
    """Judge whether a lower threshold means a lower gain."""
    there = {j: plan for j, plan in _plans().items() if results.has(plan.name, "DK")}
    means = {j: results.mean(plan.name, "DK") for j, plan in there.items()}
    in_order = [means[j].mean for j in sorted(means)]
    rises = [low <= high for low, high in itertools.pairwise(in_order)]
    lost = {j: suppressed_share(results, plan.name) for j, plan in there.items()}
    return [
        Claim(
            "Figure 9",
            "the lower the threshold, the lower the gain",
            "means: " + ", ".join(f"j={j:g} {told(point)}" for j, point in means.items()),
            on_condition(judged(rises), results, JS_REDUCE.name),
            "suppressed of what was released: "
            + ", ".join(f"j={j:g} {share:.0%}" for j, share in lost.items()),
        )
    ]


def _plans() -> dict[float, Plan]:
    return {
        j: JS_REDUCE
        if j == 0.6
        else Plan(f"JS-reduce, t=0.5, j={j:g}", js_reduce(k=10, t=0.5, j=j), "DK")
        for j in JS_J
    }
