"""A policy: what every release of a series promises, and how it is made."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from seriatim.errors import PolicyError, did_you_mean, listed
from seriatim.microdata.release import Form
from seriatim.partition.hilbert_greedy import HilbertGreedy
from seriatim.partition.m_invariant import MInvariant
from seriatim.partition.partition import Partitioner
from seriatim.partition.register import SerialPartitioner
from seriatim.partition.remainder import Remainder, require_remainder
from seriatim.partition.standing_cells import StandingCells
from seriatim.privacy.bt_privacy import BTPrivacy
from seriatim.privacy.js_bound import JSBound
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.posterior_bound import PosteriorBound
from seriatim.privacy.requirement import AllOf, Requirement, require_whole
from seriatim.privacy.t_closeness import TCloseness

LOOKED_BACK = 8
"""How many of the last releases groups are compared with, where people move in batches."""


@dataclass(frozen=True)
class Policy:
    """A requirement, the partitioner that meets it, and what becomes of leftovers.

    >>> from seriatim import KAnonymity, StandingCells, TCloseness
    >>> asked = Policy(
    ...     requirement=KAnonymity(k=10) & TCloseness(t=0.5),
    ...     partitioner=StandingCells(20),
    ...     remainder="merge",
    ... )
    >>> asked.k, asked.form
    (10, 'generalized')
    """

    requirement: Requirement
    """What every group must satisfy."""

    partitioner: Partitioner | SerialPartitioner = field(default_factory=HilbertGreedy)
    """How groups are formed."""

    remainder: Remainder = "suppress"
    """What becomes of tuples that form no group."""

    form: Form = "generalized"
    """What is published of quasi-identifiers: regions, or buckets of them as they are."""

    batch: int = 1
    """How many newcomers of a standing cell enter together, and how many who left leave it."""

    keep: int = 0
    """For how many releases people who are not in the view stay listed as they were last."""

    pool: int = 1
    """How many tables make one release: everybody who is in any of them, by their latest row."""

    def __post_init__(self) -> None:
        """Refuse a remainder policy that is not known, and a promise that is none."""
        require_remainder(self.remainder)
        if self.form not in get_args(Form):
            message = (
                f"form={self.form!r} is not known; possible are {listed(get_args(Form))}."
                f"{did_you_mean(self.form, get_args(Form))}"
            )
            raise PolicyError(message)
        asked: object = self.requirement
        if not isinstance(asked, Requirement):
            message = f"A requirement is asked for, such as KAnonymity(k=10), not {asked!r}."
            raise PolicyError(message)
        self._require_listing()
        if isinstance(self.partitioner, MInvariant):
            self.partitioner.require_possible(self.requirement)
        if all(
            isinstance(part, JSBound | BTPrivacy | PosteriorBound)
            for part in self.requirement.parts
        ):
            message = (
                f"{self.requirement} alone lets a tuple stand in a group of its own, since one"
                " belief diverges from nothing. Add a size: KAnonymity(k=...) & ..."
            )
            raise PolicyError(message)

    def _require_listing(self) -> None:
        """Refuse settings of who is listed that are none, or that no group could keep."""
        require_whole("batch", self.batch, 1)
        require_whole("keep", self.keep, 0)
        require_whole("pool", self.pool, 1)
        if self.batch == 1:
            return
        cells = self.partitioner
        if not (isinstance(cells, StandingCells) and cells.places_stay):
            message = (
                f"batch={self.batch} lets people enter and leave cells together, and with"
                f" {cells} nobody has a cell that stays. Possible are"
                ' StandingCells(size, by="first-seen") with merges="stay" or "anew"; or try'
                " batch=1."
            )
            raise PolicyError(message)
        if self.remainder == "counterfeit":
            message = (
                f"batch={self.batch} with remainder='counterfeit' is not possible: invented tuples"
                " come and go one by one. Try remainder='merge' or 'suppress'."
            )
            raise PolicyError(message)

    @property
    def lists(self) -> bool:
        """Whether people may be listed who are not in the view, or not listed who are."""
        return self.batch > 1 or self.keep > 0

    @property
    def looks_back(self) -> int:
        """How many of the last releases groups are compared with before they are published."""
        return LOOKED_BACK if self.batch > 1 else 0

    @property
    def k(self) -> int:
        """The least size of a group that is asked for; 1 where none is."""
        asked = (part.k for part in self.requirement.parts if isinstance(part, KAnonymity))
        return max(asked, default=1)

    def with_k(self, k: int) -> Policy:
        """Return a policy that asks for groups of at least so many, and for all else it asked.

        >>> print(js_reduce(k=10, t=0.5, j=0.6).with_k(15).requirement)
        KAnonymity(k=15) & TCloseness(t=0.5, distance='equal') & JSBound(j=0.6)
        """
        if k <= self.k:
            return self
        others = tuple(p for p in self.requirement.parts if not isinstance(p, KAnonymity))
        larger = AllOf((KAnonymity(k), *others)) if others else KAnonymity(k)
        return replace(self, requirement=larger)


def js_reduce(
    *,
    k: int,
    t: float,
    j: float,
    distance: Literal["equal", "ordered"] = "equal",
    remainder: Remainder = "suppress",
) -> Policy:
    """Return the paper's JS-reduce: k-anonymity, t-closeness and a bound on divergence.

    >>> print(js_reduce(k=10, t=0.5, j=0.6).requirement)
    KAnonymity(k=10) & TCloseness(t=0.5, distance='equal') & JSBound(j=0.6)
    """
    requirement = KAnonymity(k=k) & TCloseness(t=t, distance=distance) & JSBound(j=j)
    return Policy(requirement, HilbertGreedy(), remainder)
