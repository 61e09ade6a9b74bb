"""Posteriors under the product of degrees: exact, and by belief propagation.

A group is a matrix of weights (members, kinds): how likely each member is to have
each of the group's different values; counts (kinds) says how many tuples publish
each. A configuration gives every member a tuple of its own, and weighs the product
of its members' weights. There may be more tuples than members.
"""

from __future__ import annotations

import math

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.kernels._jit import inner_kernel, kernel
from seriatim.kernels.scaling import (
    CONVERGED,
    fill_gaps,
    read_group,
    scale_rows_and_columns,
    write_group,
)

_LARGEST_ODDS = 1e120


@inner_kernel
def number_of_states(counts: IntArray, most: int) -> int:
    """Return how many multisets of values can be used up; ``most`` + 1 where it is more."""
    states = 1
    for kind in range(counts.shape[0]):
        states *= counts[kind] + 1
        if states > most:
            return most + 1
    return states


@inner_kernel
def layers_of(counts: IntArray, states: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return the states by how many tuples they have taken, where each number begins, and strides.

    The digits of a state's number, one for each kind, say how many tuples of it are taken.
    """
    kinds = counts.shape[0]
    stride = np.empty(kinds, np.int64)
    taken = np.zeros(states, np.int64)
    step = 1
    for kind in range(kinds):
        stride[kind] = step
        for state in range(step, step * (counts[kind] + 1)):
            taken[state] = taken[state - step] + 1
        step *= counts[kind] + 1
    begins = np.zeros(counts.sum() + 2, np.int64)
    for state in range(states):
        begins[taken[state] + 1] += 1
    for layer in range(1, begins.shape[0]):
        begins[layer] += begins[layer - 1]
    order = np.empty(states, np.int64)
    place = begins.copy()
    for state in range(states):
        order[place[taken[state]]] = state
        place[taken[state]] += 1
    return order, begins, stride


@inner_kernel
def kept_in_range(sums: FloatArray, states: IntArray) -> bool:
    """Scale some states' sums by a power of two, the largest to about 1; False where all are 0.

    Of a power of two no digit is lost.
    """
    largest = 0.0
    for place in range(states.shape[0]):
        largest = max(largest, sums[states[place]])
    if not largest > 0.0:
        return False
    _, exponent = math.frexp(largest)
    for place in range(states.shape[0]):
        sums[states[place]] = math.ldexp(sums[states[place]], -exponent)
    return True


@inner_kernel
def exact_matching(weights: FloatArray, counts: IntArray, states: int, found: FloatArray) -> bool:
    """Write each member's chance of each kind; False where no configuration is possible.

    Dynamic programming over the multiset of values used so far: a state is how many
    tuples of each kind are taken, and the number taken says whose turn it is.
    ahead[c] is the weight of all ways to get to c, behind[c] of all ways to go on, each up to
    a factor for whose turn it is: a row of the result sums to 1 whatever they are, and without
    them the factorials of some 170 members are more than a number holds.
    """
    members, kinds = weights.shape
    found[:, :] = 0.0
    if counts.sum() < members:
        return False
    order, begins, stride = layers_of(counts, states)
    ahead = np.zeros(states, np.float64)
    behind = np.zeros(states, np.float64)
    ahead[0] = 1.0
    for member in range(members):
        for state in order[begins[member] : begins[member + 1]]:
            if ahead[state] == 0.0:
                continue
            for kind in range(kinds):
                left = counts[kind] - state // stride[kind] % (counts[kind] + 1)
                if left > 0:
                    ahead[state + stride[kind]] += ahead[state] * weights[member, kind] * left
        if not kept_in_range(ahead, order[begins[member + 1] : begins[member + 2]]):
            return False
    for state in order[begins[members] : begins[members + 1]]:
        behind[state] = 1.0
    for member in range(members - 1, -1, -1):
        layer = order[begins[member] : begins[member + 1]]
        for state in layer[::-1]:
            if ahead[state] == 0.0:
                continue
            for kind in range(kinds):
                left = counts[kind] - state // stride[kind] % (counts[kind] + 1)
                if left > 0:
                    way = weights[member, kind] * left * behind[state + stride[kind]]
                    behind[state] += way
                    found[member, kind] += ahead[state] * way
        total = found[member].sum()
        for kind in range(kinds):
            found[member, kind] /= total
        if not (total > 0.0 and kept_in_range(behind, layer)):
            return False
    return True


@inner_kernel
def sums_of_others(terms: FloatArray, times: IntArray, length: int, others: FloatArray) -> None:
    """Write, for each term, the sum of all terms without one copy of it.

    From both ends, not by subtraction: with sharp knowledge one term is nearly the
    whole sum, and what is left after subtracting it is rounding.
    """
    before = 0.0
    for place in range(length):
        others[place] = before + (times[place] - 1) * terms[place]
        before += times[place] * terms[place]
    behind = 0.0
    for place in range(length - 1, -1, -1):
        others[place] += behind
        behind += times[place] * terms[place]


@inner_kernel
def bounded(odds: float) -> float:
    """Keep odds in a range where products and quotients of two stay numbers."""
    if odds > _LARGEST_ODDS:
        return _LARGEST_ODDS
    if not odds > 1.0 / _LARGEST_ODDS:  # also what is no number: nothing over nothing
        return 1.0 / _LARGEST_ODDS
    return odds


@inner_kernel
def bethe_matching(
    weights: FloatArray, counts: IntArray, most_rounds: int, tolerance: float, found: FloatArray
) -> None:
    """Write each member's chance of each kind by belief propagation.

    Sum-product on the graph of members and tuples; tuples of one kind send the same
    messages, so a round costs members × kinds. ``to_tuple`` and ``to_member`` are odds.
    """
    members, kinds = weights.shape
    spare = 1.0 if counts.sum() > members else 0.0
    to_tuple = np.ones((members, kinds), np.float64)
    to_member = np.ones((members, kinds), np.float64)
    terms = np.empty(max(members, kinds), np.float64)
    others = np.empty(max(members, kinds), np.float64)
    for _ in range(most_rounds):
        change = 0.0
        for member in range(members):
            for kind in range(kinds):
                terms[kind] = weights[member, kind] * to_member[member, kind]
            sums_of_others(terms, counts, kinds, others)
            for kind in range(kinds):
                to_tuple[member, kind] = bounded(weights[member, kind] / others[kind])
        for kind in range(kinds):
            for member in range(members):
                terms[member] = to_tuple[member, kind]
            sums_of_others(terms, np.ones(members, np.int64), members, others)
            for member in range(members):
                message = bounded(1.0 / (spare + others[member]))
                change = max(change, abs(np.log(message / to_member[member, kind])))
                to_member[member, kind] = message
        if change <= tolerance:
            break
    for member in range(members):
        total = 0.0
        for kind in range(kinds):
            odds = to_tuple[member, kind] * to_member[member, kind]
            found[member, kind] = (
                counts[kind] * odds / (1.0 + odds) if weights[member, kind] > 0 else 0.0
            )
            total += found[member, kind]
        for kind in range(kinds):
            found[member, kind] /= total


EXACT = 0
BETHE = 1
STRONGEST = 2

_ROUNDS = 1000
_IMPOSSIBLE = 1e-9


@inner_kernel
def match_group(
    weights: FloatArray, counts: IntArray, method: int, most_states: int, found: FloatArray
) -> bool:
    """Write the posterior of one group; False where the exact rule would need too many states."""
    members = weights.shape[0]
    balanced = counts.sum() == members
    fill_gaps(weights)
    if balanced:
        # Scaling a row or a column scales every configuration alike, and keeps products in range.
        scale_rows_and_columns(weights, counts, 20, 1e-3)
    states = number_of_states(counts, most_states)
    use_exact = method == EXACT or (method == STRONGEST and (members <= 3 or states <= most_states))
    if not use_exact:
        bethe_matching(weights, counts, _ROUNDS, CONVERGED, found)
        return True
    if states > most_states:
        return False
    if not exact_matching(weights, counts, states, found):
        size = counts.sum()
        for member in range(members):
            for kind in range(counts.shape[0]):
                weights[member, kind] += _IMPOSSIBLE * counts[kind] / size
        if balanced:
            # Scaled again: hundreds of pairs that weigh next to nothing would weigh nothing.
            scale_rows_and_columns(weights, counts, 20, 1e-3)
        if not exact_matching(weights, counts, states, found):
            bethe_matching(weights, counts, _ROUNDS, CONVERGED, found)
    return True


@kernel
def matching_posterior(
    first: int,
    last: int,
    prior: FloatArray,
    members: IntArray,
    member_starts: IntArray,
    published: IntArray,
    value_starts: IntArray,
    posterior: FloatArray,
    method: int,
    most_states: int,
    done: BoolArray,
) -> None:
    """Write the posterior of groups first..last; done says which could be computed."""
    for group in range(first, last):
        people = members[member_starts[group] : member_starts[group + 1]]
        values = published[value_starts[group] : value_starts[group + 1]]
        kinds, counts, weights = read_group(prior, people, values)
        found = np.empty_like(weights)
        done[group] = match_group(weights, counts, method, most_states, found)
        if done[group]:
            write_group(found, people, kinds, posterior)
