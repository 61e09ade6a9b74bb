"""Whether originals can be those of their releases: the values that groups show must be there.

Whoever was suppressed is one more who may have a value, and never one fewer. So a group that
shows a value more often than people have it who may be in the group shows that of others: views
of other people, in another order, or counterfeits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seriatim.errors import OrderError, warn_of_table
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement, place
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster
from seriatim.microdata.view import View

_MOST_COUNTERFEITS = 0.1
"""The share of tuples that nobody may have, beyond which they are not taken for counterfeits."""


def require_own_values(
    releases: Sequence[Release],
    memberships: Sequence[Membership | Placement],
    rosters: Sequence[Roster],
) -> None:
    """Refuse views that releases cannot have been made from; tell of the first doubtful one."""
    doubt = None
    for release, membership, view in zip(releases, memberships, rosters, strict=True):
        if not isinstance(view, View):
            continue
        others = values_of_others(release, membership, view)
        told = (
            f"{others:,} of the {len(release):,} tuples of the release at {release.at!r} show"
            " values that none of the originals has who may be in their group."
        )
        if not others:
            continue
        if others > _MOST_COUNTERFEITS * len(release):
            message = f"{told} Is that its original, and are all given in the releases' order?"
            raise OrderError(message)
        for at, other in zip((one.at for one in releases), rosters, strict=True):
            if other is not view and _fits_better(release, other, others):
                message = (
                    f"{told} The original of the release at {at!r} fits better. Give originals in"
                    " the releases' order."
                )
                raise OrderError(message)
        doubt = doubt or (
            f"{told} They are counterfeits, or that is not its original; then all figures are"
            " wrong."
        )
    if doubt is not None:
        warn_of_table(doubt)


def _fits_better(release: Release, view: Roster, others: int) -> bool:
    if not isinstance(view, View):
        return False
    return values_of_others(release, place(view, release), view) < others


def values_of_others(release: Release, membership: Membership | Placement, view: View) -> int:
    """Return how many tuples nobody has who may be in their group, known counterfeits apart.

    >>> from seriatim import running_example
    >>> made = running_example()
    >>> values_of_others(made.releases[0], made.memberships[0], made.views[0])
    0
    """
    published = release.value_counts
    counterfeits = None
    if isinstance(membership, Membership):
        rows, counterfeits = np.flatnonzero(membership.published), membership.counterfeits
        groups = membership.group_of[rows]
    else:
        rows, groups = membership.respondent_of, membership.candidates
    had = np.zeros_like(published)
    np.add.at(had, (groups, view.value_codes[rows]), 1)
    others = np.maximum(published - had, 0).sum(axis=1)
    return int(np.maximum(others - (0 if counterfeits is None else counterfeits), 0).sum())
