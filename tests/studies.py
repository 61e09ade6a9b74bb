"""A small study on disk, for tests of the press and of the commands."""

import atexit
import functools
import shutil
import tempfile
from pathlib import Path

import pyarrow.csv

import seriatim as sr
from seriatim.knowledge.files import write_knowledge

STUDY = """\
name = "test clinic"

[columns]
respondent = "patient"

[quasi_identifiers.age]
kind = "numeric"
low = 18
high = 95

[quasi_identifiers.gender]
kind = "categorical"
values = ["F", "M"]

[quasi_identifiers.zip]
kind = "hierarchical"
mask = "prefix"

[sensitive]
column = "exam"

[policy]
k = 5
t = 0.6
j = 1.0
remainder = "merge"

[reader]
sequence = "knowledge.csv"
"""

SEALED = ("[reader]", '[store]\nsealed = true\nkey_variable = "CLINIC_KEY"\n\n[reader]')
"""What makes the store a sealed one; ``CLINIC_KEY`` holds its key."""


def write_study(folder, *, weeks=3, size=60, changes=(), seed=1):
    """Write a clinic's views, its knowledge and a study; return the study's path."""
    made = sr.clinic(weeks=weeks, size=size, seed=seed)
    (folder / "views").mkdir(parents=True, exist_ok=True)
    for week, table in enumerate(made.weeks, start=1):
        extra = table.append_column("note", [[f"note of row {row}" for row in range(size)]])
        pyarrow.csv.write_csv(extra, folder / "views" / f"week-{week}.csv")
    write_knowledge(made.sequence, folder / "knowledge.csv")
    values = str(list(made.schema.sensitive.domain)).replace("'", '"')
    text = STUDY.replace('column = "exam"\n', f'column = "exam"\nvalues = {values}\n')
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return folder / "study.toml"


def begun_study(folder, *, releases=1, changes=()):
    """Copy a study with some releases, made once for all tests; return the copy's path."""
    shutil.copytree(_begun(releases, tuple(changes)), folder, dirs_exist_ok=True)
    return folder / "study.toml"


@functools.cache
def _begun(releases, changes):
    """Publish what comes after one release less; those with more releases begin with the same."""
    folder = Path(tempfile.mkdtemp(prefix="begun-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if releases == 0:
        write_study(folder, changes=changes)
        return folder
    study = begun_study(folder, releases=releases - 1, changes=changes)
    with sr.Press(sr.Study.read(study)) as press:
        press.publish(week(study, releases), at=releases)
    return folder


def week(study, number):
    """Return the path of one of the views."""
    return study.parent / "views" / f"week-{number}.csv"


def copy_store(path, target):
    """Copy a store in the place of what was there."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(path, target)
