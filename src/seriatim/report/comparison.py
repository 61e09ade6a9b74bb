"""The chart of a comparison: what the strongest reader gains, and what detail that costs."""

from __future__ import annotations

from typing import Any

from seriatim.experiments.comparison import Comparison
from seriatim.report.charts import PALETTE, Spec, themed


def comparison_chart(comparison: Comparison) -> Spec:
    """Return a chart: the gain release by release, and gain against detail lost."""
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
            "penalty": round(row.penalty, 6),
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
            "title": "What the strongest reader gains, and the detail that was lost",
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
                {
                    "width": 260,
                    "height": 260,
                    "data": {"values": points},
                    "mark": {"type": "point", "filled": True, "size": 90},
                    "encoding": {
                        "x": {
                            "field": "penalty",
                            "type": "quantitative",
                            "title": "detail lost (GCP)",
                        },
                        "y": gain,
                        "color": colour,
                    },
                },
            ],
        }
    )
