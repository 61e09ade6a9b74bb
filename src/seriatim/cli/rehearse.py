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
from seriatim.publish.rehearsal import Rehearsal, most_trials, rehearse, tune
from seriatim.publish.rehearsal_setting import foreseen, open_views, plan_of
from seriatim.publish.study import Study


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


def _tell(found: Rehearsal, *, as_json: bool, population: dict[str, Any] | None = None) -> None:
    if as_json:
        learned = {} if population is None else {"population": population}
        print_json(asdict(found) | {"margin": found.margin} | learned)
        return
    shown = console()
    plan = found.plan
    title = (
        f"{found.releases} releases, {plan.reader} reader, target {plan.target:g}:"
        " gain against detail lost"
    )
    titles = (
        *("cell size", "placed", "merges", "k"),
        *("gain", "log-\nloss", "count-\ning", "right", "GCP", "left out", ""),
    )
    rows = []
    for trial in found.trials:
        loss, counting, right = trial.scored
        rows.append(
            (
                str(trial.cells.size),
                trial.cells.by,
                trial.cells.merges,
                str(trial.k),
                figure(trial.gain),
                figure(loss, ".2f"),
                figure(counting, ".2f"),
                figure(right, ".0%"),
                figure(trial.penalty),
                figure(trial.suppressed, ".2%"),
                found.state(trial),
            )
        )
    print_rows(titles, rows, left=("placed", "merges", ""), title=title, cut=8, keys=4)
    if any(trial.misled for trial in found.trials):
        shown.print(
            "Worse than counting: there the reader's gain says little. What the study says under"
            " [reader] does not fit these values, or the reader makes too much of it.",
            markup=False,
        )
    best = found.recommended
    if best is None:
        shown.print(
            "No setting held the target. Publish less often, ask for a higher target, or let"
            " groups be larger (--size)."
        )
        return
    gains = ", ".join(figure(gain) for gain in best.gains)
    shown.print(
        f"Recommended, held on {len(best.gains)} of {len(best.gains)} histories (greatest gain of a"
        f" release: {gains}; {figure(found.margin)} to spare{_certainty(found)}). In study.toml,"
        f' under [policy]:\n\n    k = {best.k}\n    partitioner = "standing-cells"\n'
        f'    cell_size = {best.cells.size}\n    cells_by = "{best.cells.by}"\n'
        f'    cells_merge = "{best.cells.merges}"\n',
        highlight=False,
        markup=False,
    )


def _certainty(found: Rehearsal) -> str:
    """Say how far apart histories are, against what there is to spare."""
    best = found.recommended
    if best is None or best.spread == 0:
        return ""
    return f", {found.margin / best.spread:.1f} times the spread between histories"
