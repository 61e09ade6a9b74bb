"""Figure 3: how much quasi-identifiers are generalized, over the parameters of Table IV.

Rehearsed standing cells have none of these parameters to go over, since their size is found
and not set: they are drawn across, at the bold t and j.
"""

from __future__ import annotations

from collections.abc import Sequence

from seriatim.experiments.claims import (
    Claim,
    Curve,
    Drawing,
    Level,
    Panel,
    judged,
    mean_size,
    told,
)
from seriatim.experiments.paper_plans import (
    BT_PRIVACY,
    EXISTING,
    JS_REDUCE,
    L_DIVERSITY,
    T_CLOSENESS,
)
from seriatim.experiments.plans import Demand, Plan
from seriatim.experiments.results import Point, Results
from seriatim.experiments.standing import STANDING, standing_of
from seriatim.publish.policy import js_reduce
from seriatim.publish.presets import bt_privacy, l_diversity, t_closeness

_EVERY = 4
"""Techniques of one table: every fourth view is enough for a mean."""

L = (2, 4, 6, 8)
T = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
BT_T = (0.5, 0.6, 0.7, 0.8)
BT_B = (0.3, 0.5, 0.7)
JS_T = (0.5, 0.6, 0.7, 0.8)
JS_J = (0.2, 0.4, 0.6, 0.8)


def demands() -> list[Demand]:
    """Return the series of Table IV."""
    swept = [
        *(Plan(_l(l), l_diversity(l=l), every=_EVERY) for l in L),
        *(Plan(_t(t), t_closeness(t=t), every=_EVERY) for t in T),
        *(
            Plan(_bt(b, t), bt_privacy(bandwidth=b, t=t), every=_EVERY)
            for b, t in [*((0.5, t) for t in BT_T), (0.3, 0.8), (0.7, 0.8)]
        ),
        *(Plan(_js(t, 0.6), js_reduce(k=10, t=t, j=0.6), "DK") for t in JS_T[1:]),
        *(Plan(_js(0.5, j), js_reduce(k=10, t=0.5, j=j), "DK") for j in JS_J if j != 0.6),
    ]
    own = (L_DIVERSITY, T_CLOSENESS, BT_PRIVACY, JS_REDUCE, STANDING)
    return [Demand(plan) for plan in (*swept, *own)]


def drawings(results: Results) -> list[Drawing]:
    """Return a panel for each technique."""
    panels = (
        Panel("l-diversity", (_swept(results, "l", {l: _l(l) for l in L}),)),
        Panel("t-closeness", (_swept(results, "t", {t: _t(t) for t in T}),)),
        Panel(
            "(B,t)-privacy",
            (
                _swept(results, "t (B = 0.5)", {t: _bt(0.5, t) for t in BT_T}),
                _swept(results, "B (t = 0.8)", {b: _bt(b, 0.8) for b in BT_B}),
            ),
        ),
        Panel(
            "JS-reduce",
            (
                _swept(results, "t (j = 0.6)", {t: _js(t, 0.6) for t in JS_T}),
                _swept(results, "j (t = 0.5)", {j: _js(0.5, j) for j in JS_J}),
            ),
        ),
    )
    return [
        Drawing(
            "figure-3",
            "Generalization of quasi-identifiers over the parameters of Table IV",
            "parameter",
            "mean semiperimeter",
            panels,
            levels=_levels(results),
        )
    ]


def claims(results: Results) -> list[Claim]:
    """Judge what the paper says of the techniques' semiperimeters."""
    own = results.mean(JS_REDUCE.name, measure="semiperimeter")
    others = {plan.name: results.mean(plan.name, measure="semiperimeter") for plan in EXISTING}
    smallest = min(mean_size(results, plan.name) for plan in EXISTING)
    return [
        Claim(
            "Figure 3",
            "JS-reduce generalizes quasi-identifiers less than the other techniques",
            f"semiperimeter {told(own)}; "
            + ", ".join(f"{name} {told(point)}" for name, point in others.items()),
            judged([own.mean < point.mean for point in others.values()]),
            f"its groups have {mean_size(results, JS_REDUCE.name):.0f} tuples, since t = 0.5 and"
            f" k = 10 ask for them, and those of the others as few as {smallest:.0f}",
        )
    ]


def _levels(results: Results) -> tuple[Level, ...]:
    ours = standing_of(results)
    if ours is None:
        return ()
    return (Level(ours.name, results.mean(ours.name, measure="semiperimeter").mean),)


def _swept(results: Results, name: str, series: dict[float, str]) -> Curve:
    points: Sequence[Point] = [
        Point(float(x), found.mean, found.spread)
        for x, one in series.items()
        if results.has(one, measure="semiperimeter")
        for found in [results.mean(one, measure="semiperimeter")]
    ]
    return Curve(name, tuple(points))


def _l(l: int) -> str:
    return f"l-diversity, l={l}"


def _t(t: float) -> str:
    return f"t-closeness, t={t:g}"


def _bt(b: float, t: float) -> str:
    return f"(B,t)-privacy, B={b:g}, t={t:g}"


def _js(t: float, j: float) -> str:
    return JS_REDUCE.name if (t, j) == (0.5, 0.6) else f"JS-reduce, t={t:g}, j={j:g}"
