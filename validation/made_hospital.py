"""What the made hospital's presets are like: individuals, uncertainty, and what readers gain.

    python validation/made_hospital.py [--seeds 20] [--preset paper-like ...]

Individuals: over seeds, at 24 views of 5,000 tuples; the paper has 16,160. Uncertainty: mean
entropy of the next result given the state, in bits. Gain: the paper's reader with n-step
and full knowledge, on a series of groups of at least 5 tuples with 2 different values.
"""

import argparse

import numpy as np

import seriatim as sr
from seriatim.experiments import publish_series
from seriatim.simulate.patients import classes_of
from seriatim.simulate.presets import PRESETS

RELEASES = (1, 4, 8, 16, 24)


def individuals(preset, seeds):
    """Count the people of each seed."""
    return [
        sum(week.newcomers for week in sr.hospital(preset=preset, seed=seed).weeks())
        for seed in range(1, seeds + 1)
    ]


def uncertainty(made):
    """Average the entropy of the next result over exams that are not first ones."""
    states, found = {}, []
    table = sr.entropy(made.sequence.next_value.reshape(-1, len(made.course.values)))
    table = table.reshape(made.sequence.next_value.shape[:2])
    for week in made.weeks():
        kinds = classes_of(week.age, week.gender, week.weight)
        for patient, kind, value in zip(
            week.patient.tolist(), kinds.tolist(), week.value.tolist(), strict=True
        ):
            state = states.get(patient, made.sequence.start)
            if state != made.sequence.start:
                found.append(table[kind, state])
            states[patient] = made.sequence.next_state[state, value]
    return float(np.mean(found))


def gains(made):
    """Return the gain of readers at some releases of a 5-anonymous series."""
    policy = sr.Policy(sr.KAnonymity(k=5) & sr.DistinctLDiversity(l=2))
    material = sr.Material(made.tables, made.schema)
    series = publish_series(sr.Technique("", policy), material, sr.Adversary())
    knowledge = {
        "snapshot": None,
        "1-step": sr.truncate(made.sequence, steps=1),
        "2-step": sr.truncate(made.sequence, steps=2),
        "full": made.sequence,
    }
    findings = sr.audit(
        series.releases,
        series.views,
        {name: sr.Adversary(made.prior, sequence) for name, sequence in knowledge.items()},
        memberships=series.memberships,
    )
    rows = findings.to_frame("mapping")
    return {
        name: [
            float(gain)
            for reader, at, gain in zip(rows["reader"], rows["at"], rows["gain"], strict=True)
            if reader == name and at in RELEASES
        ]
        for name in knowledge
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--preset", nargs="*", default=list(PRESETS), choices=list(PRESETS))
    asked = parser.parse_args()
    for preset in asked.preset:
        counts = individuals(preset, asked.seeds)
        made = sr.hospital(preset=preset)
        print(
            f"{preset}: {np.mean(counts):,.0f} individuals (seeds: {np.std(counts):.0f});", end=""
        )
        print(f" next result {uncertainty(made):.2f} bits; gain at releases {RELEASES}:")
        for name, found in gains(made).items():
            print(f"  {name:9}", *(f"{gain:.2f}" for gain in found))
