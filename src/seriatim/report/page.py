"""The page: one HTML file with everything in it, from what a report tells."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from seriatim._version import __version__
from seriatim.measure.random_queries import QUERIES
from seriatim.report.account import Account, SeriesAccount
from seriatim.report.figure import Figure, number
from seriatim.report.gain_charts import (
    confidence_figure,
    frontier_figure,
    gain_figure,
)
from seriatim.report.judgement import judge, standing
from seriatim.report.spread_charts import distribution_figure, spread_figure
from seriatim.report.table_charts import (
    attributes_figure,
    leftovers_figure,
    sizes_figure,
)
from seriatim.report.tables import SELECTIVITY
from seriatim.report.use_charts import learnability_figure, queries_figure


@dataclass(frozen=True)
class KeyFigure:
    """One of the figures at the top of a page."""

    name: str
    """What it is."""

    value: str
    """How much."""

    beside: str
    """What to hold against it."""


def page(account: Account, *, made_on: dt.date) -> str:
    """Return a report as one HTML file that needs nothing else, and asks for nothing."""
    style, scripts = _asset("report.css"), (_asset("vega.js"), _asset("report.js"))
    # Markup: these are files of our own, whose characters must stay as they are.
    return (
        _templates()
        .get_template("page.html")
        .render(
            account=account,
            verdict=judge(account),
            key_figures=key_figures(account),
            figures={one.name: one for one in figures(account)},
            style=Markup(style),
            scripts=[Markup(one) for one in scripts],
            policy=_content_policy(style, scripts),
            made_on=made_on.isoformat(),
            version=__version__,
            queries=QUERIES,
            selectivity=SELECTIVITY,
        )
    )


def figures(account: Account) -> list[Figure]:
    """Return every chart that can be drawn from what is told."""
    series = account.judged
    drawn = (
        gain_figure(account),
        frontier_figure(account),
        confidence_figure(series),
        spread_figure(series),
        distribution_figure(account),
        sizes_figure(series),
        attributes_figure(series),
        queries_figure(series),
        learnability_figure(series),
        leftovers_figure(series),
    )
    return [one for one in drawn if one is not None]


def key_figures(account: Account) -> list[KeyFigure]:
    """Return the three figures at the top: what is learned, about how many, and what it costs."""
    series = account.judged
    return [_learned(account), _known(account), _cost(series)]


def _learned(account: Account) -> KeyFigure:
    strongest = account.judged.strongest
    target = f"target {account.target:g}"
    if strongest is not None:
        loss = number(strongest.log_loss, ".2f")
        counting = number(strongest.log_loss_by_frequency, ".2f")
        return KeyFigure(
            "Largest mean gain",
            number(strongest.gain_largest),
            f"{strongest.reader}; {target}; log-loss {loss} bits, counting {counting}",
        )
    if account.judged.misled:
        beside = f"every reader is worse than counting; {target}"
        return KeyFigure("Largest mean gain", number(None), beside)
    way = "looking back a few releases" if account.judged.looked_back else "reading forward only"
    return KeyFigure("Largest mean gain", number(account.judged.watched), f"{way}; {target}")


def _known(account: Account) -> KeyFigure:
    series, strongest = account.judged, account.judged.strongest
    if strongest is not None and strongest.ever_above_nine_tenths is not None:
        counted = number(strongest.ever_above_nine_tenths_by_frequency, ".1%")
        promised = f"; at most {account.share:.1%} beyond that" if account.share < 1 else ""
        return KeyFigure(
            "People ever known for nearly certain",
            number(strongest.ever_above_nine_tenths, ".1%"),
            f"belief above 0.9 in the truth; by counting alone {counted}{promised}",
        )
    smallest = min((one.smallest for one in series.tables), default=None)
    return KeyFigure(
        "Smallest group",
        number(smallest, ",d"),
        f"tuples; {number(series.mean_size, '.1f')} on the mean",
    )


def _cost(series: SeriesAccount) -> KeyFigure:
    used = ""
    if series.query_error is not None:
        used += f"; counts off by {number(series.query_error, '.1%')}"
    if series.learnability is not None:
        used += f"; {number(series.learnability, '.0%')} learnable"
    return KeyFigure(
        "Detail lost",
        number(series.penalty, ".1%"),
        f"{'GCP' if series.penalty is not None else 'an attribute has no declared domain'}; groups"
        f" of {number(series.mean_size, '.0f')} on the mean,"
        f" {number(series.suppressed, '.1%')} suppressed{used}",
    )


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("seriatim.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # No browser reads NaN: better no page than one without charts.
    made.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    made.filters["figure"] = number
    made.globals["standing"] = standing
    return made


@cache
def _asset(name: str) -> str:
    content = files("seriatim.report").joinpath("assets", name).read_text(encoding="utf-8")
    if "</script" in content.lower() or "</style" in content.lower():
        message = f"{name} would end the element that it is put into."
        raise AssertionError(message)
    return content


def _content_policy(style: str, scripts: tuple[str, ...]) -> str:
    """Allow what is in the page, by digest, and nothing from elsewhere."""
    hashes = " ".join(_hash(one) for one in scripts)
    return f"default-src 'none'; style-src {_hash(style)}; script-src {hashes}; img-src data: blob:"


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
