"""What an audit finds, against figures worked out one respondent at a time."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given

import oracles_readers as oracles
import seriatim as sr
from bold_reader import Bold
from strategies_readers import told_series

NAMES = ("Alice", "Betty", "Carol", "Doris", "Elisa", "Fran", "Grace")


def readers_of(example):
    knowledge = {"prior": example.prior, "sequence": example.sequence}
    return {
        "snapshot": sr.Adversary(prior=example.prior),
        "paper": sr.Adversary(**knowledge, rule="additive"),
        "joint": sr.Adversary(**knowledge, rule="exact", filtering="joint"),
        "retrospective": sr.Retrospective(sr.Adversary(**knowledge, rule="exact")),
    }


@pytest.fixture(scope="module")
def readers(running_example):
    return readers_of(running_example)


@pytest.fixture(scope="module")
def findings(running_example, readers):
    return sr.audit(running_example.releases, running_example.views, readers)


@pytest.fixture(scope="module")
def without_truth(running_example, readers):
    rosters = [view.roster for view in running_example.views]
    return sr.audit(running_example.releases, rosters, readers)


def audited(views, memberships, beliefs):
    """Every published respondent with what is believed, what counting says, and the truth."""
    found = []
    for week, (view, membership, belief) in enumerate(
        zip(views, memberships, beliefs, strict=True)
    ):
        groups, values = membership.group_of.tolist(), view.value_codes.tolist()
        for row, person in enumerate(view.respondents.to_pylist()):
            here = [values[other] for other in range(len(view)) if groups[other] == groups[row]]
            share = [here.count(value) / len(here) for value in range(len(belief.domain))]
            row_of = belief.probabilities[row].tolist()
            found.append(oracles.Audited(week, person, row_of, share, values[row]))
    return found


# ---------------------------------------------------------------------------
# Figures
# ---------------------------------------------------------------------------


def test_findings__count_people_once_and_tuples_in_every_release(findings, without_truth):
    for found in (findings, without_truth):
        assert found.company == "2 releases, 7 people; 9 of their 9 tuples fit a group."
        assert {(row.people, row.tuples) for row in found.series} == {(7, 9)}


def assert_figures(found, readers, views, memberships):
    for reader in readers:
        everyone = audited(views, memberships, found.beliefs[reader])
        for week, row in enumerate(found.of(reader)):
            expected = oracles.release_figures([one for one in everyone if one.week == week])
            for name, figure in expected.items():
                assert getattr(row, name) == pytest.approx(figure, abs=1e-6), name
            assert row.tuples == len(views[week])
        (series,) = [one for one in found.series if one.reader == reader]
        for name, figure in oracles.series_figures(everyone).items():
            assert getattr(series, name) == pytest.approx(figure, abs=1e-6), name


def test_findings__agree_with_figures_by_hand(findings, readers, running_example):
    assert_figures(findings, readers, running_example.views, running_example.memberships)


@given(told_series(most_weeks=3))
def test_findings__of_any_series_agree_with_figures_by_hand(case):
    releases, views = case.publish()
    reader = case.adversary(told=False)
    readers = {"joint": reader, "retrospective": sr.Retrospective(reader)}
    found = sr.audit(releases, views, readers)
    assert_figures(found, readers, views, found.memberships)


def test_findings__of_the_series_are_those_of_the_retrospective_reader(findings):
    """Alice and Carol are found out in both weeks; two of seven people."""
    *_, series = findings.series
    assert series.reader == "retrospective"
    assert series.ever_above_nine_tenths == pytest.approx(2 / 7)
    assert series.sure_and_right == 1.0


def test_findings__say_how_right_a_reader_is_who_is_never_sure(running_example):
    found = sr.audit(running_example.releases, running_example.views, [sr.Adversary()])
    assert found.series[0].sure_and_right is None
    assert found.series[0].sure_above_nine_tenths == 0.0


def test_findings__say_which_gain_one_in_ten_exceeds(findings):
    assert findings.of("snapshot")[0].gain_upper == pytest.approx(0.0, abs=1e-9)
    row = findings.of("retrospective")[0]
    assert row.gain <= row.gain_upper <= 1


# ---------------------------------------------------------------------------
# What goes in
# ---------------------------------------------------------------------------


def test_audit__numbers_readers_that_come_in_a_list(running_example, readers, findings):
    found = sr.audit(running_example.releases, running_example.views, [*readers.values()])
    assert found.readers == ("reader 1", "reader 2", "reader 3", "reader 4")
    assert [row.gain for row in found.rows] == [row.gain for row in findings.rows]


@pytest.mark.parametrize("kind", [dict, pa.table, pd.DataFrame, pl.DataFrame])
def test_audit__reads_tables_as_views(running_example, readers, findings, kind):
    tables = [kind(table) for table in running_example.tables]
    found = sr.audit(running_example.releases, tables, readers)
    assert [row.gain for row in found.rows] == [row.gain for row in findings.rows]


@pytest.mark.parametrize("kind", [dict, pd.DataFrame])
def test_audit__reads_tables_without_the_sensitive_column_as_rosters(
    running_example, readers, without_truth, kind
):
    tables = [
        kind({name: column for name, column in table.items() if name != "exam"})
        for table in running_example.tables
    ]
    found = sr.audit(running_example.releases, tables, readers)
    assert found.rows == without_truth.rows


def test_audit__reads_a_history(running_example, readers, findings):
    history = sr.History(running_example.releases)
    found = sr.audit(history, running_example.views, readers)
    assert [row.gain for row in found.rows] == [row.gain for row in findings.rows]


def test_audit__takes_the_memberships_it_is_given(running_example, readers, findings):
    found = sr.audit(
        running_example.releases,
        running_example.views,
        readers,
        memberships=running_example.memberships,
    )
    assert found.memberships == running_example.memberships
    assert [row.gain for row in found.rows] == [row.gain for row in findings.rows]


def test_audit__refuses_fewer_memberships_than_releases(running_example, readers):
    with pytest.raises(sr.SeriatimError):
        sr.audit(
            running_example.releases,
            running_example.views,
            readers,
            memberships=running_example.memberships[:1],
        )


def test_audit__refuses_memberships_of_other_people_than_the_originals(running_example, readers):
    table = running_example.tables[0]
    more = {
        "name": [*table["name"], "Aaron"],
        "age": [*table["age"], 99],
        "gender": [*table["gender"], "F"],
        "zip": [*table["zip"], "12099"],
    }
    release, roster = (
        running_example.releases[0],
        sr.Roster.from_table(more, running_example.schema),
    )
    with pytest.raises(sr.SeriatimError):
        sr.audit(
            [release],
            running_example.views[:1],
            readers,
            memberships=[sr.place(roster, release)],
        )


def test_audit__has_figures_of_the_releases_whose_truth_is_known(running_example, readers):
    first, second = running_example.views
    found = sr.audit(running_example.releases, [first, second.roster], readers)
    known, unknown = found.of("paper")
    assert known.gain is not None
    assert unknown.gain is None
    assert {one.gain for one in found.series} == {None}


def test_audit__asks_readers_of_ones_own(running_example):
    class Indifferent:
        def read(self, releases, memberships, originals=None):
            return [sr.Adversary().expect(one.roster) for one in memberships]

        def told(self, roster, at):
            return sr.Adversary().told(roster, at)

    found = sr.audit(running_example.releases, running_example.views, {"own": Indifferent()})
    assert [row.confidence for row in found.rows] == pytest.approx([0.1, 0.1])
    with pytest.raises(sr.OrderError, match="Only an Adversary"):
        found.explain(found.at_risk("own")[0])


# ---------------------------------------------------------------------------
# The strongest reader
# ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def clinic_series():
    made = sr.clinic(weeks=4, size=60)
    publisher = sr.Publisher(made.schema, sr.k_anonymity(k=4), sr.Adversary(), seed=1)
    published = []
    for week, table in enumerate(made.weeks, start=1):
        publisher.publish(table, at=week)
        published.append(publisher.latest)
    return made, published


def attacked(series, readers):
    made, published = series
    return sr.audit(
        [one.release for one in published],
        [one.view for one in published],
        readers(sr.Adversary(made.prior, made.sequence, rule="strongest", filtering="joint")),
        memberships=[one.membership for one in published],
    )


def test_strongest__is_not_the_bold_one_who_gains_more_and_knows_less(clinic_series):
    found = attacked(clinic_series, lambda one: {"honest": one, "bold": Bold(one, 6)})
    honest, bold = found.series
    assert bold.gain > honest.gain
    assert bold.gain_largest > honest.gain_largest
    assert bold.log_loss > honest.log_loss
    assert bold.sure_and_right < honest.sure_and_right
    assert found.strongest == "honest"
    lines = str(found).splitlines()
    assert lines[1].startswith("honest")
    assert lines[1].endswith("  strongest")


def test_reader_worse_than_counting__is_marked_and_never_the_strongest(clinic_series):
    found = attacked(clinic_series, lambda one: {"very bold": Bold(one, 40)})
    (bold,) = found.series
    assert bold.gain > 0
    assert bold.log_loss > bold.log_loss_by_frequency
    assert found.strongest is None
    assert str(found).splitlines()[1].endswith("  worse than counting")
    with_paper = attacked(clinic_series, lambda one: {"weak": one, "very bold": Bold(one, 40)})
    assert with_paper.strongest == "weak"


def test_strongest__without_the_truth_is_the_last_that_was_named(without_truth):
    assert without_truth.strongest == "retrospective"


def test_calibration__of_a_release_is_how_many_of_those_believed_above_nine_tenths_are_right(
    findings,
):
    for row, measured in zip(findings.rows, _measured(findings), strict=True):
        told = zip(measured.beliefs.tolist(), measured.exposure.confidence.tolist(), strict=True)
        right = [truth > 0.9 for row_of, truth in told if max(row_of) > 0.9]
        assert row.sure_and_right == (sum(right) / len(right) if right else None)


def _measured(findings):
    return [one for reader in findings.readers for one in findings.measured[reader]]


# ---------------------------------------------------------------------------
# Without the truth
# ---------------------------------------------------------------------------


def test_findings__without_the_truth_say_how_sure_readers_are(without_truth, findings):
    for mine, theirs in zip(without_truth.rows, findings.rows, strict=True):
        assert mine.sure_above_nine_tenths == theirs.sure_above_nine_tenths
        assert mine.respondents == theirs.respondents
        assert mine.gain is mine.log_loss is mine.above_half is None
    assert {one.ever_above_half for one in without_truth.series} == {None}


def test_risks__without_the_truth_are_what_is_believed_most(without_truth):
    for risk in without_truth.at_risk("retrospective", most=4):
        belief = without_truth.beliefs["retrospective"][risk.release]
        assert risk.belief == belief.probabilities[risk.row].max()
    risks = without_truth.at_risk("retrospective", most=99)
    surplus = [risk.belief - risk.frequency for risk in risks]
    assert surplus == sorted(surplus, reverse=True)


# ---------------------------------------------------------------------------
# Risks
# ---------------------------------------------------------------------------


def test_risks__begin_with_the_largest_gain(findings, readers):
    for reader in readers:
        risks = findings.at_risk(reader, most=99)
        gained = [
            0.0 if risk.frequency == 1 else (risk.belief - risk.frequency) / (1 - risk.frequency)
            for risk in risks
        ]
        assert len(risks) == 9
        assert gained == pytest.approx(sorted(gained, reverse=True), abs=1e-12)
        assert findings.at_risk(reader, most=3) == risks[:3]


def test_risks__are_about_true_values(findings, running_example):
    for risk in findings.at_risk("paper", most=99):
        view = running_example.views[risk.release]
        assert (
            risk.value == findings.releases[0].schema.sensitive.domain[view.value_codes[risk.row]]
        )
        assert risk.belief == findings.beliefs["paper"][risk.release].of(risk.value)[risk.row]
        assert findings.respondent(risk) == view.respondents[risk.row].as_py()


def test_risks__of_a_reader_who_is_not_there_suggest_another(findings):
    with pytest.raises(sr.OrderError, match="Did you mean 'paper'"):
        findings.at_risk("papper")


def test_risks__are_explained_with_the_belief_they_have(findings, without_truth, readers):
    for found in (findings, without_truth):
        for reader in readers:
            for risk in found.at_risk(reader, most=99):
                story = found.explain(risk)
                assert story.value == risk.value
                assert story.at == found.releases[risk.release].at
                assert story.belief == pytest.approx(risk.belief, abs=1e-9)


# ---------------------------------------------------------------------------
# Printing
# ---------------------------------------------------------------------------


def test_findings__are_printed_as_a_table(findings, readers):
    head, *lines = str(findings).splitlines()
    assert [line.split()[0] for line in lines] == list(readers)
    assert len(head.split("  ")) > 5
    assert lines[-1].split()[5] == "44.4%"


def test_findings__without_the_truth_print_a_dash_for_what_needs_it(without_truth):
    _, *lines = str(without_truth).splitlines()
    assert all(line.count(" -") == 6 for line in lines)


@pytest.mark.parametrize("name", ["x", "reader", "a reader with a long name"])
def test_findings__stand_below_their_titles(running_example, name):
    found = sr.audit(running_example.releases, running_example.views, {name: sr.Adversary()})
    head, line = str(found).splitlines()
    assert len(head) == len(line)


def test_findings__name_nobody(findings, without_truth, readers):
    for found in (findings, without_truth):
        printed = str(found) + repr(found)
        printed += str(found.to_frame("mapping")) + str(found.series_to_frame("mapping"))
        for reader in readers:
            for risk in found.at_risk(reader, most=99):
                printed += repr(risk) + repr(found.explain(risk)) + str(found.explain(risk))
        for one in found.measured["paper"]:
            printed += repr(one)
        assert not [name for name in NAMES if name in printed]


@pytest.mark.parametrize(
    ("kind", "rows"),
    [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table), ("mapping", dict)],
)
def test_findings__come_in_any_kind_of_table(findings, without_truth, kind, rows):
    for found in (findings, without_truth):
        frame, series = found.to_frame(kind), found.series_to_frame(kind)
        assert isinstance(frame, rows)
        assert isinstance(series, rows)
    gains = findings.to_frame("mapping")["gain"]
    assert gains == [row.gain for row in findings.rows]
    assert findings.series_to_frame("mapping")["gain"] == [row.gain for row in findings.series]
