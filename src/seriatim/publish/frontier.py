"""The frontier of a rehearsal: what a reader learns by each setting, and what that costs users."""

from __future__ import annotations

from dataclasses import dataclass

from seriatim._figures import written_figure
from seriatim.measure.strongest import WORSE
from seriatim.publish.series_plan import BASES, Basis, Defence, SeriesPlan
from seriatim.publish.trial import Trial

LEFT_COLUMNS = ("placed", "merges", "besides", "")
"""Columns of its table that are words."""

SCORE_COLUMNS = ("log-loss", "counting", "right")
"""Those that tell of the reader: the last ones."""

_COLUMNS = (
    *("cells", "placed", "merges", "k", "besides"),
    *("gain", "known", "GCP", "", "waiting", "stale", "left out"),
    *SCORE_COLUMNS,
)
"""All columns; those that would tell nothing of any trial are left out."""


@dataclass(frozen=True)
class Rehearsal:
    """The frontier between what a reader gains and what detail is lost.

    >>> from seriatim import SeriesPlan, StandingCells, Trial
    >>> tried = (
    ...     Trial(cells=StandingCells(10), k=10, gains=(0.17,), penalty=0.21, suppressed=0.0),
    ...     Trial(cells=StandingCells(20), k=10, gains=(0.08, 0.09), penalty=0.26, suppressed=0.0),
    ... )
    >>> plan = SeriesPlan(share=1.0)
    >>> print(Rehearsal(tried, plan, releases=24, histories=2, recommended=tried[1]))
    24 releases, worlds reader: mean gain at most 0.12, by what the tables determine at most
    cells  placed      merges   k   gain    GCP
       10  first-seen  stay    10  0.170  0.210
       20  first-seen  stay    10  0.090  0.260  recommended
    """

    trials: tuple[Trial, ...]
    """All settings that were tried and attacked, each once, by way and size."""

    plan: SeriesPlan
    """What is planned."""

    releases: int
    """How many releases were played."""

    histories: int
    """On how many histories the recommended setting was confirmed."""

    recommended: Trial | None
    """The setting that costs least of those that kept the promise; None where none did."""

    basis: Basis = "determined"
    """What the promise rests on."""

    reader: str = "worlds"
    """Who attacked."""

    @property
    def margin(self) -> float:
        """How far the recommended setting stayed under the target, on its worst history."""
        return 0.0 if self.recommended is None else self.plan.target - self.recommended.gain

    def __str__(self) -> str:
        """Tell the trials in a table."""
        told = [self.asked]
        rows = [self.columns, *(self.row(trial) for trial in self.trials)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = [
                f"{cell:<{width}}" if name in LEFT_COLUMNS else f"{cell:>{width}}"
                for name, cell, width in zip(self.columns, row, widths, strict=True)
            ]
            told.append("  ".join(cells).rstrip())
        if self.recommended is None:
            told.append("No setting kept the promise.")
        return "\n".join(told)

    @property
    def asked(self) -> str:
        """What was asked of the settings."""
        return (
            f"{self.releases} releases, {self.reader} reader: {self.plan.promise},"
            f" {BASES[self.basis]}"
        )

    @property
    def beyond(self) -> tuple[Defence, ...]:
        """What the recommended setting does that the plan does not allow."""
        asked = () if self.recommended is None else self.recommended.asks_for
        return tuple(one for one in asked if one not in self.plan.allow)

    def state(self, trial: Trial) -> str:
        """Say what came of a trial: recommended, holding, by a reader worse than counting."""
        if trial.failure is not None:
            return trial.failure
        holds = "holds" if trial.holds(self.plan) else ""
        chosen = "recommended" if trial == self.recommended else holds
        return "; ".join(filter(None, (chosen, WORSE if self.misled(trial) else "")))

    def misled(self, trial: Trial) -> bool:
        """Tell whether a reader was worse than counting; a bound on all readers cannot be."""
        return self.basis == "found" and trial.misled

    @property
    def some_misled(self) -> bool:
        """Whether the reader was worse than counting in some trial."""
        return any(self.misled(trial) for trial in self.trials)

    @property
    def columns(self) -> tuple[str, ...]:
        """What the table tells of each trial: of what it is, what came of it, who attacked."""
        told = {
            "besides": any(one.defences for one in self.trials),
            "known": any(one.known is not None for one in self.trials),
            "waiting": any(one.waiting or one.carried for one in self.trials),
            "log-loss": any(one.score is not None for one in self.trials),
        }
        told["stale"] = told["waiting"]
        told["left out"] = any(one.suppressed for one in self.trials)
        told |= dict.fromkeys(SCORE_COLUMNS, told["log-loss"])
        return tuple(name for name in _COLUMNS if told.get(name, True))

    def row(self, trial: Trial) -> tuple[str, ...]:
        """Return what the table tells of a trial."""
        loss, counting, right = trial.scored
        known = None if trial.known is None else trial.known.share
        told = {
            "cells": str(trial.cells.size),
            "placed": trial.cells.by,
            "merges": trial.cells.merges,
            "k": str(trial.k),
            "besides": trial.defences,
            "gain": written_figure(trial.gain),
            "known": written_figure(known, ".2%"),
            "GCP": written_figure(trial.penalty),
            "waiting": f"{trial.waiting:.1%}",
            "stale": f"{trial.carried:.1%}",
            "left out": f"{trial.suppressed:.2%}",
            "": self.state(trial),
            "log-loss": written_figure(loss, ".2f"),
            "counting": written_figure(counting, ".2f"),
            "right": written_figure(right, ".0%"),
        }
        return tuple(told[name] for name in self.columns)
