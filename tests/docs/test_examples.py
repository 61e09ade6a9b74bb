"""The examples run, and show what they are there to show."""

import json
import re
import runpy

import pytest

from documents import ROOT

EXAMPLES = ROOT / "examples"


def shown_by(name, capsys):
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return capsys.readouterr().out


def gains(text):
    """Return the mean gain in each line of findings."""
    return [float(gain) for gain in re.findall(r"^[a-z][a-z' ]+?  +(0\.\d+)  ", text, re.MULTILINE)]


def test_running_example__shows_0_9_and_then_0_5(capsys):
    told = shown_by("running_example.py", capsys)
    assert "week 2: Alice  BCM-pos 0.90, PNE-pos 0.10" in told
    assert "Alice's marker is believed with 0.50" in told


@pytest.mark.slow
def test_weekly_hospital__publishes_what_was_rehearsed_under_the_target(capsys):
    told = shown_by("weekly_hospital.py", capsys)
    assert "Recommended: StandingCells" in told
    assert told.count("Release(at=") == 4
    assert max(gains(told)) < 0.12


def test_own_privacy_model__is_kept_and_lowers_the_gain(capsys):
    told = shown_by("own_privacy_model.py", capsys)
    assert "RareInCompany(rare=0.07, least=2) holds in every group" in told
    without, with_it = gains(told)
    assert with_it < without


def test_audit_rival__finds_that_tables_tell_together_what_none_tells_alone(capsys):
    told = shown_by("audit_rival.py", capsys)
    alone, papers, back, *ours = gains(told)
    assert alone < 0.05 < papers < back
    assert back > 0.7
    assert ours == sorted(ours, reverse=True)
    assert ours[-1] < 0.12
    # README has these figures.
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    known = round(
        float(re.search(r"^looking back.*?([\d.]+)%(?:  strongest)?$", told, re.MULTILINE)[1])
    )
    assert (
        f"| all tables, looking back | **{back:.2f}** | **{known} %** |".replace("0.", ".")
        in readme
    )
    assert f"standing cells of 40 | {ours[-1]:.2f} | 0 % |".replace("0.", ".") in readme


def test_audit_rival__reads_tables_that_are_5_anonymous_one_by_one():
    for file in sorted((EXAMPLES / "rival_series").glob("release-*.csv")):
        people = {}
        for line in file.read_text(encoding="utf-8").splitlines()[1:]:
            *group, _, count = line.split(",")
            people[tuple(group)] = people.get(tuple(group), 0) + int(count)
        assert min(people.values()) >= 5
        assert sum(people.values()) == 200


@pytest.fixture(scope="module")
def notebook():
    return json.loads((EXAMPLES / "notebook.ipynb").read_text(encoding="utf-8"))


def outputs_of(notebook):
    return [output for cell in notebook["cells"] for output in cell.get("outputs", [])]


def texts_of(notebook):
    return [
        "".join(output.get("text") or output["data"]["text/plain"])
        for output in outputs_of(notebook)
        if "text" in output or "text/plain" in output["data"]
    ]


@pytest.mark.slow
def test_notebook__shows_what_it_was_committed_with(notebook):
    runner = runpy.run_path(str(EXAMPLES / "run_notebook.py"))
    again = runner["run"](notebook)
    assert texts_of(again) == texts_of(notebook)
    assert len(outputs_of(again)) == len(outputs_of(notebook))
    pictures = [one["data"] for one in outputs_of(again) if "image/svg+xml" in one.get("data", {})]
    assert len(pictures) == 2


def test_notebook__shows_nobody(notebook):
    for output in outputs_of(notebook):
        assert re.search(r"\bP\d+", json.dumps(output)) is None
