"""Ours: readers that draw more from the same releases than the paper's.

Standing cells have a panel; how much these readers gain on them is judged with `lasting`.
"""

from __future__ import annotations

from seriatim.experiments.claims import OURS, Claim, Drawing, gains, judged
from seriatim.experiments.paper_plans import ALL
from seriatim.experiments.plans import Demand, every_reading
from seriatim.experiments.results import Results
from seriatim.experiments.standing import STANDING, beside

ATTACKS = every_reading("DK")


def demands() -> list[Demand]:
    """Return all techniques, attacked by stronger and stronger readers."""
    return [Demand(plan, ATTACKS) for plan in (*ALL, STANDING)]


def drawings(results: Results) -> list[Drawing]:
    """Return a panel for each technique."""
    panels = tuple(gains(results, plan.name, plan.name, ATTACKS) for plan in beside(results, *ALL))
    title = "What stronger readers gain from the same releases"
    return [Drawing("stronger-readers", title, "release", "gain", panels)]


def claims(results: Results) -> list[Claim]:
    """Judge whether an audit that stops at the paper's reader is too optimistic."""
    holds, texts = [], []
    for plan in ALL:
        means = [results.mean(plan.name, attack).mean for attack in ATTACKS]
        losses = [results.mean(plan.name, attack, "log-loss").mean for attack in ATTACKS]
        holds.append(means[0] < means[1] < means[2] and losses[0] > losses[1] > losses[2])
        texts.append(
            f"{plan.name} "
            + " / ".join(f"{mean:.3f}" for mean in means)
            + " (log-loss "
            + " / ".join(f"{loss:.2f}" for loss in losses)
            + " bit)"
        )
    return [
        Claim(
            OURS,
            "joint filtering with an exact posterior knows more than the paper's reader, and"
            " looking back over the series more still",
            "means: " + "; ".join(texts),
            judged(holds),
        )
    ]
