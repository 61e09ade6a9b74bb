"""Where the groups of a release lie, and what share of each lies in a query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import SchemaError, listed
from seriatim.measure.random_queries import Axis, Queries
from seriatim.microdata.part import Interval, Part
from seriatim.microdata.release import Release
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import to_numpy
from seriatim.microdata.view import View


@dataclass(frozen=True, eq=False)
class Regions:
    """Where the groups of a release lie, or its people in buckets; each word is read once."""

    word_of: IntArray
    """The word of each group or person (…, attributes), numbered over all attributes."""

    run_from: IntArray
    """Where the runs of each word begin; one more entry than words."""

    run_low: FloatArray
    """The least code of each run."""

    run_high: FloatArray
    """The greatest code of each run."""

    sizes: FloatArray
    """How much each word covers: codes, or a length; 1 for a single number."""

    @classmethod
    def of(cls, release: Release, view: View) -> Regions:
        """Read the regions of a release with the domains of its view."""
        _require_same_columns(release.schema, view.schema)
        texts = release.people or tuple(cover.text for cover in release.covers)
        columns: list[IntArray] = []
        runs_of_words: list[FloatArray] = []
        for attribute, text in zip(view.schema.quasi_identifiers, texts, strict=True):
            encoded = pa.array(text).dictionary_encode()
            columns.append(to_numpy(encoded.indices).astype(np.int64) + len(runs_of_words))
            axis = Axis.of(attribute)
            runs_of_words += [
                _runs(attribute.parse(word), axis) for word in encoded.dictionary.to_pylist()
            ]
        runs = np.concatenate(runs_of_words)
        starts = np.concatenate([[0], np.cumsum([len(one) for one in runs_of_words])])
        lengths = runs[:, 1] - runs[:, 0] + runs[:, 2]
        sizes = np.add.reduceat(lengths, starts[:-1])
        run_low, run_high = (np.ascontiguousarray(runs[:, end]) for end in (0, 1))
        return cls(np.column_stack(columns), starts.astype(np.int64), run_low, run_high, sizes)

    def shares(self, queries: Queries) -> FloatArray:
        """Return the share of each group, or person, that lies in each query (queries, …).

        A group's tuples are taken to be spread evenly over its region.
        """
        from seriatim.kernels._jit import over_ranges
        from seriatim.kernels.queries import region_shares

        found = np.empty((len(queries), len(self.word_of)))
        over_ranges(
            region_shares,
            len(queries),
            *queries.compiled(),
            self.word_of,
            self.run_from,
            self.run_low,
            self.run_high,
            self.sizes,
            found,
        )
        return found

    def codes_at(self, groups: IntArray, shares: FloatArray) -> FloatArray:
        """Return codes in regions (points, attributes), each at a share of the way through.

        ``groups`` (points) says in which group's region, or at which person, and ``shares``
        (points, attributes) how far, from 0 to below 1. Where codes are counted, all of a part
        take equal stretches of the way; else the way is the length.
        """
        words = self.word_of[groups]
        lengths = self.run_high - self.run_low
        counted = self.sizes > np.add.reduceat(lengths, self.run_from[:-1])
        # A part that is a length is one run: as one code it leaves the sums whole numbers.
        codes = np.where(np.repeat(counted, np.diff(self.run_from)), lengths + 1.0, 1.0)
        ends = np.cumsum(codes)
        begins = ends - codes
        offset = shares * self.sizes[words]
        first, last = self.run_from[words], self.run_from[words + 1] - 1
        whole = np.floor(offset)
        run = np.searchsorted(ends, begins[first] + whole, side="right")
        run = np.where(counted[words], np.minimum(run, last), first)
        offset = np.where(counted[words], begins[first] + whole - begins[run], offset)
        return np.asarray(np.minimum(self.run_low[run] + offset, self.run_high[run]))


def _runs(part: Part, axis: Axis) -> FloatArray:
    """Return a part as runs (runs, [low, high, what one code counts for]).

    Ends that are open to infinity are those of the domain, or the other end where that lies
    outside. Between whole numbers only those inside count, and between numbers the length;
    a single number counts for one.
    """
    from seriatim.kernels.queries import LENGTHS

    if isinstance(part, Interval):
        low = part.low if np.isfinite(part.low) else min(axis.low, part.high)
        high = part.high if np.isfinite(part.high) else max(axis.high, part.low)
        if axis.kind == LENGTHS:
            return np.array([[low, high, float(low == high)]])
        return np.array([[np.ceil(low), max(np.floor(high), np.ceil(low)), 1.0]])
    codes = np.flatnonzero(part.contains(np.arange(axis.codes, dtype=np.float64)))
    begins = codes[np.r_[True, np.diff(codes) > 1]]
    ends = codes[np.r_[np.diff(codes) > 1, True]]
    return np.column_stack([begins, ends, np.ones(len(begins))]).astype(np.float64)


def _require_same_columns(release: Schema, view: Schema) -> None:
    names = [
        [*(one.name for one in schema.quasi_identifiers), schema.sensitive.name]
        for schema in (release, view)
    ]
    if names[0] != names[1]:
        message = f"The release has {listed(names[0])}, and the view {listed(names[1])}."
        raise SchemaError(message)
