"""Alice, Betty, Carol and Doris: two anonymous tables that are not, together.

    python examples/running_example.py

The smallest series there is, with every belief of its reader; then what the policy of the paper
makes of it. ``seriatim example`` tells the same at length.
"""

import seriatim as sr


def main():
    """Attack the tables as they are, then publish them with the reader in mind."""
    example = sr.running_example()
    reader = sr.Adversary(prior=example.prior, sequence=example.sequence, rule="additive")

    print("Two tables, each with as many values in a group as people:")
    for release, membership in zip(example.releases, example.memberships, strict=True):
        belief = reader.observe(release, membership)
        names = membership.roster.respondents.to_pylist()
        for name, row in zip(names, belief.probabilities, strict=True):
            held = [f"{v} {p:.2f}" for v, p in zip(belief.domain, row, strict=True) if p > 0.005]
            print(f"  week {release.at}: {name:6} {', '.join(held)}")

    print("The same people, in groups that this reader cannot take apart:")
    policy = sr.js_reduce(k=2, t=0.6, j=0.1, remainder="merge")
    publisher = sr.Publisher(example.schema, policy, reader.anew(), seed=1)
    for week, table in enumerate(example.tables, start=1):
        release = publisher.publish(table, at=week)
        print(f"  {release}")
    alice = publisher.latest.posterior.of("BCM-pos")[0]
    print(f"  week 2: Alice's marker is believed with {alice:.2f}")


if __name__ == "__main__":
    main()
