"""Attack a series that another tool made: eight weekly tables by AnonyPyx, k = 5 each.

    python examples/audit_rival.py

The tables in ``rival_series/`` are a real run (``make_releases.py`` there). Each of them is
5-anonymous. What do all of them tell a reader who knows the course of the diseases? And what
would it have taken to prevent it? In weeks of 200 people whose values hardly change: a lot.
"""

from pathlib import Path

import seriatim as sr

SERIES = Path(__file__).parent / "rival_series"


def main():
    """Read, attack, explain."""
    made = sr.hospital(views=8, size=200, preset="literature", seed=1)
    released = [sr.open_table(file) for file in sorted(SERIES.glob("release-*.csv"))]
    originals = [sr.open_table(file) for file in sorted(SERIES.glob("view-*.csv"))]
    history = sr.read_history(released, made.schema)
    views = [sr.View.from_table(table, history[0].schema) for table in originals]

    knowledge = sr.Adversary(prior=made.prior, sequence=made.sequence, rule="strongest")
    readers = {
        "each table alone": sr.Adversary(prior=made.prior),
        "paper's": sr.Adversary(prior=made.prior, sequence=made.sequence),
        "looking back": sr.Retrospective(knowledge),
    }
    findings = sr.audit(history, views, readers)
    print("Eight tables by AnonyPyx, each 5-anonymous:")
    print(findings)
    print()
    print("One of the worst cases:")
    print(findings.explain(findings.at_risk("looking back", 1)[0]))
    print()
    print("The same weeks in cells that stand for the series:")
    for size in (10, 20, 40):
        policy = sr.Policy(sr.KAnonymity(k=5), sr.StandingCells(size=size), remainder="merge")
        publisher = sr.Publisher(made.schema, policy, knowledge.anew(), seed=1)
        ours = [publisher.publish(table, at=week) for week, table in enumerate(originals, 1)]
        found = sr.audit(ours, views, {"looking back": sr.Retrospective(knowledge)})
        told = found.at_risk("looking back", 1)[0]
        print(f"cells of {size}: detail lost {lost(ours):.2f}, most known {told.belief:.2f}")
        print(found)
    print(f"Detail lost in the tables by AnonyPyx: {lost(history):.2f}.")


def lost(releases):
    """Return the detail lost (GCP), the mean over releases."""
    return sum(sr.global_certainty_penalty(release) for release in releases) / len(releases)


if __name__ == "__main__":
    main()
