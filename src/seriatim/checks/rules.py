"""Laws of posterior rules."""

from __future__ import annotations

import numpy as np

from seriatim.checks._cases import ROUNDING, random_beliefs, require
from seriatim.inference.rules import PosteriorRule, posterior


def check_rule(rule: PosteriorRule, *, cases: int = 50, seed: int = 0) -> None:
    """Check that a posterior rule draws sound conclusions.

    Rows sum to 1; only published values have a chance; members of whom the same was
    expected are judged by the group's frequencies; and neither the order of the
    values nor the order of the members matters.
    """
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        n_values, size = int(rng.integers(1, 6)), int(rng.integers(1, 8))
        prior = random_beliefs(rng, size, n_values)
        values = rng.integers(0, n_values, size)
        found = posterior(prior, values, rule)
        case = f"{size} members, values {values.tolist()}"
        require(
            bool(np.allclose(found.sum(axis=1), 1.0, atol=ROUNDING)),
            "Rows of a posterior must sum to 1.",
            case,
        )
        unpublished = np.setdiff1d(np.arange(n_values), values)
        require(
            bool((found[:, unpublished] == 0).all()), "Only published values have a chance.", case
        )
        order = rng.permutation(size)
        moved = posterior(prior[order], rng.permutation(values), rule)
        require(
            bool(np.allclose(moved, found[order], atol=ROUNDING)),
            "Neither the order of values nor of members may matter.",
            case,
        )
        alike = posterior(np.repeat(prior[:1], size, axis=0), values, rule)
        frequencies = np.bincount(values, minlength=n_values) / size
        require(
            bool(np.allclose(alike, frequencies, atol=ROUNDING)),
            "Members of whom the same was expected are judged by the group's frequencies.",
            case,
        )
