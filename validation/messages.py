"""How near do messages come to whoever weighs every world? By passes, on the golden cases.

    python validation/messages.py [--passes 0 1 2 3 4]

Mean absolute error and, in bits, what is lost by taking these beliefs for the exact ones
(the mean divergence of the exact belief from them).
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

import seriatim as sr

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))


def main() -> None:
    import plain_series

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passes", nargs="*", type=int, default=[0, 1, 2, 3, 4])
    asked = parser.parse_args()
    cases = json.loads((TESTS / "data" / "golden" / "worlds.json").read_text())["cases"]
    for passes in asked.passes:
        errors, losses = [], []
        for case in cases:
            releases = [
                [(one["members"], one["values"]) for one in groups] for groups in case["releases"]
            ]
            made, memberships = plain_series.published(releases, case["values"])
            reader = plain_series.reader(case["prior"], case["transition"])
            beliefs = sr.Retrospective(reader, passes).read(made, memberships)
            found = np.concatenate(plain_series.in_order(releases, memberships, beliefs))
            exact = np.concatenate([np.array(one) for one in case["believed_after_all"]])
            errors.append(np.abs(found - exact).mean())
            ratio = np.where(exact > 0, exact, 1) / np.where(exact > 0, np.maximum(found, 1e-15), 1)
            losses.append((exact * np.log2(ratio)).sum(axis=1).mean())
        print(f"{passes} passes: error {np.mean(errors):.4f}, lost {np.mean(losses):.4f} bits")


if __name__ == "__main__":
    main()
