"""Posterior rules of a reader who multiplies: what Bayes' rule says of a group.

If members were independent before the release, the weight of a configuration is
the product of its members' probabilities, not their sum. The posterior is then a
ratio of permanents: exact for small groups, approximated for large ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from seriatim._typing import FloatArray
from seriatim.errors import KnowledgeError
from seriatim.inference.rules import PublishedGroups


@dataclass(frozen=True)
class Exact:
    """The true posterior, by dynamic programming over the multiset of published values.

    The cost of a group is the number of ways to use up its multiset, Π(n_s + 1), times
    its different values: 256 for eight values once each, 625 for four values four times.

    A value that nobody was thought able to have tells nothing about who has it, and a
    respondent thought unable to have any of them may have each: where nothing is known
    of the others either, that leaves the group's frequencies.
    Where all configurations are impossible all the same, each impossible pair weighs
    1e-9 of the value's frequency: those with the fewest impossible pairs prevail.

    Two configurations weigh 0.9 · 0.5 and 0.1 · 0.5:

    >>> from seriatim import posterior
    >>> posterior([[0.9, 0.1], [0.5, 0.5]], [0, 1], rule=Exact()).round(2).tolist()
    [[0.9, 0.1], [0.1, 0.9]]
    """

    most_states: int = 2**22
    """Groups that need more states than this are refused."""

    def posterior(self, prior: FloatArray, groups: PublishedGroups) -> FloatArray:
        """Return the exact posterior of every member."""
        from seriatim.kernels.matching import EXACT

        return _matched(EXACT, self.most_states, prior, groups)


@dataclass(frozen=True)
class Sinkhorn:
    """The Ω-estimate iterated until rows sum to 1 and columns to the values' counts.

    Rows always sum to 1. No probability is then farther from the limit than half of what the
    columns are off their counts, in sum (``docs/proofs/sinkhorn.md``). Scaling stops where that
    is at most n · 5e-13, n being the members of the group: below 1e-9 up to 2000 members. What
    1000 rounds do not bring there, because of zeros or next to impossible values, Newton's method
    does. Where no configuration is possible there is no limit, and the last round counts.

    >>> from seriatim import posterior
    >>> posterior([[0.9, 0.1], [0.5, 0.5]], [0, 1], rule=Sinkhorn()).round(2).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """

    def posterior(self, prior: FloatArray, groups: PublishedGroups) -> FloatArray:
        """Return the scaled posterior of every member."""
        from seriatim.kernels.scaling import scaled_posterior

        return _over_groups(scaled_posterior, prior, groups)


@dataclass(frozen=True)
class Bethe:
    """Belief propagation for the permanent: close to exact, at the cost of a few Ω.

    Over-confident in groups of two or three, where ``Strongest`` does not use it.

    >>> from seriatim import Exact, posterior
    >>> four = [[0.4, 0.3, 0.2, 0.1], [0.1, 0.4, 0.3, 0.2], [0.25] * 4, [0.7, 0.1, 0.1, 0.1]]
    >>> [posterior(four, [0, 1, 2, 3], rule=one)[3].round(2).tolist() for one in (Bethe(), Exact())]
    [[0.73, 0.07, 0.09, 0.12], [0.67, 0.08, 0.11, 0.14]]
    """

    def posterior(self, prior: FloatArray, groups: PublishedGroups) -> FloatArray:
        """Return the propagated posterior of every member."""
        from seriatim.kernels.matching import BETHE

        return _matched(BETHE, 0, prior, groups)


@dataclass(frozen=True)
class Strongest:
    """The strongest rule that can be afforded: exact where possible, Bethe above.

    >>> from seriatim import Bethe, Exact, posterior
    >>> four = [[0.4, 0.3, 0.2, 0.1], [0.1, 0.4, 0.3, 0.2], [0.25] * 4, [0.7, 0.1, 0.1, 0.1]]
    >>> pairs = (Strongest(), Exact()), (Strongest(most_states=8), Bethe())  # 16 are needed
    >>> for one, other in pairs:
    ...     print(
    ...         (posterior(four, [0, 1, 2, 3], one) == posterior(four, [0, 1, 2, 3], other)).all()
    ...     )
    True
    True
    """

    most_states: int = 2**14
    """Groups that need more states than this are left to Bethe, but for those of three or less."""

    def posterior(self, prior: FloatArray, groups: PublishedGroups) -> FloatArray:
        """Return the strongest affordable posterior of every member."""
        from seriatim.kernels.matching import STRONGEST

        return _matched(STRONGEST, max(self.most_states, _STATES_OF_THREE), prior, groups)


_STATES_OF_THREE = 8
"""States that a group of three needs at most; it is never left to Bethe."""

_LEAST_GROUPS = 8
"""Groups that are worth a thread: each takes about a millisecond."""


def _matched(
    method: int, most_states: int, prior: FloatArray, groups: PublishedGroups
) -> FloatArray:
    from seriatim.kernels.matching import matching_posterior

    n_groups = len(groups.value_starts) - 1
    done = np.zeros(n_groups, dtype=bool)
    result = _over_groups(matching_posterior, prior, groups, method, most_states, done)
    if not done.all():
        message = (
            f"{int((~done).sum())} of {n_groups} groups are too large for the exact rule with"
            f" at most {most_states:,} states. Use Strongest(), which falls back to Bethe."
        )
        raise KnowledgeError(message)
    return result


def _over_groups(
    kernel: Callable[..., None], prior: FloatArray, groups: PublishedGroups, *others: Any
) -> FloatArray:
    """Return what a kernel writes of all groups."""
    from seriatim.kernels._jit import over_ranges

    result = np.zeros_like(prior)
    over_ranges(
        kernel,
        len(groups.value_starts) - 1,
        prior,
        groups.members,
        groups.member_starts,
        groups.value_codes,
        groups.value_starts,
        result,
        *others,
        least=_LEAST_GROUPS,
    )
    return result
