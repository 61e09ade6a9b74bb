import numpy as np
import pytest

import seriatim as sr
from seriatim.partition import Partition, generalize, settle
from seriatim.privacy import Evidence

EVEN = np.full((6, 2), 0.5)


def partition():
    """Two pairs and two leftovers."""
    return Partition(np.array([4, 1, 0, 2]), np.array([0, 2, 4]), np.array([3, 5]))


def groups(found):
    return [sorted(group.tolist()) for group in found.groups]


def test_partition__tells_the_group_of_each_row():
    assert partition().group_of.tolist() == [1, 0, 1, -1, 0, -1]
    assert (len(partition()), groups(partition())) == (2, [[1, 4], [0, 2]])


def test_settle__suppresses_by_leaving_out():
    evidence = Evidence(np.zeros(6, dtype=int), EVEN)
    found = settle(partition(), evidence, sr.KAnonymity(k=2), "suppress")
    assert (groups(found), found.remainder.tolist()) == ([[1, 4], [0, 2]], [3, 5])


def test_settle__merges_leftovers_into_the_last_group():
    evidence = Evidence(np.zeros(6, dtype=int), EVEN)
    found = settle(partition(), evidence, sr.KAnonymity(k=2), "merge")
    assert (groups(found), found.remainder.tolist()) == ([[1, 4], [0, 2, 3, 5]], [])


def test_settle__merges_further_back_until_the_union_may_stand():
    codes = np.array([0, 1, 0, 0, 1, 0])
    requirement = sr.DistinctLDiversity(l=2)
    found = settle(partition(), Evidence(codes, EVEN), requirement, "merge")
    assert (groups(found), found.remainder.tolist()) == ([[0, 1, 2, 3, 4, 5]], [])


def test_settle__suppresses_what_no_union_takes():
    beliefs = np.array([[0.5, 0.5]] * 3 + [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    evidence = Evidence(np.zeros(6, dtype=int), beliefs)
    found = settle(partition(), evidence, sr.JSBound(j=0.0), "merge")
    assert (groups(found), found.remainder.tolist()) == ([[1, 4], [0, 2]], [3, 5])


@pytest.mark.parametrize("remainder", ["merged", "drop", None])
def test_policy__refuses_an_unknown_remainder(remainder):
    with pytest.raises(sr.PolicyError, match="is not known; possible are 'suppress', 'merge'"):
        sr.Policy(sr.KAnonymity(k=2), remainder=remainder)


def test_policy__names_the_nearest_remainder():
    with pytest.raises(sr.PolicyError, match=r"remainder='supress'.*Did you mean 'suppress'\?"):
        sr.js_reduce(k=2, t=0.5, j=0.5, remainder="supress")


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"k": 0}, "k must be"),
        ({"t": 2}, "t must be"),
        ({"j": -1}, "j must be"),
        ({"distance": "x"}, "distance='x'"),
    ],
)
def test_js_reduce__refuses_thresholds_that_cannot_be_meant(options, part):
    with pytest.raises(sr.PolicyError, match=part):
        sr.js_reduce(**{"k": 2, "t": 0.5, "j": 0.5, **options})


def test_generalize__covers_its_groups_tightly_and_numbers_them_by_chance(table, schema):
    view = sr.View.from_table(table, schema)
    pairs = Partition(np.arange(6), np.array([0, 2, 4, 6]), np.array([6, 7]))
    numberings = set()
    for seed in range(30):
        release, membership = generalize(view, pairs, at=1, rng=np.random.default_rng(seed))
        assert sorted(release.covers[0].text().to_pylist()) == ["[51,52]", "[53,54]", "[70,71]"]
        assert membership.group_of[6:].tolist() == [-1, -1]
        numberings.add(tuple(membership.group_of[[0, 2, 4]].tolist()))
    assert len(numberings) == 6
