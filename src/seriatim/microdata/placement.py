"""Which groups a respondent may be in, where the regions leave it open.

Regions of other tools' releases may overlap: suppressed cells fit everyone, and a
roster may have more people than the release. A placement then lists, for each
respondent, every group that is possible; it does not guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seriatim._typing import BoolArray, IntArray
from seriatim.errors import SchemaError, UnknownCategoryError
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.buckets import fitting_buckets
from seriatim.microdata.membership import ABSENT, Membership
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster
from seriatim.microdata.tables import require_columns

_CELLS_AT_ONCE = 2**26


@dataclass(frozen=True, eq=False)
class Placement:
    """The groups that each respondent of a roster may be in.

    >>> from seriatim import Numeric, Roster, Schema, Sensitive, read_release
    >>> schema = Schema("id", [Numeric("age", 0, 99)], Sensitive("exam", ["neg", "pos"]))
    >>> people = Roster.from_table({"id": [1, 2, 3], "age": [30, 35, 60]}, schema)
    >>> table = {"age": ["30-40", "30-60", "30-60"], "exam": ["pos", "neg", "pos"]}
    >>> place(people, read_release(table, schema, at=1))
    Placement(3 of 3 respondents, in 5 possible ways)
    """

    roster: Roster
    """The respondents, and what is known of them."""

    offsets: IntArray
    """Where each respondent's groups begin; one more entry than respondents."""

    candidates: IntArray
    """Possible groups, respondent by respondent."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return (
            f"Placement({int(self.published.sum())} of {len(self.roster)} respondents, in"
            f" {len(self.candidates)} possible ways)"
        )

    @property
    def published(self) -> BoolArray:
        """Who may be in the release."""
        return np.asarray(np.diff(self.offsets) > 0)

    @cached_property
    def respondent_of(self) -> IntArray:
        """The row of the respondent of each candidate."""
        return np.repeat(np.arange(len(self.roster)), np.diff(self.offsets))

    def fits(self, release: Release) -> bool:
        """Tell whether all groups are the release's."""
        return bool((self.candidates < release.n_groups).all())


def place(roster: Roster, release: Release) -> Membership | Placement:
    """Find each respondent's group by the regions, or in buckets by who is listed where.

    The roster is taken to have everyone who is published. Where only one membership is
    possible it is returned; otherwise a placement with what is possible: whoever fits
    a group that has just as many candidates as tuples is in it, and when all of the
    roster is published, a group that is filled by those who fit no other takes nobody
    else. A release with more tuples than people who fit has counterfeits, and there
    nothing follows from counting.

    >>> from seriatim import running_example
    >>> example = running_example()
    >>> found = place(example.views[0].roster, example.releases[0])
    >>> found, found.group_of.tolist()
    (Membership(4 of 4 respondents), [0, 0, 1, 1])
    """
    _require_same(roster, release)
    if release.people is None:
        respondents, groups = _fitting(roster, release)
    else:
        respondents, groups = fitting_buckets(
            roster.schema.quasi_identifiers, roster.points, release
        )
    if len(release) <= len(np.unique(respondents)):
        keep = _narrow(respondents, groups, release.sizes, len(roster))
        respondents, groups = respondents[keep], groups[keep]
    times = np.bincount(respondents, minlength=len(roster))
    if (times <= 1).all():
        group_of = np.full(len(roster), ABSENT, dtype=np.int64)
        group_of[respondents] = groups
        membership = Membership(roster, group_of)
        if membership.fits(release):
            return membership
    return Placement(roster, np.concatenate([[0], np.cumsum(times)]), groups)


def _require_same(roster: Roster, release: Release) -> None:
    names = roster.schema.quasi_identifier_names
    require_columns(names, release.schema.quasi_identifier_names)
    if release.people is not None and names != release.schema.quasi_identifier_names:
        message = "Buckets and respondents must have their quasi-identifiers in the same order."
        raise SchemaError(message)


def _fitting(roster: Roster, release: Release) -> tuple[IntArray, IntArray]:
    """Return all pairs of respondent and group whose region fits, respondent by respondent."""
    names = roster.schema.quasi_identifier_names
    masks, texts = [], []
    for attribute, cover in zip(release.schema.quasi_identifiers, release.covers, strict=True):
        axis = names.index(attribute.name)
        codes, where = np.unique(roster.points[:, axis], return_inverse=True)
        encoded = cover.text.dictionary_encode()
        words = encoded.dictionary.to_pylist()
        mine = roster.schema.quasi_identifiers[axis]
        inside = np.array([_inside(mine, word, codes) for word in words]).reshape(-1, len(codes))
        masks.append(inside[:, where.ravel()])
        texts.append(encoded.indices.to_numpy(zero_copy_only=False))
    found_respondents, found_groups = [], []
    block = max(_CELLS_AT_ONCE // max(len(roster), 1), 1)
    for begin in range(0, release.n_groups, block):
        fits = np.ones((min(block, release.n_groups - begin), len(roster)), dtype=bool)
        for mask, text in zip(masks, texts, strict=True):
            fits &= mask[text[begin : begin + block]]
        here, who = np.nonzero(fits)
        found_respondents.append(who)
        found_groups.append(here + begin)
    respondents, groups = np.concatenate(found_respondents), np.concatenate(found_groups)
    order = np.argsort(respondents, kind="stable")
    return respondents[order], groups[order]


def _inside(attribute: QuasiIdentifier, word: str, codes: np.ndarray) -> BoolArray:
    try:
        return attribute.parse(word).contains(codes)
    except UnknownCategoryError:
        if not attribute.open:
            raise
        return np.zeros(len(codes), dtype=bool)


def _narrow(
    respondents: IntArray, groups: IntArray, sizes: IntArray, n_respondents: int
) -> BoolArray:
    """Tell which pairs of respondent and group remain possible."""
    keep = np.ones(len(groups), dtype=bool)
    everyone_fits = len(np.unique(respondents)) == n_respondents
    all_published = everyone_fits and n_respondents == sizes.sum()
    while True:
        counts = np.bincount(groups[keep], minlength=len(sizes))
        needed = keep & (counts == sizes)[groups]
        bound = np.zeros(n_respondents, dtype=bool)
        bound[respondents[needed]] = True
        drop = keep & bound[respondents] & ~needed
        if all_published:
            times = np.bincount(respondents[keep], minlength=n_respondents)
            sole = keep & (times == 1)[respondents]
            filled = np.bincount(groups[sole], minlength=len(sizes)) == sizes
            drop |= keep & ~sole & filled[groups]
        if not drop.any():
            return keep
        keep &= ~drop
