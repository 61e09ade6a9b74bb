"""Figure 7: how much an adversary believes in the true values."""

from __future__ import annotations

from seriatim.experiments.claims import (
    OURS,
    Claim,
    Curve,
    Drawing,
    Panel,
    judged,
    on_condition,
    suppressed_share,
)
from seriatim.experiments.paper_plans import ALL, EXISTING, JS_REDUCE_SPM, js_reduce_of
from seriatim.experiments.plans import Demand
from seriatim.experiments.results import Results
from seriatim.experiments.standing import STANDING, STANDING_SPM, beside, standing_of

KINDS = ("DK", "SPM")
"""The paper's attack has exact knowledge; where there is none, a mined one takes its place."""

GROWTH = 0.1
HIGH = 0.6
"""What we take for much growth and for high confidence: the paper gives no figures."""


def demands() -> list[Demand]:
    """Return all techniques, attacked with the best knowledge."""
    return [Demand(plan, KINDS) for plan in (*ALL, JS_REDUCE_SPM, STANDING, STANDING_SPM)]


def drawings(results: Results) -> list[Drawing]:
    """Return one panel with all techniques."""
    kind = _kind(results)
    curves = tuple(
        Curve(plan.name, results.curve(plan.name, kind, "confidence"))
        for plan in beside(results, *EXISTING, js_reduce_of(results))
    )
    title = f"Adversary confidence with {kind} knowledge"
    return [Drawing("figure-7", title, "release", "confidence", (Panel("", curves),))]


def claims(results: Results) -> list[Claim]:
    """Judge whether confidence grows."""
    kind = _kind(results)
    found = []
    own, ours = js_reduce_of(results), standing_of(results)
    if own is not None:
        found.append(_steady(results, own.name, kind, "Figure 7", "JS-reduce"))
    ends = {plan.name: results.last(plan.name, kind, "confidence").mean for plan in EXISTING}
    found.append(
        Claim(
            "Figure 7",
            "with the other techniques the confidence becomes high (taken as above 0.6)",
            "at the end: " + ", ".join(f"{name} {end:.3f}" for name, end in ends.items()),
            judged([end > HIGH for end in ends.values()]),
        )
    )
    if ours is not None:
        found.append(_steady(results, ours.name, kind, OURS, "standing cells"))
    return found


def _steady(results: Results, series: str, kind: str, where: str, name: str) -> Claim:
    curve = results.curve(series, kind, "confidence")
    grown = curve[-1].mean - curve[0].mean
    return Claim(
        where,
        f"with {name} the confidence does not grow much with the history (taken as at most 0.1)",
        f"{curve[0].mean:.3f} at first, {curve[-1].mean:.3f} at the end",
        on_condition(judged([grown <= GROWTH]), results, series),
        f"suppressed: {suppressed_share(results, series):.1%}",
    )


def _kind(results: Results) -> str:
    return next(kind for kind in KINDS if results.has(EXISTING[0].name, kind))
