"""Learnability: how much of P(value | quasi-identifiers) a release still teaches.

A statistician fits a model of the sensitive value given the quasi-identifiers, once to the
original view and once to the release, and foretells the values of people whom neither fit has
seen. What the release's model gains over the marginal, as a share of what the view's gains, is
the figure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.errors import OrderError
from seriatim.measure.additive import STRENGTHS, AdditiveModel
from seriatim.measure.bins import Bins
from seriatim.measure.queries import value_counts_of
from seriatim.measure.regions import Regions
from seriatim.measure.taught import (
    ListedPeople,
    People,
    SpreadTuples,
    Taught,
)
from seriatim.microdata.membership import ABSENT, Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.view import View
from seriatim.privacy.requirement import require_whole

FOLDS = 5
"""Parts of the people: each is foretold by models that have seen the others."""

MOST_TUPLES = 20_000
"""Of a larger release, whole groups with about so many tuples are looked at."""

MOST_KINDS = 25
"""Values told apart; of more, the 24 most frequent are, and the others count as one."""

_DEVIATIONS = 2.0
"""Standard errors by which the view must be better than the marginal to teach anything."""


@dataclass(frozen=True)
class Learnability:
    """What models fitted to a release and to its view foretell, in bits of log-loss.

    >>> Learnability(500, marginal=2.0, by_view=1.6, by_release=1.7, noise=0.05)
    Learnability(share 0.750, over 500 people)
    """

    people: int
    """Whose values were foretold; each by models that had not seen them."""

    marginal: float
    """Mean surprise at the values when only their frequencies are known."""

    by_view: float
    """The same with the model fitted to the original view."""

    by_release: float
    """The same with the model fitted to the release."""

    noise: float
    """Standard error of ``marginal − by_view``."""

    def __repr__(self) -> str:
        """Say it in figures."""
        share = "unknown" if self.share is None else f"{self.share:.3f}"
        return f"Learnability(share {share}, over {self.people} people)"

    @property
    def share(self) -> float | None:
        """``(marginal − by_release) / (marginal − by_view)``: 1 as good as the view, 0 nothing.

        Below 0 where the release misleads. None where the view itself teaches nothing: where
        it is not better than the marginal by two standard errors.
        """
        taught = self.marginal - self.by_view
        if not taught > _DEVIATIONS * self.noise:
            return None
        return (self.marginal - self.by_release) / taught


def learnability(
    release: Release, view: View, where: Membership | Placement, *, seed: int = 1
) -> Learnability | None:
    """Return how much of P(value | quasi-identifiers) can still be learned from a release.

    The model is additive and log-linear over bins (``additive.py``): quasi-identifiers of any
    kind are cut into at most ten bins each, and every bin raises or lowers the odds of every
    value. Unlike naive Bayes it does not take attributes for independent, so two that say the
    same are not counted twice. Unlike a table of all combinations it does not starve with many
    attributes. The likeliest such model is unique, so the figure depends on no starting point and
    no order of rows. Interactions, such as an effect of age among women only, neither fit learns.

    To the view it is fitted as it is. In generalized tables a group's tuples are spread evenly
    over its region. In buckets people have their exact quasi-identifiers, and whose a value
    is is estimated along with the model, by expectation maximization.

    People are dealt into five parts. Each part is foretold by models that were fitted without
    it: its people are taken out of the view, and they and their values out of their groups, whose
    regions stay. Suppressed people are in the view's fit and are foretold, and the release's
    fit lacks them.

    ``where`` says who is in which group. Where that is open, people of generalized tables are
    taken out of the groups they may be in, to equal parts; of buckets with open places nothing
    is said, and None is returned. Of releases of more than 20,000 tuples, groups are drawn
    by the seed, and both models are fitted to their people alone.

    Here age decides. Alone, everyone is as in the view; all in one group, nothing is told:

    >>> from seriatim import Numeric, Schema, Sensitive, place, read_release
    >>> schema = Schema("id", [Numeric("age", 20, 59)], Sensitive("exam", ["neg", "pos"]))
    >>> ages, exams = [*range(20, 60)] * 5, (["neg"] * 20 + ["pos"] * 20) * 5
    >>> view = View.from_table({"id": [*range(200)], "age": ages, "exam": exams}, schema)
    >>> for words in (ages, ["20-59"] * 200):
    ...     release = read_release({"age": words, "exam": exams}, schema, at=1)
    ...     found = learnability(release, view, place(view, release))
    ...     print(round(found.share, 2) + 0)
    1.0
    0.0
    """
    require_whole("seed", seed, 0)
    _require_theirs(release, view, where)
    if release.people is not None and not isinstance(where, Membership):
        return None
    rng = np.random.default_rng(int(seed))
    groups, looked_at = _sample(release, where, rng)
    people, taught = _taught(release, view, where, groups)
    rows = np.flatnonzero(looked_at)
    if len(rows) < FOLDS:
        return None
    part = rng.permutation(len(rows)) % FOLDS
    parts = [(rows[part != fold], rows[part == fold]) for fold in range(FOLDS)]
    held_out = [out for _, out in parts]
    marginal, by_view, imagined = _of_view(people, parts)
    models = [taught.model_without(out, imagined) for out in held_out]
    by_release = _surprises(models, people, held_out)
    noise = float((marginal - by_view).std(ddof=1) / np.sqrt(len(rows)))
    return Learnability(
        len(rows), float(marginal.mean()), float(by_view.mean()), float(by_release.mean()), noise
    )


def _of_view(
    people: People, parts: list[tuple[IntArray, IntArray]]
) -> tuple[FloatArray, FloatArray, float]:
    """Return the surprises (people) by the marginal and by the view, and who was imagined.

    Of the numbers of imagined people, the one is taken with which the view foretells best.
    """
    best = None
    for imagined in STRENGTHS:
        models = [people.model_of(known, imagined) for known, _ in parts]
        held_out = [rows for _, rows in parts]
        found = _surprises(models, people, held_out)
        if best is None or found.mean() < best[0].mean():
            best = found, imagined, models
    assert best is not None
    alone = [AdditiveModel.without_effects(one.marginal, people.bins) for one in best[2]]
    return _surprises(alone, people, held_out), best[0], best[1]


def _surprises(models: list[AdditiveModel], people: People, held_out: list[IntArray]) -> FloatArray:
    """Return the surprise at each held-out person's value, in bits, part by part."""
    found = []
    for model, rows in zip(models, held_out, strict=True):
        likely = model.probabilities(people.cells)[people.cell_of[rows], people.kind_of[rows]]
        found.append(-np.log2(likely))
    return np.concatenate(found)


def _sample(
    release: Release, where: Membership | Placement, rng: np.random.Generator
) -> tuple[BoolArray, BoolArray]:
    """Draw groups with about as many tuples as are looked at, and people to go with them.

    Suppressed people are drawn at the same rate. Where places are open, all is looked at.
    """
    groups = np.ones(release.n_groups, dtype=bool)
    people = np.ones(len(where.roster), dtype=bool)
    if len(release) <= MOST_TUPLES or not isinstance(where, Membership):
        return groups, people
    order = rng.permutation(release.n_groups)
    taken = np.cumsum(release.sizes[order]) <= MOST_TUPLES
    groups[order] = taken
    share = release.sizes[groups].sum() / len(release)
    people[:] = np.where(where.published, groups[where.group_of], rng.random(len(people)) < share)
    return groups, people


def _taught(
    release: Release, view: View, where: Membership | Placement, groups: BoolArray
) -> tuple[People, Taught]:
    """Return people and release as models are fitted to them, of the groups looked at."""
    bins, regions, counts = Bins.of(view), Regions.of(release, view), value_counts_of(release, view)
    kind_of, n_kinds = _kinds(view.value_counts + counts.sum(axis=0))
    merged = np.zeros((n_kinds, len(counts)))
    np.add.at(merged, kind_of, counts.T)
    counts = merged.T * groups[:, None]
    kinds = kind_of[view.value_codes]
    if release.people is not None:
        assert isinstance(where, Membership)
        listed = np.flatnonzero(groups[release.group_of])
        points = regions.codes_at(listed, np.zeros((len(listed), len(bins.sizes))))
        people, cells = People.of(view, bins, kinds, n_kinds, beside=points)
        inside = where.published & groups[where.group_of]
        bucket_of = np.where(inside, where.group_of, ABSENT)
        return people, ListedPeople(people, bucket_of, release.group_of[listed], cells, counts)
    people, _ = People.of(view, bins, kinds, n_kinds)
    return people, SpreadTuples.of(regions, bins, counts, people, _possible(where))


def _kinds(times: FloatArray) -> tuple[IntArray, int]:
    """Return the kind of each value, the most frequent first, and how many kinds there are."""
    rank = np.empty(len(times), dtype=np.int64)
    rank[np.argsort(-times, kind="stable")] = np.arange(len(times))
    kinds = min(int(np.count_nonzero(times)), MOST_KINDS)
    return np.minimum(rank, kinds - 1), kinds


def _possible(where: Membership | Placement) -> tuple[IntArray, IntArray]:
    """Return all pairs of a person's row and a group they may be in."""
    if isinstance(where, Membership):
        rows = np.flatnonzero(where.published)
        return rows, where.group_of[rows]
    return where.respondent_of, where.candidates


def _require_theirs(release: Release, view: View, where: Membership | Placement) -> None:
    if len(where.roster) != len(view) or not where.fits(release):
        message = (
            "Learnability asks who of the view is in which group, and was told of"
            f" {len(where.roster)} people where the view has {len(view)}, or of groups that the"
            " release does not have. Take the membership that was published with this release."
        )
        raise OrderError(message)
