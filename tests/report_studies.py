"""Reports of a small study, made as people make them: at the command line."""

import json
import re
from pathlib import Path

import pyarrow.csv
from typer.testing import CliRunner

from seriatim.cli.app import app
from studies import week, write_study

WEEKS = 3
PLAN = (
    "[policy]",
    "[plan]\nreleases = 6\ntarget_gain = 0.5\n\n[policy]\npartitioner = 'hilbert-greedy'",
)


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


def published_study(folder, *, size=60, changes=(PLAN,)):
    """Write a study and publish its weeks."""
    study = write_study(folder, weeks=WEEKS, size=size, changes=changes)
    for number in range(1, WEEKS + 1):
        done = run("publish", week(study, number), "--study", study)
        assert done.exit_code == 0, done.output
    return study


def originals(study, numbers=range(1, WEEKS + 1)):
    return [part for number in numbers for part in ("-o", week(study, number))]


def released(study):
    return sorted((study.parent / "releases").glob("release-*.csv"))


def report_pages(study):
    """Return a page of every kind, by name."""
    folder = Path(study).parent
    audit = run("audit", *released(study), *originals(study), "--study", study, "--json")
    (folder / "audit.json").write_text(audit.stdout, encoding="utf-8")
    views = [week(study, number) for number in (1, 2)]
    techniques = ("--technique", "study", "--technique", "k-anonymity")
    compared = run("compare", study, *views, *techniques, "--queries", 50, "--json")
    (folder / "compare.json").write_text(compared.stdout, encoding="utf-8")
    asked = {
        "series": (),
        "audited": originals(study),
        "release": (released(study)[0],),
        "release-audited": (released(study)[0], *originals(study, [1])),
        "audit": ("--audit", folder / "audit.json"),
        "comparison": ("--comparison", folder / "compare.json"),
    }
    pages = {}
    for name, arguments in asked.items():
        pages[name] = folder / f"{name}.html"
        done = run("report", *arguments, "--study", study, "--out", pages[name])
        assert done.exit_code == 0, done.output
    return pages


def ids_of(study):
    """Return every id of every view."""
    return {
        person
        for number in range(1, WEEKS + 1)
        for person in pyarrow.csv.read_csv(week(study, number))["patient"].to_pylist()
    }


def charts_of(page):
    """Return the specifications that a page carries, by the name of the chart."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(
        r'data-chart="(\w+)".*?<script type="application/json">(.*?)</script>', text, re.DOTALL
    )
    return {name: json.loads(content) for name, content in found}


def rows_of(spec):
    """Return all rows of data in a specification, wherever they stand."""
    if isinstance(spec, dict):
        held = spec.get("values") if isinstance(spec.get("values"), list) else []
        rows = [row for row in held if isinstance(row, dict) and row]
        return rows + [
            row for key, part in spec.items() if key != "values" for row in rows_of(part)
        ]
    if isinstance(spec, list):
        return [row for part in spec for row in rows_of(part)]
    return []
