"""Query error: how well a release answers the counts that people would ask of the view.

A query counts the tuples in a range of every quasi-identifier whose sensitive value is
among some. The view answers it exactly; a reader of the release estimates the answer by
spreading the tuples of each group evenly over its region.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import SchemaError, listed
from seriatim.measure.random_queries import Queries, draw_queries
from seriatim.measure.regions import Regions
from seriatim.microdata.release import Release
from seriatim.microdata.view import View

_MOST_CELLS = 2**22
"""Entries of the largest array of shares (queries, groups) that is held at once."""


@dataclass(frozen=True, eq=False)
class QueryErrors:
    """How far a release's answers are from the truth."""

    truths: IntArray
    """What the view answers to each query; none is zero."""

    estimates: FloatArray
    """What a reader of the release answers."""

    without_truth: int
    """How many more queries were drawn that counted nobody, and were drawn again."""

    def __repr__(self) -> str:
        """Say it in figures."""
        return f"QueryErrors({len(self.truths)} queries, median {self.median:.3g})"

    @property
    def relative(self) -> FloatArray:
        """``|estimate − truth| / truth`` of each query."""
        return np.asarray(np.abs(self.estimates - self.truths) / self.truths)

    @property
    def median(self) -> float:
        """The median of the relative errors."""
        return float(np.median(self.relative))


def median_query_error(
    release: Release,
    view: View,
    *,
    selectivity: float = 0.05,
    queries: int | None = None,
    seed: int = 1,
) -> float:
    """Return the median relative error of random range-count queries; 0 is exact.

    A query counts the people in a range of every quasi-identifier who have one of some
    sensitive values. The error is ``|estimate − truth| / truth``, over queries that are
    expected to count a share ``selectivity`` of the domain, and count someone. Generalized
    tables estimate by spreading each group's tuples over its region; buckets count people in
    the range exactly, and give each the frequencies of their bucket. The same seed asks the same
    queries of every release of a view. ``query_errors`` has the errors themselves, and
    ``draw_queries`` says how queries are drawn.

    The cost is that of looking, for each query, at all tuples of the view, and all groups or
    listed people of the release. Without a number, 1,000 are asked, and of views of
    more than 268,435 tuples fewer, so that the cost stays that of such a view: on two
    busy cores a million tuples take some 6 s, and 15 s in buckets.

    >>> from seriatim import Numeric, Schema, Sensitive, read_release
    >>> schema = Schema("id", [Numeric("age", 20, 23)], Sensitive("exam", ["neg"]))
    >>> view = View.from_table({"id": [1, 2, 3], "age": [20, 20, 23], "exam": ["neg"] * 3}, schema)
    >>> exact = {"age": ["20", "20", "23"], "exam": ["neg"] * 3}
    >>> median_query_error(read_release(exact, schema, at=1), view, queries=10)
    0.0
    >>> spread = {"age": ["[20,23]"] * 3, "exam": ["neg"] * 3}
    >>> median_query_error(read_release(spread, schema, at=1), view, queries=100) > 0
    True
    """
    found = query_errors(release, view, selectivity=selectivity, queries=queries, seed=seed)
    return found.median


def query_errors(
    release: Release,
    view: View,
    *,
    selectivity: float = 0.05,
    queries: int | None = None,
    seed: int = 1,
) -> QueryErrors:
    """Return what a release and its view answer to random range-count queries.

    >>> from seriatim import running_example
    >>> example = running_example()
    >>> found = query_errors(example.releases[0], example.views[0], queries=20, selectivity=0.3)
    >>> len(found.truths), bool((found.truths > 0).all())
    (20, True)
    """
    asked = draw_queries(view, selectivity=selectivity, queries=queries, seed=seed)
    return QueryErrors(asked.truths, estimated_counts(release, view, asked), asked.without_truth)


def estimated_counts(release: Release, view: View, queries: Queries) -> FloatArray:
    """Return what a reader of a release answers to queries over its view.

    Σ over groups of (tuples of the group with a value asked for) · (share of the group that
    lies in the query). In buckets, that share is counted in the list of people.
    """
    counts = value_counts_of(release, view)
    regions = Regions.of(release, view)
    estimates = np.empty(len(queries))
    block = max(_MOST_CELLS // max(len(regions.word_of), 1), 1)
    for start in range(0, len(queries), block):
        asked = queries.taken(slice(start, start + block))
        shares = regions.shares(asked)
        if release.people is not None:
            shares = np.add.reduceat(shares, release.starts[:-1], axis=1) / release.sizes
        with_value = asked.values.astype(np.float64) @ counts.T
        estimates[start : start + block] = np.einsum("qg,qg->q", shares, with_value)
    return estimates


def value_counts_of(release: Release, view: View) -> FloatArray:
    """Return how often each group has each value of the view's domain (groups, values).

    >>> from seriatim import running_example
    >>> example = running_example()
    >>> value_counts_of(example.releases[0], example.views[0]).sum(axis=1).tolist()
    [2.0, 2.0]
    """
    domain, published = view.schema.sensitive.domain, release.schema.sensitive.domain
    unknown = [value for value in published if value not in domain]
    if unknown:
        message = (
            f"The release has values of {release.schema.sensitive.name!r} that the view's domain"
            f" lacks: {listed(unknown)}. Read both with one schema."
        )
        raise SchemaError(message)
    counts = np.zeros((release.n_groups, len(domain)))
    counts[:, [domain.index(value) for value in published]] = release.value_counts
    return counts
