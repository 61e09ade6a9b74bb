"""Posteriors of groups by scaling their weights: rows to 1, columns to their counts.

A group is a matrix of weights (members, kinds): how likely each member is to have
each of the group's different values; counts (kinds) says how many tuples publish
each. There may be more tuples than members.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.kernels._jit import inner_kernel, kernel

_SMALLEST = 1e-300

_ROUNDS = 1000
_STEPS = 200
CONVERGED = 1e-12


@inner_kernel
def read_group(
    prior: FloatArray, people: IntArray, values: IntArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return a group's kinds of values, how many tuples publish each, and the members' weights."""
    all_counts = np.zeros(prior.shape[1], np.int64)
    for place in range(values.shape[0]):
        all_counts[values[place]] += 1
    kinds = np.flatnonzero(all_counts)
    counts = all_counts[kinds]
    weights = np.empty((people.shape[0], kinds.shape[0]), np.float64)
    for member in range(people.shape[0]):
        for kind in range(kinds.shape[0]):
            weights[member, kind] = prior[people[member], kinds[kind]]
    return kinds, counts, weights


@inner_kernel
def write_group(
    found: FloatArray, people: IntArray, kinds: IntArray, posterior: FloatArray
) -> None:
    """Write what was found of a group into its members' rows."""
    for member in range(people.shape[0]):
        posterior[people[member], :] = 0.0
        for kind in range(kinds.shape[0]):
            posterior[people[member], kinds[kind]] = found[member, kind]


@inner_kernel
def fill_gaps(weights: FloatArray) -> None:
    """Make it possible to go on where knowledge says that something cannot be.

    A value that nobody was thought able to have tells nothing about who has it, and a
    member who was thought unable to have any of the values may have each of them.
    """
    members, kinds = weights.shape
    for kind in range(kinds):
        if not weights[:, kind].sum() > _SMALLEST:
            weights[:, kind] = 1.0 / members
    for member in range(members):
        if not weights[member].sum() > _SMALLEST:
            weights[member, :] = 1.0


@inner_kernel
def scale_rows_and_columns(
    weights: FloatArray, counts: IntArray, most_rounds: int, tolerance: float
) -> int:
    """Scale rows to 1 and columns to their counts, in turns, in place; return the rounds used.

    Ends on rows. Without change below the tolerance it stops after the most rounds, and returns
    one more: where no configuration is possible, there is nothing to converge to.
    """
    members, kinds = weights.shape
    share = counts.sum() / members
    for done in range(most_rounds):
        change = 0.0
        for kind in range(kinds):
            total = 0.0
            for member in range(members):
                total += weights[member, kind]
            if total > _SMALLEST:
                factor = counts[kind] / (share * total)
                for member in range(members):
                    weights[member, kind] *= factor
        for member in range(members):
            total = 0.0
            for kind in range(kinds):
                total += weights[member, kind]
            if total > _SMALLEST:
                change = max(change, abs(total - 1.0))
                for kind in range(kinds):
                    weights[member, kind] /= total
        if change <= tolerance:
            return done + 1
    return most_rounds + 1


@inner_kernel
def scale_by_newton(
    weights: FloatArray, counts: IntArray, most_steps: int, tolerance: float
) -> bool:
    """Scale rows to 1 and columns to their counts, in place; False where that cannot be.

    For weights that turns take too long for: zeros, or entries so small that values are all but
    decided. With weights w and p_ik = w_ik exp(x_k) / Σ_l w_il exp(x_l), the x are sought that
    minimize Σ_i log Σ_k w_ik exp(x_k) − Σ_k c_k x_k. The gradient is r_k = Σ_i p_ik − c_k and
    the Hessian the Laplacian of a graph of the kinds, whose edges weigh Σ_i p_ik p_il. A step is
    damped by ln(1 + d) / d, where d is its range, which converges from anywhere (T. Sun,
    Q. Tran-Dinh, Generalized self-concordant functions, 2019).
    """
    members, kinds = weights.shape
    share = counts.sum() / members
    logs = np.log(weights)
    found = np.empty_like(weights)
    raised, step, excess = np.zeros(kinds), np.empty(kinds), np.empty(kinds)
    edges = np.empty((kinds, kinds))
    for _ in range(most_steps):
        for kind in range(kinds):
            excess[kind] = -counts[kind] / share
        edges[:, :] = 0.0
        for member in range(members):
            highest = -np.inf
            for kind in range(kinds):
                highest = max(highest, logs[member, kind] + raised[kind])
            total = 0.0
            for kind in range(kinds):
                found[member, kind] = np.exp(logs[member, kind] + raised[kind] - highest)
                total += found[member, kind]
            for kind in range(kinds):
                found[member, kind] /= total
                excess[kind] += found[member, kind]
                for other in range(kind):
                    edges[kind, other] += found[member, kind] * found[member, other]
        if 0.5 * np.abs(excess).sum() <= tolerance:
            for member in range(members):
                for kind in range(kinds):
                    weights[member, kind] = found[member, kind]
            return True
        solve_laplacian(edges, excess, tolerance, step)
        least, most = np.inf, -np.inf
        for kind in range(kinds):
            if np.isnan(step[kind]):
                return False
            least, most = min(least, step[kind]), max(most, step[kind])
        length = most - least
        if not (length > 0.0 and length < np.inf):
            return False
        for kind in range(kinds):
            raised[kind] -= step[kind] * (np.log1p(length) / length)
    return False


@inner_kernel
def solve_laplacian(
    edges: FloatArray, excess: FloatArray, tolerance: float, potential: FloatArray
) -> None:
    """Write the potentials that carry off an excess at each node; infinite where nothing can.

    edges[k, l] is how well l < k are connected. Elimination without subtractions: however weak
    some edges are, no digit is lost (Grassmann, Taksar and Heyman, 1985). Both inputs are spent.
    """
    nodes = excess.shape[0]
    for node in range(nodes - 1, 0, -1):
        total = edges[node, :node].sum()
        if total > 0.0:
            for one in range(node):
                passed = edges[node, one] / total
                excess[one] += passed * excess[node]
                for other in range(one):
                    edges[one, other] += passed * edges[node, other]
    potential[0] = 0.0
    for node in range(1, nodes):
        total = edges[node, :node].sum()
        if total > 0.0:
            carried = excess[node]
            for one in range(node):
                carried += edges[node, one] * potential[one]
            potential[node] = carried / total
        else:
            potential[node] = 0.0 if abs(excess[node]) <= tolerance else np.inf


@kernel
def scaled_posterior(
    first: int,
    last: int,
    prior: FloatArray,
    members: IntArray,
    member_starts: IntArray,
    published: IntArray,
    value_starts: IntArray,
    posterior: FloatArray,
) -> None:
    """Write the scaled posterior of groups first..last."""
    for group in range(first, last):
        people = members[member_starts[group] : member_starts[group + 1]]
        values = published[value_starts[group] : value_starts[group + 1]]
        kinds, counts, weights = read_group(prior, people, values)
        fill_gaps(weights)
        if scale_rows_and_columns(weights, counts, _ROUNDS, CONVERGED) > _ROUNDS:
            scale_by_newton(weights, counts, _STEPS, 0.5 * people.shape[0] * CONVERGED)
        write_group(weights, people, kinds, posterior)
