"""How far each posterior rule is from the exact one, against group size and knowledge.

    python validation/rule_errors.py [--picture docs/pictures/rule-errors.svg]

Groups of k respondents over ten values; each respondent's prior is drawn from a Dirichlet
distribution (sharp, middling or flat), its value from the prior. The error is the mean
absolute difference to the exact posterior, over the values that the group publishes.
"""

import argparse
from pathlib import Path

import altair as alt
import numpy as np

import seriatim as sr

RULES = ("additive", "omega", "sinkhorn", "bethe")
KNOWLEDGE = {"sharp": 0.3, "middling": 1.0, "flat": 3.0}
SIZES = (2, 3, 4, 5, 6, 8, 10, 12)
VALUES = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--groups", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    rows = []
    for knowledge, sharpness in KNOWLEDGE.items():
        print(f"\n{knowledge:9}  " + "  ".join(f"{rule:>8}" for rule in RULES) + "  omega / bethe")
        for size in SIZES:
            rng = np.random.default_rng((asked.seed, size, VALUES))
            errors = mean_errors(rng, size, sharpness, asked.groups)
            figures = "  ".join(f"{errors[rule]:8.4f}" for rule in RULES)
            print(f"k = {size:<5}  {figures}  {errors['omega'] / errors['bethe']:13.1f}")
            rows += [
                {"knowledge": knowledge, "k": size, "rule": rule, "error": errors[rule]}
                for rule in RULES
            ]
    if asked.picture:
        asked.picture.parent.mkdir(parents=True, exist_ok=True)
        draw(rows).save(asked.picture)
        print(f"\n{asked.picture} written")


def mean_errors(
    rng: np.random.Generator, size: int, sharpness: float, groups: int
) -> dict[str, float]:
    """Draw groups, and return each rule's mean error against the exact rule."""
    errors = dict.fromkeys(RULES, 0.0)
    for _ in range(groups):
        prior = rng.dirichlet(np.full(VALUES, sharpness), size)
        values = np.array([rng.choice(VALUES, p=row) for row in prior])
        exact = sr.posterior(prior, values, "exact")
        for rule in RULES:
            apart = np.abs(sr.posterior(prior, values, rule) - exact)
            errors[rule] += apart[:, np.unique(values)].mean() / groups
    return errors


def draw(rows: list[dict[str, object]]) -> alt.Chart:
    """Draw a panel for each kind of knowledge, a line for each rule."""
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("k:Q", title="respondents in the group (k)"),
            y=alt.Y("error:Q", title="mean error against Exact"),
            color=alt.Color("rule:N", sort=list(RULES), title="rule"),
            column=alt.Column("knowledge:N", sort=list(KNOWLEDGE), title="knowledge"),
        )
        .properties(width=190, height=200)
    )


if __name__ == "__main__":
    main()
