"""A privacy model of one's own, from the idea to an audit.

    python examples/own_privacy_model.py

The idea: a ward round knows that an *unusual* result says more about a person than a usual one. So
no group may show a result of which the table has only a few, unless it shows it at least twice:
nobody is then the only one of their group with a rare result.
"""

from dataclasses import dataclass

import numpy as np

import seriatim as sr
from seriatim.checks import check_requirement
from seriatim.privacy import Measured, Tally


@dataclass(frozen=True)
class RareInCompany(Measured):
    """Rare values stand at least ``least`` times in a group that shows them.

    The measure is the smallest such count; a group without rare values has nothing to ask for.
    """

    rare: float
    """Up to which share of the table a value is rare."""

    least: int = 2
    """How often it stands in a group that has it."""

    at_least = True
    unit = "tuples"

    @property
    def bound(self):
        """The least count."""
        return self.least

    def measure(self, tally: Tally):
        """Return the smallest count of a rare value that each group shows."""
        shares = tally.view_counts / tally.view_counts.sum()
        counts = tally.value_counts
        asked = (counts > 0) & (shares <= self.rare)
        return np.where(asked, counts, np.iinfo(np.int64).max).min(axis=1).clip(max=self.most)

    @property
    def most(self):
        """What a group without rare values is given: more than enough."""
        return 10 * self.least


def main():
    """Check its laws, publish with it, and see what it did."""
    rare = RareInCompany(rare=0.07)
    check_requirement(rare)
    print(f"{rare} keeps the laws of a requirement.")

    made = sr.clinic(weeks=3, size=300, seed=5)
    reader = sr.Adversary(prior=made.prior, sequence=made.sequence, filtering="joint")
    for requirement in (sr.KAnonymity(k=5), sr.KAnonymity(k=5) & rare):
        policy = sr.Policy(requirement, sr.Mondrian())
        publisher = sr.Publisher(made.schema, policy, reader.anew(), seed=1)
        releases = [publisher.publish(table, at=week) for week, table in enumerate(made.weeks, 1)]
        views = [sr.View.from_table(table, releases[0].schema) for table in made.weeks]
        lost = np.mean([sr.global_certainty_penalty(release) for release in releases])
        print()
        print(f"{requirement}: detail lost {lost:.2f}")
        print(publisher.latest.verdict)
        print(sr.audit(releases, views, {"looking back": sr.Retrospective(reader)}))


if __name__ == "__main__":
    main()
