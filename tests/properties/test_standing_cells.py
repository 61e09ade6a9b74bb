"""Standing cells: cut once from quasi-identifiers, kept, merged for good, and never unfair."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seriatim as sr
from oracles_optimal import least_total_of_straight_cuts
from seriatim.partition.cells import Cells
from seriatim.partition.price_list import PriceList
from strategies import hospital_schema, hospital_tables


def view_of(table):
    return sr.View.from_table(table, hospital_schema())


def descended(cells, view, row):
    """Walk one respondent down the tree, by labels and numbers alone."""
    node = 0
    while cells.axes[node] >= 0:
        attribute = view.schema.quasi_identifiers[cells.axes[node]]
        code = view.points[row, cells.axes[node]]
        labels = getattr(attribute, "leaves", getattr(attribute, "values", None))
        border = cells.borders[node]
        at = border if labels is None else [str(label) for label in labels].index(border)
        node = cells.left[node] if code <= at else cells.right[node]
    return cells.left[node]


@given(hospital_tables(least=6, most=60), st.integers(1, 8))
def test_cells__hold_enough_people_and_everyone_once(table, least):
    view = view_of(table)
    cells = Cells.grown(view, least)
    found = cells.of(view)
    assert found.tolist() == [descended(cells, view, row) for row in range(len(view))]
    sizes = np.bincount(found, minlength=len(cells))
    assert len(sizes) == len(cells)
    assert (sizes >= min(least, len(view))).all()
    again = Cells.from_plan(cells.to_plan())
    assert again.of(view).tolist() == found.tolist()


def total_of(view, groups):
    """Σ size · NCP of groups of rows."""
    starts = np.cumsum([0, *map(len, groups)])
    return PriceList.of(view).total(np.concatenate(groups), starts)


@given(hospital_tables(least=4, most=11), st.integers(1, 4))
def test_cells__lose_as_little_detail_as_any_straight_cuts_could(table, least):
    view = view_of(table)
    found = Cells.grown(view, least).of(view)
    groups = [np.flatnonzero(found == cell).tolist() for cell in range(found.max() + 1)]
    best = least_total_of_straight_cuts(
        list(range(len(view))),
        view.points.T.tolist(),
        least,
        lambda rows: total_of(view, [rows]) / len(rows),
    )
    assert total_of(view, groups) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("least", [3, 10])
def test_cells__of_many_fine_values_are_grown_in_parts_that_still_hold_enough(least):
    rng = np.random.default_rng(5)
    n, names = 3000, ("a", "b", "c", "d")
    schema = sr.Schema("id", [sr.Numeric(name, 0, 1) for name in names], sr.Sensitive("exam"))
    table = {name: rng.random(n) for name in names}
    view = sr.View.from_table({"id": range(n), **table, "exam": ["x", "y"] * (n // 2)}, schema)
    sizes = np.bincount(Cells.grown(view, least).of(view))
    assert sizes.min() >= least
    # Cells are hardly larger than they must be: medians alone leave some 1.4 times as many.
    assert sizes.mean() < 1.25 * least


@given(hospital_tables(least=20, most=60), st.data())
def test_cells__do_not_look_at_sensitive_values(table, data):
    other = dict(table, exam=data.draw(st.permutations(table["exam"])))
    one, two = (Cells.grown(view_of(each), 4) for each in (table, other))
    assert one.to_plan() == two.to_plan()


def published(tables, policy, schema):
    store = sr.MemoryStore()
    publisher = sr.Publisher(schema, policy, sr.Adversary(), store=store, seed=1)
    made = []
    for at, table in enumerate(tables, start=1):
        publisher.publish(table, at=at)
        made.append(publisher.latest)
    return store, made


@pytest.mark.parametrize("by", ["first-seen", "current"])
def test_people__stay_together_unless_cells_are_merged(by):
    made = sr.clinic(weeks=6, size=200, seed=3)
    policy = sr.Policy(sr.KAnonymity(k=5) & sr.TCloseness(t=0.5), sr.StandingCells(size=10, by=by))
    store, publications = published(made.weeks, policy, made.schema)
    merged = np.array(store.register.plan["merged"])
    homes = [store.register.places(one.view.respondents) for one in publications]
    labels = []
    for one, places in zip(publications, homes, strict=True):
        groups = one.membership.group_of
        for group in range(one.release.n_groups):
            # All of a group are of cells that are merged by now.
            assert len(set(merged[places[groups == group]].tolist())) == 1
        labels.append(dict(zip(one.view.respondents.to_pylist(), groups.tolist(), strict=True)))
    together = [
        {(a, b) for a in week for b in week if a < b and week[a] == week[b]} for week in labels
    ]
    for (earlier, later), week in zip(pairwise(together), labels[1:], strict=True):
        both = {(a, b) for a, b in earlier if a in week and b in week}
        assert both <= later


def test_merges__that_are_made_anew_leave_the_cells_alone():
    made = sr.clinic(weeks=3, size=200, seed=3)
    cells = sr.StandingCells(size=5, merges="anew")
    policy = sr.Policy(sr.KAnonymity(k=5) & sr.TCloseness(t=0.5), cells)
    store, _ = published(made.weeks, policy, made.schema)
    plan = store.register.plan
    assert plan["merged"] == list(range(len(Cells.from_plan(plan["cells"]))))


def test_cells__that_are_cut_anew_are_those_of_each_view():
    made = sr.clinic(weeks=3, size=200, seed=3)
    cells = sr.StandingCells(5, "current", "recut")
    store, publications = published(made.weeks, sr.Policy(sr.KAnonymity(k=5), cells), made.schema)
    for publication in publications:
        own = Cells.grown(publication.view, 5).of(publication.view)
        assert len(np.unique(own)) == publication.release.n_groups
        pairs = set(zip(own.tolist(), publication.membership.group_of.tolist(), strict=True))
        assert len(pairs) == publication.release.n_groups
    assert store.register.version == 3


def test_sharp_knowledge__no_longer_makes_releases_collapse():
    made = sr.hospital(views=8, size=600, preset="paper-like", seed=2)
    knowledge = sr.Adversary(made.prior, made.sequence)
    asked = sr.KAnonymity(k=10) & sr.TCloseness(t=0.5) & sr.JSBound(j=0.6)
    left = {}
    for name, partitioner in {"cells": sr.StandingCells(20), "greedy": sr.HilbertGreedy()}.items():
        publisher = sr.Publisher(made.schema, sr.Policy(asked, partitioner), knowledge, seed=1)
        left[name] = 0
        for at, table in enumerate(made.tables, start=1):
            try:
                publisher.publish(table, at=at)
                left[name] += publisher.latest.suppressed
            except sr.UnsatisfiableError:
                left[name] += len(table)
    assert left["cells"] <= 0.01 * 8 * 600
    assert left["greedy"] > 0.2 * 8 * 600


def test_series__keeps_its_cells_in_a_file(tmp_path):
    made = sr.clinic(weeks=4, size=120, seed=3)
    policy = sr.Policy(sr.KAnonymity(k=5), sr.StandingCells(size=8))
    straight, _ = published(made.weeks, policy, made.schema)
    for at, table in enumerate(made.weeks, start=1):
        with sr.DuckDBStore(tmp_path / "s.store") as store:
            publisher = sr.Publisher(made.schema, policy, sr.Adversary(), store=store, seed=1)
            release = publisher.publish(table, at=at)
            assert release.to_arrow().equals(straight.history[at - 1].to_arrow())


@pytest.mark.parametrize(
    "other",
    [sr.StandingCells(9), sr.StandingCells(8, "current"), sr.StandingCells(8, merges="anew")],
)
def test_cells__cannot_be_changed_in_a_series(other):
    made = sr.clinic(weeks=2, size=120, seed=3)
    store = sr.MemoryStore()
    for at, cells in enumerate((sr.StandingCells(8), other), start=1):
        policy = sr.Policy(sr.KAnonymity(k=5), cells)
        publisher = sr.Publisher(made.schema, policy, sr.Adversary(), store=store)
        if at == 1:
            publisher.publish(made.weeks[0], at=1)
            continue
        with pytest.raises(sr.OrderError, match="stay as they are"):
            publisher.publish(made.weeks[1], at=2)


@pytest.mark.parametrize(
    "bad",
    [
        {"size": 0},
        {"size": 5, "by": "now"},
        {"size": 5, "merges": "x"},
        {"size": 5, "merges": "recut"},
    ],
)
def test_setting__that_is_none_is_refused(bad):
    with pytest.raises(sr.PolicyError):
        sr.StandingCells(**bad)
