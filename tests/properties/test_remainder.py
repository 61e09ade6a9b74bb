from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.partition import settle
from seriatim.partition.remainder import confirmable
from seriatim.privacy import Evidence
from strategies import as_partition, codes, rows_of


@st.composite
def partitions(draw):
    """Evidence, groups of its rows that may stand, and leftovers that may not."""
    n, n_values = draw(st.integers(2, 14)), draw(st.integers(2, 3))
    values, beliefs = draw(codes(n, n_values)), draw(rows_of(n, n_values))
    bounds = {
        "k": draw(st.integers(1, 4)),
        "t": draw(st.sampled_from([0.2, 0.4, 0.7])),
        "j": draw(st.sampled_from([0.1, 0.3, 0.8])),
    }
    order = draw(st.permutations(range(n)))
    may_stand = oracles.js_reduce_may_stand(values, beliefs, **bounds)
    groups, left = oracles.greedy_scan(order, may_stand)
    return values, beliefs, bounds, groups, left


def settled(drawn, remainder):
    values, beliefs, bounds, groups, left = drawn
    evidence = Evidence(np.array(values), np.array(beliefs))
    after = settle(
        as_partition(groups, left), evidence, sr.js_reduce(**bounds).requirement, remainder
    )
    return [rows.tolist() for rows in after.groups], after.remainder.tolist()


def shortest_union(drawn):
    """Groups after joining the leftovers with ever more groups from the end, by brute force."""
    values, beliefs, bounds, groups, left = drawn
    may_stand = oracles.js_reduce_may_stand(values, beliefs, **bounds)
    for kept in range(len(groups) - 1, -1, -1):
        union = [*chain(*groups[kept:]), *left]
        if may_stand(union):
            return [*groups[:kept], union], []
    return groups, left


@given(partitions())
def test_merging__joins_the_leftovers_to_as_few_groups_as_it_can(drawn):
    groups, left = drawn[3:]
    expected = shortest_union(drawn) if left else (groups, left)
    assert settled(drawn, "merge") == expected


@given(partitions())
def test_merging__keeps_the_requirement_and_everyone(drawn):
    values, beliefs, bounds, _, _ = drawn
    groups, left = settled(drawn, "merge")
    may_stand = oracles.js_reduce_may_stand(values, beliefs, **bounds)
    assert all(may_stand(group) for group in groups)
    assert sorted([*chain(*groups), *left]) == list(range(len(values)))


@given(partitions())
def test_suppressing__changes_no_group(drawn):
    assert settled(drawn, "suppress") == (drawn[3], drawn[4])


@given(partitions())
def test_what_is_published__is_close_to_the_published_table(drawn):
    values, beliefs, bounds, groups, left = drawn
    evidence = Evidence(np.array(values), np.array(beliefs))
    requirement = sr.js_reduce(**bounds).requirement
    after = confirmable(as_partition(groups, left), evidence, requirement)
    kept, suppressed = oracles.confirmable(groups, left, values, len(beliefs[0]), bounds["t"])
    assert [rows.tolist() for rows in after.groups] == kept
    assert sorted(after.remainder.tolist()) == sorted(suppressed)
