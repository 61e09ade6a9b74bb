"""All of Section VI: which figures there are, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

from seriatim.errors import StudyError, listed
from seriatim.experiments import (
    figure_3,
    figure_4,
    figure_5,
    figure_6,
    figure_7,
    figure_8,
    figure_9,
    lasting,
    matched_sizes,
    stronger_readers,
    suppression,
)
from seriatim.experiments.claims import Claim, Drawing
from seriatim.experiments.plans import Demand, Scale
from seriatim.experiments.results import Results
from seriatim.experiments.settings import MadeSetting, Setting

FIGURES: dict[str, ModuleType] = {
    "3": figure_3,
    "4": figure_4,
    "5": figure_5,
    "6": figure_6,
    "7": figure_7,
    "8": figure_8,
    "9": figure_9,
    "suppression": suppression,
    "matched": matched_sizes,
    "readers": stronger_readers,
    "lasting": lasting,
}
"""By the paper's number, or a name for what it tells in words and what we add."""

SENSITIVITY = ("mild", "sharp", "literature")
"""Generators that the claims are not judged by."""


@dataclass(frozen=True, eq=False)
class Reproduction:
    """What came of the experiments."""

    results: Results
    """Every measure of every release."""

    drawings: tuple[Drawing, ...]
    """The figures."""

    claims: tuple[Claim, ...]
    """What the paper says, judged; and after it what we say."""

    sensitivity: tuple[tuple[str, tuple[Claim, ...]], ...] = ()
    """The same claims on other generators, not judged by."""


def figures_named(names: Sequence[str]) -> dict[str, ModuleType]:
    """Return figures by name; all where none is named."""
    unknown = [name for name in names if name not in FIGURES]
    if unknown:
        message = f"There is no figure {unknown[0]!r}; possible are {listed(FIGURES)}."
        raise StudyError(message)
    return {name: FIGURES[name] for name in names or FIGURES}


def demands_of(figures: dict[str, ModuleType]) -> list[Demand]:
    """Return everything that some figures need."""
    return [demand for figure in figures.values() for demand in figure.demands()]


def made_settings(scale: Scale) -> list[Setting]:
    """Return the made series: all seeds of the first generator, one of each other."""
    first, *others = scale.presets
    settings: list[Setting] = [
        MadeSetting(first, scale.views, scale.size, seed) for seed in range(1, scale.seeds + 1)
    ]
    return settings + [MadeSetting(preset, scale.views, scale.size, 1) for preset in others]


def told_of(
    results: Results, figures: dict[str, ModuleType], settings: Sequence[Setting]
) -> Reproduction:
    """Draw the figures and judge the claims; those of the first setting's kind count."""
    names = list(dict.fromkeys(setting.name for setting in settings))
    first = results.of(names[0])
    drawings = [one for figure in figures.values() for one in figure.drawings(first)]
    others = tuple((name, _claims(results.of(name), figures)) for name in names[1:])
    return Reproduction(results, tuple(drawings), _claims(first, figures), others)


def _claims(results: Results, figures: dict[str, ModuleType]) -> tuple[Claim, ...]:
    """Return all claims, the paper's first; what two figures claim alike stands once."""
    found = dict.fromkeys(one for figure in figures.values() for one in figure.claims(results))
    return tuple(sorted(found, key=lambda one: one.ours))
