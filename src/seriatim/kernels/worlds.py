"""Drawing worlds: every published tuple given to a member of its group, in all releases at once.

Three moves, which keep every published count. ``swap_values`` takes two people and draws anew, for
all releases in which they are together, who of the two has which of their two values;
``exchange_values`` gives a person another value all along, from whoever has it in each release;
``draw_unseen`` draws values that no release shows. ``stir`` makes the first two by turns.

Entries are appearances, person by person, earliest first: those of person p are
offsets[p]:offsets[p + 1]. Axes: next_state (states, values); next_value (tables, states, values);
known (tables, states); prior (rows, values). The state ``n_states`` stands for a person who was
not seen yet: the prior speaks, and the next state is the start's. The value -1 is that of someone
who may have been in a release and, in this world, was not.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.kernels._jit import inner_kernel, kernel

LEAST = 1e-12
"""Probabilities below this count as this: a value that was held impossible may have come."""

_STATES = 64
"""Pairs of states that are told apart between two releases; beyond, nothing more is swapped."""


@inner_kernel
def chance_of(
    entry: int,
    state: int,
    value: int,
    next_value: FloatArray,
    known: BoolArray,
    table_of: IntArray,
    prior: FloatArray,
    prior_of: IntArray,
) -> float:
    """Return how likely a value is in a state; the prior speaks first, and for the unknown."""
    table = table_of[entry]
    if state == next_value.shape[1] or not known[table, state]:
        found = prior[prior_of[entry], value]
    else:
        found = next_value[table, state, value]
    return float(max(found, LEAST))


@inner_kernel
def state_after(state: int, value: int, next_state: SmallIntArray, start: int) -> int:
    """Return where a value leads."""
    if value < 0:
        return state
    return int(next_state[start if state == next_state.shape[0] else state, value])


@inner_kernel
def fits(entry: int, group: int, fit_starts: IntArray, fitting: IntArray) -> bool:
    """Tell whether an appearance may be in a group; nobody listed means there is but one."""
    first, last = fit_starts[entry], fit_starts[entry + 1]
    if first == last or group < 0:
        return True
    place = first + np.searchsorted(fitting[first:last], group)
    return bool(place < last and fitting[place] == group)


@kernel
def swap_values(
    seed: int,
    sweeps: int,
    offsets: IntArray,
    who: IntArray,
    release_of: IntArray,
    pool_of: IntArray,
    pool_starts: IntArray,
    members: IntArray,
    fit_starts: IntArray,
    fitting: IntArray,
    forgetful: int,
    start: int,
    next_state: SmallIntArray,
    next_value: FloatArray,
    known: BoolArray,
    table_of: IntArray,
    prior: FloatArray,
    prior_of: IntArray,
    value_of: SmallIntArray,
    group_of: IntArray,
    place_of: IntArray,
    room: IntArray,
    held: FloatArray,
    times: FloatArray,
) -> None:
    """Swap values of two people at a time, so many times for each person.

    Whom to take with a person: any other member of a pool (a group, or groups between which
    people may change places) of a random release. In which releases the two change places is
    drawn from its exact distribution given all else: the weight of the two histories, summed
    over the two possibilities at every release (forward over pairs of states), so that a
    proposal is never refused. A release in which they cannot change places stays as it is, and
    where states remember more than the last value (not ``forgetful``) so do those before a random
    one and those behind so many that too many pairs of states would be told apart.

    Where ``held`` has rows, the probability of each value is added for both, at every release
    where they are in one pool (Rao and Blackwell), at room[entry] + place_of[entry], and one to
    ``times``: whether two people are looked at together does not depend on the world.
    """
    if seed >= 0:
        np.random.seed(seed)
    recording = len(times) > 0
    n_people = len(offsets) - 1
    longest = 1
    for person in range(n_people):
        longest = max(longest, offsets[person + 1] - offsets[person])
    longest = 2 * longest + 1
    mine, theirs = np.zeros(longest, np.int64), np.zeros(longest, np.int64)
    together, open_ = np.zeros(longest, np.bool_), np.zeros(longest, np.bool_)
    lengths = np.zeros(longest + 1, np.int64)
    first_states = np.zeros((longest + 1, _STATES), np.int32)
    second_states = np.zeros((longest + 1, _STATES), np.int32)
    ahead = np.zeros((longest + 1, _STATES))
    behind = np.zeros((longest + 1, _STATES))
    edge_to = np.zeros((longest, _STATES, 2), np.int32)
    edge = np.zeros((longest, _STATES, 2))
    unseen = next_state.shape[0]
    for _ in range(sweeps):
        for one in range(n_people):
            here = offsets[one] + np.random.randint(offsets[one + 1] - offsets[one])
            pool = pool_of[here]
            if pool < 0:
                continue
            size = pool_starts[pool + 1] - pool_starts[pool]
            two = who[members[pool_starts[pool] + np.random.randint(size)]]
            if one == two:
                continue
            # The two histories beside each other, and where they may change places.
            left, right = offsets[one], offsets[two]
            steps, swaps, after_last = 0, 0, 0
            while left < offsets[one + 1] or right < offsets[two + 1]:
                take_left = left < offsets[one + 1] and (
                    right == offsets[two + 1] or release_of[left] <= release_of[right]
                )
                take_right = right < offsets[two + 1] and (
                    left == offsets[one + 1] or release_of[right] <= release_of[left]
                )
                mine[steps] = left if take_left else -1
                theirs[steps] = right if take_right else -1
                both = take_left and take_right
                together[steps] = both and pool_of[left] >= 0 and pool_of[left] == pool_of[right]
                open_[steps] = (
                    together[steps]
                    and (value_of[left] != value_of[right] or group_of[left] != group_of[right])
                    and fits(left, group_of[right], fit_starts, fitting)
                    and fits(right, group_of[left], fit_starts, fitting)
                )
                left += take_left
                right += take_right
                steps += 1
                if open_[steps - 1]:
                    swaps += 1
                    after_last = steps
            if swaps == 0:
                if recording:
                    for step in range(steps):
                        if together[step]:
                            for entry in (mine[step], theirs[step]):
                                if value_of[entry] >= 0:
                                    held[room[entry] + place_of[entry]] += 1.0
                                times[entry] += 1.0
                continue
            # Forward: pairs of states, and what each step weighs.
            first_states[0, 0], second_states[0, 0] = unseen, unseen
            ahead[0, 0] = 1.0
            lengths[0] = 1
            skipped = np.random.randint(swaps) if forgetful == 0 else 0
            end = steps
            for step in range(steps):
                if open_[step] and (skipped > 0 or 2 * lengths[step] > _STATES):
                    open_[step] = False
                    skipped -= 1
                length = 0
                largest = 0.0
                for place in range(lengths[step]):
                    for swapped in range(2 if open_[step] else 1):
                        state, other = first_states[step, place], second_states[step, place]
                        weight = 1.0
                        entry, beside = mine[step], theirs[step]
                        if entry >= 0:
                            value = value_of[beside] if swapped else value_of[entry]
                            if value >= 0:
                                weight *= chance_of(
                                    entry,
                                    state,
                                    value,
                                    next_value,
                                    known,
                                    table_of,
                                    prior,
                                    prior_of,
                                )
                                state = state_after(state, value, next_state, start)
                        if beside >= 0:
                            value = value_of[entry] if swapped else value_of[beside]
                            if value >= 0:
                                weight *= chance_of(
                                    beside,
                                    other,
                                    value,
                                    next_value,
                                    known,
                                    table_of,
                                    prior,
                                    prior_of,
                                )
                                other = state_after(other, value, next_state, start)
                        found = length
                        for known_place in range(length):
                            if (
                                first_states[step + 1, known_place] == state
                                and second_states[step + 1, known_place] == other
                            ):
                                found = known_place
                                break
                        if found == length:
                            first_states[step + 1, found] = state
                            second_states[step + 1, found] = other
                            ahead[step + 1, found] = 0.0
                            length += 1
                        edge_to[step, place, swapped] = found
                        edge[step, place, swapped] = weight
                        ahead[step + 1, found] += ahead[step, place] * weight
                        largest = max(largest, ahead[step + 1, found])
                lengths[step + 1] = length
                for place in range(length):
                    ahead[step + 1, place] /= largest
                if step + 1 >= after_last and length == 1:
                    end = step + 1
                    break
            # Backward: what is still to come.
            for place in range(lengths[end]):
                behind[end, place] = 1.0
            for step in range(end - 1, -1, -1):
                largest = 0.0
                for place in range(lengths[step]):
                    weight = edge[step, place, 0] * behind[step + 1, edge_to[step, place, 0]]
                    if open_[step]:
                        weight += edge[step, place, 1] * behind[step + 1, edge_to[step, place, 1]]
                    behind[step, place] = weight
                    largest = max(largest, weight)
                if recording and together[step]:
                    entry, beside = mine[step], theirs[step]
                    swap = 0.0
                    if open_[step]:
                        total = 0.0
                        for place in range(lengths[step]):
                            total += ahead[step, place] * behind[step, place]
                            swap += (
                                ahead[step, place]
                                * edge[step, place, 1]
                                * behind[step + 1, edge_to[step, place, 1]]
                            )
                        swap /= total
                    if value_of[entry] >= 0:
                        held[room[entry] + place_of[entry]] += 1.0 - swap
                        held[room[beside] + place_of[entry]] += swap
                    if value_of[beside] >= 0:
                        held[room[beside] + place_of[beside]] += 1.0 - swap
                        held[room[entry] + place_of[beside]] += swap
                    times[entry] += 1.0
                    times[beside] += 1.0
                for place in range(lengths[step]):
                    behind[step, place] /= largest
            if recording:
                for step in range(end, steps):
                    if together[step]:
                        for entry in (mine[step], theirs[step]):
                            if value_of[entry] >= 0:
                                held[room[entry] + place_of[entry]] += 1.0
                            times[entry] += 1.0
            # Forward again: who has what.
            place = 0
            for step in range(end):
                swapped = 0
                if open_[step]:
                    stay = edge[step, place, 0] * behind[step + 1, edge_to[step, place, 0]]
                    swap = edge[step, place, 1] * behind[step + 1, edge_to[step, place, 1]]
                    if np.random.random() * (stay + swap) >= stay:
                        swapped = 1
                        entry, beside = mine[step], theirs[step]
                        value_of[entry], value_of[beside] = value_of[beside], value_of[entry]
                        group_of[entry], group_of[beside] = group_of[beside], group_of[entry]
                        place_of[entry], place_of[beside] = place_of[beside], place_of[entry]
                place = edge_to[step, place, swapped]


@inner_kernel
def weight_of(
    person: int,
    offsets: IntArray,
    start: int,
    next_state: SmallIntArray,
    next_value: FloatArray,
    known: BoolArray,
    table_of: IntArray,
    prior: FloatArray,
    prior_of: IntArray,
    value_of: SmallIntArray,
) -> float:
    """Return the logarithm of how likely a person's history is."""
    state, weight = next_state.shape[0], 0.0
    for entry in range(offsets[person], offsets[person + 1]):
        value = value_of[entry]
        if value >= 0:
            weight += np.log(
                chance_of(entry, state, value, next_value, known, table_of, prior, prior_of)
            )
            state = state_after(state, value, next_state, start)
    return weight


@inner_kernel
def count_in(
    entry: int,
    value: int,
    pool_of: IntArray,
    pool_starts: IntArray,
    members: IntArray,
    value_of: SmallIntArray,
) -> int:
    """Return how many in the pool of an appearance have a value."""
    found = 0
    for place in range(pool_starts[pool_of[entry]], pool_starts[pool_of[entry] + 1]):
        found += value_of[members[place]] == value
    return found


@inner_kernel
def exchange(
    first: int, last: int, mates: IntArray, value_of: SmallIntArray, place_of: IntArray
) -> None:
    """Exchange values with a mate in each of some releases."""
    for entry in range(first, last):
        mate = mates[entry - first]
        value_of[entry], value_of[mate] = value_of[mate], value_of[entry]
        place_of[entry], place_of[mate] = place_of[mate], place_of[entry]


@inner_kernel
def try_exchange(
    offsets: IntArray,
    who: IntArray,
    pool_of: IntArray,
    pool_starts: IntArray,
    members: IntArray,
    fit_starts: IntArray,
    start: int,
    next_state: SmallIntArray,
    next_value: FloatArray,
    known: BoolArray,
    table_of: IntArray,
    prior: FloatArray,
    prior_of: IntArray,
    value_of: SmallIntArray,
    place_of: IntArray,
    mates: IntArray,
    involved: IntArray,
    stretch: IntArray,
) -> float:
    """Let someone have another value, and return the logarithm of the ratio that accepts it.

    A person who has one value a over a stretch of releases, and another value b that is in all of
    their groups, are drawn; in each release the mate who had b in the release before, else any of
    those who have it. Back leads the same with a and b in each other's place: where a mate is
    chosen anew, one of as many as have b there became one of as many as have a. Minus infinity, and
    nothing is changed, where there is no such exchange. ``stretch`` (first, last) and ``mates``
    are what undoes it.
    """
    stretch[0], stretch[1] = 0, 0
    here = np.random.randint(len(who))
    pool = pool_of[here]
    if pool < 0 or fit_starts[here] != fit_starts[here + 1]:
        return -np.inf
    size = pool_starts[pool + 1] - pool_starts[pool]
    other = members[pool_starts[pool] + np.random.randint(size)]
    mine, theirs = value_of[here], value_of[other]
    if mine == theirs:
        return -np.inf
    person = who[here]
    first, last = offsets[person], offsets[person + 1]
    if np.random.randint(2) == 1:
        first = first + np.random.randint(here - first + 1)
        last = here + 1 + np.random.randint(last - here)
    # The value b was drawn by its share here, and on the way back a will be.
    change, mate = 0.0, -1
    change += np.log(count_in(here, mine, pool_of, pool_starts, members, value_of))
    change -= np.log(count_in(here, theirs, pool_of, pool_starts, members, value_of))
    length = 1
    involved[0] = person
    for entry in range(first, last):
        pool = pool_of[entry]
        if pool < 0 or fit_starts[entry] != fit_starts[entry + 1] or value_of[entry] != mine:
            return -np.inf
        found = -1
        if mate >= 0:
            for at in range(offsets[mate], offsets[mate + 1]):
                if pool_of[at] == pool:
                    found = at
        if found >= 0 and value_of[found] == mine:
            return -np.inf  # the way back would stay with this mate
        if found < 0 or value_of[found] != theirs:
            holders = count_in(entry, theirs, pool_of, pool_starts, members, value_of)
            if holders == 0:
                return -np.inf
            change += np.log(holders)
            change -= np.log(count_in(entry, mine, pool_of, pool_starts, members, value_of))
            skip = np.random.randint(holders)
            for place in range(pool_starts[pool], pool_starts[pool + 1]):
                if value_of[members[place]] == theirs:
                    if skip == 0:
                        found = members[place]
                        break
                    skip -= 1
            mate = who[found]
            seen = False
            for place in range(length):
                seen = seen or involved[place] == mate
            if not seen:
                involved[length] = mate
                length += 1
        mates[entry - first] = found
    for place in range(length):
        change -= weight_of(
            involved[place],
            offsets,
            start,
            next_state,
            next_value,
            known,
            table_of,
            prior,
            prior_of,
            value_of,
        )
    exchange(first, last, mates, value_of, place_of)
    for place in range(length):
        change += weight_of(
            involved[place],
            offsets,
            start,
            next_state,
            next_value,
            known,
            table_of,
            prior,
            prior_of,
            value_of,
        )
    stretch[0], stretch[1] = first, last
    return float(change)


@kernel
def exchange_values(
    seed: int,
    times: int,
    offsets: IntArray,
    who: IntArray,
    release_of: IntArray,
    pool_of: IntArray,
    pool_starts: IntArray,
    members: IntArray,
    fit_starts: IntArray,
    start: int,
    next_state: SmallIntArray,
    next_value: FloatArray,
    known: BoolArray,
    table_of: IntArray,
    prior: FloatArray,
    prior_of: IntArray,
    value_of: SmallIntArray,
    place_of: IntArray,
) -> None:
    """Let people have another value all along, taken from whoever has it in each release.

    Where values hardly change, worlds lie apart that no swap with one mate leads between: the
    mates of one release are not those of the next. One exchange is proposed, or two, one after the
    other, that are accepted together: what the first leaves unlikely the second may mend. Accepted
    by Metropolis and Hastings, over the world between as well, which the way back passes, too.
    """
    if seed >= 0:
        np.random.seed(seed)
    longest = 1
    for person in range(len(offsets) - 1):
        longest = max(longest, offsets[person + 1] - offsets[person])
    mates = np.zeros((2, longest), np.int64)
    involved = np.zeros(longest + 1, np.int64)
    stretches = np.zeros((2, 2), np.int64)
    for _ in range(times):
        depth = 1 + np.random.randint(2)
        change, done = 0.0, 0
        while done < depth and change > -np.inf:
            change += try_exchange(
                offsets,
                who,
                pool_of,
                pool_starts,
                members,
                fit_starts,
                start,
                next_state,
                next_value,
                known,
                table_of,
                prior,
                prior_of,
                value_of,
                place_of,
                mates[done],
                involved,
                stretches[done],
            )
            done += 1
        if np.log(np.random.random()) >= change:
            for back in range(done - 1, -1, -1):
                first, last = stretches[back]
                exchange(first, last, mates[back], value_of, place_of)


@kernel
def stir(
    seed: int,
    sweeps: int,
    exchanges: int,
    offsets: IntArray,
    who: IntArray,
    release_of: IntArray,
    pool_of: IntArray,
    pool_starts: IntArray,
    members: IntArray,
    fit_starts: IntArray,
    fitting: IntArray,
    forgetful: int,
    start: int,
    next_state: SmallIntArray,
    next_value: FloatArray,
    known: BoolArray,
    table_of: IntArray,
    prior: FloatArray,
    prior_of: IntArray,
    value_of: SmallIntArray,
    group_of: IntArray,
    place_of: IntArray,
    room: IntArray,
    held: FloatArray,
    times: FloatArray,
) -> None:
    """Swap and exchange by turns: so many exchanges are tried after each sweep of swaps."""
    np.random.seed(seed)
    for _ in range(sweeps):
        swap_values(
            -1,
            1,
            offsets,
            who,
            release_of,
            pool_of,
            pool_starts,
            members,
            fit_starts,
            fitting,
            forgetful,
            start,
            next_state,
            next_value,
            known,
            table_of,
            prior,
            prior_of,
            value_of,
            group_of,
            place_of,
            room,
            held,
            times,
        )
        exchange_values(
            -1,
            exchanges,
            offsets,
            who,
            release_of,
            pool_of,
            pool_starts,
            members,
            fit_starts,
            start,
            next_state,
            next_value,
            known,
            table_of,
            prior,
            prior_of,
            value_of,
            place_of,
        )


@kernel
def draw_unseen(
    seed: int,
    unseen_entries: IntArray,
    who: IntArray,
    offsets: IntArray,
    start: int,
    next_state: SmallIntArray,
    next_value: FloatArray,
    known: BoolArray,
    table_of: IntArray,
    prior: FloatArray,
    prior_of: IntArray,
    value_of: SmallIntArray,
    room: IntArray,
    held: FloatArray,
    times: FloatArray,
) -> None:
    """Draw the values that no release shows, one after the other, given all else.

    Each is drawn from its exact distribution: every value weighs its chance, times that of what
    follows as far as the state depends on it.
    """
    np.random.seed(seed)
    n_values = next_state.shape[1]
    weights = np.zeros(n_values)
    for entry in unseen_entries:
        person = who[entry]
        state = next_state.shape[0]
        for before in range(offsets[person], entry):
            state = state_after(state, value_of[before], next_state, start)
        largest = -np.inf
        kept = state_after(state, value_of[entry], next_state, start)
        for value in range(n_values):
            weight = np.log(
                chance_of(entry, state, value, next_value, known, table_of, prior, prior_of)
            )
            now, then = state_after(state, value, next_state, start), kept
            for later in range(entry + 1, offsets[person + 1]):
                if now == then:
                    break
                if value_of[later] >= 0:
                    weight += np.log(
                        chance_of(
                            later,
                            now,
                            value_of[later],
                            next_value,
                            known,
                            table_of,
                            prior,
                            prior_of,
                        )
                    ) - np.log(
                        chance_of(
                            later,
                            then,
                            value_of[later],
                            next_value,
                            known,
                            table_of,
                            prior,
                            prior_of,
                        )
                    )
                    now = state_after(now, value_of[later], next_state, start)
                    then = state_after(then, value_of[later], next_state, start)
            weights[value] = weight
            largest = max(largest, weight)
        total = 0.0
        for value in range(n_values):
            weights[value] = np.exp(weights[value] - largest)
            total += weights[value]
        if len(times) > 0:
            for value in range(n_values):
                held[room[entry] + value] += weights[value] / total
            times[entry] += 1.0
        left = np.random.random() * total
        value = 0
        while value < n_values - 1 and left >= weights[value]:
            left -= weights[value]
            value += 1
        value_of[entry] = value
