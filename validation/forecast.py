"""How good is the forecast of ``seriatim assess``? Many series, made and given, one table.

    python validation/forecast.py [FOLDER ...]

Each series is published with Mondrian, k = 10, every view by itself, and attacked by the
retrospective reader: with exact knowledge on made hospitals, and on the folders of studies
(study.toml with view-01.csv, view-02.csv, ...) half of the people are published and the
others mined. The rule of thumb says that a score from 1 on means a gain of 0.12 or more.
"""

import argparse
from dataclasses import replace

import numpy as np
from scipy.stats import spearmanr

import seriatim as sr
from seriatim.audit.assessment import EXPOSED
from seriatim.experiments.series import publish_series
from seriatim.experiments.study_setting import StudySetting
from seriatim.experiments.techniques import technique
from seriatim.inference.readers import named_readers
from seriatim.simulate.presets import preset_by_name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=21)
    asked = parser.parse_args()
    found = []
    for preset in ("mild", "paper-like", "sharp", "literature"):
        for attendance in (0.3, 0.6, 1.0):
            for views in (4, 8, 16):
                model = replace(preset_by_name(preset), attendance=attendance)
                made = sr.hospital(views=views, size=asked.size, preset=model, seed=asked.seed)
                material = sr.Material(made.tables, made.schema)
                knowledge = sr.Adversary(made.prior, made.sequence)
                name = f"{preset}, attendance {attendance}, {views} views"
                found.append(measured(name, material, knowledge))
    for folder in asked.folders:
        setting = StudySetting(folder, 1)
        found.append(measured(folder, setting.material(), setting.reader("SPM")))
    scores, gains = (np.array(column) for column in zip(*found, strict=True))
    right = (scores >= EXPOSED) == (gains >= 0.12)
    missed = (scores < EXPOSED) & (gains >= 0.12)
    slope = float(scores @ gains / (scores @ scores))
    print(f"{len(found)} series: rank correlation {spearmanr(scores, gains).statistic:.2f}")
    print(
        f"right about 0.12 in {right.mean():.0%}; exposed but not foreseen in {missed.mean():.0%}"
    )
    print(f"gain = {slope:.3f} * score: mean error {np.abs(gains - slope * scores).mean():.3f}")
    best = max(np.unique(scores), key=lambda at: ((scores >= at) == (gains >= 0.12)).mean())
    share = ((scores >= best) == (gains >= 0.12)).mean()
    print(f"the threshold that would have been right most often: {best:.2f} ({share:.0%})")


def measured(name: str, material: sr.Material, knowledge: sr.Adversary) -> tuple[float, float]:
    series = publish_series(technique("k-anonymity"), material, sr.Adversary())
    readers = named_readers(["retrospective"], knowledge)
    audited = sr.audit(series.releases, series.views, readers, memberships=series.memberships)
    gain = float(np.mean([row.gain for row in audited.rows]))
    assessment = sr.assess(series.views)
    print(f"{name:45} score {assessment.score:5.2f}, retrospective gain {gain:.3f}", flush=True)
    return assessment.score, gain


if __name__ == "__main__":
    main()
