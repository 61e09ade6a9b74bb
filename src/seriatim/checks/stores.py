"""Laws of stores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from seriatim.checks._cases import random_table, require, schema_over
from seriatim.errors import OrderError
from seriatim.inference.adversary import Adversary
from seriatim.knowledge.automaton import Automaton
from seriatim.microdata.view import View
from seriatim.partition.standing_cells import StandingCells
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.publish.policy import Policy, js_reduce
from seriatim.publish.presets import m_invariance
from seriatim.publish.publisher import Publisher
from seriatim.publish.store import MemoryStore, Store

_VALUES = ("a", "b", "c")
_SINGLE = 1e-6
"""Two beliefs may differ by this much when one of them was kept in single precision."""


def check_store(make_store: Callable[[], Store], *, releases: int = 4, seed: int = 0) -> None:
    """Check that a store carries a series.

    A series published over it is the same, release by release and belief by belief,
    as over a ``MemoryStore``; another publisher can go on from it; and a release that
    is out of order is refused and leaves no trace. Beliefs may be kept in single
    precision.
    """
    rng = np.random.default_rng(seed)
    tables = [random_table(rng, 40, _VALUES) for _ in range(releases)]
    adversary = _adversary(rng)
    policy = js_reduce(k=3, t=1.0, j=2.0)
    store, reference = make_store(), MemoryStore()
    require(len(store.history) == 0, "A new store must have no history.")
    require(store.schema is None, "A new store must have no schema.")
    require(store.last_instant is None, "A new store must have no last instant.")
    secret = store.secret
    require(len(secret) >= 16, "A store must have a secret that cannot be guessed.")
    require(secret != make_store().secret, "Every store must draw a secret of its own.")
    for at, table in enumerate(tables):
        # A new publisher each time: everything that matters must be in the store.
        ours = Publisher(schema_over(_VALUES), policy, adversary, store=store, seed=seed)
        theirs = Publisher(schema_over(_VALUES), policy, adversary, store=reference, seed=seed)
        same = ours.publish(table, at=at).to_arrow().equals(theirs.publish(table, at=at).to_arrow())
        require(same, "A series must not depend on the store.", f"release {at}")
        assert ours.latest is not None
        assert theirs.latest is not None
        apart = ours.latest.posterior.probabilities - theirs.latest.posterior.probabilities
        require(
            bool(np.abs(apart).max() <= _SINGLE), "Beliefs must not depend on the store.", apart
        )
    require(store.last_instant == releases - 1, "A store must know its last instant.")
    require(store.secret == secret, "A series must keep its secret.")
    require(
        store.schema is not None and store.schema.sensitive.domain == _VALUES,
        "A store must know the schema of its series.",
    )
    _check_order(store, adversary, tables)
    _check_register(make_store(), tables)
    _check_traces(make_store(), adversary, tables)
    _check_whereabouts(make_store(), adversary, tables)
    _check_listing(make_store(), tables)


def _check_order(store: Store, adversary: Adversary, tables: list[dict[str, list[object]]]) -> None:
    publisher = Publisher(
        schema_over(_VALUES), js_reduce(k=3, t=1.0, j=2.0), adversary, store=store, seed=0
    )
    before = len(store.history)
    try:
        publisher.publish(tables[0], at=0)
    except OrderError:
        pass
    else:
        require(False, "A release before the last one must be refused.")
    require(len(store.history) == before, "A refused release must leave no trace.")
    # Both were in order when they were prepared; a reader without memory notices nothing.
    forgetful = Publisher(
        schema_over(_VALUES), js_reduce(k=3, t=1.0, j=2.0), Adversary(), store=store, seed=0
    )
    late, early = (forgetful.prepare(tables[0], at=before + ahead) for ahead in (2, 1))
    forgetful.commit(*late)
    try:
        forgetful.commit(*early)
    except OrderError:
        pass
    else:
        require(False, "A step that is before the last one must be refused.")
    require(len(store.history) == before + 1, "A refused step must leave no trace.")


def _check_register(store: Store, tables: list[dict[str, list[object]]]) -> None:
    """Check that a partitioner finds what it remembered, and nothing of a refused release."""
    reference = MemoryStore()
    for at, table in enumerate(tables):
        for one in (store, reference):
            publisher = Publisher(
                schema_over(_VALUES), m_invariance(m=2), Adversary(), store=one, seed=0
            )
            publisher.publish(table, at=at)
    require(
        dict(store.register.plan) == dict(reference.register.plan),
        "A partitioner's plan must not depend on the store.",
    )
    respondents = View.from_table(tables[-1], schema_over(_VALUES)).respondents
    ours, theirs = (one.register.places(respondents) for one in (store, reference))
    require(
        np.array_equal(ours, theirs), "A partitioner's places must not depend on the store.", ours
    )
    require(
        [entry.counterfeits for entry in store.entries]
        == [entry.counterfeits for entry in reference.entries],
        "A store must know which tuples are nobody's.",
    )


def _check_traces(
    store: Store, adversary: Adversary, tables: list[dict[str, list[object]]]
) -> None:
    """Check that what is followed of the last releases is found again, and no more of it."""
    reference, lag = MemoryStore(), 2
    policy = js_reduce(k=3, t=1.0, j=2.0)
    for at, table in enumerate(tables):
        for one in (store, reference):
            publisher = Publisher(
                schema_over(_VALUES), policy, adversary, store=one, seed=0, panel=1000
            )
            publication, step = publisher.prepare(table, at=at)
            publisher.commit(publication, replace(step, traces=publication.window(one.traces, lag)))
        ours, theirs = store.traces, reference.traces
        require(
            [trace.release for trace in ours] == [trace.release for trace in theirs],
            "A store must keep the traces of a step, and no others.",
        )
        for one_trace, other in zip(ours, theirs, strict=True):
            require(
                np.array_equal(one_trace.sight.numbers, other.sight.numbers)
                and np.array_equal(one_trace.truth, other.truth),
                "A store must know whom it follows.",
            )
            apart = one_trace.gain - other.gain
            require(
                bool(np.abs(apart).max(initial=0.0) <= 10 * _SINGLE),
                "What is gained by looking back must not depend on the store.",
                apart,
            )
    publisher = Publisher(schema_over(_VALUES), policy, adversary, store=store, seed=0)
    publisher.publish(tables[0], at=len(tables))
    require(store.traces == (), "A release that is not followed must end the traces.")


def _check_whereabouts(
    store: Store, adversary: Adversary, tables: list[dict[str, list[object]]]
) -> None:
    """Check that who was where in the last releases is found again, and no more of it."""
    reference, back = MemoryStore(), 2
    policy = js_reduce(k=3, t=1.0, j=2.0)
    for at, table in enumerate(tables):
        found = []
        for one in (store, reference):
            publisher = Publisher(
                schema_over(_VALUES), policy, adversary, store=one, seed=0, back=back
            )
            publisher.publish(table, at=at)
            assert publisher.latest is not None
            found.append(publisher.latest.separation)
        require(found[0] == found[1], "What subtraction tells must not depend on the store.")
        ours, theirs = store.whereabouts, reference.whereabouts
        require(
            [kept.release for kept in ours] == list(range(max(at + 2 - back, 1), at + 2)),
            "A store must keep the whereabouts of a step, and no others.",
        )
        for kept, other in zip(ours, theirs, strict=True):
            require(
                np.array_equal(kept.numbers, other.numbers)
                and np.array_equal(kept.groups, other.groups)
                and np.array_equal(kept.sizes, other.sizes)
                and np.array_equal(kept.codes, other.codes),
                "A store must know who was where, and what groups showed.",
            )
    Publisher(schema_over(_VALUES), policy, adversary, store=store, seed=0).publish(
        tables[0], at=len(tables)
    )
    require(store.whereabouts == (), "A release that is not compared must end the whereabouts.")


def _check_listing(store: Store, tables: list[dict[str, list[object]]]) -> None:
    """Check that who is listed is found again, and ends with a release that lists just its view."""
    reference = MemoryStore()
    cells = StandingCells(3, merges="anew")
    moving = Policy(KAnonymity(k=3), cells, "merge", batch=3, keep=1)
    for at, table in enumerate(tables):
        # People come and go: some of every table are away.
        some = {name: column[at : len(column) - 2 * at] for name, column in table.items()}
        found = []
        for one in (store, reference):
            publisher = Publisher(schema_over(_VALUES), moving, Adversary(), store=one, seed=0)
            found.append(publisher.publish(some, at=at).to_arrow())
        require(found[0].equals(found[1]), "Who is listed must not depend on the store.", at)
        ours, theirs = store.listing, reference.listing
        assert theirs is not None
        require(ours is not None, "A store must keep the listing of a step.")
        assert ours is not None
        require(
            ours.release == theirs.release
            and ours.respondents.equals(theirs.respondents)
            and np.array_equal(ours.points, theirs.points)
            and np.array_equal(ours.value_codes, theirs.value_codes)
            and np.array_equal(ours.last_seen, theirs.last_seen)
            and ours.kept == theirs.kept,
            "A store must know who is listed, and as what.",
        )
    still = Policy(KAnonymity(k=3), cells, "merge")
    Publisher(schema_over(_VALUES), still, Adversary(), store=store, seed=0).publish(
        tables[0], at=len(tables)
    )
    require(store.listing is None, "A release that lists its view alone must end the listing.")


def _adversary(rng: np.random.Generator) -> Adversary:
    rows = rng.dirichlet(np.ones(3), 4)
    return Adversary(sequence=Automaton(_VALUES, rows, np.array([[1, 2, 3]] * 4)))
