"""``seriatim example``: the story, and its figures for machines."""

import io
import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from seriatim.cli.app import app, main

PLAIN = {"COLUMNS": "100", "FORCE_COLOR": None}
"""A terminal that asks for no colours and is wide enough for the tables."""


def run(*arguments):
    return CliRunner().invoke(app, ["example", *arguments], env=PLAIN)


@pytest.fixture(scope="module")
def story():
    """The story as one line: where it is folded depends on the terminal."""
    return " ".join(run().stdout.split())


@pytest.fixture(scope="module")
def figures():
    return json.loads(run("--json").stdout)


@pytest.mark.parametrize("table", ["Table I", "Table II(a)", "Table II(b)", "Table III(a)"])
def test_story__shows_the_tables_of_the_paper(story, table):
    assert table in story


@pytest.mark.parametrize("name", ["Alice", "Betty", "Carol", "Doris", "Elisa", "Fran", "Grace"])
def test_story__is_about_everyone(story, name):
    assert name in story


@pytest.mark.parametrize("figure", ["0.31", "0.899", "0.871", "0.934", "0.186 bit", "[51,52]"])
def test_story__has_the_key_figures(story, figure):
    assert figure in story


@pytest.mark.parametrize("mask", ["1203*", "1204*"])
def test_story__shows_generalized_places(story, mask):
    assert mask in story


def test_figures__after_release_1_are_all_even(figures):
    rows = figures["posterior_1"]
    assert set(rows) == {"Alice", "Betty", "Carol", "Doris"}
    assert {value for row in rows.values() for value in row.values()} == {0.5}


def test_figures__expected_of_release_2_are_those_of_table_iii_b(figures):
    assert figures["revised_2"] == {
        "Alice": {"BCM-pos": 0.31, "PNE-pos": 0.05},
        "Carol": {"BCM-pos": 0.02, "PNE-pos": 0.31},
    }


def test_figures__after_release_2_are_those_of_table_iii_c(figures):
    """0.62 / 0.69 = (0.31 + 0.31) / (0.31 + 0.31 + 0.05 + 0.02), rounded to six digits."""
    assert figures["posterior_2"]["additive"] == {
        "Alice": {"BCM-pos": round(62 / 69, 6), "PNE-pos": round(7 / 69, 6)},
        "Carol": {"BCM-pos": round(7 / 69, 6), "PNE-pos": round(62 / 69, 6)},
    }


def test_figures__after_release_2_have_the_omega_estimate_beside_them(figures):
    alice = (0.31 / 0.33) / (0.31 / 0.33 + 0.05 / 0.36)
    carol = (0.31 / 0.36) / (0.31 / 0.36 + 0.02 / 0.33)
    assert figures["posterior_2"]["omega"] == {
        "Alice": {"BCM-pos": round(alice, 6), "PNE-pos": round(1 - alice, 6)},
        "Carol": {"BCM-pos": round(1 - carol, 6), "PNE-pos": round(carol, 6)},
    }


def test_figures__of_js_reduce_leave_nothing_to_gain(figures):
    defence = figures["js_reduce"]
    assert defence["gain"] == 0.0
    assert {v for row in defence["posterior_2"].values() for v in row.values()} == {0.5}


def test_figures__of_js_reduce_say_why_the_printed_group_is_refused(figures):
    defence = figures["js_reduce"]
    assert defence["policy"] == {"k": 2, "t": 0.6, "j": 0.1}
    assert defence["divergence_of_group_3_as_printed"] == pytest.approx(0.186185)
    assert "JSBound(j=0.1) fails" in defence["after_printed_release_1"]


def test_figures__are_the_same_every_time_and_plain_json_where_colours_are_asked_for(figures):
    printed = subprocess.run(
        [sys.executable, "-W", "error", "-m", "seriatim.cli", "example", "--json"],
        capture_output=True,
        encoding="utf-8",
        check=True,
        env=os.environ | {"FORCE_COLOR": "1"},
    ).stdout
    assert "\x1b" not in printed
    assert json.loads(printed) == figures


def test_story__is_told_where_the_terminal_has_only_ascii(story, monkeypatch):
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "argv", ["seriatim", "example"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0
    told = " ".join(terminal.buffer.getvalue().decode("ascii").split())
    assert "Ω-estimate" in story
    assert "?-estimate" in told
    assert "0.899" in told
