"""The series of Section VI, with the parameters that Table IV prints in bold.

The paper names no k for JS-reduce; 10 is taken, and others are shown beside it. Its
suppression of what cannot be grouped is kept.
"""

from __future__ import annotations

from seriatim.experiments.plans import Plan
from seriatim.experiments.results import Results
from seriatim.publish.policy import js_reduce
from seriatim.publish.presets import bt_privacy, l_diversity, t_closeness

L_DIVERSITY = Plan("l-diversity", l_diversity(l=2))
T_CLOSENESS = Plan("t-closeness", t_closeness(t=0.8))
BT_PRIVACY = Plan("(B,t)-privacy", bt_privacy(bandwidth=0.5, t=0.8))
JS_REDUCE = Plan("JS-reduce", js_reduce(k=10, t=0.5, j=0.6), "DK")
JS_REDUCE_IE = Plan("JS-reduce, IE", js_reduce(k=10, t=0.5, j=0.6), "IE")
JS_REDUCE_SPM = Plan("JS-reduce, SPM", js_reduce(k=10, t=0.5, j=0.6), "SPM")

EXISTING = (L_DIVERSITY, T_CLOSENESS, BT_PRIVACY)
"""What the paper compares with."""

ALL = (*EXISTING, JS_REDUCE)


def js_reduce_of(results: Results) -> Plan | None:
    """Return JS-reduce as it could be run: by exact knowledge, else by a mined one."""
    there = (JS_REDUCE, JS_REDUCE_SPM)
    return next((plan for plan in there if results.has(plan.name, measure="tuples")), None)


BEST = "DK"
"""The knowledge that the data was drawn from."""
