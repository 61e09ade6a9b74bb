"""Ours: standing cells as a rehearsal recommends them, under the requirement of JS-reduce.

Nothing about the cells is written here: in every setting a rehearsal finds them, once for
each kind of knowledge that the defender may have. Beside them stand the paper's ways of
forming groups, Mondrian's cuts and the scan of the Hilbert curve, at the same mean size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seriatim.experiments.claims import (
    OURS,
    PAPER_SUPPRESSES,
    Claim,
    judged,
    on_condition,
    suppressed_share,
    told,
)
from seriatim.experiments.paper_plans import JS_REDUCE
from seriatim.experiments.plans import Plan, every_reading
from seriatim.experiments.results import Results
from seriatim.measure.strongest import WORSE
from seriatim.partition.hilbert_greedy import HilbertGreedy
from seriatim.partition.mondrian import Mondrian
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.t_closeness import TCloseness
from seriatim.publish.policy import Policy

TARGET = 0.12
"""What the paper claims for JS-reduce against its own reader; here against the strongest."""

STANDING = Plan("standing cells", JS_REDUCE.policy, "DK", target=TARGET)
STANDING_SPM = Plan("standing cells, SPM", JS_REDUCE.policy, "SPM", target=TARGET)
STANDING_IE = Plan("standing cells, IE", JS_REDUCE.policy, "IE", target=TARGET)
"""Cannot be rehearsed before there are views: asked for, so that results say so."""

_K_AND_T = KAnonymity(k=10) & TCloseness(t=0.5)
MONDRIAN_AS_LARGE, SCAN_AS_LARGE = (
    Plan(f"{name}, same size", Policy(_K_AND_T, cut), as_large_as=(STANDING, STANDING_SPM))
    for name, cut in (("Mondrian", Mondrian()), ("Hilbert scan", HilbertGreedy()))
)
"""k and t as the cells have, without j, in groups as large as theirs."""

AS_LARGE = (MONDRIAN_AS_LARGE, SCAN_AS_LARGE)


def standing_of(results: Results) -> Plan | None:
    """Return standing cells as they could be run: by exact knowledge, else by a mined one."""
    there = (STANDING, STANDING_SPM)
    return next((plan for plan in there if results.has(plan.name, measure="tuples")), None)


def beside(results: Results, *plans: Plan | None) -> tuple[Plan, ...]:
    """Return some plans with ours last, those that could be run."""
    asked = (*plans, standing_of(results))
    return tuple(one for one in asked if one and results.has(one.name, measure="tuples"))


def readers_of(results: Results, series: str) -> tuple[str, ...]:
    """Return the attacks of all readings with the best knowledge that a series was attacked by."""
    kind = next((one for one in ("DK", "SPM") if results.has(series, one)), "DK")
    return tuple(one for one in every_reading(kind) if results.has(series, one))


def greatest_told(results: Results, series: str, attacks: Sequence[str]) -> str:
    """Write the greatest gain of some attacks, with log-loss beside counting's, and calibration."""
    return ", ".join(
        f"{attack} {told(results.greatest(series, attack))}{_scored(results, series, attack)}"
        for attack in attacks
    )


def _scored(results: Results, series: str, attack: str) -> str:
    """Say log-loss and calibration of an attack, and where it is worse than counting."""
    if not results.has(series, attack, "log-loss"):
        return ""
    loss = results.mean(series, attack, "log-loss").mean
    counting = results.mean(series, attack, "log-loss by counting").mean
    said = f" ({loss:.2f} bits, counting {counting:.2f}"
    if results.has(series, attack, "right above 0.9"):
        said += f", {results.mean(series, attack, 'right above 0.9').mean:.0%} right above .9"
    return f"{said}, {WORSE})" if loss > counting else f"{said})"


def worst_release(results: Results, series: str) -> float:
    """Return the greatest share of a release that was suppressed, over releases and seeds."""
    out = results.by_seed(series, measure="suppressed")
    return float(np.nanmax(out / (out + results.by_seed(series, measure="tuples"))))


def kept_below(
    results: Results, series: str, attacks: Sequence[str], bound: float, says: str
) -> list[Claim]:
    """Judge whether the greatest gain of each attack stays below a bound, for every seed."""
    there = [attack for attack in attacks if results.has(series, attack)]
    if not there:
        return []
    held = [bool(np.nanmax(results.by_seed(series, attack)) < bound) for attack in there]
    return [
        Claim(
            OURS,
            says,
            f"greatest: {greatest_told(results, series, there)}",
            on_condition(judged(held), results, series),
            f"suppressed: {suppressed_share(results, series):.2%} of the tuples",
        )
    ]


def hardly_suppressed(results: Results, series: str) -> Claim:
    """Judge whether every release of every seed suppresses as little as the paper says."""
    worst = worst_release(results, series)
    ended = results.has(series, measure="failed")
    return Claim(
        OURS,
        f"{series} suppress at most 0.25 % of every release, and every series gets to its end",
        f"worst release {worst:.2%}" + (", and a series ended early" if ended else ""),
        judged([worst <= PAPER_SUPPRESSES and not ended]),
    )
