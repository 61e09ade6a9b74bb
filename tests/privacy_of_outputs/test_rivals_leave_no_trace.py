"""Mondrian, m-invariance, buckets and counterfeits tell no more than they publish."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.partition import Partition, generalize, settle, tie_order
from seriatim.privacy import Evidence

MARKS = ("SECRET", "DIARY")
POLICIES = {
    "mondrian": sr.k_anonymity(5, t=0.6),
    "hilbert-optimal": sr.Policy(sr.KAnonymity(k=5) & sr.TCloseness(t=0.6), sr.HilbertOptimal()),
    "bt-privacy": sr.bt_privacy(0.5, 0.8, k=5),
    "m-invariant": sr.m_invariance(2),
    "buckets": sr.Policy(sr.KAnonymity(k=5), form="buckets"),
    "counterfeits": sr.Policy(sr.KAnonymity(k=7), remainder="counterfeit"),
    "bucketed counterfeits": sr.Policy(sr.KAnonymity(k=7), remainder="counterfeit", form="buckets"),
    "m-invariant buckets": sr.Policy(sr.MUniqueness(m=2), sr.MInvariant(m=2), form="buckets"),
}


def traces(text):
    return [mark for mark in MARKS if mark in text]


@pytest.fixture(params=POLICIES)
def policy(request):
    return POLICIES[request.param]


@pytest.fixture
def make(schema, adversary, policy):
    def make(seed=7, store=None):
        return sr.Publisher(schema, policy, adversary, store=store, seed=seed)

    return make


def frames(release):
    return {ending: table.to_pydict() for ending, table in release.tables().items()}


def test_tables__hold_no_trace(make, views):
    publisher = make()
    for at, view in enumerate(views, start=1):
        release = publisher.publish(view, at=at)
        assert traces(str(frames(release))) == []
        assert traces(pickle.dumps(release).decode("latin-1")) == []
        assert all(table.schema.metadata is None for table in release.tables().values())


def test_objects__print_no_trace(make, views):
    store = sr.MemoryStore()
    publisher = make(store=store)
    for at, view in enumerate(views[:2], start=1):
        publisher.publish(view, at=at)
    publication, step = publisher.prepare(views[2], at=3)
    evidence = Evidence.of(publication.view, publication.revised)
    objects = [
        publisher,
        store,
        store.register,
        store.entries,
        store.register.plan,
        publication,
        publication.membership,
        publication.release,
        publication.verdict,
        step.release,
        step.enrolment,
        step.counterfeits,
        evidence,
        publisher.policy,
    ]
    assert [traces(repr(one) + str(one)) for one in objects] == [[]] * len(objects)
    assert "array" not in repr(step.enrolment)


def test_store__holds_no_trace(make, views, tmp_path):
    path = tmp_path / "series.store"
    with sr.DuckDBStore(path) as store:
        for at, view in enumerate(views, start=1):
            make(store=store).publish(view, at=at)
        assert traces(repr(store.register)) == []
    content = b"".join(file.read_bytes() for file in path.rglob("*") if file.is_file())
    assert [mark for mark in MARKS if mark.encode() in content] == []


@pytest.mark.parametrize("shuffle", range(3))
def test_release__is_the_same_when_rows_arrive_in_another_order(make, views, shuffle):
    one, two = make(), make()
    rng = np.random.default_rng(shuffle)
    for at, view in enumerate(views, start=1):
        order = rng.permutation(len(view["name"]))
        other = {name: [column[row] for row in order] for name, column in view.items()}
        assert frames(one.publish(view, at=at)) == frames(two.publish(other, at=at))


def test_release__does_not_go_by_how_ids_sort(schema, policy, views):
    """Nobody shares an age: with other ids, the same people are in the same groups."""
    groups = []
    for mark in (1, -1):
        view = {**views[0], "name": [f"SECRET-{mark * n + 50:04d}" for n in range(24)]}
        publisher = sr.Publisher(schema, policy, sr.Adversary(), seed=7)
        publisher.publish(view, at=1)
        found = publisher.latest.membership.group_of[::mark]
        numbers = {}
        groups.append([numbers.setdefault(int(group), len(numbers)) for group in found])
    assert groups[0] == groups[1]


def test_rows__of_a_group_lie_in_every_order(schema, views):
    """Four distinct values in groups of four, one of them nobody's: all 24 orders turn up."""
    view = sr.View.from_table(
        {"id": [1, 2, 3], "age": [1, 2, 3], "exam": ["0", "1", "2"]},
        sr.Schema("id", [sr.Numeric("age", 0, 9)], sr.Sensitive("exam", list("0123"))),
    )
    evidence = Evidence(view.value_codes, np.full((3, 4), 0.25))
    left = Partition(np.empty(0, np.int64), np.array([0]), np.arange(3))
    orders, invented = set(), set()
    for seed in range(300):
        rng = np.random.default_rng(seed)
        whole = settle(left, evidence, sr.KAnonymity(k=4), "counterfeit", rng)
        release, _ = generalize(view, whole, at=1, rng=rng)
        exams = release.to_frame()["exam"]
        invented.add(int(whole.counterfeits.value_codes[0]))
        orders.add(tuple(exams))
    # Which value is invented is drawn as well, among those of the view.
    assert invented == {0, 1, 2}
    assert len(orders) == 3 * 12


def test_errors__hold_no_trace(schema, views):
    few = {name: column[:1] for name, column in views[0].items()}
    asked = [
        sr.k_anonymity(5),
        sr.bt_privacy(0.5, 0.0, k=5),
        sr.m_invariance(3),
        sr.Policy(sr.KAnonymity(k=5), form="buckets"),
    ]
    for policy in asked:
        with pytest.raises(sr.SeriatimError) as refusal:
            sr.Publisher(schema, policy, sr.Adversary(), seed=1).publish(few, at=1)
        assert traces(str(refusal.value)) == []


def test_errors__of_a_late_commit_hold_no_trace(schema, views):
    store = sr.MemoryStore()
    one, two = (
        sr.Publisher(schema, sr.m_invariance(2), sr.Adversary(), store=store, seed=1)
        for _ in range(2)
    )
    late = two.prepare(views[1], at=2)
    one.publish(views[0], at=1)
    with pytest.raises(sr.OrderError) as refusal:
        two.commit(*late)
    assert traces(str(refusal.value)) == []


def test_partitions__print_nobody(schema, views):
    view = sr.View.from_table(views[0], schema)
    revised = sr.Belief(np.full((24, 2), 0.5), view.schema.sensitive.domain)
    store = sr.MemoryStore()
    partition, enrolment = sr.MInvariant(m=2).partition_next(
        view, revised, sr.MUniqueness(m=2), ties=tie_order(view, b""), register=store.register
    )
    assert traces(repr(partition) + repr(partition.counterfeits) + repr(enrolment)) == []
    assert repr(enrolment) == "Enrolment(24 respondents)"
    assert repr(store.register) == "LocalRegister(0 respondents)"
    store.register.keep(enrolment)
    assert repr(store.register) == "LocalRegister(24 respondents)"
    assert isinstance(enrolment.respondents, pa.Array)
