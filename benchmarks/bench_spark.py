"""The third release of a large series: the local engine, and Spark with one and two executors.

    python benchmarks/bench_spark.py [--tuples 5000000] [--memory 2048] [--json FILE]

Views are Parquet. The first two releases are made once, by the local engine; each measured run
publishes the third on a copy of the series, so that all do the same work. Runs on Spark are
``local-cluster[N,1,MEMORY]``: executors are processes of their own, with so many MB. A small
release warms executors up before the clock starts; starting Spark is told apart. Bytes of
shuffles come from Spark's own counters. Processor time, of executors too, tells the work where a
shared machine makes wall time a matter of luck.
"""

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import time
import urllib.request
from dataclasses import replace
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet as pq
from large_series import write_series

from seriatim.engines.declaration import Sizes
from seriatim.engines.local.engine import LocalEngine
from seriatim.engines.of_study import series_of
from seriatim.publish.study import Study

SEED = 1


def prepared(folder, tuples, releases=3):
    """Write the views as Parquet, and publish all but the last."""
    views = write_series(folder, tuples=tuples, releases=releases, n_values=19, t=0.5, j=0.8)
    files = []
    for view in views:
        file = view.with_suffix(".parquet")
        if not file.exists():
            table = pyarrow.csv.read_csv(view)
            pq.write_table(table, file, row_group_size=250_000)
        files.append(file)
    study = Study.read(folder)
    series = series_of(study)
    done = len(list(Path(series.folder).glob("manifest-*.json")))
    for at, file in enumerate(files[:-1], start=1):
        if at > done:
            LocalEngine().publish(series, str(file), at=at, seed=SEED)
    return study, files


def on_a_copy(study, name):
    """Return a copy of the series to publish on."""
    series = series_of(study)
    place = study.folder / name
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(series.folder, place / "series")
    return replace(series, folder=str(place / "series"), output=str(place / "releases"))


class Clock:
    """Notes when each step begins."""

    def __init__(self):
        self.steps = []

    def __call__(self, step):
        self.steps.append((step, time.perf_counter()))

    def seconds(self):
        found = {}
        for (step, begin), (_, end) in zip(self.steps, self.steps[1:], strict=False):
            found[step] = round(end - begin, 2)
        return found


def cpu_seconds():
    """Return the processor time of this process and of all below it: executors are among them."""
    tree = {os.getpid()}
    found = {}
    for one in Path("/proc").iterdir():
        if one.name.isdigit():
            try:
                rest = (one / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            found[int(one.name)] = (int(rest[1]), sum(map(int, rest[11:15])))
    while more := {pid for pid, (parent, _) in found.items() if parent in tree} - tree:
        tree |= more
    total = sum(found[pid][1] for pid in tree if pid in found)
    return total / os.sysconf("SC_CLK_TCK")


def run(engine, clock, series, view, at):
    clock.steps.clear()
    used, begin = cpu_seconds(), time.perf_counter()
    outcome = engine.publish(series, str(view), at=at, seed=SEED)
    seconds, used = time.perf_counter() - begin, cpu_seconds() - used
    told = outcome.certificate
    return {
        "seconds": round(seconds, 1),
        "tuples a second": round(told["tuples"] / seconds),
        "processor seconds": round(used, 1),
        "tuples a second of one core": round(told["tuples"] / used),
        "steps": clock.seconds(),
        "shards": told["made by"]["shards"],
        "groups": told["groups"],
        "suppressed": told["suppressed"],
        "gain": told["simulated reader"]["mean gain"],
        "a worker's peak MB": outcome.memory,
    }


def shuffled(session):
    """Return bytes that stages wrote to shuffles, read from them and spilled, so far."""
    address = session.sparkContext.uiWebUrl
    url = f"{address}/api/v1/applications/{session.sparkContext.applicationId}/stages"
    stages = json.load(urllib.request.urlopen(url))
    names = ("shuffleWriteBytes", "shuffleReadBytes", "diskBytesSpilled", "outputBytes")
    return {name: sum(stage[name] for stage in stages) for name in names}


def on_spark(study, views, small, executors, memory):
    from seriatim.engines.spark.engine import SparkEngine
    from seriatim.engines.spark.session import spark_session

    begin = time.perf_counter()
    settings = {"spark.ui.enabled": "true", "spark.ui.port": "0", "spark.driver.memory": "1g"}
    with spark_session(f"local-cluster[{executors},1,{memory}]", settings) as session:
        started = time.perf_counter() - begin
        clock = Clock()
        engine = SparkEngine(session, sizes=Sizes(), progress=clock)
        warm = on_a_copy(small[0], f"warm-{executors}")
        engine.publish(warm, str(small[1][-1]), at=3, seed=SEED)
        before = shuffled(session)
        series = on_a_copy(study, f"spark-{executors}")
        found = run(engine, clock, series, views[-1], 3)
        after = shuffled(session)
        found["spark started in"] = round(started, 1)
        found["bytes"] = {name: after[name] - before[name] for name in after}
        found["executors"] = (
            len(session.sparkContext._jsc.sc().statusTracker().getExecutorInfos()) - 1
        )
        found["driver's peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return found


def measured(given, study, views, small):
    """Measure one of the runs, in this process."""
    load = os.getloadavg()[0]
    if given.run == "local":
        clock = Clock()
        engine = LocalEngine(progress=clock)
        engine.publish(on_a_copy(small[0], "warm-local"), str(small[1][-1]), at=3, seed=SEED)
        found = run(engine, clock, on_a_copy(study, "local"), views[-1], 3)
    else:
        executors = {"one": 1, "two": 2}[given.run]
        found = on_spark(study, views, small, executors, given.memory)
    return found | {"load before": load, "load after": os.getloadavg()[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tuples", type=int, default=5_000_000)
    parser.add_argument("--memory", type=int, default=2048)
    parser.add_argument("--folder", type=Path, default=Path("build/bench-spark"))
    parser.add_argument("--only", choices=("local", "one", "two"), action="append")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--run", choices=("local", "one", "two"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    wanted = given.only or ["local", "two", "one"]
    small = prepared(given.folder / "small", 20_000)
    study, views = prepared(given.folder / f"{given.tuples}", given.tuples)
    if given.run:
        given.json.write_text(json.dumps(measured(given, study, views, small)))
        return
    found = {"tuples": given.tuples, "cores": os.cpu_count(), "python": platform.python_version()}
    for name in wanted:
        # Each in a process of its own: memory is its own, and Spark starts anew.
        made = given.folder / f"{name}.json"
        command = [sys.executable, __file__, "--run", name, "--json", str(made)]
        command += ["--folder", str(given.folder), "--tuples", str(given.tuples)]
        subprocess.run([*command, "--memory", str(given.memory)], check=True)
        found[name] = json.loads(made.read_text())
        print(json.dumps({name: found[name]}, indent=1), flush=True)
    if {"one", "two"} <= set(found):
        found["one executor against two"] = round(
            found["one"]["seconds"] / found["two"]["seconds"], 2
        )
    series = Path(series_of(study).folder)
    stored = sum(file.stat().st_size for file in (series / "pasts").rglob("*.parquet"))
    manifests = sorted(series.glob("manifest-*.json"))
    records = json.loads(manifests[-1].read_text())["records"]
    found["bytes of a record"] = round(stored / records, 1)
    print(json.dumps(found, indent=1))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
