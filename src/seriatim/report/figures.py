"""Drawings of experiments as charts."""

from __future__ import annotations

from seriatim.experiments.claims import Drawing, Panel
from seriatim.report.charts import PALETTE, Spec, themed

_WIDTHS = {1: 460, 2: 320, 3: 240, 4: 190}


def drawn(drawing: Drawing) -> Spec:
    """Return a chart with a panel beside the other, means as lines, spreads as bands."""
    names = list(dict.fromkeys(curve.name for panel in drawing.panels for curve in panel.curves))
    colours = [PALETTE[place % len(PALETTE)] for place in range(len(names))]
    colour = {
        "field": "curve",
        "type": "nominal",
        "scale": {"domain": names, "range": colours},
        "legend": {"orient": "bottom", "title": None, "columns": 4, "symbolOpacity": 1},
    }
    return themed(
        {
            "title": drawing.title,
            "hconcat": [_panel(drawing, panel, colour) for panel in drawing.panels],
            # One height means one figure in all panels, or they could not be compared.
            "resolve": {"scale": {"y": "shared", "color": "shared"}},
        }
    )


def _panel(drawing: Drawing, panel: Panel, colour: Spec) -> Spec:
    rows = [
        {
            "curve": curve.name,
            "x": point.x,
            "y": round(point.mean, 6),
            "low": round(point.mean - point.spread, 6),
            "high": round(point.mean + point.spread, 6),
        }
        for curve in panel.curves
        for point in curve.points
    ]
    x: Spec = {"field": "x", "type": "quantitative", "title": drawing.x, "scale": {"zero": False}}
    if drawing.x == "release":
        x["axis"] = {"tickMinStep": 1}
    y = {"field": "y", "type": "quantitative", "title": drawing.y}
    layers: list[Spec] = [
        {
            "mark": {"type": "area", "opacity": 0.15},
            "encoding": {
                "x": x,
                "y": {"field": "low", "type": "quantitative", "title": drawing.y},
                "y2": {"field": "high"},
                "color": colour,
            },
        },
        {
            "mark": {"type": "line", "point": {"size": 18}},
            "encoding": {"x": x, "y": y, "color": colour},
        },
    ]
    if drawing.target is not None:
        layers.append(
            {
                "mark": {"type": "rule", "strokeDash": [4, 4], "color": "#888888"},
                "encoding": {"y": {"datum": drawing.target}},
            }
        )
    return {
        "title": {"text": panel.title, "fontSize": 12},
        "width": _WIDTHS.get(len(drawing.panels), 180),
        "height": 220,
        "data": {"values": rows},
        "layer": layers,
    }
