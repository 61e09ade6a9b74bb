"""The watch: what the simulated reader gains by each release, and by the series so far.

The custodian knows the truth, so what the reader that a series is chosen against believes
can be compared with it before a release is out. This is the reader who goes forward; one who
looks back over the series gains more, which rehearsals and audits tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seriatim._typing import FloatArray
from seriatim.errors import UnsatisfiableError
from seriatim.knowledge.belief import Belief
from seriatim.measure.disclosure import gain_over
from seriatim.publish.publisher import Publication
from seriatim.publish.series_plan import SeriesPlan
from seriatim.publish.store import Entry

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

    def __str__(self) -> str:
        """Say it in figures."""
        mean = round(self.gain, 3) + 0.0  # no sign on what is next to nothing
        return (
            f"the simulated reader gains {mean:.3f} on the mean, {self.worst:.2f} at worst;"
            f" greatest mean so far {self.greatest:.3f}"
        )

    def near(self, plan: SeriesPlan) -> bool:
        """Tell whether a target is near, or passed."""
        return self.greatest > NEAR * plan.target


def watch(publication: Publication, entries: Sequence[Entry]) -> Watch:
    """Return what the simulated reader gains by a release, and gained by those before it."""
    gains = gains_of(publication, publication.posterior)
    mean = float(gains.mean()) if len(gains) else 0.0
    before = [float(entry.record.get("watch", {}).get("gain", 0.0)) for entry in entries]
    return Watch(mean, float(gains.max(initial=0.0)), max(mean, *before, 0.0))


def require_under(watched: Watch, plan: SeriesPlan) -> None:
    """Refuse a release by which the simulated reader gains more than is acceptable."""
    if watched.gain > plan.target:
        message = (
            f"The simulated reader would gain {watched.gain:.3f} on the mean by this release, and"
            f" the study enforces {plan.target:g}; nothing was published. Use larger groups (a"
            " rehearsal finds how large), publish less often, or raise target_gain under [plan]."
        )
        raise UnsatisfiableError(message)


def gains_of(publication: Publication, belief: Belief) -> FloatArray:
    """Return what a belief is worth beyond counting, on each published respondent."""
    release, rows = publication.release, publication.membership.members
    n_values = len(release.schema.sensitive.domain)
    cells = release.group_of * n_values + release.value_codes
    counts = np.bincount(cells, minlength=release.n_groups * n_values)
    truth = publication.view.value_codes[rows]
    group_of = publication.membership.group_of[rows]
    frequency = counts[group_of * n_values + truth] / release.sizes[group_of]
    return gain_over(belief.at(rows, truth), frequency)
