"""The figures of an audit: what one reader learned, from one release and from a whole series."""

from __future__ import annotations

from dataclasses import dataclass

from seriatim._figures import written_figure
from seriatim._typing import Instant
from seriatim.measure.strongest import remark_on


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

    sure_and_right: float | None = None
    """How many of those of whom some value is believed above 0.9 are believed rightly."""


@dataclass(frozen=True)
class SeriesFinding:
    """What one reader learned from a whole series."""

    reader: str
    """The reader's name."""

    tuples: int
    """Tuples of all releases that the figures are over; a person has one in each release."""

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

    people: int
    """Different people whom these tuples are about."""

    ever_known: float | None = None
    """Share of people of whom a true value is believed above 0.9 in some release of which counting
    does not tell as much."""


def told(series: tuple[SeriesFinding, ...]) -> str:
    """Write the figures of whole series as lines of a table, one for each reader."""
    width = max(len("reader"), *(len(row.reader) for row in series))
    heads = ("gain", 6), ("largest", 7), ("log-loss", 8), ("counting", 8), ("sure >.9", 8)
    titles = [f"{title:>{space}}" for title, space in (*heads, ("right", 5), ("people ever", 11))]
    lines = ["  ".join([f"{'reader':{width}}", *titles])]
    for row in series:
        cells = [
            f"{row.reader:{width}}",
            _figure(row.gain, "6.3f"),
            _figure(row.gain_largest, "7.3f"),
            _figure(row.log_loss, "8.2f"),
            _figure(row.log_loss_by_frequency, "8.2f"),
            _figure(row.sure_above_nine_tenths, "8.1%"),
            _figure(row.sure_and_right, "5.0%"),
            _figure(row.ever_above_nine_tenths, "11.1%"),
            remark_on(row, series),
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _figure(figure: float | None, form: str) -> str:
    width = int(form.split(".", maxsplit=1)[0])
    return written_figure(figure, form, nothing=f"{'-':>{width}}")
