"""Charts of what readers learned: gain and confidence by release, and gain against detail lost."""

from __future__ import annotations

from seriatim.measure.strongest import WORSE, is_worse_than_counting
from seriatim.report.account import Account, ReaderPoint, ReaderSummary, SeriesAccount
from seriatim.report.charts import Ink, Spec
from seriatim.report.curves import (
    COUNTING,
    ONCE,
    alike,
    colours,
    dashes,
    drawn_as,
    likewise,
    releases_axis,
    rounded,
    table_of,
    target_line,
)
from seriatim.report.figure import Figure, figure, number

SIMULATED = "simulated, reading forward"
LOOKING_BACK = "simulated, looking back"
"""The names of the readers whose gain was recorded with each release."""


def gain_figure(account: Account) -> Figure | None:
    """Return the gain by release: of each reader, or of the strongest on each of several series."""
    if len(account.series) > 1:
        curves = [(one.name, _strongest_points(one)) for one in account.series]
        drawn = [(name, points) for name, points in curves if points]
        return _gains(account, drawn, coloured=True, first=None)
    series = account.judged
    readers = [one for one in series.readers if one.gain is not None]
    curves = [(_named(one), list(series.of(one.reader))) for one in readers]
    if not curves:
        told = {
            SIMULATED: [(one.at, one.watched) for one in series.tables],
            LOOKING_BACK: [(one.at, one.watched_back) for one in series.tables],
        }
        watched = {
            name: [ReaderPoint(name, at, gain) for at, gain in points if gain is not None]
            for name, points in told.items()
        }
        curves = [(name, points) for name, points in watched.items() if points]
    return _gains(account, curves, coloured=False, first=_strongest_of(series))


def _gains(
    account: Account,
    curves: list[tuple[str, list[ReaderPoint]]],
    *,
    coloured: bool,
    first: str | None,
) -> Figure | None:
    if not curves:
        return None
    what = "the strongest reader" if coloured else "each reader"
    alone = max(len(points) for _, points in curves) == 1
    table = table_of(_points(curves), [name for name, _ in curves], "told")
    told = [
        (name, [number(one.gain) for one in points] if coloured else name)
        for name, points in curves
    ]
    same = alike(told)
    curves = [(drawn_as(name, same[name]), points) for name, points in curves if name in same]
    names = [name for name, _ in curves]
    rows = _points(curves)

    def draw(ink: Ink) -> Spec:
        bars = _bars(rows, names, account.target, ink)
        colour = colours(names, ink, coloured=coloured, first=first)
        dash = dashes(names, coloured=coloured, first=first)
        return bars if alone else _lines(rows, account.target, ink, colour, dash)

    ends = "; ".join(
        f"{name}: {number(points[0].gain)}"
        if alone
        else f"{name}: from {number(points[0].gain)} to {number(points[-1].gain)}, at most"
        f" {number(max(point.gain or 0.0 for point in points))}"
        for name, points in curves
    )
    by = "" if alone else ", release by release"
    says = f"Mean gain of {what}{by}, beside the target of {account.target:g}. {ends}."
    return figure("gain", f"Gain of {what}{by}", says + likewise(same), draw, table)


def _points(curves: list[tuple[str, list[ReaderPoint]]]) -> list[Spec]:
    return [
        {
            "curve": name,
            "release": point.at,
            "gain": rounded(point.gain),
            "told": number(point.gain or 0.0),
            **_scored(point),
        }
        for name, points in curves
        for point in points
    ]


def _scored(point: ReaderPoint) -> Spec:
    """Return what stands beside a gain, where it is known."""
    if point.log_loss is None:
        return {}
    return {
        "loss": number(point.log_loss, ".2f"),
        "counting": number(point.log_loss_by_frequency, ".2f"),
        "right": number(point.sure_and_right, ".0%"),
    }


_BESIDE_GAIN = {
    "loss": "log-loss, bits",
    "counting": "of counting",
    "right": "right above .9",
}
"""What is told of a point besides its gain."""


def _lines(rows: list[Spec], target: float, ink: Ink, colour: Spec, dash: Spec) -> Spec:
    most = max([target * 1.25, *(row["gain"] * 1.05 for row in rows)])
    least = min([0.0, *(row["gain"] for row in rows)])
    encoding: Spec = {
        "x": releases_axis(rows),
        "y": {
            "field": "gain",
            "type": "quantitative",
            "title": "mean gain",
            "scale": {"domain": [least, most], "nice": False},
        },
        "color": colour,
        "strokeDash": dash,
        "tooltip": [
            {"field": "curve", "title": " "},
            {"field": "release", "title": "release"},
            {"field": "told", "type": "nominal", "title": "mean gain"},
            *(
                {"field": field, "type": "nominal", "title": title}
                for field, title in _BESIDE_GAIN.items()
                if all(field in row for row in rows)
            ),
        ],
    }
    return {
        "data": {"values": rows},
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 2.5, "point": {"size": 36}},
                "encoding": encoding,
            },
            *target_line(target, ink),
        ],
    }


def _bars(rows: list[Spec], names: list[str], target: float, ink: Ink) -> Spec:
    """Draw one bar a curve, where there is only one release."""
    most = max([target * 1.25, *(row["gain"] * 1.05 for row in rows)])
    least = min([0.0, *(row["gain"] * 1.25 for row in rows)])
    y = {"field": "curve", "type": "nominal", "sort": names, "title": None}
    x = {
        "type": "quantitative",
        "title": "mean gain",
        "scale": {"domain": [least, most], "nice": False},
        "axis": {"tickCount": 6},
    }
    rule = {
        "data": ONCE,
        "mark": {"type": "rule", "strokeDash": [5, 4], "color": ink.text, "strokeWidth": 1.5},
        "encoding": {"x": {"datum": target}},
    }
    label = {
        "data": ONCE,
        "mark": {"type": "text", "align": "center", "dy": -6, "baseline": "bottom"},
        "encoding": {"x": {"datum": target}, "y": {"value": 0}, "text": {"value": "target"}},
    }
    return {
        "data": {"values": rows},
        # The axis and the word above the bars take their own room.
        "height": 34 * len(names) + 66,
        # Names of readers may leave little width: then the last number stands at the very edge.
        "padding": {"top": 20, "left": 2, "right": 14, "bottom": 2},
        "layer": [
            {
                "mark": {"type": "bar", "height": 18},
                "encoding": {"y": y, "x": {**x, "field": "gain"}},
            },
            rule,
            label,
        ],
    }


def _named(one: ReaderSummary) -> str:
    """Return the name of a reader's curve, which says so where the reader was misled."""
    return f"{one.reader} ({WORSE})" if is_worse_than_counting(one) else one.reader


def _strongest_of(series: SeriesAccount) -> str | None:
    return None if series.strongest is None else series.strongest.reader


def _strongest_points(series: SeriesAccount) -> list[ReaderPoint]:
    strongest = _strongest_of(series)
    return [] if strongest is None else list(series.of(strongest))


def confidence_figure(series: SeriesAccount) -> Figure | None:
    """Return the mean belief in the truth by release and reader, beside counting."""
    points = {_named(one): series.of(one.reader) for one in series.readers if one.gain is not None}
    readers = list(points)
    if not readers or len(points[readers[0]]) < 2:
        return None
    if any(one.confidence is None for one in points[readers[0]]):
        return None
    names, first = [*readers, COUNTING], _strongest_of(series)
    rows: list[Spec] = [
        _belief(reader, point.at, point.confidence)
        for reader in readers
        for point in points[reader]
    ]
    rows += [_belief(COUNTING, one.at, one.confidence_by_frequency) for one in points[readers[-1]]]
    # Where all beliefs are weak, half of the scale tells them apart better.
    most = 1.0 if max(row["belief"] for row in rows) > 0.45 else 0.5

    def draw(ink: Ink) -> Spec:
        return {
            "data": {"values": rows},
            "mark": {"type": "line", "strokeWidth": 2.5, "point": {"size": 36}},
            "encoding": {
                "x": releases_axis(rows),
                "y": {
                    "field": "belief",
                    "type": "quantitative",
                    "title": "mean belief in the true value",
                    "scale": {"domain": [0, most]},
                },
                "color": colours(names, ink, coloured=False, first=first),
                "strokeDash": dashes(names, coloured=False, first=first),
                "tooltip": [
                    {"field": "curve", "title": " "},
                    {"field": "release", "title": "release"},
                    {"field": "told", "type": "nominal", "title": "belief"},
                ],
            },
        }

    by_counting = max(one.confidence_by_frequency or 0.0 for one in points[readers[-1]])
    reached = ""
    if first is not None:
        believed = max(one.confidence or 0.0 for one in points[first])
        reached = f" The {first} reader reaches at most {number(believed)}."
    says = (
        "Mean belief in the true value by release, for each reader and for one who only counts."
        f"{reached} Counting reaches at most {number(by_counting)}."
    )
    title = "Confidence in the truth, release by release"
    return figure("confidence", title, says, draw, table_of(rows, names, "told"))


def _belief(curve: str, at: str, belief: float | None) -> Spec:
    told = number(belief or 0.0)
    return {"curve": curve, "release": at, "belief": rounded(belief), "told": told}


def frontier_figure(account: Account) -> Figure | None:
    """Return gain against detail lost, a point for each series."""
    told = [one for one in account.series if one.strongest is not None and one.penalty is not None]
    if len(told) < 2:
        return None
    rows: list[Spec] = [
        {
            "series": one.name,
            "gain": rounded(one.strongest.gain_largest if one.strongest else None),
            "gain told": number(one.strongest.gain_largest if one.strongest else None),
            "lost": rounded(one.penalty),
            "lost told": number(one.penalty, ".1%"),
            "size": round(one.mean_size or 0.0, 1),
        }
        for one in told
    ]

    same = alike([(row["series"], [row["gain told"], f"{row['lost']:.3f}"]) for row in rows])
    dots = [
        {**row, "series": drawn_as(row["series"], same[row["series"]])}
        for row in rows
        if row["series"] in same
    ]

    def draw(ink: Ink) -> Spec:
        return _dots(dots, [dot["series"] for dot in dots], account.target, ink)

    table = (
        (
            "series",
            "largest mean gain",
            "detail lost (GCP)",
            "query error",
            "learnable",
            "mean size of groups",
        ),
        [
            (
                row["series"],
                row["gain told"],
                row["lost told"],
                number(one.query_error, ".1%"),
                number(one.learnability, ".0%"),
                number(row["size"], ".1f"),
            )
            for row, one in zip(rows, told, strict=True)
        ],
    )
    says = (
        "Largest mean gain of the strongest reader against the detail that was lost: "
        + "; ".join(f"{row['series']} {row['gain told']} at {row['lost told']}" for row in rows)
    )
    title = "What is given away, and what it costs: larger dots have larger groups"
    return figure("frontier", title, f"{says}.", draw, table)


def _dots(rows: list[Spec], names: list[str], target: float, ink: Ink) -> Spec:
    """Draw a dot for each series, the larger the larger its groups."""
    widest = 1.12 * max(row["lost"] for row in rows) or 1.0
    highest = 1.15 * max(target, *(row["gain"] for row in rows))
    colour = colours(names, ink, coloured=True, field="series")
    colour["legend"] = {
        "symbolType": "circle",
        "symbolSize": 100,
        "rowPadding": 2,
        "columns": 2,
    }
    return {
        "data": {"values": rows},
        "height": 300,
        "layer": [
            {
                "mark": {"type": "point", "filled": True, "opacity": 1},
                "encoding": {
                    "x": {
                        "field": "lost",
                        "type": "quantitative",
                        "title": "detail lost (GCP)",
                        "scale": {"domain": [0, widest]},
                        "axis": {"format": ".0%", "tickCount": 6, "grid": True},
                    },
                    "y": {
                        "field": "gain",
                        "type": "quantitative",
                        "title": "largest mean gain",
                        "scale": {"domain": [0, highest]},
                    },
                    "size": {
                        "field": "size",
                        "type": "quantitative",
                        "legend": None,
                        "scale": {"range": [80, 420], "zero": True},
                    },
                    "color": colour,
                    "tooltip": [
                        {"field": "series", "title": " "},
                        {"field": "gain told", "title": "gain"},
                        {"field": "lost told", "title": "detail lost"},
                        {"field": "size", "format": ".1f", "title": "mean group"},
                    ],
                },
            },
            *target_line(target, ink),
        ],
    }
