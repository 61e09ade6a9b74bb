"""The verdict: the strongest reader beside the target, and what is not known."""

import datetime as dt
from dataclasses import replace

import pytest

from seriatim.report.account import (
    Account,
    DifferenceFigures,
    Link,
    ReaderPoint,
    ReaderSummary,
    SeriesAccount,
    TableFigures,
)
from seriatim.report.judgement import judge
from seriatim.report.page import key_figures, page
from seriatim.report.writing import key_figures_of

COUNTING = 2.5
NAMES = ("paper", "joint", "retrospective")


def summary(name, gain, loss=2.0, right=None):
    return ReaderSummary(
        name,
        gain,
        gain,
        log_loss=loss,
        log_loss_by_frequency=COUNTING,
        sure_above_nine_tenths=0.1,
        sure_and_right=right,
    )


def table(number, watched=None):
    return TableFigures(number, str(number), 20, 2, ((10, 2),), 0.2, watched=watched)


def account(*readers, watched=None, kind="series", tables=2, links=(), planned=2):
    series = SeriesAccount(
        "ours",
        tuple(table(number, watched) for number in range(1, tables + 1)),
        tuple(summary(*one) for one in readers),
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


@pytest.mark.parametrize(("known", "level"), [(0.02, "over"), (0.005, "holds"), (None, "holds")])
def test_verdict__compares_people_known_with_the_promise(known, level):
    told = account(("worlds", 0.01))
    (series,) = told.series
    readers = (replace(series.readers[0], ever_known=known),)
    told = replace(told, series=(replace(series, readers=readers),), share=0.005)
    verdict = judge(told)
    assert verdict.level == level
    assert ("2.0% of the people" in verdict.sentence) == (level == "over")
    assert judge(replace(told, share=1.0)).level == "holds"


def test_verdict__is_by_the_lowest_log_loss_and_not_by_gain_or_name():
    found = judge(account(("paper", 0.3, 2.4), ("joint", 0.2, 1.5), ("retrospective", 0.01, 2.2)))
    assert found.level == "over"
    assert "the joint reader gains up to 0.200" in found.sentence
    held = judge(account(("paper", 0.3, 2.4), ("retrospective", 0.01, 2.2)))
    assert held.level == "holds"
    assert "the retrospective reader gains at most 0.010" in held.sentence


def test_verdict__tells_log_loss_and_calibration_and_who_is_worse_than_counting():
    told = account(("paper", 0.3, 2.61), ("retrospective", 0.01, 2.2, 0.91))
    because = " ".join(judge(told).because)
    assert (
        "The strongest is the one with the lowest log-loss: retrospective, with 2.20 bits, counting"
        " 2.50; of what it said above .9, 91% was right." in because
    )
    assert "Worse than counting, and so not held against the target: paper, 2.61 bits" in because


@pytest.mark.parametrize("named", [0, 27])
def test_verdict__rests_on_whom_subtraction_names_too(named):
    whole = account(("retrospective", 0.01))
    found = DifferenceFigures(10, 300, 48, named, named)
    series = replace(whole.series[0], differences=found)
    because = " ".join(judge(replace(whole, series=(series,))).because)
    assert (f"the value of {named} of 300 people by counts alone" in because) == (named > 0)


def test_verdict__is_open_where_every_reader_is_worse_than_counting():
    told = account(("paper", 0.01, 2.6), ("retrospective", 0.3, 2.9))
    found = judge(told)
    assert found.level == "open"
    assert "worse than counting" in found.sentence
    assert not any("--original" in one for one in found.unknown)
    largest = key_figures(told)[0]
    assert (largest.value, "every reader is worse than counting" in largest.beside) == ("–", True)


def test_figures__for_machines_tell_the_strongest_beside_counting_and_who_is_worse():
    plain = key_figures_of(account(("paper", 0.3, 2.6), ("joint", 0.1, 2.2, 0.9)))
    (series,) = plain["series"]
    assert (plain["strongest reader"], series["strongest reader"]) == ("joint", "joint")
    assert (series["largest mean gain"], series["log-loss"]) == (0.1, 2.2)
    assert (series["log-loss of counting"], series["right of what was said above 0.9"]) == (
        2.5,
        0.9,
    )
    assert series["worse than counting"] == ["paper"]


def test_page__says_in_words_who_is_strongest_and_who_is_worse_than_counting():
    told = account(("paper", 0.3, 2.6), ("joint", 0.1, 2.2), ("retrospective", 0.11, 2.3))
    points = tuple(ReaderPoint(name, at, 0.1) for name in NAMES for at in ("1", "2"))
    drawn = replace(told, series=(replace(told.judged, points=points),))
    text = page(drawn, made_on=dt.date(2026, 1, 1))
    rows = {name: text.split(f'<th scope="row">{name}</th>')[1].split("</tr>")[0] for name in NAMES}
    assert "<strong>worse than counting</strong>" in rows["paper"]
    assert "<strong>strongest</strong>" in rows["joint"]
    assert "<strong>" not in rows["retrospective"]
    assert "joint; target 0.12; log-loss 2.20 bits, counting 2.50" in text


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
        readers=(summary("retrospective", 0.3),),
        mean_size=3.0,
        penalty=0.1,
    )
    both = replace(ours, series=(replace(ours.judged, mean_size=14.0, penalty=0.25), rival))
    told = " ".join(judge(both).because)
    assert (
        "rival: gain up to 0.300 (2.00 bits, counting 2.50), groups of 3, detail lost 10.0% (here"
        " 14 and 25.0%)" in told
    )


def compared(*rows):
    series = tuple(
        SeriesAccount(name, (), (summary("joint", gain),), penalty=lost, failure=failure)
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


def test_comparison__does_not_judge_a_technique_by_readers_who_are_worse_than_counting():
    misled = compared(("a", 0.01, 0.1, None))
    (series,) = misled.series
    worse = replace(series, readers=(summary("joint", 0.01, 2.6),))
    found = judge(replace(misled, series=(worse,)))
    assert found.level == "open"
    assert "who knows more than counting tells" in found.sentence
    both = compared(("a", 0.01, 0.1, None), ("b", 0.05, 0.3, None))
    beside = judge(replace(both, series=(worse, both.series[1])))
    assert ", b keeps most detail" in beside.sentence
    assert "all worse than counting" in page(
        replace(both, series=(worse, both.series[1])), made_on=dt.date(2026, 1, 1)
    )
