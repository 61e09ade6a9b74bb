"""Knowledge extracted from the views as they come, against mining them all again each time."""

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.knowledge import Classes
from seriatim.partition import generalize
from strategies import as_partition, distributions

SEXES = ("F", "M")
PEOPLE = range(6)
BY_SEX = Classes(("sex",), tuple((sex,) for sex in SEXES))


@st.composite
def people_now(draw, n_values):
    """Who is there, with which value and of which class; people may change both."""
    present = draw(st.lists(st.sampled_from(PEOPLE), min_size=1, unique=True))
    return {
        who: oracles.Tuple(draw(st.integers(0, n_values - 1)), draw(st.sampled_from(SEXES)))
        for who in sorted(present)
    }


def series(n_values, *, least=1, most=5):
    return st.lists(people_now(n_values), min_size=least, max_size=most)


def without_classes(views):
    return [{who: oracles.Tuple(entry.value) for who, entry in view.items()} for view in views]


def table_of(view):
    return {
        "who": list(view),
        "sex": [entry.kind for entry in view.values()],
        "age": [10 * who for who in view],
        "exam": [entry.value for entry in view.values()],
    }


def schema(n_values):
    return sr.Schema(
        "who",
        [sr.Categorical("sex", SEXES), sr.Numeric("age", 0, 200)],
        sr.Sensitive("exam", tuple(range(n_values))),
    )


def as_view(view, n_values):
    return sr.View.from_table(table_of(view), schema(n_values))


def mined(views, steps, by=()):
    """All views as one table with a column of instants: a series may have one view only."""
    rows = [
        (who, entry.kind, at, entry.value)
        for at, view in enumerate(views)
        for who, entry in view.items()
    ]
    columns = zip(("who", "sex", "at", "exam"), zip(*rows, strict=True), strict=True)
    table = {name: list(cells) for name, cells in columns}
    return sr.mine(table, steps=steps, respondent="who", value="exam", at="at", by=by)


def after(automaton, history):
    state = automaton.start
    for value in history:
        state = automaton.next_state[state, value]
    return state


def histories(n_values, steps):
    """Every history that is one longer than what is looked at, and all shorter ones."""
    return itertools.chain.from_iterable(
        itertools.product(range(n_values), repeat=length) for length in range(steps + 2)
    )


def learned(knowledge, views, n_values):
    """What is known after each view, the lesson kept."""
    reader = sr.Adversary(sequence=knowledge)
    for view in views:
        taught, lesson = reader.taught(as_view(view, n_values))
        yield taught.sequence
        reader.notebook.keep(lesson)


@given(st.integers(1, 3), st.integers(0, 3), st.data())
def test_incremental_knowledge__is_what_mining_all_views_so_far_gives(n_values, steps, data):
    views = data.draw(series(n_values))
    domain = tuple(range(n_values))
    for number, found in enumerate(learned(sr.IncrementalKnowledge(steps), views, n_values), 1):
        so_far = without_classes(views[:number])
        twin = mined(so_far, steps).automaton(domain)
        for history in histories(n_values, steps):
            state, twin_state = after(found, history), after(twin, history)
            assert found.known[0, state]
            assert twin.known[0, twin_state]
            row = found.next_value[0, state]
            assert row == pytest.approx(twin.next_value[0, twin_state], abs=1e-15)
            expected = oracles.extracted_expectation(so_far, history, steps, domain)
            assert row == pytest.approx(expected, abs=1e-12)


@given(st.integers(1, 3), st.integers(0, 2), st.data())
def test_incremental_knowledge__counts_by_the_class_of_whoever_came_next(n_values, steps, data):
    views = data.draw(series(n_values))
    domain = tuple(range(n_values))
    knowledge = sr.IncrementalKnowledge(steps, BY_SEX)
    for number, found in enumerate(learned(knowledge, views, n_values), 1):
        model = mined(views[:number], steps, by="sex")
        twin, places = model.automaton(domain), model.classes.cells
        for (kind, sex), history in itertools.product(enumerate(SEXES), histories(n_values, steps)):
            state = after(found, history)
            expected = oracles.extracted_expectation(views[:number], history, steps, domain, sex)
            assert found.known[kind, state] == (expected is not None)
            assert ((sex,) in places) == (expected is not None)
            if expected is not None:
                row = found.next_value[kind, state]
                assert row == pytest.approx(expected, abs=1e-12)
                mined_row = twin.next_value[places.index((sex,)), after(twin, history)]
                assert row == pytest.approx(mined_row, abs=1e-15)


def noted(notebook, size):
    """Everything a notebook holds, as plain values."""
    return (
        notebook.version,
        notebook.contexts(pa.array(list(PEOPLE))).tolist(),
        notebook.counts(size).tolist(),
    )


def table_size(n_values, steps, n_classes=1):
    contexts = sum(n_values**length for length in range(steps + 1))
    return n_classes * contexts * n_values


@given(st.integers(1, 3), st.integers(0, 2), st.data())
def test_study__changes_nothing_until_the_lesson_is_kept(n_values, steps, data):
    size = table_size(n_values, steps, len(BY_SEX))
    reader = sr.Adversary(sequence=sr.IncrementalKnowledge(steps, BY_SEX))
    for view in data.draw(series(n_values)):
        before = noted(reader.notebook, size)
        taught, lesson = reader.taught(as_view(view, n_values))
        again, _ = reader.taught(as_view(view, n_values))
        assert noted(reader.notebook, size) == before
        assert np.array_equal(taught.sequence.next_value, again.sequence.next_value)
        reader.notebook.keep(lesson)
        assert noted(reader.notebook, size) != before
        with pytest.raises(sr.OrderError, match="has changed"):
            reader.notebook.keep(lesson)


@given(st.integers(0, 2), st.integers(0, 2), st.data())
def test_notebook__of_other_steps_is_refused(steps, others, data):
    assume(steps != others)
    view = as_view(data.draw(people_now(2)), 2)
    reader = sr.Adversary(sequence=sr.IncrementalKnowledge(steps))
    reader.notebook.keep(reader.taught(view)[1])
    stranger = sr.Adversary(sequence=sr.IncrementalKnowledge(others), notebook=reader.notebook)
    with pytest.raises(sr.OrderError, match="another number of steps"):
        stranger.taught(view)


def publisher(n_values, knowledge, k=2, **options):
    policy = sr.Policy(sr.KAnonymity(k=k), remainder="suppress")
    return sr.Publisher(schema(n_values), policy, sr.Adversary(sequence=knowledge), **options)


@given(st.integers(2, 3), st.integers(0, 2), st.data())
def test_publisher__shows_a_view_to_its_reader_only_when_it_is_published(n_values, steps, data):
    size = table_size(n_values, steps)
    store, calm_store = sr.MemoryStore(), sr.MemoryStore()
    knowledge = sr.IncrementalKnowledge(steps)
    disturbed = publisher(n_values, knowledge, k=3, store=store, seed=1)
    calm = publisher(n_values, knowledge, k=3, store=calm_store, seed=1)
    for at, view in enumerate(data.draw(series(n_values))):
        before = noted(store.notebook, size)
        if len(view) < 3:
            with pytest.raises(sr.UnsatisfiableError):
                disturbed.publish(table_of(view), at=at)
            assert noted(store.notebook, size) == before
            continue
        previewed = disturbed.preview(table_of(view), at=at)
        assert noted(store.notebook, size) == before
        release = disturbed.publish(table_of(view), at=at)
        assert release.to_frame() == calm.publish(table_of(view), at=at).to_frame()
        assert release.to_frame() == previewed.release.to_frame()
        for one in (previewed, disturbed.latest):
            assert np.array_equal(one.revised.probabilities, calm.latest.revised.probabilities)
            assert np.array_equal(one.posterior.probabilities, calm.latest.posterior.probabilities)
        assert noted(store.notebook, size) != before
        assert noted(store.notebook, size) == noted(calm_store.notebook, size)


class FullDisk(sr.MemoryStore):
    """A store that cannot commit, until there is room again."""

    full = False

    def commit(self, step):
        if self.full:
            message = "No space left on device"
            raise OSError(message)
        super().commit(step)


def test_publisher__that_cannot_commit_has_learned_nothing():
    view = {who: oracles.Tuple(who % 2, "F") for who in PEOPLE}
    store = FullDisk()
    stuck = publisher(2, sr.IncrementalKnowledge(1), store=store)
    stuck.publish(table_of(view), at=1)
    before = noted(store.notebook, table_size(2, 1))
    store.full = True
    with pytest.raises(OSError, match="No space left"):
        stuck.publish(table_of(view), at=2)
    assert noted(store.notebook, table_size(2, 1)) == before


@given(st.integers(2, 3), st.integers(0, 2), st.data())
def test_publisher__counts_in_who_is_suppressed(n_values, steps, data):
    views = data.draw(series(n_values, most=3))
    store = sr.MemoryStore()
    series_of = publisher(n_values, sr.IncrementalKnowledge(steps), store=store, seed=1)
    published = []
    for at, view in enumerate(views):
        if len(view) >= 2:
            series_of.publish(table_of(view), at=at)
            published.append(view)
    everyone = {who for view in published for who in view}
    contexts = store.notebook.contexts(pa.array(list(PEOPLE)))
    assert [int(one) > 0 for one in contexts] == [who in everyone and steps > 0 for who in PEOPLE]
    counts = store.notebook.counts(table_size(n_values, steps))[:n_values]
    values = [entry.value for view in published for entry in view.values()]
    assert counts.tolist() == [values.count(value) for value in range(n_values)]


def published_parts(view, data):
    """Groups of the view and who is left out, as drawn; someone is always published."""
    group_of = data.draw(
        st.lists(st.integers(-1, 1), min_size=len(view), max_size=len(view)).filter(
            lambda groups: max(groups) >= 0
        )
    )
    numbers = sorted(set(group_of) - {-1})
    groups = [[row for row, one in enumerate(group_of) if one == number] for number in numbers]
    return groups, [row for row, one in enumerate(group_of) if one == -1]


@pytest.mark.parametrize("classes", [None, BY_SEX])
@given(data=st.data())
def test_revision__applies_the_knowledge_of_now_to_the_whole_past(classes, data):
    n_values, steps = data.draw(st.integers(2, 3)), data.draw(st.integers(0, 3))
    views = data.draw(series(n_values, most=4))
    views = without_classes(views) if classes is None else views
    prior = data.draw(distributions(n_values))
    domain = tuple(range(n_values))
    reader = sr.Adversary(
        sr.MarginalPrior(dict(zip(domain, prior, strict=True))),
        sr.IncrementalKnowledge(steps, classes),
    )
    rng = np.random.default_rng(0)
    pasts = {}
    for at, people in enumerate(views):
        shown = {who: entry._replace(kind=entry.kind or "F") for who, entry in people.items()}
        view = as_view(shown, n_values)
        beliefs = []
        for who in people:

            def expectation(sequence, kind=people[who].kind, so_far=views[: at + 1]):
                return oracles.extracted_expectation(so_far, sequence, steps, domain, kind)

            beliefs.append(
                oracles.over_all_sequences(expectation, pasts[who], prior)
                if who in pasts
                else prior
            )
        taught, _ = reader.taught(view)
        assert taught.expect(view).probabilities == pytest.approx(np.array(beliefs), abs=1e-9)
        groups, left = published_parts(people, data)
        seen = generalize(view, as_partition(groups, left), at=at, rng=rng)
        posterior = reader.observe(*seen, view).probabilities
        values = [entry.value for entry in people.values()]
        concluded = oracles.read_groups(groups, values, beliefs, oracles.omega_posterior)
        for row, who in enumerate(people):
            assert posterior[row] == pytest.approx(concluded.get(row, beliefs[row]), abs=1e-9)
            if row in concluded:
                pasts.setdefault(who, []).append(concluded[row])


def published_series(views, n_values, knowledge):
    """Releases, memberships and originals of a series, as a publisher made them."""
    series_of = publisher(n_values, knowledge, k=1, seed=1)
    found = []
    for at, view in enumerate(views):
        series_of.publish(table_of(view), at=at)
        found.append(series_of.latest)
    return (
        [one.release for one in found],
        [one.membership for one in found],
        [one.view for one in found],
        [one.posterior for one in found],
    )


@given(st.integers(2, 3), st.integers(0, 2), st.data())
def test_reader__with_the_originals_believes_what_the_publisher_simulated(n_values, steps, data):
    knowledge = sr.IncrementalKnowledge(steps, BY_SEX)
    views = data.draw(series(n_values))
    releases, memberships, originals, posteriors = published_series(views, n_values, knowledge)
    reader = sr.Adversary(sequence=knowledge)
    for _ in range(2):
        read = reader.read(releases, memberships, originals)
        for found, expected in zip(read, posteriors, strict=True):
            assert found.probabilities == pytest.approx(expected.probabilities, abs=1e-12)
    assert reader.notebook.version == reader.memory.version == 0


@given(st.integers(2, 3), st.integers(0, 2), st.data())
def test_reader__without_the_originals_has_nothing_to_go_by(n_values, steps, data):
    knowledge = sr.IncrementalKnowledge(steps)
    views = data.draw(series(n_values))
    releases, memberships, originals, _ = published_series(views, n_values, knowledge)
    reader = sr.Adversary(sequence=knowledge)
    with pytest.raises(sr.KnowledgeError, match="pass originals"):
        reader.read(releases, memberships)
    with pytest.raises(sr.KnowledgeError, match="pass originals"):
        reader.observe(releases[0], memberships[0])
    with pytest.raises(sr.KnowledgeError, match="pass originals"):
        reader.expect(originals[0])
    with pytest.raises(sr.KnowledgeError, match="pass originals"):
        sr.Retrospective(reader).read(releases, memberships)
    assert len(reader.memory) == 0


@given(st.integers(0, 2), st.lists(people_now(2), min_size=1, max_size=3), st.data())
def test_hindsight__goes_by_the_knowledge_after_the_last_view(steps, visitors, data):
    # Eight regulars go through all triples of values, so that nothing is ever impossible.
    regulars = {10 + number: number for number in range(8)}
    views = [
        visit | {who: oracles.Tuple(number >> at & 1, "F") for who, number in regulars.items()}
        for at, visit in enumerate(visitors)
    ]
    reader = sr.Adversary(sequence=sr.IncrementalKnowledge(steps), filtering="joint")
    rng = np.random.default_rng(0)
    series_read, likelihoods, places = [], {}, {}
    for at, people in enumerate(views):
        view = as_view(people, 2)
        groups, left = published_parts(people, data)
        release, membership = generalize(view, as_partition(groups, left), at=at, rng=rng)
        revised = reader.taught(view)[0].expect(view).probabilities
        posterior = reader.observe(release, membership, view).probabilities
        series_read.append((release, membership, view))
        for row in itertools.chain(*groups):
            who = list(people)[row]
            likelihoods.setdefault(who, []).append((posterior[row] / revised[row]).tolist())
            places.setdefault(who, []).append((at, row))
    found = sr.Retrospective(reader, passes=0).read(*zip(*series_read, strict=True))
    final = without_classes(views)
    tree = oracles.Knowledge(
        [
            oracles.extracted_expectation(final, history, steps, (0, 1))
            for history in contexts_of(steps)
        ],
        [
            [
                contexts_of(steps).index((*history, value)[-steps:] if steps else ())
                for value in (0, 1)
            ]
            for history in contexts_of(steps)
        ],
    )
    for who, seen in likelihoods.items():
        expected = oracles.smoothed(tree, [0.5, 0.5], seen)
        for (at, row), belief in zip(places[who], expected, strict=True):
            assert found[at].probabilities[row] == pytest.approx(belief, abs=1e-9)


def contexts_of(steps):
    """All contexts of two values, the empty one first."""
    return [
        context
        for length in range(steps + 1)
        for context in itertools.product((0, 1), repeat=length)
    ]


@pytest.mark.parametrize("steps", [-1, 1.5, "2", True, None])
def test_incremental_knowledge__explains_steps_that_are_none(steps):
    with pytest.raises(sr.KnowledgeError, match="whole number from 0"):
        sr.IncrementalKnowledge(steps)


def test_incremental_knowledge__refuses_more_contexts_than_it_can_hold():
    view = as_view({0: oracles.Tuple(0, "F")}, 3)
    with pytest.raises(sr.KnowledgeError, match="fewer steps"):
        sr.Adversary(sequence=sr.IncrementalKnowledge(40)).taught(view)
