"""Pasts as a store keeps them: read where they lie, and made plain only for who asks.

A store hands over entries in single precision, people in its own order. Whoever goes forward
reads them there, and writes the next ones for the store: in between, nothing is unpacked.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from seriatim._typing import FloatArray, IntArray, SmallIntArray
from seriatim.inference.pasts import Layout, Pasts
from seriatim.knowledge.runs import Runs


class LazyPasts(Pasts):
    """Pasts whose arrays are made when asked for."""

    def __init__(self, seen_at: FloatArray, structure: bytes) -> None:
        """Take what is known without making them."""
        object.__setattr__(self, "seen_at", seen_at)
        object.__setattr__(self, "structure", structure)

    def __len__(self) -> int:
        """Return the number of respondents."""
        return len(self.seen_at)

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"{type(self).__name__}({len(self)} respondents)"

    @cached_property
    def plain(self) -> Pasts:
        """The same with arrays of their own."""
        raise NotImplementedError

    @property
    def offsets(self) -> IntArray:
        """Where each respondent's entries begin; one more than respondents."""
        return self.plain.offsets

    @property
    def places(self) -> SmallIntArray:
        """Where weight lies, respondent by respondent."""
        return self.plain.places

    @property
    def weights(self) -> FloatArray:
        """The weight on each of them; sums to 1 for each respondent."""
        return self.plain.weights

    @property
    def latest(self) -> Runs:
        """The posterior at the last release seen."""
        return self.plain.latest


class KeptPasts(LazyPasts):
    """Pasts in the entries of a store.

    The entries begins[r]:middles[r] of respondent r are places and their shares, middles[r]:ends[r]
    the values that are possible and the belief in each. Shares are rounded, and are scaled to
    sum to 1 whenever they are read.
    """

    def __init__(
        self,
        begins: IntArray,
        middles: IntArray,
        ends: IntArray,
        place: SmallIntArray,
        share: FloatArray,
        width: int,
        seen_at: FloatArray,
        structure: bytes,
    ) -> None:
        """Take entries as they were read, of a domain of so many values."""
        super().__init__(seen_at, structure)
        bounds = {"begins": begins, "middles": middles, "ends": ends}
        for name, given in (bounds | {"place": place, "share": share, "width": width}).items():
            object.__setattr__(self, name, given)

    begins: IntArray
    middles: IntArray
    ends: IntArray
    place: SmallIntArray
    share: FloatArray
    width: int

    @property
    def layout(self) -> Layout:
        """Where everything lies."""
        entries = self.place, self.share
        return Layout(
            self.begins, self.middles, *entries, self.middles, self.ends, *entries, scaled=True
        )

    @cached_property
    def plain(self) -> Pasts:
        """The same with arrays of their own."""
        from seriatim.kernels._jit import over_ranges
        from seriatim.kernels.packing import unpack_entries

        counts, lengths = self.middles - self.begins, self.ends - self.begins
        runs = Runs.with_room(counts, 0)
        latest = Runs.with_room(lengths - counts, self.width)
        over_ranges(
            unpack_entries,
            len(self),
            self.begins,
            counts,
            lengths,
            self.place,
            self.share,
            np.arange(len(self)),
            runs.offsets,
            runs.places,
            runs.weights,
            latest.offsets,
            latest.places,
            latest.weights,
        )
        return Pasts(runs.offsets, runs.places, runs.weights, latest, self.seen_at, self.structure)


class PushedPasts(LazyPasts):
    """Pasts after one more release, where the value before the last one is all that matters.

    Their weights are what the last posterior was: nothing is lost by keeping those, and pushing
    when the next ones are written.
    """

    def __init__(
        self,
        before: KeptPasts,
        rows: IntArray,
        after: SmallIntArray,
        origin: int,
        posterior: Runs,
        seen_at: FloatArray,
    ) -> None:
        """Take the pasts of before, which of them is whose, and the new posterior.

        ``after`` is the junction after each value, ``origin`` that of who has no past (-1).
        """
        super().__init__(seen_at, before.structure)
        for name, given in {
            "before": before,
            "rows": rows,
            "after": after,
            "origin": origin,
            "posterior_runs": posterior,
        }.items():
            object.__setattr__(self, name, given)

    before: KeptPasts
    rows: IntArray
    after: SmallIntArray
    origin: int
    posterior_runs: Runs

    @property
    def latest(self) -> Runs:
        """The posterior at the last release seen."""
        return self.posterior_runs

    def seen(self, moment: float) -> Pasts:
        """Return the pasts of people who were all seen at one moment."""
        seen_at = np.full(len(self), moment)
        return PushedPasts(
            self.before, self.rows, self.after, self.origin, self.posterior_runs, seen_at
        )

    @cached_property
    def plain(self) -> Pasts:
        """The same with arrays of their own."""
        pushed = pushed_by_value(self.before, self.rows, self.origin, self.after)
        return Pasts(
            pushed.offsets,
            pushed.places,
            pushed.weights,
            self.posterior_runs,
            self.seen_at,
            self.structure,
        )


def pushed_by_value(pasts: Pasts, rows: IntArray, origin: int, after: SmallIntArray) -> Runs:
    """Return weights pushed through the last posterior, where each value has its junction."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.forward import pushed_by_value as push

    layout = pasts.layout
    possible = layout.lasts - layout.firsts
    pushed = Runs.with_room(np.where(rows < 0, 1, possible[rows]), 0)
    over_ranges(
        push,
        len(rows),
        rows,
        layout.begins,
        layout.ends,
        layout.weights,
        layout.firsts,
        layout.lasts,
        layout.codes,
        layout.beliefs,
        layout.scaled,
        layout.longest,
        after,
        origin,
        pushed.offsets,
        pushed.places,
        pushed.weights,
    )
    return pushed
