"""m-invariance: whoever comes again is shown among the same values as before.

The four phases of Xiao and Tao (2007): whoever was published before goes to the bucket of
their signature, the set of values that their group showed; buckets are balanced, every
value as often as the most frequent one, with newcomers and, where none fits, counterfeits;
the other newcomers get signatures of their own; and buckets are split into groups that
show each value of the signature once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from seriatim._typing import FloatArray, IntArray, WordArray
from seriatim.errors import OrderError, PolicyError, UnsatisfiableError
from seriatim.knowledge.belief import Belief
from seriatim.microdata.view import View
from seriatim.partition.hilbert import hilbert_order
from seriatim.partition.partition import Counterfeits, Partition
from seriatim.partition.register import UNPLACED, Enrolment, Register, require_begun_with
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.l_diversity import DistinctLDiversity
from seriatim.privacy.m_uniqueness import MUniqueness
from seriatim.privacy.requirement import Measured, Requirement

NOBODY = -1
"""The row of a counterfeit."""

Signature = tuple[int, ...]
"""The codes of the values that a group shows, in rising order."""


@dataclass(frozen=True)
class MInvariant:
    """Groups of at least m different values; a respondent's groups all show the same ones.

    It assumes that a respondent's value never changes. Then a reader who knows in which
    groups someone was learns no more than from one of them. Where values do change, a
    respondent whose new value is not in the signature cannot keep it, and is treated as a
    newcomer; how often that happened is in the plan of the register (``broken``). Such a
    respondent's two signatures are sets of values with what tends to follow what between
    them, and nothing here weighs that: both releases of the running example have groups of
    two different values, and its reader ends at 0.9.

    Who skips releases keeps the signature; Xiao and Tao treat them as new. Counterfeits
    are drawn anew in each release, the most frequent missing values first.

    A comes again without B, and a counterfeit takes B's place:

    >>> from seriatim import Adversary, Numeric, Publisher, Schema, Sensitive, m_invariance
    >>> schema = Schema("name", [Numeric("age", 50, 80)], Sensitive("exam"))
    >>> publisher = Publisher(schema, m_invariance(m=2), Adversary())
    >>> _ = publisher.publish({"name": ["A", "B"], "age": [51, 52], "exam": ["x", "y"]}, at=1)
    >>> release = publisher.publish({"name": ["A"], "age": [51], "exam": ["x"]}, at=2)
    >>> release.group(0).counts, publisher.latest.counterfeits
    ({'x': 1, 'y': 1}, 1)
    """

    m: int
    """Least number of values in a group."""

    def __post_init__(self) -> None:
        """Refuse m that is no number of values."""
        MUniqueness(m=self.m)

    def partition_next(
        self,
        view: View,
        revised: Belief,
        requirement: Requirement,
        *,
        ties: WordArray,
        register: Register,
    ) -> tuple[Partition, Enrolment]:
        """Form groups with the signatures of those who were published before."""
        self.require_possible(requirement)
        self._require_as_begun(register)
        n_values = len(view.schema.sensitive.domain)
        if n_values < self.m:
            message = (
                f"Groups of {self.m} different values need a domain of as many, and"
                f" {view.schema.sensitive.name!r} has {n_values}. Ask for a smaller m."
            )
            raise UnsatisfiableError(message)
        places = register.places(view.respondents)
        signatures = _read_signatures(register)
        keeps = _keeps(places, view.value_codes, signatures)
        broken = int(((places != UNPLACED) & ~keeps).sum())
        order = hilbert_order(view, ties=ties)
        shelves = _Shelves.of(view, order[~keeps[order]], self.m)
        buckets = _buckets(order[keeps[order]], places, view.value_codes, signatures)
        for signature in sorted(buckets):
            buckets[signature].balance(shelves)
        for signature, rows in shelves.assigned(_by_frequency(view.value_codes, n_values)):
            bucket = buckets.setdefault(signature, _Bucket(signature))
            for code, some in rows.items():
                bucket.rows[code] += some
        return self._formed(view, buckets, register, broken)

    def _formed(
        self, view: View, buckets: dict[Signature, _Bucket], register: Register, broken: int
    ) -> tuple[Partition, Enrolment]:
        spread = np.column_stack(
            [
                attribute.spread(view.points[:, axis])
                for axis, attribute in enumerate(view.schema.quasi_identifiers)
            ]
        )
        known = _read_signatures(register)
        numbers = {signature: number for number, signature in enumerate(known)}
        places = np.full(len(view), UNPLACED, dtype=np.int64)
        rows: list[IntArray] = []
        groups: list[int] = []
        codes: list[int] = []
        for signature in sorted(buckets):
            number = numbers.setdefault(signature, len(numbers))
            for members in _split(buckets[signature].table(), spread):
                real = members[members != NOBODY]
                invented = np.flatnonzero(members == NOBODY)
                codes += [signature[place] for place in invented]
                groups += [len(rows)] * len(invented)
                places[real] = number
                rows.append(real)
        starts = np.concatenate([[0], np.cumsum([len(some) for some in rows])])
        partition = Partition(
            np.concatenate(rows),
            starts.astype(np.int64),
            np.empty(0, dtype=np.int64),
            Counterfeits(np.array(groups, dtype=np.int64), np.array(codes, dtype=np.int64)),
        )
        plan = {
            "m": min(self.m, register.plan.get("m", self.m)),
            "signatures": [list(signature) for signature in numbers],
            "broken": register.plan.get("broken", 0) + broken,
        }
        return partition, Enrolment(view.respondents, places, plan, register.version)

    def _require_as_begun(self, register: Register) -> None:
        """Refuse to ask for more values than the signatures of the series have."""
        require_begun_with(register, "signatures")
        begun = register.plan.get("m", self.m)
        if self.m > begun:
            message = (
                f"The series was begun with m={begun}, and its signatures have no more values: m"
                f" cannot become {self.m}. Go on with {begun}, or begin a new series."
            )
            raise OrderError(message)

    def require_possible(self, requirement: Requirement) -> None:
        """Refuse requirements that these groups are not formed for."""
        for part in requirement.parts:
            if _values_needed(part) > self.m:
                message = (
                    f"MInvariant(m={self.m}) forms groups of {self.m} different values or more,"
                    f" and cannot promise {part}. Ask for MUniqueness(m={self.m}) alone, or"
                    " choose another partitioner."
                )
                raise PolicyError(message)


@dataclass(eq=False)
class _Bucket:
    """Tuples that share a signature, by value."""

    signature: Signature
    rows: dict[int, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self.rows = {code: [] for code in self.signature}

    def balance(self, shelves: _Shelves) -> None:
        """Bring every value to the number of the most frequent one."""
        most = max(len(some) for some in self.rows.values())
        for code, some in self.rows.items():
            some.extend(shelves.take(code, most - len(some)))

    def table(self) -> IntArray:
        """Return the rows (values of the signature, groups); counterfeits fill it up."""
        most = max(len(some) for some in self.rows.values())
        table = np.full((len(self.signature), most), NOBODY, dtype=np.int64)
        for place, code in enumerate(self.signature):
            table[place, : len(self.rows[code])] = self.rows[code]
        return table


@dataclass(eq=False)
class _Shelves:
    """Newcomers by value, in the order of the curve."""

    m: int
    rows: dict[int, list[int]]

    @classmethod
    def of(cls, view: View, order: IntArray, m: int) -> _Shelves:
        codes = view.value_codes[order]
        return cls(m, {int(code): order[codes == code].tolist() for code in np.unique(codes)})

    def take(self, code: int, number: int) -> list[int]:
        """Hand out newcomers with a value, as long as those who stay can still be grouped."""
        shelf = self.rows.get(code, [])
        total = sum(len(some) for some in self.rows.values())
        others = max((len(some) for one, some in self.rows.items() if one != code), default=0)
        # Whoever stays must be m-eligible: no value more often than once in m tuples.
        number = max(min(number, len(shelf), total - self.m * others), 0)
        taken = shelf[:number]
        self.rows[code] = shelf[number:]
        return taken

    def assigned(self, fillers: IntArray) -> Iterator[tuple[Signature, dict[int, list[int]]]]:
        """Give every newcomer a signature; where too few values are left, fillers complete it."""
        while any(self.rows.values()):
            counts = {code: len(some) for code, some in self.rows.items() if some}
            ranked = sorted(counts, key=lambda code: (-counts[code], code))
            width, height = self._block([counts[code] for code in ranked])
            chosen = ranked[:width]
            some = {code: self.rows[code][:height] for code in chosen}
            for code in chosen:
                self.rows[code] = self.rows[code][height:]
            missing = [int(code) for code in fillers if code not in some]
            signature = (*chosen, *missing[: max(self.m - width, 0)])
            yield tuple(sorted(signature)), some

    def _block(self, counts: list[int]) -> tuple[int, int]:
        """Return how many of the most frequent values to take, and how many tuples of each.

        Those who stay must remain m-eligible; where they are not to begin with, what is
        most frequent is taken whole, and counterfeits will complete its groups.
        """
        total = sum(counts)
        for width in range(self.m, len(counts) + 1):
            beyond = counts[width] if width < len(counts) else 0
            height = min(counts[width - 1], (total - self.m * beyond) // width)
            if width > self.m:
                height = min(height, (total - self.m * counts[0]) // (width - self.m))
            if height > 0 and counts[0] * self.m <= total:
                return width, height
        width = min(self.m, len(counts))
        return width, counts[width - 1] if width == self.m else counts[0]


def _keeps(places: IntArray, codes: IntArray, signatures: list[Signature]) -> np.ndarray:
    """Tell who was published before and has a value of their signature."""
    known = places != UNPLACED
    pairs, which = np.unique(np.column_stack([places, codes]), axis=0, return_inverse=True)
    inside = [place != UNPLACED and code in signatures[place] for place, code in pairs.tolist()]
    return np.asarray(known & np.array(inside, dtype=bool)[which.ravel()])


def _buckets(
    rows: IntArray, places: IntArray, codes: IntArray, signatures: list[Signature]
) -> dict[Signature, _Bucket]:
    """Put rows, in their order, into the buckets of the signatures that they keep."""
    buckets: dict[Signature, _Bucket] = {}
    pairs = np.column_stack([places[rows], codes[rows]])
    kinds, which, counts = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    by_kind = rows[np.argsort(which.ravel(), kind="stable")]
    begins = np.cumsum(counts) - counts
    for (place, code), begin, count in zip(kinds.tolist(), begins, counts, strict=True):
        signature = signatures[place]
        some = by_kind[begin : begin + count].tolist()
        buckets.setdefault(signature, _Bucket(signature)).rows[code] += some
    return buckets


def _read_signatures(register: Register) -> list[Signature]:
    return [tuple(signature) for signature in register.plan.get("signatures", [])]


def _values_needed(part: Measured) -> float:
    """Return of how many different values a group must be to meet a part of a requirement."""
    if isinstance(part, MUniqueness):
        return part.m
    if isinstance(part, KAnonymity):
        return part.k
    return part.l if isinstance(part, DistinctLDiversity) else np.inf


def _by_frequency(codes: IntArray, n_values: int) -> IntArray:
    """Return all values, the most frequent ones first."""
    return np.argsort(-np.bincount(codes, minlength=n_values), kind="stable")


def _split(table: IntArray, spread: FloatArray) -> Iterator[IntArray]:
    """Split a bucket into groups with one tuple of each value, near in their quasi-identifiers.

    Halves are taken along the attribute in which the bucket is widest; each value's
    tuples are halved alike, counterfeits last.
    """
    waiting = [table]
    while waiting:
        part = waiting.pop()
        if part.shape[1] == 1:
            yield part[:, 0]
            continue
        real = part[part != NOBODY]
        axis = int(np.argmax(np.ptp(spread[real], axis=0)))
        keys = np.where(part == NOBODY, np.inf, spread[part, axis])
        part = np.take_along_axis(part, np.argsort(keys, axis=1, kind="stable"), axis=1)
        middle = part.shape[1] // 2
        waiting += [part[:, middle:], part[:, :middle]]
