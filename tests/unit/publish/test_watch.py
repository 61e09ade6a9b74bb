"""The watch: what the simulated reader gains, told before it is too late."""

import json

import pytest
from typer.testing import CliRunner

import seriatim as sr
from seriatim.cli.app import app
from seriatim.publish.watch import watch
from studies import week, write_study


@pytest.fixture
def study(tmp_path):
    planned = ("\n[plan]\nreleases = 3\ntarget_gain = 0.5\n",)
    path = write_study(tmp_path)
    path.write_text(path.read_text("utf-8") + planned[0], "utf-8")
    return path


def test_watch__is_the_audits_gain_of_the_same_reader(study):
    declared = sr.Study.read(study)
    made, told = [], []
    with sr.Press(declared) as press:
        for number in (1, 2, 3):
            printed = press.publish(week(study, number), at=number)
            made.append(printed.publication)
            told.append(printed.watched)
        entries = press.store.entries
    found = sr.audit(
        [one.release for one in made],
        [one.view for one in made],
        {"own": declared.adversary},
        memberships=[one.membership for one in made],
    )
    gains = [row.gain for row in found.rows]
    assert [one.gain for one in told] == pytest.approx(gains, abs=1e-5)
    assert [one.greatest for one in told] == pytest.approx(
        [max(gains[: place + 1]) for place in range(3)], abs=1e-5
    )
    assert [entry.record["watch"]["gain"] for entry in entries] == [one.gain for one in told]
    shown = [entry.record["certificate"]["simulated reader"]["mean gain"] for entry in entries]
    assert shown == [round(one.gain, 4) for one in told]


def test_certificate__says_nothing_of_the_worst_case(study):
    declared = sr.Study.read(study)
    with sr.Press(declared) as press:
        printed = press.publish(week(study, 1), at=1)
    assert "worst" not in printed.certificate["simulated reader"]


def test_enforced_target__refuses_before_anything_is_written(study):
    text = study.read_text("utf-8")
    study.write_text(
        text.replace("target_gain = 0.5", "target_gain = 0.0\nenforce = true"), "utf-8"
    )
    declared = sr.Study.read(study)
    with (
        sr.Press(declared) as press,
        pytest.raises(sr.UnsatisfiableError, match="the study enforces 0"),
    ):
        press.publish(week(study, 1), at=1)
    assert not list(declared.output_folder.glob("*"))
    with sr.Press(declared) as press:
        assert press.store.n_releases == 0


def test_commands__show_the_gain_and_warn(study):
    run = CliRunner()
    text = study.read_text("utf-8")
    first = run.invoke(app, ["publish", str(week(study, 1)), "--study", str(study)])
    assert "Watched: the simulated reader gains" in first.stdout
    assert "WARNING" not in first.stdout
    study.write_text(text.replace("target_gain = 0.5", "target_gain = 0.01"), "utf-8")
    second = run.invoke(app, ["publish", str(week(study, 2)), "--study", str(study), "--json"])
    assert json.loads(second.stdout)["watched"]["gain"] > 0.01
    third = run.invoke(app, ["publish", str(week(study, 3)), "--study", str(study)])
    assert "WARNING: the target is near or passed" in third.stdout
    listed = run.invoke(app, ["history", "--study", str(study)])
    assert "0 to target 0.01" in listed.stdout
    assert "█ !" in listed.stdout


def test_watch__of_an_old_series_begins_with_what_there_is(study):
    declared = sr.Study.read(study)
    with sr.Press(declared) as press:
        publication = press.preview(week(study, 1), at=1).publication
    old = sr.publish.Entry(0, b"", {"certificate": {}})
    assert watch(publication, [old]) == watch(publication, [])
