"""The verdict: the strongest reader beside the target, and what is not known."""

from dataclasses import replace

import pytest

from seriatim.report.account import Account, Link, ReaderSummary, SeriesAccount, TableFigures
from seriatim.report.judgement import judge


def table(number, watched=None):
    return TableFigures(number, str(number), 20, 2, ((10, 2),), 0.2, watched=watched)


def account(*readers, watched=None, kind="series", tables=2, links=(), planned=2):
    series = SeriesAccount(
        "ours",
        tuple(table(number, watched) for number in range(1, tables + 1)),
        tuple(ReaderSummary(name, gain, gain) for name, gain in readers),
        links=links,
    )
    return Account(kind, "clinic", (series,), 0.12, planned)


@pytest.mark.parametrize(
    ("gain", "level"), [(0.05, "holds"), (0.096, "holds"), (0.1, "near"), (0.121, "over")]
)
def test_verdict__compares_the_strongest_reader_with_the_target(gain, level):
    found = judge(account(("paper", 0.01), ("retrospective", gain)))
    assert found.level == level
    assert f"{gain:.3f}" in found.sentence
    assert "retrospective" in found.sentence
    assert "0.12" in found.sentence


def test_verdict__is_by_whoever_gained_most_and_not_by_name():
    found = judge(account(("joint", 0.2), ("retrospective", 0.01)))
    assert found.level == "over"
    assert "joint" in found.sentence


def test_verdict__is_open_where_only_the_simulated_reader_is_known():
    found = judge(account(watched=0.03))
    assert found.level == "open"
    assert "stronger readers were not tried" in found.sentence
    assert any("--original" in one for one in found.unknown)


def test_verdict__is_no_where_already_the_simulated_reader_gains_too_much():
    assert judge(account(watched=0.2)).level == "over"


def test_verdict__goes_by_the_simulated_reader_who_looks_back_where_there_is_one():
    forward = account(watched=0.03)
    (series,) = forward.series
    tables = tuple(replace(one, watched_back=0.2) for one in series.tables)
    found = judge(replace(forward, series=(replace(series, tables=tables),)))
    assert found.level == "over"
    assert "looks back a few releases" in found.sentence
    assert "reads forward" in judge(forward).sentence


def test_verdict__is_open_where_nothing_is_known():
    found = judge(account())
    assert found.level == "open"
    assert "not known" in found.sentence


def test_verdict__puts_a_broken_certificate_before_all_else():
    links = (Link("release-0001.certificate.json", "ab", False, ("digest: changed",)),)
    found = judge(account(("retrospective", 0.01), links=links))
    assert found.level == "broken"
    assert "release-0001.certificate.json" in found.sentence


def test_verdict__says_which_reader_was_not_tried_and_what_is_still_planned():
    found = judge(account(("paper", 0.01), planned=24))
    told = " ".join(found.unknown)
    assert "looks back" in told
    assert "22 releases" in told


def test_verdict__on_one_release_is_about_that_release_alone():
    found = judge(account(("retrospective", 0.01), kind="release", tables=1))
    assert "this release alone" in found.sentence
    assert any("others of its series" in one for one in found.unknown)


def test_verdict__tells_sizes_and_detail_of_both_where_another_series_stands_beside():
    ours = account(("retrospective", 0.05))
    rival = replace(
        ours.judged,
        name="rival",
        readers=(ReaderSummary("retrospective", 0.3, 0.3),),
        mean_size=3.0,
        penalty=0.1,
    )
    both = replace(ours, series=(replace(ours.judged, mean_size=14.0, penalty=0.25), rival))
    told = " ".join(judge(both).because)
    assert "rival: gain up to 0.300, groups of 3, detail lost 10.0% (here 14 and 25.0%)" in told


def compared(*rows):
    series = tuple(
        SeriesAccount(
            name, (), (ReaderSummary("joint", gain, gain),), penalty=lost, failure=failure
        )
        for name, gain, lost, failure in rows
    )
    return Account("comparison", "clinic", series, 0.12)


def test_comparison__recommends_most_detail_among_those_under_the_target():
    rows = ("a", 0.2, 0.1, None), ("b", 0.05, 0.3, None), ("c", 0.06, 0.2, None)
    found = judge(compared(*rows))
    assert found.level == "holds"
    assert "2 of 3" in found.sentence
    assert ", c keeps most detail" in found.sentence


def test_comparison__does_not_recommend_a_series_that_ended_early():
    found = judge(compared(("a", 0.01, 0.1, "at 2: no group"), ("b", 0.05, 0.3, None)))
    assert ", b keeps most detail" in found.sentence


def test_comparison__owns_up_where_no_technique_holds():
    found = judge(compared(("a", 0.2, 0.1, None), ("b", 0.3, 0.3, None)))
    assert found.level == "over"
    assert "a with 0.200" in found.sentence
