"""``seriatim compare``: techniques side by side on a series of views."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from seriatim.cli.common import (
    console,
    figure,
    print_json,
    print_rows,
    progress_through,
    telling_warnings,
)
from seriatim.errors import StudyError
from seriatim.experiments.comparison import Comparison, ComparisonRow, compare
from seriatim.experiments.series import Material
from seriatim.experiments.techniques import TECHNIQUES, Technique, matched_technique, technique
from seriatim.inference.readers import READERS, named_readers
from seriatim.measure.strongest import remark_on
from seriatim.microdata.instants import read_instant_word
from seriatim.publish.press import open_view
from seriatim.publish.study import Study
from seriatim.report.charts import require_ending, write_chart
from seriatim.report.comparison import comparison_chart
from seriatim.report.of_study import study_figures

_LEARNED = (
    "technique",
    "reader",
    "gain",
    "largest",
    "log-\nloss",
    "count-\ning",
    "sure\nabove .9",
    "right",
    "",
)
"""What is told of each reader of each technique."""

OWN = "study"
"""The name of the study's own policy among the techniques."""


def run_compare(
    study: Path,
    views: list[str],
    *,
    names: list[str],
    matched: bool,
    readers: list[str],
    instants: list[str],
    k: int | None,
    t: float | None,
    selectivity: float,
    queries: int | None,
    seed: int,
    chart: Path | None,
    how: dict[str, Any],
    as_json: bool,
) -> None:
    """Publish views with each technique in memory, attack them, and tell what came of it."""
    if chart is not None:
        require_ending(chart)
    declared = Study.read(study)
    policy = declared.declared.policy
    same = policy.k if k is None else k, t if t is not None else policy.t or 0.5
    asked = _techniques(declared, names, same if matched else None)
    if instants and len(instants) != len(views):
        message = f"{len(views)} views need as many instants; --at was given {len(instants)} times."
        raise StudyError(message)
    when = [read_instant_word(word) for word in instants] if instants else None
    named = named_readers(readers or READERS, declared.adversary)
    steps = ("reading the views", *_steps(asked, when or range(1, len(views) + 1)))
    with telling_warnings(), progress_through(steps, quiet=as_json) as reached:
        reached("reading the views")
        taken = [declared.intake.take_in(open_view(declared, one, **how)) for one in views]
        material = Material([one.table for one in taken], taken[0].schema, when, seed)
        found = compare(
            material,
            asked,
            declared.adversary,
            named,
            selectivity=selectivity,
            queries=queries,
            progress=reached,
        )
    if chart is not None:
        write_chart(comparison_chart(found), chart)
    if as_json:
        print_json({"study": study_figures(declared)} | asdict(found))
    else:
        _print(found, same if matched else None)


def _techniques(study: Study, names: list[str], same: tuple[int, float] | None) -> list[Technique]:
    """Return what to compare: named techniques, or all; with the same k and t where asked."""
    found = []
    for name in names or (OWN, *TECHNIQUES):
        if name == OWN:
            found.append(Technique(f"this {OWN}", study.policy))
            continue
        one = technique(name)
        found.append(one if same is None else matched_technique(one, k=same[0], t=same[1]))
    return found


def _steps(techniques: list[Technique], instants: Any) -> tuple[str, ...]:
    return tuple(
        step
        for one in techniques
        for step in (
            *(f"{one.name}: release {at}" for at in instants),
            f"{one.name}: reading like an adversary",
        )
    )


def _print(found: Comparison, same: tuple[int, float] | None) -> None:
    shown = console()
    how = "parameters as in the literature" if same is None else f"k={same[0]}, t={same[1]:g}"
    title = f"The same series, published with each technique ({how})"
    print_rows(
        _LEARNED,
        [line for row in found.rows for line in _learned(row)],
        left=("technique", "reader", ""),
        title=title,
        cut=6,
        keys=2,
    )
    titles = (
        "technique",
        "strongest",
        "gain",
        "mean\nsize",
        "GCP",
        "semi-\nperim.",
        "query\nerror",
        "learn-\nable",
        "left\nout",
        "counter-\nfeits",
        "s",
    )
    rows = [
        (
            row.technique if row.failure is None else f"{row.technique} *",
            *_strongest(row),
            figure(row.mean_size, ".1f"),
            figure(row.penalty),
            figure(row.semiperimeter),
            figure(row.query_error),
            figure(row.learnability, ".0%"),
            figure(row.suppressed, ".2%"),
            figure(row.counterfeits, ",d"),
            figure(row.seconds if row.releases else None, ".2f"),
        )
        for row in found.rows
    ]
    beside = "What it costs, beside what the strongest reader gains"
    print_rows(titles, rows, left=("technique", "strongest"), title=beside, cut=3)
    shown.print(
        "Gains are means over the releases; group sizes do most of it, so compare rows of like"
        " size. The strongest reader has the lowest log-loss; right: of what was said above .9."
        f" Query error: median of {found.queries:,} counts of expected selectivity"
        f" {found.selectivity:g}. Learnable: how much of P(value | quasi-identifiers) can still"
        " be learned, of what the original views teach; - where these teach nothing.",
        style="dim",
    )
    for row in found.rows:
        if row.failure is not None:
            reason = row.failure.splitlines()[0]
            what = f"ended after release {row.releases}" if row.releases else "failed"
            shown.print(f"* {row.technique} {what}, {reason}")


def _learned(row: ComparisonRow) -> list[tuple[str, ...]]:
    """Return a line for each reader of a technique; of one that published nothing, that it failed.

    The technique is named once, above its readers.
    """
    if not row.findings:
        return [(row.technique, *[""] * 7, "failed")]
    readers = tuple(row.findings.values())
    return [
        (
            row.technique if place == 0 else "",
            one.reader,
            figure(row.gain(one.reader)),
            figure(max(row.gains[one.reader])),
            figure(one.log_loss, ".2f"),
            figure(one.log_loss_by_frequency, ".2f"),
            figure(one.sure_above_nine_tenths, ".1%"),
            figure(one.sure_and_right, ".0%"),
            remark_on(one, readers),
        )
        for place, one in enumerate(readers)
    ]


def _strongest(row: ComparisonRow) -> tuple[str, str]:
    """Return who the strongest reader is, and their gain."""
    one = row.strongest
    if one is not None:
        return one.reader, figure(row.gain(one.reader))
    return ("none" if row.findings else "failed"), figure(None)
