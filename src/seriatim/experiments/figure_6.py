"""Figure 6: JS-reduce, where defender and adversary know different things.

Standing cells are shown with the defenders whose knowledge can be rehearsed. Knowledge that is
counted in the views as they come cannot; it is asked for, and results say why it is absent.
"""

from __future__ import annotations

from seriatim.experiments.claims import (
    Claim,
    Drawing,
    gains,
    judged,
    on_condition,
    suppressed_share,
    told,
)
from seriatim.experiments.paper_plans import JS_REDUCE, JS_REDUCE_IE, JS_REDUCE_SPM
from seriatim.experiments.plans import Demand
from seriatim.experiments.results import Results
from seriatim.experiments.standing import STANDING, STANDING_IE, STANDING_SPM, kept_below

KINDS = ("DK", "IE", "SPM", "SPM/2", "SPM/5")
DEFENDERS = (JS_REDUCE, JS_REDUCE_IE, JS_REDUCE_SPM)
OWN = (STANDING, STANDING_IE, STANDING_SPM)
WORST = 0.25
"""The gain below which the paper sees even adversaries who know more."""


def demands() -> list[Demand]:
    """Return JS-reduce and ours with each defender, attacked with every kind of knowledge."""
    return [Demand(plan, KINDS) for plan in (*DEFENDERS, *OWN)]


def drawings(results: Results) -> list[Drawing]:
    """Return a panel for each defender."""
    panels = tuple(
        gains(results, f"{name}, defence by {plan.defender}", plan.name, KINDS)
        for name, plans in (("JS-reduce", DEFENDERS), ("standing cells", OWN))
        for plan in plans
        if results.has(plan.name, measure="tuples")
    )
    title = "Adversaries who know other things than the defender"
    return [Drawing("figure-6", title, "release", "gain", panels, WORST)]


def claims(results: Results) -> list[Claim]:
    """Judge the bounds and the order of the adversaries."""
    return [_bounded(results), *_ordered(results), *_ours(results)]


def _bounded(results: Results) -> Claim:
    there = [plan for plan in DEFENDERS if results.has(plan.name, measure="tuples")]
    worst = {
        plan.defender: max(
            (results.greatest(plan.name, kind) for kind in KINDS if results.has(plan.name, kind)),
            key=lambda point: point.mean,
        )
        for plan in there
    }
    return Claim(
        "Figure 6",
        "even where the adversary knows more than the defender, the gain stays below 0.25",
        "greatest: "
        + ", ".join(f"defence by {kind} {told(point)}" for kind, point in worst.items()),
        min(
            (
                on_condition(judged([worst[plan.defender].mean < WORST]), results, plan.name)
                for plan in there
            ),
            key=("not reproduced", "partly", "reproduced").index,
        ),
        "suppressed: "
        + ", ".join(
            f"defence by {plan.defender} {suppressed_share(results, plan.name):.1%}"
            for plan in there
        ),
    )


def _ordered(results: Results) -> list[Claim]:
    sized = ("SPM", "SPM/2", "SPM/5")
    if not all(results.has(JS_REDUCE.name, kind) for kind in sized):
        return []
    means = [results.mean(JS_REDUCE.name, kind).mean for kind in sized]
    incremental = results.mean(JS_REDUCE.name, "IE").mean
    return [
        Claim(
            "Figure 6",
            "knowledge mined from a smaller corpus gains less",
            "means from a whole, half and fifth of a corpus: "
            + " / ".join(f"{mean:.3f}" for mean in means),
            judged([means[0] > means[1], means[1] > means[2]]),
            "coarse knowledge is over-confident, and the gain rewards that: see the log-loss",
        ),
        Claim(
            "Figure 6",
            "incrementally extracted knowledge gains about as much as mined knowledge (taken as"
            " within 0.02)",
            f"means {incremental:.3f} and {means[0]:.3f}",
            judged([abs(incremental - means[0]) <= 0.02]),
        ),
    ]


def _ours(results: Results) -> list[Claim]:
    found = []
    for plan in OWN:
        says = (
            f"standing cells rehearsed with {plan.defender} keep the gain below {WORST:g}, whatever"
            " the adversary knows"
        )
        found += kept_below(results, plan.name, KINDS, WORST, says)
    return found
