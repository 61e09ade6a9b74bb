"""The groups of a release: formed, leftovers settled, held back where they would tell of few."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seriatim.errors import OrderError, UnsatisfiableError
from seriatim.knowledge.belief import Belief
from seriatim.microdata.view import View
from seriatim.partition.partition import Partition
from seriatim.partition.register import Enrolment, SerialPartitioner
from seriatim.partition.remainder import confirmable, settle, settled
from seriatim.partition.ties import tie_order
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.tally import Evidence, Tally
from seriatim.publish.policy import Policy
from seriatim.publish.small_differences import opening
from seriatim.publish.store import Store
from seriatim.publish.whereabouts import people_numbers


class FormedGroups(NamedTuple):
    """The groups of a release, and how they came about."""

    partition: Partition
    """The groups."""

    merged: int
    """How many tuples that formed no group were let into others."""

    enrolment: Enrolment | None
    """What the partitioner will remember."""

    held_back: int
    """How many tuples were left out whose groups would have differed by few from earlier ones."""


def formed_groups(
    view: View,
    revised: Belief,
    evidence: Evidence,
    policy: Policy,
    store: Store,
    secret: bytes,
    rng: np.random.Generator,
) -> FormedGroups:
    """Form groups and settle the remainder; a release without groups is an error.

    The store is asked for what earlier releases left, and stays as it is.
    """
    requirement = policy.requirement
    ties, enrolment = tie_order(view, secret), None
    if isinstance(policy.partitioner, SerialPartitioner):
        _require_unbroken(store)
        # Only standing cells go with batches; nobody is then moved between cells alone.
        how: dict[str, Any] = {"whole": True} if policy.batch > 1 else {}
        partition, enrolment = policy.partitioner.partition_next(
            view, revised, requirement, ties=ties, register=store.register, **how
        )
    else:
        partition = policy.partitioner.partition(view, revised, requirement, ties=ties)
    left, merged = len(partition.remainder), 0
    if policy.remainder == "merge":
        whole = settle(partition, evidence, requirement, policy.remainder)
        merged = left - len(whole.remainder)
        partition = confirmable(whole, evidence, requirement)
    else:
        partition = settled(partition, evidence, requirement, policy.remainder, rng)
    if len(partition) == 0:
        raise UnsatisfiableError(_why_no_group(evidence, policy))
    partition, held_back = _without_small_differences(
        view, partition, evidence, policy, store, secret
    )
    return FormedGroups(partition, merged, enrolment, held_back)


def _without_small_differences(
    view: View,
    partition: Partition,
    evidence: Evidence,
    policy: Policy,
    store: Store,
    secret: bytes,
) -> tuple[Partition, int]:
    """Hold groups back that would differ by few from earlier ones; return of how many people."""
    if policy.looks_back == 0:
        return partition, 0
    first = store.n_releases + 1 - policy.looks_back
    before = [one for one in store.whereabouts if one.release >= first]
    numbers, held_back = people_numbers(view.texts, secret), 0
    while len(partition):
        groups = partition.group_of.astype(np.int32)
        opened = opening(numbers[groups >= 0], groups[groups >= 0], before, policy.batch)
        if not opened.any():
            return partition, held_back
        held_back += int(opened[groups[groups >= 0]].sum())
        # Fewer tuples are another table, which the other groups must stand in.
        partition = confirmable(partition.without(opened), evidence, policy.requirement)
    message = (
        f"Groups would differ by fewer than {policy.batch} people from those of earlier releases,"
        " and none stands without these, so nothing was published. Leave this view out and publish"
        " the next, or try larger cells or a smaller batch."
    )
    raise UnsatisfiableError(message)


def _require_unbroken(store: Store) -> None:
    """Refuse a partitioner that remembers, where releases were made without it."""
    if store.register.version != store.n_releases:
        message = (
            "This partitioner goes on with what it did in every earlier release, and some of this"
            " series were made with another. Begin a new series, or go on with that one."
        )
        raise OrderError(message)


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
        lines.append("Ask for less where a requirement fails, or try another partitioner.")
    return "\n".join(lines)
