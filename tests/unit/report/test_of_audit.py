"""Findings as what a report tells: figures, cases, and back from JSON."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

import oracles_report as oracles
import seriatim as sr
from bold_reader import Bold
from seriatim.cli.audit import _print
from seriatim.errors import StudyError
from seriatim.inference.readers import READERS, named_readers
from seriatim.publish.publisher import Publisher
from seriatim.report.account import Account
from seriatim.report.cases import explained_cases, most_exposed
from seriatim.report.of_audit import account_of_audit, plain_series, series_of_findings
from seriatim.report.of_comparison import account_of_comparison


@pytest.fixture(scope="module")
def findings():
    made = sr.clinic(weeks=4, size=60)
    publisher = Publisher(made.schema, sr.k_anonymity(k=3), sr.Adversary(), seed=1)
    published = []
    for week, table in enumerate(made.weeks, start=1):
        publisher.publish(table, at=week)
        published.append(publisher.latest)
    return sr.audit(
        [one.release for one in published],
        [one.view for one in published],
        named_readers(READERS, sr.Adversary(made.prior, made.sequence)),
        memberships=[one.membership for one in published],
    )


def test_spread__is_read_off_the_sorted_gains(findings):
    for row, measured in zip(findings.of("joint"), findings.measured["joint"], strict=True):
        gains = measured.exposure.gain.tolist()
        assert row.gain_lower == pytest.approx(oracles.quantile(gains, 0.1))
        assert row.gain_median == pytest.approx(oracles.quantile(gains, 0.5))
        assert row.gain_upper == pytest.approx(oracles.quantile(gains, 0.9))


def test_distributions__count_every_tuple_of_every_reader(findings):
    series = series_of_findings("clinic", findings)
    assert [one.reader for one in series.distributions] == list(READERS)
    for one in series.distributions:
        gains = [m.exposure.gain.tolist() for m in findings.measured[one.reader]]
        everything = [gain for release in gains for gain in release]
        assert list(one.tuples) == oracles.histogram(
            [round(gain, 11) for gain in everything], one.edges
        )


def test_cases__are_each_about_someone_else_and_name_neither_person_nor_group(findings):
    assert findings.strongest == "retrospective"
    risks = most_exposed(findings, 4)
    people = [findings.respondent(risk) for risk in risks]
    assert len(set(people)) == len(people) == 4
    gains = [(risk.belief - risk.frequency) / (1 - risk.frequency) for risk in risks]
    assert gains == sorted(gains, reverse=True)
    cases = explained_cases(findings, 4)
    assert [case.belief for case in cases] == [risk.belief for risk in risks]
    told = json.dumps([asdict(case) for case in cases])
    assert "group" not in told
    assert not any(person in told for person in people)


def test_cases__are_those_of_the_strongest_reader_and_none_where_all_are_misled(findings, capsys):
    joint = findings.adversaries["joint"]

    def attacked(**readers):
        views = findings.rosters
        return sr.audit(findings.releases, views, readers, memberships=findings.memberships)

    found = attacked(joint=joint, bold=Bold(joint, 40))
    assert {risk.reader for risk in most_exposed(found, 4)} == {"joint"}
    misled = attacked(bold=Bold(joint, 40))
    assert most_exposed(misled, 4) == []
    _print(misled, [], [], show_ids=False)
    told = " ".join(capsys.readouterr().out.split())
    assert "worse than counting" in told
    assert "none is the strongest, and no case is explained" in told


def test_cases__weigh_each_release_that_someone_appears_in(findings):
    for case in explained_cases(findings, 3):
        assert case.at in [step.at for step in case.steps]
        for step in case.steps:
            assert 0 <= step.without <= 1
            assert step.told


def test_cases__tell_sizes_and_shares_so_roughly_that_no_group_is_found_by_them(findings):
    for case in explained_cases(findings, 5):
        for step in case.steps:
            assert step.size < 10 or step.size % 10 == 0
            assert (20 * step.frequency) % 1 == 0
        assert (20 * case.frequency) % 1 == 0


def test_cases__leave_out_releases_that_hardly_matter_and_keep_the_one_explained(findings):
    for case in explained_cases(findings, 5):
        kept = case.telling
        assert case.at in [step.at for step in kept]
        for step in case.steps:
            matters = abs(step.without - case.belief) >= 0.005 or "here is believed" in str(step)
            assert (step in kept) == (matters or step.at == case.at)


def test_account__comes_back_from_what_an_audit_prints(findings):
    series = replace(
        series_of_findings("clinic", findings, cases=explained_cases(findings, 2)),
        parameters=(("requirement", "k"),),
        knowledge=(("first values", "nothing"),),
    )
    printed = {
        "study": {"name": "clinic", "target gain": 0.2, "planned releases": 4},
        "series": [asdict(row) for row in findings.series],
        "releases": [asdict(row) for row in findings.rows],
        "differences": findings.differences.figures | {"cases": []},
        **plain_series(series),
    }
    told = account_of_audit(json.loads(json.dumps(printed, default=str)))
    assert told == Account("audit", "clinic", (series,), 0.2, 4, private=True)


def test_rosters_without_truth__give_no_gain_and_no_distribution(findings):
    rosters = [view.roster for view in findings.rosters]
    readers = {"joint": findings.adversaries["joint"]}
    blind = sr.audit(findings.releases, rosters, readers, memberships=findings.memberships)
    series = series_of_findings("clinic", blind)
    assert (series.strongest, series.distributions) == (None, ())


@pytest.mark.parametrize("read", [account_of_audit, account_of_comparison])
@pytest.mark.parametrize("found", [{}, {"study": {}}, {"study": 3, "rows": 4}, {"series": []}])
def test_other_json__is_refused(read, found):
    with pytest.raises(StudyError, match="not what `seriatim"):
        read(found)


def test_comparison__has_the_mean_and_the_largest_gain_of_each_reader():
    row = {
        "technique": "k-anonymity",
        "promised": "k",
        "gains": {"paper": [0.1, 0.3], "joint": [0.2, 0.2]},
        "releases": 2,
        "mean_size": 4.0,
        "penalty": 0.1,
        "query_error": 0.2,
        "learnability": 0.8,
        "suppressed": 0.0,
        "counterfeits": 0,
        "failure": None,
        "findings": {
            "paper": {"log_loss": 1.1, "log_loss_by_frequency": 1.2, "sure_and_right": 0.9},
            "joint": {"log_loss": 1.3, "log_loss_by_frequency": 1.2, "sure_and_right": 0.5},
        },
    }
    nothing = {
        **row,
        "gains": {"paper": [], "joint": []},
        "findings": {},
        "releases": 0,
        "failure": "at 1: none",
    }
    found = account_of_comparison(
        {
            "study": {"name": "s", "target gain": 0.1, "planned releases": 2},
            "readers": ["paper", "joint"],
            "rows": [row, nothing],
            "queries": 10,
            "selectivity": 0.05,
        }
    )
    paper, joint = found.series[0].readers
    assert (paper.gain, paper.gain_largest) == (pytest.approx(0.2), 0.3)
    assert found.series[0].strongest == paper
    assert (paper.log_loss, paper.sure_and_right) == (1.1, 0.9)
    assert found.series[0].misled == (joint,)
    assert joint.gain_largest == 0.2
    assert (found.series[0].query_error, found.series[0].learnability) == (0.2, 0.8)
    assert found.series[1].learnability is None
    assert found.series[1].strongest is None
    assert (found.series[1].penalty, found.series[1].failure) == (None, "at 1: none")
    assert np.isclose(found.target, 0.1)
