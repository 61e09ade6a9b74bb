"""Mondrian against AnonyPyx and anjana, our measures against pyCANON's: k = 10, t = 0.5, one run.

    python benchmarks/bench_rivals.py [--tuples 100000] [--python build/rivals/bin/python] [--json]

Targets: at least 30 × faster than either, alone and with the work of a series on top, and a
global certainty penalty (GCP) no worse. The work of a series: the table is the fifth view, all
its people came four times before, with other values; who had what is read from a store on disk,
revised with 2-step knowledge, held against j = 0.6 too, and the store committed. The rivals do
nothing of that, and get no more than their own one-table job.
Each tool gets a pandas table in memory and gives one back; reading, writing, imports and the
compiling of our kernels are not timed. A rival runs once, in a process of its own, which is
stopped at the time limit; ratios are to the median of our runs just before and after it, for
other work on the machine weighs on both. Every release is then read by ``read_release`` and
measured by our measures, over the same declared domains.

The rivals differ in what they promise and do:

- AnonyPyx offers t-closeness by "max distance", the greatest difference of one value's share:
  it is at most the earth mover's distance, mostly far less, and so asks for less than t-closeness.
  Its GCP is compared with that of our Mondrian under the same, weaker requirement (uncompiled).
  Its earth mover's distance (equal distances, as ours) is refused for numeric quasi-identifiers,
  though nothing in its Mondrian stands in the way: here its classes are also put together by hand.
- anjana recodes globally: a whole column goes up one level of its hierarchy, the one with the
  most values first, until k holds for all but ``--suppression`` percent of the tuples, then until
  t holds for all. Its hierarchies list each value once; its documentation lists each row, which
  is slower.

pyCANON forms no groups, it measures them: it is given our release, and its k and t are set beside
ours, with the time each takes from a table in memory.

Without the rivals there is nothing to compare; they are in the extra ``bench``. The newest anjana
and our own requirements exclude each other, so the extra brings an old one; ``--python`` names an
interpreter of another environment, which needs no seriatim.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

K, T = 10, 0.5
N_VALUES = 19
NUMERIC = {"age": (18, 97), "weight": (40, 119), "zip": (0, 999)}
BANDS = {"age": (5, 10, 20, 40), "weight": (5, 10, 20, 40), "zip": (10, 100)}
RIVALS = {
    "anonypyx-max": "AnonyPyx, max distance",
    "anonypyx-emd": "AnonyPyx, EMD (by hand)",
    "anjana": "anjana",
}
CHECKER = "pycanon"
INSTALL = (
    "python -m pip install -e '.[bench]', or, for the newest anjana, in an environment of their"
    " own:\n    python3 -m venv build/rivals"
    " && build/rivals/bin/pip install anonypyx anjana pycanon\n"
    "    python benchmarks/bench_rivals.py --python build/rivals/bin/python"
)


# The rivals' side: runs in their interpreter, where seriatim need not be.


def rival(name: str, folder: Path, suppression: float) -> None:
    """Run one rival on the table in a folder, and leave its release and its times there."""
    import pandas as pd

    read = "ours.csv" if name == CHECKER else "table.csv"
    table = pd.read_csv(folder / read, dtype={"gender": str, "exam": str})
    if name == CHECKER:
        print("ready", flush=True)
        (folder / f"{name}.json").write_text(json.dumps(pycanon(table)))
        return
    columns = [one for one in table.columns if one not in ("id", "exam")]
    prepared = {
        "anonypyx-max": lambda: anonypyx(table, columns, by_hand=False),
        "anonypyx-emd": lambda: anonypyx(table, columns, by_hand=True),
        "anjana": lambda: anjana(table, columns, suppression),
    }[name]()
    print("ready", flush=True)
    released, times = prepared()
    released.to_csv(folder / f"{name}.csv", index=False)
    (folder / f"{name}.json").write_text(json.dumps(times))


def anonypyx(table, columns, *, by_hand: bool):
    """Return what runs AnonyPyx's Mondrian; by hand with the distance it would refuse."""
    import anonypyx as rival
    from anonypyx import models

    words = ["exam"] + [one for one in columns if one not in NUMERIC]
    table = table.drop(columns="id").astype(dict.fromkeys(words, "category"))
    asked = {"k": K, "sensitive_column": "exam", "feature_columns": columns}
    asked["generalisation_strategy"] = "human-readable"

    def run():
        begin = time.perf_counter()
        made = rival.Anonymiser(table, t=None if by_hand else T, **asked)
        if by_hand:
            distance = models.earth_movers_distance_categorical
            made.parameters.append(models.tCloseness(T, table, "exam", distance))
        groups = made.algorithm.partition(made.parameters)
        formed = time.perf_counter()
        # As ``Anonymiser.anonymise`` does it, in two steps.
        form = made.generalisation_strategy_type.create_for_data(table, columns)
        released = form.generalise(table, groups)
        return released, {"partition": formed - begin, "whole": time.perf_counter() - begin}

    return run


def anjana(table, columns, suppression: float):
    """Return what runs anjana's t-closeness, with hierarchies of nested bands."""
    from anjana.anonymity import t_closeness

    hierarchies = {one: hierarchy(one, sorted(table[one].unique())) for one in columns}

    def run():
        begin = time.perf_counter()
        released = t_closeness(table, ["id"], columns, "exam", K, T, suppression, hierarchies)
        return released.drop(columns="id"), {"whole": time.perf_counter() - begin}

    return run


def pycanon(release) -> dict:
    """Measure k and t of a release with pyCANON."""
    from pycanon.anonymity import k_anonymity, t_closeness

    columns = [one for one in release.columns if one not in ("group", "exam")]
    begin = time.perf_counter()
    k = k_anonymity(release, columns)
    t = t_closeness(release, columns, ["exam"])
    return {"whole": time.perf_counter() - begin, "k": int(k), "t": float(t)}


def hierarchy(name: str, values: list) -> dict:
    """Return the levels of an attribute, each value once: bands in bands, and all."""
    import numpy as np

    levels = [np.array(values)]
    if name in NUMERIC:
        low = NUMERIC[name][0]
        firsts = [(low + (np.array(values) - low) // band * band, band) for band in BANDS[name]]
        levels += [np.array([f"{one}-{one + band - 1}" for one in of]) for of, band in firsts]
    return dict(enumerate([*levels, np.array(["*"] * len(values))]))


# Our side.


def make_table(tuples: int, third: str, seed: int):
    """Draw people: weight goes with gender and age, the exam's result with age."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(seed)
    gender = rng.integers(0, 2, tuples)
    age = np.clip(rng.normal(52, 17, tuples).round(), *NUMERIC["age"]).astype(int)
    middle = 62 + 14 * gender + (age - 52) / 8
    weight = np.clip(rng.normal(middle, 11).round(), *NUMERIC["weight"]).astype(int)
    zips = np.clip(rng.gamma(2.0, 130.0, tuples), *NUMERIC["zip"]).astype(int)
    # Common results and rare ones; older people have more of the later ones.
    rank = np.minimum(rng.geometric(0.13, tuples) - 1 + (age > 60) * rng.integers(0, 5, tuples), 99)
    columns = {"id": np.arange(tuples), "age": age, "weight": weight}
    columns[third] = zips if third == "zip" else np.array(["F", "M"])[gender]
    columns["exam"] = np.array([f"value-{code:02d}" for code in range(N_VALUES)])[rank % N_VALUES]
    return pd.DataFrame(columns)


def schema_of(table):
    """Declare the domains: penalties of all releases are relative to them."""
    import seriatim as sr

    attributes = [
        sr.Numeric(name, *NUMERIC[name]) if name in NUMERIC else sr.Categorical(name, ["F", "M"])
        for name in table.columns[1:-1]
    ]
    values = [f"value-{code:02d}" for code in range(N_VALUES)]
    return sr.Schema("id", attributes, sr.Sensitive("exam", values))


def max_distance():
    """Return AnonyPyx's own t-closeness as a requirement of ours."""
    import numpy as np

    from seriatim.privacy import Measured

    class MaxDistance(Measured):
        bound = T

        def measure(self, tally):
            of_group = tally.value_counts / np.maximum(tally.sizes, 1)[:, None]
            of_view = tally.view_counts / tally.view_counts.sum()
            return np.abs(of_group - of_view).max(axis=1)

    return MaxDistance()


def ours(table, closeness, repeats: int) -> dict:
    """Time the partition alone, and all from table to table; the first turn compiles."""
    import numpy as np

    import seriatim as sr

    schema = schema_of(table)
    policy = sr.Policy(sr.KAnonymity(K) & closeness, sr.Mondrian())
    times = {"partition": [], "whole": []}
    for _ in range(repeats + 1):
        begin = time.perf_counter()
        publisher = sr.Publisher(schema, policy, sr.Adversary(), seed=1)
        released = publisher.publish(table, at=1).to_frame()
        times["whole"].append(time.perf_counter() - begin)
        made = publisher.latest
        ties = np.arange(len(made.view), dtype=np.uint64)
        begin = time.perf_counter()
        policy.partitioner.partition(made.view, made.revised, policy.requirement, ties=ties)
        times["partition"].append(time.perf_counter() - begin)
    runs = {name: found[1:] or found for name, found in times.items()}
    medians = {name: statistics.median(found) for name, found in runs.items()}
    return {**medians, "runs": runs, "release": released, **measured(released, table)}


def before_it(table, seed: int):
    """Give four views of the same people, in whom the exam's result comes and goes."""
    import numpy as np

    rng = np.random.default_rng(seed)
    exams = table["exam"].to_numpy()
    for _ in range(4):
        stays = rng.random(len(table)) < 0.5
        yield table.assign(exam=np.where(stays, exams, rng.permutation(exams)))


def series_of(table, folder: Path, seed: int):
    """Publish four releases; return what publishes the table as the fifth, and tells the time."""
    import numpy as np
    from large_series import contexts_automaton
    from store_files import copy_store

    import seriatim as sr

    schema = schema_of(table)
    known = contexts_automaton(np.random.default_rng(seed), N_VALUES, steps=2)
    values = schema.sensitive.domain
    knowledge = sr.Automaton(values, known.next_value[0], known.next_state)
    before, store = folder / "before.store", folder / "series.store"

    def publish(view, at: int, path: Path):
        with sr.DuckDBStore(path) as kept:
            adversary = sr.Adversary(sequence=knowledge)
            policy = sr.js_reduce(k=K, t=T, j=0.6)
            return sr.Publisher(schema, policy, adversary, store=kept).publish(view, at=at)

    for at, view in enumerate(before_it(table, seed), start=1):
        publish(view, at, before)

    def run(repeats: int) -> list[float]:
        times = []
        for _ in range(repeats):
            copy_store(before, store)
            begin = time.perf_counter()
            publish(table, 5, store).to_frame()
            times.append(time.perf_counter() - begin)
        return times

    return run


def theirs(name: str, folder: Path, asked) -> dict:
    """Run a rival in its own process; say "at least" where the time limit stopped it."""
    command = [asked.python, __file__, "--rival", name, "--folder", str(folder)]
    command += ["--suppression", str(asked.suppression)]
    errors = folder / f"{name}.err"
    with (
        errors.open("w") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        if process.stdout.readline().strip() != "ready":
            process.wait()
            last = (errors.read_text().strip().splitlines() or ["it said nothing"])[-1]
            return {"failed": last}
        begin = time.perf_counter()
        try:
            process.wait(timeout=asked.limit)
        except subprocess.TimeoutExpired:
            process.kill()
            return {"whole": time.perf_counter() - begin, "stopped": True}
    if process.returncode:
        return {"failed": (errors.read_text().strip().splitlines() or ["no message"])[-1]}
    return json.loads((folder / f"{name}.json").read_text())


def measured(source, table) -> dict:
    """Measure a release: what it keeps of k and t, and what it costs."""
    import numpy as np

    import seriatim as sr
    from seriatim.privacy import Tally

    release = sr.read_release(source, schema_of(table), at=1)
    n_values = len(release.schema.sensitive.domain)
    cells = release.group_of * n_values + release.value_codes
    counts = np.bincount(cells, minlength=release.n_groups * n_values).reshape(-1, n_values)
    exams = release.schema.sensitive.domain
    of_view = table["exam"].value_counts().reindex(list(exams), fill_value=0).to_numpy()
    tally = Tally(release.sizes, counts, counts * 0.0, release.sizes * 0.0, of_view)
    penalty, published = sr.global_certainty_penalty(release), len(release) / len(table)
    distances = sr.TCloseness(T).measure(tally)
    return {
        "groups": release.n_groups,
        "k": int(release.sizes.min()),
        "t": float(distances.max()),
        "above_t": int((distances > T + 1e-9).sum()),
        "gcp": penalty,
        "gcp_with_suppressed": penalty * published + (1 - published),
        "suppressed": len(table) - len(release),
    }


def checked(release, table, folder: Path, asked) -> dict:
    """Let pyCANON measure our release, and set its time and figures beside ours."""
    release.to_csv(folder / "ours.csv", index=False)
    times = []
    for _ in range(asked.repeats):
        begin = time.perf_counter()
        own = measured(release, table)
        times.append(time.perf_counter() - begin)
    found = theirs(CHECKER, folder, asked)
    if "failed" in found or "stopped" in found:
        return found
    own = {"whole": statistics.median(times), "k": own["k"], "t": own["t"]}
    return {**found, "ours": own, "ratio": found["whole"] / own["whole"]}


def versions(python: str) -> dict | None:
    """Return the rivals' versions as their interpreter knows them; None where one is missing."""
    names = ["anonypyx", "anjana", "pycanon", "pandas", "numpy"]
    asking = (
        "import json, platform, sys; from importlib.metadata import version;"
        "print(json.dumps({n: version(n) for n in sys.argv[1:]}"
        " | {'python': platform.python_version()}))"
    )
    command = [python, "-c", asking, *names]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if found.returncode else json.loads(found.stdout)


def compare(asked) -> tuple[dict, dict]:
    """Run all on one table and put the ratios beside each other."""
    import seriatim as sr

    table = make_table(asked.tuples, asked.third, asked.seed)
    rivals = asked.only or list(RIVALS)
    times = ours(table, sr.TCloseness(T), asked.repeats)
    release = times.pop("release")
    found = {"seriatim": {"name": "seriatim", **times}}
    if "anonypyx-max" in rivals:
        weaker = ours(table, max_distance(), repeats=0)
        weaker.pop("release")
        found["seriatim-max"] = {"name": "seriatim, max distance", **weaker}
    with tempfile.TemporaryDirectory() as folder:
        table.to_csv(Path(folder) / "table.csv", index=False)
        check = checked(release, table, Path(folder), asked)
        series = series_of(table, Path(folder), asked.seed)
        times["runs"]["series"] = series(asked.repeats)
        for name in rivals:
            run = theirs(name, Path(folder), asked)
            again = ours(table, sr.TCloseness(T), asked.repeats)
            again["runs"]["series"] = series(asked.repeats)
            around = {
                part: statistics.median(times["runs"][part] + again["runs"][part])
                for part in again["runs"]
            }
            if "partition" in run:
                run["partition_ratio"] = run["partition"] / around["partition"]
            if "whole" in run:
                run["ratio"] = run["whole"] / around["whole"]
                run["series_ratio"] = run["whole"] / around["series"]
                run["series"] = around["series"]
            times = again
            if not {"failed", "stopped"} & set(run):
                run |= measured(Path(folder) / f"{name}.csv", table)
            found[name] = {"name": RIVALS[name], **run}
    return found, check


def verdicts(found: dict) -> list[str]:
    """Say plainly whether the targets hold, rival by rival."""
    return [verdict(name, found) for name in RIVALS if name in found]


def verdict(name: str, found: dict) -> str:
    """Say of one rival how fast and how good it is beside ours."""
    one, own = found[name], found["seriatim"]
    if "failed" in one:
        return f"{one['name']}: failed, nothing to compare"
    said = "at least " if "stopped" in one else ""
    said = f"{one['name']}: {said}{one['ratio']:,.0f} × our time from table to table"
    missed = "not shown, the limit is too short" if "stopped" in one else "MISSED"
    said += f" ({'holds' if one['ratio'] >= 30 else missed}: 30 ×),"
    said += f" {one['series_ratio']:,.0f} × with the series' work on top ({one['series']:.2f} s;"
    said += f" {'holds' if one['series_ratio'] >= 30 else missed}: 30 ×)"
    if name == "anonypyx-max":
        own = found["seriatim-max"]
        said += f", {one['whole'] / own['whole']:,.0f} × that of its requirement, uncompiled"
    if "gcp" in one:
        said += f"; its GCP {one['gcp']:.4f}, ours {own['gcp']:.4f}"
        said += " under its requirement" if name == "anonypyx-max" else ""
        said += f" ({'holds' if own['gcp'] <= one['gcp'] else 'MISSED'}: no worse)"
        said += f"; BROKEN k: {one['k']}" if one["k"] < K else ""
        if one["above_t"]:
            said += f"; {one['above_t']:,} of its {one['groups']:,} groups are above t (EMD)"
    return said


def told_check(check: dict) -> str:
    """Say how long pyCANON takes to measure our release, and whether it finds the same."""
    if "ratio" not in check:
        return f"pyCANON: {check.get('failed', 'stopped at the time limit')}, nothing to compare"
    own = check["ours"]
    return (
        f"pyCANON: {check['ratio']:,.0f} × our time to measure k and t of our release;"
        f" it finds {check['k']} and {check['t']:.4f}, ours are {own['k']} and {own['t']:.4f}"
    )


def show(figures: dict) -> None:
    """Print the table, the ratios and what became of the targets."""
    print(
        f"{figures['machine']} (load {figures['load']:.1f} at the start),"
        f" Python {figures['python']}, seriatim {figures['seriatim']}"
    )
    rivals = ", ".join(f"{name} {one}" for name, one in figures["rivals"].items())
    print(f"rivals: {rivals}")
    print(
        f"{figures['tuples']:,} tuples; {', '.join(figures['quasi_identifiers'])};"
        f" {N_VALUES} values; k = {K}, t = {T}; anjana may suppress {figures['suppression']:g} %"
    )
    heads = "partition s  table to table s  groups   k      t    GCP  with suppressed  suppressed"
    print(f"\n{'':24}{heads}")
    for one in figures["found"].values():
        print(f"{one['name']:24}{row(one)}")
    print()
    print("\n".join(figures["verdicts"]))


def row(one: dict) -> str:
    """Write what was found of one tool in columns."""
    if "failed" in one:
        return f"failed: {one['failed']}"
    if "stopped" in one:
        return f"{'':11}  > {one['whole']:14,.0f}  stopped at the time limit"
    partition = f"{one['partition']:11.3f}" if "partition" in one else f"{'-':>11}"
    return (
        f"{partition}  {one['whole']:16.3f}  {one['groups']:6,}  {one['k']:2}  {one['t']:.3f}"
        f"  {one['gcp']:.4f}  {one['gcp_with_suppressed']:15.4f}  {one['suppressed']:10,}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tuples", type=int, default=100_000)
    parser.add_argument("--third", choices=["gender", "zip"], default="gender", help="third QI")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=5, help="runs of ours, for the median")
    parser.add_argument("--limit", type=float, default=600, help="seconds a rival may take")
    parser.add_argument("--suppression", type=float, default=5, help="percent anjana may suppress")
    parser.add_argument("--only", choices=RIVALS, nargs="+", help="these rivals alone")
    parser.add_argument("--python", default=sys.executable, help="interpreter with the rivals")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--rival", choices=[*RIVALS, CHECKER], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.rival:
        rival(asked.rival, asked.folder, asked.suppression)
        return
    rivals = versions(asked.python)
    if rivals is None:
        print(f"AnonyPyx and anjana are not installed here. To compare with them:\n    {INSTALL}")
        return
    from seriatim._version import __version__

    figures = {
        "seriatim": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "load": os.getloadavg()[0],
        "rivals": rivals,
        "tuples": asked.tuples,
        "quasi_identifiers": ["age", "weight", asked.third],
        "suppression": asked.suppression,
    }
    figures["found"], figures["check"] = compare(asked)
    figures["verdicts"] = [*verdicts(figures["found"]), told_check(figures["check"])]
    if asked.json:
        print(json.dumps(figures, indent=2))
    else:
        show(figures)


if __name__ == "__main__":
    main()
