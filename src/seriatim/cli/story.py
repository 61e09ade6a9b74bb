"""``seriatim example``: the story of Alice, Betty, Carol and Doris, told from its figures."""

from __future__ import annotations

from rich import box
from rich.columns import Columns
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from seriatim.cli.common import progress_through
from seriatim.cli.example import ALICE, CAROL, J, K, Reading, T, defend, read_printed
from seriatim.microdata.release import Release
from seriatim.simulate.running_example import RunningExample, running_example

_STEPS = ("reading like an adversary", "publishing instead", "done")


def tell_story() -> None:
    """Print the story: Tables I to III as computed here, and what JS-reduce does."""
    example = running_example()
    with progress_through(_STEPS) as reached:
        reached("reading like an adversary")
        additive, omega = read_printed(example, "additive"), read_printed(example, "omega")
        exact = read_printed(example, "exact")
        reached("publishing instead")
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
    _show(console, _learned(additive, omega, exact))
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
