"""Shares of values by class, estimated from a release in buckets: for those who analyse it.

Buckets list people with their quasi-identifiers, and apart from them how often each bucket
has each value. Whose a value is, an analyst estimates along with the shares, by expectation
maximization; no original is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import SchemaError
from seriatim.inference.matching_rules import Strongest
from seriatim.inference.rules import PublishedGroups
from seriatim.measure.additive import summed
from seriatim.measure.listed_classes import listed_classes
from seriatim.microdata.release import Release
from seriatim.microdata.tables import TableKind, write_table
from seriatim.privacy.requirement import require_whole

_MOST_STATES = 2**10
"""States up to which a bucket's values are weighed exactly, as ``Strongest`` counts them."""

_STEPS = 200
_CONVERGED = 1e-5
"""Leaps of expectation maximization, and the change of a share by a step below which they end."""


@dataclass(frozen=True, eq=False)
class BucketEstimates:
    """Shares of sensitive values in classes of people, as estimated from buckets.

    >>> from seriatim import Categorical, Schema, Sensitive, read_buckets
    >>> schema = Schema("id", [Categorical("sex", ["F", "M"])], Sensitive("exam", ["neg", "pos"]))
    >>> people = {"group": [1, 1, 2, 2], "sex": ["F", "F", "M", "M"]}
    >>> counts = {"group": [1, 1, 2], "exam": ["neg", "pos", "neg"], "count": [1, 1, 2]}
    >>> found = estimate_from_buckets(read_buckets(people, counts, schema, at=1), "sex", blocks=0)
    >>> found, found.to_frame()["share"].to_pylist()
    (BucketEstimates(2 values in 2 classes of sex), [0.5, 0.5, 1.0, 0.0])
    """

    columns: tuple[str, ...]
    """The quasi-identifiers that classes go by."""

    classes: tuple[tuple[str, ...], ...]
    """What each class has in these columns, in words."""

    values: tuple[Any, ...]
    """The sensitive values."""

    people: IntArray
    """How many people of each class are listed."""

    shares: FloatArray
    """P(value | class) as estimated (classes, values); rows sum to 1."""

    errors: FloatArray
    """Standard errors of the shares (classes, values).

    NaN where no blocks were asked for, or where all people of a class are in one block.
    """

    least: FloatArray
    """Share of a class that has a value in any case, by counting alone (classes, values)."""

    most: FloatArray
    """Share of a class that may have it, by counting alone (classes, values)."""

    converged: bool = True
    """Whether the shares had come to rest when the steps ended."""

    def __repr__(self) -> str:
        """Say how large it is."""
        return (
            f"BucketEstimates({len(self.values)} values in {len(self.classes)} classes of"
            f" {' × '.join(self.columns)})"
        )

    def to_frame(self, kind: TableKind = "pyarrow") -> Any:
        """Return a table with a row for each class and value."""
        cells, n_values = len(self.classes) * len(self.values), len(self.values)
        columns: dict[str, Any] = {
            name: [one[place] for one in self.classes for _ in range(n_values)]
            for place, name in enumerate(self.columns)
        }
        columns["value"] = list(self.values) * len(self.classes)
        columns["people"] = np.repeat(self.people, n_values)
        for name in ("shares", "errors", "least", "most"):
            columns[{"shares": "share", "errors": "error"}.get(name, name)] = getattr(
                self, name
            ).reshape(cells)
        return write_table(pa.table(columns), kind)


def estimate_from_buckets(
    release: Release,
    by: str | Sequence[str],
    *,
    cuts: Mapping[str, Sequence[Any]] | None = None,
    pool: Mapping[str, Mapping[Any, str]] | None = None,
    blocks: int = 20,
) -> BucketEstimates:
    """Return P(value | class) for classes of quasi-identifiers, from a release in buckets.

    Classes are the combinations of the columns ``by`` that occur. ``cuts`` says for numbers
    and dates where a class begins: cut at 40 and 65, ages are below 40, from 40 to below 65, and
    65 or more. ``pool`` names classes of single values; values it does not name stay by
    themselves.

    The estimate is the likeliest, found by expectation maximization: the values of each bucket
    are given to its people as the shares of their classes make likely, with every bucket's
    counts kept (exactly, or in large buckets by belief propagation: ``Strongest``), and the
    shares are what each class then has. Assumed is that people of one class are alike: which
    bucket someone is in says nothing of their value beyond their class. Buckets are formed of
    people with like quasi-identifiers, so coarse classes break this; where what divides
    buckets also moves values, put it among the columns.

    Standard errors are jackknifed: buckets are dealt in turn into so many ``blocks``, the
    estimate is made again without each, and the errors are those of people drawn anew, hidden
    values included. They are too small where a share is 0 or 1, or where people of a class are
    not alike. ``least`` and ``most`` assume nothing: they hold of the people listed, whatever
    is true. A share whose bounds are far apart rests on the assumption. ``blocks=0`` leaves the
    errors out, and takes a twentieth of the time.

    Four people in two buckets. All of the first are women, so of them all is known; the man of
    the second bucket may have either value, and the woman is likelier to have what the others do:

    >>> from seriatim import Categorical, Schema, Sensitive, read_buckets
    >>> schema = Schema("id", [Categorical("sex", ["F", "M"])], Sensitive("exam", ["neg", "pos"]))
    >>> people = {"group": [1, 1, 1, 2, 2], "sex": ["F", "F", "F", "F", "M"]}
    >>> counts = {"group": [1, 2, 2], "exam": ["neg", "neg", "pos"], "count": [3, 1, 1]}
    >>> found = estimate_from_buckets(read_buckets(people, counts, schema, at=1), "sex", blocks=2)
    >>> found.classes, found.shares.round(2).tolist()
    ((('F',), ('M',)), [[1.0, 0.0], [0.0, 1.0]])
    >>> found.least.tolist(), found.most.tolist()
    ([[0.75, 0.0], [0.0, 0.0]], [[1.0, 0.25], [1.0, 1.0]])
    """
    require_whole("blocks", blocks, 0)
    if release.people is None:
        message = (
            "Estimates from buckets need a release in buckets; this one is generalized, and its"
            " people are in regions. Read a pair of tables with read_buckets, or count in the"
            " generalized table itself."
        )
        raise SchemaError(message)
    columns = (by,) if isinstance(by, str) else tuple(by)
    classes, class_of = listed_classes(release, columns, cuts or {}, pool or {})
    buckets = _Buckets(class_of, release.group_of, release.value_counts, len(classes))
    start = buckets.by_frequency()
    shares, converged = buckets.likeliest(start)
    least, most = buckets.bounds()
    return BucketEstimates(
        columns,
        classes,
        release.schema.sensitive.domain,
        np.bincount(class_of, minlength=len(classes)),
        shares,
        buckets.jackknifed(shares, min(blocks, release.n_groups)),
        least,
        most,
        converged,
    )


@dataclass(frozen=True, eq=False)
class _Buckets:
    """People by class and bucket, and the values of buckets."""

    class_of: IntArray
    """The class of each person, bucket by bucket."""

    group_of: IntArray
    """The bucket of each person."""

    counts: IntArray
    """How often each bucket has each value (buckets, values)."""

    n_classes: int
    """How many classes there are."""

    def by_frequency(self) -> FloatArray:
        """Return the shares (classes, values) if everyone had the frequencies of their bucket."""
        frequencies = self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        return self._shares(frequencies[self.group_of])

    def likeliest(self, shares: FloatArray) -> tuple[FloatArray, bool]:
        """Return the shares that steps from some others lead to, and whether they came to rest."""
        sizes = np.bincount(self.group_of, minlength=len(self.counts))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        values = np.tile(np.arange(self.counts.shape[1]), len(self.counts))
        published = np.repeat(values, self.counts.ravel())
        groups = PublishedGroups(np.arange(len(self.class_of)), starts, published, starts)
        rule = Strongest(most_states=_MOST_STATES)

        def step(now: FloatArray) -> FloatArray:
            return self._shares(rule.posterior(now[self.class_of], groups))

        for _ in range(_STEPS):
            once = step(shares)
            twice = step(once)
            if np.abs(twice - once).max(initial=0.0) <= _CONVERGED:
                return twice, True
            shares = step(_leapt(shares, once, twice))
        return shares, False

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return least and greatest shares that the counts allow (classes, values).

        Of n people in a bucket, m of a class, and c tuples of a value: at least c − (n − m)
        and at most min(c, m) of the class have it.
        """
        n_groups, n_values = self.counts.shape
        cells = np.unique(self.group_of * self.n_classes + self.class_of, return_counts=True)
        group, its_class, there = cells[0] // self.n_classes, cells[0] % self.n_classes, cells[1]
        others = np.bincount(self.group_of, minlength=n_groups)[group] - there
        counts = self.counts[group]
        found = []
        for one in (
            np.maximum(counts - others[:, None], 0),
            np.minimum(counts, there[:, None]),
        ):
            total = np.zeros((self.n_classes, n_values))
            np.add.at(total, its_class, one)
            found.append(total / self._people[:, None])
        return found[0], found[1]

    def jackknifed(self, shares: FloatArray, blocks: int) -> FloatArray:
        """Return standard errors: (B − 1) / B · Σ (share without block − their mean)², its root."""
        if blocks < 2:
            return np.full(shares.shape, np.nan)
        block_of = np.arange(len(self.counts)) % blocks
        found = np.empty((blocks, *shares.shape))
        for block in range(blocks):
            kept = self._kept(block_of != block)
            found[block] = kept.likeliest(shares)[0]
            gone = np.bincount(kept.class_of, minlength=self.n_classes) == 0
            found[block, gone] = np.nan
        spread = ((found - found.mean(axis=0)) ** 2).sum(axis=0)
        return np.asarray(np.sqrt(spread * (blocks - 1) / blocks))

    def _kept(self, buckets: IntArray) -> _Buckets:
        """Return some of the buckets alone."""
        number = np.cumsum(buckets) - 1
        people = buckets[self.group_of]
        return _Buckets(
            self.class_of[people],
            number[self.group_of[people]],
            self.counts[buckets],
            self.n_classes,
        )

    @property
    def _people(self) -> IntArray:
        return np.maximum(np.bincount(self.class_of, minlength=self.n_classes), 1)

    def _shares(self, chances: FloatArray) -> FloatArray:
        """Return what classes have, of what their people have (people, values)."""
        n_values = chances.shape[1]
        cells = (self.class_of[:, None] * n_values + np.arange(n_values)).ravel()
        total = summed(cells, chances.ravel(), self.n_classes * n_values)
        return total.reshape(-1, n_values) / self._people[:, None]


def _leapt(before: FloatArray, once: FloatArray, twice: FloatArray) -> FloatArray:
    """Return where steps lead to at their present pace: SQUAREM (Varadhan and Roland, 2008).

    Expectation maximization nears its end by ever smaller steps in one direction, and this
    takes many at once. Shares that would fall below a thousandth of themselves stay there.
    """
    first = once - before
    bend = (twice - once) - first
    length = np.linalg.norm(bend)
    pace = max(float(np.linalg.norm(first) / length), 1.0) if length > 0 else 1.0
    leapt = before + 2.0 * pace * first + pace**2 * bend
    leapt = np.maximum(leapt, 1e-3 * twice)
    total = leapt.sum(axis=1, keepdims=True)
    return np.asarray(leapt / np.where(total > 0, total, 1.0))
