"""Slow, obvious twins of what tells how useful a release is; not one import from the package.

A cell is a tuple of bins, one for each attribute; a count is how many people have a cell and a
value, which may be a fraction.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

Cell = tuple[int, ...]
Counts = Mapping[Cell, Sequence[float]]
Effects = Mapping[tuple[int, int, int], float]
Row = Sequence[float]


def additive_belief(marginal: Row, effects: Effects, cell: Cell) -> list[float]:
    """P(v) · exp of the sum of the effects of the cell's bins, normalized."""
    weights = []
    for value, share in enumerate(marginal):
        total = sum(effects.get((axis, place, value), 0.0) for axis, place in enumerate(cell))
        weights.append(share * math.exp(total))
    return [weight / sum(weights) for weight in weights]


def additive_likelihood(
    counts: Counts, marginal: Row, effects: Effects, bins: Sequence[int], imagined: float
) -> float:
    """The logarithm of the likelihood of those counted and those imagined, in nats."""
    found = 0.0
    for cell, row in counts.items():
        belief = additive_belief(marginal, effects, cell)
        found += sum(count * math.log(chance) for count, chance in zip(row, belief, strict=True))
    for axis, number in enumerate(bins):
        for place in range(number):
            # Of whom nothing else is known: no other attribute has an effect.
            alone = {key: one for key, one in effects.items() if key[:2] == (axis, place)}
            nowhere = tuple(place if other == axis else -1 for other in range(len(bins)))
            belief = additive_belief(marginal, alone, nowhere)
            found += imagined * sum(
                share * math.log(chance) for share, chance in zip(marginal, belief, strict=True)
            )
    return found


def additive_fit(
    counts: Counts, marginal: Row, bins: Sequence[int], imagined: float, steps: int = 3000
) -> dict[tuple[int, int, int], float]:
    """The likeliest effects, uphill one effect at a time by halving strides."""
    effects = {
        (axis, place, value): 0.0
        for axis, number in enumerate(bins)
        for place in range(number)
        for value in range(len(marginal))
    }
    best = additive_likelihood(counts, marginal, effects, bins, imagined)
    stride = 1.0
    for _ in range(steps):
        moved = False
        for key, sign in itertools.product(effects, (1, -1)):
            tried = {**effects, key: effects[key] + sign * stride}
            found = additive_likelihood(counts, marginal, tried, bins, imagined)
            if found > best:
                effects, best, moved = tried, found, True
        if not moved:
            stride /= 2
        if stride < 1e-7:
            break
    return effects


def foretold(
    people: Sequence[tuple[Cell, int]],
    parts: Sequence[int],
    n_values: int,
    bins: Sequence[int],
    strengths: Sequence[float],
) -> tuple[float, float]:
    """Mean surprise in bits, by the marginal and by the best fit, each part by all others."""
    means = []
    for imagined in strengths:
        alone, fitted = [], []
        for part in sorted(set(parts)):
            known = [one for one, its in zip(people, parts, strict=True) if its != part]
            counts: dict[Cell, list[float]] = {}
            for cell, value in known:
                counts.setdefault(cell, [0.0] * n_values)[value] += 1
            marginal = [
                (sum(value == one for _, one in known) + 1 / n_values) / (len(known) + 1)
                for value in range(n_values)
            ]
            effects = additive_fit(counts, marginal, bins, imagined)
            for (cell, value), its in zip(people, parts, strict=True):
                if its == part:
                    alone.append(-math.log2(marginal[value]))
                    fitted.append(-math.log2(additive_belief(marginal, effects, cell)[value]))
        means.append((sum(fitted) / len(fitted), sum(alone) / len(alone)))
    by_fit, by_marginal = min(means)
    return by_marginal, by_fit


def part_codes(share: float, runs: Sequence[tuple[int, int]]) -> int:
    """The code at a share of the way through runs of whole codes, all written out."""
    codes = [code for low, high in runs for code in range(low, high + 1)]
    return codes[int(share * len(codes))]


def assignments(values: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every way to give a bucket's values to its people."""
    yield from set(itertools.permutations(values))


def bucket_step(
    buckets: Sequence[tuple[Sequence[int], Sequence[int]]], shares: Sequence[Row]
) -> tuple[list[list[float]], float]:
    """One step of expectation maximization, and the log-likelihood it starts from.

    A bucket is the classes of its people and its values; every assignment is weighed.
    """
    totals = [[0.0] * len(shares[0]) for _ in shares]
    likelihood = 0.0
    for classes, values in buckets:
        weighed = {
            way: math.prod(shares[kind][value] for kind, value in zip(classes, way, strict=True))
            for way in assignments(values)
        }
        whole = sum(weighed.values())
        likelihood += math.log(whole)
        for way, weight in weighed.items():
            for kind, value in zip(classes, way, strict=True):
                totals[kind][value] += weight / whole
    return [[one / sum(row) for one in row] for row in totals], likelihood


def by_frequency(
    buckets: Sequence[tuple[Sequence[int], Sequence[int]]], classes: int, n_values: int
) -> list[list[float]]:
    """What classes have if everyone has the frequencies of their bucket."""
    totals = [[0.0] * n_values for _ in range(classes)]
    for members, values in buckets:
        for kind in members:
            for value in values:
                totals[kind][value] += 1 / len(values)
    return [[one / sum(row) for one in row] for row in totals]


def likeliest_shares(
    buckets: Sequence[tuple[Sequence[int], Sequence[int]]],
    classes: int,
    n_values: int,
    steps: int = 2000,
) -> list[list[float]]:
    """Where steps from the buckets' frequencies lead to."""
    shares = by_frequency(buckets, classes, n_values)
    for _ in range(steps):
        shares = bucket_step(buckets, shares)[0]
    return shares


def counted_bounds(
    buckets: Sequence[tuple[Sequence[int], Sequence[int]]], kind: int, value: int
) -> tuple[int, int]:
    """The fewest and the most of a class that have a value, over every assignment."""
    least = most = 0
    for classes, values in buckets:
        having = [
            sum(one == kind and given == value for one, given in zip(classes, way, strict=True))
            for way in assignments(values)
        ]
        least, most = least + min(having), most + max(having)
    return least, most
