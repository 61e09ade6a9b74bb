"""Why a reader believes something: every figure by enumeration, and nobody's name."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import oracles_readers
import seriatim as sr
from oracles_readers import Week
from strategies_readers import ToldSeries, surprising_series, told_series

NAMES = ("Alice", "Betty", "Carol", "Doris", "Elisa", "Fran", "Grace")


def quiet(story):
    """Tell whether a story is told without naming anyone."""
    printed = str(story) + repr(story)
    return not [name for name in (*NAMES, "SECRET") if name in printed]


# ---------------------------------------------------------------------------
# Alice, after the second week
# ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def by_hand(running_example):
    """The running example as bare tables: prior, knowledge and weeks, from Tables I and II."""
    domain = running_example.schema.sensitive.domain
    prior = oracles.completed(
        {"MAM-pos": 0.002, "CX-neg": 0.05, "CX-pos": 0.0003, "BS-neg": 0.2, "BCM-pos": 0.001},
        domain,
    )
    after = {
        "MAM-pos": {"BCM-pos": 0.6, "PNE-pos": 0.02},
        "CX-neg": {"BCM-pos": 0.02, "PNE-pos": 0.08},
        "CX-pos": {"BCM-pos": 0.02, "PNE-pos": 0.6},
        "BS-neg": {"BCM-pos": 0.02, "PNE-pos": 0.02},
    }
    rows = [oracles.completed(after[one], domain) if one in after else prior for one in domain]
    # One state for nothing seen yet, and one for each last value.
    next_state = [list(range(1, len(domain) + 1))] * (len(domain) + 1)
    knowledge = oracles.Knowledge([prior, *rows], next_state)

    def week(*groups):
        return Week([[(who, domain.index(exam)) for who, exam in group] for group in groups], {})

    weeks = [
        week(
            [("Alice", "MAM-pos"), ("Betty", "CX-neg")],
            [("Carol", "CX-pos"), ("Doris", "BS-neg")],
        ),
        week(
            [("Alice", "BCM-pos"), ("Carol", "PNE-pos")],
            [("Elisa", "MAM-neg"), ("Fran", "CX-neg"), ("Grace", "CX-pos")],
        ),
    ]
    return weeks, dict.fromkeys(NAMES, prior), knowledge


@pytest.fixture(scope="module")
def knowledge(running_example):
    return {"prior": running_example.prior, "sequence": running_example.sequence}


@pytest.fixture(scope="module")
def retrospective(knowledge):
    return sr.Retrospective(sr.Adversary(**knowledge, rule="exact"))


@pytest.fixture
def explained(running_example):
    def explain(reader, release, row, value, **options):
        return sr.explain(
            reader,
            options.pop("releases", running_example.releases),
            options.pop("memberships", running_example.memberships),
            release=release,
            row=row,
            value=value,
            **options,
        )

    return explain


def test_explanation__says_that_the_second_week_gave_the_first_away(explained, retrospective):
    story = explained(retrospective, 0, 0, "MAM-pos")
    before, after = story.weighing.without[1], story.belief
    assert before == pytest.approx(0.5)
    assert after > 0.95
    printed = str(story)
    assert printed.startswith(f"MAM-pos at release 1 is believed with {after:.2f}.")
    second = printed[printed.index("Release 2:") :]
    assert f"It raised the belief by {after - before:.2f}: 0.50 without it." in second
    assert "after MAM-pos, BCM-pos is expected with 0.60, otherwise with 0.31." in second
    assert quiet(story)


def test_explanation__names_the_transition_in_figures(explained, retrospective):
    (step,) = explained(retrospective, 0, 0, "MAM-pos").weighing.transitions
    assert (step.at, step.value, step.is_later) == (2, "BCM-pos", True)
    assert step.chance == pytest.approx(0.6)
    assert step.chance_otherwise == pytest.approx(0.31)
    assert step.belief > 0.95


def test_explanation__names_the_transition_from_the_later_week_too(explained, retrospective):
    (step,) = explained(retrospective, 1, 0, "BCM-pos").weighing.transitions
    assert (step.at, step.value, step.is_later) == (1, "MAM-pos", False)
    assert (step.chance, step.chance_otherwise) == (pytest.approx(0.6), pytest.approx(0.31))


def test_explanation__weighs_each_week_by_smoothing_without_it(
    explained, retrospective, running_example, by_hand
):
    weeks, prior, model = by_hand
    domain = running_example.schema.sensitive.domain
    read = oracles_readers.read_jointly(weeks, prior, model)
    likelihoods = [reads["Alice"].likelihood for reads in read]
    smoothed = oracles.smoothed(model, prior["Alice"], likelihoods)
    for week, code in ((0, domain.index("MAM-pos")), (1, domain.index("BCM-pos"))):
        story = explained(retrospective, week, 0, domain[code])
        expected = oracles_readers.without_each(model, prior["Alice"], likelihoods, week, code)
        assert story.belief == pytest.approx(smoothed[week][code])
        assert story.weighing.without == pytest.approx(tuple(expected))
        assert story.weighing.instants == (1, 2)


def test_explanation__of_whoever_came_once_weighs_one_week(
    explained, retrospective, running_example, by_hand
):
    """Betty did not come back: the second week tells of her through Alice, who did."""
    story = explained(retrospective, 0, 1, "CX-neg")
    weeks, prior, model = by_hand
    read = oracles_readers.read_jointly(weeks, prior, model)
    passed = oracles_readers.passed_messages(weeks, read, prior, model, retrospective.passes)
    code = running_example.schema.sensitive.domain.index("CX-neg")
    smoothed = oracles_readers.smoothed_weeks(passed, prior, model)
    assert story.belief == pytest.approx(smoothed[0]["Betty"][code])
    assert story.belief > 0.8
    assert explained(sr.Retrospective(retrospective.adversary, 0), 0, 1, "CX-neg").belief == 0.5
    assert [step.at for step in story.appearances] == [1]
    assert story.weighing.transitions == ()
    assert story.weighing.without == (pytest.approx(0.05),)


def test_explanation__of_a_value_that_is_ruled_out_tells_of_no_transition(explained, retrospective):
    story = explained(retrospective, 0, 0, "BS-pos")
    assert story.belief == 0.0
    assert story.weighing.transitions == ()
    assert "BS-pos at release 1 is believed with 0.00." in str(story)
    assert quiet(story)


@pytest.mark.parametrize("filtering", ["marginal", "joint"])
def test_explanation__of_a_value_that_a_filter_rules_out_is_told(explained, knowledge, filtering):
    story = explained(sr.Adversary(**knowledge, filtering=filtering), 1, 0, "BS-pos")
    assert story.belief == 0.0
    assert "counting gives BS-pos 0%" in str(story)


def test_explanation__says_what_each_appearance_showed(explained, retrospective):
    first, second = explained(retrospective, 0, 0, "MAM-pos").appearances
    assert (first.at, first.group, first.size, first.frequency) == (1, 1, 2, 0.5)
    assert (first.expected, first.believed) == (pytest.approx(0.002), pytest.approx(0.5))
    assert (second.at, second.group, second.size, second.frequency) == (2, 1, 2, 0.0)


def test_explanation__of_a_joint_filter_stops_at_its_release(explained, knowledge):
    story = explained(sr.Adversary(**knowledge, rule="exact", filtering="joint"), 0, 0, "MAM-pos")
    assert story.belief == pytest.approx(0.5)
    assert [step.at for step in story.appearances] == [1]


def test_explanation__of_any_risk_says_what_the_audit_says(running_example, knowledge):
    readers = [
        sr.Adversary(**knowledge),
        sr.Adversary(**knowledge, filtering="joint", rule="bethe"),
        sr.Retrospective(sr.Adversary(**knowledge, rule="strongest")),
    ]
    found = sr.audit(running_example.releases, running_example.tables, readers)
    for reader in found.readers:
        for risk in found.at_risk(reader, most=99):
            story = found.explain(risk)
            assert story.belief == pytest.approx(risk.belief, abs=1e-9)
            assert quiet(story)


def test_explanation__refuses_a_value_that_is_none(explained, retrospective, knowledge):
    for reader in (retrospective, sr.Adversary(**knowledge)):
        with pytest.raises(sr.KnowledgeError, match="Did you mean 'MAM-pos'"):
            explained(reader, 0, 0, "MAM-poss")


# ---------------------------------------------------------------------------
# Any series, by enumeration
# ---------------------------------------------------------------------------


def sightings(case, person):
    return [
        week
        for week, one in enumerate(case.weeks)
        if person in {who for group in one.groups for who, _ in group}
    ]


@given(told_series(most_weeks=3), st.data())
def test_explanation__agrees_with_enumerating_every_sequence(case, data):
    """What each release contributed, and how likely the steps before and after are."""
    releases, views = case.publish()
    members = [sr.place(view.roster, one) for view, one in zip(views, releases, strict=True)]
    person = data.draw(st.sampled_from(views[0].respondents.to_pylist()))
    weeks = sightings(case, person)
    place = data.draw(st.integers(0, len(weeks) - 1))
    code = data.draw(st.integers(0, len(case.prior[person]) - 1))
    week = weeks[place]
    retrospective, passes = data.draw(st.booleans()), data.draw(st.integers(0, 2))
    reader = case.adversary()
    story = sr.explain(
        sr.Retrospective(reader, passes) if retrospective else reader,
        releases,
        members,
        release=week,
        row=views[week].respondents.to_pylist().index(person),
        value=code,
    )
    read = oracles_readers.read_jointly(case.weeks, case.prior, case.knowledge)
    if retrospective:
        read = oracles_readers.passed_messages(case.weeks, read, case.prior, case.knowledge, passes)
    seen = weeks if retrospective else weeks[: place + 1]
    likelihoods = [read[one][person].likelihood for one in seen]
    first, model = case.prior[person], case.knowledge
    believed = oracles.smoothed(model, first, likelihoods)[place][code]
    assert story.belief == pytest.approx(believed, abs=1e-8)
    assert story.weighing.instants == tuple(one + 1 for one in seen)
    assert story.weighing.without == pytest.approx(
        tuple(oracles_readers.without_each(model, first, likelihoods, place, code)), abs=1e-8
    )
    for step in story.weighing.transitions:
        other = place + 1 if step.is_later else place - 1
        assert step.at == seen[other] + 1
        given_here = oracles.smoothed(
            model, first, oracles_readers.granted(likelihoods, place, code)
        )[other]
        assert given_here[step.value] == pytest.approx(max(given_here), abs=1e-8)
        pair = (code, step.value) if step.is_later else (step.value, code)
        chances = oracles_readers.step_chances(model, first, likelihoods, min(place, other), pair)
        assert (step.chance, step.chance_otherwise) == pytest.approx(chances, abs=1e-8)
        there = oracles.smoothed(model, first, likelihoods)[other][step.value]
        assert step.belief == pytest.approx(there, abs=1e-8)
    assert quiet(story)


@pytest.mark.parametrize("kind", ["marginal", "joint", "retrospective"])
@given(case=surprising_series(), data=st.data())
def test_explanation__says_what_is_believed_whatever_was_ruled_out(kind, case, data):
    releases, views = case.publish()
    members = [sr.place(view.roster, one) for view, one in zip(views, releases, strict=True)]
    adversary = replace(case.adversary(), filtering="marginal" if kind == "marginal" else "joint")
    reader = sr.Retrospective(adversary) if kind == "retrospective" else adversary
    release = data.draw(st.integers(0, len(releases) - 1))
    row = data.draw(st.integers(0, len(views[release]) - 1))
    value = data.draw(st.sampled_from(releases[0].schema.sensitive.domain))
    story = sr.explain(reader, releases, members, release=release, row=row, value=value)
    believed = reader.read(releases, members)[release].of(value)[row]
    assert story.belief == pytest.approx(believed, abs=1e-8)
    if story.weighing is not None:
        figures = [*story.weighing.without]
        figures += [step.chance for step in story.weighing.transitions]
        figures += [step.chance_otherwise for step in story.weighing.transitions]
        assert all(-1e-9 <= figure <= 1 + 1e-9 for figure in figures)
    assert quiet(story)


# ---------------------------------------------------------------------------
# Readers of other kinds
# ---------------------------------------------------------------------------


def test_explanation__of_a_reader_of_snapshots_has_no_past(explained, running_example):
    story = explained(sr.Adversary(prior=running_example.prior), 1, 0, "BCM-pos")
    assert story.weighing is None
    assert [step.because for step in story.appearances] == [(), ()]
    assert story.belief == pytest.approx(0.5)
    assert quiet(story)


@pytest.mark.parametrize("release", [0, 1])
@pytest.mark.parametrize("value", ["MAM-pos", "BCM-pos"])
def test_explanation__of_a_retrospective_reader_without_sequences_is_of_its_release(
    explained, running_example, release, value
):
    reader = sr.Retrospective(sr.Adversary(prior=running_example.prior, rule="exact"))
    beliefs = reader.read(running_example.releases, running_example.memberships)
    story = explained(reader, release, 0, value)
    assert story.belief == pytest.approx(beliefs[release].of(value)[0])


@pytest.fixture
def without_alice(running_example):
    """The second week with Alice in the roster, and not in the release."""
    table = {
        "age": ["51"] * 4,
        "gender": ["F"] * 4,
        "zip": ["12031", "12044", "12045", "12040"],
        "exam": ["PNE-pos", "MAM-neg", "CX-neg", "CX-pos"],
    }
    second = sr.read_release(table, running_example.releases[1].schema, at=2)
    members = sr.place(running_example.views[1].roster, second)
    return {
        "releases": (running_example.releases[0], second),
        "memberships": (running_example.memberships[0], members),
    }


@pytest.mark.parametrize("kind", ["marginal", "joint", "retrospective"])
def test_explanation__of_whoever_is_not_published_says_what_was_expected(
    explained, knowledge, without_alice, kind
):
    reader = sr.Adversary(**knowledge, filtering="marginal" if kind == "marginal" else "joint")
    reader = sr.Retrospective(reader) if kind == "retrospective" else reader
    beliefs = reader.read(*without_alice.values())
    assert beliefs[1].of("BCM-pos")[0] == pytest.approx(0.31)
    story = explained(reader, 1, 0, "BCM-pos", **without_alice)
    assert story.belief == pytest.approx(0.31)


@pytest.fixture
def overlapping():
    """Two weeks with regions that overlap: who is where is open in the second."""
    schema = sr.Schema("id", [sr.Numeric("age", 0, 9)], sr.Sensitive("exam", ["a", "b", "c"]))
    people = {"id": [f"SECRET-{one}" for one in range(4)], "age": [1, 4, 5, 8]}
    tables = [
        {"age": ["[0,4]", "[0,4]", "[5,9]", "[5,9]"], "exam": ["a", "b", "b", "c"]},
        {"age": ["[0,5]", "[0,5]", "[4,9]", "[4,9]"], "exam": ["a", "c", "b", "b"]},
    ]
    releases = sr.read_history(tables, schema).releases
    roster = sr.Roster.from_table(people, schema)
    return releases, [sr.place(roster, release) for release in releases]


STICKY = sr.Automaton(
    ("a", "b", "c"),
    [[0.2, 0.3, 0.5], [0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]],
    [[1, 2, 3]] * 4,
)


@pytest.mark.parametrize("row", range(4))
@pytest.mark.parametrize("value", ["a", "b", "c"])
@pytest.mark.parametrize(
    "reader",
    [
        sr.Adversary(sequence=STICKY, rule="exact"),
        sr.Adversary(sequence=STICKY, rule="exact", filtering="joint"),
        sr.Retrospective(sr.Adversary(sequence=STICKY, rule="exact")),
    ],
    ids=["marginal", "joint", "retrospective"],
)
def test_explanation__with_open_memberships_says_what_is_believed(overlapping, reader, row, value):
    releases, members = overlapping
    assert isinstance(members[1], sr.Placement)
    for release in (0, 1):
        story = sr.explain(reader, releases, members, release=release, row=row, value=value)
        believed = reader.read(releases, members)[release].of(value)[row]
        assert story.belief == pytest.approx(believed, abs=1e-9)
        assert quiet(story)


def test_explanation__with_open_memberships_counts_over_all_possible_groups(overlapping):
    releases, members = overlapping
    reader = sr.Adversary(sequence=STICKY)
    story = sr.explain(reader, releases, members, release=1, row=1, value="b")
    first, second = story.appearances
    assert (first.group, first.size) == (1, 2)
    assert (second.group, second.size) == (None, None)
    assert second.frequency == pytest.approx(2 / 4)
    assert "Release 2: in one of several possible groups; counting gives b 50%" in str(story)
    alone = sr.explain(reader, releases, members, release=1, row=0, value="b")
    assert alone.appearances[1].group is not None


# ---------------------------------------------------------------------------
# Elapsed time
# ---------------------------------------------------------------------------

WEEKLY = [[0.9, 0.1], [0.3, 0.7]]
FIRST = [0.6, 0.4]


def pairs():
    """Two people who publish both values in three weeks, at instants 1, 3 and 4."""
    weeks = [Week([[("SECRET-1", 0), ("SECRET-2", 1)]], {}) for _ in range(3)]
    prior = {"SECRET-1": [0.7, 0.3], "SECRET-2": FIRST}
    case = ToldSeries(weeks, prior, oracles.Knowledge([FIRST, *WEEKLY], [[1, 2]] * 3))
    releases, views = case.publish([1, 3, 4])
    return releases, [sr.place(view.roster, one) for view, one in zip(views, releases, strict=True)]


def reader_with(sequence, **options):
    table = {
        "respondent": ["SECRET-1", "SECRET-1", "SECRET-2", "SECRET-2"],
        "value": [0, 1, 0, 1],
        "probability": [0.7, 0.3, *FIRST],
    }
    return sr.Adversary(sr.TabulatedPrior.from_table(table), sequence, "exact", **options)


PER_PERIOD = sr.PerPeriod(sr.Automaton((0, 1), [FIRST, *WEEKLY], [[1, 2]] * 3), 1)
RATES = sr.TransitionRates.from_table({"given": [0, 1], "next": [1, 0], "rate": [0.1, 0.5]})
GENERATOR = [[-0.1, 0.1], [0.5, -0.5]]


@pytest.mark.parametrize(
    ("sequence", "two", "one"),
    [
        (PER_PERIOD, oracles_readers.steps_away(WEEKLY, 2), WEEKLY),
        (
            RATES,
            oracles_readers.rates_after(GENERATOR, 2),
            oracles_readers.rates_after(GENERATOR, 1),
        ),
    ],
    ids=["periods", "rates"],
)
def test_explanation__counts_elapsed_time_in_its_transitions(sequence, two, one):
    """Two periods lie between the first two releases, one between the last two."""
    releases, members = pairs()
    reader = sr.Retrospective(reader_with(sequence))
    for value in (0, 1):
        story = sr.explain(reader, releases, members, release=1, row=0, value=value)
        earlier, later = story.weighing.transitions
        assert (earlier.at, later.at) == (1, 4)
        assert earlier.chance == pytest.approx(two[earlier.value][value], abs=1e-5)
        assert later.chance == pytest.approx(one[value][later.value], abs=1e-5)
        believed = reader.read(releases, members)[1].of(value)[0]
        assert story.belief == pytest.approx(believed, abs=1e-9)
        assert quiet(story)


def test_explanation__sums_over_the_periods_that_nobody_saw():
    """A silent release is one more period that nobody saw."""
    releases, members = pairs()
    model = oracles.Knowledge([FIRST, *WEEKLY], [[1, 2]] * 3)
    reader = sr.Retrospective(reader_with(PER_PERIOD), passes=0)
    first = [0.7, 0.3]
    # What each release says of the first of a pair: what was expected of the second otherwise.
    steps = read_pairs(model)
    for place, value in ((0, 0), (1, 0), (2, 1)):
        story = sr.explain(reader, releases, members, release=place, row=0, value=value)
        here = (0, 2, 3)[place]
        smoothed = oracles.smoothed(model, first, steps)
        assert story.belief == pytest.approx(smoothed[here][value])
        without = [
            oracles.smoothed(model, first, oracles_readers.silenced(steps, [gone]))[here][value]
            for gone in (0, 2, 3)
        ]
        assert story.weighing.without == pytest.approx(tuple(without))


def read_pairs(model):
    """The likelihoods of the first of the pair at each period, ones where nobody looked."""
    prior = ([0.7, 0.3], FIRST)
    said = ([], [])
    for looked in (True, False, True, True):
        if not looked:
            for one in said:
                one.append([1.0, 1.0])
            continue
        expected = [
            oracles.filtered_next(model, row, past) if past else row
            for row, past in zip(prior, said, strict=True)
        ]
        for one, other in ((0, 1), (1, 0)):
            said[one].append([expected[other][1], expected[other][0]])
    return said[0]


@pytest.mark.parametrize("sequence", [PER_PERIOD, RATES], ids=["periods", "rates"])
@pytest.mark.parametrize("filtering", ["marginal", "joint"])
def test_explanation__with_elapsed_time_says_what_is_believed(sequence, filtering):
    releases, members = pairs()
    reader = reader_with(sequence, filtering=filtering)
    beliefs = reader.read(releases, members)
    for release in range(3):
        for value in (0, 1):
            story = sr.explain(reader, releases, members, release=release, row=1, value=value)
            assert story.belief == pytest.approx(beliefs[release].of(value)[1], abs=1e-9)
            last = story.appearances[-1]
            if filtering == "marginal" and release > 0:
                assert sum(part for _, _, part in last.because) == pytest.approx(last.expected)


# ---------------------------------------------------------------------------
# Knowledge from the views themselves
# ---------------------------------------------------------------------------


@pytest.fixture
def learned():
    """Three weeks of four people whose values mostly stay."""
    values = [[0, 1, 1, 0], [0, 1, 1, 1], [0, 1, 0, 1]]
    weeks = [
        Week([[("SECRET-1", a), ("SECRET-2", b)], [("SECRET-3", c), ("SECRET-4", d)]], {})
        for a, b, c, d in values
    ]
    prior = {f"SECRET-{one}": [0.6, 0.4] for one in range(1, 5)}
    case = ToldSeries(weeks, prior, oracles.Knowledge([FIRST, *WEEKLY], [[1, 2]] * 3))
    releases, views = case.publish()
    members = [sr.place(view.roster, one) for view, one in zip(views, releases, strict=True)]
    return releases, members, views


@pytest.mark.parametrize("kind", ["marginal", "joint", "retrospective"])
def test_explanation__of_incremental_knowledge_needs_the_originals(learned, kind):
    releases, members, views = learned
    filtering = "marginal" if kind == "marginal" else "joint"
    reader = sr.Adversary(sequence=sr.IncrementalKnowledge(1), filtering=filtering, rule="exact")
    reader = sr.Retrospective(reader) if kind == "retrospective" else reader
    beliefs = reader.read(releases, members, views)
    for release in range(3):
        for row in range(4):
            story = sr.explain(
                reader, releases, members, release=release, row=row, value=1, originals=views
            )
            assert story.belief == pytest.approx(beliefs[release].of(1)[row], abs=1e-9)
            assert quiet(story)
            last = story.appearances[-1]
            if kind == "marginal" and release > 0:
                assert sum(part for _, _, part in last.because) == pytest.approx(last.expected)
    with pytest.raises(sr.KnowledgeError, match="pass originals"):
        sr.explain(reader, releases, members, release=1, row=0, value=1)


def test_findings__explain_incremental_knowledge_with_their_originals(learned):
    releases, _, views = learned
    reader = sr.Retrospective(sr.Adversary(sequence=sr.IncrementalKnowledge(1), rule="exact"))
    found = sr.audit(releases, views, [reader])
    for risk in found.at_risk("reader 1", most=99):
        assert found.explain(risk).belief == pytest.approx(risk.belief, abs=1e-9)


# ---------------------------------------------------------------------------
# What was told
# ---------------------------------------------------------------------------


def test_explanation__of_a_reader_who_was_told_something_says_what_it_believes(
    running_example, knowledge
):
    told = sr.CompromisedTuples.from_table(
        {"name": ["Betty", "Carol"], "week": [1, 2], "exam": ["CX-neg", "PNE-pos"]},
        respondent="name",
        at="week",
        value="exam",
    )
    adversary = sr.Adversary(**knowledge, rule="exact", compromised=told)
    for reader in (adversary, sr.Retrospective(adversary)):
        found = sr.audit(running_example.releases, running_example.views, [reader])
        for risk in found.at_risk("reader 1", most=99):
            story = found.explain(risk)
            assert story.belief == pytest.approx(risk.belief, abs=1e-9)
            assert quiet(story)
        assert found.at_risk("reader 1", most=1)[0].belief == pytest.approx(1.0)


def test_explanation__of_values_that_were_held_impossible_stays_in_range(running_example):
    """Knowledge that rules out what came all the same."""
    sequence = sr.DomainKnowledge.from_table(
        {"given": ["MAM-pos", "CX-neg"], "next": ["MAM-neg", "MAM-neg"], "probability": [1.0, 1.0]}
    )
    reader = sr.Retrospective(sr.Adversary(sequence=sequence, rule="exact"))
    beliefs = reader.read(running_example.releases, running_example.memberships)
    for value in ("BCM-pos", "PNE-pos", "MAM-neg"):
        story = sr.explain(
            reader,
            running_example.releases,
            running_example.memberships,
            release=1,
            row=0,
            value=value,
        )
        assert story.belief == pytest.approx(beliefs[1].of(value)[0], abs=1e-9)
        assert all(0 <= one <= 1 + 1e-12 for one in story.weighing.without)
        assert np.isfinite([step.chance for step in story.weighing.transitions]).all()
