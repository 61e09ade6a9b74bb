"""Is a rehearsed promise kept on real series? Half of the people are published, half the corpus.

    python validation/real_cells.py FOLDER [FOLDER ...]

A folder is as ``validation/views_of.py`` writes it. Readers mine the half that is not
published. The rehearsal is shown that knowledge and the first rosters of the published half, and
what it recommends is published and attacked by every reader. Beside it: Mondrian with the
smallest groups whose releases lose no less detail.
"""

import argparse
import time

import numpy as np

import seriatim as sr
from seriatim.experiments.series import publish_series
from seriatim.experiments.study_setting import StudySetting
from seriatim.inference.readers import named_readers
from seriatim.microdata.roster import Roster
from seriatim.publish.rehearsal import rehearse
from seriatim.publish.series_plan import SeriesPlan

READERS = ("paper", "joint", "retrospective")
REQUIREMENT = sr.KAnonymity(k=10) & sr.TCloseness(t=0.5) & sr.JSBound(j=0.6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--target", type=float, default=0.12)
    parser.add_argument("--histories", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sizes", nargs="*", type=int, default=[])
    asked = parser.parse_args()
    for folder in asked.folders:
        setting = StudySetting(folder, asked.seed)
        material, reader = setting.material(), setting.reader("SPM")
        begin = time.perf_counter()
        found = rehearse(
            sr.Policy(REQUIREMENT),
            reader,
            [Roster.from_table(table, material.schema) for table in material.views[:4]],
            SeriesPlan(releases=len(material.views), target=asked.target),
            histories=asked.histories,
            sizes=asked.sizes,
        )
        took = time.perf_counter() - begin
        best = found.recommended
        print(f"{setting.name}: rehearsed {took:.0f} s, recommends {best}", flush=True)
        if best is None:
            for trial in found.trials:
                print(f"  {trial}")
            continue
        policy = best.policy(sr.Policy(REQUIREMENT))
        penalty = report(sr.Technique("cells", policy), setting)
        report(rival(setting, penalty), setting)


def rival(setting: StudySetting, penalty: float) -> sr.Technique:
    """Return Mondrian with the smallest groups that lose no less detail."""
    for k in [*range(10, 40, 2), *range(40, 100, 5), *range(100, 400, 20)]:
        technique = sr.Technique(f"Mondrian, k={k}", sr.k_anonymity(k))
        series = publish_series(technique, setting.material(), sr.Adversary())
        if series.penalty >= penalty:
            return technique
    return technique


def report(technique: sr.Technique, setting: StudySetting) -> float:
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
        f"  {technique.name:16} GCP {series.penalty:.3f}, size {series.mean_size:.1f}, suppressed"
        f" at most {lost:.2%}; gain: {', '.join(told)}{'; ENDED' if series.failure else ''}",
        flush=True,
    )
    return series.penalty


if __name__ == "__main__":
    main()
