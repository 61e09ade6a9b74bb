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


def report(name: str, policy: sr.Policy, made: sr.Hospital, knowledge: sr.Adversary):
    publisher = sr.Publisher(made.schema, policy, knowledge, seed=1)
    latest, seconds, ended = [], [], ""
    for at, table in enumerate(made.tables, start=1):
        begin = time.perf_counter()
        try:
            publisher.publish(table, at=at)
        except sr.UnsatisfiableError:
            ended = f", ENDED at {at}"
            break
        seconds.append(time.perf_counter() - begin)
        latest.append(publisher.latest)
    audited = sr.audit(
        [one.release for one in latest],
        [one.view for one in latest],
        named_readers(READERS, knowledge),
        memberships=[one.membership for one in latest],
    )
    gains = {
        reader: max(row.gain for row in audited.rows if row.reader == reader) for reader in READERS
    }
    penalty = np.mean([sr.global_certainty_penalty(one.release) for one in latest])
    size = np.mean([len(one.release) / one.release.n_groups for one in latest])
    suppressed = max(one.suppressed / len(one.view) for one in latest)
    told = ", ".join(f"{reader} {gain:.3f}" for reader, gain in gains.items())
    print(
        f"  {name:11} GCP {penalty:.4f}, mean size {size:.1f}, suppressed at most {suppressed:.2%};"
        f" greatest gain: {told}; {1000 * np.median(seconds):.0f} ms a release{ended}",
        flush=True,
    )
    return float(size), float(penalty)


if __name__ == "__main__":
    main()
