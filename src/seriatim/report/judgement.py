"""The verdict: the strongest reader beside the target, and what is not known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from seriatim._figures import written_figure
from seriatim.publish.watch import NEAR
from seriatim.report.account import Account, DifferenceFigures, ReaderSummary, SeriesAccount

Level = Literal["holds", "near", "over", "open", "broken"]
"""Under the target, near it, over it, not known, or not what was certified."""

_LOOKING_BACK = {"retrospective", "worlds"}
"""The readers by name who go over all releases."""

LABELS: dict[Level, str] = {
    "holds": "Within the target",
    "near": "Close to the target",
    "over": "Over the target",
    "open": "Not yet known",
    "broken": "Not as certified",
}


@dataclass(frozen=True)
class Judgement:
    """What is to be thought of a series."""

    level: Level
    """How it stands."""

    sentence: str
    """The verdict."""

    because: tuple[str, ...] = ()
    """What it rests on."""

    unknown: tuple[str, ...] = ()
    """What is not known."""

    @property
    def label(self) -> str:
        """The level in words."""
        return LABELS[self.level]


def judge(account: Account) -> Judgement:
    """Return the verdict on what is told."""
    if account.kind == "comparison":
        return _judge_comparison(account)
    series = account.judged
    wrong = [link.file for link in series.links if not link.holds]
    what = (
        "this release alone" if len(series.tables) == 1 else f"these {len(series.tables)} releases"
    )
    level, sentence = _against_share(series, account.share, what) or _against_target(
        series, account.target, what
    )
    because = (*_because(series), *(_beside(other, series) for other in account.series[1:]))
    if wrong:
        listed = wrong[0] + (f" and {len(wrong) - 1} more" if len(wrong) > 1 else "")
        broken = f"Do not rely on {what}: {listed} is not what was certified."
        return Judgement("broken", broken, (sentence, *because), _unknown(account))
    return Judgement(level, sentence, because, _unknown(account))


def standing(gain: float, target: float) -> Level:
    """Return how a gain stands to a target.

    >>> standing(0.05, 0.12), standing(0.11, 0.12), standing(0.13, 0.12)
    ('holds', 'near', 'over')
    """
    if gain > target:
        return "over"
    return "near" if gain > NEAR * target else "holds"


def _against_share(series: SeriesAccount, share: float, what: str) -> tuple[Level, str] | None:
    """Return the verdict where more people are known than may be; None where not."""
    strongest = series.strongest
    if strongest is None or strongest.ever_known is None or strongest.ever_known <= share:
        return None
    verb = "give" if len(series.tables) > 1 else "gives"
    return "over", (
        f"{what.capitalize()} {verb} away too much: the {strongest.reader} reader comes to know"
        f" {written_figure(strongest.ever_known, '.1%')} of the people, a true value believed above"
        f" .9 that counting does not tell, and {written_figure(share, '.1%')} were to be the most."
    )


def _against_target(series: SeriesAccount, target: float, what: str) -> tuple[Level, str]:
    strongest = series.strongest
    if strongest is not None and strongest.gain_largest is not None:
        gain, who = strongest.gain_largest, f"the {strongest.reader} reader"
        level = standing(gain, target)
        if level == "over":
            verb = "give" if len(series.tables) > 1 else "gives"
            return level, (
                f"{what.capitalize()} {verb} away too much: {who} gains up to"
                f" {written_figure(gain)} on average, and {target:g} was to be the most."
            )
        held = "stays under" if level == "holds" else "is still under, though close to,"
        most = " in any release" if len(series.tables) > 1 else ""
        return level, (
            f"What the strongest reader learns from {what} {held} the target: {who} gains at"
            f" most {written_figure(gain)} on average{most}, and {target:g} is acceptable."
        )
    if series.misled:
        return "open", (
            f"What readers learn from {what} is not known: all that were tried are worse than"
            " counting, and say nothing of one who knows better."
        )
    if series.watched is not None:
        watched = series.watched
        way = "looks back a few releases" if series.looked_back else "reads forward"
        if watched > target:
            return "over", (
                f"Too much was given away: already the reader who only {way} gains up to"
                f" {written_figure(watched)} on average, and {target:g} was to be the most."
            )
        return "open", (
            f"As far as it is known, the target holds: the reader who {way} gains at most"
            f" {written_figure(watched)} on average, {target:g} is acceptable; stronger readers"
            " were not tried here."
        )
    return "open", (
        f"What readers learn from {what} is not known: no original data was given to try them on."
    )


def _judge_comparison(account: Account) -> Judgement:
    known = [one for one in account.series if _gain(one) is not None]
    within = [one for one in known if (_gain(one) or 0.0) <= account.target and not one.failure]
    n_all, target = len(account.series), account.target
    if not known and any(one.misled for one in account.series):
        told = "On none of the techniques a reader was tried who knows more than counting tells."
        return Judgement("open", told, (_MISLED,), (_OTHERS,))
    if not known:
        return Judgement("open", "None of the techniques could publish this series.")
    if not within:
        whole = [one for one in known if not one.failure]
        best = min(whole or known, key=lambda one: _gain(one) or 0.0)
        return Judgement(
            "over",
            f"None of {n_all} techniques stays under the target of {target:g}: the least is"
            f" {best.name} with {written_figure(_gain(best))}.",
            (_LIKE_SIZES,),
            (_OTHERS,),
        )
    best = min(within, key=lambda one: 1.0 if one.penalty is None else one.penalty)
    return Judgement(
        standing(_gain(best) or 0.0, target),
        f"{len(within)} of {n_all} techniques keep the strongest reader under the target of"
        f" {target:g}; of these, {best.name} keeps most detail (gain"
        f" {written_figure(_gain(best))}, detail lost {_figure(best.penalty, '.1%')}).",
        (_LIKE_SIZES,),
        (_OTHERS,),
    )


_OTHERS = "What the techniques would give away on other people, or to readers who know more."

_MISLED = "Readers who are worse than counting are never the strongest, whatever they gain."

_LIKE_SIZES = (
    "The size of groups does most of it, so compare techniques whose groups are about as large."
)


def _gain(series: SeriesAccount) -> float | None:
    strongest = series.strongest
    return None if strongest is None else strongest.gain_largest


def _because(series: SeriesAccount) -> tuple[str, ...]:
    told = []
    strongest = series.strongest
    if strongest is not None:
        names = ", ".join(one.reader for one in series.readers)
        tried = (
            "1 reader was" if len(series.readers) == 1 else f"{len(series.readers)} readers were"
        )
        told.append(f"{tried} tried on the original data: {names}.")
        told.append(
            f"The strongest is the one with the lowest log-loss: {strongest.reader}, with"
            f" {_scored(strongest)}."
        )
        if strongest.ever_above_nine_tenths is not None:
            counted = strongest.ever_above_nine_tenths_by_frequency or 0.0
            told.append(
                f"Of {strongest.ever_above_nine_tenths:.1%} of the people some true value is known"
                f" with more than 90% confidence; counting alone gives {counted:.1%}."
            )
    if series.differences is not None and series.differences.named:
        told.append(_named(series.differences))
    if series.misled:
        names = "; ".join(f"{one.reader}, {_scored(one)}" for one in series.misled)
        told.append(f"Worse than counting, and so not held against the target: {names}.")
    good = sum(link.holds for link in series.links)
    if len(series.links) == 1:
        found = "as its certificate says" if good else "not as its certificate says"
        told.append(f"The released files are {found}.")
    elif series.links:
        told.append(f"{good} of {len(series.links)} releases are as their certificates say.")
    return tuple(told)


def _named(found: DifferenceFigures) -> str:
    """Tell whose value follows by subtraction, whatever a mean says."""
    right = "" if found.right is None else f", {found.right:,} of them rightly"
    return (
        f"A mean hides single people: if values do not change, subtracting groups of releases gives"
        f" the value of {found.named:,} of {found.people:,} people by counts alone{right}."
    )


def _beside(other: SeriesAccount, series: SeriesAccount) -> str:
    """Tell of another series beside the judged one: what it gives away, and what it keeps."""
    strongest = other.strongest
    scored = "" if strongest is None else f" ({_scored(strongest)})"
    return (
        f"{other.name}: gain up to {_figure(_gain(other))}{scored}, groups of"
        f" {_figure(other.mean_size, '.0f')}, detail lost {_figure(other.penalty, '.1%')}"
        f" (here {_figure(series.mean_size, '.0f')} and {_figure(series.penalty, '.1%')})."
    )


def _scored(one: ReaderSummary) -> str:
    """Say log-loss and calibration of a reader, beside counting."""
    right = one.sure_and_right
    surely = "" if right is None else f"; of what it said above .9, {right:.0%} was right"
    return (
        f"{_figure(one.log_loss, '.2f')} bits, counting"
        f" {_figure(one.log_loss_by_frequency, '.2f')}{surely}"
    )


def _figure(number: float | None, form: str = ".3f") -> str:
    return written_figure(number, form, nothing="unknown")


def _unknown(account: Account) -> tuple[str, ...]:
    series = account.judged
    told = []
    names = {one.reader for one in series.readers}
    if series.strongest is None and not series.misled:
        told.append(
            "How much a reader learns who looks back over all releases, and how it is spread over"
            " people. An audit tells: give the views with --original."
        )
    elif not names & _LOOKING_BACK:
        told.append("What a reader learns who looks back over all releases: it was not tried.")
    if account.kind == "release":
        told.append(
            "What is learned by reading this release together with the others of its series: it is"
            " looked at alone here."
        )
    done = len(series.tables)
    if account.kind == "series" and account.planned > done:
        told.append(f"What the {account.planned - done} releases that are still planned will add.")
    told.append("What a reader learns who knows more than is assumed here (see the promise below).")
    return tuple(told)
