"""The guard: a finished release is checked as its readers will see it.

It reads the public table, not the plan for it: it counts sizes and values in the
table, reads the regions back from their words, and measures every requirement
afresh. The beliefs are no part of the table; the guard takes them from those who
are said to be in each group, after checking that they lie in its region and that
their values are the published ones.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import IntArray, SmallIntArray
from seriatim.errors import InternalError, SeriatimError
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.buckets import written_points
from seriatim.microdata.gathers import gathered
from seriatim.microdata.letters import letters_of
from seriatim.microdata.membership import ABSENT, Membership
from seriatim.microdata.orders import sorted_order
from seriatim.microdata.part import CodeSet, Interval, Part
from seriatim.microdata.release import COUNT_COLUMN, GROUP_COLUMN, Release
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
    *,
    whole_table: bool = True,
) -> Verdict:
    """Return the verdict on a finished release; anything amiss is an InternalError.

    Groups are compared with the table that they are in; without ``whole_table`` this is only
    a part of one, and they are compared with the view, as the evidence knows it.
    """
    try:
        # What the members are said to have depends on no table, and takes as long as reading one.
        with ThreadPoolExecutor(1, thread_name_prefix="seriatim-guard") as beside:
            counting = beside.submit(_own, release.n_groups, membership, evidence)
            published = _checked_counts(release, view, membership, evidence.n_values)
            tally = _tally(published, counting.result(), membership)
    except MemoryError:
        raise  # Arrow's is one of its own errors as well
    except (pa.ArrowException, IndexError, ValueError) as error:
        message = "A finished release does not fit its view, or cannot be written as a table."
        raise InternalError(message) from error
    if not whole_table:
        tally = replace(tally, view_counts=evidence.view_counts)
    verdict = requirement.verdict(tally)
    if not verdict.holds:
        message = f"A finished release breaks its policy; nothing was published.\n{verdict}"
        raise InternalError(message)
    return verdict


def _checked_counts(
    release: Release, view: View, membership: Membership, n_values: int
) -> IntArray:
    """Read the tables, refuse what is not as it should be, and count values (groups, values)."""
    if len(release) == 0 or release.schema.sensitive.domain != view.schema.sensitive.domain:
        message = "A finished release is empty, or over another domain than its view."
        raise InternalError(message)
    tables = release.tables()
    names = view.schema.quasi_identifier_names
    value = view.schema.sensitive.name
    if release.form == "buckets":
        people, table = tables[".people"], tables[".values"]
        _require_columns(people, (GROUP_COLUMN, *names))
        _require_columns(table, (GROUP_COLUMN, value, COUNT_COLUMN))
        _require_members_listed(people, view, membership)
        groups, times = _groups(table), to_numpy(plain(table.column(COUNT_COLUMN)))
        _require_as_many(people, groups, times)
        shape = int(groups.max()) + 1, n_values
        cells = groups * n_values + _codes(table, view)
        counts = np.bincount(cells, times, minlength=shape[0] * shape[1])
        return counts.astype(np.int64).reshape(shape)
    table = tables[""]
    _require_columns(table, (GROUP_COLUMN, *view.schema.public_columns))
    groups = _groups(table)
    if (groups[1:] < groups[:-1]).any():
        table = table.take(pa.array(sorted_order(groups)))
        groups = np.sort(groups)
    starts = _starts(groups)
    _require_members_inside(table, starts, view, membership)
    return _counted(_codes(table, view), starts, n_values)


def _groups(table: pa.Table) -> IntArray:
    return np.asarray(to_numpy(plain(table.column(GROUP_COLUMN))).astype(np.int64) - 1)


def _starts(groups: IntArray) -> IntArray:
    """Return where the rows of each group begin, of rows that are sorted by group."""
    sizes = np.bincount(groups)
    if (sizes == 0).any():
        message = "A group has no rows."
        raise IndexError(message)
    return np.concatenate([[0], np.cumsum(sizes)])


def _codes(table: pa.Table, view: View) -> IntArray:
    """Return the codes of the published values; one of no domain is an error."""
    sensitive = view.schema.sensitive
    codes = find_codes(plain(table.column(sensitive.name)), sensitive.domain)
    if codes.min(initial=0) < 0:
        message = "A release has a value that its view cannot have."
        raise InternalError(message)
    return codes


def _counted(codes: IntArray, starts: IntArray, n_values: int) -> IntArray:
    """Return how often each group has each value (groups, values)."""
    from seriatim.kernels.stretches import over_groups
    from seriatim.kernels.totals import count_values

    counts = np.zeros((len(starts) - 1, n_values), dtype=np.int64)
    over_groups(count_values, starts, starts, codes, counts)
    return counts


def _require_columns(table: pa.Table, allowed: tuple[str, ...]) -> None:
    if table.column_names != list(allowed):
        message = f"A release may have the columns {list(allowed)}, and has {table.column_names}."
        raise InternalError(message)
    if any(column.null_count for column in table.columns):
        message = "A release has empty cells."
        raise InternalError(message)


def _require_members_listed(people: pa.Table, view: View, membership: Membership) -> None:
    """Refuse buckets that do not list the quasi-identifiers of all of their members."""
    members = membership.members
    texts = written_points(view.schema.quasi_identifiers, view.points[members])
    names = [f"column {place}" for place in range(people.num_columns)]
    mine = pa.table([pa.array(membership.group_of[members] + 1), *texts], names=names)
    listed = people.rename_columns(names).group_by(names).aggregate([([], "count_all")])
    own = mine.group_by(names).aggregate([([], "count_all")])
    joined = own.join(listed, names, right_suffix=" listed")
    enough = pc.greater_equal(joined["count_all listed"], joined["count_all"])
    if not pc.all(pc.fill_null(enough, False)).as_py():
        message = "A bucket does not list the quasi-identifiers of all of its members."
        raise InternalError(message)


def _require_as_many(people: pa.Table, groups: IntArray, times: IntArray) -> None:
    """Refuse buckets with more or fewer values than people."""
    listed = np.bincount(_groups(people))
    if not np.array_equal(listed, np.bincount(groups, times, minlength=len(listed))):
        message = "A bucket has more or fewer values than people."
        raise InternalError(message)


def _require_members_inside(
    table: pa.Table, starts: IntArray, view: View, membership: Membership
) -> None:
    """Refuse a group whose written region does not contain all of its members."""
    if not 0 <= membership.group_of.max(initial=ABSENT) < len(starts) - 1:
        message = "A member is in a group that the table does not have."
        raise InternalError(message)
    attributes = view.schema.quasi_identifiers
    regions = [_regions(plain(table.column(one.name)), starts, one) for one in attributes]
    outside = _outside([parts for parts, _ in regions], [of for _, of in regions], view, membership)
    for attribute, wrong in zip(attributes, outside, strict=True):
        if wrong:
            message = f"A region does not contain its members in {attribute.name!r}."
            raise InternalError(message)


def _regions(
    texts: pa.Array, starts: IntArray, attribute: QuasiIdentifier
) -> tuple[list[Part], SmallIntArray]:
    """Return the different parts that groups are written as, and which of them each is."""
    from seriatim.kernels.stretches import over_groups
    from seriatim.kernels.texts import compare_texts

    differ = np.zeros(1, dtype=np.bool_)
    over_groups(compare_texts, starts, *letters_of(texts), starts, differ)
    if differ[0]:
        message = f"Tuples of one group differ in {attribute.name!r}."
        raise InternalError(message)
    distinct = pc.dictionary_encode(texts.take(pa.array(starts[:-1])))
    try:
        parts = [attribute.parse(word) for word in distinct.dictionary.to_pylist()]
    except SeriatimError:
        message = f"A region of {attribute.name!r} cannot be read back."
        raise InternalError(message) from None
    return parts, np.asarray(to_numpy(distinct.indices))


def _outside(
    parts: list[list[Part]], part_of: list[SmallIntArray], view: View, membership: Membership
) -> list[bool]:
    """Tell for each axis whether the part that a group is written as leaves a member out."""
    from seriatim.kernels.regions import look_inside
    from seriatim.kernels.stretches import over_stretches

    bounds = np.cumsum([0, *map(len, parts)])
    low, high = np.ones(bounds[-1]), np.zeros(bounds[-1])
    named = [np.empty(0)] * int(bounds[-1])
    for axis, begin in enumerate(bounds[:-1]):
        for place, part in enumerate(parts[axis], start=begin):
            if isinstance(part, Interval):
                low[place], high[place] = part.low, part.high
            elif isinstance(part, CodeSet):
                named[place] = np.array(sorted(part.codes), dtype=np.float64)
            else:
                occurring = np.unique(view.points[:, axis])
                named[place] = occurring[part.contains(occurring)]
    outside = np.zeros(bounds[-1], dtype=np.bool_)
    over_stretches(
        look_inside,
        len(view),
        membership.group_of,
        view.points,
        np.stack(part_of, axis=1) + bounds[:-1].astype(np.int32),
        low,
        high,
        np.concatenate([[0], np.cumsum([len(one) for one in named])]),
        np.concatenate(named),
        outside,
    )
    return [bool(one.any()) for one in np.split(outside, bounds[1:-1])]


def _own(n_groups: int, membership: Membership, evidence: Evidence) -> Tally:
    """Return the totals of the members' values and beliefs."""
    members = membership.members
    sizes = np.bincount(gathered(membership.group_of, members), minlength=n_groups)
    return Tally.of(evidence, members, np.concatenate([[0], np.cumsum(sizes)]))


def _tally(published: IntArray, own: Tally, membership: Membership) -> Tally:
    """Return the totals of the table's values (groups, values) and of the members' beliefs."""
    if published.shape != own.value_counts.shape:
        message = "The groups of a release are not those of its members."
        raise InternalError(message)
    if membership.counterfeits is not None or not np.array_equal(published, own.value_counts):
        own = own.with_counterfeits(_added(published - own.value_counts, membership))
    # Readers compare a group with the table they have, not with the view.
    return replace(own, view_counts=published.sum(axis=0))


def _added(beside_members: IntArray, membership: Membership) -> IntArray:
    """Return the values that no member has; any that is no counterfeit's is an error."""
    known = 0 if membership.counterfeits is None else membership.counterfeits
    if (beside_members < 0).any() or (beside_members.sum(axis=1) != known).any():
        message = "The published values of a group are not those of its members and counterfeits."
        raise InternalError(message)
    return beside_members
