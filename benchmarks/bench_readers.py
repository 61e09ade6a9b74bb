"""Mining a corpus and auditing a series: 24 releases of 5,000 tuples, five readers.

python benchmarks/bench_readers.py
"""

import time

from series import make_series, published

import seriatim as sr


def main() -> None:
    series = make_series(seed=1, views=24, size=5000)
    begin = time.perf_counter()
    mined = sr.mine(series.views, steps=3, respondent="patient", value="exam")
    automaton = mined.automaton(series.automaton.values)
    mining = time.perf_counter() - begin
    print(f"mining 120,000 tuples, 3 steps: {mining:.2f} s ({automaton.n_states:,} states)")

    made = published(series, sr.Policy(sr.KAnonymity(k=5)))
    exact = series.automaton
    readers = {
        "snapshot": sr.Adversary(),
        "paper": sr.Adversary(sequence=exact),
        "paper, mined": sr.Adversary(sequence=automaton),
        "joint": sr.Adversary(sequence=exact, rule="strongest", filtering="joint"),
        "retrospective": sr.Retrospective(sr.Adversary(sequence=exact, rule="strongest")),
    }
    releases, views = [one.release for one in made], [one.view for one in made]
    members = [one.membership for one in made]
    sr.audit(releases[:2], views[:2], readers, memberships=members[:2])  # compiles the kernels
    begin = time.perf_counter()
    findings = sr.audit(releases, views, readers, memberships=members)
    print(f"audit with {len(readers)} readers: {time.perf_counter() - begin:.1f} s")
    for name in readers:
        print(f"  {name}: gain at the last release {findings.of(name)[-1].gain:.3f}")
    begin = time.perf_counter()
    sr.audit(releases[:8], views[:8], {"joint": readers["joint"]})
    took = time.perf_counter() - begin
    print(f"audit of 8 releases by their regions alone, joint reader: {took:.1f} s")


if __name__ == "__main__":
    main()
