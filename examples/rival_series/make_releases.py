"""Make the releases beside this file with AnonyPyx, each week for itself.

    python3 -m venv build/anonypyx && build/anonypyx/bin/pip install anonypyx==0.2.11
    build/anonypyx/bin/python examples/rival_series/make_releases.py

AnonyPyx and seriatim need not share an environment: this script imports nothing of ours, and its
outcome is committed. The views are those of ``seriatim simulate --views 8 --size 200 --preset
literature``: made people.
"""

from pathlib import Path

import anonypyx
import pandas as pd

HERE = Path(__file__).parent
K = 5


def main():
    """Make each view k-anonymous as if it were the only one."""
    for source in sorted(HERE.glob("view-*.csv")):
        view = pd.read_csv(source).drop(columns="patient")
        view = view.astype({"gender": "category", "exam_result": "category"})
        anonymiser = anonypyx.Anonymiser(
            view,
            k=K,
            sensitive_column="exam_result",
            feature_columns=["age", "gender", "weight"],
            generalisation_strategy="human-readable",
        )
        released = anonymiser.anonymise()
        released.to_csv(HERE / source.name.replace("view", "release"), index=False)


if __name__ == "__main__":
    main()
