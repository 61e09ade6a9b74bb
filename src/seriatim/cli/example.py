"""``seriatim example --json``: the running example in figures, which the story is told from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import typer

from seriatim._typing import Value
from seriatim.errors import UnsatisfiableError
from seriatim.inference.adversary import Adversary
from seriatim.knowledge.belief import Belief
from seriatim.measure.disclosure import adversary_gain
from seriatim.microdata.release import Release
from seriatim.privacy.js_bound import JSBound
from seriatim.privacy.tally import Evidence, Tally
from seriatim.publish.policy import js_reduce
from seriatim.publish.publisher import Publisher
from seriatim.publish.store import MemoryStore, Step
from seriatim.simulate.running_example import RunningExample, running_example

K, T, J = 2, 0.6, 0.1
"""The policy of the story: pairs, as close as five tuples allow, and a tight bound."""

ALICE, CAROL = 0, 1
"""Rows of the second week."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What one reader makes of the printed releases."""

    first: Belief
    """Posterior after the first release: Table III(a)."""

    revised: Belief
    """What is expected of the second: Table III(b)."""

    second: Belief
    """Posterior after the second release: Table III(c)."""


@dataclass(frozen=True, eq=False)
class Defence:
    """What JS-reduce does with the same two weeks."""

    divergence: float
    """Divergence inside group 3 as printed, in bits."""

    refusal: str
    """What it answers when the first release is already out as printed."""

    releases: tuple[Release, ...]
    """What it publishes when it makes both releases."""

    second: Belief
    """What the reader then believes after the second release."""

    gain: float
    """The reader's mean gain over both releases."""


def read_printed(example: RunningExample, rule: str) -> Reading:
    """Let a reader read the releases as the paper prints them."""
    reader = Adversary(prior=example.prior, sequence=example.sequence, rule=rule)
    first = reader.observe(example.releases[0], example.memberships[0])
    revised = reader.expect(example.views[1])
    second = reader.observe(example.releases[1], example.memberships[1])
    return Reading(first, revised, second)


def defend(example: RunningExample) -> Defence:
    """Publish the two weeks with JS-reduce instead."""
    adversary = Adversary(prior=example.prior, sequence=example.sequence)
    policy = js_reduce(k=K, t=T, j=J, remainder="merge")
    revised = read_printed(example, "omega").revised
    evidence = Evidence.of(example.views[1], revised)
    members = example.memberships[1].members
    tally = Tally.of(evidence, members, example.releases[1].starts)

    publisher = Publisher(example.schema, policy, adversary, seed=1)
    gains = []
    for week, table in enumerate(example.tables, start=1):
        publisher.publish(table, at=week)
        made = publisher.latest
        assert made is not None
        gains.append(
            adversary_gain(
                made.posterior.probabilities, made.view.value_codes, made.membership.group_of
            ).mean
        )
    assert publisher.latest is not None
    return Defence(
        float(JSBound(j=J).measure(tally)[0]),
        _answer_after_printed(example, adversary),
        tuple(publisher.history),
        publisher.latest.posterior,
        sum(gains) / len(gains),
    )


def _answer_after_printed(example: RunningExample, adversary: Adversary) -> str:
    """Return what JS-reduce says to week 2 when week 1 is already out as printed."""
    store = MemoryStore()
    reader = adversary.anew(store.memory)
    impression = reader.consider(example.releases[0], example.memberships[0])
    store.commit(Step(example.releases[0], impression, example.views[0].schema, b""))
    publisher = Publisher(example.schema, js_reduce(k=K, t=T, j=J), adversary, store=store, seed=1)
    try:
        release = publisher.publish(example.tables[1], at=2)
    except UnsatisfiableError as refusal:
        return str(refusal)
    return f"{len(example.views[1]) - len(release)} tuples suppressed"


def figures() -> dict[str, Any]:
    """Return every figure of the story."""
    example = running_example()
    additive, omega = read_printed(example, "additive"), read_printed(example, "omega")
    defence = defend(example)

    def of(belief: Belief, row: int, *values: Value) -> dict[str, float]:
        return {str(value): round(float(belief.of(value)[row]), 6) for value in values}

    return {
        "posterior_1": {
            "Alice": of(additive.first, 0, "MAM-pos", "CX-neg"),
            "Betty": of(additive.first, 1, "MAM-pos", "CX-neg"),
            "Carol": of(additive.first, 2, "CX-pos", "BS-neg"),
            "Doris": of(additive.first, 3, "CX-pos", "BS-neg"),
        },
        "revised_2": {
            "Alice": of(additive.revised, ALICE, "BCM-pos", "PNE-pos"),
            "Carol": of(additive.revised, CAROL, "BCM-pos", "PNE-pos"),
        },
        "posterior_2": {
            rule: {
                "Alice": of(reading.second, ALICE, "BCM-pos", "PNE-pos"),
                "Carol": of(reading.second, CAROL, "BCM-pos", "PNE-pos"),
            }
            for rule, reading in (
                ("additive", additive),
                ("omega", omega),
                ("exact", read_printed(example, "exact")),
            )
        },
        "js_reduce": {
            "policy": {"k": K, "t": T, "j": J},
            "divergence_of_group_3_as_printed": round(defence.divergence, 6),
            "after_printed_release_1": defence.refusal,
            "posterior_2": {
                "Alice": of(defence.second, ALICE, "BCM-pos", "PNE-pos"),
                "Carol": of(defence.second, CAROL, "BCM-pos", "PNE-pos"),
            },
            "gain": round(defence.gain, 6),
        },
    }


def print_figures() -> None:
    """Print every figure of the story as JSON."""
    typer.echo(json.dumps(figures(), indent=2))
