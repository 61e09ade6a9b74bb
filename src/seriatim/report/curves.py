"""What charts of readers share: the axis of releases, the target, colours and dashes of curves.

Curves and dots that would lie on each other are drawn once, and named together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seriatim.report.charts import Ink, Spec
from seriatim.report.figure import number

COUNTING = "counting alone"
"""The name of the curve of one who is no reader."""

ONCE: Spec = {"values": [{}]}
"""For marks that stand once, not once for every row."""

_DASHES = ([1, 0], [6, 3], [2, 3], [8, 3, 2, 3], [4, 4], [12, 4])


def rounded(figure: float | None) -> float:
    """Return a figure with as many digits as a chart can draw; nothing is drawn as nothing.

    Only for where a mark stands. What is written beside it is ``number`` of the figure itself,
    or it would be rounded twice.
    """
    return round(figure or 0.0, 5)


def releases_axis(rows: Sequence[Spec]) -> Spec:
    """Return the axis of releases, in the order in which rows name them."""
    labels = list(dict.fromkeys(row["release"] for row in rows))
    return {"field": "release", "type": "ordinal", "sort": labels, "title": "release"}


def table_of(
    rows: Sequence[Spec], names: Sequence[str], field: str
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the numbers of curves, as rows have them written, as a table by release."""
    cells = {(row["curve"], row["release"]): row[field] for row in rows}
    labels = dict.fromkeys(row["release"] for row in rows)
    return (
        ("release", *names),
        [(label, *(cells.get((name, label), number(None)) for name in names)) for label in labels],
    )


def target_line(target: float, ink: Ink) -> list[Spec]:
    """Return the layers that mark a target across a chart, with its name."""
    rule = {"type": "rule", "strokeDash": [5, 4], "color": ink.text, "strokeWidth": 1.5}
    place = {"type": "text", "align": "left", "baseline": "bottom", "dx": 4, "dy": -3}
    # Lines may pass behind the words: a rim in the colour of the paper keeps them apart.
    rim = {**place, "stroke": ink.paper, "strokeWidth": 4, "strokeJoin": "round"}
    y = {"y": {"datum": target, "type": "quantitative"}}
    words = {**y, "x": {"value": 0}, "text": {"value": f"target {target:g}"}}
    return [
        {"data": ONCE, "mark": rule, "encoding": y},
        {"data": ONCE, "mark": rim, "encoding": words},
        {"data": ONCE, "mark": {**place, "color": ink.text}, "encoding": words},
    ]


def colours(
    names: list[str], ink: Ink, *, coloured: bool, field: str = "curve", first: str | None = None
) -> Spec:
    """Give each series its colour, and each reader its own: ours to the one that comes first.

    ``first`` is the strongest reader; left out, the last one that is named.
    """
    if coloured:
        palette = [ink.series[place % len(ink.series)] for place in range(len(names))]
    else:
        shades = (ink.accent, ink.series[2], ink.series[4])
        shade = dict(zip(_first_to_last(names, first), shades, strict=False))
        palette = [shade.get(name, ink.soft) for name in names]
    columns = 2 if max(map(len, names)) > 16 else 5
    return {
        "field": field,
        "type": "nominal",
        "scale": {"domain": names, "range": palette},
        "legend": {"columns": columns},
    }


def dashes(names: list[str], *, coloured: bool, first: str | None = None) -> Spec:
    """Tell lines apart by their dashes as well; the one that matters most is whole."""
    if coloured:
        order = [max(place - 1, 0) for place in range(len(names))]
    else:
        whole = _first_to_last(names, first)[0]
        order = [0 if name == whole else 1 + place for place, name in enumerate(names)]
    return {
        "field": "curve",
        "type": "nominal",
        "scale": {
            "domain": names,
            "range": [_DASHES[place % len(_DASHES)] for place in order],
        },
    }


def _first_to_last(names: list[str], first: str | None) -> list[str]:
    """Return the readers among curves: the one that comes first, then from the last back."""
    readers = [name for name in reversed(names) if name != COUNTING]
    return sorted(readers, key=lambda name: name != first)


def alike(told: Sequence[tuple[str, object]]) -> dict[str, list[str]]:
    """Return what is to be drawn, each with those that would lie on it.

    >>> alike([("ours", 1), ("k", 2), ("l", 2), ("t", 2)])
    {'ours': [], 'k': ['l', 't']}
    """
    found: dict[str, list[str]] = {}
    for name, what in told:
        found.setdefault(str(what), []).append(name)
    return {first: rest for first, *rest in found.values()}


def drawn_as(name: str, rest: Sequence[str]) -> str:
    """Return the name of something that is drawn for others as well.

    >>> drawn_as("k-anonymity", ["l-diversity", "t-closeness"])
    'k-anonymity and 2 like it'
    """
    return f"{name} and {len(rest)} like it" if rest else name


def likewise(same: Mapping[str, Sequence[str]]) -> str:
    """Say who is like whom.

    >>> likewise({"ours": [], "k": ["l", "t"]})
    ' The same as k: l, t.'
    """
    return "".join(f" The same as {name}: {', '.join(r)}." for name, r in same.items() if r)
