"""Regions laid over rosters: their words mean the same in every view."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.partition import generalize
from strategies import (
    GENDERS,
    GRADES,
    ZIPS,
    as_partition,
    hospital_schema,
    hospital_tables,
    partitions,
)


def twins_of(rows):
    return {
        "age": oracles.interval([row["age"] for row in rows], 0, 99),
        "gender": oracles.value_set([row["gender"] for row in rows], GENDERS),
        "grade": oracles.run_of([row["grade"] for row in rows], GRADES),
        "zip": oracles.lowest_node([row["zip"] for row in rows], oracles.prefix_paths(ZIPS)),
    }


def rows_by_id(table):
    """Rows of a table as a roster sorts them."""
    rows = [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
    return sorted(rows, key=lambda row: row["id"])


@given(hospital_tables(least=2, most=12), hospital_tables(least=2, most=12), st.data())
def test_region__holds_exactly_those_whose_values_lie_in_all_its_parts(table, other, data):
    view = sr.View.from_table(table, hospital_schema())
    *groups, left = data.draw(partitions(len(view)))
    release, membership = generalize(
        view, as_partition(groups, left), at=1, rng=np.random.default_rng(0)
    )
    roster = sr.Roster.from_table(other, hospital_schema())
    people = rows_by_id(table)
    for number, group in enumerate(release.groups):
        members = np.flatnonzero(membership.group_of == number)
        twins = twins_of([people[row] for row in members])
        assert group.region.contains(view)[members].all()
        inside = [
            all(twin.holds(row[name]) for name, twin in twins.items()) for row in rows_by_id(other)
        ]
        assert group.region.contains(roster).tolist() == inside


@given(hospital_tables(least=2, most=12), hospital_tables(least=2, most=12), st.data())
def test_region__means_the_same_whatever_values_another_roster_happens_to_have(table, other, data):
    undeclared = sr.Schema(
        "id",
        [sr.Numeric("age"), sr.Categorical("gender"), sr.Ordinal("grade", GRADES)],
        sr.Sensitive("exam"),
    )
    view = sr.View.from_table(table, undeclared)
    *groups, left = data.draw(partitions(len(view)))
    partition = as_partition(groups, left)
    release, membership = generalize(view, partition, at=1, rng=np.random.default_rng(0))
    roster = sr.Roster.from_table(other, undeclared)
    people = rows_by_id(table)
    for number, group in enumerate(release.groups):
        members = np.flatnonzero(membership.group_of == number)
        twins = twins_of([people[row] for row in members])
        del twins["zip"]
        inside = [
            all(twin.holds(row[name]) for name, twin in twins.items()) for row in rows_by_id(other)
        ]
        assert group.region.contains(roster).tolist() == inside
