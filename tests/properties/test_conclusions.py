"""What is concluded where memberships are open, or some values were told, by enumeration."""

import math
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles as oracles_of_rules
import oracles_readers as oracles
import seriatim as sr
from seriatim.errors import KnowledgeError
from seriatim.inference import Exact, conclusions
from seriatim.inference.conclusions import UNTOLD, components_of, conclude
from seriatim.inference.rules import rules_by_name
from strategies import rows_of
from strategies_readers import VALUES, opened, positive_rows, region_schema, told_series

RULES = rules_by_name()


def anyone_anywhere(case):
    """A placement with every group whose region fits, even where few ways are possible."""
    candidates = [sorted(groups) for groups in case.fitting]
    offsets = np.cumsum([0, *map(len, candidates)])
    return sr.Placement(case.roster, offsets, np.array([*chain(*candidates)], dtype=np.int64))


class ScaledByHand:
    """As many rounds of scaling as are made where people are many, one group after the other."""

    def posterior(self, prior, groups):
        found = np.zeros_like(prior)
        for group in range(len(groups.value_starts) - 1):
            people = groups.members[slice(*groups.member_starts[group : group + 2])]
            values = groups.value_codes[slice(*groups.value_starts[group : group + 2])]
            rows = prior[people].tolist()
            found[people] = oracles_of_rules.sinkhorn_posterior(rows, values.tolist())
        return found


def told_codes(told, n):
    return np.array([told.get(row, UNTOLD) for row in range(n)])


def true_values(draw, case):
    """One way to hand out the tuples: the value of each respondent who is published."""
    ways = oracles.assignments(case.fitting, case.sizes)
    way = draw(st.sampled_from(ways))
    left = {}
    for group, value in case.tuples:
        left.setdefault(group, []).append(value)
    return {row: left[group].pop() for row, group in enumerate(way) if group is not None}


# ---------------------------------------------------------------------------
# Open memberships
# ---------------------------------------------------------------------------


@given(opened(most_tuples=4), st.data())
def test_conclusion__from_a_placement_agrees_with_enumerating_who_has_which_tuple(case, data):
    revised = data.draw(positive_rows(len(case.roster), len(VALUES)))
    expected = oracles.placed_posterior(revised.tolist(), case.fitting, case.tuples)
    placed = conclude(Exact(), revised, case.release, sr.place(case.roster, case.release))
    assert np.allclose(placed, expected, atol=1e-9)


def test_components__join_groups_that_share_people_in_however_many_steps():
    people = {"id": list(range(9)), "age": [0] * 9, "gender": ["F"] * 9}
    roster = sr.Roster.from_table(people, region_schema())
    chain_of = np.repeat(np.arange(10), 2)[1:-1]  # everyone fits a group and the next one
    placement = sr.Placement(roster, np.arange(10) * 2, chain_of)
    assert components_of(placement, 10).tolist() == [0] * 10


@given(opened(most_tuples=4), st.data())
def test_conclusion__does_not_need_a_placement_to_be_narrowed(case, data):
    revised = data.draw(positive_rows(len(case.roster), len(VALUES)))
    expected = oracles.placed_posterior(revised.tolist(), case.fitting, case.tuples)
    found = conclude(Exact(), revised, case.release, anyone_anywhere(case))
    assert np.allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("rule", RULES)
@given(case=opened(), data=st.data())
def test_conclusion__is_a_distribution_over_what_fitting_groups_publish(rule, case, data):
    revised = np.array(data.draw(rows_of(len(case.roster), len(VALUES))))
    found = conclude(
        RULES[rule], revised, case.release, placed := sr.place(case.roster, case.release)
    )
    assert np.allclose(found.sum(axis=1), 1.0)
    assert (found >= 0).all()
    surplus = len(case.roster) > len(case.release)
    for row, groups in enumerate(case.fitting):
        possible = {value for group, value in case.tuples if group in groups}
        if not placed.published[row]:
            assert np.array_equal(found[row], revised[row])
        elif surplus:
            possible |= set(np.flatnonzero(revised[row]).tolist())
        if placed.published[row]:
            assert set(np.flatnonzero(found[row]).tolist()) <= possible


@pytest.mark.parametrize("rule", RULES)
@given(case=opened(most_spare=0), data=st.data())
def test_conclusion__is_a_distribution_where_the_roster_lacks_people(rule, case, data):
    kept = data.draw(st.integers(1, len(case.roster)))
    roster = case.roster.take(np.arange(kept))
    revised = np.array(data.draw(rows_of(kept, len(VALUES))))
    found = conclude(RULES[rule], revised, case.release, sr.place(roster, case.release))
    assert np.allclose(found.sum(axis=1), 1.0)
    assert (found >= 0).all()


@given(opened(), st.data())
def test_conclusion__leaves_its_input_alone(case, data):
    revised = data.draw(positive_rows(len(case.roster), len(VALUES)))
    before = revised.copy()
    conclude(Exact(), revised, case.release, sr.place(case.roster, case.release))
    assert np.array_equal(revised, before)


@given(opened(most_tuples=4), st.data())
def test_conclusion__of_a_group_and_value_counts_every_tuple_once(case, data):
    """What everyone is believed to have, together, is what was published (and the absent's)."""
    revised = data.draw(positive_rows(len(case.roster), len(VALUES)))
    if len(case.roster) == len(case.release):
        placed = sr.place(case.roster, case.release)
        found = conclude(Exact(), revised, case.release, placed)
        published = np.bincount([value for _, value in case.tuples], minlength=len(VALUES))
        assert np.allclose(found.sum(axis=0), published)


@pytest.mark.parametrize("rule", RULES)
@given(case=told_series(most_weeks=1), data=st.data())
def test_conclusion__of_known_groups_is_the_same_said_as_placement(rule, case, data):
    """A group whose members are certain is read alike, whatever is open elsewhere."""
    (release,), (view,) = case.publish()
    membership = sr.place(view.roster, release)
    placement = sr.Placement(
        membership.roster, np.arange(len(view) + 1), membership.group_of.astype(np.int64)
    )
    revised = data.draw(positive_rows(len(view), len(release.schema.sensitive.domain)))
    known = conclude(RULES[rule], revised, release, membership)
    assert np.allclose(conclude(RULES[rule], revised, release, placement), known, atol=1e-6)


@given(opened(most_tuples=5, most_spare=3), st.data())
def test_conclusion__of_many_people_scales_as_sinkhorn_does(case, data):
    revised = data.draw(positive_rows(len(case.roster), len(VALUES)))
    placed = anyone_anywhere(case)
    dense = conclude(ScaledByHand(), revised, case.release, placed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conclusions, "_MOST_CELLS", 0)
        sparse = conclude(Exact(), revised, case.release, placed)
    assert np.allclose(sparse, dense, atol=1e-6)


@given(opened(most_tuples=5, most_spare=3), st.data())
def test_conclusion__of_many_people_is_a_distribution_with_zeros_too(case, data):
    revised = np.array(data.draw(rows_of(len(case.roster), len(VALUES))))
    placed = anyone_anywhere(case)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conclusions, "_MOST_CELLS", 0)
        found = conclude(Exact(), revised, case.release, placed)
    assert np.allclose(found.sum(axis=1), 1.0)
    assert (found >= 0).all()


def test_conclusion__of_two_who_may_be_either_weighs_both():
    """One tuple a, two people: each is it with odds of what was expected of them."""
    schema = region_schema()
    release = sr.read_release({"age": ["*"], "gender": ["*"], "exam": ["a"]}, schema, at=1)
    roster = sr.Roster.from_table({"id": [1, 2], "age": [1, 2], "gender": ["F", "F"]}, schema)
    revised = np.array([[0.6, 0.2, 0.2], [0.2, 0.4, 0.4]])
    found = conclude(Exact(), revised, release, sr.place(roster, release))
    # It is the first in 3 ways of 4, and whoever it is not keeps what was expected.
    assert np.allclose(found[0], [0.75 + 0.25 * 0.6, 0.25 * 0.2, 0.25 * 0.2])
    assert np.allclose(found[1], [0.25 + 0.75 * 0.2, 0.75 * 0.4, 0.75 * 0.4])


def test_conclusion__keeps_sets_of_groups_apart_that_share_nobody():
    schema = region_schema()
    table = {
        "age": ["[0,2]", "[1,4]", "[6,8]", "[7,9]"],
        "gender": ["*"] * 4,
        "exam": ["a", "b", "b", "c"],
    }
    release = sr.read_release(table, schema, at=1)
    roster = sr.Roster.from_table(
        {"id": [1, 2, 3, 4], "age": [1, 2, 7, 8], "gender": ["F"] * 4}, schema
    )
    found = conclude(Exact(), np.full((4, 3), 1 / 3), release, sr.place(roster, release))
    assert np.allclose(found[:2], [[0.5, 0.5, 0]] * 2)
    assert np.allclose(found[2:], [[0, 0.5, 0.5]] * 2)


# ---------------------------------------------------------------------------
# Told values, known groups
# ---------------------------------------------------------------------------


def known_groups(case):
    """Release, membership, groups by row and told codes of the one week of a series."""
    (release,), (view,) = case.publish()
    membership = sr.place(view.roster, release)
    row_of = {person: row for row, person in enumerate(view.respondents.to_pylist())}
    told = {row_of[person]: value for person, value in case.weeks[0].told.items()}
    return release, membership, told


@given(told_series(most_weeks=1), st.data())
def test_conclusion__from_what_was_told_agrees_with_enumerating_what_is_left(case, data):
    release, membership, told = known_groups(case)
    revised = data.draw(
        positive_rows(len(membership.group_of), len(next(iter(case.prior.values()))))
    )
    tuples = [
        (number, int(code))
        for number, group in enumerate(release.groups)
        for code in group.value_codes
    ]
    fitting = [{int(group)} for group in membership.group_of]
    expected = oracles.placed_posterior(revised.tolist(), fitting, tuples, told)
    found = conclude(Exact(), revised, release, membership, told_codes(told, len(revised)))
    assert np.allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("rule", RULES)
@given(case=told_series(most_weeks=1), data=st.data())
def test_conclusion__is_certain_of_the_told_and_leaves_the_rest_to_the_others(rule, case, data):
    release, membership, told = known_groups(case)
    n, n_values = len(membership.group_of), len(release.schema.sensitive.domain)
    revised = np.array(data.draw(rows_of(n, n_values)))
    found = conclude(RULES[rule], revised, release, membership, told_codes(told, n))
    assert np.allclose(found.sum(axis=1), 1.0)
    for number, group in enumerate(release.groups):
        members = [row for row in range(n) if membership.group_of[row] == number]
        values = [int(code) for code in group.value_codes]
        left = oracles.values_left(values, [told[row] for row in members if row in told])
        for row in members:
            if row in told:
                assert found[row].tolist() == oracles.certainty(n_values, told[row])
            else:
                assert set(np.flatnonzero(found[row]).tolist()) <= set(left)


@pytest.mark.parametrize("rule", RULES)
@given(case=told_series(most_weeks=1), data=st.data())
def test_conclusion__of_groups_nobody_was_told_of_does_not_change(rule, case, data):
    release, membership, told = known_groups(case)
    n = len(membership.group_of)
    revised = data.draw(positive_rows(n, len(release.schema.sensitive.domain)))
    touched = {membership.group_of[row] for row in told}
    others = [row for row in range(n) if membership.group_of[row] not in touched]
    found = conclude(RULES[rule], revised, release, membership, told_codes(told, n))
    alone = conclude(RULES[rule], revised, release, membership)
    assert np.array_equal(found[others], alone[others])


@pytest.mark.parametrize("rule", RULES)
@given(case=told_series(most_weeks=1), data=st.data())
def test_conclusion__with_nothing_told_is_as_without_the_argument(rule, case, data):
    release, membership, _ = known_groups(case)
    n = len(membership.group_of)
    revised = np.array(data.draw(rows_of(n, len(release.schema.sensitive.domain))))
    told = conclude(RULES[rule], revised, release, membership, np.full(n, UNTOLD))
    assert np.array_equal(told, conclude(RULES[rule], revised, release, membership))


@pytest.mark.parametrize("rule", RULES)
@given(case=told_series(most_weeks=1))
def test_conclusion__is_the_truth_where_everyone_was_told_of(rule, case):
    (release,), (view,) = case.publish()
    revised = np.full((len(view), len(release.schema.sensitive.domain)), 0.5)
    revised /= revised.sum(axis=1, keepdims=True)
    membership = sr.place(view.roster, release)
    found = conclude(RULES[rule], revised, release, membership, view.value_codes)
    assert np.array_equal(found.argmax(axis=1), view.value_codes)
    assert np.array_equal(found.max(axis=1), np.ones(len(view)))


@pytest.mark.parametrize("told", [[2, -1, -1], [0, 0, -1], [1, 1, 1]])
@pytest.mark.parametrize("rule", RULES)
def test_conclusion__refuses_told_values_that_the_group_does_not_publish(rule, told):
    schema = region_schema()
    table = {"age": ["1"] * 3, "gender": ["F"] * 3, "exam": ["a", "b", "b"]}
    release = sr.read_release(table, schema, at=1)
    roster = sr.Roster.from_table(
        {"id": ["SECRET-1", "SECRET-2", "SECRET-3"], "age": [1] * 3, "gender": ["F"] * 3}, schema
    )
    membership = sr.place(roster, release)
    with pytest.raises(KnowledgeError, match="groups do not publish") as caught:
        conclude(RULES[rule], np.full((3, 3), 1 / 3), release, membership, np.array(told))
    assert "SECRET" not in str(caught.value)


def test_conclusion__knows_the_told_who_are_not_in_the_release():
    schema = region_schema()
    release = sr.read_release({"age": ["1"], "gender": ["F"], "exam": ["a"]}, schema, at=1)
    roster = sr.Roster.from_table({"id": [1, 2], "age": [1, 9], "gender": ["F", "F"]}, schema)
    revised = np.full((2, 3), 1 / 3)
    found = conclude(Exact(), revised, release, sr.place(roster, release), np.array([-1, 2]))
    assert found.tolist() == [[1, 0, 0], [0, 0, 1]]


# ---------------------------------------------------------------------------
# Told values, open memberships
# ---------------------------------------------------------------------------


@given(opened(most_tuples=4, most_spare=0), st.data())
def test_conclusion__weighs_open_memberships_by_what_was_told(case, data):
    true = true_values(data.draw, case)
    told = {row: true[row] for row in data.draw(st.sets(st.sampled_from(sorted(true))))}
    revised = data.draw(positive_rows(len(case.roster), len(VALUES)))
    expected = oracles.placed_posterior(revised.tolist(), case.fitting, case.tuples, told)
    placed = sr.place(case.roster, case.release)
    found = conclude(Exact(), revised, case.release, placed, told_codes(told, len(revised)))
    assert np.allclose(found, expected, atol=1e-6)


@given(opened(most_tuples=4, most_spare=2), st.data())
def test_conclusion__weighs_who_may_be_absent_by_what_was_told(case, data):
    """Of whom a value is known it is certain, whether their tuple is published or not."""
    true = true_values(data.draw, case)
    told = {row: true[row] for row in data.draw(st.sets(st.sampled_from(sorted(true))))}
    revised = data.draw(positive_rows(len(case.roster), len(VALUES)))
    expected = oracles.placed_posterior(revised.tolist(), case.fitting, case.tuples, told)
    placed = sr.place(case.roster, case.release)
    found = conclude(Exact(), revised, case.release, placed, told_codes(told, len(revised)))
    assert np.allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("rule", RULES)
@given(case=opened(), data=st.data())
def test_conclusion__from_open_memberships_is_certain_of_the_told(rule, case, data):
    true = true_values(data.draw, case)
    told = {row: true[row] for row in data.draw(st.sets(st.sampled_from(sorted(true))))}
    revised = np.array(data.draw(rows_of(len(case.roster), len(VALUES))))
    codes = told_codes(told, len(revised))
    found = conclude(RULES[rule], revised, case.release, sr.place(case.roster, case.release), codes)
    assert np.allclose(found.sum(axis=1), 1.0)
    assert all(found[row, value] == 1.0 for row, value in told.items())


def test_conclusion__refuses_told_values_that_no_possible_group_publishes():
    """The third is in the first group, which publishes no c."""
    schema = region_schema()
    table = {
        "age": ["[0,5]", "[0,5]", "[4,9]", "[4,9]"],
        "gender": ["*"] * 4,
        "exam": ["a", "b", "b", "c"],
    }
    release = sr.read_release(table, schema, at=1)
    roster = sr.Roster.from_table(
        {"id": [1, 2, 3, 4], "age": [4, 5, 1, 5], "gender": ["F"] * 4}, schema
    )
    placed = sr.place(roster, release)
    assert isinstance(placed, sr.Placement)
    with pytest.raises(KnowledgeError):
        conclude(Exact(), np.full((4, 3), 1 / 3), release, placed, np.array([-1, -1, 2, -1]))


def test_conclusion__explains_a_tuple_away_by_whom_was_told_of():
    """One tuple a; the first is known to have a, however little that was expected."""
    schema = region_schema()
    release = sr.read_release({"age": ["*"], "gender": ["*"], "exam": ["a"]}, schema, at=1)
    roster = sr.Roster.from_table({"id": [1, 2], "age": [1, 2], "gender": ["F", "F"]}, schema)
    revised = np.array([[1e-6, 0.5, 0.5 - 1e-6], [0.5, 0.25, 0.25]])
    found = conclude(Exact(), revised, release, sr.place(roster, release), np.array([0, -1]))
    # The tuple is the first one's in 2 ways of 3: the second has a with 1/3 + 2/3 · 1/2.
    assert math.isclose(found[1, 0], 2 / 3, abs_tol=1e-6)
