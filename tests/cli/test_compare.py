"""``seriatim compare`` at the command line."""

import json

import pytest
from typer.testing import CliRunner

from seriatim.cli.app import app
from studies import week, write_study


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in ("compare", *arguments)])


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def views(study):
    return [week(study, number) for number in (1, 2)]


def test_table__has_a_row_for_each_technique_and_touches_nothing(study, views):
    before = sorted(study.parent.rglob("*"))
    done = run(study, *views, "--k", 5, "--queries", 50)
    assert done.exit_code == 0
    names = ["this study", "k-anonymity", "l-diversity", "t-closeness", "bt-privacy"]
    for name in (*names, "m-invariance", "js-reduce", "k=5, t=0.6"):
        assert name in done.stdout
    lines = [line.split() for line in done.stdout.splitlines()]
    heads = ["technique", "reader", "gain", "largest", "loss", "ing", "above", ".9", "right"]
    assert heads in lines
    assert sum(line[-1:] == ["strongest"] for line in lines) == 7
    assert sorted(study.parent.rglob("*")) == before


def test_json__has_what_the_table_has(study, views):
    options = ("--technique", "study", "--technique", "t-closeness", "--reader", "paper")
    done = run(study, *views, *options, "--queries", 50, "--as-published", "--json")
    found = json.loads(done.stdout)
    assert [row["technique"] for row in found["rows"]] == ["this study", "t-closeness"]
    assert found["readers"] == ["paper"]
    assert all(len(row["gains"]["paper"]) == 2 for row in found["rows"])
    for row in found["rows"]:
        one = row["findings"]["paper"]
        assert one["log_loss"] < one["log_loss_by_frequency"]
        assert "sure_and_right" in one
    assert found["rows"][1]["promised"] == "TCloseness(t=0.8, distance='equal') & KAnonymity(k=2)"


def test_technique__that_fails_is_told_as_failed_and_not_as_harmless(study, views, tmp_path):
    options = ("--technique", "study", "--technique", "k-anonymity", "--reader", "paper")
    asked = (study, *views, *options, "--queries", 20, "--k", 61)
    done = run(*asked)
    assert done.exit_code == 0
    named = [line for line in done.stdout.splitlines() if line.strip().startswith("k-anonymity")]
    assert len(named) == 2
    for failed in named:
        assert "failed" in failed
        assert "0.0" not in failed.rsplit(maxsplit=1)[0]
    assert "* k-anonymity failed, at 1: No group of the 60 tuples" in done.stdout
    printed = run(*asked, "--json").stdout
    row = json.loads(printed)["rows"][1]
    assert row["failure"].startswith("at 1: No group")
    assert (row["gains"]["paper"], row["penalty"], row["mean_size"]) == ([], None, None)
    (tmp_path / "compare.json").write_text(printed)
    page = tmp_path / "page.html"
    asked = ("report", "--comparison", tmp_path / "compare.json", "--study", study, "--out", page)
    done = CliRunner().invoke(app, [str(one) for one in asked])
    assert done.exit_code == 0, done.output
    assert "<strong>k-anonymity</strong> failed, at 1: No group" in page.read_text("utf-8")


@pytest.mark.parametrize("ending", ["svg", "png", "json"])
def test_chart__is_written(study, views, ending, tmp_path):
    options = ("--technique", "k-anonymity", "--reader", "paper", "--queries", 20)
    chart = tmp_path / "charts" / f"c.{ending}"
    assert run(study, *views, *options, "--chart", chart).exit_code == 0
    begins = {"svg": b"<svg", "png": b"\x89PNG", "json": b"{"}[ending]
    assert chart.read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--technique", "kanonymity"), "There is no technique 'kanonymity'"),
        (("--reader", "papr"), "Did you mean 'paper'?"),
        (("--chart", "c.pdf"), "A chart is written as"),
        (("--at", "1"), "2 views need as many instants"),
        (("--selectivity", "0"), "selectivity"),
    ],
)
def test_mistakes__are_told_in_words(study, views, options, told, monkeypatch, capsys):
    import sys

    from seriatim.cli.app import main

    arguments = [str(one) for one in (study, *views, *options)]
    monkeypatch.setattr(sys, "argv", ["seriatim", "compare", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (1, 2)
    shown = capsys.readouterr()
    assert told in shown.err.replace("\n", " ")
    assert "Traceback" not in shown.err
