"""Differences: who is separated from others by subtracting groups, and whose value follows.

No model of anybody's knowledge: counts, and the assumption that values do not change. A data
protection officer can check every case by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from seriatim._figures import written_figure
from seriatim._typing import BoolArray, IntArray, Value
from seriatim.errors import OrderError
from seriatim.measure.following import Followed, follow
from seriatim.measure.subtraction import leading_groups, shown
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster, numbered
from seriatim.microdata.view import View
from seriatim.privacy.requirement import require_whole


@dataclass(frozen=True)
class NamedValue:
    """A value that follows for someone, and from what; it names nobody.

    >>> from seriatim import KAnonymity, Adversary, Numeric, Policy, Publisher, Schema, Sensitive
    >>> schema = Schema("who", [Numeric("age", 0, 99)], Sensitive("exam", ["neg", "pos"]))
    >>> policy, made = Policy(KAnonymity(k=3), remainder="merge"), []
    >>> publisher = Publisher(schema, policy, Adversary(), seed=1)
    >>> for at, exams in enumerate((["neg", "pos", "neg", "pos"], ["neg", "pos", "neg"]), start=1):
    ...     table = {"who": list("ABCD")[: len(exams)], "age": [30] * len(exams), "exam": exams}
    ...     _ = publisher.publish(table, at=at)
    ...     made.append(publisher.latest)
    >>> releases, members = [one.release for one in made], [one.membership for one in made]
    >>> case = differences(releases, members, k=3).cases(1)[0]
    >>> case.value, members[case.release].roster.respondents[case.row].as_py()  # private
    ('pos', 'D')
    """

    release: int
    """A release that shows them, from 0."""

    row: int
    """Their row in the sorted roster of that release."""

    value: Value
    """The value."""

    right: bool | None
    """Whether it is theirs there; None without originals."""

    told: str
    """The subtraction, in words."""


@dataclass(frozen=True, eq=False)
class Differences:
    """Who is separated from others by subtracting published groups, and whose value follows.

    >>> from seriatim import Membership, Numeric, Schema, Sensitive, View, read_release
    >>> schema = Schema("who", [Numeric("age", 0, 99)], Sensitive("exam", ["neg", "pos"]))
    >>> week_1 = {"who": [1, 2, 3, 4], "age": [30] * 4, "exam": ["neg", "pos", "neg", "pos"]}
    >>> week_2 = {"who": [1, 2, 3], "age": [30] * 3, "exam": ["neg", "pos", "neg"]}
    >>> views = [View.from_table(week, schema) for week in (week_1, week_2)]
    >>> tables = [{"age": week["age"], "exam": week["exam"]} for week in (week_1, week_2)]
    >>> releases = [read_release(table, schema, at=at) for at, table in enumerate(tables, start=1)]
    >>> together = [Membership(view.roster, np.zeros(len(view), int)) for view in views]
    >>> found = differences(releases, together, k=3, originals=views)
    >>> print(found)
    1 of 4 people is separated from the others by fewer than 3 people, subtracting groups of releases.
    If values do not change, the counts alone give the value of 1 (1 right).
    >>> print(found.cases(1)[0].told)
    pos follows if values do not change. Release 1 shows 4 tuples in group 1, release 2 shows 3
    in group 1: 1 person is only in the former, nobody only in the latter. The counts differ
    by +1 pos.
    """  # noqa: E501 - printed lines are as long as they are

    k: int
    """Fewer people than these are left over by a subtraction that separates them."""

    people: int
    """People whose group is known in some release."""

    separated: int
    """People who are among fewer than k that a subtraction leaves over."""

    named: int
    """People whose value follows from counts alone, if values do not change.

    Without those whose group shows a single value in some release: that is no difference."""

    right: int | None
    """How many of these values are right; None without originals."""

    subtractions: int
    """Subtractions that leave fewer than k people over, and hold."""

    contradictory: int
    """Further ones that do not hold: somebody's value changed."""

    _found: _Found = field(repr=False)
    """What the figures were counted from; private."""

    @property
    def figures(self) -> dict[str, int | None]:
        """The figures by name, in plain values."""
        names = ("k", "people", "separated", "named", "right", "subtractions", "contradictory")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        """Say both numbers."""
        return "\n".join(told_figures(self.k, self.people, self.separated, self.named, self.right))

    def reason(self, release: int, row: int, value: Value) -> str | None:
        """Return the subtraction that gives someone a value, in words; None where none does."""
        return self._found.reason(release, row, value)

    def cases(self, most: int = 10) -> list[NamedValue]:
        """Return values that follow, beginning with those that one subtraction gives.

        Of these, first the ones that leave the fewest people over from the largest groups.
        """
        return self._found.cases(most)


def differences(
    releases: Sequence[Release],
    memberships: Sequence[Membership | Placement],
    *,
    k: int,
    originals: Sequence[Roster] | None = None,
    back: int | None = None,
) -> Differences:
    """Return who is separated by subtracting groups of a series, and whose value follows.

    Every group A of a release is compared, with each earlier and later release, with the union
    U of groups that leaves the fewest people over (see ``measure/subtraction.py``)::

        counts(A) − counts(U) = counts of those only in A − counts of those only in U

    which holds if nobody's value changes who is in both. Someone is *separated* by a subtraction
    that leaves somebody over, and fewer than k. Values *follow* by propagating bounds through these
    equations and the groups' own counts (``kernels/differences.py``), until nothing changes: no
    value is named that counts do not force. Not every combination of groups is tried, so
    there may be more.

    Where values do change, equations contradict each other. One that no values satisfy is
    dropped; so is, with all that followed from it, one that contradicts what follows from
    others: of the people in it, only those are named to whom a single subtraction gives a
    value, and no other gives another.

    ``back`` is how many releases back each is compared with others; all are compared if it is
    left out. The groups' own counts serve in any case. ``originals`` serve to tell how many
    values are right, where all of them are views. Where a placement leaves membership open,
    groups take part in which nobody else may be.

    >>> from seriatim import running_example
    >>> made = running_example()
    >>> differences(made.releases, made.memberships, k=2).separated  # mates are others each time
    0
    """
    series, members = tuple(releases), tuple(memberships)
    _require_series(series, members, originals, k, back)
    numbers = numbered([one.roster for one in members])
    n_people = 1 + max((int(one.max()) for one in numbers if len(one)), default=-1)
    n_values = max(len(release.schema.sensitive.domain) for release in series)
    seen = tuple(
        shown(release, membership, mine, n_people, n_values)
        for release, membership, mine in zip(series, members, numbers, strict=True)
    )
    reach = len(series) if back is None else back
    pairs = [
        (early, late) for late in range(len(series)) for early in range(max(late - reach, 0), late)
    ]
    followed = follow(seen, pairs, k)
    truth = _truth(originals)
    found = _Found(followed, series, numbers, truth)
    present = np.zeros(n_people, dtype=bool)
    for one in seen:
        present |= one.groups >= 0
    right = found.right
    return Differences(
        k,
        int(present.sum()),
        int(followed.separated.sum()),
        len(followed.named),
        None if right is None else int(right.sum()),
        followed.n_subtractions,
        followed.contradictory,
        found,
    )


def told_figures(
    k: int, people: int, separated: int, named: int, right: int | None
) -> tuple[str, str]:
    """Say in two sentences what was found.

    >>> print(told_figures(10, 570, 0, 0, None)[1])
    If values do not change, the counts alone give nobody's value.
    """
    verb = "is" if separated == 1 else "are"
    first = (
        f"{written_figure(separated, ',d')} of {written_figure(people, ',d')} people {verb}"
        f" separated from the others by fewer than {k} people, subtracting groups of releases."
    )
    if not named:
        return first, "If values do not change, the counts alone give nobody's value."
    known = "" if right is None else f" ({written_figure(right, ',d')} right)"
    whose = written_figure(named, ",d")
    return first, f"If values do not change, the counts alone give the value of {whose}{known}."


@dataclass(frozen=True, eq=False)
class _Found:
    """What follows, beside the releases; private."""

    followed: Followed
    series: tuple[Release, ...]
    numbers: Sequence[IntArray]
    truth: tuple[View, ...] | None

    def __repr__(self) -> str:
        """Say nothing about anyone."""
        return f"_Found({self.followed!r})"

    @property
    def right(self) -> BoolArray | None:
        """Which of the named have the value, in the release that shows them."""
        if self.truth is None:
            return None
        followed, found = self.followed, np.zeros(len(self.followed.named), dtype=bool)
        where = followed.shown_in
        for release, view in enumerate(self.truth):
            here = np.flatnonzero(where == release)
            rows = self._rows(release)[followed.named[here]]
            found[here] = view.value_codes[rows] == followed.codes[here]
        return found

    def _rows(self, release: int) -> IntArray:
        """Return the row of each person in the roster of a release."""
        rows = np.full(len(self.followed.separated), -1, dtype=np.int64)
        rows[self.numbers[release]] = np.arange(len(self.numbers[release]))
        return rows

    def reason(self, release: int, row: int, value: Value) -> str | None:
        followed = self.followed
        domain = max((one.schema.sensitive.domain for one in self.series), key=len)
        for place in np.flatnonzero(followed.named == self.numbers[release][row]).tolist():
            if domain[followed.codes[place]] == value:
                return self._told(place, domain)
        return None

    def cases(self, most: int) -> list[NamedValue]:
        followed = self.followed
        places = self._worst_first()[:most]
        where, right = followed.shown_in, self.right
        domain = max((one.schema.sensitive.domain for one in self.series), key=len)
        return [
            NamedValue(
                int(where[place]),
                int(self._rows(int(where[place]))[followed.named[place]]),
                domain[followed.codes[place]],
                None if right is None else bool(right[place]),
                self._told(int(place), domain),
            )
            for place in places.tolist()
        ]

    def _worst_first(self) -> IntArray:
        """Order the named: by one subtraction first, fewest people over, largest groups."""
        followed = self.followed
        whole = np.where(followed.because >= 0, followed.whole[followed.because], -1)
        left_over = np.full(len(whole), np.iinfo(np.int64).max)
        size = np.zeros(len(whole), dtype=np.int64)
        by_small = np.flatnonzero(whole >= 0)
        left_over[by_small] = np.diff(followed.small.starts)[whole[by_small]]
        sizes = [one.counts.sum(axis=1) for one in followed.series]
        for release, shown_sizes in enumerate(sizes):
            here = by_small[followed.outer[whole[by_small]] == release]
            size[here] = shown_sizes[followed.small.groups[whole[here]]]
        return np.lexsort((-size, left_over))

    def _told(self, place: int, domain: tuple[Value, ...]) -> str:
        """Say what gave a value away."""
        value = domain[self.followed.codes[place]]
        return f"{value} follows if values do not change. {self._reason(place, domain)}"

    def _reason(self, place: int, domain: tuple[Value, ...]) -> str:
        followed = self.followed
        person, row = int(followed.named[place]), int(followed.because[place])
        if row < 0:
            return self._in_all_groups(person)
        if followed.whole[row] < 0:
            return self._rest_of_group(row, int(followed.codes[place]), domain)
        one = int(followed.whole[row])
        if followed.alone[place]:
            return self._subtracted(one, domain)
        return (
            f"{self._subtracted(one, domain)} Who has which follows with the other groups that"
            " they are in."
        )

    def _subtracted(self, one: int, domain: tuple[Value, ...]) -> str:
        followed, small = self.followed, self.followed.small
        outer, inner = int(followed.outer[one]), int(followed.inner[one])
        group = int(small.groups[one])
        first, second = followed.series[outer], followed.series[inner]
        less = np.flatnonzero(leading_groups(second, first) == group)
        signs = small.signs[small.starts[one] : small.starts[one + 1]]
        return (
            f"Release {self.series[outer].at} shows {int(first.counts[group].sum())} tuples in"
            f" group {group + 1}, release {self.series[inner].at} shows"
            f" {int(second.counts[less].sum())} in {_groups(less)}:"
            f" {_people(int((signs > 0).sum()))} only in the former,"
            f" {_bare(int((signs < 0).sum()))} only in the latter."
            f" The counts differ by {_counts(small.counts[one], domain)}."
        )

    def _rest_of_group(self, row: int, code: int, domain: tuple[Value, ...]) -> str:
        followed = self.followed
        release, group = int(followed.release[row]), int(followed.rows.groups[row])
        counts = followed.series[release].counts[group]
        return (
            f"Release {self.series[release].at} shows {int(counts.sum())} tuples in group"
            f" {group + 1}, {int(counts[code])} of them {domain[code]}; what subtractions"
            " tell of the other members leaves no other value."
        )

    def _in_all_groups(self, person: int) -> str:
        followed = self.followed
        places = [
            f"group {int(one.groups[person]) + 1} of release {release.at}"
            for release, one in zip(self.series, followed.series, strict=True)
            if one.groups[person] >= 0
        ]
        return f"It is the only value that all their groups show: {', '.join(places)}."


def _groups(groups: IntArray) -> str:
    names = [str(one + 1) for one in groups.tolist()]
    return f"group {names[0]}" if len(names) == 1 else f"groups {', '.join(names)} together"


def _bare(number: int) -> str:
    return {0: "nobody", 1: "1 person"}.get(number, f"{number} people")


def _people(number: int) -> str:
    return f"{_bare(number)} {'is' if number < 2 else 'are'}"


def _counts(counts: IntArray, domain: tuple[Value, ...]) -> str:
    """Write what is left of counts: ``+1 Asthma, −2 Gout``."""
    told = [
        f"{'+' if counts[code] > 0 else '−'}{abs(int(counts[code]))} {domain[code]}"
        for code in np.argsort(-counts, kind="stable").tolist()
        if counts[code]
    ]
    return ", ".join(told) or "nothing"


def _truth(originals: Sequence[Roster] | None) -> tuple[View, ...] | None:
    if originals is None:
        return None
    views = tuple(one for one in originals if isinstance(one, View))
    return views if len(views) == len(originals) else None


def _require_series(
    releases: tuple[Release, ...],
    memberships: tuple[Membership | Placement, ...],
    originals: Sequence[Roster] | None,
    k: int,
    back: int | None,
) -> None:
    """Refuse what does not belong together."""
    require_whole("k", k, 2)
    if back is not None:
        require_whole("back", back, 1)
    same = len(releases) == len(memberships) and len(releases) > 0
    if same and originals is not None:
        same = len(originals) == len(memberships) and all(
            membership.roster.respondents.equals(original.respondents)
            for membership, original in zip(memberships, originals, strict=True)
        )
    if not same:
        message = (
            f"{len(releases)} releases need as many memberships, at least one, and where originals"
            " are given, those that the memberships are of. Pass them as they were made together."
        )
        raise OrderError(message)
