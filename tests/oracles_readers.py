"""Slow, obvious twins for readers who do not know who is where, or were told something.

Plain Python and enumeration, as in ``oracles.py``: every way to give each tuple of a
release to a respondent of its own, whose quasi-identifiers lie in its region. Whoever
is left over is absent.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence, Set
from typing import NamedTuple

from oracles import Knowledge, Row, filtered_next, mean, smoothed

Tuple = tuple[int, int]
"""A published tuple: its group and the code of its value."""

# ---------------------------------------------------------------------------
# Who may be where
# ---------------------------------------------------------------------------


def assignments(fitting: Sequence[Set[int]], sizes: Sequence[int]) -> list[tuple[int | None, ...]]:
    """Every way to fill the groups with people who fit; None for whoever is absent."""
    choices = [[*sorted(groups), None] for groups in fitting]
    return [
        way
        for way in itertools.product(*choices)
        if all(way.count(group) == size for group, size in enumerate(sizes))
    ]


def possible_pairs(ways: Sequence[tuple[int | None, ...]]) -> set[tuple[int, int]]:
    """The pairs of respondent and group that occur in any of them."""
    return {
        (person, group) for way in ways for person, group in enumerate(way) if group is not None
    }


# ---------------------------------------------------------------------------
# What is concluded
# ---------------------------------------------------------------------------


def certainty(n_values: int, value: int) -> list[float]:
    return [float(one == value) for one in range(n_values)]


def with_told(revised: Sequence[Row], told: Mapping[int, int]) -> list[Row]:
    """What is expected of each, where some values are known."""
    return [
        certainty(len(row), told[person]) if person in told else row
        for person, row in enumerate(revised)
    ]


def placed_posterior(
    revised: Sequence[Row],
    fitting: Sequence[Set[int]],
    tuples: Sequence[Tuple],
    told: Mapping[int, int] | None = None,
) -> list[list[float]] | None:
    """Every way to hand out the tuples weighs the product of what was expected of the takers.

    Whoever is absent keeps what was expected. None where no way is possible.
    """
    known = with_told(revised, told or {})
    found = [[0.0] * len(row) for row in revised]
    total = 0.0
    for takers in itertools.permutations(range(len(revised)), len(tuples)):
        pairs = list(zip(takers, tuples, strict=True))
        if not all(group in fitting[person] for person, (group, _) in pairs):
            continue
        weight = math.prod(known[person][value] for person, (_, value) in pairs)
        total += weight
        for person, (_, value) in pairs:
            found[person][value] += weight
        for person in set(range(len(revised))) - set(takers):
            for value, probability in enumerate(known[person]):
                found[person][value] += weight * probability
    if total == 0:
        return None
    return [[weight / total for weight in row] for row in found]


def values_left(values: Sequence[int], told: Sequence[int]) -> list[int]:
    """The published values without one of each told."""
    left = list(values)
    for value in told:
        left.remove(value)
    return left


# ---------------------------------------------------------------------------
# A whole series
# ---------------------------------------------------------------------------


class Week(NamedTuple):
    """One release, as the custodian knows it."""

    groups: list[list[tuple[Hashable, int]]]
    """Respondent and value of every tuple, group by group."""

    told: dict[Hashable, int]
    """What a reader was told of some of them."""


class Read(NamedTuple):
    """What a reader holds of one respondent at one release."""

    person: Hashable
    likelihood: list[float]
    posterior: list[float]


def read_jointly(
    weeks: Sequence[Week], prior: Mapping[Hashable, Row], knowledge: Knowledge
) -> list[dict[Hashable, Read]]:
    """Read releases one after the other, each group by enumeration, each past by sequences.

    Beliefs are positive, so that posterior over expectation is how much a release speaks
    for a value.
    """
    past: dict[Hashable, list[list[float]]] = {}
    found = []
    for week in weeks:
        reads: dict[Hashable, Read] = {}
        for group in week.groups:
            people = [person for person, _ in group]
            revised = [
                filtered_next(knowledge, prior[person], past[person])
                if past.get(person)
                else prior[person]
                for person in people
            ]
            told = {row: week.told[one] for row, one in enumerate(people) if one in week.told}
            fitting = [{0}] * len(people)
            posterior = placed_posterior(revised, fitting, [(0, v) for _, v in group], told)
            assert posterior is not None
            for person, before, after in zip(people, revised, posterior, strict=True):
                likelihood = [p / b for p, b in zip(after, before, strict=True)]
                reads[person] = Read(person, likelihood, after)
        for person, read in reads.items():
            past.setdefault(person, []).append(read.likelihood)
        found.append(reads)
    return found


def passed_messages(
    weeks: Sequence[Week],
    read: Sequence[Mapping[Hashable, Read]],
    prior: Mapping[Hashable, Row],
    knowledge: Knowledge,
    passes: int,
    damping: float = 0.5,
) -> list[dict[Hashable, Read]]:
    """Go forward again: each group is weighed by what all other releases say of its members.

    Those before it say so in this pass, those after it said so in the pass before. What the old
    message made of that keeps a share.
    """
    now = [dict(reads) for reads in read]
    for _ in range(passes):
        later = [
            {person: hindsight(now, week, person, prior[person], knowledge) for person in reads}
            for week, reads in enumerate(now)
        ]
        for number, week in enumerate(weeks):
            cavities = {
                person: normalized(
                    [
                        before * after
                        for before, after in zip(
                            foreseen(now, number, person, prior[person], knowledge),
                            later[number][person],
                            strict=True,
                        )
                    ]
                )
                for person in now[number]
            }
            now[number] = passed_week(week, now[number], cavities, damping)
    return now


def foreseen(
    read: Sequence[Mapping[Hashable, Read]],
    week: int,
    person: Hashable,
    prior: Row,
    knowledge: Knowledge,
) -> Row:
    """What the releases before make expect of the person."""
    past = [reads[person].likelihood for reads in read[:week] if person in reads]
    return filtered_next(knowledge, prior, past) if past else prior


def hindsight(
    read: Sequence[Mapping[Hashable, Read]],
    week: int,
    person: Hashable,
    prior: Row,
    knowledge: Knowledge,
) -> list[float]:
    """How much the later releases speak for each value, given those before."""
    seen = [number for number, reads in enumerate(read) if person in reads]
    likelihoods = [read[number][person].likelihood for number in seen]
    place = seen.index(week)
    both = smoothed(knowledge, prior, silenced(likelihoods, [place]))[place]
    before = foreseen(read, week, person, prior, knowledge)
    return [all_others / past for all_others, past in zip(both, before, strict=True)]


def normalized(weights: Row) -> list[float]:
    return [weight / sum(weights) for weight in weights]


def passed_week(
    week: Week, reads: Mapping[Hashable, Read], cavities: Mapping[Hashable, Row], damping: float
) -> dict[Hashable, Read]:
    """What a release says once its groups were weighed by the cavities."""
    found = {}
    for group in week.groups:
        people = [person for person, _ in group]
        told = {row: week.told[one] for row, one in enumerate(people) if one in week.told}
        expected = [cavities[person] for person in people]
        posterior = placed_posterior(
            expected, [{0}] * len(people), [(0, v) for _, v in group], told
        )
        assert posterior is not None
        for person, before, after in zip(people, expected, posterior, strict=True):
            said = zip(reads[person].likelihood, before, strict=True)
            old = normalized([message * expected for message, expected in said])
            mixed = [damping * o + (1 - damping) * p for o, p in zip(old, after, strict=True)]
            new = [belief / expected for belief, expected in zip(mixed, before, strict=True)]
            found[person] = Read(person, new, reads[person].posterior)
    return found


def smoothed_weeks(
    read: Sequence[Mapping[Hashable, Read]], prior: Mapping[Hashable, Row], knowledge: Knowledge
) -> list[dict[Hashable, list[float]]]:
    """What is believed of each release after all of them."""
    found: list[dict[Hashable, list[float]]] = [{} for _ in read]
    for person in {person for week in read for person in week}:
        seen = [week for week, reads in enumerate(read) if person in reads]
        likelihoods = [read[week][person].likelihood for week in seen]
        beliefs = smoothed(knowledge, prior[person], likelihoods)
        for week, belief in zip(seen, beliefs, strict=True):
            found[week][person] = belief
    return found


# ---------------------------------------------------------------------------
# Why something is believed
# ---------------------------------------------------------------------------


def silenced(likelihoods: Sequence[Row], places: Sequence[int]) -> list[Row]:
    """The same releases, some of which speak for every value alike."""
    return [[1.0] * len(row) if place in places else row for place, row in enumerate(likelihoods)]


def granted(likelihoods: Sequence[Row], place: int, value: int) -> list[Row]:
    """The same releases, one of which leaves a single value."""
    found = list(likelihoods)
    found[place] = certainty(len(found[place]), value)
    return found


def without_each(
    knowledge: Knowledge, first: Row, likelihoods: Sequence[Row], place: int, value: int
) -> list[float]:
    """The belief in a value if each release in turn had told nothing."""
    return [
        smoothed(knowledge, first, silenced(likelihoods, [gone]))[place][value]
        for gone in range(len(likelihoods))
    ]


def step_chances(
    knowledge: Knowledge, first: Row, likelihoods: Sequence[Row], early: int, values: Tuple
) -> tuple[float, float]:
    """How likely the later of two neighbouring values is: given the earlier, and without.

    Nothing from the later release on has been seen.
    """
    unseen = silenced(likelihoods, range(early + 1, len(likelihoods)))
    given = smoothed(knowledge, first, granted(unseen, early, values[0]))
    return given[early + 1][values[1]], smoothed(knowledge, first, unseen)[early + 1][values[1]]


# ---------------------------------------------------------------------------
# Figures of an audit
# ---------------------------------------------------------------------------


class Audited(NamedTuple):
    """What a reader believes of one published respondent in one release."""

    week: int
    person: Hashable
    belief: Row
    share: Sequence[float]
    """The share of each value in the respondent's group."""
    truth: int


def top_rate(belief: Row, truth: int) -> float:
    """The chance of naming the truth by naming a most believed value; ties are shared."""
    most = [v for v, p in enumerate(belief) if math.isclose(p, max(belief), rel_tol=1e-9)]
    return truth in most and 1 / len(most)


def gain(one: Audited) -> float:
    believed, share = one.belief[one.truth], one.share[one.truth]
    return 0.0 if share == 1 else (believed - share) / (1 - share)


def surprise(probability: float) -> float:
    """−log₂ p, of a p that is at least the smallest step of a float."""
    return -math.log2(max(probability, 2.0**-52))


def share_above(numbers: Sequence[float], bound: float) -> float:
    return sum(number > bound for number in numbers) / len(numbers)


def ever(found: Sequence[Audited], numbers: Sequence[float], bound: float) -> float:
    """The share of people of whom a number is above a bound in some release."""
    everyone = {one.person for one in found}
    those = {one.person for one, number in zip(found, numbers, strict=True) if number > bound}
    return len(those) / len(everyone)


def release_figures(found: Sequence[Audited]) -> dict[str, float]:
    """The figures of one release, each written out."""
    gained = [gain(one) for one in found]
    true = [one.belief[one.truth] for one in found]
    counted = [one.share[one.truth] for one in found]
    return {
        "respondents": len(found),
        "sure_above_half": share_above([max(one.belief) for one in found], 0.5),
        "sure_above_nine_tenths": share_above([max(one.belief) for one in found], 0.9),
        "sure_above_nine_tenths_by_frequency": share_above([max(o.share) for o in found], 0.9),
        "gain": mean(gained),
        "gain_spread": math.sqrt(mean([(one - mean(gained)) ** 2 for one in gained])),
        "confidence": mean(true),
        "confidence_by_frequency": mean(counted),
        "log_loss": mean([surprise(one) for one in true]),
        "log_loss_by_frequency": mean([surprise(one) for one in counted]),
        "top_rate": mean([top_rate(one.belief, one.truth) for one in found]),
        "top_rate_by_frequency": mean([top_rate(one.share, one.truth) for one in found]),
        "above_half": share_above(true, 0.5),
        "above_nine_tenths": share_above(true, 0.9),
        "above_nine_tenths_by_frequency": share_above(counted, 0.9),
    }


def series_figures(found: Sequence[Audited]) -> dict[str, float | None]:
    """The figures of a whole series."""
    sure = [one for one in found if max(one.belief) > 0.9]
    right = [one.belief[one.truth] == max(one.belief) for one in sure]
    true = [one.belief[one.truth] for one in found]
    counted = [one.share[one.truth] for one in found]
    weeks = [[one for one in found if one.week == week] for week in {one.week for one in found}]
    return {
        "tuples": len(found),
        "sure_above_nine_tenths": len(sure) / len(found),
        "sure_and_right": mean([float(one) for one in right]) if right else None,
        "gain": mean([gain(one) for one in found]),
        "gain_largest": max(mean([gain(one) for one in week]) for week in weeks),
        "log_loss": mean([surprise(one) for one in true]),
        "log_loss_by_frequency": mean([surprise(one) for one in counted]),
        "ever_above_half": ever(found, true, 0.5),
        "ever_above_nine_tenths": ever(found, true, 0.9),
        "ever_above_nine_tenths_by_frequency": ever(found, counted, 0.9),
    }


# ---------------------------------------------------------------------------
# Elapsed time
# ---------------------------------------------------------------------------


def steps_away(matrix: Sequence[Row], steps: int) -> list[list[float]]:
    """The chances after so many steps: the sum over every path."""
    n = len(matrix)
    found = [[0.0] * n for _ in range(n)]
    for path in itertools.product(range(n), repeat=steps + 1):
        chance = math.prod(matrix[here][there] for here, there in itertools.pairwise(path))
        found[path[0]][path[-1]] += chance
    return found


def rates_after(generator: Sequence[Row], time: float, parts: int = 2**20) -> list[list[float]]:
    """exp(Q·t), as very many very short steps (squared together)."""
    n = len(generator)
    step = [[(i == j) + generator[i][j] * time / parts for j in range(n)] for i in range(n)]
    while parts > 1:
        step = [
            [math.fsum(step[i][k] * step[k][j] for k in range(n)) for j in range(n)]
            for i in range(n)
        ]
        parts //= 2
    return step


# ---------------------------------------------------------------------------
# Looking back over a window
# ---------------------------------------------------------------------------


def looked_back(
    knowledge: Knowledge,
    opening: Mapping[int, float],
    beyond: float,
    rest: Row,
    likelihoods: Sequence[Row],
) -> list[list[float]]:
    """What each value of a window is believed to be, over every sequence of values.

    ``opening`` weighs the states before the window; the weight ``beyond`` them expects
    ``rest`` at first, and is then where a newcomer with that value would be.
    """
    n_values = len(rest)
    origins = [(state, weight, knowledge.next_value[state]) for state, weight in opening.items()]
    origins.append((knowledge.start, beyond, rest))
    found = [[0.0] * n_values for _ in likelihoods]
    for sequence in itertools.product(range(n_values), repeat=len(likelihoods)):
        seen = math.prod(row[value] for row, value in zip(likelihoods, sequence, strict=True))
        for origin, share, first in origins:
            weight = seen * share * first[sequence[0]]
            state = knowledge.next_state[origin][sequence[0]]
            for value in sequence[1:]:
                weight *= knowledge.next_value[state][value]
                state = knowledge.next_state[state][value]
            for place, value in enumerate(sequence):
                found[place][value] += weight
    return [[weight / sum(row) for weight in row] for row in found]
