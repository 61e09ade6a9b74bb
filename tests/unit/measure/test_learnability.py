import dataclasses
import importlib

import numpy as np
import pytest

import oracles_utility as oracles
import seriatim as sr
from seriatim.measure.additive import STRENGTHS
from seriatim.measure.bins import Bins
from seriatim.measure.learnability import FOLDS, Learnability, _taught

MODULE = importlib.import_module("seriatim.measure.learnability")
EXAM = sr.Sensitive("exam", ("neg", "pos", "unclear"))
ZIPS = ["12030", "12031", "12044", "20100", "20131"]
KINDS = [
    sr.Numeric("age", 20, 79),
    sr.Numeric("weight", 40, 120, integral=False),
    sr.Categorical("sex", ["F", "M"]),
    sr.Ordinal("grade", list("uvwxyz")),
    sr.Hierarchical("zip", mask="prefix", values=ZIPS),
    sr.Date("born", "1940-01-01", "2005-12-31"),
]


def made(size=600, *, strength=1.0, seed=1):
    """Ages decide most, sexes a little, the rest nothing."""
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(20, 80, size), rng.integers(0, 2, size)
    lean = strength * np.column_stack([np.zeros(size), (age - 50) / 10, sex - 0.5])
    chance = np.exp(lean) / np.exp(lean).sum(axis=1, keepdims=True)
    value = (chance.cumsum(axis=1) > rng.random((size, 1))).argmax(axis=1)
    days = rng.integers(-10_000, 12_000, size).astype("datetime64[D]")
    return {
        "id": np.arange(size),
        "age": age,
        "weight": rng.uniform(40, 120, size).round(1),
        "sex": np.array(["F", "M"])[sex],
        "grade": rng.choice(list("uvwxyz"), size),
        "zip": rng.choice(ZIPS, size),
        "born": days.astype(str),
        "exam": np.array(EXAM.values)[value],
    }


def published(table, attributes, policy):
    schema = sr.Schema("id", attributes, EXAM)
    named = {name: table[name] for name in ("id", *(one.name for one in attributes), "exam")}
    publisher = sr.Publisher(schema, policy, sr.Adversary(), seed=1)
    release = publisher.publish(named, at=1)
    return release, publisher.latest.view, publisher.latest.membership


def measured(table, attributes, policy):
    return sr.learnability(*published(table, attributes, policy))


@pytest.fixture(scope="module")
def table():
    return made()


@pytest.mark.parametrize("form", ["generalized", "buckets"])
def test_release__with_everyone_alone_teaches_as_much_as_its_view(table, form):
    policy = sr.Policy(sr.KAnonymity(k=1), sr.Mondrian(), form=form)
    found = measured(table, KINDS, policy)
    # Everyone's values are known in buckets, too; only the sweeps end a little earlier.
    assert found.share == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("form", ["generalized", "buckets"])
def test_release__in_one_group_teaches_nothing(table, form):
    policy = sr.Policy(sr.KAnonymity(k=600), form=form)
    found = measured(table, KINDS[:3], policy)
    assert found.share == pytest.approx(0.0, abs=0.02 if form == "generalized" else 0.05)


def test_release__with_larger_groups_teaches_less(table):
    steep = made(strength=4.0)
    shares = [
        measured(steep, KINDS[:3], sr.Policy(sr.KAnonymity(k=k), sr.Mondrian())).share
        for k in (2, 30, 150)
    ]
    assert shares[0] > shares[1] + 0.02 > shares[2] + 0.04
    assert shares[0] > 0.9


def test_values__that_do_not_depend_on_anything_teach_nothing(table):
    rng = np.random.default_rng(5)
    dealt = {**table, "exam": rng.permutation(table["exam"])}
    found = measured(dealt, KINDS, sr.Policy(sr.KAnonymity(k=5)))
    assert found.share is None
    assert repr(found) == "Learnability(share unknown, over 600 people)"


def test_figure__does_not_depend_on_the_order_of_rows(table):
    order = np.random.default_rng(2).permutation(600)
    other = {name: column[order] for name, column in table.items()}
    policy = sr.Policy(sr.KAnonymity(k=5))
    assert measured(table, KINDS, policy) == measured(other, KINDS, policy)


@pytest.mark.parametrize("form", ["generalized", "buckets"])
def test_held_out_people__have_no_part_in_what_is_fitted(table, form):
    """With other values of theirs, in the view and in their groups, the model is the same."""
    policy = sr.Policy(sr.KAnonymity(k=8), sr.Mondrian(), form=form)
    release, view, where = published(table, KINDS[:4], policy)
    out = np.random.default_rng(3).permutation(len(view))[:120]
    other = view.value_codes.copy()
    other[out] = (other[out] + 1) % 3
    members = where.members
    changed = dataclasses.replace(view, value_codes=other)
    # Members stand group by group, as published values do.
    again = dataclasses.replace(release, value_codes=other[members])
    everyone = np.ones(release.n_groups, dtype=bool)
    models = [
        _taught(rel, vie, where, everyone)[1].model_without(out, 30.0)
        for rel, vie in ((release, view), (again, changed))
    ]
    counts = [
        np.bincount(vie.value_codes, minlength=3).argsort(kind="stable")[::-1]
        for vie in (view, changed)
    ]
    assert (counts[0] == counts[1]).all()  # kinds are numbered alike
    for one, two in zip(models[0].effects, models[1].effects, strict=True):
        assert one == pytest.approx(two, abs=1e-12)


def test_view__is_foretold_as_its_twin_does():
    table = made(60, strength=2.0)
    attributes = [KINDS[2], sr.Ordinal("grade", list("uvwxyz"))]
    release, view, where = published(table, attributes, sr.Policy(sr.KAnonymity(k=3)))
    found = sr.learnability(release, view, where, seed=4)
    places = Bins.of(view).places(view.points)
    frequent = np.argsort(-np.bincount(view.value_codes, minlength=3), kind="stable").tolist()
    people = [
        (tuple(cell), frequent.index(code))
        for cell, code in zip(places.tolist(), view.value_codes.tolist(), strict=True)
    ]
    parts = (np.random.default_rng(4).permutation(60) % FOLDS).tolist()
    sizes = Bins.of(view).sizes
    marginal, by_view = oracles.foretold(people, parts, 3, sizes, STRENGTHS[:3])
    assert found.marginal == pytest.approx(marginal)
    assert found.by_view <= by_view + 1e-3
    whole = oracles.foretold(people, parts, 3, sizes, STRENGTHS)
    assert found.by_view == pytest.approx(whole[1], abs=1e-3)


def test_buckets__that_mix_everyone_are_told_apart_by_expectation_maximization():
    """By its frequencies alone, a bucket of people by chance says the same of all of them."""
    table = made(1200, strength=2.0)
    group = np.random.default_rng(6).permutation(1200) // 4
    codes = np.array([EXAM.values.index(value) for value in table["exam"]])
    cells, count = np.unique(group * 3 + codes, return_counts=True)
    schema = sr.Schema("id", KINDS[:1], EXAM)
    people = {"group": group, "age": table["age"]}
    values = {"group": cells // 3, "exam": np.array(EXAM.values)[cells % 3], "count": count}
    release = sr.read_buckets(people, values, schema, at=1)
    named = {name: table[name] for name in ("id", "age", "exam")}
    view = sr.View.from_table(named, schema)
    order = list(dict.fromkeys(group.tolist()))  # buckets are numbered as they are met
    where = sr.Membership(view.roster, np.argsort(order)[group])
    assert sr.learnability(release, view, where).share > 0.8


def test_suppressed_people__are_foretold_and_missed(table):
    release, view, where = published(table, KINDS[:3], sr.Policy(sr.KAnonymity(k=5)))
    gone = where.group_of < release.n_groups // 2
    left = np.flatnonzero(~gone[where.members])
    starts = np.concatenate([[0], np.cumsum(release.sizes[release.n_groups // 2 :])])
    half = dataclasses.replace(
        release,
        starts=starts,
        value_codes=release.value_codes[left],
        covers=tuple(
            dataclasses.replace(
                cover,
                text=cover.text[release.n_groups // 2 :],
                extents=cover.extents[release.n_groups // 2 :],
                penalties=cover.penalties[release.n_groups // 2 :],
            )
            for cover in release.covers
        ),
    )
    group_of = np.where(gone, -1, where.group_of - release.n_groups // 2)
    found = sr.learnability(half, view, sr.Membership(view.roster, group_of))
    assert found.people == 600
    assert found.share < sr.learnability(release, view, where).share


def test_open_places__are_taken_out_in_parts_and_of_buckets_nothing_is_said(table):
    release, view, where = published(table, KINDS[:3], sr.Policy(sr.KAnonymity(k=5)))
    placed = sr.place(view.roster, release)
    assert isinstance(placed, sr.Placement)
    out = np.arange(0, len(view), 5)
    _, taught = _taught(release, view, placed, np.ones(release.n_groups, dtype=bool))
    assert taught._removed(out).sum() == pytest.approx(len(out))
    open_places = sr.learnability(release, view, placed)
    assert open_places.share == pytest.approx(sr.learnability(release, view, where).share, abs=0.1)
    policy = sr.Policy(sr.KAnonymity(k=5), form="buckets")
    release, view, _ = published(made(200), KINDS[2:4], policy)
    placed = sr.place(view.roster, release)
    assert isinstance(placed, sr.Placement)
    assert sr.learnability(release, view, placed) is None


@pytest.mark.parametrize("form", ["generalized", "buckets"])
def test_sample__of_a_large_release_tells_about_the_same(table, form, monkeypatch):
    large = made(4000)
    policy = sr.Policy(sr.KAnonymity(k=10), sr.Mondrian(), form=form)
    release, view, where = published(large, KINDS[:3], policy)
    whole = sr.learnability(release, view, where)
    monkeypatch.setattr(MODULE, "MOST_TUPLES", 1500)
    some = sr.learnability(release, view, where)
    assert 1300 < some.people <= 1500
    assert whole.people == 4000
    assert some.share == pytest.approx(whole.share, abs=0.15)


def test_rare_values__are_counted_together(table, monkeypatch):
    monkeypatch.setattr(MODULE, "MOST_KINDS", 2)
    found = measured(table, KINDS[:3], sr.Policy(sr.KAnonymity(k=5)))
    assert found.marginal <= 1.0  # of two kinds
    assert found.share > 0.5


def test_few_people__tell_nothing():
    assert measured(made(4), KINDS[:1], sr.Policy(sr.KAnonymity(k=2))) is None


def test_membership__of_others_is_refused(table):
    release, view, where = published(table, KINDS[:3], sr.Policy(sr.KAnonymity(k=5)))
    few = published(made(50), KINDS[:3], sr.Policy(sr.KAnonymity(k=5)))
    with pytest.raises(sr.OrderError, match="told of 50 people where the view has 600"):
        sr.learnability(release, view, few[2])
    with pytest.raises(sr.PolicyError, match="seed must be a whole number"):
        sr.learnability(release, view, where, seed=-1)
    policy = sr.Policy(sr.KAnonymity(k=5), form="buckets")
    release, view, where = published(table, KINDS[:3], policy)
    mixed = sr.Membership(view.roster, np.random.default_rng(1).permutation(where.group_of))
    with pytest.raises(sr.OrderError, match="in buckets that do not list them"):
        sr.learnability(release, view, mixed)


def test_share__is_of_what_the_view_teaches():
    found = Learnability(100, marginal=2.0, by_view=1.0, by_release=1.25, noise=0.1)
    assert found.share == 0.75
    assert dataclasses.replace(found, by_release=2.5).share == -0.5
    assert dataclasses.replace(found, noise=0.5).share is None
    assert dataclasses.replace(found, by_view=2.5).share is None


def test_bins__are_tenths_of_ordered_codes_and_the_frequent_values_of_others():
    names = list("abcdefghijkl")
    schema = sr.Schema("id", [sr.Numeric("age", 0, 999), sr.Categorical("ward", names)], EXAM)
    wards = [*names, *"lllkkj"]
    table = {"id": range(18), "age": [*range(18)], "ward": wards, "exam": ["neg"] * 18}
    bins = Bins.of(sr.View.from_table(table, schema))
    assert bins.sizes == (10, 10)
    assert bins.places(np.array([[1.0, 0.0], [0.0, 0.0], [2.5, 0.0]]))[:, 0].tolist() == [1, 0, 1]
    assert bins.cuts[0].tolist() == [1, 3, 5, 7, 9, 10, 12, 14, 16]
    assert [names[code] for code in np.argsort(bins.bin_of[1], kind="stable")[:3]] == [
        "l",
        "k",
        "j",
    ]
    assert np.bincount(bins.bin_of[1]).tolist() == [1] * 9 + [3]
    alike = {"id": range(4), "age": [5] * 4, "ward": ["a"] * 4, "exam": ["neg"] * 4}
    assert Bins.of(sr.View.from_table(alike, schema)).sizes == (1, 10)
    assert repr(bins) == "Bins(10, 10)"
