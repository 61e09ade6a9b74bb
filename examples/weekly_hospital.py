"""A hospital's weeks in Python: rehearse, publish, audit.

    python examples/weekly_hospital.py

What the tutorial does at the command line, by the library, with a store in a file: the publisher
is made anew for each week, as a weekly job would.
"""

import tempfile
from pathlib import Path

import seriatim as sr

WEEKS = 4
TARGET = 0.12


def main():
    """Play the series before it is published, publish it, and see what readers learn."""
    made = sr.hospital(views=WEEKS, size=500, preset="mild", seed=3)
    tables = made.tables
    requirement = sr.KAnonymity(k=10) & sr.TCloseness(t=0.5) & sr.JSBound(j=0.6)
    reader = sr.Adversary(
        prior=made.prior, sequence=made.sequence, rule="strongest", filtering="joint"
    )

    policy = sr.Policy(requirement, sr.StandingCells(size=20), remainder="merge")
    roster = sr.Roster.from_table(tables[0], made.schema)
    plan = sr.SeriesPlan(releases=WEEKS, target=TARGET)
    rehearsal = sr.rehearse(policy, reader, [roster], plan, sizes=(20, 30, 40), histories=1)
    for trial in rehearsal.trials:
        verdict = "holds" if trial.holds(plan) else ""
        print(
            f"{trial.cells}, k = {trial.k}: gain {trial.gain:.3f}, detail lost"
            f" {trial.penalty:.2f} {verdict}"
        )
    policy = rehearsal.recommended.policy(policy)
    print(f"Recommended: {rehearsal.recommended.cells}")

    with tempfile.TemporaryDirectory() as folder:
        releases = []
        for week, table in enumerate(tables, start=1):
            with sr.DuckDBStore(Path(folder) / "series.store") as store:
                publisher = sr.Publisher(made.schema, policy, reader, store=store)
                releases.append(publisher.publish(table, at=week))
                print(releases[-1], f"detail lost {sr.global_certainty_penalty(releases[-1]):.2f}")

    views = [sr.View.from_table(table, releases[0].schema) for table in tables]
    readers = {"joint": reader, "looking back": sr.Retrospective(reader)}
    print(sr.audit(releases, views, readers))


if __name__ == "__main__":
    main()
