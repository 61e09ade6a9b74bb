"""Is a rehearsed promise kept? Rehearse on the first roster, publish held-out series, attack.

    python validation/standing_cells.py --preset paper-like --seeds 11 12 13

For each held-out seed of a made hospital: the rehearsal sees the exact knowledge and the
first week's quasi-identifiers; what it recommends is published for all weeks, and every
reader attacks. Beside it: Mondrian with groups of the same mean size, and HilbertGreedy at
the same requirements.
"""

import argparse
import time

import numpy as np

import seriatim as sr
from seriatim.experiments import publish_series
from seriatim.inference.readers import named_readers
from seriatim.publish.rehearsal import rehearse
from seriatim.publish.series_plan import SeriesPlan

REQUIREMENT = sr.KAnonymity(k=10) & sr.TCloseness(t=0.5) & sr.JSBound(j=0.6)
READERS = ("paper", "joint", "retrospective")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="paper-like")
    parser.add_argument("--seeds", nargs="+", type=int, default=[11, 12, 13])
    parser.add_argument("--views", type=int, default=24)
    parser.add_argument("--size", type=int, default=5000)
    parser.add_argument("--target", type=float, default=0.12)
    parser.add_argument("--histories", type=int, default=2)
    asked = parser.parse_args()
    for seed in asked.seeds:
        made = sr.hospital(views=asked.views, size=asked.size, preset=asked.preset, seed=seed)
        knowledge = sr.Adversary(made.prior, made.sequence)
        begin = time.perf_counter()
        found = rehearse(
            sr.Policy(REQUIREMENT),
            knowledge,
            [made.views[0].roster],
            SeriesPlan(releases=asked.views, target=asked.target),
            histories=asked.histories,
        )
        took = time.perf_counter() - begin
        best = found.recommended
        print(f"{asked.preset}, seed {seed}: rehearsed {took:.0f} s, recommends {best}", flush=True)
        report("greedy", sr.Policy(REQUIREMENT), made, knowledge)
        if best is None:
            continue
        size, penalty = report("cells", best.policy(sr.Policy(REQUIREMENT)), made, knowledge)
        below, above = matched(made, size)
        one, two = (report(f"mondrian {k}", rival(k), made, knowledge) for k in (below, above))
        rivals = np.interp(size, *zip(one, two, strict=True))
        print(f"  Mondrian at size {size:.1f}: GCP {rivals:.4f}; cells {penalty / rivals - 1:+.1%}")


def rival(k: int) -> sr.Policy:
    return sr.k_anonymity(k, t=0.5)


def matched(made: sr.Hospital, size: float) -> tuple[int, int]:
    """Return two k with which Mondrian's groups are smaller and larger than a mean size."""
    k = 10
    while True:
        publisher = sr.Publisher(made.schema, rival(k), sr.Adversary())
        release = publisher.publish(made.tables[0], at=1)
        if len(release) / release.n_groups >= size:
            return max(k - 1, 2), k
        k += 1


def report(
    name: str, policy: sr.Policy, made: sr.Hospital, knowledge: sr.Adversary
) -> tuple[float, float]:
    """Publish and attack a series, tell what came of it, and return mean size and detail lost."""
    series = publish_series(
        sr.Technique(name, policy), sr.Material(made.tables, made.schema), knowledge
    )
    audited = sr.audit(
        series.releases,
        series.views,
        named_readers(READERS, knowledge),
        memberships=series.memberships,
    )
    gains = {
        reader: max(row.gain for row in audited.rows if row.reader == reader) for reader in READERS
    }
    size = float(np.mean([len(one) / one.n_groups for one in series.releases]))
    suppressed = max(one.suppressed / len(one.view) for one in series.publications)
    ended = f", ENDED after {len(series.releases)}" if series.failure else ""
    told = ", ".join(f"{reader} {gain:.3f}" for reader, gain in gains.items())
    print(
        f"  {name:11} GCP {series.penalty:.4f}, mean size {size:.1f}, suppressed at most"
        f" {suppressed:.2%}; greatest gain: {told};"
        f" {1000 * np.median(series.seconds):.0f} ms a release{ended}",
        flush=True,
    )
    return size, series.penalty


if __name__ == "__main__":
    main()
