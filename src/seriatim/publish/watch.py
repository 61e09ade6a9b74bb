"""The watch: what the simulated reader gains by each release, and by the series so far.

The custodian knows the truth, so what the reader that a series is chosen against believes
can be compared with it before a release is out: the reader who goes forward, and the one who
looks back over the last releases, at what each said when it came. Who looks back over the
whole series, and weighs each release again in the light of the others, gains more still, which
rehearsals and audits tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seriatim._figures import written_figure
from seriatim._typing import FloatArray
from seriatim.errors import UnsatisfiableError
from seriatim.knowledge.belief import Belief
from seriatim.publish.publisher import Publication
from seriatim.publish.series_plan import SeriesPlan
from seriatim.publish.store import Entry
from seriatim.publish.traces import Trace

NEAR = 0.8
"""The share of a target from which on a publisher is warned."""


@dataclass(frozen=True)
class Watch:
    """What the simulated reader gains."""

    gain: float
    """By this release, the mean over respondents."""

    worst: float
    """By this release, on the respondent of whom most is learned; private."""

    greatest: float
    """The greatest mean gain of any release so far."""

    back: float | None = None
    """Looking back: the greatest mean gain of a release of the window, after this one.

    None where nobody looks back: the lag is 0, or nothing is known of sequences."""

    greatest_back: float | None = None
    """The greatest of these so far."""

    def __str__(self) -> str:
        """Say it in figures."""
        told = (
            f"the simulated reader gains {written_figure(self.gain)} on the mean,"
            f" {written_figure(self.worst, '.2f')} at worst; greatest mean so far"
            f" {written_figure(self.greatest)}"
        )
        if self.back is None or self.greatest_back is None:
            return told
        back, so_far = written_figure(self.back), written_figure(self.greatest_back)
        return f"{told}; looking back {back}, so far {so_far}"

    @property
    def decisive(self) -> float:
        """The gain that a target is held against: the larger of the two."""
        return self.gain if self.back is None else max(self.gain, self.back)

    def near(self, plan: SeriesPlan) -> bool:
        """Tell whether a target is near, or passed."""
        return max(self.greatest, self.greatest_back or 0.0) > NEAR * plan.target


def watch(
    publication: Publication, entries: Sequence[Entry], window: Sequence[Trace] = ()
) -> Watch:
    """Return what the simulated reader gains by a release, and gained by those before it.

    ``window`` has the traces of the last releases, this one the last, as ``followed`` returns
    them.
    """
    gains = gains_of(publication, publication.posterior)
    mean = float(gains.mean()) if len(gains) else 0.0
    back = max((trace.mean for trace in window), default=None)
    return Watch(
        mean,
        float(gains.max(initial=0.0)),
        max(mean, *_told(entries, "gain"), 0.0),
        back,
        None if back is None else max(back, *_told(entries, "back"), 0.0),
    )


def told_in_public(watched: Watch, lag: int) -> dict[str, Any]:
    """Return what a certificate says of it: means, and nothing of anyone."""
    told: dict[str, Any] = {
        "mean gain": _rounded(watched.gain),
        "greatest mean gain so far": _rounded(watched.greatest),
    }
    if watched.back is not None and watched.greatest_back is not None:
        told["releases looked back"] = lag
        told["mean gain looking back"] = _rounded(watched.back)
        told["greatest mean gain looking back so far"] = _rounded(watched.greatest_back)
    return told


def _rounded(gain: float) -> float:
    """Round a gain for a certificate; what is next to nothing has no sign."""
    return round(gain, 4) + 0.0


def recorded_gains(record: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Return what the reader gained by a recorded release, forward and looking back.

    As it was measured: certificates tell figures that are rounded, and what is shown of
    them would be rounded twice. Where only a certificate is recorded, what it tells.
    """
    measured = record.get("watch")
    if measured:
        return measured.get("gain"), measured.get("back")
    told = record["certificate"].get("simulated reader", {})
    return told.get("mean gain"), told.get("mean gain looking back")


def require_under(watched: Watch, plan: SeriesPlan, tried: str = "") -> None:
    """Refuse a release by which the simulated reader gains more than is acceptable."""
    if watched.decisive > plan.target:
        way = "looking back " if watched.decisive > watched.gain else ""
        message = (
            f"The simulated reader would gain {written_figure(watched.decisive)} on the mean"
            f" {way}by this release, and the study enforces {plan.target:g}; nothing was"
            f" published.{tried} Use larger groups (a rehearsal finds how large), publish less"
            " often, or raise target_gain under [plan]."
        )
        raise UnsatisfiableError(message)


def gains_of(publication: Publication, belief: Belief) -> FloatArray:
    """Return what a belief is worth beyond counting, on each published respondent."""
    from seriatim.kernels.gains import gains_beyond_counting
    from seriatim.kernels.stretches import over_groups

    release, membership = publication.release, publication.membership
    truth = publication.view.value_codes
    # Asked in the order in which beliefs lie: group by group each would be waited for.
    believed = belief.at(np.arange(len(truth)), truth)
    begins, gains = membership.starts(release), np.empty(len(membership.members))
    over_groups(
        gains_beyond_counting,
        release.starts,
        release.starts,
        release.value_codes,
        begins,
        membership.members,
        truth,
        believed,
        len(belief.domain),
        gains,
    )
    return gains


def _told(entries: Sequence[Entry], name: str) -> list[float]:
    """Return a figure of earlier releases; 0 for those that were not watched."""
    return [float(entry.record.get("watch", {}).get(name) or 0.0) for entry in entries]
