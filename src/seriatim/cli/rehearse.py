"""``seriatim rehearse`` and ``seriatim tune``: what a series needs, before it is published."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from seriatim.cli.common import (
    console,
    figure,
    print_json,
    print_rows,
    progress_counting,
    telling_warnings,
)
from seriatim.errors import listed
from seriatim.publish.frontier import LEFT_COLUMNS, Rehearsal
from seriatim.publish.rehearsal import rehearse, tune
from seriatim.publish.rehearsal_setting import foreseen, open_views, plan_of
from seriatim.publish.stage import most_trials
from seriatim.publish.study import Study
from seriatim.publish.trial import Trial


def run_rehearse(
    sources: list[str],
    study: Path,
    *,
    changes: dict[str, Any],
    histories: int,
    sizes: list[int],
    seed: int,
    values: bool,
    as_json: bool,
) -> None:
    """Play the planned series on made histories, and recommend a setting."""
    declared = Study.read(study)
    plan = plan_of(declared, changes)
    with telling_warnings():
        known = foreseen(declared, sources, plan, values=values)
    if not as_json:
        console().print(f"{known}\n", highlight=False, markup=False)
    trials = most_trials(declared.policy, len(known.population.latest), histories, sizes)
    with progress_counting(trials, quiet=as_json, kernels="rehearse") as done:
        found = rehearse(
            declared.policy,
            known.adversary,
            known.population,
            plan,
            histories=histories,
            sizes=sizes,
            seed=seed,
            progress=done,
        )
    _tell(found, as_json=as_json, population=known.told)


def run_tune(
    sources: list[str],
    study: Path,
    *,
    changes: dict[str, Any],
    sizes: list[int],
    as_json: bool,
) -> None:
    """Play real past views over a ladder of settings."""
    declared = Study.read(study)
    plan = replace(plan_of(declared, changes), margin=0.0)
    with telling_warnings():
        views = open_views(declared, sources)
    trials = most_trials(declared.policy, len(views[0]), 1, sizes)
    with progress_counting(trials, quiet=as_json, kernels="rehearse") as done:
        found = tune(declared.policy, declared.adversary, views, plan, sizes=sizes, progress=done)
    _tell(found, as_json=as_json)


_NARROW = {"waiting": "wait-\ning", "log-loss": "log-\nloss", "counting": "count-\ning"}
"""Titles of columns that are wider than what stands in them."""


def _tell(found: Rehearsal, *, as_json: bool, population: dict[str, Any] | None = None) -> None:
    if as_json:
        learned = {} if population is None else {"population": population}
        told = {"margin": found.margin, "promise": found.plan.promise}
        print_json(asdict(found) | told | learned)
        return
    shown = console()
    title = found.asked
    rows = [found.row(trial) for trial in found.trials]
    cut = found.columns.index("") + 1
    keys = found.columns.index("gain")
    titles = [_NARROW.get(name, name) for name in found.columns]
    print_rows(titles, rows, left=LEFT_COLUMNS, title=title, cut=cut, keys=keys)
    if found.some_misled:
        shown.print(
            "Worse than counting: there the reader's gain says little. What the study says under"
            " [reader] does not fit these values, or the reader makes too much of it.",
            markup=False,
        )
    best = found.recommended
    if best is None:
        shown.print(
            "No setting kept the promise. Publish less often, promise less, let groups be larger"
            " (--size), or allow more (--allow)."
        )
        return
    setting = "\n    ".join(best.lines)
    shown.print(
        f"Recommended, held on {len(best.gains)} of {len(best.gains)} histories"
        f" ({_figures(found, best)}). In study.toml, under [policy]:\n\n    {setting}\n",
        highlight=False,
        markup=False,
    )
    beyond = found.beyond
    if beyond:
        shown.print(
            f"[plan] does not allow {listed(beyond)}, and nothing else kept the promise: read what"
            " it means for users of the data before you take it.",
            markup=False,
        )


def _figures(found: Rehearsal, best: Trial) -> str:
    """Tell what the recommended setting came to."""
    gains = ", ".join(figure(gain) for gain in best.gains)
    known = ""
    if best.known is not None and found.plan.share < 1:
        known = (
            f"{best.known.known:,} of {best.known.people:,} people ever known, at most"
            f" {best.known.at_most:.2%} of all; "
        )
    return (
        f"{known}greatest gain of a release: {gains}; {figure(found.margin)} to"
        f" spare{_certainty(found)}"
    )


def _certainty(found: Rehearsal) -> str:
    """Say how far apart histories are, against what there is to spare."""
    best = found.recommended
    if best is None or best.spread == 0:
        return ""
    return f", {found.margin / best.spread:.1f} times the spread between histories"
