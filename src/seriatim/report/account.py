"""What a report tells, in plain values: the only thing that pages and charts are made from.

Everything here is about releases, groups or many respondents together. The one exception is a
``Case``, which tells how a belief came about and names neither a person nor a group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from seriatim.audit.distribution import Distribution
from seriatim.measure.strongest import Remark, is_worse_than_counting, remark_on, strongest_of

Kind = Literal["release", "series", "audit", "comparison"]
"""What is told of."""

Pair = tuple[str, str]
"""A parameter and its value, in words."""

_LEAST_SHIFT = 0.005
"""Below this, what a release contributed to a belief hardly matters."""


@dataclass(frozen=True)
class TableFigures:
    """One release: what anybody can count in it, and what its certificate states."""

    number: int
    """Its place in the series, from 1."""

    at: str
    """Its instant."""

    tuples: int
    """Published tuples."""

    groups: int
    """Published groups."""

    sizes: tuple[tuple[int, int], ...]
    """How many groups there are of each size."""

    penalty: float | None = None
    """Global certainty penalty: detail lost, from 0 to 1."""

    attributes: Mapping[str, float] = field(default_factory=dict)
    """The same by quasi-identifier."""

    suppressed: int | None = None
    """Tuples that were left out; None where nobody tells."""

    counterfeits: int | None = None
    """Tuples of nobody that were added; None where nobody tells."""

    query_error: float | None = None
    """Median relative error of random counts; None without the originals."""

    learnability: float | None = None
    """How much of P(value | quasi-identifiers) can still be learned, as a share of what the
    original teaches; None without it, where it teaches nothing, or where places are open."""

    watched: float | None = None
    """Mean gain of the reader that the release was chosen against, as recorded with it."""

    watched_back: float | None = None
    """The same for one who looks back over the last releases; None where nobody did."""

    singled_out: Mapping[str, float] = field(default_factory=dict)
    """Share of tuples that sets single out, by quasi-identifier, as certified."""

    dropped: int | None = None
    """Rows left out before, for want of a value; None where nobody tells."""

    repeated: int | None = None
    """Rows left out before, as another one of the same respondent was taken; or None."""

    separated: int | None = None
    """People separated by subtraction from the last releases, as certified; or None."""

    named: int | None = None
    """People whose value follows from it, if values do not change, as certified; or None."""

    @property
    def smallest(self) -> int:
        """Tuples in the smallest group."""
        return min((size for size, _ in self.sizes), default=0)

    @property
    def largest(self) -> int:
        """Tuples in the largest group."""
        return max((size for size, _ in self.sizes), default=0)

    @property
    def mean_size(self) -> float:
        """Tuples in a group, on the mean."""
        return self.tuples / self.groups if self.groups else 0.0


@dataclass(frozen=True)
class ReaderPoint:
    """What one reader learned from one release; names as in ``ReleaseFinding``."""

    reader: str
    """The reader's name."""

    at: str
    """The release."""

    gain: float | None = None
    """Mean gain over counting."""

    gain_spread: float | None = None
    """Standard deviation of the gain over respondents."""

    gain_lower: float | None = None
    """The gain that nine respondents in ten exceed."""

    gain_median: float | None = None
    """The gain that half of them exceed."""

    gain_upper: float | None = None
    """The gain that one in ten exceeds."""

    confidence: float | None = None
    """Mean belief in the true value."""

    confidence_by_frequency: float | None = None
    """Mean share of the true value in its group."""

    sure_above_nine_tenths: float | None = None
    """Share of respondents of whom some value, true or not, is believed above 0.9."""

    sure_and_right: float | None = None
    """How many of those are right."""

    log_loss: float | None = None
    """Mean surprise at the truth, in bits."""

    log_loss_by_frequency: float | None = None
    """The same for counting."""


@dataclass(frozen=True)
class ReaderSummary:
    """What one reader learned from a whole series; names as in ``SeriesFinding``."""

    reader: str
    """The reader's name."""

    gain: float | None = None
    """Mean gain over all tuples."""

    gain_largest: float | None = None
    """The largest mean gain of a release."""

    log_loss: float | None = None
    """Mean surprise at the truth, in bits."""

    log_loss_by_frequency: float | None = None
    """The same for counting."""

    sure_above_nine_tenths: float | None = None
    """Share of tuples of which some value is believed above 0.9."""

    sure_and_right: float | None = None
    """How many of those are right."""

    ever_above_half: float | None = None
    """Share of people of whom a true value is believed above 0.5 in some release."""

    ever_above_nine_tenths: float | None = None
    """The same above 0.9."""

    ever_above_nine_tenths_by_frequency: float | None = None
    """The same for counting."""

    ever_known: float | None = None
    """Share of people of whom a true value is believed above 0.9 beyond what counting tells."""


@dataclass(frozen=True)
class CaseStep:
    """One release in which someone appears."""

    at: str
    """The release."""

    size: int | None
    """Tuples of their group, roughly; None where several groups are possible."""

    frequency: float
    """Share of the value among those that they may have by counting alone, roughly."""

    expected: float
    """Belief in the value before the release."""

    believed: float
    """Belief in the value right after it."""

    without: float | None
    """The belief that is explained, had this release told nothing; None where not weighed."""

    told: tuple[str, ...]
    """What the release and the transitions to it contributed, in words."""


@dataclass(frozen=True)
class Case:
    """How a reader came to believe something of someone; it names neither person nor group."""

    reader: str
    """The reader's name."""

    at: str
    """The release whose value is believed."""

    value: str
    """The value."""

    belief: float
    """How much it is believed."""

    frequency: float
    """How much one who only counts would believe it, roughly."""

    steps: tuple[CaseStep, ...]
    """The releases in which they appear."""

    by_messages: float | None = None
    """What a reader of one belief a person comes to; None where the reader is such a one."""

    by_worlds: str | None = None
    """What a reader says of it who weighs whole worlds, in words; None of other readers."""

    by_subtraction: bool = False
    """Whether counts alone give the value away, subtracting groups of two releases."""

    @property
    def telling(self) -> tuple[CaseStep, ...]:
        """The steps without which the belief would be another, and those next to it."""
        return tuple(
            step
            for step in self.steps
            if step.at == self.at
            or step.without is None
            or abs(step.without - self.belief) >= _LEAST_SHIFT
            or len(step.told) > 1
        )


@dataclass(frozen=True)
class DifferenceFigures:
    """What subtracting groups of releases from each other tells; names as in ``Differences``."""

    k: int
    """Fewer people than these are left over by a subtraction that separates them."""

    people: int
    """People whose group is known."""

    separated: int
    """Those who are among fewer than k that a subtraction leaves over."""

    named: int
    """Those whose value follows from counts alone, if values do not change."""

    right: int | None = None
    """How many of these values are right; None without originals."""


@dataclass(frozen=True)
class Promise:
    """A requirement, and how well the releases keep it."""

    name: str
    """What is required."""

    asked: str
    """The bound."""

    worst: float | None
    """The worst that any release shows."""

    shown: str
    """Who can confirm it."""


@dataclass(frozen=True)
class Link:
    """A certificate in the chain."""

    file: str
    """The certificate's file."""

    digest: str
    """The beginning of its SHA-256 digest."""

    holds: bool
    """Whether everything that was checked is as certified."""

    found: tuple[str, ...] = ()
    """What is not."""

    notes: tuple[str, ...] = ()
    """What a reader should know besides: unknown and changed promises, a series without a head."""


@dataclass(frozen=True)
class BracketWords:
    """How sure a reader of worlds is of itself, what is to be known, and which rows are linked."""

    reader: str
    """The reader's name."""

    has_settled: bool
    """Whether its chains, begun apart, came to the same."""

    told: tuple[str, ...]
    """What there is to tell, a sentence or two each."""


@dataclass(frozen=True)
class SeriesAccount:
    """What is told of one series."""

    name: str
    """What it is called."""

    tables: tuple[TableFigures, ...]
    """Its releases."""

    readers: tuple[ReaderSummary, ...] = ()
    """What each reader learned, in the order in which they were named."""

    points: tuple[ReaderPoint, ...] = ()
    """The same release by release."""

    differences: DifferenceFigures | None = None
    """Whom subtracting groups separates; None where nobody looked."""

    brackets: tuple[BracketWords, ...] = ()
    """What readers of worlds found, and what is to be known."""

    distributions: tuple[Distribution, ...] = ()
    """How gains are spread over the tuples of all releases."""

    cases: tuple[Case, ...] = ()
    """The most exposed cases, explained."""

    promises: tuple[Promise, ...] = ()
    """What every release keeps."""

    links: tuple[Link, ...] = ()
    """The chain of certificates, as verified."""

    parameters: tuple[Pair, ...] = ()
    """How the releases were made."""

    knowledge: tuple[Pair, ...] = ()
    """What the readers are taken to know."""

    mean_size: float | None = None
    """Tuples in a group."""

    penalty: float | None = None
    """Global certainty penalty, the mean over releases."""

    query_error: float | None = None
    """Median relative error of random counts, the mean over releases."""

    learnability: float | None = None
    """How much of P(value | quasi-identifiers) can still be learned, the mean over releases."""

    suppressed: float | None = None
    """Share of the tuples that was left out; None where nobody tells."""

    counterfeits: int | None = None
    """Tuples of nobody that were added; None where nobody tells."""

    dropped: int | None = None
    """Rows left out before, for want of a value; None where nobody tells."""

    repeated: int | None = None
    """Rows left out before, as another one of the same respondent was taken; or None."""

    failure: str | None = None
    """Why it ended early, where it did."""

    @property
    def strongest(self) -> ReaderSummary | None:
        """The reader with the lowest log-loss, of equals the last.

        None where every reader is worse than counting, or no truth is known. Who gained most is
        not asked: gain rewards over-confidence.
        """
        return strongest_of(self.readers)

    @property
    def misled(self) -> tuple[ReaderSummary, ...]:
        """The readers who are worse than counting."""
        return tuple(one for one in self.readers if is_worse_than_counting(one))

    def remark(self, reader: ReaderSummary) -> Remark:
        """Return what is said of a reader: the strongest, worse than counting, or nothing."""
        return remark_on(reader, self.readers)

    @property
    def watched(self) -> float | None:
        """The largest gain of the simulated reader, as recorded; None where none is."""
        told = [gain for one in self.tables for gain in (one.watched, one.watched_back)]
        return max((gain for gain in told if gain is not None), default=None)

    @property
    def singled_out(self) -> dict[str, float]:
        """The largest share of a release's tuples that sets single out, by quasi-identifier."""
        found: dict[str, float] = {}
        for one in self.tables:
            for name, share in one.singled_out.items():
                found[name] = max(share, found.get(name, 0.0))
        return {name: share for name, share in found.items() if share > 0}

    @property
    def most_separated(self) -> TableFigures | None:
        """The release that separates most people from the last ones, as certified; or None."""
        told = [one for one in self.tables if one.separated is not None]
        return max(told, key=lambda one: (one.named or 0, one.separated or 0), default=None)

    @property
    def looked_back(self) -> bool:
        """Whether the simulated reader looked back over the last releases."""
        return any(one.watched_back is not None for one in self.tables)

    def of(self, reader: str) -> tuple[ReaderPoint, ...]:
        """Return what one reader learned, release by release."""
        return tuple(point for point in self.points if point.reader == reader)


@dataclass(frozen=True)
class Account:
    """What a report tells: the series that is judged, and others beside it."""

    kind: Kind
    """What is told of."""

    title: str
    """What it is called."""

    series: tuple[SeriesAccount, ...]
    """The series; where only one is judged, it comes first."""

    target: float
    """The greatest mean gain of a release that is acceptable."""

    planned: int = 1
    """How many releases are planned."""

    private: bool = False
    """Whether original data went into it."""

    notes: tuple[str, ...] = ()
    """What should be said besides."""

    share: float = 1.0
    """The greatest share of people that may ever be known above 0.9; 1 where all may."""

    @property
    def judged(self) -> SeriesAccount:
        """The series that the verdict is about."""
        return self.series[0]
