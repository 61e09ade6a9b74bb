"""``seriatim reproduce --quick``: figures, the page, and a study's own views.

The long tier runs all figures; the quick one has two of them, of series that are smaller still.
"""

import json
from dataclasses import asdict

import pyarrow.compute as pc
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from seriatim.cli.app import app
from seriatim.experiments import plans
from seriatim.experiments.plans import Scale
from seriatim.experiments.reproduction import FIGURES, made_settings, told_of
from seriatim.experiments.results import Results


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


TINY = ("reproduce", "--quick", "--figure", "9", "--figure", "readers")
"""A figure of the paper, and one of ours that needs a rehearsal."""


@pytest.fixture
def tiny_scale(monkeypatch):
    monkeypatch.setattr(plans, "QUICK_VIEWS", 2)
    monkeypatch.setattr(plans, "QUICK_SIZE", 100)


@pytest.mark.usefixtures("tiny_scale")
def test_reproduction__has_claims_pictures_results_and_a_page(tmp_path):
    done = run(*TINY, "-o", tmp_path, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert {claim["figure"] for claim in found["claims"]} == {"Figure 9", "ours"}
    assert all(claim["measured"] and claim["says"] for claim in found["claims"])
    assert {one["defender"] for one in found["rehearsals"]} == {"DK"}
    table = pyarrow.parquet.read_table(tmp_path / "results.parquet")
    assert {"gain", "confidence", "GCP", "semiperimeter", "suppressed"} <= set(
        table.column("measure").unique().to_pylist()
    )
    page = (tmp_path / "index.html").read_text("utf-8")
    assert page.count('class="verdict') == len(found["claims"])
    pictures = sorted(tmp_path.glob("*.svg"))
    assert page.count("<svg") == len(pictures) == 2
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "jobs").iterdir()}
    shown = run(*TINY, "-o", tmp_path)
    assert "The paper's claims, and ours, on paper-like, 1 seed" in shown.stdout
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "jobs").iterdir()} == before


@pytest.mark.usefixtures("tiny_scale")
def test_reproduction__on_a_register_says_what_its_seeds_draw(tmp_path):
    done = run("reproduce", "--quick", "--preset", "register", "--figure", "9", "-o", tmp_path)
    assert done.exit_code == 0, done.output
    assert "and ours, on register, 1 seed" in done.stdout
    page = (tmp_path / "index.html").read_text("utf-8")
    assert "(each draws other people); generator register" in page


@pytest.mark.usefixtures("tiny_scale")
def test_reproduction__on_a_study_is_attacked_with_what_its_own_people_teach(tmp_path):
    made, out = tmp_path / "hospital", tmp_path / "out"
    run("simulate", "-o", made, "--views", 3, "--size", 120, "--preset", "mild")
    done = run("reproduce", "--quick", "--data", made, "--figure", "7", "-o", out, "--json")
    assert done.exit_code == 0, done.output
    assert {one["defender"] for one in json.loads(done.stdout)["rehearsals"]} == {"SPM"}
    assert (out / "figure-7.svg").exists()


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("quick")
    done = run("reproduce", "--quick", "-o", folder, "--json")
    assert done.exit_code == 0, done.output
    return folder, json.loads(done.stdout)


@pytest.mark.slow
def test_claims__each_has_a_verdict_and_what_was_measured(quick):
    _, found = quick
    verdicts = {"reproduced", "partly", "not reproduced"}
    assert {claim["verdict"] for claim in found["claims"]} <= verdicts
    assert all(claim["measured"] and claim["says"] for claim in found["claims"])
    places = {claim["figure"] for claim in found["claims"]}
    assert places >= {f"Figure {number}" for number in range(3, 10)}
    assert {"Section VI-D", "Section VI-E", "ours"} <= places


@pytest.mark.slow
def test_page__has_every_picture_and_needs_nothing_from_elsewhere(quick):
    folder, found = quick
    page = (folder / "index.html").read_text("utf-8")
    pictures = sorted(folder.glob("*.svg"))
    # Figure 8, the matched sizes and the lasting series have two pictures each.
    assert len(pictures) == len(FIGURES) + 3
    assert page.count("<svg") == len(pictures)
    assert all(path.with_suffix(".png").stat().st_size > 1000 for path in pictures)
    for words in ("src=", "href=", "@import", "<script"):
        assert words not in page.replace("xlink:href=", "")
    assert page.count('class="verdict') == len(found["claims"])


@pytest.mark.slow
def test_claims__are_the_papers_first_and_ours_after_them(quick):
    _, found = quick
    ours = [claim["figure"] == "ours" for claim in found["claims"]]
    assert ours == sorted(ours)
    says = [claim["says"] for claim in found["claims"] if claim["figure"] == "ours"]
    for words in ("than was rehearsed", "rehearsed with mined knowledge", "the same mean size"):
        assert any(words in one for one in says)


@pytest.mark.slow
def test_claims__of_the_paper_are_judged_without_what_is_ours(quick):
    folder, found = quick
    table = pyarrow.parquet.read_table(folder / "results.parquet")
    series = table.column("series")
    ours = pc.or_(pc.starts_with(series, "standing cells"), pc.ends_with(series, ", same size"))
    assert pc.any(ours).as_py()
    settings = made_settings(Scale().quick)
    without = told_of(Results(table.filter(pc.invert(ours))), FIGURES, settings)
    assert [asdict(one) for one in without.claims if not one.ours] == [
        claim for claim in found["claims"] if claim["figure"] != "ours"
    ]


@pytest.mark.slow
def test_standing_cells__are_in_every_figure_but_that_over_j(quick):
    folder, _ = quick
    there = {path.stem for path in folder.glob("*.svg") if "standing cells" in path.read_text()}
    missing = {path.stem for path in folder.glob("*.svg")} - there
    assert missing == {"figure-9"}


@pytest.mark.slow
def test_rehearsals__are_part_of_the_results_and_on_the_page(quick):
    folder, found = quick
    rehearsed = {one["defender"]: one for one in found["rehearsals"]}
    assert set(rehearsed) == {"DK", "SPM", "IE"}
    assert rehearsed["DK"]["size"] >= 10
    assert rehearsed["DK"]["gain"] <= 0.12
    assert rehearsed["IE"]["size"] is None
    kept = pyarrow.parquet.read_table(folder / "rehearsals.parquet").to_pylist()
    assert kept == found["rehearsals"]
    page = (folder / "index.html").read_text("utf-8")
    for one in found["rehearsals"]:
        assert (f"<td>{one['size']}</td>" if one["size"] else one["reason"]) in page


@pytest.mark.slow
def test_results__are_one_tidy_table(quick):
    folder, _ = quick
    table = pyarrow.parquet.read_table(folder / "results.parquet")
    assert set(table.column("setting").unique().to_pylist()) == {"paper-like"}
    assert {"gain", "confidence", "GCP", "semiperimeter", "suppressed"} <= set(
        table.column("measure").unique().to_pylist()
    )


@pytest.mark.slow
def test_figure__can_be_asked_for_alone_and_again(quick, tmp_path):
    _, whole = quick
    # Its jobs ask for less than all figures together do, so they are jobs of their own.
    done = run("reproduce", "--quick", "--figure", "4", "-o", tmp_path, "--json")
    alone = json.loads(done.stdout)["claims"]
    assert alone == [claim for claim in whole["claims"] if claim["figure"] == "Figure 4"]
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "jobs").iterdir()}
    assert run("reproduce", "--quick", "--figure", "4", "-o", tmp_path).exit_code == 0
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "jobs").iterdir()} == before


@pytest.mark.slow
def test_study__is_attacked_with_what_its_own_people_teach(tmp_path):
    made = tmp_path / "hospital"
    assert (
        run("simulate", "-o", made, "--views", 4, "--size", 300, "--preset", "mild").exit_code == 0
    )
    out = tmp_path / "out"
    done = run("reproduce", "--quick", "--data", made, "-o", out, "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    figures = {claim["figure"] for claim in told["claims"]}
    assert figures == {*(f"Figure {number}" for number in range(4, 9)), "Section VI-D", "ours"}
    assert (out / "figure-6.svg").exists()
    rehearsed = {one["defender"]: one for one in told["rehearsals"]}
    assert set(rehearsed) == {"SPM", "IE"}
    assert rehearsed["SPM"]["size"] >= 10
    ours = [one for one in told["claims"] if one["figure"] == "ours"]
    kept = next(one for one in ours if "every reader below 0.12" in one["says"])
    assert all(f"SPM{reading}" in kept["measured"] for reading in ("", " joint", " retrospective"))
    series = pyarrow.parquet.read_table(out / "results.parquet").column("series")
    assert "standing cells, SPM" in series.unique().to_pylist()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--figure", "10"), "There is no figure '10'; possible are"),
        (("--data", "nowhere"), "could not be read"),
        (("--preset", "papr-like", "--quick"), "papr-like"),
    ],
)
def test_mistakes__are_told_in_words(options, told, tmp_path):
    done = run("reproduce", "-o", tmp_path / "out", *options)
    assert done.exit_code != 0
    assert told in str(done.exception)


def test_study__without_views_says_how_they_are_named(tmp_path):
    made = tmp_path / "hospital"
    run("simulate", "-o", made, "--views", 1, "--size", 50)
    (made / "view-01.csv").unlink()
    done = run("reproduce", "--data", made, "-o", tmp_path / "out")
    assert "has no views: tables named view-01.csv" in str(done.exception)
