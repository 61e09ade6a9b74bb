"""Standing cells and Mondrian on the views of a study; half of the people are the corpus.

    python validation/real_cells.py FOLDER

The folder is as ``validation/views_of.py`` writes it. Readers mine the half that is not
published. For each setting: detail lost, size, suppression, and mean and greatest gain.
"""

import argparse

import numpy as np

import seriatim as sr
from seriatim.experiments.series import publish_series
from seriatim.experiments.study_setting import StudySetting
from seriatim.inference.readers import named_readers

READERS = ("paper", "joint", "retrospective")
REQUIREMENT = sr.KAnonymity(k=10) & sr.TCloseness(t=0.5) & sr.JSBound(j=0.6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--sizes", nargs="+", type=int, default=[10, 20, 30])
    parser.add_argument("--k", nargs="+", type=int, default=[20, 40, 80])
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    setting = StudySetting(asked.folder, asked.seed)
    policies = {
        f"cells of {size}, {by}, merges {merges}": sr.Policy(
            REQUIREMENT, sr.StandingCells(size, by, merges)
        )
        for size in asked.sizes
        for by in ("first-seen", "current")
        for merges in ("stay", "anew")
    }
    policies |= {f"Mondrian, k={k}": sr.k_anonymity(k) for k in asked.k}
    for name, policy in policies.items():
        report(sr.Technique(name, policy), setting)


def report(technique: sr.Technique, setting: StudySetting) -> None:
    reader = setting.reader("SPM")
    series = publish_series(technique, setting.material(), reader)
    audited = sr.audit(
        series.releases,
        series.views,
        named_readers(READERS, reader),
        memberships=series.memberships,
    )
    told = []
    for name in READERS:
        gains = [row.gain for row in audited.rows if row.reader == name]
        told.append(f"{name} {np.mean(gains):.3f} (at most {max(gains):.3f})")
    lost = max(one.suppressed / len(one.view) for one in series.publications)
    print(
        f"{technique.name:36} GCP {series.penalty:.3f}, size {series.mean_size:.1f}, suppressed at"
        f" most {lost:.2%}; gain: {', '.join(told)}{'; ENDED' if series.failure else ''}",
        flush=True,
    )


if __name__ == "__main__":
    main()
