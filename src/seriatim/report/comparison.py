"""The chart of a comparison: what the strongest reader gains, and what that costs in use."""

from __future__ import annotations

from typing import Any

from seriatim.experiments.comparison import Comparison
from seriatim.report.charts import PALETTE, Spec, themed

_COSTS = {
    "penalty": "detail lost (GCP)",
    "query_error": "query error",
    "learnability": "learnable",
}
"""What gain is held against, by its field in a row."""


def comparison_chart(comparison: Comparison) -> Spec:
    """Return a chart: gain by release, against detail lost, query error and what is learnable."""
    strongest = {row.label: row.strongest for row in comparison.rows}
    curves = [
        {"technique": row.label, "release": number, "gain": round(gain, 6)}
        for row in comparison.rows
        if (one := strongest[row.label]) is not None
        for number, gain in enumerate(row.gains[one.reader], start=1)
    ]
    points = [
        {
            "technique": row.label,
            "gain": round(mean, 6),
            **{field: _rounded(getattr(row, field)) for field in _COSTS},
        }
        for row in comparison.rows
        if (one := strongest[row.label]) is not None
        and (mean := row.gain(one.reader)) is not None
        and row.penalty is not None
    ]
    # Whoever failed, or was attacked by none but misled readers, has neither curve nor dot.
    names = [row.label for row in comparison.rows]
    colour: dict[str, Any] = {
        "field": "technique",
        "type": "nominal",
        "scale": {
            "domain": names,
            "range": [PALETTE[place % len(PALETTE)] for place in range(len(names))],
        },
        "legend": {"orient": "bottom", "columns": 2, "title": None},
    }
    gain = {"field": "gain", "type": "quantitative", "title": "gain of the strongest reader"}
    return themed(
        {
            "title": "What the strongest reader gains, and what is lost for it",
            "hconcat": [
                {
                    "width": 360,
                    "height": 260,
                    "data": {"values": curves},
                    "mark": {"type": "line", "point": True},
                    "encoding": {
                        "x": {"field": "release", "type": "ordinal", "axis": {"labelAngle": 0}},
                        "y": gain,
                        "color": colour,
                    },
                },
                *(
                    _dots(points, field, title, gain, colour)
                    for field, title in _COSTS.items()
                    if any(point[field] is not None for point in points)
                ),
            ],
        }
    )


def _dots(
    points: list[dict[str, Any]], field: str, title: str, gain: Spec, colour: dict[str, Any]
) -> Spec:
    """Draw gain against one of the costs, a dot for each technique that has both."""
    return {
        "width": 200,
        "height": 260,
        "data": {"values": [point for point in points if point[field] is not None]},
        "mark": {"type": "point", "filled": True, "size": 90},
        "encoding": {
            "x": {"field": field, "type": "quantitative", "title": title},
            "y": gain,
            "color": colour,
        },
    }


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 6)
