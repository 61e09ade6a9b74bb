"""Charts of how what a reader gains is spread over respondents and tuples."""

from __future__ import annotations

from collections.abc import Sequence

from seriatim.audit.distribution import Distribution
from seriatim.report.account import Account, SeriesAccount
from seriatim.report.charts import Ink, Spec
from seriatim.report.curves import colours, releases_axis, rounded
from seriatim.report.figure import Figure, figure, number


def spread_figure(series: SeriesAccount) -> Figure | None:
    """Return how the strongest reader's gain is spread over respondents, release by release."""
    strongest = series.strongest
    points = [] if strongest is None else list(series.of(strongest.reader))
    if len(points) < 2 or any(one.gain_lower is None for one in points):
        return None
    rows: list[Spec] = [
        {
            "release": one.at,
            "mean": rounded(one.gain),
            "median": rounded(one.gain_median),
            "low": rounded(one.gain_lower),
            "high": rounded(one.gain_upper),
        }
        for one in points
    ]
    assert strongest is not None

    def draw(ink: Ink) -> Spec:
        return _band(rows, ink)

    table = (
        ("release", "one in ten below", "half below", "mean", "one in ten above", "standard dev."),
        [
            (
                one.at,
                number(one.gain_lower),
                number(one.gain_median),
                number(one.gain),
                number(one.gain_upper),
                number(one.gain_spread),
            )
            for one in points
        ],
    )
    says = (
        f"Gain of the {strongest.reader} reader by release: mean, median, and the range that"
        " eight respondents in ten lie in. One in ten lies above"
        f" {number(max(one.gain_upper or 0.0 for one in points))} in the worst release."
    )
    title = f"How the {strongest.reader} reader's gain is spread over respondents"
    return figure("spread", title, says, draw, table)


def _band(rows: list[Spec], ink: Ink) -> Spec:
    """Draw mean and median as lines over the range that most respondents lie in."""
    x = releases_axis(rows)
    y = {"type": "quantitative", "title": "gain"}

    def named(word: str) -> Spec:
        domain = ["mean", "median", "eight in ten respondents (shaded)"]
        scale = {"domain": domain, "range": [ink.accent, ink.soft, ink.band]}
        return {"datum": word, "type": "nominal", "scale": scale}

    return {
        "data": {"values": rows},
        "layer": [
            {
                "mark": {"type": "area", "opacity": 0.7},
                "encoding": {
                    "x": x,
                    "y": {**y, "field": "low"},
                    "y2": {"field": "high"},
                    "color": named("eight in ten respondents (shaded)"),
                },
            },
            {
                "mark": {"type": "line", "strokeDash": [4, 3], "strokeWidth": 2},
                "encoding": {"x": x, "y": {**y, "field": "median"}, "color": named("median")},
            },
            {
                "mark": {"type": "line", "strokeWidth": 2.5, "point": {"size": 36}},
                "encoding": {"x": x, "y": {**y, "field": "mean"}, "color": named("mean")},
            },
        ],
    }


def distribution_figure(account: Account) -> Figure | None:
    """Return how many tuples a reader gains how much on, for each series side by side."""
    found = [(one.name, spread) for one in account.series for spread in _of_strongest(one)]
    if not found:
        return None
    names = [name for name, _ in found]
    readers = {one.reader for _, one in found}
    # Where several series are drawn, the strongest reader may be another on each.
    reader = readers.pop() if len(readers) == 1 else "strongest"
    edges = found[0][1].edges
    rows: list[Spec] = [
        {
            "series": name,
            "from": one.edges[place],
            "to": one.edges[place + 1],
            "share": round(count / max(sum(one.tuples), 1), 6),
        }
        for name, one in found
        for place, count in enumerate(one.tuples)
    ]

    def draw(ink: Ink) -> Spec:
        return _stairs(rows, names, edges, ink) if len(names) > 1 else _classes(rows, edges, ink)

    table = (
        ("gain from", "to", *names),
        [
            (
                f"below {edges[1]:g}".replace("-", "−") if place == 0 else f"{low:g}",
                f"{edges[place + 1]:g}",
                *(number(one.tuples[place] / max(sum(one.tuples), 1), ".2%") for _, one in found),
            )
            for place, low in enumerate(edges[:-1])
        ],
    )
    above = "; ".join(f"{name} {one.above(0.5):.1%}" for name, one in found)
    if len(found) == 1:
        above = f"{found[0][1].above(0.5):.1%}"
    says = (
        f"Share of tuples by gain of the {reader} reader, over all releases; a person has one in"
        f" each. Tuples with a gain of 0.5 or more: {above}."
    )
    title = f"Gain of the {reader} reader over all tuples"
    return figure("distribution", title, says, draw, table)


def _of_strongest(series: SeriesAccount) -> list[Distribution]:
    """Return how the strongest reader's gain is spread; nothing where none is the strongest."""
    strongest = series.strongest
    return [
        one
        for one in series.distributions
        if strongest is not None and one.reader == strongest.reader
    ]


def _classes(rows: list[Spec], edges: Sequence[float], ink: Ink) -> Spec:
    """Draw the classes of one series as bars without gaps."""
    encoding = _shares(edges) | {"x2": {"field": "to"}, "y2": {"datum": 0}}
    mark = {"type": "rect", "stroke": ink.paper, "strokeWidth": 1}
    return {"data": {"values": rows}, "mark": mark, "encoding": encoding}


def _stairs(rows: list[Spec], names: list[str], edges: Sequence[float], ink: Ink) -> Spec:
    """Draw the classes of several series as lines of steps, which do not hide each other."""
    # A line of steps ends where its last class does.
    ends = [{**row, "from": row["to"]} for row in rows if row["to"] == edges[-1]]
    colour = colours(names, ink, coloured=True, field="series")
    mark = {"type": "line", "interpolate": "step-after", "strokeWidth": 2.5}
    encoding = _shares(edges) | {"color": colour}
    return {"data": {"values": rows + ends}, "mark": mark, "encoding": encoding}


def _shares(edges: Sequence[float]) -> Spec:
    """Return the axes of gains and of the share of respondents."""
    return {
        "x": {
            "field": "from",
            "type": "quantitative",
            "title": "gain on a respondent",
            "axis": {"values": [0, 0.2, 0.4, 0.6, 0.8, 1], "format": ".1f"},
            "scale": {"domain": [edges[0], 1], "nice": False},
        },
        "y": {
            "field": "share",
            "type": "quantitative",
            "title": "share of tuples",
            "axis": {"format": ".0%"},
        },
        "tooltip": [
            {"field": "from", "title": "gain from"},
            {"field": "to", "title": "to"},
            {"field": "share", "format": ".1%", "title": "tuples"},
        ],
    }
