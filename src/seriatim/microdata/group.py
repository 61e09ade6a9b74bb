"""A group: tuples of a release that share their region."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seriatim._typing import IntArray, Value
from seriatim.microdata.region import Region


@dataclass(frozen=True, eq=False)
class Group:
    """One QI-group of a release, as every reader sees it.

    >>> from seriatim import running_example
    >>> group = running_example().releases[1].group(1)
    >>> print(group.number, group.region)
    2 age 51, gender F, zip 1204*
    >>> group.counts
    {'CX-neg': 1, 'CX-pos': 1, 'MAM-neg': 1}
    """

    number: int
    """Its number in the release, from 1; numbers mean nothing across releases."""

    region: Region
    """The generalized quasi-identifiers."""

    value_codes: IntArray
    """Codes of the published values, in published order."""

    domain: tuple[Value, ...]
    """The sensitive domain."""

    def __len__(self) -> int:
        """Return the number of tuples."""
        return len(self.value_codes)

    @property
    def counts(self) -> dict[Value, int]:
        """How often each published value occurs."""
        codes, times = np.unique(self.value_codes, return_counts=True)
        pairs = zip(codes.tolist(), times.tolist(), strict=True)
        return {self.domain[code]: count for code, count in pairs}
