"""Figure 4: what an adversary gains against existing techniques, by kind of knowledge.

Standing cells have a panel beside them; what we claim of it is judged with Figure 6, where
the defender's knowledge differs as well.
"""

from __future__ import annotations

from seriatim.experiments.claims import Claim, Drawing, gains, judged, mean_size
from seriatim.experiments.paper_plans import BEST, EXISTING
from seriatim.experiments.plans import Demand
from seriatim.experiments.results import Results
from seriatim.experiments.standing import STANDING, STANDING_SPM, beside

KINDS = ("DK", "SPM", "IE")
LEVEL = 0.4
"""The gain that the paper says is passed."""

SOON = 8
"""The paper: within the first six to eight releases."""


def demands() -> list[Demand]:
    """Return the existing techniques and ours, each attacked with every kind of knowledge."""
    return [Demand(plan, KINDS) for plan in (*EXISTING, STANDING, STANDING_SPM)]


def drawings(results: Results) -> list[Drawing]:
    """Return a panel for each technique."""
    panels = tuple(
        gains(results, plan.name, plan.name, KINDS) for plan in beside(results, *EXISTING)
    )
    title = "Adversary gain by kind of sequential knowledge"
    return [Drawing("figure-4", title, "release", "gain", panels, LEVEL)]


def claims(results: Results) -> list[Claim]:
    """Judge how fast the gain grows, and which knowledge gives the most."""
    soon, told, best = [], [], []
    for plan in EXISTING:
        known = [kind for kind in KINDS if results.has(plan.name, kind)]
        for kind in known:
            curve = results.curve(plan.name, kind)
            crossed = [point.x for point in curve if point.mean > LEVEL]
            soon.append(bool(crossed) and crossed[0] <= SOON)
            when = f"{crossed[0]:.0f}" if crossed else "never"
            told.append(f"{plan.name}/{kind} {when}")
        if BEST in known:
            ends = {kind: results.last(plan.name, kind).mean for kind in known}
            best.append(ends[BEST] >= max(ends.values()))
    found = [
        Claim(
            "Figure 4",
            "against every existing technique and with each kind of knowledge the gain passes 0.4"
            " within the first 6 to 8 releases",
            "first release above 0.4: " + ", ".join(told),
            judged(soon),
            ""
            if all(soon)
            else "group sizes decide: "
            + ", ".join(f"{plan.name} {mean_size(results, plan.name):.1f}" for plan in EXISTING),
        )
    ]
    if best:
        found.append(
            Claim(
                "Figure 4",
                "exact domain knowledge gives the highest gain for each technique",
                f"highest at the end for {sum(best)} of {len(best)} techniques",
                judged(best),
            )
        )
    return found
