"""``seriatim report`` at the command line: what the page holds, and what it never holds."""

import itertools
import json
import re

import pytest

from report_studies import (
    PLAN,
    charts_of,
    ids_of,
    originals,
    published_study,
    released,
    report_pages,
    rows_of,
    run,
)
from seriatim.report.page import _asset
from studies import week, write_study

KINDS = ("series", "audited", "release", "release-audited", "audit", "comparison")

AGGREGATES = {
    "gain": {"curve", "release", "gain", "told", "loss", "counting", "right"},
    "confidence": {"curve", "release", "belief", "told"},
    "spread": {"release", "mean", "median", "low", "high"},
    "distribution": {"series", "from", "to", "share"},
    "sizes": {"release", "smallest", "mean", "largest", "from", "to", "groups"},
    "attributes": {"attribute", "mean", "most", "told"},
    "queries": {"release", "error"},
    "learnability": {"release", "share"},
    "leftovers": {"release", "what", "tuples"},
    "frontier": {"series", "gain", "lost", "size", "gain told", "lost told"},
}
"""What a chart may be told of: releases, readers, classes, attributes; never a respondent."""


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return published_study(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def pages(study):
    return report_pages(study)


@pytest.mark.parametrize("kind", KINDS)
def test_page__has_no_id_and_no_number_of_a_group(pages, study, kind):
    text = pages[kind].read_text(encoding="utf-8")
    assert [person for person in ids_of(study) if person in text] == []
    assert re.findall(r"\bgroup \d", text) == []


@pytest.mark.parametrize("kind", KINDS)
def test_page__asks_for_nothing_from_elsewhere(pages, kind):
    text = pages[kind].read_text(encoding="utf-8")
    ours = text.replace(_asset("vega.js"), "")
    assert len(ours) < len(text)
    assert re.findall(r"https?://", ours) == []
    assert re.findall(r"<(?:link|img|iframe|object|embed|audio|video|base)\b", ours) == []
    assert re.findall(r"\b(?:src|srcset|action|formaction|poster)\s*=", ours) == []
    assert re.findall(r"@import|url\(", ours) == []
    links = set(re.findall(r'href="([^"]*)"', ours))
    assert {link for link in links if not link.startswith("#")} == set()


def test_library__names_only_namespaces_and_its_own_pages():
    named = set(re.findall(r"https?://[^\s\"'`)]+", _asset("vega.js")))
    namespaces = {name for name in named if name.startswith("http://www.w3.org/")}
    assert named - namespaces == {
        "https://github.com/vega/vega-lite/issues/2415",
        "https://vega.github.io/schema/vega/v6.json",
    }
    assert "vega.github.io/editor" not in _asset("vega.js")


@pytest.mark.parametrize("kind", KINDS)
def test_page__allows_by_its_own_policy_what_it_holds_and_nothing_else(pages, kind):
    text = pages[kind].read_text(encoding="utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text).group(1)
    assert policy.startswith("default-src &#39;none&#39;")
    assert "unsafe" not in policy
    assert "http" not in policy


@pytest.mark.parametrize("kind", KINDS)
def test_charts__hold_aggregates_only(pages, kind):
    charts = charts_of(pages[kind])
    assert charts
    for name, lights in charts.items():
        assert set(lights) == {"light", "dark"}
        for spec in lights.values():
            rows = rows_of(spec)
            assert rows
            assert all(set(row) <= AGGREGATES[name] for row in rows)


def test_charts__grow_with_releases_and_not_with_people(pages, tmp_path):
    larger = published_study(tmp_path, size=180)
    out = tmp_path / "larger.html"
    done = run("report", *originals(larger), "--study", larger, "--out", out)
    assert done.exit_code == 0, done.output

    def counted(page):
        return {name: len(rows_of(lights["light"])) for name, lights in charts_of(page).items()}

    assert counted(out) == counted(pages["audited"])


def test_charts__are_those_that_the_figures_allow(pages):
    drawn = {kind: list(charts_of(page)) for kind, page in pages.items()}
    tables = ["sizes", "attributes"]
    assert drawn["series"] == ["gain", *tables]
    readers = ["confidence", "spread", "distribution"]
    assert drawn["audited"] == ["gain", *readers, *tables, "queries"]
    assert drawn["audit"] == ["gain", *readers, *tables, "queries"]
    assert drawn["release"] == ["gain", *tables]
    # Of one release readers learn next to nothing: all may be worse than counting, by chance.
    told = pages["release-audited"].read_text(encoding="utf-8")
    gains = [] if "every reader is worse than counting" in told.lower() else ["distribution"]
    assert drawn["release-audited"] == ["gain", *gains, *tables]
    assert drawn["comparison"] == ["gain", "frontier"]


@pytest.mark.parametrize("kind", KINDS)
def test_page__can_be_read_by_everyone(pages, kind):
    text = pages[kind].read_text(encoding="utf-8")
    assert '<html lang="en">' in text
    assert text.count("<h1>") == 1
    levels = [int(level) for level in re.findall(r"<h([1-6])\b", text)]
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert text.index('class="skip" href="#verdict"') < text.index("<header>")
    for name in charts_of(pages[kind]):
        figure = text[text.index(f'id="figure-{name}"') :].split("</figure>")[0]
        assert re.search(r'<p class="says">[^<]{30,}</p>', figure)
        assert re.search(r"<caption[^>]*>[^<]+</caption>", figure)
        assert figure.count("<tr>") > 1


def test_series__tells_promises_chain_parameters_and_knowledge(pages):
    text = pages["series"].read_text(encoding="utf-8")
    for told in (
        "k-anonymity",
        "measured again from the files",
        "attested by the publisher",
        "release-0003.certificate.json",
        "Hilbert Greedy",
        "as much as knowledge.csv says",
        "This is not differential privacy",
        "Not yet known",
    ):
        assert told in text, told
    assert "For the custodian." not in text


def test_audited__explains_cases_by_release_and_transition(pages):
    text = pages["audited"].read_text(encoding="utf-8")
    assert "For the custodian." in text
    assert text.count('class="case"') == 3
    assert re.search(r"It (?:raised|lowered) the belief by 0\.\d\d", text)
    assert re.search(r"after [\w-]+, [\w-]+ is\s+expected with", text)


def test_page__says_what_subtracting_groups_tells_in_figures(study, pages):
    found = json.loads((study.parent / "audit.json").read_text(encoding="utf-8"))["differences"]
    told = f"{found['separated']} of {found['people']} people are separated from the others"
    shown = {kind for kind in KINDS if 'id="differences"' in pages[kind].read_text("utf-8")}
    assert {kind for kind in shown if told in pages[kind].read_text("utf-8")} == {
        "audited",
        "audit",
    }
    assert "series" in shown
    assert "gave away most" in pages["series"].read_text("utf-8")
    assert "comparison" not in shown


def test_audited__has_the_figures_of_the_same_audit(study, pages):
    found = json.loads((study.parent / "audit.json").read_text(encoding="utf-8"))
    gains = [row["gain"] for row in found["releases"] if row["reader"] == "retrospective"]
    for kind in ("audited", "audit"):
        rows = rows_of(charts_of(pages[kind])["gain"]["light"])
        shown = [row["gain"] for row in rows if row["curve"] == "retrospective"]
        assert shown == [round(gain, 5) for gain in gains]


def test_cases__can_be_left_out(study, tmp_path):
    out = tmp_path / "r.html"
    done = run("report", *originals(study), "--study", study, "--cases", 0, "--out", out)
    assert done.exit_code == 0
    assert 'class="case"' not in out.read_text(encoding="utf-8")


def test_json__says_where_and_how_it_stands(study, tmp_path):
    out = tmp_path / "deep" / "r.html"
    done = run("report", "--study", study, "--out", out, "--json")
    found = json.loads(done.stdout)
    assert found["report"] == str(out)
    assert out.is_file()
    assert found["verdict"] == "Not yet known"
    assert found["series"][0]["releases"] == 3
    assert found["target gain"] == 0.5


def test_report__lies_beside_the_study_and_replaces_the_one_before(study):
    for _ in range(2):
        done = run("report", "--study", study)
        assert done.exit_code == 0
    page = study.parent / "report.html"
    assert page.is_file()
    assert [one.name for one in study.parent.iterdir() if one.name.startswith(".report")] == []


def test_pictures__are_written_as_svg_and_png(study, tmp_path):
    done = run("report", "--study", study, "--out", tmp_path / "r.html", "--pictures", tmp_path)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "gain.svg").read_bytes().startswith(b"<svg")
    assert (tmp_path / "sizes.png").read_bytes().startswith(b"\x89PNG")


def test_changed_release__is_told_before_all_else(tmp_path):
    study = published_study(tmp_path)
    file = released(study)[1]
    file.write_bytes(file.read_bytes() + b" ")
    done = run("report", "--study", study, "--json")
    found = json.loads(done.stdout)
    assert found["verdict"] == "Not as certified"
    assert "release-0002.certificate.json" in found["sentence"]
    assert "the file was changed" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_missing_certificate__is_told_before_all_else(tmp_path):
    study = published_study(tmp_path)
    (tmp_path / "releases" / "release-0003.certificate.json").unlink()
    found = json.loads(run("report", "--study", study, "--json").stdout)
    assert found["verdict"] == "Not as certified"


def test_names__of_studies_and_values_cannot_break_out_of_the_page(tmp_path):
    name = 'name = "</script><script>alert(1)</script><b>"'
    study = published_study(tmp_path, changes=(PLAN, ('name = "test clinic"', name)))
    done = run("report", *originals(study), "--study", study)
    assert done.exit_code == 0, done.output
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "<b>" not in text
    assert "&lt;/script&gt;" in text


def test_buckets__are_reported_too(tmp_path):
    buckets = ("[policy]", "[output]\nform = 'buckets'\n\n[policy]")
    study = published_study(tmp_path, changes=(PLAN, buckets))
    done = run("report", *originals(study), "--study", study, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["series"][0]["global certainty penalty"] == 0


def test_audit__of_a_foreign_release_says_nothing_of_its_making(study, tmp_path):
    rival = tmp_path / "rival.csv"
    rival.write_bytes(released(study)[0].read_bytes())
    asked = (*originals(study, [1]), "--study", study, "--json")
    ours, theirs = (
        json.loads(run("audit", file, *asked).stdout) for file in (released(study)[0], rival)
    )
    assert theirs["knowledge"] == ours["knowledge"]
    assert dict(ours["parameters"])["leftovers"] == "merge"
    assert theirs["parameters"] == []


def test_foreign_release__is_reported_by_its_audit(study, tmp_path):
    alone, out = tmp_path / "other-tool.csv", tmp_path / "r.html"
    alone.write_bytes(released(study)[0].read_bytes())
    refused = run("report", alone, "--study", study, "--out", out)
    assert refused.exception.exit_code == 2
    assert not out.exists()
    done = run("report", alone, *originals(study, [1]), "--study", study, "--out", out)
    assert done.exit_code == 0, done.output
    text = out.read_text(encoding="utf-8")
    assert "<h2>What readers are taken to know</h2>" in text
    assert "as much as knowledge.csv says" in text
    assert "How the releases were made" not in text
    assert "The chain of certificates" not in text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--audit", "a.json", "--comparison", "b.json"], "one thing"),
        (["--audit", "missing.json"], "could not be read"),
        (["--audit", "study.toml"], "is not JSON"),
        (["--comparison", "audit.json"], "not what `seriatim compare --json` prints"),
        (["--audit", "compare.json"], "not what `seriatim audit --json` prints"),
        (["releases/release-0009.csv"], "release-0009"),
        (["--sequence", "releases"], "without originals none is tried"),
    ],
    ids=str,
)
def test_bad_input__is_refused_in_one_paragraph(study, pages, monkeypatch, arguments, told):
    assert pages
    monkeypatch.chdir(study.parent)
    done = run("report", *arguments)
    assert done.exception.exit_code in (1, 2)
    assert re.search(told, str(done.exception))
    assert "\n\n" not in str(done.exception)


def test_study__without_releases_is_refused(tmp_path):
    study = write_study(tmp_path)
    done = run("report", "--study", study)
    assert done.exception.exit_code == 2
    assert "nothing was published" in str(done.exception)
    assert not (tmp_path / "study.store").exists()


def test_originals__that_are_too_few_are_refused(study, tmp_path):
    done = run("report", "-o", week(study, 1), "--study", study, "--out", tmp_path / "r.html")
    assert done.exception.exit_code == 1
    assert not (tmp_path / "r.html").exists()
