"""Who is where: people who meet, and people who fit several groups."""

from __future__ import annotations

import numpy as np

from seriatim._typing import IntArray
from seriatim.kernels._jit import kernel


@kernel
def label_components(who: IntArray, pool_of: IntArray, parent: IntArray) -> None:
    """Number people by whom they ever met: parent (people) becomes the least person connected."""
    last = np.full(pool_of.max() + 1, -1, np.int64)
    for entry in range(len(who)):
        pool = pool_of[entry]
        if pool < 0:
            continue
        if last[pool] >= 0:
            one, two = who[entry], last[pool]
            while parent[one] != one:
                parent[one] = parent[parent[one]]
                one = parent[one]
            while parent[two] != two:
                parent[two] = parent[parent[two]]
                two = parent[two]
            parent[max(one, two)] = min(one, two)
        last[pool] = who[entry]
    for person in range(len(parent)):
        parent[person] = parent[parent[person]]


@kernel
def match_people(
    tuple_starts: IntArray,
    fit_starts: IntArray,
    fitting: IntArray,
    entries: IntArray,
    group_of: IntArray,
) -> None:
    """Give every tuple of some groups to someone who fits, where that can be done.

    ``tuple_starts`` says how many tuples each group has; the appearances ``entries`` fit the
    groups fitting[fit_starts[e]:fit_starts[e + 1]]. ``group_of`` (entries) becomes the group of
    each, or -1. Augmenting paths over groups, breadth first: whoever is in the way moves on.
    """
    n_groups = len(tuple_starts) - 1
    left = np.diff(tuple_starts)
    for entry in entries:
        group_of[entry] = -1
    came_from = np.full(n_groups, -2, np.int64)
    by_whom = np.full(n_groups, -1, np.int64)
    queue = np.zeros(n_groups, np.int64)
    held_starts = np.zeros(n_groups + 1, np.int64)
    rows = np.zeros(tuple_starts[-1], np.int64)
    taken = np.zeros(n_groups, np.int64)
    for group in range(n_groups):
        held_starts[group + 1] = held_starts[group] + left[group]
    for person in entries:
        length, reached = 0, 0
        free = -1
        for place in range(fit_starts[person], fit_starts[person + 1]):
            group = fitting[place]
            came_from[group], by_whom[group] = -1, person
            queue[length] = group
            length += 1
            if left[group] > 0:
                free = group
                break
        while free < 0 and reached < length:
            group = queue[reached]
            reached += 1
            for held in range(held_starts[group], held_starts[group] + taken[group]):
                other = rows[held]
                for place in range(fit_starts[other], fit_starts[other + 1]):
                    then = fitting[place]
                    if came_from[then] == -2:
                        came_from[then], by_whom[then] = group, held
                        queue[length] = then
                        length += 1
                        if left[then] > 0:
                            free = then
                            break
                if free >= 0:
                    break
        if free >= 0:
            group, slot = free, held_starts[free] + taken[free]
            taken[free] += 1
            left[free] -= 1
            while came_from[group] >= 0:
                held = by_whom[group]
                rows[slot] = rows[held]
                group_of[rows[held]] = group
                group, slot = came_from[group], held
            rows[slot] = person
            group_of[person] = group
        for place in range(length):
            came_from[queue[place]] = -2
