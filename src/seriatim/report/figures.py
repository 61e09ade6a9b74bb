"""Drawings of experiments as charts."""

from __future__ import annotations

from collections.abc import Sequence

from seriatim.experiments.claims import Drawing, Panel
from seriatim.report.charts import PALETTE, Spec, themed

_WIDTHS = {1: 460, 2: 320, 3: 240, 4: 190}
_IN_A_ROW = 4
_HEIGHT = 220

_GREEN, _RED, _BLUE, _AMBER, _PURPLE, _GREY, _TEAL, _MAROON = PALETTE

COLOURS = {
    "l-diversity": _BLUE,
    "t-closeness": _AMBER,
    "(B,t)-privacy": _PURPLE,
    "JS-reduce": _RED,
    "JS-reduce without j": _TEAL,
    "Mondrian": _BLUE,
    "Hilbert scan": _AMBER,
    "standing cells": _GREEN,
    "DK": _MAROON,
    "IE": _BLUE,
    "SPM": _AMBER,
    "SPM/2": _PURPLE,
    "SPM/5": _TEAL,
    "3-step": _BLUE,
    "2-step": _AMBER,
    "1-step": _PURPLE,
    "snapshot": _GREY,
    "DK joint": _BLUE,
    "DK retrospective": _PURPLE,
    "SPM joint": _BLUE,
    "SPM retrospective": _PURPLE,
}
"""The same thing has the same colour in every figure: techniques, kinds of knowledge, readers.

Green is ours, and nobody else's."""


def drawn(drawing: Drawing) -> Spec:
    """Return a chart with a panel beside the other, means as lines, spreads as bands."""
    curves = [curve.name for panel in drawing.panels for curve in panel.curves]
    names = list(dict.fromkeys([*curves, *(level.name for level in drawing.levels)]))
    columns = 4 if len(drawing.panels) == 1 else 5
    colour = {
        "field": "curve",
        "type": "nominal",
        "scale": {"domain": names, "range": coloured(names)},
        "legend": {"orient": "bottom", "title": None, "columns": columns, "symbolOpacity": 1},
    }
    return themed(
        {
            "title": {"text": drawing.title, "offset": 10},
            "concat": [_panel(drawing, panel, colour) for panel in drawing.panels],
            "columns": _columns(len(drawing.panels)),
            # One height means one figure in all panels, or they could not be compared; and one
            # place the same release, also where a series ended early.
            "resolve": {
                "scale": {
                    "x": "shared" if drawing.x == "release" else "independent",
                    "y": "shared",
                    "color": "shared",
                }
            },
        }
    )


def coloured(names: Sequence[str]) -> list[str]:
    """Return a colour for each curve: its own, else that of its kind, else one that is free.

    >>> coloured(["JS-reduce", "standing cells"]) == [
    ...     COLOURS["JS-reduce"],
    ...     COLOURS["standing cells"],
    ... ]
    True
    """
    taken: dict[str, str] = {}
    for name in names:
        own = COLOURS.get(name, COLOURS.get(name.partition(",")[0]))
        if own is not None and own not in taken.values():
            taken[name] = own
    free = [colour for colour in PALETTE[1:] if colour not in taken.values()] or list(PALETTE)
    others = [name for name in names if name not in taken]
    taken |= {name: free[place % len(free)] for place, name in enumerate(others)}
    return [taken[name] for name in names]


def _columns(panels: int) -> int:
    """Return how many panels stand side by side, so that rows are filled evenly."""
    rows = -(-panels // _IN_A_ROW)
    return max(-(-panels // max(rows, 1)), 1)


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
    layers += [
        {
            "data": {"values": [{"curve": level.name, "y": round(level.height, 6)}]},
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {"y": y, "color": colour},
        }
        for level in drawing.levels
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
        "width": _WIDTHS[_columns(len(drawing.panels))],
        "height": _HEIGHT,
        "data": {"values": rows},
        "layer": layers,
    }
