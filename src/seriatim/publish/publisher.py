"""The publisher: one release at a time, each chosen by simulating its reader.

The paper's Algorithm 1. The reader's knowledge is carried from release to
release, so the cost of a release does not depend on how many came before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from seriatim._typing import Instant, IntArray, Table
from seriatim.errors import PolicyError
from seriatim.errors import listed as listed_names
from seriatim.inference.adversary import Adversary, Expectation, Impression
from seriatim.inference.sights import Panel
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.belief import Belief
from seriatim.knowledge.learning import Learner
from seriatim.measure.singling_out import fits_of, require_hidden, singled_out
from seriatim.microdata.history import History, require_later
from seriatim.microdata.membership import Membership
from seriatim.microdata.near_unique import nearly_unique, refuse_nearly_unique
from seriatim.microdata.own_ids import refuse_own_ids
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import Columns, read_table
from seriatim.microdata.view import View
from seriatim.partition.generalize import generalize
from seriatim.partition.standing_cells import StandingCells
from seriatim.privacy.t_closeness import TCloseness
from seriatim.privacy.tally import Evidence
from seriatim.privacy.verdict import Verdict
from seriatim.publish.duckdb_store import DuckDBStore
from seriatim.publish.groups import formed_groups
from seriatim.publish.guard import guard
from seriatim.publish.listing import Listed, listed
from seriatim.publish.policy import Policy
from seriatim.publish.pooling import read_together, require_pool, tables_of
from seriatim.publish.series_schema import (
    continued,
    require_same_series,
    require_widened,
    with_values,
)
from seriatim.publish.store import MemoryStore, Step, Store
from seriatim.publish.traces import Trace, followed, panel_numbers, trace_of
from seriatim.publish.whereabouts import (
    Separation,
    Whereabouts,
    separation,
    whereabouts_of,
    window_of,
)
from seriatim.simulate.population_of_views import Population

if TYPE_CHECKING:
    from seriatim.publish.frontier import Rehearsal

Source: TypeAlias = Table | View | Sequence[Table]
"""What a release is made from: a table, one that was read already, or one for each period."""


@dataclass(frozen=True, eq=False)
class Publication:
    """Everything about one release, for the custodian's eyes only.

    >>> from seriatim import Adversary, KAnonymity, Numeric, Sensitive
    >>> schema = Schema("name", [Numeric("age")], Sensitive("exam"))
    >>> publisher = Publisher(schema, Policy(KAnonymity(k=2)), Adversary(), seed=7)
    >>> table = {"name": list("ABC"), "age": [51, 52, 70], "exam": ["pos", "neg", "neg"]}
    >>> found = publisher.preview(table, at=1)
    >>> found.release, found.suppressed
    (Release(at=1, 2 tuples in 1 groups), 1)
    >>> print(found.verdict)
    KAnonymity(k=2) holds: 2 tuples, 0 to spare
    """

    release: Release
    """What was published."""

    view: View
    """What it was made from: who is listed, also of those who are not in the table any more."""

    membership: Membership
    """Who is in which group."""

    revised: Belief
    """What the simulated reader expected before the release."""

    posterior: Belief
    """What it believes after the release."""

    verdict: Verdict
    """How well the release keeps its policy, as measured on the finished table."""

    merged: int = 0
    """How many tuples that formed no group were let into others."""

    tracing: Callable[[], Trace | None] = lambda: None
    """What finds out what is followed of it."""

    knowledge: Automaton | None = None
    """The sequence knowledge that it was read with."""

    placing: Callable[[], Whereabouts | None] = lambda: None
    """What finds out what later releases are compared with."""

    separation: Separation | None = None
    """Whom it separates by subtraction from the last releases, where it was compared with them."""

    waiting: int = 0
    """How many were in the table and are not listed yet, as people enter in batches."""

    held_back: int = 0
    """How many tuples were left out whose groups would have differed by few from earlier ones."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Publication({self.release!r}, {self.suppressed} suppressed)"

    @cached_property
    def trace(self) -> Trace | None:
        """What is followed of it, where the series is watched."""
        found = self.tracing()
        # What it was found from is not needed again, and large.
        object.__setattr__(self, "tracing", lambda: found)
        return found

    def window(self, before: Sequence[Trace], lag: int) -> tuple[Trace, ...]:
        """Return the traces of the last releases and of this one, with what looking back tells."""
        if self.trace is None or self.knowledge is None:
            return ()
        return followed(self.trace, before, self.knowledge, lag)

    @cached_property
    def whereabouts(self) -> Whereabouts | None:
        """Who is in which group, where later releases are compared with it."""
        return self.placing()

    def compared(
        self, before: Sequence[Whereabouts], lag: int, k: int, kept: int = 0
    ) -> tuple[Separation | None, tuple[Whereabouts, ...]]:
        """Return whom it separates by subtraction from ``lag`` releases, and what to keep of all.

        That is of as many, or of ``kept`` where these are more. A group hides nobody alone: where
        no k is asked for, 2 people hide each other.
        """
        kept = max(lag, kept)
        if self.whereabouts is None or kept == 0:
            return None, ()
        window = window_of(self.whereabouts, before, kept)
        n_values = len(self.view.schema.sensitive.domain)
        found = separation(window[-lag - 1 :], max(k, 2), n_values) if lag else None
        return found, window[-kept:]

    @cached_property
    def singled_out(self) -> dict[str, float]:
        """The share of tuples that the sets of each categorical quasi-identifier single out."""
        return singled_out(self.release)

    @property
    def carried(self) -> int:
        """How many are listed who are not in the table: their tuples repeat the last ones."""
        repeated = self.membership.carried
        return 0 if repeated is None else int(repeated.sum())

    @property
    def counterfeits(self) -> int:
        """How many tuples of nobody were added."""
        added = self.membership.counterfeits
        return 0 if added is None else int(added.sum())

    @property
    def suppressed(self) -> int:
        """How many tuples were left out."""
        return int((~self.membership.published).sum())


class Publisher:
    """Publishes a series of views under one policy.

    >>> from seriatim import Adversary, Numeric, Sensitive, js_reduce
    >>> schema = Schema("name", [Numeric("age")], Sensitive("exam"))
    >>> publisher = Publisher(schema, js_reduce(k=2, t=0.5, j=0.5), Adversary(), seed=7)
    >>> publisher.publish(
    ...     {
    ...         "name": ["A", "B", "C", "D"],
    ...         "age": [51, 52, 70, 71],
    ...         "exam": ["pos", "neg", "neg", "pos"],
    ...     },
    ...     at=1,
    ... )
    Release(at=1, 4 tuples in 2 groups)
    """

    def __init__(
        self,
        schema: Schema,
        policy: Policy,
        adversary: Adversary,
        *,
        store: Store | str | Path | None = None,
        seed: int | None = None,
        panel: int = 0,
        back: int = 0,
    ) -> None:
        """Begin a series, or go on with the one in a store.

        ``adversary`` says which reader to simulate; its own memory stays untouched. ``store``
        may be the path of a DuckDB file; left out, the series lives as long as the process.
        Ties and shuffles go by the store's secret, so that whoever goes on with a series
        keeps equals in the order they had. ``seed`` takes its place where a series must
        repeat exactly; it then belongs to the series, and must stay the same. With a
        ``panel`` of so many respondents, publications have a trace for the watch. With ``back``,
        each release is compared with so many before it: its publication then tells whom
        subtracting groups separates (``separation``).
        """
        self._schema = schema
        self._policy = policy
        self._store = _opened(store)
        self._reader = adversary.anew(self._store.memory, self._store.notebook)
        self._secret = self._store.secret if seed is None else str(seed).encode()
        self._latest: Publication | None = None
        self._panel = panel
        self._back = back
        _require_order(schema, policy)
        _require_apart(schema, policy)

    @property
    def history(self) -> History:
        """The releases made so far."""
        return self._store.history

    @property
    def policy(self) -> Policy:
        """What every release promises."""
        return self._policy

    @property
    def latest(self) -> Publication | None:
        """Everything about the last release of this publisher; private."""
        return self._latest

    def publish(self, view: Source, *, at: Instant) -> Release:
        """Publish the next release, and let the simulated reader read it.

        Where a policy pools periods, ``view`` is a list of as many tables, the earliest first; one
        that was read as a ``View`` already is taken as it is. Whole or not at all: an error leaves
        the series as it was.
        """
        publication, step = self.prepare(view, at=at)
        self.commit(publication, step)
        return publication.release

    def preview(self, view: Source, *, at: Instant) -> Publication:
        """Return what ``publish`` would make of a view, and change nothing."""
        return self.prepare(view, at=at)[0]

    def rehearse(
        self,
        *rosters: Table | Roster | Population,
        releases: int = 24,
        share: float = 0.005,
        target_gain: float = 0.12,
        reader: str = "strongest",
        histories: int = 3,
        seed: int = 1,
    ) -> Rehearsal:
        """Play a planned series on made histories, and recommend what it needs.

        Rosters, earliest first, or tables whose sensitive values are not looked at, say who comes;
        or one population, such as ``foresee`` learns, says all. A reader who learns from the views
        of the series has learned from views given here. ``seriatim.rehearse`` takes more of a plan.
        """
        from seriatim.publish.foreknowledge import foresee
        from seriatim.publish.rehearsal import rehearse
        from seriatim.publish.series_plan import SeriesPlan

        plan, knowing = SeriesPlan(releases, target_gain, reader, share=share), self._reader
        people = [one for one in rosters if isinstance(one, Population)]
        if not people:
            found = foresee(knowing, self._opened(rosters))
            people, knowing = [found.population], found.adversary
        return rehearse(self._policy, knowing, people[0], plan, histories=histories, seed=seed)

    def _opened(self, tables: Sequence[Any]) -> list[Roster]:
        """Read tables that are neither rosters nor views; as views where the reader needs them."""
        schema, reader = self._store.schema or self._schema, self._reader
        learns = isinstance(reader.prior, Learner) or isinstance(reader.sequence, Learner)
        schema = with_values(schema, reader.values) if reader.values else schema
        for one in tables:
            if not isinstance(one, Roster):
                schema = schema.resolve(one) if learns else schema.resolve_roster(one)
        kind = View if learns else Roster
        return [one if isinstance(one, Roster) else kind.from_table(one, schema) for one in tables]

    def commit(self, publication: Publication, step: Step) -> None:
        """Make what was prepared part of the series."""
        if self._back or self._policy.looks_back:
            found, window = publication.compared(
                self._store.whereabouts, self._back, self._policy.k, self._policy.looks_back
            )
            publication = replace(publication, separation=found)
            step = replace(step, whereabouts=window)
        self._store.commit(step)
        self._latest = publication

    def prepare(self, table: Source, *, at: Instant) -> tuple[Publication, Step]:
        """Return the next release, and what makes it part of the series when committed."""
        require_later(at, self._store.last_instant)
        came = self.read(table)
        refuse_own_ids(came)
        refuse_nearly_unique(nearly_unique(came, self._schema))
        enlisted = self._listed(came)
        view = came if enlisted is None else enlisted.view
        reader, lesson = self._reader.taught(view)
        # It waits for nothing, and holds no interpreter lock.
        with ThreadPoolExecutor(1, thread_name_prefix="seriatim-digest") as beside:
            digesting = beside.submit(came.digest)
            expectation = reader.anticipate(view.roster, at)
            digest = digesting.result()
        evidence = Evidence.of(view, expectation.revised)
        rng, policy = self._chance(digest, at), self._policy
        formed = formed_groups(
            view, expectation.revised, evidence, policy, self._store, self._secret, rng
        )
        release, membership = generalize(view, formed.partition, at=at, rng=rng, form=policy.form)
        if enlisted is not None:
            membership = membership.carrying(enlisted.carried)
        # One after the other, each on all cores: what the first took in memory serves the second.
        verdict = guard(release, view, membership, evidence, policy.requirement)
        require_hidden(fits_of(release), self._schema)
        impression = reader.consider(release, membership, expectation)
        publication = Publication(
            release,
            view,
            membership,
            expectation.revised,
            impression.posterior,
            verdict,
            formed.merged,
            self._tracing(reader, expectation, view, release, membership, impression),
            reader.automaton(view.schema.sensitive.domain),
            self._placing(view, release, membership),
            waiting=0 if enlisted is None else enlisted.waiting,
            held_back=formed.held_back,
        )
        return publication, Step(
            release,
            impression,
            view.schema,
            self._keyed(digest),
            lesson,
            formed.enrolment,
            _counterfeits_of(release, membership, view),
            listing=None if enlisted is None else enlisted.listing,
        )

    def _listed(self, view: View) -> Listed | None:
        """Return whom the next release lists; None where that is who is in the view."""
        policy, store = self._policy, self._store
        if not policy.lists:
            return None
        before, number = store.listing, store.n_releases + 1
        if before is None or store.schema is None or before.release != store.n_releases:
            before = None
        else:
            before = before.recoded(store.schema, view.schema)
        return listed(view, before, number, self._cells, batch=policy.batch, keep=policy.keep)

    def _cells(self, roster: Roster) -> IntArray:
        """Return the cell that each respondent would be in."""
        cells = self._policy.partitioner
        assert isinstance(cells, StandingCells)  # only these go with batches
        return cells.labels(roster, self._store.register)

    def _tracing(
        self,
        reader: Adversary,
        before: Expectation,
        view: View,
        release: Release,
        membership: Membership,
        impression: Impression,
    ) -> Callable[[], Trace | None]:
        """Return what finds out what is followed of a release, where the series is watched."""
        if self._panel == 0:
            return lambda: None
        # Asked now: whoever looks may do so while the store is written.
        number = self._store.n_releases + 1

        def traced() -> Trace | None:
            numbers = panel_numbers(view.texts, self._secret)
            panel = Panel.of(numbers, membership.published, self._panel)
            return trace_of(reader, before, view, release, membership, impression, panel, number)

        return traced

    def _placing(
        self, view: View, release: Release, membership: Membership
    ) -> Callable[[], Whereabouts | None]:
        """Return what finds out who is where, where later releases are compared with it."""
        if not (self._back or self._policy.looks_back):
            return lambda: None
        number = self._store.n_releases + 1
        return lambda: whereabouts_of(view, release, membership, self._secret, number)

    def _keyed(self, view_digest: bytes) -> bytes:
        """Return a digest that only the series' secret can make: small views can be guessed."""
        key = hashlib.blake2b(self._secret, digest_size=32, person=b"views").digest()
        return hashlib.blake2b(view_digest, key=key, digest_size=32).digest()

    def _chance(self, view_digest: bytes, at: Instant) -> np.random.Generator:
        """Draw from the secret, the view and the instant: only the same publish repeats."""
        key = hashlib.blake2b(self._secret, digest_size=32, person=b"shuffle").digest()
        drawn = hashlib.blake2b(view_digest + repr(at).encode(), key=key, digest_size=32).digest()
        return np.random.default_rng(np.frombuffer(drawn, dtype=np.uint64))

    def read(self, table: Source, stood: Sequence[IntArray | None] = ()) -> View:
        """Read a view over the domains of the series; one that was read already stays.

        Several tables are read as one view: everybody, by their latest row. ``stood`` has where
        the rows of each stood before some were left out, for errors to name.
        """
        if isinstance(table, View):
            require_same_series(table.schema, self._store.schema or self._schema)
            if self._store.schema is not None:
                require_widened(self._store.schema, table.schema)
            return table
        given = tables_of(table)
        require_pool(self._policy.pool, len(given))
        tables = [read_table(one) for one in given]
        return read_together(tables, self._schema_for(tables), stood)

    def _schema_for(self, tables: Sequence[Columns]) -> Schema:
        """Return what to read the next tables with."""
        if self._store.schema is not None:
            return continued(self._schema, self._store.schema)
        sensitive = self._schema.sensitive
        if sensitive.values is None:
            for columns in tables:
                if len(columns):
                    found = self._schema.sensitive.resolve(columns[sensitive.name])
                    sensitive = sensitive.including(found.domain)
            if sensitive.values is not None:
                sensitive = sensitive.including(self._reader.values)
        return replace(self._schema, sensitive=sensitive)


def _counterfeits_of(
    release: Release, membership: Membership, view: View
) -> tuple[tuple[int, int], ...]:
    """Return group and value code of each published tuple that is nobody's."""
    if membership.counterfeits is None:
        return ()
    n_values = len(release.schema.sensitive.domain)
    members = membership.members
    cells = membership.group_of[members] * n_values + view.value_codes[members]
    own = np.bincount(cells, minlength=release.n_groups * n_values)
    added = np.repeat(np.arange(len(own)), release.value_counts.ravel() - own)
    return tuple(zip((added // n_values).tolist(), (added % n_values).tolist(), strict=True))


def _opened(store: Store | str | Path | None) -> Store:
    """Return the store that was given, made where only its place was."""
    if store is None:
        return MemoryStore()
    if isinstance(store, str | Path):
        return DuckDBStore(store)
    if not hasattr(store, "commit"):
        message = f"A store is an object such as MemoryStore(), or a path, not {store!r}."
        raise PolicyError(message)
    return store


def _require_order(schema: Schema, policy: Policy) -> None:
    """Refuse an ordered distance over values that have no declared order."""
    for part in policy.requirement.parts:
        asks_order = isinstance(part, TCloseness) and part.distance == "ordered"
        if asks_order and not schema.sensitive.ordered:
            message = (
                f"{part} measures along the order of the values of {schema.sensitive.name!r},"
                " which have none. Declare it:"
                " Sensitive(name, [least, ..., greatest], ordered=True)."
            )
            raise PolicyError(message)


def _require_apart(schema: Schema, policy: Policy) -> None:
    """Refuse insensitive columns in buckets, which keep people and values apart."""
    if policy.form == "buckets" and schema.insensitive:
        message = (
            "Buckets keep people and values apart, and the insensitive columns"
            f" {listed_names(schema.insensitive)} have a place in neither table. Leave them out, or"
            " publish generalized tables."
        )
        raise PolicyError(message)
