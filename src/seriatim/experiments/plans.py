"""What experiments ask for: which series, and who attacks it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from seriatim.experiments.techniques import Technique
from seriatim.publish.policy import Policy

READINGS = ("", "joint", "retrospective")
"""How an attack reads, from the paper's way to the strongest; written ``DK``, ``DK joint``."""


QUICK_VIEWS = 6
"""Releases of a series at which one has a look."""

QUICK_SIZE = 400
"""Tuples of a view of such a series."""


@dataclass(frozen=True)
class Plan:
    """One series: a technique, and the knowledge it defends against."""

    name: str
    """What it is called in results."""

    policy: Policy
    """How its releases are made."""

    defender: str = "snapshot"
    """The kind of knowledge of the reader whom releases are chosen against.

    Techniques that look at one table ask nothing of it, and ``snapshot`` costs nothing."""

    every: int = 1
    """Which views are published: every n-th; techniques of one table need no more for means."""

    target: float | None = None
    """Where given, groups are standing cells: those that a rehearsal finds to keep this gain."""

    as_large_as: tuple[Plan, ...] = ()
    """Where given, k makes groups as large as those of the first of these that can be run."""

    @property
    def unsettled(self) -> bool:
        """Whether something of the policy is found out in the setting itself."""
        return self.target is not None or bool(self.as_large_as)

    @property
    def technique(self) -> Technique:
        """The policy under the plan's name."""
        return Technique(self.name, self.policy)


@dataclass(frozen=True)
class Demand:
    """What is asked of a series: who attacks it, and which queries are put to it."""

    plan: Plan
    """The series."""

    attacks: tuple[str, ...] = ()
    """Who attacks it: a kind of knowledge, alone or with how it reads."""

    selectivities: tuple[float, ...] = ()
    """Expected selectivities of the queries put to it."""


@dataclass(frozen=True)
class Scale:
    """How large an experiment is."""

    views: int = 24
    """Releases of a series."""

    size: int = 5000
    """Tuples of a view."""

    seeds: int = 5
    """How often all is drawn anew, for the generator that claims are judged by."""

    queries: int = 10_000
    """Queries put to a release, for each selectivity."""

    query_every: int = 12
    """Queries are put to every n-th release."""

    presets: tuple[str, ...] = field(default=("paper-like",))
    """Generators: the first is the one that claims are judged by."""

    @property
    def quick(self) -> Scale:
        """The same, small enough for a look."""
        return replace(
            self, views=QUICK_VIEWS, size=QUICK_SIZE, seeds=1, queries=200, query_every=3
        )


def merged(demands: Iterable[Demand]) -> list[Demand]:
    """Return one demand for each plan, with everything that is asked of it."""

    def name(demand: Demand) -> str:
        return demand.plan.name

    found = []
    for _, same in groupby(sorted(demands, key=name), key=name):
        some = list(same)
        attacks = dict.fromkeys(attack for one in some for attack in one.attacks)
        selectivities = dict.fromkeys(each for one in some for each in one.selectivities)
        plans = {one.plan for one in some}
        assert len(plans) == 1, f"two plans are called {some[0].plan.name}"
        found.append(Demand(some[0].plan, tuple(sorted(attacks)), tuple(sorted(selectivities))))
    return found


def every_reading(kind: str) -> tuple[str, ...]:
    """Return the attacks with a kind of knowledge, by readers from the weakest to the strongest.

    >>> every_reading("DK")
    ('DK', 'DK joint', 'DK retrospective')
    """
    return tuple(f"{kind} {reading}".strip() for reading in READINGS)


def split_attack(attack: str) -> tuple[str, str]:
    """Return the kind of knowledge and the way of reading of an attack.

    >>> split_attack("DK joint"), split_attack("3-step")
    (('DK', 'joint'), ('3-step', ''))
    """
    kind, _, reading = attack.partition(" ")
    return kind, reading


def possible(demands: Sequence[Demand], kinds: tuple[str, ...]) -> list[Demand]:
    """Return what can be asked where readers have some kinds of knowledge only.

    Where nobody's knowledge is exact, a mined one attacks in its place.
    """
    found = []
    for demand in demands:
        plan = demand.plan
        like = tuple(one for one in plan.as_large_as if one.defender in kinds)
        if plan.defender not in kinds or (plan.as_large_as and not like):
            continue
        attacks = dict.fromkeys(_best_of(one, kinds) for one in demand.attacks)
        there = tuple(one for one in attacks if split_attack(one)[0] in kinds)
        found.append(replace(demand, plan=replace(plan, as_large_as=like), attacks=there))
    return found


def _best_of(attack: str, kinds: tuple[str, ...]) -> str:
    """Return an attack by exact knowledge, or by a mined one where there is none.

    >>> _best_of("DK joint", ("IE", "SPM")), _best_of("1-step", ("IE", "SPM"))
    ('SPM joint', '1-step')
    """
    kind, reading = split_attack(attack)
    return f"SPM {reading}".strip() if kind == "DK" and kind not in kinds else attack
