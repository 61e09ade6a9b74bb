"""Drawing worlds that fit every release of a series, by several chains, from a random start.

A chain begins with people who go their own ways, as the sequence knowledge has it, and asks ever
more strongly that they come to the counts that were published (a world near the releases); what
messages both ways say of people leads them at first, and fades. Where people fall into sets that
never met, each set goes on in the chains of its family that came nearest. Then the counts are made
exact, and stay so: two people at a time change places wherever they are together.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.errors import KnowledgeError
from seriatim.inference.appearances import NO_POOL, Appearances, one_step
from seriatim.inference.hints import Hints
from seriatim.inference.linkability import Links
from seriatim.inference.trust import trusted

STRENGTHS = (0.02, 2.0)
"""How strongly counts are asked for, at first and at last; between them it grows evenly."""

STEPS = 40
"""Steps from the one to the other."""

_FAMILY = 4
"""Chains that may go on in each other's place; there are two families at least."""

_LEAST_CHAINS = 0.5
"""The share of the chains that must count, in effect, when some are chosen to go on."""

_SETTLING = 0.25
"""The share of the sweeps that are not counted: until a chain has forgotten how it began."""


_LEAST_LOOKS, _MOST_LOOKS, _LOOKED_AT = 25, 400, 200_000
"""Worlds of each chain that are looked at as a whole: so many appearances in all, or as bounded."""

_LEAST_EXCHANGES = 20
"""Exchanges that are tried for every sweep, in small series too: most are refused."""


@dataclass(frozen=True)
class Effort:
    """How long worlds are drawn."""

    approach: int = 1000
    """Times that each person's path is drawn on the way to the published counts."""

    sweeps: int = 500
    """Times that each person changes places with somebody, in worlds that fit."""

    chains: int = 4
    """How many chains begin anew."""

    seed: int = 0
    """Where the random numbers begin."""


@dataclass(eq=False)
class World:
    """A world that fits every release, or a chain on its way to one."""

    chosen: IntArray
    """The place of each appearance's value among the options."""

    current: SmallIntArray
    """How often each pool has each of its values."""

    values: SmallIntArray
    """The value of each appearance; -1 for who was not there after all."""

    groups: IntArray
    """The group of each, where a pool has several; else that of nobody."""

    places: IntArray
    """The place of each value among those of its own pool."""

    held: FloatArray
    """Sum of beliefs, for every option of every appearance."""

    times: FloatArray
    """How often each was looked at."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"World({len(self.values)} appearances)"


@dataclass(frozen=True, eq=False)
class Drawn:
    """What several chains make of a series."""

    appearances: Appearances
    """Of whom."""

    chains: list[World]
    """Where each chain ended, and what it held on the way."""

    links: Links
    """Whose rows may be one person's, in worlds of all chains."""

    others: tuple[FloatArray, ...] = ()
    """What else may be believed of every option, where chains do not agree."""

    from_truth: bool = False
    """Whether chains began with the truth: then they bound what is to be known."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Drawn({len(self.chains)} chains, {self.appearances})"

    def beliefs(self) -> FloatArray:
        """Return the belief in every option of every appearance, as far as chains are trusted.

        Those that began with the truth are taken at their word: doubt would make less of a bound.
        """
        found = self.by_family()
        if self.from_truth:
            return np.asarray(sum(found) / len(found))
        return trusted(self.appearances, found, self.others)

    def by_family(self) -> list[FloatArray]:
        """Return what each family of chains makes believe of every option."""
        each = [self._of_chain(one) for one in self.chains]
        found = families(len(each))
        return [np.asarray(sum(each[at] for at in one) / len(one)) for one in found]

    def _of_chain(self, drawn: World) -> FloatArray:
        rooms = self.appearances.rooms
        lengths = np.diff(rooms)
        sums = np.add.reduceat(np.append(drawn.held, 0.0), rooms[:-1]) * (lengths > 0)
        # Whoever was never looked at has, in each world, what that world gives them.
        total = np.repeat(np.where(sums > 0, sums, 1.0), lengths)
        return np.asarray(drawn.held / total)


def families(n_chains: int) -> list[range]:
    """Return the families of so many chains.

    >>> families(4), len(families(16))
    ([range(0, 2), range(2, 4)], 4)
    """
    ends = np.linspace(0, n_chains, min(max(n_chains // _FAMILY, 2), n_chains) + 1).astype(int)
    return [range(*pair) for pair in itertools.pairwise(ends.tolist())]


def require_whole_number(name: str, given: object) -> None:
    """Refuse what is no number of times."""
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        message = f"{name} is a whole number from 1, not {given!r}."
        raise KnowledgeError(message)


def draw_worlds(
    who: Appearances,
    effort: Effort,
    *,
    hints: Hints | None = None,
    truth: IntArray | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Drawn:
    """Draw worlds; from the truth (a value for each appearance), where it is given."""
    chains = Chains(who, effort, truth)
    if truth is None:
        progress("drawing worlds near the releases")
        chains.approach(hints)
    progress("drawing worlds that fit every release")
    settling = max(int(effort.sweeps * _SETTLING), 1)
    chains.stir(settling)
    chains.count()
    links = Links(who, [number for number, one in enumerate(families(effort.chains)) for _ in one])
    looks = min(max(_LOOKED_AT // max(len(who), 1), _LEAST_LOOKS), _MOST_LOOKS)
    stretches = np.diff(np.linspace(0, max(effort.sweeps - settling, 1), looks + 1).astype(int))
    for sweeps in stretches[stretches > 0]:
        chains.stir(int(sweeps))
        for number, world in enumerate(chains.worlds):
            links.look_at(world.values, world.groups, number)
    others = () if hints is None else (hints.belief,)
    return Drawn(who, chains.ended(), links, others, from_truth=truth is not None)


class Chains:
    """Several worlds that fit every release, each changed in its own way, on all cores."""

    def __init__(self, who: Appearances, effort: Effort, truth: IntArray | None = None) -> None:
        """Begin with worlds at random, or with the truth."""
        seeds = np.random.SeedSequence(effort.seed).spawn(effort.chains)
        self._who, self._effort = who, effort
        self._rngs = [np.random.default_rng(one) for one in seeds]
        self._worlds = [_random_world(who, rng) for rng in self._rngs]
        for world, rng in zip(self._worlds, self._rngs, strict=True):
            _make_exact(who, world, rng, truth)

    @property
    def worlds(self) -> list[World]:
        """Where each chain is."""
        return self._worlds

    def knowing(self, who: Appearances) -> None:
        """Go on with other knowledge of the same appearances."""
        self._who = who

    def approach(self, hints: Hints | None = None) -> float:
        """Begin anew, with people who go their own ways, until they come to what was published.

        Returns how likely they are to come there: ``_approach``.
        """
        self._worlds = [_random_world(self._who, rng) for rng in self._rngs]
        evidence = _approach(self._who, self._worlds, self._effort, self._rngs, hints)
        for world, rng in zip(self._worlds, self._rngs, strict=True):
            _make_exact(self._who, world, rng, None)
        return evidence

    def stir(self, sweeps: int) -> None:
        """Draw the next worlds."""
        from seriatim.kernels._jit import calls

        pairs = zip(self._worlds, self._rngs, strict=True)
        calls(_stir, [(self._who, world, sweeps, _seed(rng)) for world, rng in pairs])

    def count(self) -> None:
        """Hold what is drawn from here on."""
        for world in self._worlds:
            world.held = np.zeros(self._who.rooms[-1])
            world.times = np.zeros(len(self._who))

    def ended(self) -> list[World]:
        """Return where each chain ended, with what it held."""
        _hold_the_rest(self._who, self._worlds)
        return self._worlds


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def _random_world(who: Appearances, rng: np.random.Generator) -> World:
    """Give everyone any value that is possible, without regard to counts."""
    _, begins, ends = who.option_bounds
    chosen = begins + (rng.random(len(who)) * (ends - begins)).astype(np.int64)
    current = np.zeros(len(who.pools.options) + who.n_values, dtype=np.int32)
    counted = _counted(who)
    np.add.at(current, chosen[counted], 1)
    nothing = np.zeros(0)
    return World(
        chosen,
        current,
        np.zeros(len(who), dtype=np.int32),
        np.full(len(who), -1, dtype=np.int64),
        np.zeros(len(who), dtype=np.int64),
        nothing,
        nothing,
    )


def _counted(who: Appearances) -> BoolArray:
    """Tell whose values must come to a published count, in a pool that is one group."""
    return np.asarray((who.pool_of != NO_POOL) & ~who.open)


def _approach(
    who: Appearances,
    worlds: list[World],
    effort: Effort,
    rngs: list[np.random.Generator],
    hints: Hints | None,
) -> float:
    """Let people go their ways, and ask ever more strongly for the published counts.

    Returns the logarithm of how likely they are to come near the counts, with all that is known of
    them: of Z(s), the mean over people who go their own ways of exp(−s · misses), misses being
    Σ (current − shown)². It is 0 for s = 0, and falls by the mean of the misses at s
    (thermodynamic integration, by trapezoids). Of use where no hints lead them.
    """
    from seriatim.kernels._jit import calls
    from seriatim.kernels.near_worlds import draw_paths

    options, begins, ends = who.option_bounds
    shown = np.concatenate([who.pools.counts, np.zeros(who.n_values, dtype=np.int32)])
    following = one_step(who.automaton, who.prior)
    fixed = (who.offsets, begins, ends, options, _counted(who), shown)
    weight = np.ones(who.rooms[-1]) if hints is None else hints.weight
    strengths = np.geomspace(*STRENGTHS, STEPS)
    sweeps = np.diff(np.linspace(0, effort.approach, STEPS + 1).astype(int))
    pool_component = _component_of_pools(who)
    chooser = np.random.default_rng([effort.seed, 1])
    missed = []
    for step, (strength, times) in enumerate(zip(strengths, sweeps, strict=True)):
        fading = weight ** (1.0 - step / STEPS)
        work = [
            (
                _seed(rng),
                int(times),
                float(strength),
                *fixed,
                one.current,
                following,
                who.table_of,
                who.prior,
                who.prior_of,
                who.rooms,
                fading,
                one.chosen,
            )
            for one, rng in zip(worlds, rngs, strict=True)
        ]
        calls(draw_paths, work)
        missed.append(np.mean([_misses(one, shown).sum() for one in worlds]))
        more = strengths[min(step + 1, STEPS - 1)] - strength if step + 1 < STEPS else strength
        for family in families(len(worlds)):
            own = [worlds[at] for at in family]
            _choose(who, own, shown, pool_component, more, chooser)
    at, means = np.append(0.0, strengths), np.append(missed[0], missed)
    return float(-np.sum(np.diff(at) * (means[1:] + means[:-1]) / 2))


def _misses(world: World, shown: SmallIntArray) -> FloatArray:
    """Return how far each count of a world is from what was published, squared."""
    return np.asarray((world.current - shown.astype(np.float64)) ** 2)


def _component_of_pools(who: Appearances) -> IntArray:
    found = np.zeros(len(who.pools.starts) - 1, dtype=np.int64)
    here = who.pool_of != NO_POOL
    found[who.pool_of[here]] = who.component_of[who.who[here]]
    return found


def _choose(
    who: Appearances,
    worlds: list[World],
    shown: SmallIntArray,
    pool_component: IntArray,
    more: float,
    rng: np.random.Generator,
) -> None:
    """Let each set of people go on in chains that are near the counts, more often the nearer.

    A chain weighs exp(−more · Σ (current − shown)²), but never so that fewer than half of the
    chains count in effect: sets so large that chance decides between chains keep all of them.
    """
    n_components = int(who.component_of.max(initial=0)) + 1
    n_shown = len(who.pools.options)
    component = pool_component[who.pools.pool_of]
    misses = np.array(
        [
            np.bincount(component, _misses(one, shown)[:n_shown], minlength=n_components)
            for one in worlds
        ]
    )
    origin = _resampled(misses - misses.min(axis=0), more, rng)
    if (origin == np.arange(len(worlds))[:, None]).all():
        return
    chosen = np.array([one.chosen for one in worlds])
    current = np.array([one.current for one in worlds])
    of_entry, everyone = who.component_of[who.who], np.arange(len(who))
    for number, one in enumerate(worlds):
        one.chosen = chosen[origin[number][of_entry], everyone]
        one.current = one.current.copy()
        one.current[:n_shown] = current[origin[number][component], np.arange(n_shown)]


def _resampled(misses: FloatArray, more: float, rng: np.random.Generator) -> IntArray:
    """Return the chain that each chain's part of each component comes from."""
    n_chains, n_components = misses.shape
    if n_chains == 1:
        return np.zeros((1, n_components), dtype=np.int64)
    # The largest power for which at least so many chains count, by halving.
    low, high = np.zeros(n_components), np.full(n_components, more)
    enough = _LEAST_CHAINS * n_chains
    for _ in range(20):
        middle = np.where(_effective(misses, high) >= enough, high, (low + high) / 2)
        fine = _effective(misses, middle) >= enough
        low, high = np.where(fine, middle, low), np.where(fine, high, middle)
    weights = np.exp(-misses * low)
    ends = np.cumsum(weights / weights.sum(axis=0), axis=0)
    marks = (np.arange(n_chains)[:, None] + rng.random(n_components)) / n_chains
    found = (marks[:, None] >= ends[None]).sum(axis=1)
    return np.asarray(np.minimum(found, n_chains - 1))


def _effective(misses: FloatArray, power: FloatArray) -> FloatArray:
    weights = np.exp(-misses * power)
    return np.asarray(weights.sum(axis=0) ** 2 / (weights**2).sum(axis=0))


def _make_exact(
    who: Appearances, world: World, rng: np.random.Generator, truth: IntArray | None
) -> None:
    """Make the counts of every pool those that were published."""
    from seriatim.kernels.near_worlds import count_exactly

    options, begins, ends = who.option_bounds
    shown = np.concatenate([who.pools.counts, np.zeros(who.n_values, dtype=np.int32)])
    if truth is not None:
        _begin_with(who, world, truth)
    several, sizes = who.open[who.members], np.diff(who.member_starts)
    if several.any():
        _assign(who, world, rng, truth)
        firsts = np.minimum(who.member_starts[:-1], len(several) - 1)
        sizes = np.where(several[firsts], 0, sizes)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    count_exactly(
        _seed(rng),
        starts,
        who.members[~several],
        begins,
        ends,
        shown,
        world.current,
        world.chosen,
    )
    some = ~who.open
    world.values[some] = options[world.chosen[some]]
    world.places[some] = (world.chosen - begins)[some]


def _begin_with(who: Appearances, world: World, truth: IntArray) -> None:
    """Begin with given values, as far as they are possible."""
    options, begins, ends = who.option_bounds
    for place in range(int((ends - begins).max(initial=0))):
        at = np.minimum(begins + place, ends - 1)
        found = options[at] == truth
        world.chosen[found] = at[found]
    world.current[:] = 0
    counted = _counted(who)
    np.add.at(world.current, world.chosen[counted], 1)


def _assign(
    who: Appearances, world: World, rng: np.random.Generator, truth: IntArray | None
) -> None:
    """Give the tuples of pools of several groups to people who fit, at random."""
    from seriatim.kernels.placing import match_people

    entries = np.flatnonzero(who.open)
    entries = entries[rng.permutation(len(entries))]
    n_groups = int(who.tuple_groups.max(initial=-1)) + 1
    if truth is None:
        fit_starts, fitting, cells = who.fit_starts, who.fitting, who.tuple_groups
    else:  # whoever fits a group that shows what they have; nobody has anything
        cells = who.tuple_groups * who.n_values + who.tuple_values
        true = np.repeat(truth, np.diff(who.fit_starts))
        times = np.where(true >= 0, 1, who.n_values)
        wanted = np.repeat(who.fitting * who.n_values + np.maximum(true, 0), times)
        wanted += np.arange(len(wanted)) - np.repeat(np.cumsum(times) - times, times)
        there = np.isin(wanted, cells)
        ends = np.concatenate([[0], np.cumsum(times)])[who.fit_starts]
        fit_starts = np.concatenate([[0], np.cumsum(there)])[ends]
        fitting = wanted[there]
        n_groups *= who.n_values
    starts = np.concatenate([[0], np.cumsum(np.bincount(cells, minlength=n_groups))])
    cell_of = np.full(len(who), -1, dtype=np.int64)
    match_people(starts, fit_starts, fitting, entries, cell_of)
    # The tuples of each cell in any order, to those who have been given to it.
    tuples = rng.permutation(len(cells))
    tuples = tuples[np.argsort(cells[tuples], kind="stable")]
    order = entries[np.argsort(cell_of[entries], kind="stable")]
    order = order[np.count_nonzero(cell_of[order] < 0) :]
    begins = np.searchsorted(cell_of[order], cell_of[order])
    given = tuples[starts[cell_of[order]] + np.arange(len(order)) - begins]
    world.values[entries], world.groups[entries] = -1, -1
    world.values[order] = who.tuple_values[given]
    world.groups[order] = who.tuple_groups[given]
    pools = who.pool_of[order]
    shown = who.pools.pool_of * who.n_values + who.pools.options
    found = np.searchsorted(shown, pools * who.n_values + world.values[order])
    world.places[order] = found - who.pools.starts[pools]


def _stir(who: Appearances, world: World, sweeps: int, seed: int) -> None:
    """Draw the next worlds of a chain."""
    from seriatim.kernels.worlds import draw_unseen, stir

    automaton = who.automaton
    knowledge: tuple[Any, ...] = (
        automaton.start,
        automaton.next_state,
        automaton.next_value,
        automaton.known,
        who.table_of,
        who.prior,
        who.prior_of,
    )
    move: Any = stir  # its declared type counts too few arguments
    draw: Any = draw_unseen
    rng = np.random.default_rng(seed)
    at_once = 1 if len(who.unseen) else max(sweeps, 1)
    several = np.flatnonzero(who.open)
    kin_starts, kin = who.kin
    for _ in range(0, sweeps, at_once):
        move(
            _seed(rng),
            at_once,
            max(len(who.offsets) - 1, _LEAST_EXCHANGES),
            several,
            who.offsets,
            who.who,
            who.order,
            who.pool_of,
            who.member_starts,
            who.members,
            who.fit_starts,
            who.fitting,
            who.kin_of,
            kin_starts,
            kin,
            who.hidden,
            int(who.forgetful),
            *knowledge,
            world.values,
            world.groups,
            world.places,
            who.rooms,
            world.held,
            world.times,
        )
        if len(who.unseen):
            draw(
                _seed(rng),
                who.unseen,
                who.who,
                who.offsets,
                who.hidden,
                *knowledge,
                world.values,
                who.rooms,
                world.held,
                world.times,
            )


def _hold_the_rest(who: Appearances, worlds: list[World]) -> None:
    """Give those who can change places with nobody what they have."""
    for world in worlds:
        alone = np.flatnonzero((world.times == 0) & (np.diff(who.rooms) > 0) & (world.values >= 0))
        world.held[who.rooms[alone] + world.places[alone]] = 1.0
        world.times[alone] = 1.0
