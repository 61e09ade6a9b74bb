"""Claims of the paper beside what was measured, and drawings of it.

What counts as reproduced is fixed here and in the figures' files, not fitted to an outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from seriatim.experiments.plans import Demand
from seriatim.experiments.results import Point, Results

Judgement = Literal["reproduced", "partly", "not reproduced"]
"""What came of a claim."""

OURS = "ours"
"""Where a claim stands that the paper does not make."""


@dataclass(frozen=True)
class Claim:
    """Something that the paper says, and what came of it here."""

    figure: str
    """Where the paper says it."""

    says: str
    """What it says, in our words."""

    measured: str
    """What was measured, mean and spread over seeds."""

    verdict: Judgement
    """Whether it came out."""

    reason: str = ""
    """Why it did not, or what to bear in mind."""

    @property
    def ours(self) -> bool:
        """Whether it is a claim of ours, not of the paper."""
        return self.figure == OURS

    @property
    def word(self) -> str:
        """The verdict as it is shown: what we claim is not reproduced, it holds or does not.

        >>> Claim(OURS, "less is lost", "0.1", "not reproduced").word
        'does not hold'
        """
        held = {"reproduced": "holds", "partly": "partly", "not reproduced": "does not hold"}
        return held[self.verdict] if self.ours else self.verdict


@dataclass(frozen=True)
class Curve:
    """A line of a drawing."""

    name: str
    """What it stands for."""

    points: tuple[Point, ...]
    """Where it runs."""


@dataclass(frozen=True)
class Panel:
    """One of the pictures that are drawn side by side."""

    title: str
    """What stands above it; empty where the drawing's title says it."""

    curves: tuple[Curve, ...]
    """Its lines."""


@dataclass(frozen=True)
class Level:
    """A line across all panels: what has no parameter of its own to be drawn over."""

    name: str
    """What it stands for."""

    height: float
    """Where it lies."""


@dataclass(frozen=True)
class Drawing:
    """Pictures that belong together."""

    name: str
    """Its file's name."""

    title: str
    """What it shows."""

    x: str
    """What runs from left to right."""

    y: str
    """What runs upward."""

    panels: tuple[Panel, ...]
    """The pictures, side by side."""

    target: float | None = None
    """A level to draw across, such as the bound that the paper claims."""

    levels: tuple[Level, ...] = ()
    """Series that are drawn across."""


class Figure(Protocol):
    """One of the paper's figures, or one of ours: a module with these three functions."""

    def demands(self) -> Sequence[Demand]:
        """Return the series and attacks that it needs."""
        ...

    def drawings(self, results: Results) -> Sequence[Drawing]:
        """Return its pictures."""
        ...

    def claims(self, results: Results) -> Sequence[Claim]:
        """Return what the paper says of it, judged."""
        ...


def judged(holds: Sequence[bool]) -> Judgement:
    """Return the verdict on a claim that is about several cases.

    >>> judged([True, True]), judged([True, False]), judged([False])
    ('reproduced', 'partly', 'not reproduced')
    """
    if all(holds) and holds:
        return "reproduced"
    return "partly" if any(holds) else "not reproduced"


PAPER_SUPPRESSES = 0.0025
"""The greatest share of a release that JS-reduce suppresses, by the paper."""


def on_condition(verdict: Judgement, results: Results, series: str) -> Judgement:
    """Return a verdict on what JS-reduce gives away, as far as it publishes as the paper says.

    What is suppressed cannot be learned: where a series suppresses more than the paper
    says, or ends early, a bound on what it gives away is reproduced in part at best.
    """
    lost = suppressed_share(results, series) > PAPER_SUPPRESSES
    ended = results.has(series, measure="failed")
    return "partly" if verdict == "reproduced" and (lost or ended) else verdict


def told(point: Point, form: str = ".3f") -> str:
    """Write mean and spread.

    >>> told(Point(0, 0.59, 0.012))
    '0.590 ± 0.012'
    """
    return f"{point.mean:{form}} ± {point.spread:{form}}"


def mean_size(results: Results, series: str) -> float:
    """Return the tuples of a group of a series."""
    return results.mean(series, measure="tuples").mean / results.mean(series, measure="groups").mean


def suppressed_share(results: Results, series: str) -> float:
    """Return the share of the tuples of a series' releases that was suppressed."""
    out = results.mean(series, measure="suppressed").mean
    return out / (out + results.mean(series, measure="tuples").mean)


def gains(
    results: Results, title: str, series: str, attacks: Sequence[str], measure: str = "gain"
) -> Panel:
    """Return the curves of several attacks on one series."""
    return Panel(
        title,
        tuple(
            Curve(attack, results.curve(series, attack, measure))
            for attack in attacks
            if results.has(series, attack, measure)
        ),
    )
