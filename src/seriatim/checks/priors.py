"""Laws of priors."""

from __future__ import annotations

import numpy as np

from seriatim._typing import Value
from seriatim.checks._cases import require
from seriatim.knowledge.prior import Prior
from seriatim.microdata.roster import Roster


def check_prior(prior: Prior, roster: Roster, domain: tuple[Value, ...]) -> None:
    """Check that a prior gives each respondent of a roster a distribution.

    One row per respondent over the domain asked for, rows that sum to 1, the same
    answer every time, and no value with a chance that is not in the domain.
    """
    belief = prior.belief(roster, domain)
    require(len(belief) == len(roster), "A prior must give every respondent a row.")
    require(belief.domain == tuple(domain), "A prior must answer over the domain asked for.")
    sums = belief.probabilities.sum(axis=1)
    require(bool(np.allclose(sums, 1.0, atol=1e-12)), "Rows of a prior must sum to 1.", sums)
    again = prior.belief(roster, domain).probabilities
    require(bool((again == belief.probabilities).all()), "A prior must give the same answer twice.")
    outside = [value for value in prior.values if value not in domain]
    require(not outside, "A prior must refuse a domain that lacks its values.", outside)
