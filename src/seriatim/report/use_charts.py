"""Charts of what the releases are good for: how well counts come out, and what can be learned."""

from __future__ import annotations

from seriatim.report.account import SeriesAccount
from seriatim.report.charts import Spec
from seriatim.report.curves import releases_axis
from seriatim.report.figure import Figure, figure, number


def queries_figure(series: SeriesAccount) -> Figure | None:
    """Return the error of random counts by release."""
    told = [(one.at, one.query_error) for one in series.tables]
    rows: list[Spec] = [
        {"release": at, "error": round(one, 5)} for at, one in told if one is not None
    ]
    if len(rows) < 2:
        return None
    span = _span([row["error"] for row in rows], ".1%")
    return figure(
        "queries",
        "Median error of counts, release by release",
        f"Median relative error of random counts by release: {span}.",
        lambda ink: _curve(rows, "error", "median relative error", ".1~%"),
        _table(rows, "error", "median relative error", ".1%"),
    )


def learnability_figure(series: SeriesAccount) -> Figure | None:
    """Return by release how much of P(value | quasi-identifiers) can still be learned."""
    told = [(one.at, one.learnability) for one in series.tables]
    rows: list[Spec] = [
        {"release": at, "share": round(one, 5)} for at, one in told if one is not None
    ]
    if len(rows) < 2:
        return None
    span = _span([row["share"] for row in rows], ".0%")
    return figure(
        "learnability",
        "What can still be learned, release by release",
        "Share of what the original teaches of values given attributes that can be learned from"
        f" each release: {span}.",
        lambda ink: _curve(rows, "share", "learnable", ".0%"),
        _table(rows, "share", "learnable", ".0%"),
    )


def _span(figures: list[float], form: str) -> str:
    return f"{number(min(figures), form)} to {number(max(figures), form)}"


def _curve(rows: list[Spec], field: str, title: str, form: str) -> Spec:
    """Return a curve over the releases, in the colours of the page."""
    return {
        "data": {"values": rows},
        "height": 200,
        "mark": {"type": "line", "strokeWidth": 2.5, "point": {"size": 36}},
        "encoding": {
            "x": releases_axis(rows),
            "y": {
                "field": field,
                "type": "quantitative",
                "title": title,
                "axis": {"format": form},
                "scale": {"zero": True},
            },
        },
    }


def _table(
    rows: list[Spec], field: str, title: str, form: str
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the curve as a table: its heads, and a row for each release."""
    return ("release", title), [(row["release"], number(row[field], form)) for row in rows]
