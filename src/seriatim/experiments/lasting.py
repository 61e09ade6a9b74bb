"""Ours: standing cells beside the paper's scan and Mondrian, at the same requirements."""

from __future__ import annotations

import numpy as np

from seriatim.experiments.claims import (
    PAPER_SUPPRESSES,
    Claim,
    Curve,
    Drawing,
    Panel,
    gains,
    judged,
    mean_size,
    told,
)
from seriatim.experiments.matched_sizes import MATCHED
from seriatim.experiments.paper_plans import JS_REDUCE
from seriatim.experiments.plans import Demand, Plan
from seriatim.experiments.results import Results
from seriatim.partition.standing_cells import StandingCells
from seriatim.privacy.js_bound import JSBound
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.t_closeness import TCloseness
from seriatim.publish.policy import Policy

ATTACKS = ("DK", "DK joint", "DK retrospective")
TARGET = 0.12
SIZE = 40
"""What a rehearsal on `paper-like` asks for with merges that stay, and some to spare."""

_SAME = KAnonymity(k=10) & TCloseness(t=0.5) & JSBound(j=0.6)
STANDING = Plan(f"standing cells of {SIZE}", Policy(_SAME, StandingCells(SIZE)), "DK")
PLANS = (STANDING, JS_REDUCE, MATCHED[1])


def demands() -> list[Demand]:
    """Return the series, attacked by stronger and stronger readers."""
    return [Demand(plan, ATTACKS) for plan in PLANS]


def drawings(results: Results) -> list[Drawing]:
    """Return the gains on each series, and the detail that each loses."""
    panels = tuple(gains(results, plan.name, plan.name, ATTACKS) for plan in PLANS)
    losses = tuple(Curve(plan.name, results.curve(plan.name, measure="GCP")) for plan in PLANS)
    return [
        Drawing(
            "lasting", "Series that last: what readers gain", "release", "gain", panels, TARGET
        ),
        Drawing("lasting-detail", "Series that last: GCP", "release", "GCP", (Panel("", losses),)),
    ]


def claims(results: Results) -> list[Claim]:
    """Judge what standing cells promise."""
    most = {attack: results.greatest(STANDING.name, attack) for attack in ATTACKS}
    out = results.by_seed(STANDING.name, measure="suppressed")
    share = float(np.nanmax(out / (out + results.by_seed(STANDING.name, measure="tuples"))))
    held = [point.mean < TARGET for point in most.values()]
    penalty = results.mean(STANDING.name, measure="GCP")
    rival = results.mean(MATCHED[1].name, measure="GCP")
    return [
        Claim(
            "ours",
            "standing cells keep every reader below 0.12 in every release, and suppress at most"
            " 0.25 %",
            "greatest: "
            + ", ".join(f"{attack} {told(point)}" for attack, point in most.items())
            + f"; suppressed at most {share:.2%}",
            judged([*held, share <= PAPER_SUPPRESSES]),
            f"GCP {told(penalty)} with groups of {mean_size(results, STANDING.name):.0f}; Mondrian"
            f" at the same k and t {told(rival)} with {mean_size(results, MATCHED[1].name):.0f}",
        )
    ]
