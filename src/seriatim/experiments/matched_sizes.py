"""Ours: the same techniques at the same k and t, JS-reduce without j; and at the same size.

The paper's techniques are matched by what they ask of groups. Standing cells are larger than k
asks: for them Mondrian and the Hilbert scan are given the k that makes groups as large.
"""

from __future__ import annotations

from seriatim.experiments.claims import (
    OURS,
    Claim,
    Curve,
    Drawing,
    Panel,
    judged,
    mean_size,
    on_condition,
    suppressed_share,
    told,
)
from seriatim.experiments.paper_plans import BT_PRIVACY, JS_REDUCE, L_DIVERSITY, T_CLOSENESS
from seriatim.experiments.plans import Demand, Plan, every_reading
from seriatim.experiments.results import Results
from seriatim.experiments.standing import (
    AS_LARGE,
    STANDING,
    beside,
    readers_of,
    standing_of,
)
from seriatim.experiments.techniques import matched_technique
from seriatim.partition.hilbert_greedy import HilbertGreedy
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.t_closeness import TCloseness
from seriatim.publish.policy import Policy

K, T = 10, 0.5
ATTACKS = every_reading("DK")

MATCHED = tuple(
    Plan(
        f"{plan.name}, k={K}, t={T:g}",
        matched_technique(plan.technique, k=K, t=T).policy,
    )
    for plan in (L_DIVERSITY, T_CLOSENESS, BT_PRIVACY)
)
WITHOUT_J = Plan("JS-reduce without j", Policy(KAnonymity(k=K) & TCloseness(t=T), HilbertGreedy()))


def demands() -> list[Demand]:
    """Return the matched techniques, JS-reduce with and without its threshold, and ours."""
    plans = (*MATCHED, WITHOUT_J, JS_REDUCE, *AS_LARGE, STANDING)
    return [Demand(plan, ATTACKS) for plan in plans]


def drawings(results: Results) -> list[Drawing]:
    """Return a panel for each reader, at the same k and t, and then at the same size."""
    title = f"All techniques at k = {K} and t = {T:g}"
    same = beside(results, *MATCHED, WITHOUT_J, JS_REDUCE)
    drawings = [_drawn(results, "matched-sizes", title, same)]
    if standing_of(results) is not None:
        title = "In groups of the same mean size"
        drawings.append(_drawn(results, "same-size", title, beside(results, *AS_LARGE)))
    return drawings


def _drawn(results: Results, name: str, title: str, plans: tuple[Plan, ...]) -> Drawing:
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
    return Drawing(name, title, "release", "gain", panels)


def claims(results: Results) -> list[Claim]:
    """Judge what is left of the difference at equal size."""
    own = results.mean(JS_REDUCE.name, "DK")
    others = {plan.name: results.mean(plan.name, "DK") for plan in (*MATCHED, WITHOUT_J)}
    return [
        Claim(
            OURS,
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
        ),
        *_same_size(results),
    ]


def _same_size(results: Results) -> list[Claim]:
    ours = standing_of(results)
    rivals = [plan.name for plan in AS_LARGE if results.has(plan.name, measure="tuples")]
    if ours is None or not rivals:
        return []
    attacks = readers_of(results, ours.name)
    means = {
        name: [results.mean(name, attack).mean for attack in attacks]
        for name in (*rivals, ours.name)
    }
    less = [
        mine < other
        for name in rivals
        for mine, other in zip(means[ours.name], means[name], strict=True)
    ]
    return [
        Claim(
            OURS,
            "standing cells give less away to every reader than Mondrian's cuts and the Hilbert"
            " scan in groups of the same mean size",
            f"means of {' / '.join(attacks)}: "
            + "; ".join(
                f"{name} {' / '.join(f'{mean:.3f}' for mean in found)}"
                for name, found in means.items()
            ),
            on_condition(judged(less), results, ours.name),
            "mean sizes: " + ", ".join(f"{name} {mean_size(results, name):.1f}" for name in means),
        )
    ]
