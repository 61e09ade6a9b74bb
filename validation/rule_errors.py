"""How far each posterior rule is from the exact one: mean absolute error, groups of eight.

python validation/rule_errors.py
"""

import numpy as np

import seriatim as sr

RULES = ("additive", "omega", "sinkhorn", "bethe")


def main() -> None:
    rng = np.random.default_rng(0)
    print("knowledge  " + "  ".join(f"{rule:>8}" for rule in RULES) + "  omega / bethe")
    for name, sharpness in (("sharp", 0.3), ("middling", 1.0), ("flat", 3.0)):
        errors = dict.fromkeys(RULES, 0.0)
        for _ in range(200):
            prior = rng.dirichlet(np.full(10, sharpness), 8)
            values = np.array([rng.choice(10, p=row) for row in prior])
            exact = sr.posterior(prior, values, "exact")
            for rule in RULES:
                apart = np.abs(sr.posterior(prior, values, rule) - exact)
                errors[rule] += apart[:, np.unique(values)].mean() / 200
        figures = "  ".join(f"{errors[rule]:8.4f}" for rule in RULES)
        print(f"{name:9}  {figures}  {errors['omega'] / errors['bethe']:13.1f}")


if __name__ == "__main__":
    main()
