"""``seriatim history``: what was published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table

from seriatim.cli.common import console, print_json
from seriatim.publish.press import open_store
from seriatim.publish.study import Study

_LETTERS = {
    "k-anonymity": "k",
    "distinct l-diversity": "l",
    "t-closeness": "t",
    "divergence of beliefs": "j",
}


_CURVE = 20
"""Characters of the curve of gains."""


def run_history(study: Path, *, as_json: bool) -> None:
    """List the releases of a study."""
    declared = Study.read(study)
    certificates = []
    if declared.store_path.exists():
        with open_store(declared) as store:
            certificates = [dict(entry.record["certificate"]) for entry in store.entries]
    if as_json:
        print_json(certificates)
        return
    shown = console()
    if not certificates:
        shown.print("Nothing was published yet.")
        return
    table = Table(box=box.SIMPLE_HEAD)
    for title in ("release", "at", "tuples", "groups", "suppressed"):
        table.add_column(title, justify="right")
    promised = [one["name"] for one in certificates[-1]["promised"]]
    for title in (*(_LETTERS.get(name, name) for name in promised), "GCP", "files"):
        table.add_column(title, justify="right")
    planned = declared.plan.releases > 1
    if planned:
        table.add_column("gain", justify="right")
        table.add_column(f"0 to target {declared.plan.target:g}", min_width=_CURVE)
    for one in certificates:
        cells = _row(one, promised, declared.output_folder)
        table.add_row(*cells, *(_gain(one, declared.plan.target) if planned else ()))
    shown.print(table)
    if planned:
        shown.print(
            "Gain: what the simulated reader knows beyond counting, the mean over respondents.",
            style="dim",
        )


def _gain(certificate: dict[str, Any], target: float) -> tuple[str, str]:
    """Write a gain, and how much of the target it fills."""
    found = certificate.get("simulated reader", {}).get("mean gain")
    if found is None:
        return "-", ""
    filled = round(_CURVE * max(found, 0.0) / target) if target else _CURVE
    bar = "█" * min(filled, _CURVE) + (" !" if found > target else "")
    return f"{round(found, 3) + 0.0:.3f}", bar


def _row(certificate: dict[str, Any], promised: list[str], folder: Path) -> list[str]:
    worst = {one["name"]: one["worst"] for one in certificate["measured"]}
    there = [name for name in certificate["files"] if (folder / name).is_file()]
    return [
        str(certificate["number"]),
        str(next(iter(certificate["at"].values()))),
        f"{certificate['tuples']:,}",
        f"{certificate['groups']:,}",
        f"{certificate['suppressed']:,}",
        *(f"{worst[name]:.4g}" if name in worst else "-" for name in promised),
        f"{certificate['detail lost']['global certainty penalty']:.3f}",
        f"{len(there)} of {len(certificate['files'])}",
    ]
