"""Traces: what the custodian follows of a panel of respondents over the last releases.

A trace is what a release told the simulated reader of each (a sight), beside the truth. With
the traces of a window the custodian knows, at every release, what a reader gains who looks back
over that window. The panel is chosen by a keyed hash of the ids, the same in every release, so
that a view of millions costs no more than one of the panel's size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, FloatArray, IntArray, WordArray
from seriatim.inference.adversary import Adversary, Expectation, Impression
from seriatim.inference.lagged import look_back
from seriatim.inference.sights import Panel, Sight, sight_of, strongest_posterior
from seriatim.knowledge.automaton import Automaton
from seriatim.measure.disclosure import gain_over
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import Release
from seriatim.microdata.view import View
from seriatim.partition.ties import keyed_numbers

PANEL = 20_000
"""Respondents of a release who are followed, at most."""


@dataclass(frozen=True, eq=False)
class Trace:
    """One release as the custodian follows it; private."""

    release: int
    """Its number, from 1."""

    sight: Sight
    """What it told the simulated reader."""

    truth: IntArray
    """The code of the value that each respondent has."""

    frequency: FloatArray
    """The share of that value in the group: what counting tells."""

    gain: FloatArray
    """What the reader who looks back gains on each, as of the release that last showed them."""

    def __repr__(self) -> str:
        """Say which release it is, and nothing about anyone in it."""
        return f"Trace(release {self.release}, {len(self.truth)} respondents)"

    def __len__(self) -> int:
        """Return the number of respondents."""
        return len(self.truth)

    @property
    def mean(self) -> float:
        """The mean gain; 0 where nobody is followed."""
        return float(self.gain.mean()) if len(self.gain) else 0.0

    def of(self, kept: BoolArray) -> Trace:
        """Return the trace of some of its respondents."""
        return Trace(
            self.release,
            self.sight.of(kept),
            self.truth[kept],
            self.frequency[kept],
            self.gain[kept],
        )

    def within(self, limit: int) -> Trace:
        """Return the trace of those whom a smaller panel has, too."""
        inside = self.sight.numbers <= np.uint64(limit)
        if inside.all():
            return self
        some = self.of(inside)
        return replace(some, sight=replace(some.sight, limit=limit))


def panel_numbers(respondents: pa.Array, secret: bytes) -> WordArray:
    """Return the numbers by which people are known in traces, and chosen for the panel."""
    return keyed_numbers(respondents, secret, b"panel")


def trace_of(
    reader: Adversary,
    before: Expectation,
    view: View,
    release: Release,
    membership: Membership,
    impression: Impression,
    panel: Panel,
    number: int,
) -> Trace | None:
    """Return what is to be followed of a release; None where looking back tells nothing.

    That is so without sequence knowledge, and with knowledge mined to the letter, over which
    nothing can be smoothed.
    """
    if before.automaton is None or before.automaton.deficient:
        return None
    posterior = strongest_posterior(reader, before, release, membership, impression, panel)
    sight = sight_of(reader, before, posterior, panel)
    truth = view.value_codes[panel.rows]
    frequency = counted_shares(release, membership.group_of[panel.rows], truth)
    gain = gain_over(posterior[np.arange(len(truth)), truth], frequency)
    return Trace(number, sight, truth, frequency, gain)


def counted_shares(release: Release, groups: IntArray, codes: IntArray) -> FloatArray:
    """Return the share of a value in a group, for pairs of them: what counting tells."""
    if release.sizes[groups].sum() > len(release):  # all groups at once are fewer
        return np.asarray(release.value_counts[groups, codes] / release.sizes[groups])
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.gains import counted_in_groups

    shares = np.empty(len(groups))
    over_ranges(
        counted_in_groups, len(groups), groups, codes, release.starts, release.value_codes, shares
    )
    return shares


def followed(
    new: Trace, before: Sequence[Trace], automaton: Automaton, lag: int
) -> tuple[Trace, ...]:
    """Return the traces of the new window: so many releases before the new one, and it.

    Whoever the new release does not show keeps the gain they had.
    """
    window = _unbroken(new, before, lag)
    limit = min(trace.sight.limit for trace in window)
    window = [trace.within(limit) for trace in window]
    found = look_back(automaton, [trace.sight for trace in window])
    return tuple(_with_gains(trace, beliefs) for trace, beliefs in zip(window, found, strict=True))


def _unbroken(new: Trace, before: Sequence[Trace], lag: int) -> list[Trace]:
    """Return the window, as far back as every release was followed."""
    by_number = {trace.release: trace for trace in before}
    window = [new]
    for number in range(new.release - 1, new.release - 1 - lag, -1):
        if number not in by_number:
            break
        window.insert(0, by_number[number])
    return window


def _with_gains(trace: Trace, beliefs: FloatArray) -> Trace:
    """Return a trace with what new beliefs are worth, for those of whom there are any."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.gains import true_entries

    again, believed = np.empty(len(trace), dtype=bool), np.empty(len(trace))
    mine = (trace.sight.bounds, trace.sight.codes, beliefs, trace.truth)
    over_ranges(true_entries, len(trace), *mine, again, believed)
    gain = np.where(again, gain_over(believed, trace.frequency), trace.gain)
    return replace(trace, gain=gain)
