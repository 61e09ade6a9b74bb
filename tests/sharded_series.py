"""A small made series, published in shards, and ways to look at what came of it."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import seriatim as sr
from seriatim.engines.declaration import Series, Sizes

SEED = 7
SHARDS = 5
SIZES = Sizes(shard=400, bucket=2500, part=600)
POLICY = sr.js_reduce(k=5, t=0.7, j=1.2)


@cache
def clinic(weeks=3, size=1500):
    """A clinic's views, drawn once."""
    return sr.clinic(weeks=weeks, size=size, seed=4)


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
    pq.write_table(table, file, row_group_size=400)
    return str(file)


def publish_all(engine, series, tables, folder, *, shards=SHARDS, first=1):
    """Publish some views, and return what came of each."""
    return [
        engine.publish(
            series, source_of(table, folder, f"view-{at}"), at=at, seed=SEED, shards=shards
        )
        for at, table in enumerate(tables, start=first)
    ]


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
