"""The running example as a story and as figures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import typer
from rich import box
from rich.columns import Columns
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

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


def tell_story() -> None:
    """Print the story: Tables I to III as computed here, and what JS-reduce does."""
    example = running_example()
    additive, omega = read_printed(example, "additive"), read_printed(example, "omega")
    defence = defend(example)
    console = Console(highlight=False)

    console.rule("Two weeks at the hospital")
    _say(console, "Week 1, as it is and as it is published (the paper's Table I).")
    _show(console, _original(example, 0), _released(example.releases[0], "Release 1"))
    _say(console, "Week 2. Alice and Carol are back; Elisa, Fran and Grace are new.")
    _show(console, _original(example, 1), _released(example.releases[1], "Release 2"))
    _say(
        console,
        "Each release alone is 2-anonymous and 2-diverse. Now comes a reader who knows the"
        " neighbourhood (Table II(a)) and medicine (Table II(b)): a positive mammography is"
        " often followed by a positive breast cancer marker.",
    )
    _show(console, _prior(example), _sequence(example))

    console.rule("What the reader learns")
    _say(
        console,
        "From release 1 alone, nothing: everyone is at 0.5 (Table III(a)). But the reader now"
        " expects something of release 2 (Table III(b)), and release 2 does the rest (III(c)).",
    )
    _show(console, _learned(additive, omega, read_printed(example, "exact")))
    confidence = additive.second.of("BCM-pos")[ALICE]
    _say(
        console,
        f"The reader gives Alice the cancer marker with confidence {confidence:.1f}, and is right.",
    )

    console.rule("What JS-reduce does")
    _say(
        console,
        f"It simulates that reader before it publishes. Policy: k={K}, t={T}, j={J} bit.",
    )
    _say(
        console,
        "With release 1 out as above, group 1 of release 2 would put Alice beside Carol, of whom"
        f" the reader expects different things: they diverge by {defence.divergence:.3f} bit, and"
        f" {J} is allowed. The scan meets the two first, never gets under j again, and the second"
        " release is refused. (Elisa, Fran and Grace alone would be safe; not to see that is a"
        " weakness of the paper's scan.)",
    )
    for line in defence.refusal.splitlines():
        console.print(Padding(line, (0, 4)))
    console.print()
    _say(
        console,
        "Had JS-reduce made both releases, Alice and Carol would have shared a group from the"
        " start, and nothing would ever have told them apart:",
    )
    _show(console, *(_released(one, f"Release {one.at}") for one in defence.releases))
    gain = round(defence.gain, 2) + 0.0  # no minus before a zero
    alice, carol = defence.second.of("BCM-pos")[[ALICE, CAROL]]
    _say(
        console,
        f"The reader believes BCM-pos of Alice with {alice:.2f} and of Carol with {carol:.2f};"
        f" its gain over counting is {gain:.2f}. (On so small a table the Hilbert"
        " order alone forms these groups; the bound proves that they are safe, and refuses"
        " those that are not.)",
    )


def _say(console: Console, text: str) -> None:
    console.print(text, end="\n\n")


def _show(console: Console, *tables: Table) -> None:
    console.print(Columns(tables, padding=(0, 2)))
    console.print()


def _table(title: str | None, *columns: str) -> Table:
    return Table(
        *columns,
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
    )


def _original(example: RunningExample, week: int) -> Table:
    table = _table(f"Original, week {week + 1}", "Name", "Age", "Gender", "Zip", "Exam")
    for row in zip(*example.tables[week].values(), strict=True):
        table.add_row(*(str(cell) for cell in row))
    return table


def _released(release: Release, title: str) -> Table:
    table = _table(title, "Group", "Age", "Gender", "Zip", "Exam")
    rows = release.to_arrow().to_pylist()
    for index, row in enumerate(rows):
        last = index + 1 == len(rows) or rows[index + 1]["group"] != row["group"]
        table.add_row(*(str(cell) for cell in row.values()), end_section=last)
    return table


def _prior(example: RunningExample) -> Table:
    belief = example.prior.belief(example.views[0], example.schema.sensitive.domain)
    table = _table("Table II(a): before any release", "Exam", "Anyone here")
    for value in example.prior.values:
        table.add_row(str(value), f"{belief.of(value)[0]:g}")
    return table


def _sequence(example: RunningExample) -> Table:
    knowledge = example.sequence
    table = _table("Table II(b): what follows what", "Week 1", "Week 2", "Probability")
    for (given,), row in zip(
        knowledge.contexts, knowledge.distributions.probabilities, strict=True
    ):
        for value, probability in zip(knowledge.distributions.values, row, strict=True):
            table.add_row(str(given), str(value), f"{probability:g}")
    return table


def _learned(additive: Reading, omega: Reading, exact: Reading) -> Table:
    table = _table(None, "Reader's belief", "Alice\nBCM-pos", "Alice\nPNE-pos", "Carol\nBCM-pos")
    table.add_column("Carol\nPNE-pos")
    for name, belief, digits in (
        ("expected of release 2", additive.revised, 2),
        ("after it, the paper's rule", additive.second, 3),
        ("after it, Ω-estimate", omega.second, 3),
        ("after it, Bayes' rule", exact.second, 3),
    ):
        figures = [
            f"{belief.of(value)[row]:.{digits}f}"
            for row in (ALICE, CAROL)
            for value in ("BCM-pos", "PNE-pos")
        ]
        table.add_row(name, *figures)
    return table
