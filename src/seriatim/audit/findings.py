"""What readers learned of a series, in figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, FloatArray, Instant, Value
from seriatim.audit.reader import Reader
from seriatim.errors import OrderError, did_you_mean, listed
from seriatim.inference.conclusions import UNTOLD, conclude
from seriatim.inference.matching_rules import Sinkhorn
from seriatim.knowledge.belief import Belief
from seriatim.measure.exposure import Exposure, exposure_beyond
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster
from seriatim.microdata.tables import TableKind, to_numpy, write_table
from seriatim.microdata.view import View

if TYPE_CHECKING:
    from seriatim.audit.explain import Explanation


@dataclass(frozen=True)
class ReleaseFinding:
    """What one reader learned from one release; each measure beside that of mere counting.

    Figures are over the respondents who are, or may be, in the release, without those
    whose value the reader was told. Those that need the truth are None without originals.
    """

    reader: str
    """The reader's name."""

    at: Instant
    """The release."""

    tuples: int
    """Published tuples."""

    respondents: int
    """Respondents that the figures are over."""

    sure_above_half: float
    """Share of respondents of whom some value, true or not, is believed above 0.5."""

    sure_above_nine_tenths: float
    """The same above 0.9."""

    sure_above_nine_tenths_by_frequency: float
    """The same for a reader who only counts."""

    gain: float | None = None
    """Mean gain over counting."""

    gain_spread: float | None = None
    """Standard deviation of the gain over respondents."""

    gain_upper: float | None = None
    """The gain that one respondent in ten exceeds."""

    confidence: float | None = None
    """Mean belief in the true value."""

    confidence_by_frequency: float | None = None
    """Mean share of the true value in its group."""

    log_loss: float | None = None
    """Mean surprise at the truth, in bits."""

    log_loss_by_frequency: float | None = None
    """The same for counting."""

    top_rate: float | None = None
    """How often the most believed value is true."""

    top_rate_by_frequency: float | None = None
    """The same for counting."""

    above_half: float | None = None
    """Share of respondents whose true value is believed above 0.5."""

    above_nine_tenths: float | None = None
    """Share of respondents whose true value is believed above 0.9."""

    above_nine_tenths_by_frequency: float | None = None
    """The same for counting."""

    gain_lower: float | None = None
    """The gain that nine respondents in ten exceed."""

    gain_median: float | None = None
    """The gain that half of the respondents exceed."""


@dataclass(frozen=True)
class SeriesFinding:
    """What one reader learned from a whole series."""

    reader: str
    """The reader's name."""

    tuples: int
    """Respondents of all releases that the figures are over."""

    sure_above_nine_tenths: float
    """Share of tuples of which some value is believed above 0.9."""

    sure_and_right: float | None
    """How many of those are right."""

    gain: float | None
    """Mean gain over all tuples."""

    gain_largest: float | None
    """The largest mean gain of a release."""

    log_loss: float | None
    """Mean surprise at the truth, in bits."""

    log_loss_by_frequency: float | None
    """The same for counting."""

    ever_above_half: float | None
    """Share of people of whom a true value is believed above 0.5 in some release."""

    ever_above_nine_tenths: float | None
    """The same above 0.9."""

    ever_above_nine_tenths_by_frequency: float | None
    """The same for counting."""


@dataclass(frozen=True)
class Risk:
    """A tuple of which a reader learned much; it names nobody."""

    reader: str
    """The reader's name."""

    release: int
    """The release, from 0."""

    row: int
    """The row in the sorted roster of that release."""

    value: Value
    """The true value, or without originals the most believed one."""

    belief: float
    """How much the reader believes in it."""

    frequency: float
    """How much a reader does who only counts."""


@dataclass(frozen=True, eq=False)
class Measured:
    """What one reader believes of those it is measured on, in one release; private."""

    rows: np.ndarray
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


@dataclass(frozen=True, eq=False)
class Findings:
    """What all readers learned from all releases."""

    rows: tuple[ReleaseFinding, ...]
    """One for each reader and release."""

    beliefs: dict[str, list[Belief]] = field(repr=False)
    """Each reader's beliefs, release by release; private."""

    measured: dict[str, list[Measured]] = field(repr=False)
    """The same beside counting and truth, without those the reader was told of; private."""

    rosters: tuple[Roster, ...] = field(repr=False)
    """Who may be in each release, with the truth where it is known; private."""

    releases: tuple[Release, ...] = field(repr=False)
    """What was attacked."""

    memberships: tuple[Membership | Placement, ...] = field(repr=False)
    """Who is in which group; private."""

    adversaries: Mapping[str, Reader] = field(repr=False)
    """Who attacked."""

    @property
    def readers(self) -> tuple[str, ...]:
        """The readers' names."""
        return tuple(self.beliefs)

    @property
    def series(self) -> tuple[SeriesFinding, ...]:
        """What each reader learned from the whole series."""
        return tuple(self._over_series(reader) for reader in self.readers)

    def of(self, reader: str) -> tuple[ReleaseFinding, ...]:
        """Return the findings of one reader, release by release."""
        self._require(reader)
        return tuple(row for row in self.rows if row.reader == reader)

    def to_frame(self, kind: TableKind = "pyarrow") -> Any:
        """Return all figures as a table, a row for each reader and release."""
        return _frame(self.rows, ReleaseFinding, kind)

    def series_to_frame(self, kind: TableKind = "pyarrow") -> Any:
        """Return the figures of the whole series as a table, a row for each reader."""
        return _frame(self.series, SeriesFinding, kind)

    def at_risk(self, reader: str, most: int = 10) -> list[Risk]:
        """Return the tuples that a reader learned most of, beginning with the worst.

        By gain; without originals by how much surer the reader is than one who counts.
        """
        self._require(reader)
        found: list[tuple[float, Risk]] = []
        for index, measured in enumerate(self.measured[reader]):
            domain = self.releases[index].schema.sensitive.domain
            codes = self._named(index, measured)
            everyone = np.arange(len(codes))
            beliefs = measured.beliefs[everyone, codes]
            counted = measured.counted[everyone, codes]
            surplus = beliefs - counted if measured.exposure is None else measured.exposure.gain
            for place in np.argsort(-surplus, kind="stable")[:most]:
                risk = Risk(
                    reader,
                    index,
                    int(measured.rows[place]),
                    domain[codes[place]],
                    float(beliefs[place]),
                    float(counted[place]),
                )
                found.append((float(surplus[place]), risk))
        found.sort(key=lambda pair: -pair[0])
        return [risk for _, risk in found[:most]]

    def explain(self, risk: Risk) -> Explanation:
        """Tell how the reader came to believe what makes a risk."""
        from seriatim.audit.explain import explain

        views = [roster for roster in self.rosters if isinstance(roster, View)]
        return explain(
            self.adversaries[risk.reader],
            self.releases,
            self.memberships,
            release=risk.release,
            row=risk.row,
            value=risk.value,
            originals=views if len(views) == len(self.rosters) else None,
        )

    def respondent(self, risk: Risk) -> Any:
        """Return the id of whom a risk is about; private, and never printed unasked."""
        return self.rosters[risk.release].respondents[risk.row].as_py()

    def __str__(self) -> str:
        """Tell the series in a table."""
        return _told(self.series)

    def _named(self, index: int, measured: Measured) -> np.ndarray:
        """Return the true values of those measured, or without originals the most believed."""
        roster = self.rosters[index]
        if isinstance(roster, View):
            return np.asarray(roster.value_codes[measured.rows])
        return np.asarray(measured.beliefs.argmax(axis=1))

    def _require(self, reader: str) -> None:
        if reader not in self.beliefs:
            message = (
                f"There is no reader {reader!r} in these findings; there are"
                f" {listed(self.readers)}.{did_you_mean(reader, self.readers)}"
            )
            raise OrderError(message)

    def _over_series(self, reader: str) -> SeriesFinding:
        measured = self.measured[reader]
        sure = np.concatenate([one.beliefs.max(axis=1) > 0.9 for one in measured])
        exposures = [one.exposure for one in measured]
        known = [one for one in exposures if one is not None]
        if len(known) < len(measured):
            nothing = (None,) * 8
            return SeriesFinding(reader, len(sure), _share(sure), *nothing)
        right = np.concatenate(
            [
                one.beliefs.argmax(axis=1) == self._named(index, one)
                for index, one in enumerate(measured)
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
            self._ever(measured, together.confidence > 0.5),
            self._ever(measured, together.confidence > 0.9),
            self._ever(measured, together.frequency > 0.9),
        )

    def _ever(self, measured: list[Measured], found: BoolArray) -> float:
        """Return the share of people of whom something was found in some release."""
        ids = pa.chunked_array(
            [
                roster.respondents.take(pa.array(one.rows))
                for roster, one in zip(self.rosters, measured, strict=True)
            ]
        )
        encoded = ids.dictionary_encode().unify_dictionaries().combine_chunks()
        person = to_numpy(encoded.indices)
        return _share(np.bincount(person, found) > 0)


def measure_reader(
    name: str,
    reader: Reader,
    beliefs: list[Belief],
    releases: tuple[Release, ...],
    rosters: tuple[Roster, ...],
    memberships: tuple[Membership | Placement, ...],
    counts: list[FloatArray],
) -> tuple[list[ReleaseFinding], list[Measured]]:
    """Measure what a reader believes against the truth, release by release.

    ``counts`` is what one who only counts believes of each release.
    """
    findings, measured = [], []
    for belief, release, roster, membership, by_counting in zip(
        beliefs, releases, rosters, memberships, counts, strict=True
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
    )


def _share(figures: np.ndarray) -> float:
    return float(figures.mean()) if len(figures) else 0.0


def _frame(rows: tuple[Any, ...], kind_of_row: Any, kind: TableKind) -> Any:
    names = list(kind_of_row.__dataclass_fields__)
    columns = {name: [getattr(row, name) for row in rows] for name in names}
    return write_table(pa.table(columns), kind)


def _told(series: tuple[SeriesFinding, ...]) -> str:
    """Write the findings of a series as lines of a table."""
    width = max(len("reader"), *(len(row.reader) for row in series))
    heads = ("gain", 7), ("largest", 8), ("log-loss", 9), ("sure above .9", 14), ("right", 6)
    titles = [f"{title:>{space}}" for title, space in (*heads, ("people ever", 12))]
    lines = [" ".join([f"{'reader':{width}}", *titles])]
    for row in series:
        cells = [
            f"{row.reader:{width}}",
            _figure(row.gain, "7.3f"),
            _figure(row.gain_largest, "8.3f"),
            _figure(row.log_loss, "9.2f"),
            _figure(row.sure_above_nine_tenths, "14.1%"),
            _figure(row.sure_and_right, "6.0%"),
            _figure(row.ever_above_nine_tenths, "12.1%"),
        ]
        lines.append(" ".join(cells))
    return "\n".join(lines)


def _figure(figure: float | None, form: str) -> str:
    width = int(form.split(".", maxsplit=1)[0])
    return f"{'-':>{width}}" if figure is None else f"{figure:{form}}"
