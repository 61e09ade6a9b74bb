"""Insensitive columns are published only when named, row by row, and their order tells nothing."""

import numpy as np
import pytest

import seriatim as sr
from seriatim.publish import DuckDBStore
from studies import week, write_study

SCHEMA = sr.Schema(
    "who", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", ("a", "b")), insensitive=["unit"]
)


def table(order=slice(None)):
    rng = np.random.default_rng(3)
    people = {
        "who": np.arange(40),
        "age": rng.integers(0, 100, 40),
        "exam": rng.choice(["a", "b"], 40),
        "unit": rng.choice(["mg", "ml", "g"], 40),
        "note": np.arange(40) + 7000,
    }
    return {name: column[order].tolist() for name, column in people.items()}


def publish(rows, store=None):
    policy = sr.Policy(sr.KAnonymity(k=4), remainder="merge")
    return sr.Publisher(SCHEMA, policy, sr.Adversary(), store=store, seed=1).publish(rows, at=1)


def test_insensitive_column__goes_with_its_tuple():
    rows = table()
    release = publish(rows).to_arrow()
    assert release.column_names == ["group", "age", "exam", "unit"]
    published = sorted(zip(release["exam"].to_pylist(), release["unit"].to_pylist(), strict=True))
    assert published == sorted(zip(rows["exam"], rows["unit"], strict=True))


def test_insensitive_column__does_not_bring_back_the_order_of_the_rows():
    shuffled = np.random.default_rng(5).permutation(40)
    assert publish(table()).to_arrow().equals(publish(table(shuffled)).to_arrow())


def test_insensitive_column__is_kept_in_a_store(tmp_path):
    with DuckDBStore(tmp_path / "study.store") as store:
        release = publish(table(), store)
        assert store.history[0].to_arrow().equals(release.to_arrow())


def test_insensitive_column__changes_what_counts_as_the_same_view():
    other = table()
    other["unit"][0] = "other"
    views = [sr.View.from_table(rows, SCHEMA) for rows in (table(), other)]
    assert views[0].digest() != views[1].digest()


def test_insensitive_column__with_a_missing_cell_is_refused():
    rows = table()
    rows["unit"][3] = None
    with pytest.raises(sr.TableError, match="'unit'"):
        publish(rows)


def test_study__publishes_insensitive_columns_that_it_names(tmp_path):
    named = 'respondent = "patient"\ninsensitive = ["note"]\nallow_unique = ["note"]'
    path = write_study(tmp_path, changes=[('respondent = "patient"', named)])
    study = sr.Study.read(path)
    with sr.Press(study) as press:
        printed = press.publish(week(path, 1), at=1)
    assert printed.publication.release.to_arrow().column_names[-1] == "note"
    assert printed.certificate["columns"]["insensitive"] == ["note"]


def test_study__refuses_insensitive_columns_in_buckets(tmp_path):
    changes = [
        ('respondent = "patient"', 'respondent = "patient"\ninsensitive = ["note"]'),
        ("[reader]", '[output]\nform = "buckets"\n\n[reader]'),
    ]
    with pytest.raises(sr.StudyError, match="have no place"):
        sr.Study.read(write_study(tmp_path, changes=changes))
