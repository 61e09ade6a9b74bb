"""Whether originals can be those of their releases."""

import numpy as np
import pytest

import seriatim as sr
from seriatim.audit.own_values import values_of_others

READERS = {"paper": sr.Adversary()}


@pytest.fixture(scope="module")
def series():
    made = sr.register(people=200, releases=5)
    publisher = sr.Publisher(made.schema, sr.Policy(sr.KAnonymity(k=5)), sr.Adversary(), seed=1)
    return [publisher.publish(table, at=at) for at, table in enumerate(made.tables, 1)], made.views


def test_audit__refuses_views_of_other_people(series):
    releases, _ = series
    others = sr.register(people=200, releases=5, seed=2).views
    with pytest.raises(sr.OrderError, match="none of the originals has who may be in their group"):
        sr.audit(releases, others, READERS)


def test_audit__refuses_views_in_another_order(series):
    releases, views = series
    with pytest.raises(sr.OrderError, match="in the releases' order"):
        sr.audit(releases, views[::-1], READERS)


def test_audit__warns_where_a_few_values_are_those_of_others(series):
    releases, views = series
    with pytest.warns(sr.TableWarning, match="counterfeits, or that is not its original"):
        sr.audit(releases[:2], [views[0], views[0]], READERS)


def test_audit__takes_views_with_people_who_were_suppressed(series):
    releases, _ = series
    more = sr.register(people=200, releases=5, seed=3).tables[0].slice(0, 20)
    everyone = sr.register(people=200, releases=5).tables[0].to_pylist()
    everyone += [one | {"person": 10_000 + one["person"]} for one in more.to_pylist()]
    table = {name: [one[name] for one in everyone] for name in everyone[0]}
    sr.audit(releases[:1], [table], READERS)


@pytest.mark.parametrize("moved", [0, 1, 7])
def test_values_of_others__are_those_that_groups_show_beyond_their_members(moved):
    rng = np.random.default_rng(moved)
    schema = sr.Schema("id", [sr.Categorical("ward", ["a", "b"])], sr.Sensitive("x", list("uvw")))
    wards, values = np.array(["a"] * 6 + ["b"] * 6), rng.choice(list("uvw"), 12)
    release = sr.read_release({"ward": wards, "x": values}, schema, at=1)
    changed = values.copy()
    changed[:moved] = np.where(values[:moved] == "u", "v", "u")
    view = sr.View.from_table({"id": range(12), "ward": wards, "x": changed}, schema)
    expected = sum(
        max(int(np.sum(values[wards == w] == v)) - int(np.sum(changed[wards == w] == v)), 0)
        for w in "ab"
        for v in "uvw"
    )
    assert values_of_others(release, sr.place(view, release), view) == expected
