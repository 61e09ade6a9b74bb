"""Time between appearances, against periods one by one and series term by term."""

import datetime as dt
import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
import seriatim as sr
from profiles import examples
from seriatim.knowledge import Classes
from seriatim.partition import generalize
from strategies import as_partition, automaton, codes, distributions, knowledge

SEXES = ("F", "M")
PEOPLE = range(4)
BY_SEX = Classes(("sex",), tuple((sex,) for sex in SEXES))
LENGTHS = st.sampled_from([1, 7, 0.25, 30.5])


def schema(n_values):
    return sr.Schema(
        "who", [sr.Categorical("sex", SEXES)], sr.Sensitive("exam", tuple(range(n_values)))
    )


def view_of(values, sexes, n_values):
    """A view of some people, from their values and their classes."""
    table = {"who": list(values), "sex": sexes, "exam": list(values.values())}
    return sr.View.from_table(table, schema(n_values))


def read_whole(view, at, left=()):
    """The view published as one group, without those who are left out."""
    group = [row for row in range(len(view)) if row not in left]
    parts = as_partition([group], list(left))
    return generalize(view, parts, at=at, rng=np.random.default_rng(0))


def sure(row):
    """A distribution without zeros, so that nothing is a surprise."""
    return [(chance + 0.1) / (1 + 0.1 * len(row)) for chance in row]


def sure_rows(n_values):
    return distributions(n_values).map(sure)


@st.composite
def instants(draw, most=4):
    """Moments in periods, none a half: whole numbers of periods, and how far off each is.

    Two moments are less than half a period further apart, or less far, than the whole
    numbers say.
    """
    steps = draw(st.lists(st.integers(0, 3), min_size=1, max_size=most - 1))
    ticks = list(itertools.accumulate([draw(st.integers(0, 2)), *steps]))
    off = draw(
        st.lists(
            st.sampled_from([-0.2, -0.1, 0.0, 0.1, 0.2]), min_size=len(ticks), max_size=len(ticks)
        )
    )
    return list(zip(ticks, off, strict=True))


def unseen(then, now):
    """How many periods nobody saw between two moments; two in one period count as one apart."""
    return max(now - then, 1) - 1


@given(st.integers(1, 3), LENGTHS, instants(), st.data())
def test_per_period__raises_a_one_step_model_to_the_number_of_periods(
    n_values, length, moments, data
):
    matrix = data.draw(st.lists(distributions(n_values), min_size=n_values, max_size=n_values))
    one_step = sr.Automaton(
        tuple(range(n_values)),
        [[1 / n_values] * n_values, *matrix],
        [list(range(1, n_values + 1))] * (n_values + 1),
    )
    reader = sr.Adversary(sequence=sr.PerPeriod(one_step, length))
    values = dict(zip(PEOPLE, data.draw(codes(len(PEOPLE), n_values)), strict=True))
    view = view_of(values, ["F"] * len(PEOPLE), n_values)
    last = None
    for tick, off in moments:
        at = length * (tick + off)
        if last is not None:
            then, posterior = last
            expected = [
                oracles.after_steps(row, matrix, unseen(then, tick) + 1) for row in posterior
            ]
            assert reader.expect(view, at).probabilities == pytest.approx(
                np.array(expected), abs=1e-9
            )
        last = tick, reader.observe(*read_whole(view, at)).probabilities.tolist()


@st.composite
def visits(draw, n_values):
    """Who comes, of which class, and with which value; people stay away for a while."""
    present = draw(st.lists(st.sampled_from(PEOPLE), min_size=1, unique=True).map(sorted))
    sexes = [SEXES[kind] for kind in draw(codes(len(present), len(SEXES)))]
    left = draw(st.sets(st.integers(0, len(present) - 1), max_size=len(present) - 1))
    return dict(zip(present, draw(codes(len(present), n_values)), strict=True)), sexes, left


def timed(by_class, length):
    """The package's form of one knowledge for each class, in periods."""
    machines = [automaton(known) for known in by_class]
    first = machines[0]
    merged = sr.Automaton(
        first.values,
        np.concatenate([one.next_value for one in machines]),
        first.next_state,
        first.start,
        np.concatenate([one.known for one in machines]),
        BY_SEX,
    )
    return sr.PerPeriod(merged, length)


@st.composite
def knowledge_by_class(draw, n_values):
    """Automata of several states that differ in what they expect, not in where they lead."""
    first = draw(knowledge(n_values, most_states=4))
    rows = [
        draw(st.lists(sure_rows(n_values), min_size=len(one), max_size=len(one)))
        for one in (first.next_value,) * len(SEXES)
    ]
    return [first._replace(next_value=table) for table in rows]


@given(st.integers(2, 3), LENGTHS, instants(), st.data())
def test_paper_reader__takes_what_was_expected_for_a_period_that_nobody_saw(
    n_values, length, moments, data
):
    by_class = data.draw(knowledge_by_class(n_values))
    prior = data.draw(sure_rows(n_values))
    reader = sr.Adversary(
        sr.MarginalPrior(dict(enumerate(prior))), timed(by_class, length), "omega"
    )
    pasts, seen_at = {}, {}
    for tick, off in moments:
        at = length * (tick + off)
        values, sexes, left = data.draw(visits(n_values))
        view = view_of(values, sexes, n_values)
        expected, carried = [], {}
        for who, sex in zip(values, sexes, strict=True):
            if who not in pasts:
                expected.append(prior)
                continue
            known = by_class[SEXES.index(sex)]
            carried[who] = oracles.waited(known, pasts[who], unseen(seen_at[who], tick), prior)
            expected.append(oracles.revise(known, carried[who], prior))
        found = reader.expect(view, at).probabilities
        assert found == pytest.approx(np.array(expected), abs=1e-9)
        posterior = reader.observe(*read_whole(view, at, left)).probabilities.tolist()
        for row, who in enumerate(values):
            if row not in left:
                pasts[who] = [*carried.get(who, []), posterior[row]]
                seen_at[who] = tick


def unseen_ones(n_values, times):
    """A period that nobody saw speaks for every value alike."""
    return [[1.0] * n_values] * times


@given(st.integers(2, 3), LENGTHS, instants(), st.data())
def test_joint_filter__averages_over_the_values_that_nobody_saw(n_values, length, moments, data):
    by_class = data.draw(knowledge_by_class(n_values))
    prior = data.draw(sure_rows(n_values))
    reader = sr.Adversary(
        sr.MarginalPrior(dict(enumerate(prior))),
        timed(by_class, length),
        filtering="joint",
    )
    likelihoods, seen_at = {}, {}
    for tick, off in moments:
        at = length * (tick + off)
        values, _, left = data.draw(visits(n_values))
        view = view_of(values, [SEXES[who % 2] for who in values], n_values)
        revised = reader.expect(view, at).probabilities
        told = {}
        for row, who in enumerate(values):
            expected = prior
            if who in likelihoods:
                gap = unseen(seen_at[who], tick)
                told[who] = [*likelihoods[who], *unseen_ones(n_values, gap)]
                full = oracles.with_prior(by_class[who % 2], prior)
                expected = oracles.filtered_next(full, prior, told[who])
            assert revised[row] == pytest.approx(expected, abs=1e-9)
        posterior = reader.observe(*read_whole(view, at, left)).probabilities
        for row, who in enumerate(values):
            if row not in left:
                likelihoods[who] = [
                    *told.get(who, []),
                    (posterior[row] / revised[row]).tolist(),
                ]
                seen_at[who] = tick


@given(st.integers(2, 3), LENGTHS, instants(), st.data())
def test_hindsight__goes_through_the_periods_that_nobody_saw(n_values, length, moments, data):
    by_class = data.draw(knowledge_by_class(n_values))
    prior = data.draw(sure_rows(n_values))
    reader = sr.Adversary(
        sr.MarginalPrior(dict(enumerate(prior))),
        timed(by_class, length),
        filtering="joint",
    )
    likelihoods, places, seen_at = {}, {}, {}
    series = []
    for tick, off in moments:
        at = length * (tick + off)
        values, _, left = data.draw(visits(n_values))
        view = view_of(values, [SEXES[who % 2] for who in values], n_values)
        revised = reader.expect(view, at).probabilities
        seen = read_whole(view, at, left)
        posterior = reader.observe(*seen).probabilities
        for row, who in enumerate(values):
            if row in left:
                continue
            told = likelihoods.setdefault(who, [])
            told += unseen_ones(n_values, unseen(seen_at[who], tick) if who in seen_at else 0)
            places.setdefault(who, []).append((len(told), len(series), row))
            told.append((posterior[row] / revised[row]).tolist())
            seen_at[who] = tick
        series.append(seen)
    found = sr.Retrospective(reader, passes=0).read(*zip(*series, strict=True))
    for who, told in likelihoods.items():
        expected = oracles.smoothed(oracles.with_prior(by_class[who % 2], prior), prior, told)
        for place, release, row in places[who]:
            assert found[release].probabilities[row] == pytest.approx(expected[place], abs=1e-9)


@given(LENGTHS, st.floats(0.01, 1.4), st.data())
def test_per_period__counts_a_shorter_gap_as_one_period(length, share, data):
    known = data.draw(knowledge(2))
    beliefs = []
    for gap in (length, length * share):
        reader = sr.Adversary(sequence=sr.PerPeriod(automaton(known), length))
        view = view_of({0: 0, 1: 1}, ["F", "M"], 2)
        reader.observe(*read_whole(view, 0))
        beliefs.append(reader.expect(view, gap).probabilities)
    assert np.array_equal(*beliefs)


rates = st.integers(0, 12).map(lambda tenths: Fraction(tenths, 10))


def rate_matrices(n_values):
    row = st.lists(rates, min_size=n_values, max_size=n_values)
    return st.lists(row, min_size=n_values, max_size=n_values)


def rate_table(matrices, values=None):
    """The long table of some matrices of rates, by class."""
    entries = [
        (SEXES[kind], before, after, float(matrix[here][there]))
        for kind, matrix in enumerate(matrices)
        for (here, before), (there, after) in itertools.permutations(
            enumerate(range(len(matrix)) if values is None else values), 2
        )
    ]
    columns = zip(("sex", "given", "next", "rate"), zip(*entries, strict=True), strict=True)
    return {name: list(cells) for name, cells in columns}


@given(st.integers(2, 4), st.fractions(0, 8, max_denominator=8), st.data())
def test_transition_rates__are_the_exponential_series(n_values, time, data):
    matrix = data.draw(rate_matrices(n_values))
    model = sr.TransitionRates.from_table(rate_table([matrix]))
    chances = oracles.after_time(matrix, time)
    automaton = model.automaton(tuple(range(n_values)))
    found = automaton.tempo.after(np.array([float(time)]))[0, 0]
    assert found == pytest.approx(np.array(chances), abs=1e-12)
    assert found.sum(axis=1) == pytest.approx(np.ones(n_values), abs=1e-14)
    one = np.array(oracles.after_time(matrix, Fraction(1)))
    standing_for = automaton.next_state[automaton.start]
    assert automaton.next_value[0, standing_for] == pytest.approx(one, abs=1e-12)


@given(st.integers(2, 3), st.data())
def test_transition_rates__take_two_times_one_after_the_other(n_values, data):
    matrix = data.draw(rate_matrices(n_values))
    tempo = sr.TransitionRates.from_table(rate_table([matrix])).automaton(range(n_values)).tempo
    first, second = data.draw(st.tuples(st.floats(0, 40), st.floats(0, 40)))
    here, there, both = tempo.after(np.array([first, second, first + second]))[:, 0]
    assert here @ there == pytest.approx(both, abs=1e-10)


@given(st.integers(2, 3), st.data())
def test_transition_rates__are_what_many_tiny_steps_come_to(n_values, data):
    matrix = data.draw(rate_matrices(n_values))
    tempo = sr.TransitionRates.from_table(rate_table([matrix])).automaton(range(n_values)).tempo
    time, steps = data.draw(st.floats(0.1, 3)), 20_000
    tiny = [
        [
            float(rate) * time / steps
            if here != there
            else 1 - float(sum(row) - row[here]) * time / steps
            for there, rate in enumerate(row)
        ]
        for here, row in enumerate(matrix)
    ]
    row = data.draw(distributions(n_values))
    found = row @ tempo.after(np.array([time]))[0, 0]
    assert found == pytest.approx(oracles.after_steps(row, tiny, steps), abs=2e-3)


@pytest.mark.parametrize("filtering", ["marginal", "joint"])
@given(data=st.data())
def test_reader__by_rates_lets_values_change_for_as_long_as_one_was_away(filtering, data):
    n_values, n_known = 3, data.draw(st.integers(2, 3))
    matrices = [data.draw(rate_matrices(n_known)) for _ in SEXES]
    prior = data.draw(sure_rows(n_values))
    reader = sr.Adversary(
        sr.MarginalPrior(dict(enumerate(prior))),
        sr.TransitionRates.from_table(rate_table(matrices), classes="sex"),
        filtering=filtering,
    )
    last, now = {}, Fraction(0)
    for gap in data.draw(st.lists(st.fractions(0, 5, max_denominator=4), min_size=1, max_size=4)):
        now += gap
        values, sexes, left = data.draw(visits(n_values))
        view = view_of(values, sexes, n_values)
        expected = []
        for who, sex in zip(values, sexes, strict=True):
            if who not in last:
                expected.append(prior)
                continue
            then, row = last[who]
            chances = oracles.after_time(matrices[SEXES.index(sex)], now - then)
            rows = [
                [*chances[value], *[0.0] * (n_values - n_known)] if value < n_known else prior
                for value in range(n_values)
            ]
            expected.append(oracles.after_steps(row, rows, 1))
        found = reader.expect(view, float(now)).probabilities
        assert found == pytest.approx(np.array(expected), abs=1e-9)
        posterior = reader.observe(*read_whole(view, float(now), left)).probabilities
        for row, who in enumerate(values):
            if row not in left:
                last[who] = now, posterior[row].tolist()


@given(st.integers(2, 3), st.data())
def test_hindsight__by_rates_goes_by_the_time_between_sightings(n_values, data):
    positive = rates.map(lambda rate: rate + Fraction(1, 5))
    row = st.lists(positive, min_size=n_values, max_size=n_values)
    matrix = data.draw(st.lists(row, min_size=n_values, max_size=n_values))
    prior = data.draw(sure_rows(n_values))
    reader = sr.Adversary(
        sr.MarginalPrior(dict(enumerate(prior))),
        sr.TransitionRates.from_table(rate_table([matrix])),
        filtering="joint",
    )
    now, series = Fraction(0), []
    seen_at, chances, likelihoods, places = {}, {}, {}, {}
    gaps = st.fractions(Fraction(1, 2), 4, max_denominator=4)
    for gap in data.draw(st.lists(gaps, min_size=1, max_size=4)):
        now += gap
        values, sexes, left = data.draw(visits(n_values))
        view = view_of(values, sexes, n_values)
        revised = reader.expect(view, float(now)).probabilities
        seen = read_whole(view, float(now), left)
        posterior = reader.observe(*seen).probabilities
        for row, who in enumerate(values):
            if row in left:
                continue
            if who in seen_at:
                chances.setdefault(who, []).append(oracles.after_time(matrix, now - seen_at[who]))
            likelihoods.setdefault(who, []).append((posterior[row] / revised[row]).tolist())
            places.setdefault(who, []).append((len(series), row))
            seen_at[who] = now
        series.append(seen)
    found = sr.Retrospective(reader, passes=0).read(*zip(*series, strict=True))
    for who, told in likelihoods.items():
        expected = oracles.smoothed_over_time(prior, chances.get(who, []), told)
        for (release, row), belief in zip(places[who], expected, strict=True):
            assert found[release].probabilities[row] == pytest.approx(belief, abs=1e-9)


MODELS = {
    "rates": sr.TransitionRates.from_table({"given": [0, 1], "next": [1, 0], "rate": [0.1, 0.3]}),
    "periods": sr.PerPeriod(
        sr.Automaton((0, 1), [[0.5, 0.5], [0.9, 0.1], [0.4, 0.6]], [[1, 2]] * 3), 7
    ),
}
MORNING = dt.datetime(2026, 2, 25, 6)  # noqa: DTZ001 - naive instants have no zone
CALENDARS = {
    "dates": lambda days: dt.date(2026, 2, 25) + dt.timedelta(days=days),
    "times": lambda days: MORNING + dt.timedelta(days=days),
    "zoned times": lambda days: (
        (MORNING + dt.timedelta(days=days))
        .replace(tzinfo=dt.UTC)
        # Each in a zone of its own: what counts is the moment.
        .astimezone(dt.timezone(dt.timedelta(hours=days % 12)))
    ),
    "days of numpy": lambda days: np.datetime64("2026-02-25", "D") + days,
    "seconds of numpy": lambda days: np.datetime64("2026-02-25T06:00:00", "s") + 86_400 * days,
    "whole numbers of numpy": lambda days: np.int64(1000 + days),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("calendar", CALENDARS)
@given(gaps=st.lists(st.integers(1, 40), min_size=1, max_size=4))
@settings(max_examples=examples(1 / 3))
def test_instants__that_are_dates_count_days(model, calendar, gaps):
    numbers = [0, *itertools.accumulate(gaps)]
    view = view_of({0: 0, 1: 1, 2: 1}, ["F", "F", "M"], 2)
    by_number, by_date = (sr.Adversary(sequence=MODELS[model]) for _ in range(2))
    for days in numbers:
        at = CALENDARS[calendar](days)
        expected = by_number.expect(view, days).probabilities
        assert by_date.expect(view, at).probabilities == pytest.approx(expected, abs=1e-9)
        by_number.observe(*read_whole(view, days))
        by_date.observe(*read_whole(view, at))


def test_times__count_parts_of_days():
    reader = sr.Adversary(sequence=MODELS["rates"])
    view = view_of({0: 0}, ["F"], 2)
    reader.observe(*read_whole(view, MORNING))
    found = reader.expect(view, MORNING + dt.timedelta(hours=18)).probabilities[0]
    matrix = [[0, Fraction(1, 10)], [Fraction(3, 10), 0]]
    assert found == pytest.approx(oracles.after_time(matrix, Fraction(3, 4))[0], abs=1e-12)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("at", ["2026-02-25", "week 1", "", (2026, 2), float("nan")])
def test_instants__without_distances_are_refused_and_leave_nothing_remembered(model, at):
    view = view_of({0: 0, 1: 1}, ["F", "M"], 2)
    reader = sr.Adversary(sequence=MODELS[model])
    with pytest.raises(sr.KnowledgeError, match="numbers or dates"):
        reader.observe(*read_whole(view, at))
    with pytest.raises(sr.KnowledgeError, match="numbers or dates"):
        reader.expect(view, at)
    assert len(reader.memory) == 0
    reader.observe(*read_whole(view, 3))
    version = reader.memory.version
    with pytest.raises(sr.KnowledgeError, match="numbers or dates"):
        reader.observe(*read_whole(view, at))
    with pytest.raises(sr.KnowledgeError, match="numbers or dates"):
        reader.expect(view)
    assert reader.memory.version == version


@pytest.mark.parametrize("model", MODELS)
def test_publisher__at_a_text_publishes_nothing(model):
    store = sr.MemoryStore()
    policy = sr.Policy(sr.KAnonymity(k=1))
    publisher = sr.Publisher(schema(2), policy, sr.Adversary(sequence=MODELS[model]), store=store)
    table = {"who": [0, 1], "sex": ["F", "M"], "exam": [0, 1]}
    with pytest.raises(sr.KnowledgeError, match="numbers or dates"):
        publisher.publish(table, at="2026-02")
    assert len(store.history) == len(store.memory) == 0
    assert publisher.latest is None
    publisher.publish(table, at=1)
    publisher.publish(table, at=30)
    assert len(store.history) == 2


@pytest.mark.parametrize("length", [0, -7, float("inf"), float("nan"), "7", None])
def test_per_period__explains_a_time_that_is_none(length):
    with pytest.raises(sr.KnowledgeError, match="a time above 0"):
        sr.PerPeriod(MODELS["rates"], length)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"given": ["a"], "next": ["a"], "rate": [1.0]}, "two different values"),
        ({"given": ["a"], "next": ["b"], "rate": [-1.0]}, "a number from 0"),
        ({"given": ["a"], "next": ["b"], "rate": [float("inf")]}, "a number from 0"),
        ({"given": ["a", "a"], "next": ["b", "b"], "rate": [1.0, 2.0]}, "two rates"),
        ({"given": [], "next": [], "rate": []}, "no rows"),
    ],
)
def test_transition_rates__explain_what_is_wrong_with_a_table(table, words):
    with pytest.raises(sr.KnowledgeError, match=words):
        sr.TransitionRates.from_table(table)


def test_transition_rates__name_a_value_that_the_domain_lacks():
    with pytest.raises(sr.KnowledgeError, match="outside the sensitive domain: 'ill'"):
        sr.TransitionRates.from_table(
            {"given": ["well"], "next": ["ill"], "rate": [1.0]}
        ).automaton(("well", "I'll"))
