"""Ours: the same techniques at the same k and t, and JS-reduce without j."""

from __future__ import annotations

from seriatim.experiments.claims import (
    Claim,
    Curve,
    Drawing,
    Panel,
    judged,
    on_condition,
    suppressed_share,
    told,
)
from seriatim.experiments.paper_plans import BT_PRIVACY, JS_REDUCE, L_DIVERSITY, T_CLOSENESS
from seriatim.experiments.plans import Demand, Plan
from seriatim.experiments.results import Results
from seriatim.experiments.techniques import matched_technique
from seriatim.partition.hilbert_greedy import HilbertGreedy
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.t_closeness import TCloseness
from seriatim.publish.policy import Policy

K, T = 10, 0.5
ATTACKS = ("DK", "DK joint", "DK retrospective")

MATCHED = tuple(
    Plan(
        f"{plan.name}, k={K}, t={T:g}",
        matched_technique(plan.technique, k=K, t=T).policy,
    )
    for plan in (L_DIVERSITY, T_CLOSENESS, BT_PRIVACY)
)
WITHOUT_J = Plan("JS-reduce without j", Policy(KAnonymity(k=K) & TCloseness(t=T), HilbertGreedy()))


def demands() -> list[Demand]:
    """Return the matched techniques, JS-reduce, and JS-reduce without its threshold."""
    return [Demand(plan, ATTACKS) for plan in (*MATCHED, WITHOUT_J, JS_REDUCE)]


def drawings(results: Results) -> list[Drawing]:
    """Return a panel for each reader."""
    plans = (*MATCHED, WITHOUT_J, JS_REDUCE)
    panels = tuple(
        Panel(
            attack,
            tuple(
                Curve(plan.name, results.curve(plan.name, attack))
                for plan in plans
                if results.has(plan.name, attack)
            ),
        )
        for attack in ATTACKS
    )
    title = f"All techniques at k = {K} and t = {T:g}"
    return [Drawing("matched-sizes", title, "release", "gain", panels)]


def claims(results: Results) -> list[Claim]:
    """Judge what is left of the difference at equal size."""
    own = results.mean(JS_REDUCE.name, "DK")
    others = {plan.name: results.mean(plan.name, "DK") for plan in (*MATCHED, WITHOUT_J)}
    return [
        Claim(
            "ours",
            "JS-reduce gives less away than the others at the same k and t, and than itself"
            " without j",
            f"means: JS-reduce {told(own)}; "
            + ", ".join(f"{name} {told(point)}" for name, point in others.items()),
            on_condition(
                judged([own.mean < point.mean for point in others.values()]),
                results,
                JS_REDUCE.name,
            ),
            f"JS-reduce suppresses {suppressed_share(results, JS_REDUCE.name):.0%} of the tuples of"
            " its releases for it",
        )
    ]
