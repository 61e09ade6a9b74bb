"""A disease in a readable file: stages, where they lead, and how fast.

A file names its sources and says what was assumed. Chances are given per day, month, year or
any number of them, and become weekly ones: with a share p leaving a stage in a time T, the
hazard is −ln(1 − p) / T, split over where they go as p is; with a mean stay m it is 1 / m.
Someone then leaves within a step with probability 1 − exp(−hazard · step). A step is a week,
or the file's own unit where that is shorter: then a week is so many steps.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from seriatim._typing import FloatArray
from seriatim.errors import KnowledgeError, did_you_mean, listed
from seriatim.simulate.patients import CLASSES, ENDINGS

WEEK = 7.0
_DAYS = {"day": 1.0, "week": WEEK, "month": 365.25 / 12, "year": 365.25}
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Stage:
    """A stage, and how it is left."""

    value: str
    """The exam result."""

    means: str
    """What it stands for."""

    admitted: float
    """Share of those admitted with this disease who are in this stage."""

    hazards: Mapping[str, float]
    """Rate of leaving for other stages and ends, per day."""


@dataclass(frozen=True)
class Worsening:
    """Who gets worse faster, or slower."""

    who: Mapping[str, str]
    """Cells of class columns, such as ``{"age": "65-74"}``."""

    factor: float
    """What rates to worse stages are multiplied by; death is not among them."""

    because: str
    """The source."""


@dataclass(frozen=True)
class Disease:
    """A disease as its file describes it.

    >>> from seriatim.simulate.literature import published_diseases
    >>> hiv = published_diseases()[1]
    >>> hiv.values
    ('HIV-1', 'HIV-2', 'HIV-3', 'HIV-4')
    >>> hiv.weekly()[0, 1].round(3).tolist()  # a week after HIV-2; at the end, the two endings
    [0.0, 0.976, 0.004, 0.0, 0.0, 0.02]
    """

    name: str
    """A short name."""

    title: str
    """What it is, and in which stages."""

    stages: tuple[Stage, ...]
    """From best to worst."""

    step: float
    """Days of a step: a week, or less."""

    worsening: tuple[Worsening, ...]
    """Classes that differ."""

    sources: tuple[Mapping[str, str], ...]
    """Where the figures come from."""

    assumptions: tuple[str, ...]
    """What the sources do not say."""

    @classmethod
    def read(cls, path: str | Path) -> Disease:
        """Read a file."""
        file = Path(path)
        try:
            found = tomllib.loads(file.read_text(encoding="utf-8"))
            return _disease(found)
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            message = f"{file} could not be read: {reason}."
        except KeyError as error:
            message = f"{file.name} lacks {error}; the built-in disease models show what is needed."
        except (AttributeError, TypeError, ValueError) as error:
            message = f"{file.name} is no disease model: {error}."
        except KnowledgeError as error:
            message = f"{file.name}: {error}"
        raise KnowledgeError(message) from None

    @property
    def values(self) -> tuple[str, ...]:
        """Its exam results, best first."""
        return tuple(stage.value for stage in self.stages)

    def weekly(self) -> FloatArray:
        """Return the chance of each value a week later (classes, values, values).

        Values are its stages, then ``deceased`` and ``discharged``, which last for ever.
        """
        values = (*self.values, *ENDINGS)
        rates = np.zeros((len(CLASSES), len(values), len(values)))
        for row, stage in enumerate(self.stages):
            for value, hazard in stage.hazards.items():
                rates[:, row, values.index(value)] = hazard
        n_stages = len(self.stages)
        worse = np.triu(np.ones((n_stages, n_stages), dtype=bool), 1)
        for one in self.worsening:
            places = [CLASSES.names.index(name) for name in one.who]
            cells = tuple(one.who.values())
            theirs = [tuple(row[place] for place in places) == cells for row in CLASSES.cells]
            rates[:, :n_stages, :n_stages][theirs] *= np.where(worse, one.factor, 1.0)
        totals = rates.sum(axis=2, keepdims=True)
        shares = np.divide(rates, totals, out=np.zeros_like(rates), where=totals > 0)
        leaving = -np.expm1(-totals * self.step)
        step = leaving * shares + (1 - leaving) * np.eye(len(values))
        return np.linalg.matrix_power(step, round(WEEK / self.step))


def days_in(text: str) -> float:
    """Return the days of a time such as ``"5 years"``.

    >>> days_in("1 week"), days_in("2 months")
    (7.0, 60.875)
    """
    number, _, unit = text.partition(" ")
    days = _DAYS.get(unit.removesuffix("s"), math.nan) * float(number)
    if not days > 0:
        message = f"{text!r} is no time; write '1 day', '2 weeks', '1 month' or '5 years'."
        raise KnowledgeError(message)
    return days


def _disease(found: dict[str, Any]) -> Disease:
    """Return the disease that a file describes; refuse what contradicts itself."""
    unit = days_in(found["per"])
    step = min(unit, WEEK)
    if abs(WEEK / step - round(WEEK / step)) > _ROUNDING:
        message = f"A time shorter than a week divides it, and {found['per']!r} does not."
        raise KnowledgeError(message)
    discharge = found.get("discharge")
    leaving = 0.0
    if discharge is not None:
        leaving = _hazard(discharge["chance"], days_in(discharge["per"]))
    stages = tuple(_stage(one, unit, leaving) for one in found["stages"])
    values = [stage.value for stage in stages]
    possible = [*values, *ENDINGS]
    if len(set(possible)) < len(possible) or not stages:
        message = f"Stages have values of their own, none of them {listed(ENDINGS)}."
        raise KnowledgeError(message)
    for stage in stages:
        unknown = [value for value in stage.hazards if value not in possible]
        if unknown or stage.value in stage.hazards:
            wrong = unknown[0] if unknown else stage.value
            message = (
                f"{stage.value!r} leads to {wrong!r}; possible are the other stages, and"
                f" {listed(ENDINGS)}.{did_you_mean(wrong, possible)}"
            )
            raise KnowledgeError(message)
    if abs(sum(stage.admitted for stage in stages) - 1) > _ROUNDING:
        message = "The shares admitted in each stage sum to 1, and here they do not."
        raise KnowledgeError(message)
    return Disease(
        str(found["name"]),
        str(found["title"]),
        stages,
        step,
        tuple(_worsening(one) for one in found.get("worsening", [])),
        tuple(found["sources"]),
        tuple(found["assumptions"]),
    )


def _stage(found: dict[str, Any], unit: float, discharge: float) -> Stage:
    """Return a stage with its rates per day."""
    chances = {str(value): float(chance) for value, chance in found["next"].items()}
    admitted, total = float(found["admitted"]), sum(chances.values())
    if not (admitted >= 0 and all(chance >= 0 for chance in chances.values())):
        message = f"Shares and chances of {found['value']!r} are numbers from 0."
        raise KnowledgeError(message)
    if "mean_stay" in found:
        mean = float(found["mean_stay"])
        if not (mean > 0 and abs(total - 1) < _ROUNDING):
            message = (
                f"{found['value']!r} has a mean stay, which is above 0; then next says where those"
                " go who leave, and sums to 1."
            )
            raise KnowledgeError(message)
        rate = 1 / (mean * unit)
    else:
        rate = _hazard(total, unit)
    hazards = {value: rate * chance / total for value, chance in chances.items() if chance}
    if discharge:
        hazards["discharged"] = hazards.get("discharged", 0.0) + discharge
    return Stage(str(found["value"]), str(found["means"]), admitted, hazards)


def _hazard(chance: float, days: float) -> float:
    """Return the rate per day at which a share leaves within a time."""
    if not 0 <= chance < 1:
        message = f"A share that leaves in a given time is below 1, and {chance:g} is not."
        raise KnowledgeError(message)
    return -math.log1p(-chance) / days


def _worsening(found: dict[str, Any]) -> Worsening:
    """Return who gets worse faster; refuse cells that no class has."""
    who = {str(name): str(cell) for name, cell in found["who"].items()}
    for name, cell in who.items():
        if name not in CLASSES.names:
            message = f"Classes go by {listed(CLASSES.names)}, not by {name!r}."
            raise KnowledgeError(message)
        place = CLASSES.names.index(name)
        cells = list(dict.fromkeys(row[place] for row in CLASSES.cells))
        if cell not in cells:
            message = f"{name} {cell!r} is no class; possible are {listed(cells)}."
            raise KnowledgeError(message)
    factor = float(found["factor"])
    if not 0 < factor < math.inf:
        message = f"A factor is a number above 0, not {factor!r}."
        raise KnowledgeError(message)
    return Worsening(who, factor, str(found["because"]))
