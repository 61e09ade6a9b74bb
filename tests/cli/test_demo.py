"""``seriatim demo``: the whole story, and the report that it ends with."""

import json

import pyarrow.csv
import pytest
from typer.testing import CliRunner

from report_studies import charts_of, rows_of
from seriatim.cli.app import app


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "clinic"
    done = CliRunner().invoke(app, ["demo", "--folder", str(folder), "--json"])
    assert done.exit_code == 0, done.output
    return folder, json.loads(done.stdout)


@pytest.mark.slow
def test_demo__ends_with_a_report_that_sets_a_leaking_rival_beside_ours(demo):
    folder, found = demo
    page = folder / "report.html"
    assert found["report"] == str(page)
    rows = rows_of(charts_of(page)["gain"]["light"])
    gains = {}
    for row in rows:
        gains.setdefault(row["curve"], []).append(row["gain"])
    assert max(gains["seriatim"]) < 0.12
    assert min(gains["3-anonymous rival"]) > 0.12
    text = page.read_text(encoding="utf-8")
    assert "Within the target" in text


@pytest.mark.slow
def test_demo__shows_sizes_and_detail_of_all_and_is_fair(demo):
    rows = rows_of(charts_of(demo[0] / "report.html")["frontier"]["light"])
    ours, rival, like = rows
    assert ours["size"] > 2 * rival["size"]
    assert rival["lost"] < ours["lost"]
    assert like["size"] == pytest.approx(ours["size"], rel=0.25)
    assert "In fairness: the size of groups does most of it" in (demo[0] / "report.html").read_text(
        encoding="utf-8"
    )


@pytest.mark.slow
def test_demo__names_nobody_in_its_report(demo):
    text = (demo[0] / "report.html").read_text(encoding="utf-8")
    for view in (demo[0] / "views").glob("*.csv"):
        people = pyarrow.csv.read_csv(view)["patient"].to_pylist()
        assert [person for person in people if person in text] == []
