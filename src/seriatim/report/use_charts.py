"""Charts of what the releases are good for: how well counts come out, and what can be learned."""

from __future__ import annotations

from seriatim.report.account import SeriesAccount
from seriatim.report.charts import Ink, Spec
from seriatim.report.curves import releases_axis
from seriatim.report.figure import Figure, figure, number


def queries_figure(series: SeriesAccount) -> Figure | None:
    """Return the error of random counts by release."""
    rows = _rows([(one.at, one.query_error) for one in series.tables])
    if len(rows) < 2:
        return None
    says = f"Median relative error of random counts by release: {_range(rows, '.1%')}."
    title = "Median error of counts, release by release"
    return _curve("queries", title, says, rows, ("median relative error", ".1~%", ".1%"))


def learnability_figure(series: SeriesAccount) -> Figure | None:
    """Return by release how much of P(value | quasi-identifiers) can still be learned."""
    rows = _rows([(one.at, one.learnability) for one in series.tables])
    if len(rows) < 2:
        return None
    says = (
        "Share of what the original teaches of values given attributes that can be learned from"
        f" each release: {_range(rows, '.0%')}."
    )
    title = "What can still be learned, release by release"
    return _curve("learnability", title, says, rows, ("learnable", ".0%", ".0%"))


def _rows(figures: list[tuple[str, float | None]]) -> list[Spec]:
    return [{"release": at, "told": round(one, 5)} for at, one in figures if one is not None]


def _range(rows: list[Spec], form: str) -> str:
    told = [row["told"] for row in rows]
    return f"{number(min(told), form)} to {number(max(told), form)}"


def _curve(
    name: str, title: str, says: str, rows: list[Spec], axis: tuple[str, str, str]
) -> Figure:
    """Return a curve over the releases; ``axis`` is its name, its form and that of the table."""
    called, form, in_table = axis

    def draw(ink: Ink) -> Spec:
        del ink
        return {
            "data": {"values": rows},
            "height": 200,
            "mark": {"type": "line", "strokeWidth": 2.5, "point": {"size": 36}},
            "encoding": {
                "x": releases_axis(rows),
                "y": {
                    "field": "told",
                    "type": "quantitative",
                    "title": called,
                    "axis": {"format": form},
                    "scale": {"zero": True},
                },
            },
        }

    table = (
        ("release", called),
        [(row["release"], number(row["told"], in_table)) for row in rows],
    )
    return figure(name, title, says, draw, table)
