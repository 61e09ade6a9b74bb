"""Charts of what the tables lost: sizes of groups, generalization, leftovers."""

from __future__ import annotations

from seriatim.report.account import SeriesAccount
from seriatim.report.charts import Ink, Spec
from seriatim.report.curves import releases_axis
from seriatim.report.figure import Figure, figure, number


def sizes_figure(series: SeriesAccount) -> Figure | None:
    """Return the sizes of groups: their range by release, or counted where there is one release."""
    if not series.tables:
        return None
    return _range_of_sizes(series) if len(series.tables) > 1 else _counted_sizes(series)


def _range_of_sizes(series: SeriesAccount) -> Figure:
    rows: list[Spec] = [
        {
            "release": one.at,
            "smallest": one.smallest,
            "mean": round(one.mean_size, 2),
            "largest": one.largest,
        }
        for one in series.tables
    ]

    def draw(ink: Ink) -> Spec:
        x = releases_axis(rows)
        y = {"type": "quantitative", "title": "tuples in a group"}

        def named(word: str) -> Spec:
            scale = {"domain": ["mean", "smallest to largest"], "range": [ink.accent, ink.soft]}
            return {"datum": word, "type": "nominal", "scale": scale}

        return {
            "data": {"values": rows},
            "layer": [
                {
                    "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.55},
                    "encoding": {
                        "x": x,
                        "y": {**y, "field": "smallest"},
                        "y2": {"field": "largest"},
                        "color": named("smallest to largest"),
                    },
                },
                {
                    "mark": {"type": "line", "strokeWidth": 2.5, "point": {"size": 36}},
                    "encoding": {"x": x, "y": {**y, "field": "mean"}, "color": named("mean")},
                },
            ],
        }

    table = (
        ("release", "tuples", "groups", "smallest", "mean", "largest"),
        [
            (
                one.at,
                f"{one.tuples:,}",
                f"{one.groups:,}",
                str(one.smallest),
                number(one.mean_size, ".1f"),
                f"{one.largest:,}",
            )
            for one in series.tables
        ],
    )
    says = (
        f"Sizes of groups by release: never below {min(one.smallest for one in series.tables)},"
        f" {number(series.mean_size, '.1f')} on the mean, at most"
        f" {max(one.largest for one in series.tables):,}."
    )
    return figure("sizes", "Sizes of groups", says, draw, table)


def _counted_sizes(series: SeriesAccount) -> Figure:
    (one,) = series.tables
    step = max(1, (one.largest - one.smallest) // 24 + 1)
    counted: dict[int, int] = {}
    for size, times in one.sizes:
        low = one.smallest + (size - one.smallest) // step * step
        counted[low] = counted.get(low, 0) + times
    rows: list[Spec] = [
        {"from": low, "to": low + step, "groups": times} for low, times in sorted(counted.items())
    ]

    def draw(ink: Ink) -> Spec:
        return {
            "data": {"values": rows},
            "mark": {"type": "rect", "stroke": ink.paper, "strokeWidth": 1},
            "encoding": {
                "x": {
                    "field": "from",
                    "type": "quantitative",
                    "title": "tuples in a group",
                    "axis": {"tickMinStep": 1, "format": "d", "tickCount": 10},
                    "scale": {"domain": [one.smallest, rows[-1]["to"]], "nice": False},
                },
                "x2": {"field": "to"},
                "y2": {"datum": 0},
                "y": {
                    "field": "groups",
                    "type": "quantitative",
                    "title": "groups",
                    "axis": {"tickMinStep": 1, "format": "d"},
                },
            },
        }

    table = (
        ("tuples in a group", "groups"),
        [
            (
                str(row["from"]) if step == 1 else f"{row['from']} to {row['to'] - 1}",
                str(row["groups"]),
            )
            for row in rows
        ],
    )
    says = (
        f"{one.groups:,} groups of {one.smallest} to {one.largest:,} tuples,"
        f" {number(one.mean_size, '.1f')} on the mean."
    )
    return figure("sizes", "Sizes of groups", says, draw, table)


def attributes_figure(series: SeriesAccount) -> Figure | None:
    """Return how far each quasi-identifier was generalized, the mean and the worst release."""
    tables = [one for one in series.tables if one.attributes]
    if not tables:
        return None
    names = list(tables[-1].attributes)
    found = {name: [one.attributes.get(name, 0.0) for one in tables] for name in names}
    rows: list[Spec] = [
        {
            "attribute": name,
            "mean": round(sum(figures) / len(figures), 5),
            "most": round(max(figures), 5),
            "told": f"{name}: {_span(figures)}",
        }
        for name, figures in found.items()
    ]

    def draw(ink: Ink) -> Spec:
        y = {"field": "attribute", "type": "nominal", "sort": names, "axis": None}
        x = {
            "type": "quantitative",
            "title": "share of the domain that a group covers",
            "scale": {"domain": [0, 1]},
            "axis": {"format": ".0%", "tickCount": 5},
        }
        layers: list[Spec] = [
            {
                "mark": {"type": "bar", "height": 14, "yOffset": 9},
                "encoding": {"y": y, "x": {**x, "field": "mean"}},
            },
            {
                # Above its bar, where there is room whatever the bar's length and the page's width.
                "mark": {"type": "text", "align": "left", "yOffset": -9},
                "encoding": {"y": y, "x": {"value": 0}, "text": {"field": "told"}},
            },
        ]
        if len(tables) > 1:
            mark = {"type": "tick", "thickness": 2, "size": 18, "yOffset": 9, "color": ink.text}
            layers.append({"mark": mark, "encoding": {"y": y, "x": {**x, "field": "most"}}})
        return {"data": {"values": rows}, "height": 46 * len(names) + 44, "layer": layers}

    table = (
        ("release", *names, "all (GCP)"),
        [
            (
                one.at,
                *(number(one.attributes.get(name), ".1%") for name in names),
                number(one.penalty, ".1%"),
            )
            for one in tables
        ],
    )
    told = ", ".join(f"{row['attribute']} {row['mean']:.0%}" for row in rows)
    says = f"Share of each attribute's domain that a group covers on the mean: {told}."
    if len(tables) > 1:
        says += " Ticks mark the worst release."
    return figure("attributes", "Generalization by attribute", says, draw, table)


def _span(figures: list[float]) -> str:
    mean = f"{sum(figures) / len(figures):.0%}"
    return mean if len(figures) == 1 else f"{mean}, at worst {max(figures):.0%}"


def leftovers_figure(series: SeriesAccount) -> Figure | None:
    """Return suppressed and counterfeit tuples by release; nothing where there are none."""
    tables = [one for one in series.tables if one.suppressed or one.counterfeits]
    if not tables:
        return None
    rows: list[Spec] = [
        {"release": one.at, "what": what, "tuples": count or 0}
        for one in series.tables
        for what, count in (("suppressed", one.suppressed), ("counterfeit", one.counterfeits))
    ]

    def draw(ink: Ink) -> Spec:
        return {
            "data": {"values": rows},
            "height": 200,
            "mark": {"type": "bar"},
            "encoding": {
                "x": releases_axis(rows),
                "y": {
                    "field": "tuples",
                    "type": "quantitative",
                    "title": "tuples",
                    "axis": {"tickMinStep": 1, "format": "d"},
                },
                "color": {
                    "field": "what",
                    "type": "nominal",
                    "scale": {
                        "domain": ["suppressed", "counterfeit"],
                        "range": [ink.accent, ink.soft],
                    },
                    "legend": {"symbolType": "square", "symbolSize": 100, "rowPadding": 2},
                },
            },
        }

    table = (
        ("release", "suppressed", "counterfeit"),
        [
            (one.at, number(one.suppressed, ",d"), number(one.counterfeits, ",d"))
            for one in series.tables
        ],
    )
    left_out = sum(one.suppressed or 0 for one in tables)
    invented = sum(one.counterfeits or 0 for one in tables)
    says = (
        f"Tuples left out and tuples of nobody by release: {left_out:,} suppressed and"
        f" {invented:,} counterfeit in all."
    )
    return figure(
        "leftovers", "Tuples left out, and tuples of nobody, by release", says, draw, table
    )
