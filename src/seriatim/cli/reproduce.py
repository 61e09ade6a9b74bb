"""``seriatim reproduce``: the paper's experiments beside its claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import pyarrow.parquet
from rich import box
from rich.table import Table

from seriatim.cli.common import console, figure, print_json, progress_counting
from seriatim.errors import StudyError
from seriatim.experiments.laboratory import job_names, run
from seriatim.experiments.plans import Scale
from seriatim.experiments.recommendation import Recommendation, to_table
from seriatim.experiments.reproduction import (
    SENSITIVITY,
    Reproduction,
    demands_of,
    figures_named,
    made_settings,
    told_of,
)
from seriatim.experiments.settings import Setting
from seriatim.experiments.study_setting import study_settings
from seriatim.report.charts import require_drawing, svg_and_png
from seriatim.report.figures import drawn
from seriatim.report.reproduction import reproduction_page

DATA_FIGURES = ("4", "5", "6", "7", "8", "lasting")
"""The figures that need no exact knowledge."""


def run_reproduce(
    folder: Path,
    *,
    names: list[str],
    quick: bool,
    seeds: int | None,
    preset: str,
    sensitivity: bool | None,
    data: Path | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Run the experiments, or go on with them, and write results, figures and the page."""
    require_drawing()
    others = not quick if sensitivity is None else sensitivity
    scale = Scale(presets=(preset, *(one for one in SENSITIVITY if others and one != preset)))
    scale = scale.quick if quick else scale
    scale = scale if seeds is None else replace(scale, seeds=seeds)
    if data is None:
        figures = figures_named(names)
        settings = made_settings(scale)
    else:
        wrong = [name for name in names if name not in DATA_FIGURES]
        if wrong:
            message = (
                f"Figure {wrong[0]!r} needs made data; on a study there are 4 to 8 and lasting."
            )
            raise StudyError(message)
        figures = figures_named(names or DATA_FIGURES)
        settings = study_settings(data, scale)
    demands = demands_of(figures)
    if quick and workers is None:
        # Another process would learn everything anew, which takes longer than the rest.
        workers = 1
    steps = job_names(settings, demands)
    with progress_counting(len(steps), quiet=as_json) as done:
        results = run(settings, demands, scale, folder / "jobs", workers=workers, done=done)
    found = told_of(results, figures, settings)
    _write(found, folder, scale)
    if as_json:
        print_json(
            {
                "claims": [asdict(claim) for claim in found.claims],
                "sensitivity": {
                    name: [asdict(claim) for claim in claims] for name, claims in found.sensitivity
                },
                "rehearsals": [asdict(one) for one in results.rehearsals],
            }
        )
    else:
        _print(found, folder, settings)


def _write(found: Reproduction, folder: Path, scale: Scale) -> None:
    pictures = {}
    try:
        pyarrow.parquet.write_table(found.results.table, folder / "results.parquet")
        pyarrow.parquet.write_table(
            to_table(found.results.rehearsals), folder / "rehearsals.parquet"
        )
        for drawing in found.drawings:
            svg, png = svg_and_png(drawn(drawing))
            (folder / f"{drawing.name}.svg").write_bytes(svg)
            (folder / f"{drawing.name}.png").write_bytes(png)
            pictures[drawing.name] = svg.decode()
        page = reproduction_page(found, pictures, scale)
        (folder / "index.html").write_text(page, encoding="utf-8")
    except OSError as error:
        message = f"The reproduction could not be written to {folder}: {error.strerror}."
        raise StudyError(message) from None


def _print(found: Reproduction, folder: Path, settings: Sequence[Setting]) -> None:
    shown = console()
    seeds = len({setting.seed for setting in settings})
    drawn_by = f"{seeds} seed{'s' if seeds > 1 else ''}"
    title = f"The paper's claims, and ours, on {settings[0].name}, {drawn_by}"
    table = Table(box=box.SIMPLE_HEAD, title=title, show_lines=True)
    for column in ("where", "claim", "measured", "verdict"):
        table.add_column(column, no_wrap=column == "verdict")
    for claim in found.claims:
        measured = claim.measured + (f"\n({claim.reason})" if claim.reason else "")
        table.add_row(claim.figure, claim.says, measured, claim.word)
    shown.print(table)
    for one in found.results.rehearsals:
        shown.print(
            f"Rehearsed on {one.setting}, seed {one.seed}, with {one.defender}: {_cells(one)}"
        )
    shown.print(f"Results, figures and the page are in {folder}; open {folder / 'index.html'}.")


def _cells(one: Recommendation) -> str:
    if one.cells is None:
        return f"nothing, {one.reason}"
    return (
        f"cells of {one.size}, {one.by}, merges {one.merges}, k={one.k}; gain"
        f" {figure(one.gain)}, GCP {figure(one.penalty)}"
    )
