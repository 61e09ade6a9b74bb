"""Readers who were told values: certain of those, and sharper about the others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_readers as oracles
import seriatim as sr
from strategies_readers import told_series


def rows_of(view):
    return {person: row for row, person in enumerate(view.respondents.to_pylist())}


def read(case, reader):
    releases, views = case.publish()
    members = [sr.place(view.roster, one) for view, one in zip(views, releases, strict=True)]
    return views, reader.read(releases, members)


@given(told_series())
def test_told_values__are_believed_with_certainty_at_their_release(case):
    for reader in (case.adversary(), sr.Retrospective(case.adversary())):
        views, beliefs = read(case, reader)
        for week, view, belief in zip(case.weeks, views, beliefs, strict=True):
            for person, value in week.told.items():
                row = belief.probabilities[rows_of(view)[person]]
                assert np.allclose(row, oracles.certainty(len(row), value))


@given(told_series())
def test_told_values__sharpen_the_group_and_carry_over_to_the_next_release(case):
    """As by enumerating what is left of each group, and every sequence of past values."""
    expected = oracles.read_jointly(case.weeks, case.prior, case.knowledge)
    views, beliefs = read(case, case.adversary())
    for view, belief, reads in zip(views, beliefs, expected, strict=True):
        for person, row in rows_of(view).items():
            assert np.allclose(belief.probabilities[row], reads[person].posterior, atol=1e-8)


@given(told_series(most_weeks=3))
def test_told_values__bear_on_earlier_releases_of_whoever_goes_back(case):
    filtered = oracles.read_jointly(case.weeks, case.prior, case.knowledge)
    passed = oracles.passed_messages(case.weeks, filtered, case.prior, case.knowledge, 2)
    expected = oracles.smoothed_weeks(passed, case.prior, case.knowledge)
    views, beliefs = read(case, sr.Retrospective(case.adversary(), passes=2))
    for view, belief, rows in zip(views, beliefs, expected, strict=True):
        for person, row in rows_of(view).items():
            assert np.allclose(belief.probabilities[row], rows[person], atol=1e-8)


@given(told_series())
def test_told_values__at_other_instants_change_nothing(case):
    later = sr.CompromisedTuples(
        {at + 100: ids for at, ids in case.compromised.respondents.items()},
        {at + 100: values for at, values in case.compromised.values.items()},
    )
    _, told = read(case, case.adversary(told=False, compromised=later))
    _, alone = read(case, case.adversary(told=False))
    for one, other in zip(told, alone, strict=True):
        assert np.array_equal(one.probabilities, other.probabilities)


@given(told_series())
def test_audit__leaves_those_out_whom_a_reader_was_told_of(case):
    releases, views = case.publish()
    told, alone = case.adversary(), case.adversary(told=False)
    found = sr.audit(releases, views, {"told": told, "alone": alone})
    beliefs = found.beliefs["told"]
    for week, view, belief, row in zip(case.weeks, views, beliefs, found.of("told"), strict=True):
        audited = [
            oracles.Audited(
                0,
                person,
                belief.probabilities[rows_of(view)[person]].tolist(),
                [[v for _, v in group].count(v) / len(group) for v in range(len(belief.domain))],
                value,
            )
            for group in week.groups
            for person, value in group
            if person not in week.told
        ]
        assert row.respondents == len(audited)
        assert row.tuples == len(view)
        if audited:
            figures = oracles.release_figures(audited)
            for name in ("gain", "confidence", "log_loss", "above_half", "sure_above_half"):
                assert getattr(row, name) == pytest.approx(figures[name], abs=1e-6)
    assert all(row.respondents == row.tuples for row in found.of("alone"))
    named = {(risk.release, found.respondent(risk)) for risk in found.at_risk("told", most=99)}
    assert not named & {(at, one) for at, week in enumerate(case.weeks) for one in week.told}


def test_audit__of_a_reader_who_was_told_everything_has_nobody_to_measure(running_example):
    told = sr.CompromisedTuples.drawn(running_example.views, [1, 2], share=1, seed=0)
    reader = sr.Adversary(prior=running_example.prior, compromised=told)
    found = sr.audit(running_example.releases, running_example.views, [reader])
    assert [row.respondents for row in found.rows] == [0, 0]
    assert [row.gain for row in found.rows] == [0.0, 0.0]
    assert found.at_risk("reader 1") == []
    assert found.series[0].tuples == 0
    assert "reader 1" in str(found)


def test_told_values__tell_the_rest_of_a_pair(running_example):
    """Betty's answer gives Alice away at once, and what she will have next week."""
    told = sr.CompromisedTuples.from_table(
        {"name": ["Betty"], "week": [1], "exam": ["CX-neg"]},
        respondent="name",
        at="week",
        value="exam",
    )
    reader = sr.Adversary(
        prior=running_example.prior, sequence=running_example.sequence, compromised=told
    )
    first = reader.observe(running_example.releases[0], running_example.memberships[0])
    assert first.of("MAM-pos")[0] == 1.0
    assert first.of("CX-neg")[1] == 1.0
    expected = reader.expect(running_example.views[1].roster)
    assert expected.of("BCM-pos")[0] == pytest.approx(0.6)


def test_told_values__of_someone_who_is_not_in_the_release_carry_over(running_example):
    """Elisa is in the second week only; a reader who was told her first week knows more."""
    table = {"name": ["Elisa"], "week": [1], "exam": ["MAM-pos"]}
    told = sr.CompromisedTuples.from_table(table, respondent="name", at="week", value="exam")
    roster = sr.Roster.from_table(
        {
            "name": ["Alice", "Betty", "Carol", "Doris", "Elisa"],
            "age": [51, 52, 51, 52, 90],
            "gender": ["F"] * 5,
            "zip": ["12030", "12030", "12031", "12031", "12044"],
        },
        running_example.schema,
    )
    reader = sr.Adversary(
        prior=running_example.prior, sequence=running_example.sequence, compromised=told
    )
    release = running_example.releases[0]
    first = reader.observe(release, sr.place(roster, release))
    assert first.of("MAM-pos")[4] == 1.0
    expected = reader.expect(running_example.views[1].roster)
    assert expected.of("BCM-pos")[2] == pytest.approx(0.6)


# ---------------------------------------------------------------------------
# Making them
# ---------------------------------------------------------------------------


def as_rows(told):
    return [
        (at, person, value)
        for at in told.respondents
        for person, value in zip(
            told.respondents[at].to_pylist(), told.values[at].to_pylist(), strict=True
        )
    ]


@given(told_series(most_weeks=3), st.floats(0, 1), st.integers(0, 2**32))
def test_drawn__is_the_same_by_seed_and_true(case, share, seed):
    _, views = case.publish()
    instants = range(1, len(views) + 1)
    told = sr.CompromisedTuples.drawn(views, instants, share=share, seed=seed)
    again = sr.CompromisedTuples.drawn(views, instants, share=share, seed=seed)
    assert as_rows(told) == as_rows(again)
    assert len(told) == sum(round(share * len(view)) for view in views)
    truth = {
        (at, person, value)
        for at, week in enumerate(case.weeks, start=1)
        for group in week.groups
        for person, value in group
    }
    assert set(as_rows(told)) <= truth
    assert len(set(as_rows(told))) == len(told)


def test_drawn__differs_by_seed(running_example):
    draws = {
        tuple(as_rows(sr.CompromisedTuples.drawn(running_example.views, [1, 2], share=0.5, seed=s)))
        for s in range(10)
    }
    assert len(draws) > 1


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_drawn__refuses_what_is_no_share(running_example, share):
    with pytest.raises(sr.KnowledgeError, match="from 0 to 1"):
        sr.CompromisedTuples.drawn(running_example.views, [1, 2], share=share, seed=0)


def test_drawn__refuses_fewer_instants_than_views(running_example):
    with pytest.raises(sr.SeriatimError):
        sr.CompromisedTuples.drawn(running_example.views, [1], share=0.5, seed=0)


# ---------------------------------------------------------------------------
# Privacy of what is printed
# ---------------------------------------------------------------------------


def told_of(who, value="a", at=1):
    table = {"who": [who], "when": [at], "what": [value]}
    return sr.CompromisedTuples.from_table(table, respondent="who", at="when", value="what")


SCHEMA = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", ["a", "b"]))


def test_told_values__are_not_printed():
    told = told_of("SECRET-1")
    printed = repr(told) + str(told) + repr(sr.Adversary(compromised=told))
    assert "SECRET" not in printed
    assert repr(told) == "CompromisedTuples(1 tuples)"


def observed(told, ids):
    release = sr.read_release({"age": ["1", "1"], "exam": ["a", "a"]}, SCHEMA, at=1)
    roster = sr.Roster.from_table({"id": ids, "age": [1, 1]}, SCHEMA)
    return sr.Adversary(compromised=told).observe(release, sr.place(roster, release))


@pytest.mark.parametrize(
    ("told", "ids", "words"),
    [
        (("SECRET-1", "b"), ["SECRET-1", "SECRET-2"], "groups do not publish"),
        (("SECRET-1", "z"), ["SECRET-1", "SECRET-2"], "not in the sensitive domain"),
    ],
)
def test_told_values__that_cannot_be_are_refused_without_naming_anyone(told, ids, words):
    with pytest.raises(sr.KnowledgeError, match=words) as caught:
        observed(told_of(*told), ids)
    assert "SECRET" not in str(caught.value)


def test_told_values__of_respondents_of_another_kind_name_nobody():
    """Ids that are texts here and numbers there: nobody is meant, or it is said so."""
    try:
        belief = observed(told_of("SECRET-1", "a"), [1, 2])
    except sr.SeriatimError as error:
        assert "SECRET" not in str(error)  # noqa: PT017 - either is good
    else:
        assert belief.of("a").tolist() == [1.0, 1.0]


def test_told_values__refuse_two_of_one_respondent_without_naming_them():
    table = {"who": ["SECRET-1"] * 2, "when": [1, 1], "what": ["a", "b"]}
    with pytest.raises(sr.KnowledgeError, match="told twice at 1") as caught:
        sr.CompromisedTuples.from_table(table, respondent="who", at="when", value="what")
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("column", ["who", "when", "what"])
def test_told_values__refuse_what_is_missing(column):
    table = {"who": ["SECRET-1", "SECRET-2"], "when": [1, 1], "what": ["a", "b"]}
    gone = {name: cells for name, cells in table.items() if name != column}
    with pytest.raises(sr.SchemaError, match=f"no column '{column}'") as caught:
        sr.CompromisedTuples.from_table(gone, respondent="who", at="when", value="what")
    table[column] = [table[column][0], None]
    with pytest.raises(sr.TableError, match="row position 1") as blank:
        sr.CompromisedTuples.from_table(table, respondent="who", at="when", value="what")
    assert "SECRET" not in str(caught.value) + str(blank.value)


def test_told_values__of_nobody_in_the_roster_say_nothing():
    assert np.array_equal(
        observed(told_of("SECRET-9"), ["SECRET-1", "SECRET-2"]).probabilities,
        observed(None, ["SECRET-1", "SECRET-2"]).probabilities,
    )
