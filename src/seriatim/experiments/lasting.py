"""Ours: is what a rehearsal promises of standing cells kept, and what does it cost?

The promise is against the reader who looks back over the whole series; weaker ones are held
to it as well. Detail is set beside that of Mondrian's cuts and of the Hilbert scan in groups
of the same mean size, and beside JS-reduce as printed.
"""

from __future__ import annotations

import numpy as np

from seriatim.experiments.claims import (
    OURS,
    Claim,
    Curve,
    Drawing,
    Panel,
    gains,
    judged,
    mean_size,
    suppressed_share,
    told,
)
from seriatim.experiments.paper_plans import JS_REDUCE, JS_REDUCE_SPM, js_reduce_of
from seriatim.experiments.plans import Demand, Plan, every_reading
from seriatim.experiments.recommendation import Recommendation
from seriatim.experiments.results import Results
from seriatim.experiments.standing import (
    AS_LARGE,
    STANDING,
    STANDING_SPM,
    TARGET,
    beside,
    greatest_told,
    hardly_suppressed,
    kept_below,
    readers_of,
    standing_of,
)

ATTACKS = every_reading("DK")


def demands() -> list[Demand]:
    """Return the series, attacked by stronger and stronger readers."""
    plans = (JS_REDUCE, JS_REDUCE_SPM, *AS_LARGE, STANDING, STANDING_SPM)
    return [Demand(plan, ATTACKS) for plan in plans]


def drawings(results: Results) -> list[Drawing]:
    """Return the gains on each series, and the detail that each loses."""
    plans = beside(results, js_reduce_of(results), *AS_LARGE)
    panels = tuple(
        gains(results, plan.name, plan.name, readers_of(results, plan.name))
        for plan in (*plans, *_less_known(results))
    )
    losses = tuple(Curve(plan.name, results.curve(plan.name, measure="GCP")) for plan in plans)
    return [
        Drawing(
            "lasting", "Series that last: what readers gain", "release", "gain", panels, TARGET
        ),
        Drawing("lasting-detail", "Series that last: GCP", "release", "GCP", (Panel("", losses),)),
    ]


def claims(results: Results) -> list[Claim]:
    """Judge what a rehearsal promises: against every reader, of suppression, and of detail."""
    plan = standing_of(results)
    if plan is None:
        return [_absent(results)]
    says = f"rehearsed standing cells keep every reader below {TARGET:g} in every release"
    return [
        *kept_below(results, plan.name, readers_of(results, plan.name), TARGET, says),
        _as_promised(results, plan),
        hardly_suppressed(results, plan.name),
        _detail(results, plan),
        *_who_knows_more(results),
    ]


def _less_known(results: Results) -> tuple[Plan, ...]:
    """Return the cells of a custodian who knows less than the readers, where there are both."""
    there = all(results.has(one.name, measure="tuples") for one in (STANDING, STANDING_SPM))
    return (STANDING_SPM,) if there else ()


def _who_knows_more(results: Results) -> list[Claim]:
    says = (
        f"cells rehearsed with mined knowledge keep readers with exact knowledge below {TARGET:g}"
        " as well"
    )
    return [
        claim
        for plan in _less_known(results)
        for claim in kept_below(results, plan.name, ATTACKS, TARGET, says)
    ]


def _absent(results: Results) -> Claim:
    reasons = dict.fromkeys(f"{one.defender}: {one.reason}" for one in results.rehearsals)
    return Claim(
        OURS,
        f"a rehearsal finds standing cells that keep every reader below {TARGET:g}",
        "; ".join(reasons) or "nothing was rehearsed",
        judged([False]),
    )


def _as_promised(results: Results, plan: Plan) -> Claim:
    """Compare seed by seed: cells differ by seed, and so do promises."""
    attacks = readers_of(results, plan.name)
    promised = {one.seed: one.gain for one in results.rehearsed(plan.defender)}
    held = []
    for attack in attacks:
        found = np.nanmax(results.by_seed(plan.name, attack), axis=1)
        seeds = results.seeds(plan.name, attack)
        held.append(
            all(gain <= (promised[seed] or 0.0) for seed, gain in zip(seeds, found, strict=True))
        )
    rehearsed = results.rehearsed(plan.defender)
    # A seed without cells has no series to be attacked: that is no promise kept.
    held += [False] * any(one.cells is None for one in rehearsed)
    return Claim(
        OURS,
        "no reader gains more in any release than was rehearsed",
        f"rehearsed: {', '.join(_promise(one) for one in rehearsed)}; greatest that audits found:"
        f" {greatest_told(results, plan.name, attacks)}",
        judged(held),
        f"a rehearsal keeps a fifth of the target of {TARGET:g} in reserve, since who will come and"
        " what they will have is drawn",
    )


def _promise(one: Recommendation) -> str:
    told = f"{one.gain:.3f} with cells of {one.size}" if one.cells else "nothing found"
    return f"{told} (seed {one.seed})"


def _detail(results: Results, plan: Plan) -> Claim:
    own = results.mean(plan.name, measure="GCP")
    others = beside(results, js_reduce_of(results), *AS_LARGE)[:-1]
    losses = {one.name: results.mean(one.name, measure="GCP") for one in others}
    foreseen = [one.penalty for one in results.rehearsed(plan.defender) if one.penalty is not None]

    def size(name: str) -> str:
        out = suppressed_share(results, name)
        return f"{name} {mean_size(results, name):.1f}" + (
            f" (suppresses {out:.1%})" if out else ""
        )

    return Claim(
        OURS,
        "standing cells lose no more detail (GCP) than Mondrian's cuts and the Hilbert scan in"
        " groups of the same mean size, and than JS-reduce as printed",
        f"{plan.name} {told(own)} ({np.mean(foreseen):.3f} rehearsed); "
        + ", ".join(f"{name} {told(point)}" for name, point in losses.items()),
        judged([own.mean <= point.mean for point in losses.values()]),
        "mean sizes: " + ", ".join(size(name) for name in (plan.name, *losses)),
    )
