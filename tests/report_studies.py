"""Reports of a small study, made as people make them: at the command line."""

import datetime as dt
import json
import re
from pathlib import Path

import pyarrow.csv
from typer.testing import CliRunner

from seriatim.cli.app import app
from seriatim.report.account import (
    Account,
    ReaderPoint,
    ReaderSummary,
    SeriesAccount,
    TableFigures,
)
from seriatim.report.tables import over_tables
from studies import week, write_study

WEEKS = 3
PLAN = (
    "[policy]",
    "[plan]\nreleases = 6\ntarget_gain = 0.5\n\n[policy]\npartitioner = 'hilbert-greedy'",
)


def run(*arguments):
    """Run a command, and return what came of it."""
    return CliRunner().invoke(app, [str(one) for one in arguments])


def published_study(folder, *, size=60, changes=(PLAN,)):
    """Write a study and publish its weeks."""
    study = write_study(folder, weeks=WEEKS, size=size, changes=changes)
    for number in range(1, WEEKS + 1):
        done = run("publish", week(study, number), "--study", study)
        assert done.exit_code == 0, done.output
    return study


def originals(study, numbers=range(1, WEEKS + 1)):
    """Return the words that name the originals of some releases."""
    return [part for number in numbers for part in ("-o", week(study, number))]


def released(study):
    """Return the released tables."""
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


def dated_account():
    """Return a long series over the target, with dates, leftovers and names of some length."""
    days = [(dt.date(2026, 1, 5) + dt.timedelta(weeks=week)).isoformat() for week in range(24)]
    lost = {"date_of_birth": 0.97, "gender": 0.0, "postal_code_of_residence": 0.55}
    tables = tuple(
        TableFigures(number, day, 1000, 60, ((8, 30), (25, 30)), 0.5, lost, number % 7, number % 3)
        for number, day in enumerate(days, start=1)
    )
    points = tuple(
        ReaderPoint(name, day, gain + number / 500, 0.2, gain - 0.1, gain, gain + 0.3, 0.5, 0.3)
        for name, gain in (("paper", 0.05), ("retrospective", 0.12))
        for number, day in enumerate(days)
    )
    readers = (
        ReaderSummary("paper", 0.07, 0.1, 2.1, 2.2, 0.1, 0.95),
        ReaderSummary("retrospective", 0.14, 0.17, 1.9, 2.2, 0.3, 0.93),
    )
    name = "A hospital with a rather long name"
    series = over_tables(SeriesAccount(name, tables, readers, points))
    return Account("series", name, (series,), 0.12, 30, private=True)


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
