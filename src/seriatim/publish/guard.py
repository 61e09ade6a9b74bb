"""The guard: a finished release is checked as its readers will see it.

It reads the public table, not the plan for it, and measures every requirement
afresh. The beliefs are no part of the table; the guard takes them from those who
are said to be in each group, after checking that they fit its region.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from seriatim.errors import InternalError
from seriatim.knowledge.belief import Belief
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import GROUP_COLUMN, Release
from seriatim.microdata.tables import find_codes, plain, to_numpy
from seriatim.microdata.view import View
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.tally import Evidence, Tally
from seriatim.privacy.verdict import Verdict


def guard(
    release: Release,
    view: View,
    membership: Membership,
    revised: Belief,
    requirement: Requirement,
) -> Verdict:
    """Return the verdict on a finished release; anything amiss is an InternalError."""
    table = release.to_arrow()
    _require_public(table, view)
    groups = to_numpy(plain(table.column(GROUP_COLUMN))).astype(np.int64) - 1
    codes = find_codes(
        plain(table.column(view.schema.sensitive.name)), view.schema.sensitive.domain
    )
    tally = _tally(groups, codes, membership, Evidence.of(view, revised))
    _require_members_inside(release, view, membership)
    verdict = requirement.verdict(tally)
    if not verdict.holds:
        message = f"A finished release breaks its policy; nothing was published.\n{verdict}"
        raise InternalError(message)
    return verdict


def _require_public(table: pa.Table, view: View) -> None:
    """Refuse any column that has no place in a release."""
    allowed = [GROUP_COLUMN, *view.schema.columns[1:]]
    if table.column_names != allowed:
        message = f"A release may have the columns {allowed}, and has {table.column_names}."
        raise InternalError(message)


def _tally(
    groups: np.ndarray[tuple[int], np.dtype[np.int64]],
    codes: np.ndarray[tuple[int], np.dtype[np.int64]],
    membership: Membership,
    evidence: Evidence,
) -> Tally:
    """Count sizes and values in the table, and add the beliefs of the members."""
    n_groups = int(groups.max()) + 1
    counts = np.bincount(groups * evidence.n_values + codes, minlength=n_groups * evidence.n_values)
    sizes = np.bincount(groups, minlength=n_groups)
    members = membership.members
    starts = np.concatenate([[0], np.cumsum(sizes)])
    own = Tally.of(evidence, members, starts) if len(members) == starts[-1] else None
    value_counts = counts.reshape(n_groups, evidence.n_values)
    if (
        own is None
        or (np.bincount(membership.group_of[members]) != sizes).any()
        or (own.value_counts != value_counts).any()
    ):
        message = "The published values of a group are not those of its members."
        raise InternalError(message)
    return Tally(sizes, value_counts, own.belief_sums, own.entropy_sums, own.view_counts)


def _require_members_inside(release: Release, view: View, membership: Membership) -> None:
    """Refuse a region that does not cover all of its group's members."""
    members = membership.members
    for axis, cover in enumerate(release.covers):
        again = view.schema.quasi_identifiers[axis].cover(
            view.points[members, axis], release.starts
        )
        if not cover.text().equals(again.text()):
            message = (
                f"A region does not cover its members in {release.schema.columns[axis + 1]!r}."
            )
            raise InternalError(message)
