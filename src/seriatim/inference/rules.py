"""Posterior rules: what a reader concludes about a group from its published values.

Each rule takes what the reader expected of the members (the paper's BKsv or
RBKsv) and the multiset of published values, and gives each member a
distribution over the values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import KnowledgeError, did_you_mean, listed
from seriatim.knowledge.belief import require_distributions
from seriatim.knowledge.runs import Runs


@dataclass(frozen=True, eq=False)
class PublishedGroups:
    """Who is in which group, and which values the groups publish."""

    members: IntArray
    """Rows of the respondents, group by group."""

    member_starts: IntArray
    """Where each group's members begin; one more entry than groups."""

    value_codes: IntArray
    """Published values, group by group, in any order inside a group."""

    value_starts: IntArray
    """Where each group's values begin; one more entry than groups."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"PublishedGroups({len(self.value_starts) - 1} groups)"


class PosteriorRule(Protocol):
    """A way to draw conclusions from a group."""

    def posterior(self, prior: FloatArray, groups: PublishedGroups) -> FloatArray:
        """Return the posterior of every member (rows as in prior); other rows are zero."""
        ...


@dataclass(frozen=True)
class Omega:
    """Li, Li and Zhang's Ω-estimate, which the paper's experiments use.

    The weight of value s for respondent r is n_s · p(r,s) / Σ_r' p(r',s), with
    n_s the times s is published, normalized over s for each r.

    A value that nobody was thought able to have weighs its frequency in the
    group, for everyone; a respondent left without weight gets the group's
    frequencies.

    >>> posterior([[0.9, 0.1], [0.5, 0.5]], [0, 1], rule=Omega()).round(2).tolist()
    [[0.79, 0.21], [0.3, 0.7]]
    """

    def posterior(self, prior: FloatArray, groups: PublishedGroups) -> FloatArray:
        """Return the Ω-estimate of every member."""
        from seriatim.kernels.posterior import omega_posterior

        return _by_group(omega_posterior, prior, groups)

    def posterior_runs(self, prior: FloatArray, groups: PublishedGroups) -> Runs:
        """Return the same as runs over the values that a group publishes; others are empty."""
        from seriatim.kernels.posterior import count_shown, omega_runs
        from seriatim.kernels.stretches import over_groups

        members, starts = groups.members, groups.member_starts
        values = (groups.value_codes, groups.value_starts)
        lengths = np.zeros(len(prior), dtype=np.int64)
        over_groups(count_shown, starts, prior.shape[1], *values, members, starts, lengths)
        # Half of what others take: these are as many as people times the values of a group.
        narrow = prior.shape[1] <= np.iinfo(np.uint16).max
        runs = Runs.with_room(lengths, prior.shape[1], np.uint16 if narrow else np.int32)
        written = (runs.offsets, runs.places, runs.weights)
        zeros = np.zeros(1, dtype=np.bool_)
        over_groups(omega_runs, starts, prior, members, starts, *values, *written, zeros)
        return runs.positive() if zeros[0] else runs


@dataclass(frozen=True)
class Additive:
    """The paper's definition: a configuration weighs the sum of its probabilities.

    Summing over all k! configurations has a closed form. With M the
    probability of each pair of respondent and tuple, T its total, R_r and C_t
    its row and column sums: P(r↔t) = (M_rt + (T − R_r − C_t + M_rt) / (k − 1)) / T,
    where k is the number of published tuples.

    A group whose published values nobody was thought able to have (T = 0)
    leaves the group's frequencies.

    >>> posterior([[0.9, 0.1], [0.5, 0.5]], [0, 1], rule=Additive()).round(2).tolist()
    [[0.7, 0.3], [0.3, 0.7]]
    """

    def posterior(self, prior: FloatArray, groups: PublishedGroups) -> FloatArray:
        """Return the additive posterior of every member."""
        from seriatim.kernels.posterior import additive_posterior

        return _by_group(additive_posterior, prior, groups)


def rules_by_name() -> dict[str, PosteriorRule]:
    """Return the rules by name, from the weakest reader to the strongest."""
    from seriatim.inference.matching_rules import Bethe, Exact, Sinkhorn, Strongest

    rules = (Additive(), Omega(), Sinkhorn(), Bethe(), Exact(), Strongest())
    return {type(rule).__name__.lower(): rule for rule in rules}


def rule_by_name(rule: str | PosteriorRule) -> PosteriorRule:
    """Return a rule given by name or as itself."""
    if not isinstance(rule, str):
        return rule
    known = rules_by_name()
    if rule not in known:
        message = (
            f"There is no posterior rule {rule!r}; possible are {listed(known)}."
            f"{did_you_mean(rule, known)}"
        )
        raise KnowledgeError(message)
    return known[rule]


def posterior(
    prior: npt.ArrayLike, values: npt.ArrayLike, rule: str | PosteriorRule = "omega"
) -> FloatArray:
    """Return the posterior of one group: prior (k × values), published values (k codes).

    Alice and Carol of the running example, who publish BCM-pos and PNE-pos:

    >>> expected = [[0.31, 0.05, 0.64], [0.02, 0.31, 0.67]]
    >>> posterior(expected, [0, 1], rule="additive").round(3).tolist()
    [[0.899, 0.101, 0.0], [0.101, 0.899, 0.0]]
    >>> posterior(expected, [0, 1], rule="omega").round(3).tolist()
    [[0.871, 0.129, 0.0], [0.066, 0.934, 0.0]]
    >>> posterior(expected, [0, 1], rule="exact").round(3).tolist()
    [[0.99, 0.01, 0.0], [0.01, 0.99, 0.0]]
    """
    rows = require_distributions(prior, "the prior")
    codes = np.asarray(values)
    if codes.shape != (len(rows),) or not np.issubdtype(codes.dtype, np.integer):
        message = (
            f"A group of {len(rows)} respondents publishes as many values, given as codes;"
            f" an array of shape {codes.shape} and type {codes.dtype} was given."
        )
        raise KnowledgeError(message)
    if (codes < 0).any() or (codes >= rows.shape[1]).any():
        message = f"Codes of values run from 0 to {rows.shape[1] - 1}; {codes.tolist()} were given."
        raise KnowledgeError(message)
    starts = np.array([0, len(rows)], dtype=np.int64)
    group = PublishedGroups(np.arange(len(rows)), starts, codes.astype(np.int64), starts)
    return rule_by_name(rule).posterior(rows, group)


def _by_group(kernel: Any, prior: FloatArray, groups: PublishedGroups) -> FloatArray:
    from seriatim.kernels._jit import over_ranges

    result = np.zeros(prior.shape)  # not zeros_like, which would write every zero
    over_ranges(
        kernel,
        len(groups.value_starts) - 1,
        prior,
        groups.members,
        groups.member_starts,
        groups.value_codes,
        groups.value_starts,
        result,
    )
    return result
