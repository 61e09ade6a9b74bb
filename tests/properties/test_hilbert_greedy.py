from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.partition import tie_order
from seriatim.partition.hilbert_greedy import greedy_starts
from seriatim.privacy.tally import Evidence
from strategies import GRID_BITS, grid_schema, grid_table, grid_views, rows_of

CROWD = range(20)


@st.composite
def crowds(draw):
    """A view at distinct points, and what is believed of its respondents."""
    n_values = draw(st.integers(2, 4))
    tuples = draw(grid_views(n_values, people=CROWD, least=4))
    return tuples, draw(rows_of(len(tuples), n_values))


REQUIREMENTS = st.fixed_dictionaries(
    {},
    optional={
        "k": st.integers(1, 5),
        "l": st.integers(1, 3),
        "t": st.sampled_from([0.1, 0.25, 0.3, 0.5]),
        "ordered": st.sampled_from([0.1, 0.2, 0.3]),
        "j": st.sampled_from([0.02, 0.1, 0.4]),
        "effective": st.sampled_from([1.5, 2, 2.7, 3]),
        "recursive": st.tuples(st.sampled_from([0.5, 1, 1.5, 3]), st.integers(1, 3)),
        "beta": st.sampled_from([0.5, 1, 2]),
        "enhanced": st.sampled_from([0.5, 1, 2]),
        "delta": st.sampled_from([0.4, 0.8, 1.5]),
    },
).filter(bool)

PARTS = {
    "k": lambda k: sr.KAnonymity(k=k),
    "l": lambda l: sr.DistinctLDiversity(l=l),
    "t": lambda t: sr.TCloseness(t=t),
    "ordered": lambda t: sr.TCloseness(t=t, distance="ordered"),
    "j": lambda j: sr.JSBound(j=j),
    "effective": lambda l: sr.EntropyLDiversity(l=l),
    "recursive": lambda cl: sr.RecursiveCLDiversity(c=cl[0], l=cl[1]),
    "beta": lambda beta: sr.BetaLikeness(beta=beta),
    "enhanced": lambda beta: sr.BetaLikeness(beta=beta, enhanced=True),
    "delta": lambda delta: sr.DeltaDisclosure(delta=delta),
}


def requirement_of(bounds):
    first, *others = [PARTS[name](bound) for name, bound in bounds.items()]
    for other in others:
        first &= other
    return first


def twin_of(bounds, values, beliefs):
    n_values, room = len(beliefs[0]), oracles.JS_ROOM

    def may_stand(rows):
        group = [values[row] for row in rows]
        holds = {
            "k": lambda k: len(rows) >= k,
            "l": lambda l: oracles.distinct_values(group) >= l,
            "t": lambda t: oracles.scanned_equal_distance(group, values, n_values) <= t,
            "ordered": lambda t: oracles.scanned_ordered_distance(group, values, n_values) <= t,
            "j": lambda j: oracles.js_divergence([beliefs[row] for row in rows]) <= j + room,
            # Equally frequent values are exact for us, and rounded in the twin.
            "effective": lambda l: oracles.effective_values(group, n_values) >= l - 1e-12,
            "recursive": lambda cl: oracles.most_over_tail(group, cl[1]) < cl[0],
            "beta": lambda beta: oracles.keeps_likeness(
                group, values, n_values, beta, enhanced=False
            ),
            "enhanced": lambda beta: oracles.keeps_likeness(
                group, values, n_values, beta, enhanced=True
            ),
            "delta": lambda delta: oracles.log_ratio(group, values, n_values) < delta,
        }
        return all(holds[name](bound) for name, bound in bounds.items())

    return may_stand


SECRET = b"what nobody knows"


def partitioned(tuples, beliefs, requirement, ties=None, ids=None):
    table = grid_table(tuples)
    if ids is not None:
        table["id"] = ids
    view = sr.View.from_table(table, grid_schema(len(beliefs[0])))
    revised = sr.Belief(np.array(beliefs), view.schema.sensitive.domain)
    ties = tie_order(view, SECRET) if ties is None else ties
    return sr.HilbertGreedy().partition(view, revised, requirement, ties=ties)


def as_lists(partition):
    return [rows.tolist() for rows in partition.groups], partition.remainder.tolist()


@st.composite
def crowded_places(draw):
    """A view whose tuples share few points."""
    tuples, beliefs = draw(crowds())
    return [(name, (x % 2, y % 2), value) for name, (x, y), value in tuples], beliefs


@given(crowds() | crowded_places(), REQUIREMENTS)
def test_hilbert_greedy__equals_the_scan_of_algorithm_2(crowd, bounds):
    tuples, beliefs = crowd
    place = [
        (oracles.hilbert_index(point, GRID_BITS), oracles.tie(respondent, SECRET))
        for respondent, point, _ in tuples
    ]
    order = sorted(range(len(tuples)), key=lambda row: place[row])
    values = [value for _, _, value in tuples]
    expected = oracles.greedy_scan(order, twin_of(bounds, values, beliefs))
    assert as_lists(partitioned(tuples, beliefs, requirement_of(bounds))) == expected


class Unheard(sr.KAnonymity):
    """A requirement that no kernel knows."""

    def criterion(self):
        return None


@given(crowds(), REQUIREMENTS)
def test_hilbert_greedy__is_the_same_for_a_requirement_without_compiled_form(crowd, bounds):
    requirement = requirement_of(bounds)
    in_python = Unheard(k=1) & requirement
    assert any(part.criterion() is None for part in in_python.parts)
    assert as_lists(partitioned(*crowd, in_python)) == as_lists(partitioned(*crowd, requirement))


@given(crowded_places(), REQUIREMENTS)
def test_partition__groups_and_remainder_are_exactly_the_view(crowd, bounds):
    partition = partitioned(*crowd, requirement_of(bounds))
    groups, remainder = as_lists(partition)
    assert sorted([*chain(*groups), *remainder]) == list(range(len(crowd[0])))
    assert all(groups)
    for number, group in enumerate(groups):
        assert (partition.group_of[group] == number).all()
    assert (partition.group_of[remainder] == -1).all()


@given(crowded_places(), REQUIREMENTS, st.data())
def test_partition__depends_on_who_people_are_through_their_ties_alone(crowd, bounds, data):
    tuples, beliefs = crowd
    n, requirement = len(tuples), requirement_of(bounds)
    numbers = st.integers(0, 2**64 - 1)
    ties = np.array(data.draw(st.lists(numbers, min_size=n, max_size=n)), dtype=np.uint64)
    names = sorted(data.draw(st.sets(st.integers(0, 10**6), min_size=n, max_size=n)))
    renamed = partitioned(tuples, beliefs, requirement, ties, ids=names)
    assert as_lists(renamed) == as_lists(partitioned(tuples, beliefs, requirement, ties))


@given(crowded_places(), REQUIREMENTS, st.data())
def test_partition__is_the_same_people_in_whatever_order_they_are_listed(crowd, bounds, data):
    tuples, beliefs = crowd
    order = data.draw(st.permutations(range(len(tuples))))
    # New ids, which sort in another order; everyone keeps point, value, belief and tie.
    ties = np.array([oracles.tie(respondent, SECRET) for respondent, _, _ in tuples], np.uint64)
    turned = [tuples[row] for row in order], [beliefs[row] for row in order]
    found = partitioned(*turned, requirement_of(bounds), ties[order], ids=[*range(len(order))])
    expected = partitioned(tuples, beliefs, requirement_of(bounds), ties)
    assert [[order[row] for row in rows] for rows in as_lists(found)[0]] == as_lists(expected)[0]


@given(crowds(), REQUIREMENTS, st.integers(2, 9))
def test_groups__do_not_depend_on_how_many_pieces_are_scanned_at_once(crowd, bounds, pieces):
    tuples, beliefs = crowd
    schema = grid_schema(len(beliefs[0]))
    view = sr.View.from_table(grid_table(tuples), schema)
    evidence = Evidence.of(view, sr.Belief(np.array(beliefs), schema.sensitive.domain))
    order, requirement = np.arange(len(view)), requirement_of(bounds)
    found = greedy_starts(order, evidence, requirement, pieces=pieces)
    assert found.tolist() == greedy_starts(order, evidence, requirement, pieces=1).tolist()
