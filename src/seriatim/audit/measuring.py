"""Measuring a reader: beliefs beside the truth, and beside those of one who only counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.audit.figures import ReleaseFinding, SeriesFinding
from seriatim.audit.reader import Reader
from seriatim.inference.conclusions import UNTOLD, conclude
from seriatim.inference.matching_rules import Sinkhorn
from seriatim.knowledge.belief import Belief
from seriatim.measure.exposure import Exposure, exposure_beyond
from seriatim.measure.known import known_people
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster, numbered
from seriatim.microdata.view import View


@dataclass(frozen=True, eq=False)
class Measured:
    """What one reader believes of those it is measured on, in one release; private."""

    rows: IntArray
    """Their rows in the roster."""

    beliefs: FloatArray
    """What is believed of each (respondents, values)."""

    counted: FloatArray
    """What counting alone makes believe."""

    exposure: Exposure | None
    """Both against the truth; None without originals."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Measured({len(self.rows)} respondents)"

    def named(self, roster: Roster) -> IntArray:
        """Return the codes of the true values, or without originals of the most believed."""
        if isinstance(roster, View):
            return np.asarray(roster.value_codes[self.rows])
        return np.asarray(self.beliefs.argmax(axis=1))


@dataclass(frozen=True, eq=False)
class Target:
    """A series that readers attack, with what there is to measure them by; private."""

    releases: tuple[Release, ...]
    """What is attacked."""

    rosters: tuple[Roster, ...]
    """Who may be in each release, with the truth where it is known."""

    memberships: tuple[Membership | Placement, ...]
    """Who is in which group."""

    @cached_property
    def truth(self) -> list[View] | None:
        """The original views, where all of them are known."""
        views = [roster for roster in self.rosters if isinstance(roster, View)]
        return views if len(views) == len(self.releases) else None

    @cached_property
    def counted(self) -> list[FloatArray]:
        """What a reader believes of each release who only counts values in the groups."""
        pairs = zip(self.releases, self.memberships, strict=True)
        return [counted_beliefs(*pair) for pair in pairs]

    def measure(
        self, name: str, reader: Reader, beliefs: list[Belief]
    ) -> tuple[list[ReleaseFinding], list[Measured]]:
        """Measure what a reader believes against the truth, release by release."""
        findings, measured = [], []
        for belief, release, roster, membership, by_counting in zip(
            beliefs, self.releases, self.rosters, self.memberships, self.counted, strict=True
        ):
            told = reader.told(roster, release.at)
            rows = np.flatnonzero(membership.published & (told == UNTOLD))
            held, counted = belief.probabilities[rows], by_counting[rows]
            known = (
                exposure_beyond(held, counted, roster.value_codes[rows])
                if isinstance(roster, View)
                else None
            )
            measured.append(Measured(rows, held, counted, known))
            findings.append(_finding(name, release, measured[-1]))
        return findings, measured

    def measure_series(self, name: str, reader: Reader, beliefs: list[Belief]) -> SeriesFinding:
        """Measure what a reader believes of the series as a whole."""
        return series_finding(name, self.measure(name, reader, beliefs)[1], self.rosters)


def counted_beliefs(release: Release, membership: Membership | Placement) -> FloatArray:
    """Return what a reader believes who only counts values in the groups."""
    n_values = len(release.schema.sensitive.domain)
    flat = np.full((len(membership.roster), n_values), 1.0 / n_values)
    return conclude(Sinkhorn(), flat, release, membership)


def _finding(reader: str, release: Release, measured: Measured) -> ReleaseFinding:
    largest, by_counting = measured.beliefs.max(axis=1), measured.counted.max(axis=1)
    general = (
        reader,
        release.at,
        len(release),
        len(measured.rows),
        _share(largest > 0.5),
        _share(largest > 0.9),
        _share(by_counting > 0.9),
    )
    known = measured.exposure
    if known is None:
        return ReleaseFinding(*general)
    gain = known.gain
    lower, median, upper = np.quantile(gain, [0.1, 0.5, 0.9]).tolist() if len(gain) else (0.0,) * 3
    return ReleaseFinding(
        *general,
        _share(gain),
        float(gain.std()) if len(gain) else 0.0,
        upper,
        _share(known.confidence),
        _share(known.frequency),
        known.log_loss,
        known.log_loss_by_frequency,
        known.top_rate,
        known.top_rate_by_frequency,
        known.above(0.5),
        known.above(0.9),
        known.above_by_frequency(0.9),
        lower,
        median,
        _share(known.confidence[largest > 0.9] > 0.9) if (largest > 0.9).any() else None,
    )


def series_finding(
    reader: str, measured: Sequence[Measured], rosters: Sequence[Roster]
) -> SeriesFinding:
    """Return what a reader learned from a whole series."""
    sure = np.concatenate([one.beliefs.max(axis=1) > 0.9 for one in measured])
    people = numbered(
        [roster.take(one.rows) for one, roster in zip(measured, rosters, strict=True)]
    )
    n_people = len(np.unique(np.concatenate(people)))
    known = [one.exposure for one in measured if one.exposure is not None]
    if len(known) < len(measured):
        nothing = (None,) * 8
        return SeriesFinding(reader, len(sure), _share(sure), *nothing, n_people)
    right = np.concatenate(
        [
            one.beliefs.argmax(axis=1) == one.named(roster)
            for one, roster in zip(measured, rosters, strict=True)
        ]
    )
    together = Exposure(
        np.concatenate([one.confidence for one in known]),
        np.concatenate([one.frequency for one in known]),
        np.concatenate([one.is_top for one in known]),
        np.concatenate([one.top_by_frequency for one in known]),
    )
    return SeriesFinding(
        reader,
        len(sure),
        _share(sure),
        _share(right[sure]) if sure.any() else None,
        _share(together.gain),
        max(_share(one.gain) for one in known),
        together.log_loss,
        together.log_loss_by_frequency,
        _ever(people, together.confidence > 0.5),
        _ever(people, together.confidence > 0.9),
        _ever(people, together.frequency > 0.9),
        n_people,
        known_people(
            people, [one.confidence for one in known], [one.frequency for one in known]
        ).share,
    )


def _ever(people: list[IntArray], found: BoolArray) -> float:
    """Return the share of people of whom something was found in some release."""
    return _share(np.bincount(np.concatenate(people), found) > 0)


def _share(figures: np.ndarray) -> float:
    return float(figures.mean()) if len(figures) else 0.0
