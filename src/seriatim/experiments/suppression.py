"""Section VI-E: how many tuples JS-reduce suppresses."""

from __future__ import annotations

import numpy as np

from seriatim.experiments.claims import PAPER_SUPPRESSES, Claim, Curve, Drawing, Judgement, Panel
from seriatim.experiments.paper_plans import JS_REDUCE
from seriatim.experiments.plans import Demand, Plan, every_reading
from seriatim.experiments.results import Results
from seriatim.experiments.standing import STANDING, beside, hardly_suppressed, standing_of
from seriatim.publish.policy import js_reduce

NATS = 0.6 / np.log(2)
"""0.6 nats in bits: the paper does not name the base of its logarithm."""

VARIANTS = (
    JS_REDUCE,
    Plan("JS-reduce, k=30", js_reduce(k=30, t=0.5, j=0.6), "DK"),
    Plan("JS-reduce, j=0.6 nat", js_reduce(k=10, t=0.5, j=float(NATS)), "DK"),
    Plan("JS-reduce, k=30, j=0.6 nat", js_reduce(k=30, t=0.5, j=float(NATS)), "DK"),
    Plan("JS-reduce, merge", js_reduce(k=10, t=0.5, j=0.6, remainder="merge"), "DK"),
)
"""As the paper describes it, and what it leaves open: k, and the base of the logarithm."""


def demands() -> list[Demand]:
    """Return JS-reduce as described, and where its description is open; and ours."""
    return [Demand(plan, every_reading("DK")) for plan in (*VARIANTS, STANDING)]


def drawings(results: Results) -> list[Drawing]:
    """Return how much was left out, release by release."""
    curves = tuple(
        Curve(plan.name, results.curve(plan.name, measure="suppressed"))
        for plan in beside(results, *VARIANTS)
    )
    title = "Tuples that JS-reduce and standing cells suppress"
    return [Drawing("suppression", title, "release", "tuples", (Panel("", curves),))]


def claims(results: Results) -> list[Claim]:
    """Judge how much was left out."""
    texts, shares = [], []
    for plan in VARIANTS:
        if not results.has(plan.name, measure="suppressed"):
            continue
        out = results.by_seed(plan.name, measure="suppressed")
        all_of_them = out + results.by_seed(plan.name, measure="tuples")
        worst = float(np.nanmean(np.nanmax(out / all_of_them, axis=1)))
        ended = results.has(plan.name, measure="failed")
        shares.append(worst if not ended else 1.0)
        texts.append(f"{plan.name} {worst:.1%}" + (", and ended early" if ended else ""))
    ours = standing_of(results)
    return [
        Claim(
            "Section VI-E",
            "at most 12 tuples of a release (0.25 %) are suppressed",
            "worst release: " + "; ".join(texts),
            _verdict(shares),
            ""
            if shares[0] <= PAPER_SUPPRESSES
            else "where knowledge is sharp beliefs drift apart, the open group never gets under j"
            " again, and what lies behind it on the curve is lost",
        ),
        *([] if ours is None else [hardly_suppressed(results, ours.name)]),
    ]


def _verdict(shares: list[float]) -> Judgement:
    """Judge by the parameters as described; a variant that keeps it makes it partly true."""
    if shares[0] <= PAPER_SUPPRESSES:
        return "reproduced"
    return "partly" if min(shares) <= PAPER_SUPPRESSES else "not reproduced"
