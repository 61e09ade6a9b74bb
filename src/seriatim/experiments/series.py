"""A series as one technique publishes it, with what it cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from seriatim._typing import Instant, Table
from seriatim.errors import UnsatisfiableError
from seriatim.experiments.techniques import Technique
from seriatim.inference.adversary import Adversary
from seriatim.measure.utility import global_certainty_penalty, semiperimeter
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import Release
from seriatim.microdata.schema import Schema
from seriatim.microdata.view import View
from seriatim.publish.publisher import Publication, Publisher

Progress = Callable[[str], None]
"""Told what is being done, before it is done."""


@dataclass(frozen=True, eq=False)
class Material:
    """What techniques are tried on: the same for all of them; private.

    >>> from seriatim import clinic
    >>> made = clinic(weeks=3, size=60)
    >>> Material(made.weeks, made.schema)
    Material(3 views)
    """

    views: Sequence[Table]
    """The views, earliest first."""

    schema: Schema
    """Which column plays which part."""

    instants: Sequence[Instant] | None = None
    """When each is published; numbered from 1 where it is left out."""

    seed: int = 1
    """What ties and shuffles go by."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Material({len(self.views)} views)"


@dataclass(frozen=True, eq=False)
class PublishedSeries:
    """What a technique made of some views; private."""

    technique: Technique
    """How it was made."""

    publications: tuple[Publication, ...]
    """The releases, each with its view and who is where."""

    seconds: tuple[float, ...]
    """How long each took."""

    failure: str | None = None
    """Why the series ends early, where it does."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"PublishedSeries({self.technique.name!r}, {len(self.publications)} releases)"

    @property
    def releases(self) -> list[Release]:
        """The releases."""
        return [one.release for one in self.publications]

    @property
    def views(self) -> list[View]:
        """What they were made from."""
        return [one.view for one in self.publications]

    @property
    def memberships(self) -> list[Membership]:
        """Who is in which group."""
        return [one.membership for one in self.publications]

    @property
    def penalty(self) -> float:
        """The mean global certainty penalty of the releases."""
        return _mean([global_certainty_penalty(one) for one in self.releases])

    @property
    def semiperimeter(self) -> float:
        """The mean semiperimeter of the releases' groups."""
        return _mean([semiperimeter(one) for one in self.releases])

    @property
    def suppressed(self) -> float:
        """The share of all tuples that was left out."""
        tuples = sum(len(view) for view in self.views)
        return sum(one.suppressed for one in self.publications) / tuples if tuples else 0.0

    @property
    def counterfeits(self) -> int:
        """How many tuples of nobody were added in all."""
        return sum(one.counterfeits for one in self.publications)

    @property
    def mean_size(self) -> float:
        """Tuples in a group, over all groups of all releases."""
        groups = sum(one.n_groups for one in self.releases)
        return sum(len(one) for one in self.releases) / groups if groups else 0.0


def publish_series(
    technique: Technique,
    material: Material,
    defender: Adversary,
    *,
    progress: Progress = lambda _: None,
) -> PublishedSeries:
    """Publish views one after the other, in memory.

    ``defender`` is the reader whom releases are chosen against, where the technique
    looks at one. A view that allows no release ends the series; what was published before
    it stands, and the reason is kept.
    """
    views = material.views
    publisher = Publisher(material.schema, technique.policy, defender, seed=material.seed)
    publications: list[Publication] = []
    seconds: list[float] = []
    failure = None
    when = range(1, len(views) + 1) if material.instants is None else material.instants
    for view, at in zip(views, when, strict=True):
        progress(f"{technique.name}: release {at}")
        begun = time.perf_counter()
        try:
            publisher.publish(view, at=at)
        except UnsatisfiableError as error:
            failure = f"at {at!r}: {error}"
            break
        seconds.append(time.perf_counter() - begun)
        assert publisher.latest is not None
        publications.append(publisher.latest)
    return PublishedSeries(technique, tuple(publications), tuple(seconds), failure)


def _mean(figures: Sequence[float]) -> float:
    return float(np.mean(figures)) if len(figures) else 0.0
