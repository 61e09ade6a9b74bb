"""Charts of what readers learned: gain, confidence, and how they are spread over respondents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seriatim.report.account import Account, ReaderPoint, SeriesAccount
from seriatim.report.charts import Ink, Spec
from seriatim.report.figure import Figure, figure, number

SIMULATED = "simulated, reading forward"
LOOKING_BACK = "simulated, looking back"
"""The name of the reader whose gain was recorded with each release."""

_COUNTING = "counting alone"
_ONCE: Spec = {"values": [{}]}
"""For marks that stand once, not once for every row."""

_DASHES = ([1, 0], [6, 3], [2, 3], [8, 3, 2, 3], [4, 4], [12, 4])


def gain_figure(account: Account) -> Figure | None:
    """Return the gain by release: of each reader, or of the strongest on each of several series."""
    if len(account.series) > 1:
        curves = [(one.name, _strongest_points(one)) for one in account.series]
        return _gains(account, [(name, points) for name, points in curves if points], coloured=True)
    series = account.judged
    readers = [one.reader for one in series.readers if one.gain is not None]
    curves = [(reader, list(series.of(reader))) for reader in readers]
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
    return _gains(account, curves, coloured=False)


def _gains(
    account: Account, curves: list[tuple[str, list[ReaderPoint]]], *, coloured: bool
) -> Figure | None:
    if not curves:
        return None
    cells = {(name, point.at): _rounded(point.gain) for name, points in curves for point in points}
    named = [name for name, _ in curves]
    what = "the strongest reader" if coloured else "each reader"
    alone = max(len(points) for _, points in curves) == 1
    told = [
        (name, [number(one.gain) for one in points] if coloured else name)
        for name, points in curves
    ]
    alike = _alike(told)
    curves = [(_drawn_as(name, alike[name]), points) for name, points in curves if name in alike]
    names = [name for name, _ in curves]
    rows = [
        {"curve": name, "release": point.at, "gain": _rounded(point.gain)}
        for name, points in curves
        for point in points
    ]

    def draw(ink: Ink) -> Spec:
        bars = _bars(rows, names, account.target, ink)
        return bars if alone else _lines(rows, names, account.target, ink, coloured=coloured)

    labels = list(dict.fromkeys(at for _, at in cells))
    table = (
        ("release", *named),
        [(label, *(number(cells.get((name, label))) for name in named)) for label in labels],
    )
    ends = "; ".join(
        f"{name}: {number(points[0].gain)}"
        if alone
        else f"{name}: from {number(points[0].gain)} to {number(points[-1].gain)}, at most"
        f" {number(max(point.gain or 0.0 for point in points))}"
        for name, points in curves
    )
    by = "" if alone else ", release by release"
    says = f"Mean gain of {what}{by}, beside the target of {account.target:g}. {ends}."
    says += _likewise(alike)
    return figure("gain", f"Gain of {what}{by}", says, draw, table)


def _lines(rows: list[Spec], names: list[str], target: float, ink: Ink, *, coloured: bool) -> Spec:
    most = max([target * 1.25, *(row["gain"] * 1.05 for row in rows)])
    least = min([0.0, *(row["gain"] for row in rows)])
    encoding: Spec = {
        "x": _releases(rows),
        "y": {
            "field": "gain",
            "type": "quantitative",
            "title": "mean gain",
            "scale": {"domain": [least, most], "nice": False},
        },
        "color": _colours(names, ink, coloured=coloured),
        "strokeDash": _dashes(names, coloured=coloured),
        "tooltip": [
            {"field": "curve", "title": " "},
            {"field": "release", "title": "release"},
            {"field": "gain", "type": "quantitative", "format": ".3f", "title": "mean gain"},
        ],
    }
    return {
        "data": {"values": rows},
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 2.5, "point": {"size": 36}},
                "encoding": encoding,
            },
            *_target_line(target, ink),
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
    target_line = {
        "data": _ONCE,
        "mark": {"type": "rule", "strokeDash": [5, 4], "color": ink.text, "strokeWidth": 1.5},
        "encoding": {"x": {"datum": target}},
    }
    label = {
        "data": _ONCE,
        "mark": {"type": "text", "align": "center", "dy": -6, "baseline": "bottom"},
        "encoding": {"x": {"datum": target}, "y": {"value": 0}, "text": {"value": "target"}},
    }
    return {
        "data": {"values": rows},
        # The axis and the word above the bars take their own room.
        "height": 34 * len(names) + 66,
        "padding": {"top": 20, "left": 2, "right": 2, "bottom": 2},
        "layer": [
            {
                "mark": {"type": "bar", "height": 18},
                "encoding": {"y": y, "x": {**x, "field": "gain"}},
            },
            target_line,
            label,
        ],
    }


def _target_line(target: float, ink: Ink) -> list[Spec]:
    rule = {"type": "rule", "strokeDash": [5, 4], "color": ink.text, "strokeWidth": 1.5}
    place = {"type": "text", "align": "left", "baseline": "bottom", "dx": 4, "dy": -3}
    # Lines may pass behind the words: a rim in the colour of the paper keeps them apart.
    rim = {**place, "stroke": ink.paper, "strokeWidth": 4, "strokeJoin": "round"}
    y = {"y": {"datum": target, "type": "quantitative"}}
    words = {**y, "x": {"value": 0}, "text": {"value": f"target {target:g}"}}
    return [
        {"data": _ONCE, "mark": rule, "encoding": y},
        {"data": _ONCE, "mark": rim, "encoding": words},
        {"data": _ONCE, "mark": {**place, "color": ink.text}, "encoding": words},
    ]


def confidence_figure(series: SeriesAccount) -> Figure | None:
    """Return the mean belief in the truth by release and reader, beside counting."""
    readers = [one.reader for one in series.readers if one.gain is not None]
    points = {reader: series.of(reader) for reader in readers}
    if not readers or len(points[readers[0]]) < 2:
        return None
    if any(one.confidence is None for one in points[readers[0]]):
        return None
    names = [*readers, _COUNTING]
    rows: list[Spec] = [
        {"curve": reader, "release": point.at, "belief": _rounded(point.confidence)}
        for reader in readers
        for point in points[reader]
    ]
    rows += [
        {"curve": _COUNTING, "release": one.at, "belief": _rounded(one.confidence_by_frequency)}
        for one in points[readers[-1]]
    ]

    # Where all beliefs are weak, half of the scale tells them apart better.
    most = 1.0 if max(row["belief"] for row in rows) > 0.45 else 0.5

    def draw(ink: Ink) -> Spec:
        return {
            "data": {"values": rows},
            "mark": {"type": "line", "strokeWidth": 2.5, "point": {"size": 36}},
            "encoding": {
                "x": _releases(rows),
                "y": {
                    "field": "belief",
                    "type": "quantitative",
                    "title": "mean belief in the true value",
                    "scale": {"domain": [0, most]},
                },
                "color": _colours(names, ink, coloured=False),
                "strokeDash": _dashes(names, coloured=False),
                "tooltip": [
                    {"field": "curve", "title": " "},
                    {"field": "release", "title": "release"},
                    {"field": "belief", "type": "quantitative", "format": ".3f"},
                ],
            },
        }

    labels = list(dict.fromkeys(row["release"] for row in rows))
    cells = {(row["curve"], row["release"]): row["belief"] for row in rows}
    table = (
        ("release", *names),
        [(label, *(number(cells.get((name, label))) for name in names)) for label in labels],
    )
    strongest = points[readers[-1]]
    says = (
        "Mean belief in the true value by release, for each reader and for one who only counts."
        f" The {readers[-1]} reader reaches at most"
        f" {number(max(one.confidence or 0.0 for one in strongest))}, counting at most"
        f" {number(max(one.confidence_by_frequency or 0.0 for one in strongest))}."
    )
    title = "Confidence in the truth, release by release"
    return figure("confidence", title, says, draw, table)


def spread_figure(series: SeriesAccount) -> Figure | None:
    """Return how the strongest reader's gain is spread over respondents, release by release."""
    strongest = series.strongest
    points = [] if strongest is None else list(series.of(strongest.reader))
    if len(points) < 2 or any(one.gain_lower is None for one in points):
        return None
    rows: list[Spec] = [
        {
            "release": one.at,
            "mean": _rounded(one.gain),
            "median": _rounded(one.gain_median),
            "low": _rounded(one.gain_lower),
            "high": _rounded(one.gain_upper),
        }
        for one in points
    ]
    assert strongest is not None

    def draw(ink: Ink) -> Spec:
        x = _releases(rows)
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


def distribution_figure(account: Account) -> Figure | None:
    """Return how many respondents a reader gains how much on, for each series side by side."""
    found = [(one.name, one.distributions[-1]) for one in account.series if one.distributions]
    if not found:
        return None
    names = [name for name, _ in found]
    reader = found[0][1].reader
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

    # A line of steps ends where its last class does.
    ends = [{**row, "from": row["to"]} for row in rows if row["to"] == found[0][1].edges[-1]]

    def draw(ink: Ink) -> Spec:
        several = len(names) > 1
        panel: Spec = {
            "mark": {"type": "rect", "stroke": ink.paper, "strokeWidth": 1},
            "encoding": {
                "x": {
                    "field": "from",
                    "type": "quantitative",
                    "title": "gain on a respondent",
                    "axis": {"values": [0, 0.2, 0.4, 0.6, 0.8, 1], "format": ".1f"},
                    "scale": {"domain": [found[0][1].edges[0], 1], "nice": False},
                },
                "x2": {"field": "to"},
                "y2": {"datum": 0},
                "y": {
                    "field": "share",
                    "type": "quantitative",
                    "title": "share of respondents",
                    "axis": {"format": ".0%"},
                },
                "tooltip": [
                    {"field": "from", "title": "gain from"},
                    {"field": "to", "title": "to"},
                    {"field": "share", "format": ".1%", "title": "respondents"},
                ],
            },
        }
        if several:
            panel["mark"] = {
                "type": "line",
                "interpolate": "step-after",
                "strokeWidth": 2.5,
            }
            panel["encoding"].pop("x2")
            panel["encoding"].pop("y2")
            panel["encoding"]["color"] = _colours(names, ink, coloured=True, field="series")
        return {"data": {"values": rows + ends if several else rows}, **panel}

    table = (
        ("gain from", "to", *names),
        [
            (
                "below −0.15" if place == 0 else f"{low:g}",
                f"{found[0][1].edges[place + 1]:g}",
                *(number(one.tuples[place] / max(sum(one.tuples), 1), ".2%") for _, one in found),
            )
            for place, low in enumerate(found[0][1].edges[:-1])
        ],
    )
    above = "; ".join(f"{name} {one.above(0.5):.1%}" for name, one in found)
    if len(found) == 1:
        above = f"{found[0][1].above(0.5):.1%}"
    says = (
        f"Share of respondents by gain of the {reader} reader, over all releases."
        f" Respondents with a gain of 0.5 or more: {above}."
    )
    title = f"Gain of the {reader} reader over respondents"
    return figure("distribution", title, says, draw, table)


def frontier_figure(account: Account) -> Figure | None:
    """Return gain against detail lost, a point for each series."""
    told = [one for one in account.series if one.strongest is not None and one.penalty is not None]
    if len(told) < 2:
        return None
    rows: list[Spec] = [
        {
            "series": one.name,
            "gain": _rounded(one.strongest.gain_largest if one.strongest else None),
            "lost": _rounded(one.penalty),
            "size": round(one.mean_size or 0.0, 1),
        }
        for one in told
    ]
    alike = _alike([(row["series"], [f"{row['gain']:.3f}", f"{row['lost']:.3f}"]) for row in rows])
    dots = [
        {**row, "series": _drawn_as(row["series"], alike[row["series"]])}
        for row in rows
        if row["series"] in alike
    ]
    names = [dot["series"] for dot in dots]

    def draw(ink: Ink) -> Spec:
        widest = 1.12 * max(row["lost"] for row in rows) or 1.0
        highest = 1.15 * max(account.target, *(row["gain"] for row in rows))
        colour = _colours(names, ink, coloured=True, field="series")
        colour["legend"] = {
            "symbolType": "circle",
            "symbolSize": 100,
            "rowPadding": 2,
            "columns": 2,
        }
        return {
            "data": {"values": dots},
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
                            {"field": "gain", "format": ".3f"},
                            {"field": "lost", "format": ".1%", "title": "detail lost"},
                            {"field": "size", "format": ".1f", "title": "mean group"},
                        ],
                    },
                },
                *_target_line(account.target, ink),
            ],
        }

    table = (
        ("series", "largest mean gain", "detail lost (GCP)", "mean size of groups"),
        [
            (
                row["series"],
                number(row["gain"]),
                number(row["lost"], ".1%"),
                number(row["size"], ".1f"),
            )
            for row in rows
        ],
    )
    says = (
        "Largest mean gain of the strongest reader against the detail that was lost: "
        + "; ".join(f"{row['series']} {row['gain']:.3f} at {row['lost']:.1%}" for row in rows)
    )
    title = "What is given away, and what it costs: larger dots have larger groups"
    return figure("frontier", title, f"{says}.", draw, table)


def _alike(told: Sequence[tuple[str, object]]) -> dict[str, list[str]]:
    """Return what is to be drawn, each with those that would lie on it.

    >>> _alike([("ours", 1), ("k", 2), ("l", 2), ("t", 2)])
    {'ours': [], 'k': ['l', 't']}
    """
    found: dict[str, list[str]] = {}
    for name, what in told:
        found.setdefault(str(what), []).append(name)
    return {first: rest for first, *rest in found.values()}


def _drawn_as(name: str, rest: Sequence[str]) -> str:
    """Return the name of something that is drawn for others as well.

    >>> _drawn_as("k-anonymity", ["l-diversity", "t-closeness"])
    'k-anonymity and 2 like it'
    """
    return f"{name} and {len(rest)} like it" if rest else name


def _likewise(alike: Mapping[str, Sequence[str]]) -> str:
    """Say who is like whom.

    >>> _likewise({"ours": [], "k": ["l", "t"]})
    ' The same as k: l, t.'
    """
    return "".join(f" The same as {name}: {', '.join(r)}." for name, r in alike.items() if r)


def _strongest_points(series: SeriesAccount) -> list[ReaderPoint]:
    strongest = series.strongest
    return [] if strongest is None else list(series.of(strongest.reader))


def _rounded(figure: float | None) -> float:
    return round(figure or 0.0, 5)


def _releases(rows: Sequence[Spec]) -> Spec:
    labels = list(dict.fromkeys(row["release"] for row in rows))
    return {"field": "release", "type": "ordinal", "sort": labels, "title": "release"}


def _colours(names: list[str], ink: Ink, *, coloured: bool, field: str = "curve") -> Spec:
    """Give each series its colour, and each reader its own: the stronger, the nearer to ours."""
    if coloured:
        palette = [ink.series[place % len(ink.series)] for place in range(len(names))]
    else:
        strongest_first = (ink.accent, ink.series[2], ink.series[4])
        readers = [name for name in names if name != _COUNTING]
        shade = dict(zip(reversed(readers), strongest_first, strict=False))
        palette = [shade.get(name, ink.soft) for name in names]
    columns = 2 if max(map(len, names)) > 16 else 5
    return {
        "field": field,
        "type": "nominal",
        "scale": {"domain": names, "range": palette},
        "legend": {"columns": columns},
    }


def _dashes(names: list[str], *, coloured: bool) -> Spec:
    """Tell lines apart by their dashes as well; the one that matters most is whole."""
    last = len([name for name in names if name != _COUNTING]) - 1
    if coloured:
        order = [max(place - 1, 0) for place in range(len(names))]
    else:
        order = [0 if place == last else 1 + place for place in range(len(names))]
    return {
        "field": "curve",
        "type": "nominal",
        "scale": {
            "domain": names,
            "range": [_DASHES[place % len(_DASHES)] for place in order],
        },
    }
