"""A small made series, published in shards, and ways to look at what came of it."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seriatim as sr
from seriatim.engines.declaration import Series, Sizes
from seriatim.engines.local.engine import LocalEngine
from seriatim.errors import OrderError

SEED = 7
SHARDS = 3
SIZES = Sizes(shard=200, bucket=1250, part=300)
POLICY = sr.js_reduce(k=5, t=0.7, j=1.2)
STRICT = sr.js_reduce(k=5, t=0.42, j=0.3)
"""A policy that the clinic's third view meets in part: shards leave some over, and groups fall."""


def standing(by="first-seen", merges="stay"):
    """A policy of standing cells."""
    requirement = sr.KAnonymity(5) & sr.TCloseness(0.7) & sr.JSBound(0.8)
    return sr.Policy(requirement, sr.StandingCells(10, by, merges))


@cache
def clinic():
    """A clinic's views, drawn once."""
    return sr.clinic(weeks=3, size=750, seed=5)


def declared_schema(made):
    """The clinic's schema with declared domains."""
    zips = sorted({zip_code for week in made.weeks for zip_code in week.column("zip").to_pylist()})
    return sr.Schema(
        "patient",
        [
            sr.Numeric("age", 18, 95),
            sr.Categorical("gender", ["F", "M"]),
            sr.Hierarchical("zip", mask="prefix", values=zips),
        ],
        sr.Sensitive("exam", made.schema.sensitive.domain),
    )


def series_in(folder, made, **changed):
    """A series that lives in a folder."""
    declared = {
        "folder": str(folder / "series"),
        "output": str(folder / "releases"),
        "schema": declared_schema(made),
        "policy": POLICY,
        "reader": sr.Adversary(sequence=made.sequence),
        "texts": ("zip",),
    }
    return Series(**declared | changed)


def source_of(table, folder, name="view"):
    """A view as the engine reads it: a Parquet file, which both do."""
    file = Path(folder) / f"{name}.parquet"
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, file, row_group_size=200)
    return str(file)


def publish_all(engine, series, tables, folder, *, first=1, **asked):
    """Publish some views, and return what came of each."""
    asked = {"seed": SEED, "shards": SHARDS} | asked
    return [
        engine.publish(series, source_of(table, folder, f"view-{at}"), at=at, **asked)
        for at, table in enumerate(tables, start=first)
    ]


def strict_series(folder):
    """The clinic's series under the strict policy, in a folder."""
    return series_in(folder, clinic(), policy=STRICT)


def reference(folder):
    """Three releases of the local engine, the third with suppressed tuples; what came of each."""
    series = strict_series(folder)
    return series, publish_all(LocalEngine(sizes=SIZES), series, clinic().weeks, folder / "views")


def readers_of(made):
    """Readers of two kinds."""
    return {
        "paper": sr.Adversary(sequence=made.sequence),
        "joint": sr.Adversary(sequence=made.sequence, rule="strongest", filtering="joint"),
    }


def by_the_publisher(folder, policy, reader, tables):
    """Publish on one machine, without shards; yield each release and what is known of it."""
    with sr.DuckDBStore(folder / "store.store") as store:
        publisher = sr.Publisher(declared_schema(clinic()), policy, reader, store=store, seed=SEED)
        for at, table in enumerate(tables, start=1):
            yield publisher.publish(table, at=at), publisher.latest


def require_whole_or_absent(engine, folder, other, *, committed):
    """Require that a third release that was interrupted exists whole or not at all.

    Published again, or found by the next run, it must be that of ``other``.
    """
    series, week = strict_series(folder), clinic().weeks[2]
    assert len(last_manifest(series)["entries"]) == (3 if committed else 2)
    assert [path.name for path in sorted((folder / "releases").glob("release-*"))] == [
        f"release-000{number}{ending}" for number in (1, 2) for ending in ("", ".certificate.json")
    ]
    if committed:
        with pytest.raises(OrderError, match="published before, as release 3"):
            publish_all(engine, series, [week], folder, first=4)
    else:
        publish_all(engine, series, [week], folder, first=3)
    assert not list((folder / "releases" / ".pending").glob("*"))
    assert not list((folder / "series").glob("work-*"))
    assert release_table(series, 3).equals(release_table(other, 3))
    assert records_of(series) == records_of(other)
    kept = {path.name for path in (folder / "series" / "pasts").iterdir()}
    assert kept == set(last_manifest(series)["pasts"])


def release_table(series, number):
    """The rows of a release, file by file."""
    files = sorted((Path(series.output) / f"release-{number:04}").glob("*.parquet"))
    return pa.concat_tables([pq.read_table(file) for file in files])


def groups_of(table):
    """What a table publishes, whatever the numbers and the order of its groups."""
    rows = table.select(["group", "age", "gender", "zip", "exam"]).to_pylist()
    found = {}
    for row in rows:
        found.setdefault(row["group"], []).append(row)
    return sorted(
        (group[0]["age"], group[0]["gender"], group[0]["zip"], sorted(one["exam"] for one in group))
        for group in found.values()
    )


def records_of(series):
    """The newest record of each person, by hash."""
    manifest = last_manifest(series)
    found = {}
    for name in manifest["pasts"]:
        folder = Path(series.folder) / "pasts" / name
        for file in sorted(folder.rglob("*.parquet")):
            for row in pq.read_table(file, partitioning=None).to_pylist():
                who = (row["who_1"], row["who_2"])
                if who not in found or found[who]["version"] < row["version"]:
                    found[who] = row
    return found


def last_manifest(series):
    """The manifest that counts."""
    files = sorted(Path(series.folder).glob("manifest-*.json"))
    return json.loads(files[-1].read_text())


def figures(certificate):
    """A certificate without what differs between writers of Parquet."""
    return {name: told for name, told in certificate.items() if name not in ("files", "previous")}


def in_another_order(table, seed=1):
    """The same rows, shuffled."""
    return table.take(pa.array(np.random.default_rng(seed).permutation(table.num_rows)))


def require_files_as_promised(files, folder):
    """Require that small files are written whole, listed, renamed and removed."""
    files.write_new(f"{folder}/a/one.json", b"content \x00\xff")
    assert files.read(f"{folder}/a/one.json") == b"content \x00\xff"
    with pytest.raises(OrderError, match=r"one\.json is there already"):
        files.write_new(f"{folder}/a/one.json", b"other")
    assert files.read(f"{folder}/a/one.json") == b"content \x00\xff"
    files.rename(f"{folder}/a", f"{folder}/b/c")
    shown = [name for name in files.names(f"{folder}/b/c") if not name.endswith(".crc")]
    assert (shown, files.names(f"{folder}/a")) == (["one.json"], [])
    files.remove(f"{folder}/b")
    files.remove(f"{folder}/b")
    assert files.names(f"{folder}/b") == []
