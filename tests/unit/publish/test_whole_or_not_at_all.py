"""After a failing publish, the series is as if the failure never happened."""

from dataclasses import replace

import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.inference import LocalMemory
from seriatim.inference.memory import Arena
from seriatim.publish import Step
from seriatim.publish import publisher as publisher_module

STICKY = sr.Automaton(("neg", "pos"), [[0.9, 0.1], [0.2, 0.8]], [[0, 1], [0, 1]])


def with_cell(column, value):
    """Return a tampering that puts one value in the last row of a column."""
    return lambda table: {**table, column: [*table[column][:-1], value]}


def rows(size):
    return lambda table: {name: column[:size] for name, column in table.items()}


FAILURES = {
    "no rows": (rows(0), 2, sr.TableError),
    "too few rows": (rows(1), 2, sr.UnsatisfiableError),
    "a respondent twice": (lambda t: {**t, "name": [t["name"][0]] * 8}, 2, sr.TableError),
    "a missing id": (with_cell("name", None), 2, sr.TableError),
    "a missing number": (with_cell("age", None), 2, sr.TableError),
    "a missing category": (with_cell("gender", None), 2, sr.TableError),
    "a missing value": (with_cell("exam", None), 2, sr.TableError),
    "an unknown value": (with_cell("exam", "new"), 2, sr.TableError),
    "an infinite number": (with_cell("age", float("inf")), 2, sr.TableError),
    "text for numbers": (lambda t: {**t, "age": list("12345678")}, 2, sr.SchemaError),
    "a missing column": (lambda t: {k: t[k] for k in t if k != "age"}, 2, sr.SchemaError),
    "ids of another kind": (lambda t: {**t, "name": list(range(8))}, 2, sr.OrderError),
    "an instant again": (dict, 1, sr.OrderError),
    "an earlier instant": (dict, 0, sr.OrderError),
    "an instant of another kind": (dict, "2", sr.OrderError),
    "an instant that is none": (dict, None, sr.OrderError),
    "a column of mixed kinds": (with_cell("name", 3), 2, sr.TableError),
    "no table at all": (lambda t: "view.csv", 2, sr.TableError),
}


def state(store, ids):
    """Everything a store holds, as plain values."""
    _, pasts = store.memory.recall(pa.array(ids))
    return {
        "releases": [(release.at, release.to_frame()) for release in store.history],
        "schema": store.schema,
        "last instant": store.last_instant,
        "version": store.memory.version,
        "known": store.memory.recall(pa.array(ids))[0].tolist(),
        "pasts": None
        if pasts is None
        else (
            pasts.offsets.tolist(),
            pasts.places.tolist(),
            pasts.weights.tolist(),
            pasts.posterior.tolist(),
        ),
    }


@pytest.fixture
def pair(make_publisher, sticky):
    """Two publishers of the same kind, each with its store."""
    stores = sr.MemoryStore(), sr.MemoryStore()
    reader = sr.Adversary(sequence=sticky)
    return [(make_publisher(adversary=reader, store=store), store) for store in stores]


def assert_twins(pair, table, at):
    """Nothing tells the two apart, now or at the next release."""
    (one, one_store), (two, two_store) = pair
    assert state(one_store, table["name"]) == state(two_store, table["name"])
    assert one.publish(table, at=at).to_frame() == two.publish(table, at=at).to_frame()
    assert state(one_store, table["name"]) == state(two_store, table["name"])
    assert one.latest.posterior.of("pos").tolist() == two.latest.posterior.of("pos").tolist()


@pytest.mark.parametrize("failure", FAILURES)
def test_failing_publish__leaves_a_series_as_it_was(pair, table, failure):
    tamper, at, error = FAILURES[failure]
    (disturbed, _), (calm, _) = pair
    disturbed.publish(table, at=1)
    calm.publish(table, at=1)
    latest = disturbed.latest
    with pytest.raises(error):
        disturbed.publish(tamper(table), at=at)
    assert disturbed.latest is latest
    assert_twins(pair, table, at=2)


@pytest.mark.parametrize(
    "failure",
    [name for name, (_, at, _) in FAILURES.items() if at == 2 and name != "ids of another kind"],
)
def test_failing_first_publish__leaves_nothing_behind(pair, table, failure):
    tamper, _, error = FAILURES[failure]
    with pytest.raises(error):
        pair[0][0].publish(tamper(table), at=5)
    assert pair[0][0].latest is None
    assert_twins(pair, table, at=1)


def test_failing_first_publish__does_not_settle_the_domain(make_publisher, schema, table):
    undeclared = sr.Schema("name", schema.quasi_identifiers, sr.Sensitive("exam"))
    publisher = make_publisher(sr.KAnonymity(k=3), schema=undeclared)
    with pytest.raises(sr.UnsatisfiableError):
        publisher.publish({**rows(2)(table), "exam": ["x", "y"]}, at=1)
    publisher.publish(table, at=1)
    assert publisher.history[0].schema.sensitive.domain == ("neg", "pos")


def test_guard_that_refuses__leaves_a_series_as_it_was(pair, table, monkeypatch):
    def refuse(*_):
        raise sr.InternalError

    for publisher, _ in pair:
        publisher.publish(table, at=1)
    with monkeypatch.context() as patched:
        patched.setattr(publisher_module, "guard", refuse)
        with pytest.raises(sr.InternalError):
            pair[0][0].publish(table, at=2)
    assert_twins(pair, table, at=2)


def test_interrupt_while_reading__leaves_a_series_as_it_was(pair, table, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    for publisher, _ in pair:
        publisher.publish(table, at=1)
    with monkeypatch.context() as patched:
        patched.setattr(sr.Adversary, "consider", interrupt)
        with pytest.raises(KeyboardInterrupt):
            pair[0][0].publish(table, at=2)
    assert_twins(pair, table, at=2)


class FullDisk(sr.MemoryStore):
    """A store that cannot commit, until there is room again."""

    full = True

    def commit(self, step):
        if self.full:
            raise OSError(28, "No space left on device")
        super().commit(step)


def test_store_that_cannot_commit__leaves_the_publisher_as_it_was(make_publisher, table):
    store = FullDisk()
    publisher = make_publisher(store=store)
    with pytest.raises(OSError, match="No space left"):
        publisher.publish(table, at=1)
    assert (publisher.latest, len(publisher.history)) == (None, 0)
    store.full = False
    assert (
        publisher.publish(table, at=1).to_frame()
        == make_publisher().publish(table, at=1).to_frame()
    )


def test_release_of_another_schema__is_not_committed(make_publisher, schema, table, sticky):
    store = sr.MemoryStore()
    reader = sr.Adversary(sequence=sticky)
    make_publisher(adversary=reader, store=store).publish(table, at=1)
    before = state(store, table["name"])
    narrower = sr.Schema("name", schema.quasi_identifiers[:1], schema.sensitive)
    other = make_publisher(adversary=reader, store=store, schema=narrower)
    dropped = schema.quasi_identifiers[1].name
    with pytest.raises(
        sr.OrderError, match=f"another schema: 'quasi_identifiers' differ, in '{dropped}'"
    ):
        other.publish(table, at=2)
    assert state(store, table["name"]) == before
    assert other.latest is None


@pytest.mark.parametrize("first", [True, False], ids=["first release", "later release"])
@pytest.mark.parametrize("step", [(Arena, "make_room"), (LocalMemory, "keep")])
def test_memory_without_room__leaves_a_series_as_it_was(pair, table, monkeypatch, step, first):
    def full(*_):
        raise MemoryError

    for publisher, _ in pair:
        if not first:
            publisher.publish(table, at=1)
    with monkeypatch.context() as patched:
        patched.setattr(*step, full)
        with pytest.raises(MemoryError):
            pair[0][0].publish(table, at=2)
    assert_twins(pair, table, at=2)


def test_step_that_comes_too_late__is_not_committed(pair, table):
    (publisher, _), (_, other) = pair
    publisher.publish(table, at=1)
    made = publisher.latest
    reader = sr.Adversary(sequence=STICKY).anew(other.memory)
    stale = reader.consider(made.release, made.membership)
    other.commit(Step(made.release, stale, made.view.schema, b""))
    before = state(other, table["name"])
    later = Step(replace(made.release, at=2), stale, made.view.schema, b"")
    with pytest.raises(sr.OrderError, match="memory has changed since"):
        other.commit(later)
    assert state(other, table["name"]) == before
