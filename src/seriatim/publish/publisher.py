"""The publisher: one release at a time, each chosen by simulating its reader.

The paper's Algorithm 1. The reader's knowledge is carried from release to
release, so the cost of a release does not depend on how many came before.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

import numpy as np

from seriatim._typing import Instant, Table
from seriatim.errors import UnsatisfiableError
from seriatim.inference.adversary import Adversary, Impression
from seriatim.knowledge.belief import Belief
from seriatim.microdata.history import History, require_later
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import Release
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import read_table
from seriatim.microdata.view import View
from seriatim.partition.generalize import generalize
from seriatim.partition.partition import Partition
from seriatim.partition.remainder import settle
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.tally import Evidence, Tally
from seriatim.privacy.verdict import Verdict
from seriatim.publish.guard import guard
from seriatim.publish.policy import Policy
from seriatim.publish.store import MemoryStore, Store


@dataclass(frozen=True, eq=False)
class Publication:
    """Everything about one release, for the custodian's eyes only."""

    release: Release
    """What was published."""

    view: View
    """What it was made from."""

    membership: Membership
    """Who is in which group."""

    revised: Belief
    """What the simulated reader expected before the release."""

    posterior: Belief
    """What it believes after the release."""

    verdict: Verdict
    """How well the release keeps its policy, as measured on the finished table."""

    @property
    def suppressed(self) -> int:
        """How many tuples were left out."""
        return len(self.view) - len(self.release)


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
        store: Store | None = None,
        seed: int | None = None,
    ) -> None:
        """Begin a series, or go on with the one in a store.

        ``adversary`` says which reader to simulate; its own memory stays untouched.
        ``seed`` makes the shuffling repeatable and must stay secret, since whoever
        has it can shuffle a guessed view in the same way; without it a secret is
        drawn for this publisher.
        """
        self._schema = schema
        self._policy = policy
        self._store: Store = MemoryStore() if store is None else store
        self._reader = adversary.anew(self._store.memory)
        self._secret = secrets.token_bytes(32) if seed is None else str(seed).encode()[:64]
        self._latest: Publication | None = None

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

    def publish(self, view: Table, *, at: Instant) -> Release:
        """Publish the next release, and let the simulated reader read it.

        Whole or not at all: an error leaves the series as it was.
        """
        publication, impression = self._prepare(view, at)
        self._store.commit(publication.release, impression)
        self._latest = publication
        return publication.release

    def preview(self, view: Table, *, at: Instant) -> Publication:
        """Return what ``publish`` would make of a view, and change nothing."""
        return self._prepare(view, at)[0]

    def _prepare(self, table: Table, at: Instant) -> tuple[Publication, Impression]:
        if len(self.history):
            require_later(at, self.history[-1].at)
        view = self._read(table)
        rng = self._chance(view)
        revised = self._reader.expect(view)
        partition = self._partition(view, revised, rng)
        release, membership = generalize(view, partition, at=at, rng=rng)
        verdict = guard(release, view, membership, revised, self._policy.requirement)
        impression = self._reader.consider(release, membership, revised)
        publication = Publication(release, view, membership, revised, impression.posterior, verdict)
        return publication, impression

    def _partition(self, view: View, revised: Belief, rng: np.random.Generator) -> Partition:
        """Form groups and settle the remainder; a release without groups is an error."""
        requirement = self._policy.requirement
        evidence = Evidence.of(view, revised)
        partition = self._policy.partitioner.partition(view, revised, requirement, rng=rng)
        partition = settle(partition, evidence, requirement, self._policy.remainder)
        if len(partition) == 0:
            raise UnsatisfiableError(_why_no_group(evidence, self._policy))
        return partition

    def _chance(self, view: View) -> np.random.Generator:
        """Draw from the secret and the view: the same publish repeats, another differs."""
        return np.random.default_rng(np.frombuffer(view.digest(self._secret), dtype=np.uint64))

    def _read(self, table: Table) -> View:
        """Read a view over the sensitive domain of the series."""
        columns = read_table(table)
        sensitive = self._schema.sensitive
        if self._store.domain is not None:
            sensitive = replace(sensitive, values=self._store.domain)
        elif sensitive.values is None and len(columns):
            sensitive = sensitive.resolve(columns[sensitive.name]).including(self._reader.values)
        return View.from_table(columns, replace(self._schema, sensitive=sensitive))


def _why_no_group(evidence: Evidence, policy: Policy) -> str:
    """Explain why a view allows no group, by measuring the view as one group."""
    whole = Tally.of(evidence, np.arange(len(evidence)), np.array([0, len(evidence)]))
    verdict = policy.requirement.verdict(whole)
    lines = [
        f"No group of the {len(evidence)} tuples satisfies the policy, so nothing was published.",
        *(f"The whole view as one group: {finding}." for finding in verdict.findings),
    ]
    if any(isinstance(p, KAnonymity) and p.k > len(evidence) for p in policy.requirement.parts):
        lines.append("Try a smaller k, or publish several instants together.")
    else:
        lines.append("Try a larger bound where one fails, or another partitioner.")
    return "\n".join(lines)
