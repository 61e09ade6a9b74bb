"""Charts as Vega-Lite specifications, and how they become files.

A specification is plain data, made of aggregates only: no figure in it is about one
respondent.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seriatim.errors import StudyError, listed
from seriatim.publish.new_files import create

Spec = dict[str, Any]
"""A Vega-Lite specification."""

ENDINGS = (".svg", ".png", ".json")

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"

PALETTE = ("#0b6e4f", "#c8553d", "#3d5a80", "#e09f3e", "#7d4f9c", "#52616b", "#d0559a", "#9e2a2b")
"""Colours that stay apart in print and for colour-blind eyes; the first is ours."""

_FONT = "system-ui, 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True)
class Ink:
    """What a chart is drawn with, by day or by night."""

    paper: str
    """The background."""

    text: str
    """Words that matter."""

    soft: str
    """Words that matter less, and lines that stand back."""

    grid: str
    """Lines behind everything."""

    accent: str
    """What the eye should find first."""

    band: str
    """A range behind the accent."""

    series: tuple[str, ...]
    """Things side by side; the first is the accent."""


LIGHT = Ink("#ffffff", "#1d2522", "#5a6561", "#e4e9e6", PALETTE[0], "#bfddd2", PALETTE)
DARK = Ink(
    "#151a18",
    "#e8eeeb",
    "#a3afaa",
    "#2c3532",
    "#5fc9a3",
    "#2f5b4c",
    ("#5fc9a3", "#f0947e", "#93b5e1", "#f0c36d", "#c8a2e2", "#aab6bd", "#f49ac8", "#ea9293"),
)


def themed(spec: Spec) -> Spec:
    """Return a specification with the house's fonts, colours and sizes."""
    return {
        "$schema": _SCHEMA,
        "background": "white",
        "config": {
            "font": _FONT,
            "axis": {"labelFontSize": 11, "titleFontSize": 12, "gridColor": "#e6e6e6"},
            "legend": {"labelFontSize": 11, "titleFontSize": 12, "labelLimit": 320},
            "title": {"fontSize": 14, "anchor": "start"},
            "range": {"category": list(PALETTE)},
            "view": {"stroke": None},
        },
        **spec,
    }


def inked(spec: Spec, ink: Ink) -> Spec:
    """Return a specification for a page: as wide as its place, on no background of its own."""
    words = {"labelColor": ink.soft, "titleColor": ink.soft, "labelFontSize": 12}
    return {
        "background": None,
        "autosize": {"type": "fit", "contains": "padding"},
        "padding": 2,
        "height": 260,
        "config": {
            "font": _FONT,
            "axis": {
                **words,
                "titleFontSize": 12,
                "titleFontWeight": "normal",
                "gridColor": ink.grid,
                "domainColor": ink.soft,
                "tickColor": ink.grid,
            },
            "axisX": {
                "grid": False,
                "labelAngle": 0,
                # A date may reach below the lowest figure of the other axis.
                "labelPadding": 8,
                "labelOverlap": "greedy",
                "labelSeparation": 12,
            },
            "axisY": {"domain": False, "ticks": False, "tickCount": 5},
            "legend": {
                **words,
                "orient": "top",
                "title": None,
                "symbolStrokeWidth": 2.5,
                "symbolType": "stroke",
                # Long enough to show which dashes are whose; its rows are kept close all the same.
                "symbolSize": 900,
                "rowPadding": -11,
                "symbolOpacity": 1,
                "labelLimit": 260,
                "columnPadding": 18,
            },
            "mark": {"color": ink.accent},
            "bar": {"cornerRadiusEnd": 2},
            "text": {"fontSize": 12, "color": ink.text},
            "view": {"stroke": None},
        },
        **spec,
    }


def write_chart(spec: Spec, path: str | Path) -> None:
    """Write a chart as SVG, PNG or the bare specification, by the ending of the name."""
    file = Path(path)
    require_ending(file)
    content = chart_bytes(spec, file.suffix)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        with create(file, 0o644) as new:
            new.write(content)
    except OSError as error:
        message = f"The chart could not be written to {file}: {error.strerror}."
        raise StudyError(message) from None


def require_ending(path: str | Path) -> None:
    """Refuse a file name whose ending names no kind of chart."""
    if Path(path).suffix not in ENDINGS:
        message = f"A chart is written as {listed(ENDINGS)}, by the name of its file, not {path}."
        raise StudyError(message)


def chart_bytes(spec: Spec, ending: str) -> bytes:
    """Return a chart as the content of a file with an ending."""
    if ending == ".json":
        return json.dumps(spec, indent=1).encode()
    converter = require_drawing()
    if ending == ".svg":
        return str(converter.vegalite_to_svg(spec)).encode()
    return bytes(converter.vegalite_to_png(spec, scale=2))


def svg_and_png(spec: Spec) -> tuple[bytes, bytes]:
    """Return a chart in both forms, laid out once."""
    converter = require_drawing()
    drawn = str(converter.vegalite_to_svg(spec))
    return drawn.encode(), bytes(converter.svg_to_png(drawn, scale=2))


def require_drawing() -> Any:
    """Return what draws charts; say how to get it where it is not there."""
    try:
        import vl_convert
    except ImportError:
        message = (
            "Drawing charts needs vl-convert: pip install 'seriatim[png]'. A name that ends in"
            " .json writes a chart's specification without it."
        )
        raise StudyError(message) from None
    return vl_convert
