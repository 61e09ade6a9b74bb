"""``seriatim history``: what was published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from seriatim._figures import written_measure
from seriatim.cli.common import console, figure, print_json, print_rows
from seriatim.publish.press import open_store
from seriatim.publish.study import Study
from seriatim.publish.watch import recorded_gains

_LETTERS = {
    "k-anonymity": "k",
    "distinct l-diversity": "l",
    "t-closeness": "t",
    "divergence of beliefs": "j",
}

_LEFT_OUT = {"dropped": "dropped for missing values", "repeated": "repeated rows left out"}
"""Rows that were left out before groups were formed, as certificates count them."""

_LISTING = {"waiting": "waiting", "carried": "carried over", "held back": "held back"}
"""Who is not listed though in the table, and listed though not, as certificates count them."""

_CURVE = 14
"""Characters of the curve of gains."""


def run_history(study: Path, *, as_json: bool) -> None:
    """List the releases of a study."""
    declared = Study.read(study)
    records: list[dict[str, Any]] = []
    if declared.has_store:
        with open_store(declared) as store:
            records = [dict(entry.record) for entry in store.entries]
    certificates = [dict(one["certificate"]) for one in records]
    if as_json:
        print_json(certificates)
        return
    shown = console()
    if not certificates:
        shown.print("Nothing was published yet.")
        return
    promised = [one["name"] for one in certificates[-1]["promised"]]
    letters = [_LETTERS.get(name, name) for name in promised]
    titles = ["release", "at", "tuples", "groups", "suppressed", *letters, "GCP", "files"]
    rows = [_row(one, promised, declared.output_folder) for one in certificates]
    for title, cells in _further(certificates).items():
        titles.append(title)
        rows = [[*row, cell] for row, cell in zip(rows, cells, strict=True)]
    cut = len(titles)
    for title, cells in _separated(certificates).items():
        titles.append(title)
        rows = [[*row, cell] for row, cell in zip(rows, cells, strict=True)]
    planned = declared.plan.releases > 1
    if planned:
        target = declared.plan.target
        titles += ["gain", "back", f"0 to target {target:g}"]
        rows = [[*row, *_gain(one, target)] for row, one in zip(rows, records, strict=True)]
    print_rows(titles, rows, left=titles[-1:] if planned else (), cut=cut)
    if planned:
        shown.print(
            "Gain (█): what the simulated reader knows beyond counting, the mean over respondents."
            " Back (░): of the release of which most is known, looking back over the last ones.",
            style="dim",
        )
    if "separated" in titles:
        shown.print(
            "Separated: people whom subtracting groups, of this release and the last ones, sets"
            " apart from all but fewer than k. Named: of these and others, whose value follows if"
            " values do not change.",
            style="dim",
        )


def _further(certificates: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the cells of columns that are shown where there is anything to show."""
    found = {}
    if any(_singled_out(one) for one in certificates):
        found["singled out"] = [figure(_singled_out(one), ".1%") for one in certificates]
    for title, key in _LEFT_OUT.items():
        if any(one.get(key) for one in certificates):
            found[title] = [figure(one.get(key), ",d") for one in certificates]
    told = [one.get("listing", {}) for one in certificates]
    for title, key in _LISTING.items():
        if any(one.get(key) for one in told):
            found[title] = [figure(one.get(key), ",d") for one in told]
    return found


def _separated(certificates: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the cells of what subtraction tells, where any release was compared with others."""
    told = [one.get("differences", {}) for one in certificates]
    if not any(told):
        return {}
    return {
        title: [figure(one.get(f"people {title}"), ",d") for one in told]
        for title in ("separated", "named")
    }


def _gain(record: dict[str, Any], target: float) -> tuple[str, str, str]:
    """Write a gain, that of looking back, and how much of the target each fills."""
    found, back = recorded_gains(record)
    if found is None:
        return "-", "-", ""
    forward = _filled(found, target)
    more = 0 if back is None else max(_filled(back, target) - forward, 0)
    bar = "█" * forward + "░" * more + (" !" if max(found, back or 0.0) > target else "")
    return figure(found), figure(back), bar


def _filled(gain: float, target: float) -> int:
    """Return how many characters of the curve a gain fills."""
    return min(round(_CURVE * max(gain, 0.0) / target), _CURVE) if target else _CURVE


def _singled_out(certificate: dict[str, Any]) -> float | None:
    """Return the greatest share of tuples that the sets of a column single out."""
    return max(certificate.get("singled out", {}).values(), default=None)


def _row(certificate: dict[str, Any], promised: list[str], folder: Path) -> list[str]:
    worst = {one["name"]: one["worst"] for one in certificate["measured"]}
    there = [name for name in certificate["files"] if (folder / name).is_file()]
    return [
        str(certificate["number"]),
        str(next(iter(certificate["at"].values()))),
        f"{certificate['tuples']:,}",
        f"{certificate['groups']:,}",
        f"{certificate['suppressed']:,}",
        *(written_measure(worst[name]) if name in worst else "-" for name in promised),
        figure(certificate["detail lost"].get("global certainty penalty")),
        f"{len(there)} of {len(certificate['files'])}",
    ]
