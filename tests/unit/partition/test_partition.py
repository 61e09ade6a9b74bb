import numpy as np
import pytest

import seriatim as sr
from seriatim.partition import LocalRegister, Partition, generalize, settle
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


@pytest.mark.parametrize(
    ("rows", "starts", "remainder"),
    [
        ([0, 1, 2], [0, 2, 2, 3], []),
        ([0, 1, 1], [0, 3], []),
        ([0, 1], [0, 2], [1]),
        ([0, 1, 3], [0, 3], []),
        ([0, 1, -1], [0, 3], []),
        ([0, 1, 2], [0, 2], []),
        ([0, 1, 2], [1, 3], []),
        ([0, 1, 2], [0, 4], []),
        ([0, 1, 2], [0, 2, 1, 3], []),
        ([0, 1, 2], [], []),
    ],
)
def test_partition__refuses_what_is_none(rows, starts, remainder):
    parts = (np.array(part, dtype=np.int64) for part in (rows, starts, remainder))
    with pytest.raises(
        sr.PolicyError, match=f"no partition of {len(rows) + len(remainder)} tuples"
    ):
        Partition(*parts)


def test_partition__may_have_no_groups():
    nobody = np.array([], dtype=np.int64)
    assert len(Partition(nobody, np.array([0]), np.array([1, 0]))) == 0


def test_partition__prints_its_size():
    assert repr(partition()) == "Partition(2 groups, 2 tuples left over)"


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


@pytest.mark.parametrize("requirement", ["k=2", None, 2, [sr.KAnonymity(k=2)], sr.KAnonymity])
def test_policy__needs_a_requirement(requirement):
    with pytest.raises(sr.PolicyError, match=r"A requirement is asked for, such as KAnonymity"):
        sr.Policy(requirement)


@pytest.mark.parametrize("requirement", [sr.JSBound(j=0.5), sr.JSBound(j=0.5) & sr.JSBound(j=1)])
def test_policy__refuses_a_bound_on_divergence_without_a_size(requirement):
    with pytest.raises(sr.PolicyError, match=r"group of its own.*Add a size: KAnonymity"):
        sr.Policy(requirement)


def test_policy__takes_a_bound_on_divergence_beside_anything_else():
    requirement = sr.JSBound(j=0.5) & sr.KAnonymity(k=2)
    assert sr.Policy(requirement).requirement == requirement


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
        assert sorted(release.covers[0].text.to_pylist()) == ["[51,52]", "[53,54]", "[70,71]"]
        assert membership.group_of[6:].tolist() == [-1, -1]
        numberings.add(tuple(membership.group_of[[0, 2, 4]].tolist()))
    assert len(numberings) == 6


@pytest.mark.parametrize(
    "partitioner", [sr.HilbertOptimal(), sr.Mondrian(), sr.StandingCells(2)], ids=str
)
def test_partitioner__takes_numbers_beyond_all_whole_ones_without_a_warning(partitioner):
    schema = sr.Schema("id", [sr.Numeric("mass")], sr.Sensitive("exam"))
    masses = [1e30, 2e30, 3e30, 1e5, 7.5, 0.0]
    table = {"id": list(range(6)), "mass": masses, "exam": list("abcabc")}
    policy = sr.Policy(sr.KAnonymity(k=2), partitioner)
    release = sr.Publisher(schema, policy, sr.Adversary(), seed=1).publish(table, at=1)
    assert len(release) == 6


def test_standing_cells__refuse_a_view_that_was_read_with_a_domain_of_its_own():
    schema = sr.Schema("id", [sr.Categorical("ward")], sr.Sensitive("exam", ["x", "y"]))
    views = [
        sr.View.from_table({"id": list("ABCD"), "ward": list(wards), "exam": list("xyxy")}, schema)
        for wards in ("aabb", "ccdd")
    ]
    register = LocalRegister()

    def partition_next(view):
        revised = sr.UniformPrior().belief(view, view.schema.sensitive.domain)
        ties = np.arange(len(view), dtype=np.uint64)
        return sr.StandingCells(2).partition_next(
            view, revised, sr.KAnonymity(k=2), ties=ties, register=register
        )

    register.keep(partition_next(views[0])[1])
    with pytest.raises(sr.OrderError, match="Read it with the schema of the series"):
        partition_next(views[1])
