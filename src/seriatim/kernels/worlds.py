"""Drawing worlds: every published tuple given to a member of its group, in all releases at once.

Four moves, which keep every published count. ``swap_values`` takes two people and draws anew, for
all releases in which they are together, who of the two has which of their two values;
``exchange_values`` gives a person another value all along, from whoever has it in each release;
``rotate_places`` lets three or four change places who fit several groups; ``draw_unseen`` draws
values that no release shows. ``stir`` makes the first three by turns.

Entries are appearances, person by person, earliest first: those of person p are
offsets[p]:offsets[p + 1]. Axes: next_state (states, values); next_value (tables, states, values);
known (tables, states); prior (rows, values). The state ``n_states`` stands for a person who was
not seen yet: the prior speaks, and the next state is the start's. The value -1 is that of someone
who may have been in a release and, in this world, was not. ``hidden`` tells which appearances have
a value that no release shows, and nobody told.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.kernels._jit import inner_kernel, kernel

LEAST = 1e-12
"""Probabilities below this count as this: a value that was held impossible may have come."""

_STATES = 64
"""Pairs of states that are told apart between two releases; beyond, nothing more is swapped."""

_AT_ONCE = 3
"""Exchanges that may be accepted together."""

_STATES_OF_HIDDEN = 1024
"""The same where hidden values are drawn along: two lead to as many pairs as there are of values,
and whoever cannot change places behind them cannot before."""


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
    kin_of: IntArray,
    kin_starts: IntArray,
    kin: IntArray,
    hidden: BoolArray,
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
    people may change places) of a random release; or, every other time, one of their kin, who
    came and left with them: where values stay nobody else can change places with them, and in
    large groups they are few. In which releases the two change places is
    drawn from its exact distribution given all else: the weight of the two histories, summed
    over the two possibilities at every release (forward over pairs of states), so that a
    proposal is never refused. A release in which they cannot change places stays as it is, and
    where states remember more than the last value (not ``forgetful``) so do those before a random
    one and those behind so many that too many pairs of states would be told apart. Hidden values of
    the two are drawn along, within the same bounds: else what nobody sees would hold them in place.

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
    drawn = np.zeros(longest, np.bool_)
    choices = np.zeros(longest, np.int64)
    n_values = next_state.shape[1]
    room_for = _STATES
    if hidden.any():
        room_for = max(_STATES, min(2 * n_values * n_values, _STATES_OF_HIDDEN), n_values)
    first_states = np.zeros((longest + 1, room_for), np.int32)
    second_states = np.zeros((longest + 1, room_for), np.int32)
    ahead = np.zeros((longest + 1, room_for))
    behind = np.zeros((longest + 1, room_for))
    edge_to = np.empty((longest, room_for), np.int32)
    edge = np.empty((longest, room_for))
    unseen = next_state.shape[0]
    for _ in range(sweeps):
        for one in range(n_people):
            here = offsets[one] + np.random.randint(offsets[one + 1] - offsets[one])
            pool = pool_of[here]
            if pool < 0:
                continue
            size = pool_starts[pool + 1] - pool_starts[pool]
            two = who[members[pool_starts[pool] + np.random.randint(size)]]
            first_kin = kin_starts[kin_of[one]]
            n_kin = kin_starts[kin_of[one] + 1] - first_kin
            if n_kin > 1 and np.random.random() < 0.5:
                two = kin[first_kin + np.random.randint(n_kin)]
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
                if take_left and take_right and (hidden[left] or hidden[right]):
                    take_right = False
                mine[steps] = left if take_left else -1
                theirs[steps] = right if take_right else -1
                both = take_left and take_right
                drawn[steps] = not both and hidden[left if take_left else right]
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
                if open_[steps - 1] or drawn[steps - 1]:
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
                if open_[step] and (skipped > 0 or 2 * lengths[step] > room_for):
                    open_[step] = False
                    skipped -= 1
                if drawn[step] and (skipped > 0 or n_values * lengths[step] > room_for):
                    drawn[step] = False
                choices[step] = n_values if drawn[step] else 2 if open_[step] else 1
                length = 0
                largest = 0.0
                for place in range(lengths[step]):
                    for swapped in range(choices[step]):
                        state, other = first_states[step, place], second_states[step, place]
                        weight = 1.0
                        entry, beside = mine[step], theirs[step]
                        if entry >= 0:
                            value = value_of[entry]
                            if drawn[step]:
                                value = swapped
                            elif swapped:
                                value = value_of[beside]
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
                            value = value_of[beside]
                            if drawn[step]:
                                value = swapped
                            elif swapped:
                                value = value_of[entry]
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
                        edge_to[step, place * choices[step] + swapped] = found
                        edge[step, place * choices[step] + swapped] = weight
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
                    weight = 0.0
                    for swapped in range(choices[step]):
                        to = edge_to[step, place * choices[step] + swapped]
                        weight += edge[step, place * choices[step] + swapped] * behind[step + 1, to]
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
                                * edge[step, 2 * place + 1]
                                * behind[step + 1, edge_to[step, 2 * place + 1]]
                            )
                        # A history that is next to impossible whatever is swapped may underflow.
                        swap = swap / total if total > 0 else 0.0
                    if value_of[entry] >= 0:
                        held[room[entry] + place_of[entry]] += 1.0 - swap
                        held[room[beside] + place_of[entry]] += swap
                    if value_of[beside] >= 0:
                        held[room[beside] + place_of[beside]] += 1.0 - swap
                        held[room[entry] + place_of[beside]] += swap
                    times[entry] += 1.0
                    times[beside] += 1.0
                if largest > 0:
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
                    stay = edge[step, 2 * place] * behind[step + 1, edge_to[step, 2 * place]]
                    swap = (
                        edge[step, 2 * place + 1] * behind[step + 1, edge_to[step, 2 * place + 1]]
                    )
                    if np.random.random() * (stay + swap) >= stay:
                        swapped = 1
                        entry, beside = mine[step], theirs[step]
                        value_of[entry], value_of[beside] = value_of[beside], value_of[entry]
                        group_of[entry], group_of[beside] = group_of[beside], group_of[entry]
                        place_of[entry], place_of[beside] = place_of[beside], place_of[entry]
                elif drawn[step]:
                    left_over = 0.0
                    for value in range(n_values):
                        to = edge_to[step, place * n_values + value]
                        left_over += edge[step, place * n_values + value] * behind[step + 1, to]
                    left_over *= np.random.random()
                    for value in range(n_values):
                        swapped = value
                        to = edge_to[step, place * n_values + value]
                        left_over -= edge[step, place * n_values + value] * behind[step + 1, to]
                        if left_over < 0:
                            break
                    value_of[mine[step] if mine[step] >= 0 else theirs[step]] = swapped
                place = edge_to[step, place * choices[step] + swapped]


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


@inner_kernel
def rotate(
    chosen: IntArray,
    length: int,
    value_of: SmallIntArray,
    group_of: IntArray,
    place_of: IntArray,
) -> None:
    """Give each of some people what the next one has, and the last what the first had."""
    first = chosen[0]
    value, group, place_in = value_of[first], group_of[first], place_of[first]
    for place in range(length - 1):
        one, after = chosen[place], chosen[place + 1]
        value_of[one], group_of[one] = value_of[after], group_of[after]
        place_of[one] = place_of[after]
    last = chosen[length - 1]
    value_of[last], group_of[last], place_of[last] = value, group, place_in


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
    mates of one release are not those of the next. One exchange is proposed, or up to three, one
    after the other, that are accepted together: what the first leaves unlikely the next may mend.
    Accepted by Metropolis and Hastings, over the worlds between as well, which the way back passes,
    too.
    """
    if seed >= 0:
        np.random.seed(seed)
    longest = 1
    for person in range(len(offsets) - 1):
        longest = max(longest, offsets[person + 1] - offsets[person])
    mates = np.zeros((_AT_ONCE, longest), np.int64)
    involved = np.zeros(longest + 1, np.int64)
    stretches = np.zeros((_AT_ONCE, 2), np.int64)
    for _ in range(times):
        depth = 1 + np.random.randint(len(mates))
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
def rotate_places(
    seed: int,
    times: int,
    several: IntArray,
    offsets: IntArray,
    who: IntArray,
    pool_of: IntArray,
    pool_starts: IntArray,
    members: IntArray,
    fit_starts: IntArray,
    fitting: IntArray,
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
) -> None:
    """Let three or four people who fit several groups of a release take each other's places.

    Two may not be able to change places, since one of them fits but the other does not. Each takes
    what the next one has, the last what the first has. Whom to take is drawn without regard to the
    world, and the way back as likely: accepted by the weights of their histories alone.
    """
    if seed >= 0:
        np.random.seed(seed)
    chosen = np.zeros(4, np.int64)
    for _ in range(times):
        chosen[0] = several[np.random.randint(len(several))]
        pool = pool_of[chosen[0]]
        size = pool_starts[pool + 1] - pool_starts[pool]
        length = 3 + np.random.randint(2)
        fine = size >= length
        for place in range(1, length):
            chosen[place] = members[pool_starts[pool] + np.random.randint(size)]
            for other in range(place):
                fine = fine and chosen[other] != chosen[place]
        for place in range(length):
            after = chosen[(place + 1) % length]
            fine = fine and fits(chosen[place], group_of[after], fit_starts, fitting)
        if not fine:
            continue
        change = 0.0
        for sign in (-1.0, 1.0):
            for place in range(length):
                change += sign * weight_of(
                    who[chosen[place]],
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
            if sign < 0:
                rotate(chosen, length, value_of, group_of, place_of)
        if np.log(np.random.random()) >= change:
            for _again in range(length - 1):
                rotate(chosen, length, value_of, group_of, place_of)


@kernel
def stir(
    seed: int,
    sweeps: int,
    exchanges: int,
    several: IntArray,
    offsets: IntArray,
    who: IntArray,
    release_of: IntArray,
    pool_of: IntArray,
    pool_starts: IntArray,
    members: IntArray,
    fit_starts: IntArray,
    fitting: IntArray,
    kin_of: IntArray,
    kin_starts: IntArray,
    kin: IntArray,
    hidden: BoolArray,
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
    """Swap, exchange and rotate by turns: so many exchanges are tried after a sweep of swaps."""
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
            kin_of,
            kin_starts,
            kin,
            hidden,
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
        if len(several):
            rotate_places(
                -1,
                len(several),
                several,
                offsets,
                who,
                pool_of,
                pool_starts,
                members,
                fit_starts,
                fitting,
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
            )


@kernel
def draw_unseen(
    seed: int,
    unseen_entries: IntArray,
    who: IntArray,
    offsets: IntArray,
    hidden: BoolArray,
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
    """Draw the values that no release shows, all those of a person at once, given all others.

    Forward over the states that they may lead to, and back. Where these become too many, values
    stay as they are; before a random one they do, too, so that each has its turn.
    """
    np.random.seed(seed)
    n_values = next_state.shape[1]
    longest = 1
    for person in range(len(offsets) - 1):
        longest = max(longest, offsets[person + 1] - offsets[person])
    room_for = max(256, n_values)
    states = np.zeros((longest + 1, room_for), np.int32)
    lengths = np.zeros(longest + 1, np.int64)
    ahead = np.zeros((longest + 1, room_for))
    behind = np.zeros((longest + 1, room_for))
    edge_to = np.empty((longest, room_for), np.int32)
    edge = np.empty((longest, room_for))
    choices = np.zeros(longest, np.int64)
    weights = np.zeros(n_values)
    last_person = -1
    for unseen_entry in unseen_entries:
        person = who[unseen_entry]
        if person == last_person:
            continue
        last_person = person
        first, steps = offsets[person], offsets[person + 1] - offsets[person]
        n_hidden = 0
        for entry in range(first, first + steps):
            n_hidden += hidden[entry]
        skipped = 0
        if n_values * n_values > room_for and np.random.randint(2) == 1:
            skipped = np.random.randint(n_hidden)
        lengths[0], states[0, 0], ahead[0, 0] = 1, next_state.shape[0], 1.0
        for step in range(steps):
            entry = first + step
            choices[step] = 1
            if hidden[entry]:
                if skipped == 0 and n_values * lengths[step] <= room_for:
                    choices[step] = n_values
                skipped = max(skipped - 1, 0)
            length, largest = 0, 0.0
            for place in range(lengths[step]):
                for choice in range(choices[step]):
                    value = choice if choices[step] > 1 else value_of[entry]
                    state, weight = states[step, place], 1.0
                    if value >= 0:
                        weight = chance_of(
                            entry, state, value, next_value, known, table_of, prior, prior_of
                        )
                        state = state_after(state, value, next_state, start)
                    found = length
                    for known_place in range(length):
                        if states[step + 1, known_place] == state:
                            found = known_place
                            break
                    if found == length:
                        states[step + 1, found] = state
                        ahead[step + 1, found] = 0.0
                        length += 1
                    edge_to[step, place * choices[step] + choice] = found
                    edge[step, place * choices[step] + choice] = weight
                    ahead[step + 1, found] += ahead[step, place] * weight
                    largest = max(largest, ahead[step + 1, found])
            lengths[step + 1] = length
            for place in range(length):
                ahead[step + 1, place] /= largest
        for place in range(lengths[steps]):
            behind[steps, place] = 1.0
        for step in range(steps - 1, -1, -1):
            entry, largest, total = first + step, 0.0, 0.0
            weights[:] = 0.0
            for place in range(lengths[step]):
                behind[step, place] = 0.0
                for choice in range(choices[step]):
                    weight = edge[step, place * choices[step] + choice]
                    weight *= behind[step + 1, edge_to[step, place * choices[step] + choice]]
                    behind[step, place] += weight
                    weights[choice] += ahead[step, place] * weight
                    total += ahead[step, place] * weight
                largest = max(largest, behind[step, place])
            if largest > 0:
                for place in range(lengths[step]):
                    behind[step, place] /= largest
            if hidden[entry] and len(times) > 0:
                if choices[step] > 1 and total > 0:
                    for value in range(n_values):
                        held[room[entry] + value] += weights[value] / total
                else:
                    held[room[entry] + value_of[entry]] += 1.0
                times[entry] += 1.0
        place = 0
        for step in range(steps):
            chosen = 0
            if choices[step] > 1:
                left = 0.0
                for choice in range(choices[step]):
                    to = edge_to[step, place * choices[step] + choice]
                    left += edge[step, place * choices[step] + choice] * behind[step + 1, to]
                left *= np.random.random()
                for choice in range(choices[step]):
                    chosen = choice
                    left -= (
                        edge[step, place * choices[step] + choice]
                        * behind[step + 1, edge_to[step, place * choices[step] + choice]]
                    )
                    if left < 0:
                        break
                value_of[first + step] = chosen
            place = edge_to[step, place * choices[step] + chosen]
