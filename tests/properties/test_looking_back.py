"""Looking back over the last releases, against the whole series and against enumeration."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import oracles
import oracles_readers
import seriatim as sr
from seriatim.inference.lagged import look_back
from seriatim.inference.retrospective import retrospect
from seriatim.inference.sights import STATES, Panel, Sight, sight_of
from seriatim.publish.traces import followed, panel_numbers
from seriatim.publish.watch import gains_of

VALUES = ("a", "b", "c")
SECRET = b"7"


def schema_over(values=VALUES):
    return sr.Schema("id", [sr.Numeric("age", 0, 9)], sr.Sensitive("exam", values))


def views_of(rng, releases, people=9):
    """Tables in which people come and go."""
    found = []
    for _ in range(releases):
        there = np.flatnonzero(rng.random(people) < 0.7)
        there = there if len(there) >= 4 else np.arange(4)
        codes = rng.integers(0, len(VALUES), len(there))
        found.append(
            {
                "id": there.tolist(),
                "age": rng.integers(0, 10, len(there)).tolist(),
                "exam": [VALUES[code] for code in codes],
            }
        )
    return found


def drawn_automaton(rng, kind):
    """States that expect everything, rule some of it out, or expect nothing at all."""
    n_states = int(rng.integers(1, STATES + 1))
    rows = rng.dirichlet(np.ones(3), n_states)
    if kind == "with impossible values":
        rows = rows * (rng.random(rows.shape) < 0.6)
        rows[rows.sum(axis=1) == 0, 0] = 1.0
        rows /= rows.sum(axis=1, keepdims=True)
    known = rng.random(n_states) < 0.5 if kind == "with unknown states" else None
    following = rng.integers(0, n_states, (n_states, 3))
    return sr.Automaton(VALUES, rows, following, known=known)


def drawn_reader(rng, kind):
    sequence = drawn_automaton(rng, kind)
    if kind == "per period":
        sequence = sr.PerPeriod(sequence, 1)
    if kind == "rates":
        rates = rng.random((1, 3, 3))
        rates[0][np.diag_indices(3)] = 0.0
        rates[0][np.diag_indices(3)] = -rates[0].sum(axis=1)
        sequence = sr.TransitionRates(VALUES, rates)
    prior = sr.MarginalPrior(dict(zip(VALUES, rng.dirichlet(np.ones(3)), strict=True)))
    return sr.Adversary(prior, sequence, rule="strongest", filtering="joint")


KINDS = (
    "plain",
    "with impossible values",
    "with unknown states",
    "per period",
    "rates",
)


def published(reader, tables, instants, panel=1000):
    policy = sr.Policy(sr.KAnonymity(2), remainder="merge")
    publisher = sr.Publisher(schema_over(), policy, reader, seed=int(SECRET), panel=panel)
    made = []
    for at, table in zip(instants, tables, strict=True):
        publisher.publish(table, at=at)
        made.append(publisher.latest)
    return made


def windows(made, lag):
    """The windows after each release."""
    window, found = (), []
    for one in made:
        window = one.window(window, lag)
        found.append(window)
    return found


def gains_by_row(publication, belief):
    """What a belief is worth, by row of the view; NaN for who was left out."""
    found = np.full(len(publication.view), np.nan)
    found[publication.membership.members] = gains_of(publication, belief)
    return found


def of_trace(trace, publication):
    """The rows of the view that a trace follows, in its order."""
    numbers = panel_numbers(publication.view.respondents, SECRET)
    row_of = {int(number): row for row, number in enumerate(numbers)}
    return [row_of[int(number)] for number in trace.sight.numbers]


@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 4))
def test_looking_back__tells_of_each_release_what_the_whole_series_so_far_tells(
    kind, seed, releases, lag
):
    rng = np.random.default_rng(seed)
    reader = drawn_reader(rng, kind)
    instants = np.cumsum(rng.integers(1, 4, releases)).tolist()
    made = published(reader, views_of(rng, releases), instants)
    for so_far, window in enumerate(windows(made, lag), start=1):
        past = made[:so_far]
        beliefs = retrospect(
            reader, [one.release for one in past], [one.membership for one in past], passes=0
        )
        assert [trace.release for trace in window] == list(range(max(1, so_far - lag), so_far + 1))
        for trace in window:
            whole = gains_by_row(past[trace.release - 1], beliefs[trace.release - 1])
            rows = of_trace(trace, past[trace.release - 1])
            assert np.allclose(trace.gain, whole[rows], atol=1e-9)
            assert trace.mean == pytest.approx(np.nanmean(whole), abs=1e-9)


def drawn_sight(rng, people, n_states, there):
    """What a release may have told of some people, every past being possible."""
    rows = np.flatnonzero(there)
    widths = rng.integers(1, 4, len(rows))
    codes = np.concatenate([np.sort(rng.permutation(3)[:width]) for width in widths])
    depths = rng.integers(0, n_states + 1, len(rows))
    states = np.concatenate(
        [rng.permutation(n_states)[:depth] for depth in depths] or [np.empty(0)]
    ).astype(np.int32)
    return Sight(
        people[rows],
        int(np.iinfo(np.uint64).max),
        np.concatenate([[0], np.cumsum(widths)]),
        codes.astype(np.int32),
        rng.random(len(codes)) + 1e-3,
        np.zeros(len(codes), dtype=bool),
        rng.random(len(codes)),
        np.concatenate([[0], np.cumsum(depths)]),
        states,
        rng.random(len(states)),
        rng.random(len(rows)) + 1e-3,
        np.zeros(len(rows), dtype=np.int64),
        np.zeros(len(rows)),
        np.empty((0, 3)),
    )


@given(st.integers(0, 2**32), st.integers(1, 4))
def test_looking_back__agrees_with_enumerating_every_sequence_of_the_window(seed, releases):
    rng = np.random.default_rng(seed)
    n_states = int(rng.integers(1, 5))
    rows, following = rng.dirichlet(np.ones(3), n_states), rng.integers(0, n_states, (n_states, 3))
    people = np.sort(rng.integers(0, 2**63, 6).astype(np.uint64))
    there = rng.random((releases, 6)) < 0.7
    there[:, 0] = True
    window = [drawn_sight(rng, people, n_states, one) for one in there]
    found = look_back(sr.Automaton(VALUES, rows, following), window)
    assert np.isnan(found[-1]).all()
    knowledge = oracles.Knowledge(rows.tolist(), following.tolist())
    for person in range(6):
        seen = [number for number in range(releases) if there[number, person]]
        places = [int(there[number, :person].sum()) for number in seen]
        if not there[-1, person]:
            for number, place in zip(seen, places, strict=True):
                sight = window[number]
                assert np.isnan(found[number][slice(*sight.bounds[place : place + 2])]).all()
            continue
        first, place = window[seen[0]], places[0]
        kept = slice(*first.state_bounds[place : place + 2])
        expected = oracles_readers.looked_back(
            knowledge,
            dict(zip(first.states[kept].tolist(), first.weights[kept].tolist(), strict=True)),
            float(first.beyond[place]),
            dense(first, place, first.rest),
            [
                dense(window[number], one, window[number].likelihood)
                for number, one in zip(seen, places, strict=True)
            ],
        )
        for number, one, row in zip(seen[:-1], places, expected, strict=False):
            believed = dense(window[number], one, found[number])
            assert np.allclose(believed, row, atol=1e-10)


def dense(sight, place, entries):
    """Entries of one person as a row over all values."""
    row = np.zeros(3)
    own = slice(*sight.bounds[place : place + 2])
    row[sight.codes[own]] = entries[own]
    return row.tolist()


@given(st.integers(0, 2**32), st.integers(0, 4))
def test_states_that_are_kept__and_the_rest_expect_together_what_was_expected(seed, states):
    rng = np.random.default_rng(seed)
    reader = drawn_reader(rng, "with unknown states").anew()
    policy = sr.Policy(sr.KAnonymity(2), remainder="merge")
    publisher = sr.Publisher(schema_over(), policy, reader, seed=1)
    for at, table in enumerate(views_of(rng, 3)):
        before = reader.anticipate(sr.Roster.from_table(table, schema_over()), at)
        publisher.publish(table, at=at)
        release, membership = publisher.latest.release, publisher.latest.membership
        impression = reader.consider(release, membership, before)
        numbers = panel_numbers(membership.roster.respondents, SECRET)
        panel = Panel.of(numbers, membership.published, 1000)
        posterior = impression.posterior.probabilities
        sight = sight_of(reader, before, posterior[panel.rows], panel, states=states)
        automaton = before.automaton
        for person, row in enumerate(panel.rows):
            own = slice(*sight.bounds[person : person + 2])
            kept = slice(*sight.state_bounds[person : person + 2])
            assert kept.stop - kept.start <= states
            expected = sight.beyond[person] * sight.rest[own]
            pairs = zip(sight.states[kept], sight.weights[kept], strict=True)
            for state, weight in pairs:
                known = automaton.known[0, state]
                rows = automaton.next_value[0, state] if known else before.prior.probabilities[row]
                expected = expected + weight * rows[sight.codes[own]]
            revised = before.revised.probabilities[row, sight.codes[own]]
            assert np.allclose(expected, revised, atol=1e-12)
            assert sight.beyond[person] + sight.weights[kept].sum() == pytest.approx(1)
        impression.remember_in(reader.memory)


@given(st.integers(0, 2**32), st.integers(1, 6))
def test_smaller_panel__tells_the_same_of_those_whom_it_has(seed, most):
    rng = np.random.default_rng(seed)
    reader = drawn_reader(rng, "plain")
    tables = views_of(rng, 4)
    whole = windows(published(reader, tables, range(4)), 2)
    some = windows(published(reader, tables, range(4), panel=most), 2)
    for large, small in zip(whole, some, strict=True):
        assert len(small[-1]) <= most
        limit = min(trace.sight.limit for trace in small)
        for one, other in zip(large, small, strict=True):
            inside = one.sight.numbers <= limit
            assert other.sight.numbers.tolist() == one.sight.numbers[inside].tolist()
            assert np.allclose(other.gain, one.gain[inside])


@given(st.integers(0, 2**32))
def test_window__ends_where_a_release_was_not_followed(seed):
    rng = np.random.default_rng(seed)
    made = published(drawn_reader(rng, "plain"), views_of(rng, 4), range(4))
    first, second, _, last = (one.trace for one in made)
    kept = followed(last, (first, second), made[-1].knowledge, 4)
    assert [trace.release for trace in kept] == [4]


def test_looking_back__does_not_depend_on_the_number_of_threads(monkeypatch):
    rng = np.random.default_rng(5)
    people = np.arange(1024, dtype=np.uint64)
    window = [drawn_sight(rng, people, 3, rng.random(1024) < 0.8) for _ in range(4)]
    window[-1] = drawn_sight(rng, people, 3, np.ones(1024, dtype=bool))
    automaton = sr.Automaton(VALUES, rng.dirichlet(np.ones(3), 3), rng.integers(0, 3, (3, 3)))
    found = []
    for cores in (1, 4):
        monkeypatch.setattr("seriatim.kernels._jit.usable_cores", lambda cores=cores: cores)
        found.append(look_back(automaton, window))
    assert all(np.array_equal(*pair, equal_nan=True) for pair in zip(*found, strict=True))


@given(st.integers(0, 2**32))
def test_weaker_reader__is_watched_by_the_strongest_rule(seed):
    rng = np.random.default_rng(seed)
    strong = drawn_reader(rng, "plain")
    tables = views_of(rng, 1)
    assume(len(tables[0]["id"]) >= 4)
    by_strong, by_weak = (
        published(reader, tables, [1])[0].window((), 4)[0]
        for reader in (strong, replace(strong, rule="omega", filtering="marginal"))
    )
    assert np.allclose(by_strong.gain, by_weak.gain)
