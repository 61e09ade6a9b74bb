"""HilbertOptimal against trying every cut, for every kind of attribute and requirement."""

import datetime as dt
from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
import oracles_optimal as twins
import seriatim as sr
from profiles import examples
from seriatim.errors import PolicyError
from seriatim.partition import generalize, hilbert_order, reinsertion, tie_order
from seriatim.partition.hilbert import curve_orders
from seriatim.partition.hilbert_optimal import Curve, Search
from seriatim.partition.price_list import PriceList
from seriatim.privacy.tally import Evidence

# Domains whose shares are sums of powers of two: totals are exact, and so are ties.
GENDERS = ("F", "M", "X", "-")
GRADES = ("low", "middle", "high", "top", "beyond")
WARDS = {
    "a1": ["a", "north", "*"],
    "a2": ["a", "north", "*"],
    "a3": ["a", "north", "*"],
    "b1": ["b", "north", "*"],
    "c1": ["c", "south", "*"],
    "c2": ["c", "south", "*"],
    "d1": ["d", "south", "*"],
    "d2": ["d", "south", "*"],
}
FIRST_DAY, DAYS = dt.date(2023, 1, 1), 1024
LAST_DAY = FIRST_DAY + dt.timedelta(DAYS)
VALUES = ("u", "v", "w")

SCHEMA = sr.Schema(
    "id",
    [
        sr.Numeric("age", 0, 8),
        sr.Categorical("gender", GENDERS),
        sr.Hierarchical("ward", WARDS),
        sr.Ordinal("grade", GRADES),
        sr.Date("born", FIRST_DAY, LAST_DAY),
    ],
    sr.Sensitive("exam", VALUES),
)


def units_of(day):
    """From a day to all that it lies in: its month, quarter and year, as first and last days."""

    def until(first, months):
        year, month = divmod(first.year * 12 + first.month - 1 + months, 12)
        return first, dt.date(year, month + 1, 1) - dt.timedelta(1)

    return [
        (day, day),
        until(day.replace(day=1), 1),
        until(dt.date(day.year, (day.month - 1) // 3 * 3 + 1, 1), 3),
        until(dt.date(day.year, 1, 1), 12),
    ]


def calendar_penalty(days):
    """The length of the finest unit around all days, else of the years from first to last."""
    for units in zip(*map(units_of, days), strict=True):
        if len(set(units)) == 1:
            first, last = units[0]
            break
    else:
        first, last = units_of(min(days))[-1][0], units_of(max(days))[-1][1]
    return min((last - first).days / DAYS, 1.0)


def penalty_in(table):
    def penalty(rows):
        cells = {name: [column[row] for row in rows] for name, column in table.items()}
        return (
            oracles.interval(cells["age"], 0, 8).penalty
            + oracles.value_set(cells["gender"], GENDERS).penalty
            + oracles.lowest_node(cells["ward"], WARDS).penalty
            + oracles.run_of(cells["grade"], GRADES).penalty
            + calendar_penalty(cells["born"])
        )

    return penalty


@st.composite
def crowds(draw, *, least=1, most=16):
    """A table with a few values in each attribute, sorted by id, and beliefs."""
    n = draw(st.integers(least, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    width = [draw(st.sampled_from([1, 2, 4, 9])) for _ in range(5)]
    days = rng.choice(DAYS + 1, width[4], replace=False)
    table = {
        "id": list(range(n)),
        "age": rng.integers(0, width[0], n).tolist(),
        "gender": rng.choice(GENDERS[: width[1]], n).tolist(),
        "ward": rng.choice(sorted(WARDS)[: width[2]], n).tolist(),
        "grade": rng.choice(GRADES[: width[3]], n).tolist(),
        "born": [FIRST_DAY + dt.timedelta(int(day)) for day in rng.choice(days, n)],
        "exam": rng.choice(VALUES, n).tolist(),
    }
    beliefs = rng.integers(0, 5, (n, 3)) + np.eye(3, dtype=int)[rng.integers(0, 3, n)]
    return table, beliefs / beliefs.sum(axis=1, keepdims=True)


class Unheard(sr.KAnonymity):
    """A requirement that no kernel knows."""

    def criterion(self):
        return None


REQUIREMENTS = {
    "k": sr.KAnonymity(k=3),
    "k & t": sr.KAnonymity(k=2) & sr.TCloseness(t=0.35),
    "k & js": sr.KAnonymity(k=2) & sr.JSBound(j=0.12),
    "unique": sr.MUniqueness(m=2),
    "(B, t)": sr.KAnonymity(k=2) & sr.BTPrivacy(bandwidth=0.5, t=0.3),
}
NAMES = st.sampled_from(sorted(REQUIREMENTS))


class Case:
    """A crowd, and what may stand in it, in plain Python."""

    def __init__(self, crowd, name, *, compiled=True):
        self.table, beliefs = crowd
        self.view = sr.View.from_table(self.table, SCHEMA)
        self.revised = sr.Belief(np.asarray(beliefs), VALUES)
        self.ties = tie_order(self.view, b"secret")
        self.requirement = REQUIREMENTS[name] if compiled else Unheard(k=1) & REQUIREMENTS[name]
        self.evidence = Evidence.of(self.view, self.revised)
        self.search = Search(PriceList.of(self.view), self.evidence, self.requirement)
        self.order = hilbert_order(self.view, ties=self.ties).tolist()
        self.penalty = penalty_in(self.table)
        self.values = [VALUES.index(value) for value in self.table["exam"]]
        self.name = name

    def may_stand(self, rows):
        group = [self.values[row] for row in rows]
        beliefs = self.revised.probabilities[rows].tolist()
        if self.name == "k":
            return len(rows) >= 3
        if self.name == "k & t":
            distance = oracles.scanned_equal_distance(group, self.values, 3)
            return len(rows) >= 2 and distance <= 0.35
        if self.name == "k & js":
            return len(rows) >= 2 and oracles.js_divergence(beliefs) <= 0.12 + oracles.JS_ROOM
        if self.name == "unique":
            return len(rows) >= 2 and len(set(group)) == len(rows)
        # The kernel prior has twins of its own; here it is what it is.
        part = self.requirement.parts[-1]
        prior, _ = part._reader(self.evidence)
        moved = [
            oracles.js_divergence([before, after])
            for before, after in zip(
                prior[rows].tolist(),
                oracles.omega_posterior(prior[rows].tolist(), group),
                strict=True,
            )
        ]
        return len(rows) >= 2 and max(moved) <= 0.3 + 5e-10

    def stretches(self, window):
        curve = Curve.along(np.array(self.order), self.search)
        return self.search.stretches(curve, window)

    def partition(self, partitioner=None):
        partitioner = sr.HilbertOptimal() if partitioner is None else partitioner
        return partitioner.partition(self.view, self.revised, self.requirement, ties=self.ties)

    def price(self, partition):
        groups, left = as_lists(partition)
        return twins.price_of(groups, left, self.penalty)


def as_lists(partition):
    return [rows.tolist() for rows in partition.groups], partition.remainder.tolist()


@given(crowds(), st.data())
def test_price_list__agrees_with_what_the_release_will_show(crowd, data):
    case = Case(crowd, "k")
    n = len(case.order)
    cuts = sorted(data.draw(st.sets(st.integers(1, max(n - 1, 1)), max_size=5)) | {n})
    starts = np.array([0, *cuts] if cuts[0] <= n else [0, n])
    rows = np.array(data.draw(st.permutations(range(n))))
    shown = sum(
        attribute.cover(case.view.points[rows, axis], starts).penalties @ np.diff(starts)
        for axis, attribute in enumerate(SCHEMA.quasi_identifiers)
    )
    groups = [rows[a:b].tolist() for a, b in pairwise(starts)]
    found = PriceList.of(case.view).total(rows, starts)
    assert found == pytest.approx(shown, abs=1e-9)
    assert found == twins.price_of(groups, [], case.penalty)[1]


OPEN = [sr.Numeric("age"), sr.Categorical("gender"), sr.Date("born", levels=("quarter",))]


@given(crowds(), st.data())
def test_price_list__of_domains_read_off_data_agrees_where_nobody_is_left_over(crowd, data):
    table, _ = crowd
    # A mask over wards too: its leaves are those that occur.
    attributes = [*OPEN, sr.Hierarchical("ward", mask="prefix")]
    schema = sr.Schema("id", attributes, sr.Sensitive("exam", VALUES))
    view = sr.View.from_table(table, schema)
    n = len(view)
    rows = np.array(data.draw(st.permutations(range(n))))
    starts = np.array([0, n]) if n == 1 else np.array([0, data.draw(st.integers(1, n - 1)), n])
    shown = sum(
        attribute.cover(view.points[rows, axis], starts).penalties @ np.diff(starts)
        for axis, attribute in enumerate(view.schema.quasi_identifiers)
    )
    assert PriceList.of(view).total(rows, starts) == pytest.approx(shown, abs=1e-9)


@pytest.mark.parametrize("name", REQUIREMENTS)
@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "in Python"])
def test_stretches__are_the_best_of_all(name, compiled):
    @given(crowds(), st.integers(1, 16))
    def agrees(crowd, window):
        case = Case(crowd, name, compiled=compiled)
        found = case.stretches(len(case.order))
        best = twins.least_price(case.order, case.may_stand, case.penalty)
        assert found.price == best == case.price(found.partition)
        groups, _ = as_lists(found.partition)
        assert all(map(case.may_stand, groups))
        assert list(chain(*groups)) == [row for row in case.order if row in set(chain(*groups))]
        # In a window, no worse than what fits in it, nor than the greedy scan.
        narrow = case.stretches(min(window, len(case.order)))
        fitting = twins.least_price(case.order, case.may_stand, case.penalty, window)
        scanned = twins.price_of(*oracles.greedy_scan(case.order, case.may_stand), case.penalty)
        assert best <= case.price(narrow.partition) <= min(fitting, scanned)

    agrees()


@given(crowds(most=9), NAMES)
def test_stretches__of_the_twin_are_the_best_of_all_cuts(crowd, name):
    case = Case(crowd, name)
    best = twins.least_price(case.order, case.may_stand, case.penalty)
    assert best == twins.least_price_of_all_cuts(case.order, case.may_stand, case.penalty)


@given(crowds(least=3))
def test_stretches__under_k_alone_need_no_more_than_twice_k(crowd):
    case = Case(crowd, "k")
    n = len(case.order)
    assert case.stretches(min(5, n)).price == case.stretches(n).price


@pytest.mark.parametrize("name", REQUIREMENTS)
@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "in Python"])
def test_reinsertion__equals_its_rounds(name, compiled):
    @given(crowds(most=24), st.integers(1, 5))
    def agrees(crowd, most):
        case = Case(crowd, name, compiled=compiled)
        order = np.array(case.order)
        found = case.stretches(len(order))
        # Of some groups the members are left over again, so that many ask at few groups.
        kept = np.where(found.group_of < most, found.group_of, -1)
        groups = [order[kept == number].tolist() for number in range(kept.max() + 1)]
        expected = twins.reinserted(case.order, groups, case.may_stand, case.penalty)
        group_of = reinsertion.reinserted(
            order, kept, case.search.prices, case.evidence, case.requirement
        )
        placed = [set(order[group_of == number].tolist()) for number in range(len(groups))]
        assert placed == [set(rows) for rows in expected]

    agrees()


@given(crowds(least=8, most=24), NAMES, st.booleans())
def test_reinsertion__that_looks_only_at_near_groups_keeps_the_requirement(crowd, name, compiled):
    case = Case(crowd, name, compiled=compiled)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reinsertion, "_MOST_PAIRS", 0)
        patch.setattr(reinsertion, "_NEAREST", 1)
        partition = case.partition(sr.HilbertOptimal(window=3))
    assert all(map(case.may_stand, as_lists(partition)[0]))


@settings(max_examples=examples(3))
@given(crowds(most=24), NAMES, st.sampled_from([None, 1, 4]))
def test_hilbert_optimal__is_never_worse_than_the_greedy_scan(crowd, name, window):
    case = Case(crowd, name)
    found = case.partition(sr.HilbertOptimal(window))
    groups, left = as_lists(found)
    assert sorted([*chain(*groups), *left]) == list(range(len(case.order)))
    assert all(map(case.may_stand, groups))
    greedy = case.price(case.partition(sr.HilbertGreedy()))
    mine = case.price(found)
    assert mine[0] <= greedy[0]
    if greedy[0] == 0:
        assert mine <= greedy


@given(crowds(most=20), NAMES)
def test_hilbert_optimal__is_the_same_for_a_requirement_without_compiled_form(crowd, name):
    # The window goes by what kernels know of a requirement, so it is given.
    partitioner = sr.HilbertOptimal(window=9)
    found = Case(crowd, name, compiled=False).partition(partitioner)
    assert as_lists(found) == as_lists(Case(crowd, name).partition(partitioner))


@given(crowds(), NAMES, st.data())
def test_hilbert_optimal__forms_the_same_groups_whatever_people_are_called(crowd, name, data):
    """New ids sort in another order; everyone keeps cells, value, belief and tie."""
    table, beliefs = crowd
    case = Case(crowd, name)
    order = list(data.draw(st.permutations(range(len(table["id"])))))
    turned = {column: [cells[row] for row in order] for column, cells in table.items()}
    other = Case(({**turned, "id": table["id"]}, beliefs[order]), name)
    other.ties = case.ties[order]
    groups, left = as_lists(other.partition())
    assert ([[order[row] for row in rows] for rows in groups], [order[row] for row in left]) == (
        as_lists(case.partition())
    )


@given(crowds(least=2))
def test_curve_orders__begin_with_the_plain_one_and_end_with_the_coarsest_leading(crowd):
    case = Case(crowd, "k")
    orders = curve_orders(case.view, ties=case.ties)
    assert orders[0].tolist() == case.order
    assert all(sorted(order) == sorted(case.order) for order in orders)
    for order in orders[-3:]:
        genders = [GENDERS.index(case.table["gender"][row]) for row in order]
        assert genders == sorted(genders)


@pytest.mark.parametrize("n_attributes", [1, 2, 3, 5])
def test_curve_orders__are_different_ones(n_attributes):
    rng = np.random.default_rng(3)
    names = [f"x{axis}" for axis in range(n_attributes)]
    schema = sr.Schema("id", [sr.Numeric(name, 0, 63) for name in names], sr.Sensitive("v", (0, 1)))
    table = {"id": range(300), "v": rng.integers(0, 2, 300)}
    view = sr.View.from_table(
        {**table, **{name: rng.integers(0, 64, 300) for name in names}}, schema
    )
    orders = [tuple(order) for order in curve_orders(view, ties=tie_order(view, b"s"))]
    assert len({min(order, order[::-1]) for order in orders}) == len(orders)
    assert len(orders) == {1: 1, 2: 3, 3: 6, 5: 7}[n_attributes]


def test_window__grows_while_that_saves_tuples():
    """Fewer than 30 are never close to the table, and the first is like nobody: no scan helps."""
    n, domain = 241, tuple(range(30))
    schema = sr.Schema("id", [sr.Numeric("x", 0, n)], sr.Sensitive("v", domain))
    table = {"id": range(n), "x": range(n), "v": [place % 30 for place in range(n)]}
    view, beliefs = sr.View.from_table(table, schema), np.full((n, 30), 1 / 30)
    beliefs[0] = np.eye(30)[0]
    asked = sr.KAnonymity(k=2) & sr.TCloseness(t=0.01) & sr.JSBound(j=0)

    def partition(partitioner):
        ties = tie_order(view, b"s")
        found = partitioner.partition(view, sr.Belief(beliefs, domain), asked, ties=ties)
        return len(found), len(found.remainder)

    assert partition(sr.HilbertGreedy()) == (0, n)
    assert partition(sr.HilbertOptimal(window=29)) == (0, n)
    assert partition(sr.HilbertOptimal()) == (8, 1)


def test_window__does_not_keep_out_what_the_scan_finds():
    n, domain = 90, tuple(range(30))
    schema = sr.Schema("id", [sr.Numeric("x", 0, n)], sr.Sensitive("v", domain))
    table = {"id": range(n), "x": range(n), "v": [place % 30 for place in range(n)]}
    view, revised = sr.View.from_table(table, schema), sr.Belief(np.full((n, 30), 1 / 30), domain)
    found = sr.HilbertOptimal(window=4).partition(
        view, revised, sr.TCloseness(t=0.0), ties=tie_order(view, b"s")
    )
    assert (len(found), len(found.remainder)) == (3, 0)


def test_window__without_room_is_refused():
    with pytest.raises(PolicyError, match="window must be a whole number of at least 1"):
        sr.HilbertOptimal(window=0)


def test_hilbert_optimal__survives_where_the_scan_collapses():
    """One respondent whom nobody is like keeps the scan open for ever."""
    n = 60
    beliefs = np.tile([0.9, 0.1], (n, 1))
    beliefs[:3] = [0.0, 1.0]
    schema = sr.Schema("id", [sr.Numeric("x", 0, n)], sr.Sensitive("v", ("a", "b")))
    values = ["a", "b"] * (n // 2)
    view = sr.View.from_table({"id": range(n), "x": range(n), "v": values}, schema)
    asked = sr.KAnonymity(k=4) & sr.JSBound(j=0.02)
    ties = tie_order(view, b"s")
    revised = sr.Belief(beliefs, ("a", "b"))
    greedy = sr.HilbertGreedy().partition(view, revised, asked, ties=ties)
    found = sr.HilbertOptimal().partition(view, revised, asked, ties=ties)
    assert (len(greedy.remainder), len(found.remainder)) == (n, 3)


@pytest.fixture(scope="module")
def hospital():
    return sr.hospital(views=3, size=1500, preset="mild")


@pytest.mark.parametrize("number", range(3))
def test_hilbert_optimal__keeps_more_detail_than_greedy_and_mondrian(hospital, number):
    def detail(partitioner):
        policy = sr.Policy(sr.KAnonymity(k=10) & sr.TCloseness(t=0.5), partitioner)
        publisher = sr.Publisher(hospital.schema, policy, sr.Adversary(hospital.prior), seed=1)
        release = publisher.publish(hospital.tables[number], at=1)
        assert publisher.latest.suppressed <= 30
        return sr.global_certainty_penalty(release)

    optimal = detail(sr.HilbertOptimal())
    assert optimal < 0.9 * detail(sr.Mondrian())
    assert optimal < 0.75 * detail(sr.HilbertGreedy())


def test_price_list__of_a_partition_is_what_its_release_says(hospital):
    view = hospital.views[0]
    revised = sr.Adversary(hospital.prior).expect(view.roster)
    asked = sr.KAnonymity(k=10) & sr.TCloseness(t=0.5)
    ties = tie_order(view, b"s")
    found = sr.HilbertOptimal().partition(view, revised, asked, ties=ties)
    rng = np.random.default_rng(0)
    release, _ = generalize(view, found, at=1, rng=rng)
    total = PriceList.of(view).total(found.rows, found.starts)
    expected = sr.global_certainty_penalty(release) * len(found.rows) * 3
    assert total == pytest.approx(expected, rel=1e-9)
