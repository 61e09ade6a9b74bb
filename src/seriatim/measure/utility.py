"""Utility: how much detail a release keeps."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from seriatim.errors import PolicyError
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import Release


def semiperimeter(release: Release | npt.ArrayLike) -> float:
    """Return the mean semiperimeter of a release's groups; smaller keeps more detail.

    The semiperimeter of a group is the sum, over quasi-identifiers, of the length
    of its part relative to the domain. Takes a release, or extents (groups,
    attributes).

    >>> semiperimeter([[0.5, 0.0], [0.25, 0.25]])
    0.5
    """
    extents = release.extents if isinstance(release, Release) else np.asarray(release, float)
    if extents.ndim != 2 or len(extents) == 0:
        message = f"Extents run (groups, attributes), at least one group; not {extents.shape}."
        raise PolicyError(message)
    return float(extents.sum(axis=1).mean())


def global_certainty_penalty(
    release: Release | npt.ArrayLike, sizes: npt.ArrayLike | None = None
) -> float:
    """Return the global certainty penalty (GCP) of a release, from 0 (exact) to 1 (nothing left).

    ``GCP = Σ |G| · NCP(G) / (attributes · tuples)``, over published tuples: read it beside
    ``suppression``. Where a domain was not declared, penalties are relative to what the
    release itself shows; declare domains to compare releases. Takes a release, or
    penalties (groups, attributes) with the groups' sizes.

    >>> global_certainty_penalty([[0.5, 0.0], [0.25, 0.25]], sizes=[3, 1])
    0.25
    """
    if isinstance(release, Release):
        penalties, counts = release.penalties, release.sizes
    else:
        penalties, counts = np.asarray(release, float), np.asarray(sizes)
    if penalties.ndim != 2 or counts.shape != (len(penalties),) or not counts.sum() > 0:
        message = (
            "Penalties run (groups, attributes), with a size for each group, not all of them 0;"
            f" shapes {penalties.shape} and {counts.shape} were given."
        )
        raise PolicyError(message)
    # Not a product of matrices: its threads would go on spinning, and its digits hang on them.
    lost = (counts * penalties.sum(axis=1)).sum()
    return float(lost / (penalties.shape[1] * counts.sum()))


def suppression(membership: Membership) -> float:
    """Return the share of a view's tuples that its release leaves out.

    >>> from seriatim import running_example
    >>> suppression(Membership(running_example().views[0].roster, np.array([0, 0, 0, -1])))
    0.25
    """
    return float((~membership.published).mean())
