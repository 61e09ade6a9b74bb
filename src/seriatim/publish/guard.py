"""The guard: a finished release is checked as its readers will see it.

It reads the public table, not the plan for it: it counts sizes and values in the
table, reads the regions back from their words, and measures every requirement
afresh. The beliefs are no part of the table; the guard takes them from those who
are said to be in each group, after checking that they lie in its region and that
their values are the published ones.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import IntArray
from seriatim.errors import InternalError, SeriatimError
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
    evidence: Evidence,
    requirement: Requirement,
) -> Verdict:
    """Return the verdict on a finished release; anything amiss is an InternalError."""
    try:
        tally = _checked_tally(release, view, membership, evidence)
    except (pa.ArrowException, IndexError, ValueError) as error:
        message = "A finished release does not fit its view, or cannot be written as a table."
        raise InternalError(message) from error
    verdict = requirement.verdict(tally)
    if not verdict.holds:
        message = f"A finished release breaks its policy; nothing was published.\n{verdict}"
        raise InternalError(message)
    return verdict


def _checked_tally(
    release: Release, view: View, membership: Membership, evidence: Evidence
) -> Tally:
    """Read the table, refuse what is not as it should be, and count."""
    table = release.to_arrow()
    if table.num_rows == 0 or release.schema.sensitive.domain != view.schema.sensitive.domain:
        message = "A finished release is empty, or over another domain than its view."
        raise InternalError(message)
    _require_public_columns(table, view)
    groups = to_numpy(plain(table.column(GROUP_COLUMN))).astype(np.int64) - 1
    _require_members_inside(table, groups, view, membership)
    return _tally(table, groups, view, membership, evidence)


def _require_public_columns(table: pa.Table, view: View) -> None:
    allowed = [GROUP_COLUMN, *view.schema.public_columns]
    if table.column_names != allowed:
        message = f"A release may have the columns {allowed}, and has {table.column_names}."
        raise InternalError(message)
    if any(column.null_count for column in table.columns):
        message = "A release has empty cells."
        raise InternalError(message)


def _require_members_inside(
    table: pa.Table, groups: IntArray, view: View, membership: Membership
) -> None:
    """Refuse a group whose written region does not contain all of its members."""
    first_row = np.unique(groups, return_index=True)[1]
    members = membership.members
    group_of = membership.group_of[members]
    if len(members) == 0 or group_of.max() >= len(first_row):
        message = "A member is in a group that the table does not have."
        raise InternalError(message)
    for axis, attribute in enumerate(view.schema.quasi_identifiers):
        written = plain(table.column(attribute.name))
        words = written.take(pa.array(first_row))
        if not written.equals(words.take(pa.array(groups))):
            message = f"Tuples of one group differ in {attribute.name!r}."
            raise InternalError(message)
        distinct = pc.dictionary_encode(words)
        word_of = to_numpy(distinct.indices)[group_of]
        codes = view.points[members, axis]
        # Members sorted by the word of their group: each distinct word is read once.
        order = np.argsort(word_of, kind="stable")
        ends = np.searchsorted(word_of[order], np.arange(len(distinct.dictionary) + 1))
        for index, word in enumerate(distinct.dictionary.to_pylist()):
            inside = codes[order[ends[index] : ends[index + 1]]]
            try:
                holds = bool(attribute.parse(word).contains(inside).all())
            except SeriatimError:
                message = f"A region of {attribute.name!r} cannot be read back."
                raise InternalError(message) from None
            if not holds:
                message = f"A region does not contain its members in {attribute.name!r}."
                raise InternalError(message)


def _tally(
    table: pa.Table, groups: IntArray, view: View, membership: Membership, evidence: Evidence
) -> Tally:
    """Count sizes and values in the table, and add the beliefs of the members."""
    sensitive = view.schema.sensitive
    codes = find_codes(plain(table.column(sensitive.name)), sensitive.domain)
    n_groups = int(groups.max()) + 1
    cells = np.bincount(groups * evidence.n_values + codes, minlength=n_groups * evidence.n_values)
    published = cells.reshape(n_groups, evidence.n_values)
    members = membership.members
    sizes = np.bincount(membership.group_of[members], minlength=n_groups)
    own = Tally.of(evidence, members, np.concatenate([[0], np.cumsum(sizes)]))
    if published.shape != own.value_counts.shape or (published != own.value_counts).any():
        message = "The published values of a group are not those of its members."
        raise InternalError(message)
    totals = published.sum(axis=0)
    return Tally(published.sum(axis=1), published, own.belief_sums, own.entropy_sums, totals)
