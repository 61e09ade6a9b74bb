"""Figure 5: what an adversary gains, by how much of the past its domain knowledge takes in."""

from __future__ import annotations

from seriatim.experiments.claims import (
    Claim,
    Drawing,
    gains,
    judged,
    mean_size,
    on_condition,
    suppressed_share,
    told,
)
from seriatim.experiments.paper_plans import (
    BT_PRIVACY,
    EXISTING,
    JS_REDUCE,
    JS_REDUCE_SPM,
    L_DIVERSITY,
    js_reduce_of,
)
from seriatim.experiments.plans import Demand
from seriatim.experiments.results import Results
from seriatim.experiments.standing import (
    STANDING,
    STANDING_SPM,
    TARGET,
    beside,
    kept_below,
    standing_of,
)

KINDS = ("DK", "3-step", "2-step", "1-step", "snapshot")
SHORTER = ("3-step", "2-step", "1-step")
HIGH = 0.5
"""The gain above which the paper sees existing techniques."""

BOUND = 0.12
"""The gain below which it sees JS-reduce."""

NEGLIGIBLE = 0.02
DESCENT = 0.02
"""What we take for a negligible gain and for a descent: the paper gives no figures."""


def demands() -> list[Demand]:
    """Return the panels' series, and the best knowledge for the one the paper leaves out."""
    panels = (L_DIVERSITY, BT_PRIVACY, JS_REDUCE, JS_REDUCE_SPM, STANDING, STANDING_SPM)
    return [Demand(plan, KINDS) for plan in panels] + [
        Demand(plan, ("DK", "3-step")) for plan in EXISTING
    ]


def drawings(results: Results) -> list[Drawing]:
    """Return a panel for each series."""
    plans = beside(results, L_DIVERSITY, BT_PRIVACY, js_reduce_of(results))
    panels = tuple(gains(results, plan.name, plan.name, KINDS) for plan in plans)
    title = "Adversary gain by accuracy of domain knowledge"
    return [Drawing("figure-5", title, "release", "gain", panels, BOUND)]


def claims(results: Results) -> list[Claim]:
    """Judge the levels, the order of the curves and their shape."""
    return [
        _high(results),
        _ordered(results),
        _negligible(results),
        _descending(results),
        *_bounded(results),
        *_ours(results),
    ]


def _high(results: Results) -> Claim:
    best = "DK" if results.has(L_DIVERSITY.name, "DK") else "3-step"
    ends = {plan.name: results.last(plan.name, best) for plan in EXISTING}
    sizes = ", ".join(f"{plan.name} {mean_size(results, plan.name):.1f}" for plan in EXISTING)
    holds = [point.mean > HIGH for point in ends.values()]
    return Claim(
        "Section VI-D",
        "existing techniques lead to a gain above 0.5",
        "at the end: " + ", ".join(f"{name} {told(point)}" for name, point in ends.items()),
        judged(holds),
        "" if all(holds) else f"group sizes decide: {sizes}",
    )


def _ordered(results: Results) -> Claim:
    holds, texts = [], []
    for plan in (L_DIVERSITY, BT_PRIVACY):
        means = [results.mean(plan.name, kind).mean for kind in SHORTER]
        holds.append(means[0] > means[1] > means[2])
        texts.append(f"{plan.name} " + " / ".join(f"{mean:.3f}" for mean in means))
    says = "3-step knowledge gains more than 2-step, and 2-step more than 1-step"
    return Claim("Figure 5", says, "means: " + ", ".join(texts), judged(holds))


def _negligible(results: Results) -> Claim:
    own = js_reduce_of(results)
    plans = (L_DIVERSITY, BT_PRIVACY, *((own,) if own else ()))
    most = {plan.name: results.greatest(plan.name, "snapshot") for plan in plans}
    return Claim(
        "Figure 5",
        "a snapshot attack gains a negligible amount (taken as at most 0.02)",
        "greatest: " + ", ".join(f"{name} {told(point)}" for name, point in most.items()),
        judged([point.mean <= NEGLIGIBLE for point in most.values()]),
    )


def _descending(results: Results) -> Claim:
    holds, texts = [], []
    for plan in (L_DIVERSITY, BT_PRIVACY):
        peak = max(point.mean for point in results.curve(plan.name, "1-step"))
        end = results.last(plan.name, "1-step").mean
        holds.append(end < peak - DESCENT)
        texts.append(f"{plan.name} peak {peak:.3f}, end {end:.3f}")
    return Claim(
        "Figure 5",
        "the curve of 1-step knowledge descends after its peak (taken as by more than 0.02)",
        ", ".join(texts),
        judged(holds),
        "" if all(holds) else "here one step stays a fair summary of the whole past",
    )


def _bounded(results: Results) -> list[Claim]:
    own = js_reduce_of(results)
    if own is None:
        return []
    known = [kind for kind in KINDS if results.has(own.name, kind)]
    most = {kind: results.greatest(own.name, kind) for kind in known}
    return [
        Claim(
            "Figure 5",
            "against JS-reduce the gain stays below 0.12, whatever the domain knowledge and the"
            " length of the history",
            "greatest: " + ", ".join(f"{kind} {told(point)}" for kind, point in most.items()),
            on_condition(
                judged([point.mean < BOUND for point in most.values()]), results, own.name
            ),
            "over what was published:"
            f" {suppressed_share(results, own.name):.1%} of the tuples of its releases were"
            " suppressed"
            + (", and a series ended early" if results.has(own.name, measure="failed") else ""),
        )
    ]


def _ours(results: Results) -> list[Claim]:
    plan = standing_of(results)
    says = f"with standing cells the gain stays below {TARGET:g}, whatever the domain knowledge"
    return [] if plan is None else kept_below(results, plan.name, KINDS, TARGET, says)
