"""The studio's charts, as Vega-Lite specifications of aggregates; colours come with the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seriatim.audit.findings import Findings
from seriatim.publish.frontier import Rehearsal
from seriatim.report.charts import Spec
from seriatim.report.figure import number

_HEIGHT = 240

_LINES = {
    "orient": "top",
    "title": None,
    "symbolType": "stroke",
    "symbolSize": 700,
    "symbolStrokeWidth": 2,
}
"""A legend of lines, whose swatches show their dashes."""


def gain_curve(releases: Sequence[dict[str, Any]], target: float, planned: int) -> Spec:
    """Return what the simulated reader gained by each release, forward and back, and the target."""
    values = [
        {"release": one["number"], "at": one["at"], **_gain(one[way]), "reader": name}
        for way, name in (("gain", "reading forward"), ("back", "looking back"))
        for one in releases
        if one[way] is not None
    ]
    last = max(planned, len(releases), 2)
    x = {
        "field": "release",
        "type": "quantitative",
        "title": "release",
        "scale": {"domain": [1, last], "nice": False, "padding": 14},
        "axis": _numbered(last),
    }
    y = _gain_axis([one["gain"] for one in values], target)
    tooltip = [
        {"field": "release"},
        {"field": "at", "title": "at"},
        {"field": "reader"},
        {"field": "told", "title": "gain"},
    ]
    dash = {
        "field": "reader",
        "type": "nominal",
        "sort": None,
        "legend": _LINES,
    }
    return _spec(
        [
            {
                "data": {"values": values},
                "mark": {"type": "line", "point": {"size": 55, "filled": True}},
                "encoding": {"x": x, "y": y, "strokeDash": dash, "tooltip": tooltip},
            },
            *_target_line(target),
        ]
    )


def frontier(found: Rehearsal) -> Spec:
    """Return what readers gain against the detail that is lost, a point for each setting."""
    values = [
        {
            "place": place,
            "size": trial.cells.size,
            **_gain(trial.gain),
            "cost": round(trial.cost, 4),
            "lost": number(trial.cost),
            "weight": 200 if trial == found.recommended else 80,
            "state": "recommended"
            if trial == found.recommended
            else "holds"
            if trial.holds(found.plan)
            else "does not hold",
            "setting": f"cells of {trial.cells.size}, {trial.cells.by}, {trial.cells.merges},"
            f" k = {trial.k}" + (f", {trial.defences}" if trial.defences else ""),
            "known": number(None if trial.known is None else trial.known.share, ".2%"),
        }
        for place, trial in enumerate(found.trials)
        if trial.failure is None
    ]
    y = _gain_axis([one.gain for one in found.trials if one.failure is None], found.plan.target)
    return _spec(
        [
            {
                "data": {"values": values},
                "mark": {"type": "point", "filled": True, "opacity": 0.95},
                "encoding": {
                    "x": {
                        "field": "cost",
                        "type": "quantitative",
                        "title": "cost: detail lost, rows waiting and stale",
                        "scale": {"zero": False, "padding": 14},
                        "axis": {"grid": False, "tickCount": 6, "format": ".3f"},
                    },
                    "y": y,
                    "size": {"field": "weight", "type": "quantitative", "scale": None},
                    "color": {
                        "field": "state",
                        "type": "nominal",
                        "scale": {
                            "domain": ["recommended", "holds", "does not hold"],
                            "range": ["accent", "accent-middle", "quiet"],
                        },
                        "legend": {"orient": "top", "title": None},
                    },
                    "tooltip": [
                        {"field": "setting"},
                        {"field": "told", "title": "gain"},
                        {"field": "known", "title": "people ever known"},
                        {"field": "lost", "title": "cost"},
                    ],
                },
            },
            *_target_line(found.plan.target),
            *_target_line(found.plan.goal, "goal", "soft"),
        ]
    )


def reader_gains(findings: Findings, target: float) -> Spec:
    """Return what each reader gained by each release, the strongest in our colour."""
    readers = sorted(findings.readers, key=lambda reader: reader == findings.strongest)
    values = [
        {
            "reader": row.reader,
            "release": place,
            **_gain(row.gain),
            "loss": number(row.log_loss, ".2f"),
            "counting": number(row.log_loss_by_frequency, ".2f"),
            "right": number(row.sure_and_right, ".0%"),
        }
        for reader in findings.readers
        for place, row in enumerate(findings.of(reader), start=1)
        if row.gain is not None
    ]
    y = _gain_axis([float(str(one["gain"])) for one in values], target)
    return _spec(
        [
            {
                "data": {"values": values},
                "mark": {"type": "line", "point": {"size": 45, "filled": True}},
                "encoding": {
                    "x": {
                        "field": "release",
                        "type": "quantitative",
                        "scale": {"zero": False, "nice": False, "padding": 14},
                        "axis": _numbered(len(findings.releases)),
                    },
                    "y": y,
                    "color": {
                        "field": "reader",
                        "type": "nominal",
                        "sort": readers,
                        "scale": {"domain": readers, "range": _shades(len(readers))},
                        "legend": _LINES,
                    },
                    "tooltip": [
                        {"field": "reader"},
                        {"field": "release"},
                        {"field": "told", "title": "gain"},
                        {"field": "loss", "title": "log-loss, bits"},
                        {"field": "counting", "title": "of counting"},
                        {"field": "right", "title": "right above .9"},
                    ],
                },
            },
            *_target_line(target),
        ]
    )


def _shades(readers: int) -> list[str]:
    """Return a colour for each reader, ours to the last."""
    return ["series-2", "quiet", "series-4", "series-3", "accent"][-readers:]


def _gain(gain: float) -> dict[str, Any]:
    """Return a gain as it is drawn, and as it is written."""
    return {"gain": round(gain, 4), "told": number(gain)}


def _numbered(last: int) -> dict[str, Any]:
    """Return an axis of releases: there is none before the first, and none between two."""
    numbers = list(range(1, last + 1))
    return {"values": numbers, "labelOverlap": "greedy", "format": "d", "grid": False}


def _gain_axis(gains: Sequence[float], target: float) -> dict[str, Any]:
    top = max([target * 1.15, *(gain * 1.1 for gain in gains), 0.02])
    low = min([0.0, *gains])
    return {
        "field": "gain",
        "type": "quantitative",
        "title": "gain",
        "scale": {"domain": [round(low, 4), round(top, 4)], "nice": True},
        "axis": {"tickCount": 5},
    }


def _target_line(target: float, name: str = "target", colour: str = "bad") -> list[dict[str, Any]]:
    data = {"values": [{"target": target, "label": f"{name} {target:.3g}"}]}
    y = {"field": "target", "type": "quantitative"}
    return [
        {
            "data": data,
            "mark": {"type": "rule", "strokeDash": [5, 4], "color": colour, "strokeWidth": 1.5},
            "encoding": {"y": y},
        },
        {
            "data": data,
            "mark": {
                "type": "text",
                "align": "right",
                "baseline": "bottom",
                "dy": -4,
                "color": colour,
            },
            "encoding": {
                "y": y,
                "x": {"value": "width"},
                "text": {"field": "label"},
            },
        },
    ]


def _spec(layers: list[dict[str, Any]]) -> Spec:
    return {
        "width": "container",
        "height": _HEIGHT,
        "autosize": {"type": "fit", "contains": "padding"},
        "layer": layers,
    }
