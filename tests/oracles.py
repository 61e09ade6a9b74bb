"""Slow, obvious twins of every formula.

Plain Python, one loop per sum of the formula, exact fractions where counts allow
it, and not one import from the package: what they share with it is the paper.
Posteriors enumerate configurations, revision enumerates sequences of values.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from hilbertcurve.hilbertcurve import HilbertCurve

Row = Sequence[float]
"""A distribution over the values, by code."""

JS_ROOM = 5e-10
"""How far a scan lets the divergence of a group pass its bound; other measures get no room."""

# ---------------------------------------------------------------------------
# Divergence, distance, diversity
# ---------------------------------------------------------------------------


def entropy(belief: Row) -> float:
    """H(p) = −Σ p·log₂ p, in bits."""
    return -math.fsum(p * math.log2(p) for p in belief if p > 0)


def mean_belief(beliefs: Sequence[Row]) -> list[float]:
    return [math.fsum(column) / len(beliefs) for column in zip(*beliefs, strict=True)]


def js_divergence(beliefs: Sequence[Row]) -> float:
    """JS(P) = H(mean of P) − mean of H(P)."""
    mean_entropy = math.fsum(entropy(belief) for belief in beliefs) / len(beliefs)
    return entropy(mean_belief(beliefs)) - mean_entropy


def shares(values: Sequence[int], n_values: int) -> list[Fraction]:
    """How large a part of the tuples has each value."""
    return [Fraction(list(values).count(value), len(values)) for value in range(n_values)]


def equal_distance(group: Sequence[int], view: Sequence[int], n_values: int) -> Fraction:
    """The earth to move when every way has length one: what the two do not have in common."""
    pairs = zip(shares(group, n_values), shares(view, n_values), strict=True)
    return 1 - sum(min(here, there) for here, there in pairs)


def ordered_distance(group: Sequence[int], view: Sequence[int], n_values: int) -> Fraction:
    """Carry earth from the leftmost heap to the leftmost hole until everything is level."""
    heaps, holes = shares(group, n_values), shares(view, n_values)
    cost, heap, hole = Fraction(0), 0, 0
    while heap < n_values and hole < n_values:
        carried = min(heaps[heap], holes[hole])
        cost += carried * abs(heap - hole)
        heaps[heap] -= carried
        holes[hole] -= carried
        heap += heaps[heap] == 0
        hole += holes[hole] == 0
    return cost / max(n_values - 1, 1)


def scanned_equal_distance(group: Sequence[int], view: Sequence[int], n_values: int) -> float:
    """Σ|c/n − v/N| / 2 in floats, value by value: what decides, to the last digit, in a scan."""
    apart = 0.0
    for value in range(n_values):
        apart += abs(group.count(value) / len(group) - view.count(value) / len(view))
    return apart / 2


def scanned_ordered_distance(group: Sequence[int], view: Sequence[int], n_values: int) -> float:
    """Σ|Σ(c/n − v/N)| / (values − 1) in floats, value by value."""
    carried = moved = 0.0
    for value in range(n_values - 1):
        carried += group.count(value) / len(group) - view.count(value) / len(view)
        moved += abs(carried)
    return moved / max(n_values - 1, 1)


def distinct_values(values: Sequence[int]) -> int:
    return len(set(values))


def effective_values(group: Sequence[int], n_values: int) -> float:
    """1 / Π q^q: the number of equally frequent values that are as uncertain."""
    return 1 / math.prod(float(q) ** float(q) for q in shares(group, n_values) if q > 0)


def most_over_tail(group: Sequence[int], l: int) -> Fraction | float:
    """r₁ / (r_l + … + r_m), the counts from the greatest; infinite where nothing is left."""
    counts = sorted((list(group).count(value) for value in set(group)), reverse=True)
    tail = sum(counts[l - 1 :])
    return Fraction(counts[0], tail) if tail else math.inf


def keeps_likeness(
    group: Sequence[int], view: Sequence[int], n_values: int, beta: float, *, enhanced: bool
) -> bool:
    """(q − p) / p ≤ β, or ≤ min(β, −ln p), for every value with q > p, as the model says it."""
    for q, p in zip(shares(group, n_values), shares(view, n_values), strict=True):
        most = min(beta, -math.log(p)) if enhanced and p > 0 else beta
        if q > p and (q - p) / p > most:
            return False
    return True


def likeness(
    group: Sequence[int], view: Sequence[int], n_values: int, *, enhanced: bool
) -> Fraction | float:
    """The least β that is kept, tried out among all that could be it; infinite if none is."""
    pairs = list(zip(shares(group, n_values), shares(view, n_values), strict=True))
    candidates = [Fraction(0), *((q - p) / p for q, p in pairs if q > p)]
    kept = (
        beta
        for beta in sorted(candidates)
        if keeps_likeness(group, view, n_values, beta, enhanced=enhanced)
    )
    return next(kept, math.inf)


def log_ratio(group: Sequence[int], view: Sequence[int], n_values: int) -> float:
    """The greatest |ln(q/p)| over the values of the table; ln 0 is infinite."""
    greatest = 0.0
    for q, p in zip(shares(group, n_values), shares(view, n_values), strict=True):
        if p > 0:
            greatest = max(greatest, abs(math.log(q / p)) if q > 0 else math.inf)
    return greatest


# ---------------------------------------------------------------------------
# Posterior of one group
# ---------------------------------------------------------------------------


def frequencies(values: Sequence[int], n_values: int) -> list[float]:
    return [float(share) for share in shares(values, n_values)]


def additive_posterior(prior: Sequence[Row], values: Sequence[int]) -> list[list[float]]:
    """Every configuration c weighs its degree, the sum of its probabilities (Section IV-B).

    A configuration gives each member a tuple of their own; with more tuples than members,
    some tuples are left for people the reader does not know of.
    """
    size, n_values = len(prior), len(prior[0])
    degree_with = [[0.0] * n_values for _ in range(size)]
    all_degrees = 0.0
    for configuration in itertools.permutations(values, size):
        degree = math.fsum(prior[r][value] for r, value in enumerate(configuration))
        all_degrees += degree
        for r, value in enumerate(configuration):
            degree_with[r][value] += degree
    if all_degrees == 0:
        return [frequencies(values, n_values) for _ in range(size)]
    return [[degree / all_degrees for degree in row] for row in degree_with]


def omega_posterior(prior: Sequence[Row], values: Sequence[int]) -> list[list[float]]:
    """n_s · p(r,s) / Σ_r' p(r',s), normalized over s; frequencies where that says nothing."""
    size, n_values = len(prior), len(prior[0])
    posterior = []
    for r in range(size):
        weights = []
        for s in range(n_values):
            times = list(values).count(s)
            column = math.fsum(prior[other][s] for other in range(size))
            weights.append(times * prior[r][s] / column if column > 0 else times / len(values))
        total = math.fsum(weights)
        posterior.append(
            [weight / total for weight in weights] if total > 0 else frequencies(values, n_values)
        )
    return posterior


# ---------------------------------------------------------------------------
# Priors as people write them down
# ---------------------------------------------------------------------------


def completed(listed: Mapping[Any, float], domain: Sequence[Any]) -> list[float]:
    """What a row does not give away is shared evenly by the values that it does not name."""
    unnamed = [value for value in domain if value not in listed]
    rest = 1 - math.fsum(listed.values())
    return [listed[value] if value in listed else rest / len(unnamed) for value in domain]


# ---------------------------------------------------------------------------
# Sequence knowledge
# ---------------------------------------------------------------------------


class Knowledge(NamedTuple):
    """An automaton as bare tables."""

    next_value: Sequence[Row]
    """What each state expects next."""

    next_state: Sequence[Sequence[int]]
    """Where each value leads from each state."""

    start: int = 0
    """Where a respondent begins."""

    known: Sequence[bool] | None = None
    """Which states expect anything; all when left out."""

    def knows(self, state: int) -> bool:
        return self.known is None or bool(self.known[state])

    def after(self, sequence: Sequence[int]) -> int:
        state = self.start
        for value in sequence:
            state = self.next_state[state][value]
        return state


def revise(knowledge: Knowledge, posteriors: Sequence[Row], prior: Row) -> list[float]:
    """Σ_λ p̃(s|λ) · Π_j PK_j(s_j), over every sequence λ of past values (Section IV-C)."""
    n_values = len(prior)
    revised = [0.0] * n_values
    for sequence in itertools.product(range(n_values), repeat=len(posteriors)):
        weight = math.prod(row[value] for row, value in zip(posteriors, sequence, strict=True))
        state = knowledge.after(sequence)
        expected = knowledge.next_value[state] if knowledge.knows(state) else prior
        for value in range(n_values):
            revised[value] += weight * expected[value]
    return revised


def longest_context(
    history: Sequence[Any], table: Mapping[tuple[Any, ...], Any]
) -> tuple[Any, ...] | None:
    """The longest context of a table that a history ends with."""
    for length in range(len(history), -1, -1):
        context = tuple(history[len(history) - length :])
        if context in table:
            return context
    return None


def running_probability(knowledge: Knowledge, sequence: Sequence[int]) -> float:
    """How likely the model makes a sequence; a state that expects nothing makes all alike."""
    n_values = len(knowledge.next_state[0])
    probability, state = 1.0, knowledge.start
    for value in sequence:
        evenly = 1 / n_values
        probability *= knowledge.next_value[state][value] if knowledge.knows(state) else evenly
        state = knowledge.next_state[state][value]
    return probability


def truncated_expectation(
    knowledge: Knowledge, context: tuple[int, ...], steps: int, horizon: int
) -> list[float] | None:
    """What a reader expects who remembers n values, by whole histories up to the horizon.

    A context shorter than n values is a whole history, if that is possible. Otherwise, as a
    full one, it may have begun after 0, 1, … horizon − 1 earlier values; and if that is not
    possible either, its oldest value is forgotten. None where only the prior is left to say
    anything.
    """
    n_values = len(knowledge.next_state[0])
    histories = [context] if len(context) < steps else _ending_with(context, n_values, horizon)
    forgotten = itertools.count(0 if len(context) < steps else 1)
    while not any(running_probability(knowledge, history) > 0 for history in histories):
        histories = _ending_with(context[next(forgotten) :], n_values, horizon)
    total, sums = 0.0, [0.0] * n_values
    for history in histories:
        state = knowledge.after(history)
        if knowledge.knows(state):
            weight = running_probability(knowledge, history)
            total += weight
            for value in range(n_values):
                sums[value] += weight * knowledge.next_value[state][value]
    return [part / total for part in sums] if total > 0 else None


def _ending_with(context: tuple[int, ...], n_values: int, horizon: int) -> list[tuple[int, ...]]:
    return [
        (*before, *context)
        for length in range(horizon)
        for before in itertools.product(range(n_values), repeat=length)
    ]


# ---------------------------------------------------------------------------
# The Hilbert curve
# ---------------------------------------------------------------------------


def hilbert_index(point: Sequence[int], bits: int) -> int:
    """The index as the hilbertcurve package computes it."""
    return int(HilbertCurve(bits, len(point)).distance_from_point(list(point)))


def hilbert_point(index: int, bits: int, dimensions: int) -> tuple[int, ...]:
    """The way back, on one big integer: deal its bits out to the axes, undo the Gray code,
    and turn the sub-cubes from the smallest to the largest (Skilling, TransposetoAxes)."""
    axes = [0] * dimensions
    for place in range(bits * dimensions):
        digit = (index >> (bits * dimensions - 1 - place)) & 1
        axes[place % dimensions] = axes[place % dimensions] << 1 | digit
    carry = axes[-1] >> 1
    for axis in range(dimensions - 1, 0, -1):
        axes[axis] ^= axes[axis - 1]
    axes[0] ^= carry
    for height in range(1, bits):
        side = 1 << height
        for axis in range(dimensions - 1, -1, -1):
            if axes[axis] & side:
                axes[0] ^= side - 1
            else:
                swap = (axes[0] ^ axes[axis]) & (side - 1)
                axes[0] ^= swap
                axes[axis] ^= swap
    return tuple(axes)


# ---------------------------------------------------------------------------
# Ties
# ---------------------------------------------------------------------------

_WORD = 2**64


def _rotated(word: int, bits: int) -> int:
    return (word << bits | word >> (64 - bits)) % _WORD


def _sip_round(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    a, c = (a + b) % _WORD, (c + d) % _WORD
    b, d = _rotated(b, 13) ^ a, _rotated(d, 16) ^ c
    a = _rotated(a, 32)
    a, c = (a + d) % _WORD, (c + b) % _WORD
    d, b = _rotated(d, 21) ^ a, _rotated(b, 17) ^ c
    return a, b, _rotated(c, 32), d


def siphash(message: bytes, key: bytes) -> int:
    """SipHash-2-4 (Aumasson and Bernstein, 2012), on whole numbers of any size."""
    low, high = (int.from_bytes(half, "little") for half in (key[:8], key[8:]))
    state = tuple(
        part ^ int.from_bytes(letters, "big")
        for part, letters in zip(
            (low, high, low, high),
            (b"somepseu", b"dorandom", b"lygenera", b"tedbytes"),
            strict=True,
        )
    )
    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for begin in range(0, len(padded), 8):
        word = int.from_bytes(padded[begin : begin + 8], "little")
        a, b, c, d = state
        state = _sip_round(*_sip_round(a, b, c, d ^ word))
        state = (state[0] ^ word, *state[1:])
    a, b, c, d = state
    state = (a, b, c ^ 0xFF, d)
    for _ in range(4):
        state = _sip_round(*state)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def tie(respondent: Hashable, secret: bytes) -> int:
    """The number that orders a respondent among those with the same quasi-identifiers.

    It must not change from one version of the package to the next: a series goes on for years.
    """
    key = hashlib.blake2b(secret, digest_size=16, person=b"ties").digest()
    return siphash(str(respondent).encode(), key)


# ---------------------------------------------------------------------------
# Algorithm 2, and Algorithm 1 around it
# ---------------------------------------------------------------------------


def greedy_scan(
    order: Sequence[int], may_stand: Callable[[list[int]], bool]
) -> tuple[list[list[int]], list[int]]:
    """Close a group as soon as it may stand; return the groups and what is left over."""
    groups: list[list[int]] = []
    group: list[int] = []
    for row in order:
        group.append(row)
        if may_stand(group):
            groups.append(group)
            group = []
    return groups, group


def js_reduce_may_stand(
    values: Sequence[int], beliefs: Sequence[Row], *, k: int, t: float, j: float
) -> Callable[[list[int]], bool]:
    """|Q| ≥ k ∧ t-clos(Q) ≤ t ∧ js(Q) ≤ j, for a group of rows of a view."""

    def may_stand(group: list[int]) -> bool:
        if len(group) < k:
            return False
        closeness = scanned_equal_distance([values[row] for row in group], values, len(beliefs[0]))
        divergence = js_divergence([beliefs[row] for row in group])
        return closeness <= t and divergence <= j + JS_ROOM

    return may_stand


def confirmable(
    groups: list[list[int]], left: list[int], values: Sequence[int], n_values: int, t: float
) -> tuple[list[list[int]], list[int]]:
    """Suppress groups that are not t-close to the published table, until all are."""
    while left and groups:
        published = [values[row] for group in groups for row in group]
        close = [
            scanned_equal_distance([values[row] for row in group], published, n_values) <= t
            for group in groups
        ]
        if all(close):
            break
        left = left + [
            row for group, holds in zip(groups, close, strict=True) if not holds for row in group
        ]
        groups = [group for group, holds in zip(groups, close, strict=True) if holds]
    return groups, left


class Reading(NamedTuple):
    """One release of a series, and what its reader thinks before and after it."""

    groups: list[list[Hashable]]
    """Respondents, group by group in the order of the scan."""

    suppressed: list[Hashable]
    """Respondents whose tuple was removed."""

    revised: dict[Hashable, list[float]]
    """What was expected of every respondent of the view."""

    posterior: dict[Hashable, list[float]]
    """What is believed afterwards of every respondent of the view."""


TupleOfView = tuple[Hashable, Sequence[int], int]
"""Respondent, point on the grid, code of the value."""

PriorRows = Mapping[Hashable, Row] | Callable[[Hashable], Row]
Rule = Callable[[Sequence[Row], Sequence[int]], list[list[float]]]
Rows = list[int]
Generalize = Callable[[int, list[list[float]]], tuple[list[Rows], Rows]]
"""From the number of a release and the revised knowledge to groups and remainder."""


def js_reduce_series(
    views: Sequence[Sequence[TupleOfView]],
    prior: PriorRows,
    knowledge: Knowledge,
    *,
    k: int,
    t: float,
    j: float,
    bits: int,
    rule: Rule = omega_posterior,
) -> list[Reading]:
    """Algorithm 1 as it is written; tuples at one point keep the order they are listed in."""

    def generalize(release: int, beliefs: list[list[float]]) -> tuple[list[Rows], Rows]:
        index = [hilbert_index(point, bits) for _, point, _ in views[release]]
        values = [value for _, _, value in views[release]]
        order = sorted(range(len(index)), key=lambda row: index[row])
        groups, left = greedy_scan(order, js_reduce_may_stand(values, beliefs, k=k, t=t, j=j))
        return confirmable(groups, left, values, len(beliefs[0]), t)

    return read_series(views, prior, knowledge, generalize, rule)


def read_series(
    views: Sequence[Sequence[TupleOfView]],
    prior: PriorRows,
    knowledge: Knowledge,
    generalize: Generalize,
    rule: Rule = omega_posterior,
) -> list[Reading]:
    """The cycle of knowledge: all past posteriors are kept, all sequences enumerated.

    Whoever is suppressed, or absent, leaves no posterior behind.
    """
    prior_of = prior if callable(prior) else prior.__getitem__
    pasts: dict[Hashable, list[Row]] = {}
    readings = []
    for release, view in enumerate(views):
        respondents = [respondent for respondent, _, _ in view]
        beliefs = [
            revise(knowledge, pasts[respondent], prior_of(respondent))
            if respondent in pasts
            else list(prior_of(respondent))
            for respondent in respondents
        ]
        groups, left = generalize(release, beliefs)
        posterior = dict(zip(respondents, beliefs, strict=True))
        for row, concluded in read_groups(groups, [v for _, _, v in view], beliefs, rule).items():
            posterior[respondents[row]] = concluded
            pasts.setdefault(respondents[row], []).append(concluded)
        readings.append(
            Reading(
                [[respondents[row] for row in group] for group in groups],
                [respondents[row] for row in left],
                dict(zip(respondents, beliefs, strict=True)),
                posterior,
            )
        )
    return readings


def read_groups(
    groups: Sequence[Sequence[int]], values: Sequence[int], beliefs: Sequence[Row], rule: Rule
) -> dict[int, list[float]]:
    """PKComputation for every group; rows outside all groups get nothing."""
    concluded: dict[int, list[float]] = {}
    for group in groups:
        rows = rule([beliefs[row] for row in group], [values[row] for row in group])
        concluded.update(zip(group, rows, strict=True))
    return concluded


# ---------------------------------------------------------------------------
# Regions and their price
# ---------------------------------------------------------------------------


class Cover(NamedTuple):
    """What one attribute of one group is generalized to."""

    text: str
    extent: float
    penalty: float
    holds: Callable[[Any], bool]
    """Tells which values of the domain lie inside."""


def quoted(value: Any) -> str:
    """A value as it stands among others: in double quotes where it could be misread."""
    text = str(value)
    if text == "" or text != text.strip() or any(letter in ',"{}[]*\n\r' for letter in text):
        return '"' + "".join('""' if letter == '"' else letter for letter in text) + '"'
    return text


def interval(values: Sequence[float], low: float, high: float, write: Callable = str) -> Cover:
    """[least,greatest]; extent and penalty are both its length relative to the domain."""
    least, greatest = min(values), max(values)
    length = (greatest - least) / (high - low) if high > low else 0.0
    text = write(least) if least == greatest else f"[{write(least)},{write(greatest)}]"
    return Cover(text, length, length, lambda value: least <= value <= greatest)


def run_of(values: Sequence[Any], domain: Sequence[Any]) -> Cover:
    """An interval of places in an ordered domain, written with its values."""
    places = [domain.index(value) for value in values]
    run = interval(places, 0, len(domain) - 1, lambda place: quoted(domain[place]))
    return run._replace(holds=lambda value: min(places) <= domain.index(value) <= max(places))


def value_set(values: Sequence[Any], domain: Sequence[Any]) -> Cover:
    """{a,b}, in the order of the domain."""
    found = [value for value in domain if value in values]
    if len(found) == 1:
        return Cover(quoted(found[0]), 0.0, 0.0, found.__contains__)
    return Cover(
        "{" + ",".join(quoted(value) for value in found) + "}",
        (len(found) - 1) / (len(domain) - 1),
        len(found) / len(domain),
        found.__contains__,
    )


def lowest_node(values: Sequence[Any], paths: Mapping[Any, Sequence[Any]]) -> Cover:
    """Climb from the first leaf until the node lies above all the others as well.

    ``paths`` leads from every leaf to its ancestors, nearest first, up to one root.
    """
    lines = {leaf: (leaf, *above) for leaf, above in paths.items()}
    height = 0
    while len({lines[value][height] for value in values}) > 1:
        height += 1
    node = lines[values[0]][height]
    leaves = [leaf for leaf, line in lines.items() if line[height] == node]
    if len(leaves) == 1:
        return Cover(str(node), 0.0, 0.0, leaves.__contains__)
    share = (len(leaves) - 1) / (len(paths) - 1)
    return Cover(str(node), share, len(leaves) / len(paths), leaves.__contains__)


def prefix_paths(values: Sequence[str]) -> dict[str, list[str]]:
    """The tree that masking characters from the right makes of values.

    A short value stays itself until it is longer than what is kept of the longest.
    """
    longest = max(len(value) for value in values)
    return {
        value: [
            value if len(value) <= longest - hidden else value[: longest - hidden] + "*" * hidden
            for hidden in range(1, longest + 1)
        ]
        for value in values
    }


# ---------------------------------------------------------------------------
# Measures
# ---------------------------------------------------------------------------


def confidences(
    posterior: Mapping[int, Row], values: Sequence[int], groups: Sequence[Sequence[int]]
) -> list[float]:
    """The belief in the true value of every published tuple."""
    return [posterior[row][values[row]] for group in groups for row in group]


def gains(
    posterior: Mapping[int, Row], values: Sequence[int], groups: Sequence[Sequence[int]]
) -> list[float]:
    """(p − f) / (1 − f) for every published tuple, 0 where f = 1."""
    found = []
    for group in groups:
        for row in group:
            share = sum(values[other] == values[row] for other in group) / len(group)
            believed = posterior[row][values[row]]
            found.append(0.0 if share == 1 else (believed - share) / (1 - share))
    return found


def mean(numbers: Sequence[float]) -> float:
    return math.fsum(numbers) / len(numbers)


Cells = tuple[Any, ...]
"""The quasi-identifiers of a tuple."""


class Query(NamedTuple):
    """A count over ranges and sets, as predicates."""

    asks: Sequence[Callable[[Any], bool]]
    """Whether a value of each quasi-identifier is asked for."""

    values: Sequence[Any]
    """The sensitive values asked for."""


def true_count(query: Query, tuples: Sequence[tuple[Cells, Any]]) -> int:
    """Go through all tuples and count those that are asked for."""
    count = 0
    for cells, value in tuples:
        inside = all(asks(cell) for asks, cell in zip(query.asks, cells, strict=True))
        count += inside and value in query.values
    return count


def estimated_count(
    query: Query,
    groups: Sequence[tuple[Sequence[Cover], Sequence[Any]]],
    domains: Sequence[Sequence[Any]],
) -> Fraction:
    """Spread the tuples of each group over every cell of its region, one by one."""
    estimate = Fraction(0)
    for covers, values in groups:
        share = Fraction(1)
        for asks, cover, domain in zip(query.asks, covers, domains, strict=True):
            region = [cell for cell in domain if cover.holds(cell)]
            share *= Fraction(sum(asks(cell) for cell in region), len(region))
        estimate += share * sum(value in query.values for value in values)
    return estimate


def overlap_of_lengths(least: float, greatest: float, low: float, high: float) -> Fraction:
    """The share of [least, greatest] that lies in [low, high]; of a point, all or nothing."""
    ends = [Fraction(end) for end in (least, greatest, low, high)]
    if ends[0] == ends[1]:
        return Fraction(ends[2] <= ends[0] <= ends[3])
    common = min(ends[1], ends[3]) - max(ends[0], ends[2])
    return max(common, Fraction(0)) / (ends[1] - ends[0])


def median_relative_error(truths: Sequence[int], estimates: Sequence[Fraction]) -> float:
    """The middle one of |estimate − truth| / truth, or halfway between the two middle ones."""
    errors = sorted(abs(e - t) / t for t, e in zip(truths, estimates, strict=True))
    half = len(errors) // 2
    return float(errors[half] if len(errors) % 2 else (errors[half - 1] + errors[half]) / 2)


def semiperimeter(extents: Sequence[Row]) -> float:
    """The mean over groups of the sum over attributes of the relative length."""
    return mean([math.fsum(row) for row in extents])


def singled_out(groups: Sequence[Sequence[Hashable]]) -> Fraction:
    """The share of tuples whose value fits fewer than two, by the sets that groups publish.

    A group of s tuples that shows m different values leaves s / m tuples to each.
    """
    fitting: dict[Hashable, Fraction] = {}
    for group in groups:
        for value in set(group):
            each = Fraction(len(group), len(set(group)))
            fitting[value] = fitting.get(value, Fraction(0)) + each
    alone = [fits for fits in fitting.values() if fits < 2]
    return Fraction(sum(alone, Fraction(0)), sum(len(group) for group in groups))


def nearly_unique(cells: Mapping[Hashable, Hashable], few: int) -> bool:
    """Whether there are more than a few values, and fewer than two people to each of them."""
    values = set(cells.values())
    return len(values) > few and Fraction(len(cells), len(values)) < 2


def leaves_many_alone(cells: Mapping[Hashable, Hashable], few: int) -> bool:
    """Whether more than a few people, and more than a quarter, share their value with nobody."""
    values = list(cells.values())
    alone = [value for value in values if values.count(value) == 1]
    return len(alone) > few and Fraction(len(alone), len(cells)) > Fraction(1, 4)


def own_ids(ids: Sequence[str], cells: Sequence[str]) -> tuple[int, int]:
    """How many rows hold their own id, capitals and spaces aside: other words, and numbers."""
    pairs = zip(ids, cells, strict=True)
    same = [one.strip() for one, cell in pairs if one.strip().lower() == cell.strip().lower()]
    numbers = [one for one in same if one.isdigit()]
    return len([one for one in same if one]) - len(numbers), len(numbers)


def global_certainty_penalty(penalties: Sequence[Row], sizes: Sequence[int]) -> float:
    """Σ |G| · NCP(G) / (attributes · tuples)."""
    paid = math.fsum(size * math.fsum(row) for size, row in zip(sizes, penalties, strict=True))
    return paid / (len(penalties[0]) * sum(sizes))


# ---------------------------------------------------------------------------
# Readers who multiply
# ---------------------------------------------------------------------------


def exact_posterior(prior: Sequence[Row], values: Sequence[int]) -> list[list[float]]:
    """Every configuration weighs the product of its probabilities; members take tuples apart."""
    n_values = len(prior[0])
    found = [[0.0] * n_values for _ in prior]
    total = 0.0
    for tuples in itertools.permutations(range(len(values)), len(prior)):
        degree = math.prod(row[values[t]] for row, t in zip(prior, tuples, strict=True))
        total += degree
        for row, t in zip(found, tuples, strict=True):
            row[values[t]] += degree
    return [[weight / total for weight in row] for row in found]


def exact_posterior_of_two(prior: Sequence[Row], times: int) -> list[list[float]]:
    """The same for two values, the first published ``times`` times: whole numbers, any size.

    The weight of n members having the first value is a coefficient of Π (p·x + q); whose own
    factor is left out, that of the others having it n − 1 times.
    """
    scale = max(Fraction(p).denominator for row in prior for p in row)
    factors = [(int(Fraction(row[1]) * scale), int(Fraction(row[0]) * scale)) for row in prior]
    before, behind = [[1]], [[1]]
    for factor in factors[:-1]:
        before.append(_multiplied(before[-1], factor))
    for factor in factors[:0:-1]:
        behind.append(_multiplied(behind[-1], factor))
    found = []
    for (without, having), first, last in zip(factors, before, behind[::-1], strict=True):
        has = having * _coefficient(first, last, times - 1)
        has_not = without * _coefficient(first, last, times)
        found.append([float(Fraction(one, has + has_not)) for one in (has, has_not)])
    return found


def _coefficient(first: list[int], last: list[int], power: int) -> int:
    """The coefficient of a power in a product of two polynomials."""
    return sum(
        one * last[power - place]
        for place, one in enumerate(first)
        if 0 <= power - place < len(last)
    )


def _multiplied(polynomial: list[int], factor: tuple[int, int]) -> list[int]:
    kept = [one * factor[0] for one in polynomial] + [0]
    moved = [0] + [one * factor[1] for one in polynomial]
    return [one + other for one, other in zip(kept, moved, strict=True)]


def sinkhorn_posterior(
    prior: Sequence[Row], values: Sequence[int], rounds: int = 1000
) -> list[list[float]]:
    """Columns to the times a value is published, rows to 1, again and again."""
    n_values = len(prior[0])
    table = [[row[v] if v in values else 0.0 for v in range(n_values)] for row in prior]
    for _ in range(rounds):
        for value in set(values):
            total = sum(row[value] for row in table)
            for row in table:
                row[value] *= values.count(value) / total
        table = [[weight / sum(row) for weight in row] for row in table]
    return table


def sinkhorn_limit(prior: Sequence[Row], values: Sequence[int]) -> list[list[float]]:
    """The same until columns fit to 1e-14, however many rounds that takes."""
    found = [list(row) for row in prior]
    while True:
        found = sinkhorn_posterior(found, values, rounds=50)
        sums = [math.fsum(row[value] for row in found) for value in range(len(prior[0]))]
        share = len(prior) / len(values)
        if sum(abs(sums[value] - share * values.count(value)) for value in set(values)) <= 1e-14:
            return found


def sinkhorn_limit_of_two(prior: Sequence[Row], times: int) -> list[list[float]]:
    """The limit for two values, the first published ``times`` times: by bisection, zeros allowed.

    Scaling columns adds a number to every member's log-odds; the one is sought with which the
    first value's probabilities sum to ``times``.
    """
    odds = [_log_odds(row) for row in prior]
    low, high = -2000.0, 2000.0
    while low < (middle := (low + high) / 2) < high:
        reached = math.fsum(_logistic(one + middle) for one in odds)
        low, high = (middle, high) if reached < times else (low, middle)
    first = [_logistic(one + low) for one in odds]
    return [[p, 1 - p] for p in first]


def _log_odds(row: Row) -> float:
    if not row[0]:
        return -math.inf
    return math.log(row[0]) - math.log(row[1]) if row[1] else math.inf


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0


def sequence_weight(
    knowledge: Knowledge, first: Row, likelihoods: Sequence[Row], sequence: Sequence[int]
) -> float:
    """How likely a sequence is, with what was seen; the prior speaks for its first value."""
    weight, state = 1.0, knowledge.start
    for place, value in enumerate(sequence):
        expected = first if place == 0 else knowledge.next_value[state]
        weight *= expected[value] * likelihoods[place][value]
        state = knowledge.next_state[state][value]
    return weight


def filtered_next(knowledge: Knowledge, first: Row, likelihoods: Sequence[Row]) -> list[float]:
    """What a joint filter expects next: over all sequences, by their weight."""
    n_values = len(first)
    expected = [0.0] * n_values
    for sequence in itertools.product(range(n_values), repeat=len(likelihoods)):
        weight = sequence_weight(knowledge, first, likelihoods, sequence)
        row = knowledge.next_value[knowledge.after(sequence)]
        for value in range(n_values):
            expected[value] += weight * row[value]
    return [weight / sum(expected) for weight in expected]


def smoothed(knowledge: Knowledge, first: Row, likelihoods: Sequence[Row]) -> list[list[float]]:
    """What each value is believed to be after everything was seen."""
    n_values = len(first)
    found = [[0.0] * n_values for _ in likelihoods]
    for sequence in itertools.product(range(n_values), repeat=len(likelihoods)):
        weight = sequence_weight(knowledge, first, likelihoods, sequence)
        for place, value in enumerate(sequence):
            found[place][value] += weight
    return [[weight / sum(row) for weight in row] for row in found]


# ---------------------------------------------------------------------------
# Mining
# ---------------------------------------------------------------------------


def classes_in_order(rows: Sequence[Hashable]) -> tuple[list[Any], list[int]]:
    """The different rows as they come, and which of them each row is."""
    different: list[Any] = []
    for row in rows:
        if row not in different:
            different.append(row)
    return different, [different.index(row) for row in rows]


def count_sequences(views: Sequence[Mapping[Hashable, Any]]) -> dict[tuple[Any, ...], int]:
    """Algorithm 3: at each release, count every sequence of past values of those who appear."""
    counts: dict[tuple[Any, ...], int] = {}
    past: dict[Hashable, list[Any]] = {}
    for view in views:
        for respondent, value in view.items():
            past.setdefault(respondent, []).append(value)
            for length in range(1, len(past[respondent]) + 1):
                sequence = tuple(past[respondent][-length:])
                counts[sequence] = counts.get(sequence, 0) + 1
    return counts


def mined_expectation(
    views: Sequence[Mapping[Hashable, Any]],
    history: Sequence[Any],
    steps: int,
    values: Sequence[Any],
) -> list[float]:
    """The successors of the longest context that the history ends with and that has any."""
    counts = count_sequences(views)
    for length in range(min(steps, len(history)), -1, -1):
        context = tuple(history[len(history) - length :])
        successors = [counts.get((*context, value), 0) for value in values]
        if sum(successors):
            return [count / sum(successors) for count in successors]
    raise AssertionError("the empty context always has successors")


def kernel_share(
    point: Sequence[Any],
    people: Sequence[tuple[Sequence[Any], int]],
    distances: Sequence[Callable[[Any, Any], float]],
    bandwidth: float,
    n_values: int,
) -> list[float]:
    """The share of each value among people, weighed by a product of Epanechnikov kernels."""
    shares = [0.0] * n_values
    for other, value in people:
        weight = 1.0
        for here, there, distance in zip(point, other, distances, strict=True):
            scaled = distance(here, there) / bandwidth
            weight *= 0.75 * (1 - scaled**2) if scaled < 1 - 1e-12 else 0.0
        shares[value] += weight
    if sum(shares) == 0:
        shares = [float(sum(value == one for _, one in people)) for value in range(n_values)]
    return [share / sum(shares) for share in shares]


# ---------------------------------------------------------------------------
# Mining to the letter, and mining as the views come
# ---------------------------------------------------------------------------


def literal_expectation(
    views: Sequence[Mapping[Hashable, Any]],
    history: Sequence[Any],
    steps: int,
    values: Sequence[Any],
) -> list[float]:
    """occ(context, s) / occ(context), and 0 after a context that was never counted.

    The context is the last values of the history, as many as the steps or all there are;
    the empty one occurs before every value.
    """
    counts = count_sequences(views)
    context = tuple(history[max(len(history) - steps, 0) :])
    times = counts.get(context, 0) if context else sum(len(view) for view in views)
    return [counts.get((*context, value), 0) / times if times else 0.0 for value in values]


class Tuple(NamedTuple):
    """What a view says of one respondent."""

    value: Any
    kind: Any = None
    """The class of the respondent at that instant."""


def extracted_expectation(
    views: Sequence[Mapping[Hashable, Tuple]],
    history: Sequence[Any],
    steps: int,
    values: Sequence[Any],
    kind: Any = None,
) -> list[float] | None:
    """What followed the longest known end of the history, by the class of whoever came next.

    None for a class that no view has.
    """
    followed: dict[tuple[Any, ...], list[Any]] = {}
    past: dict[Hashable, list[Any]] = {}
    for view in views:
        for respondent, entry in view.items():
            before = past.setdefault(respondent, [])
            for length in range(min(steps, len(before)) + 1):
                context = tuple(before[len(before) - length :])
                if entry.kind == kind:
                    followed.setdefault(context, []).append(entry.value)
            before.append(entry.value)
    context = longest_context(history[max(len(history) - steps, 0) :], followed)
    if context is None:
        return None
    return [followed[context].count(value) / len(followed[context]) for value in values]


def over_all_sequences(
    expectation: Callable[[tuple[int, ...]], Row | None], posteriors: Sequence[Row], prior: Row
) -> list[float]:
    """Σ_λ p̃(s|λ) · Π_j PK_j(s_j), rescaled; the prior where nothing is known or expected."""
    n_values = len(prior)
    sums = [0.0] * n_values
    for sequence in itertools.product(range(n_values), repeat=len(posteriors)):
        weight = math.prod(row[value] for row, value in zip(posteriors, sequence, strict=True))
        expected = expectation(sequence) if weight > 0 else prior
        for value, chance in enumerate(prior if expected is None else expected):
            sums[value] += weight * chance
    return [part / sum(sums) for part in sums] if sum(sums) > 0 else list(prior)


# ---------------------------------------------------------------------------
# Elapsed time
# ---------------------------------------------------------------------------

Matrix = Sequence[Row]
"""Chances from each value to each."""


def after_steps(row: Row, matrix: Matrix, steps: int) -> list[float]:
    """A distribution carried through a transition matrix, one step after the other."""
    found = list(row)
    for _ in range(steps):
        found = [
            math.fsum(found[here] * matrix[here][there] for here in range(len(row)))
            for there in range(len(row))
        ]
    return found


def after_time(rates: Sequence[Sequence[Fraction]], time: Fraction) -> list[list[float]]:
    """exp(Q · t) = Σ (Q · t)^k / k!, in fractions; the diagonal of Q is what its row gives away."""
    size = range(len(rates))
    given_away = [sum(rates[here][there] for there in size if there != here) for here in size]
    generator = [
        [(-given_away[here] if here == there else rates[here][there]) * time for there in size]
        for here in size
    ]
    term = [[Fraction(int(here == there)) for there in size] for here in size]
    total = [list(row) for row in term]
    # Beyond twice the greatest sum of a row, each term is less than half of the one before.
    order, twice = 0, 4 * max(given_away) * time
    while order <= twice or max(abs(one) for row in term for one in row) > Fraction(1, 10**16):
        order += 1
        term = [
            [sum(term[here][by] * generator[by][there] for by in size) / order for there in size]
            for here in size
        ]
        total = [[total[here][there] + term[here][there] for there in size] for here in size]
    return [[float(chance) for chance in row] for row in total]


def with_prior(knowledge: Knowledge, prior: Row) -> Knowledge:
    """The knowledge with the prior written in where it has none."""
    rows = [
        row if knowledge.knows(state) else prior for state, row in enumerate(knowledge.next_value)
    ]
    return knowledge._replace(next_value=rows, known=None)


def waited(knowledge: Knowledge, posteriors: Sequence[Row], periods: int, prior: Row) -> list[Row]:
    """The posteriors with one more for every period that nobody saw: what was expected of it."""
    found = list(posteriors)
    for _ in range(periods):
        found.append(revise(knowledge, found, prior))
    return found


def smoothed_over_time(
    first: Row, chances: Sequence[Matrix], likelihoods: Sequence[Row]
) -> list[list[float]]:
    """What each value is believed to be, the chances from one to the next being given."""
    n_values = len(first)
    found = [[0.0] * n_values for _ in likelihoods]
    for sequence in itertools.product(range(n_values), repeat=len(likelihoods)):
        weight = first[sequence[0]]
        for matrix, (here, there) in zip(chances, itertools.pairwise(sequence), strict=True):
            weight *= matrix[here][there]
        weight *= math.prod(row[value] for row, value in zip(likelihoods, sequence, strict=True))
        for place, value in enumerate(sequence):
            found[place][value] += weight
    return [[weight / sum(row) for weight in row] for row in found]


# ---------------------------------------------------------------------------
# Trees
# ---------------------------------------------------------------------------


def tree_distance(one: Any, other: Any, paths: Mapping[Any, Sequence[Any]]) -> float:
    """The height of the lowest node above both leaves, relative to the root's.

    ``paths`` leads from every leaf to its ancestors, nearest first, up to one root.
    """
    mine, theirs = (one, *paths[one]), (other, *paths[other])
    height = 0
    while mine[height] != theirs[height]:
        height += 1
    return height / max(len(paths[one]), 1)


# ---------------------------------------------------------------------------
# Files
# ---------------------------------------------------------------------------


def checksum(data: bytes) -> int:
    """Return the checksum of a block: eight lanes of words, then the bytes that are left."""
    odd, most = 0x9E3779B97F4A7C15, 2**64

    def mixed(one: int, word: int) -> int:
        taken = (one ^ word) * odd % most
        return taken ^ (taken >> 32)

    whole = len(data) // 64 * 64
    lanes = [odd] * 8
    for place in range(0, whole, 8):
        lane = place // 8 % 8
        lanes[lane] = mixed(lanes[lane], int.from_bytes(data[place : place + 8], "little"))
    found = len(data)
    for word in (*lanes, *data[whole:]):
        found = mixed(found, word)
    return found


def flattest(have, shares, number, allowed):
    """Add tuples one by one, each of the rarest value; of these the most frequent in the view."""
    counts = [0] * len(have)
    for _ in range(number):
        _, _, value = min((have[d] + counts[d], -shares[d], d) for d in allowed)
        counts[value] += 1
    return counts
