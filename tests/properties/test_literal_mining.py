"""Algorithm 3 to the letter, against counting and dividing by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.knowledge import Classes
from seriatim.partition import generalize
from strategies import as_partition, distributions, rows_of

DOMAIN = (0, 1, 2)
SEXES = ("F", "M")
PEOPLE = {who: SEXES[who % 2] for who in range(6)}

corpora = st.lists(
    st.dictionaries(st.sampled_from(sorted(PEOPLE)), st.sampled_from(DOMAIN), min_size=1),
    min_size=2,
    max_size=5,
)
histories = st.lists(st.sampled_from(DOMAIN), max_size=7)


def tables(views):
    return [
        {
            "who": list(view),
            "sex": [PEOPLE[who] for who in view],
            "exam": list(view.values()),
        }
        for view in views
    ]


def mined(views, steps, **options):
    return sr.mine(
        tables(views), steps=steps, respondent="who", value="exam", unseen="impossible", **options
    )


def of_sex(views, sex):
    return [{who: value for who, value in view.items() if PEOPLE[who] == sex} for view in views]


def states_along(automaton, history):
    """The states after nothing, after the first value, and so on."""
    state = automaton.start
    yield state
    for value in history:
        state = automaton.next_state[state, automaton.values.index(value)]
        yield state


def assert_expects(automaton, kind, history, views, steps):
    for length, state in enumerate(states_along(automaton, history)):
        expected = oracles.literal_expectation(views, history[:length], steps, automaton.values)
        assert automaton.next_value[kind, state] == pytest.approx(expected, abs=1e-12)


@given(corpora, st.integers(0, 4), histories)
def test_literal_mining__divides_how_often_two_occur_together_by_how_often_the_first_does(
    views, steps, history
):
    assert_expects(mined(views, steps).automaton(DOMAIN), 0, history, views, steps)


@given(corpora, st.integers(0, 4), st.permutations([*DOMAIN, 3]), st.data())
def test_literal_mining__expects_nothing_after_values_that_only_the_domain_has(
    views, steps, domain, data
):
    history = data.draw(st.lists(st.sampled_from(domain), max_size=7))
    assert_expects(mined(views, steps).automaton(tuple(domain)), 0, history, views, steps)


@given(st.integers(1, 3), st.sampled_from(DOMAIN), st.data())
def test_literal_mining__knows_a_context_again_after_one_that_was_never_seen(steps, stranger, data):
    calm = [value for value in DOMAIN if value != stranger]
    weeks = data.draw(st.lists(st.sampled_from(calm), min_size=steps + 1, max_size=5))
    views = [{0: value} for value in weeks]
    automaton = mined(views, steps).automaton(DOMAIN)
    *_, lost = states_along(automaton, [*weeks, stranger])
    assert not automaton.next_value[0, lost].any()
    again = [*weeks, stranger, *weeks[:steps]]
    *_, found = states_along(automaton, again)
    assert automaton.next_value[0, found].any()
    assert_expects(automaton, 0, again, views, steps)


@given(corpora, st.integers(0, 3), histories)
def test_literal_mining__counts_classes_apart(views, steps, history):
    model = mined(views, steps, by="sex")
    automaton = model.automaton(DOMAIN)
    found = [sex for (sex,) in model.classes.cells]
    assert set(found) == {PEOPLE[who] for view in views for who in view}
    for kind, sex in enumerate(found):
        assert_expects(automaton, kind, history, of_sex(views, sex), steps)


@given(corpora, st.integers(0, 4), st.data())
def test_revision__by_literal_mining_is_the_rescaled_sum_over_all_sequences(views, steps, data):
    posteriors = data.draw(st.lists(distributions(3), min_size=1, max_size=5))
    prior = data.draw(distributions(3))
    found = sr.revise(mined(views, steps).automaton(DOMAIN), [[row] for row in posteriors], [prior])

    def expectation(sequence):
        return oracles.literal_expectation(views, sequence, steps, DOMAIN)

    expected = oracles.over_all_sequences(expectation, posteriors, prior)
    assert found[0] == pytest.approx(expected, abs=1e-12)


@given(st.integers(1, 4), st.sampled_from(DOMAIN), distributions(3))
def test_revision__is_the_prior_where_every_chance_is_zero(steps, stranger, prior):
    calm = next(value for value in DOMAIN if value != stranger)
    automaton = mined([{0: calm}, {0: calm}], steps).automaton(DOMAIN)
    found = sr.revise(automaton, np.eye(3)[[calm, stranger]][:, None], [prior])
    assert found[0] == pytest.approx(prior, abs=1e-15)


def schema():
    return sr.Schema("who", [sr.Categorical("sex", SEXES)], sr.Sensitive("exam", DOMAIN))


def read_whole(view, at):
    """The view published as one group."""
    everyone = as_partition([list(range(len(view)))], [])
    return generalize(view, everyone, at=at, rng=np.random.default_rng(0))


@given(corpora, corpora, st.integers(0, 3), st.data())
def test_reader__with_literal_knowledge_equals_enumeration_by_class(corpus, views, steps, data):
    corpus = [*corpus, {0: 0, 1: 1}]
    priors = dict(zip(PEOPLE, data.draw(rows_of(len(PEOPLE), 3)), strict=True))
    prior = sr.TabulatedPrior.from_table(
        {
            "respondent": [who for who in PEOPLE for _ in DOMAIN],
            "value": [value for _ in PEOPLE for value in DOMAIN],
            "probability": [chance for row in priors.values() for chance in row],
        }
    )
    reader = sr.Adversary(prior, mined(corpus, steps, by="sex"))
    pasts = {}
    for at, table in enumerate(tables(views)):
        view = sr.View.from_table(table, schema())
        people = view.respondents.to_pylist()
        for who, row in zip(people, reader.expect(view).probabilities, strict=True):
            same_sex = of_sex(corpus, PEOPLE[who])

            def expectation(sequence, same_sex=same_sex):
                return oracles.literal_expectation(same_sex, sequence, steps, DOMAIN)

            expected = (
                oracles.over_all_sequences(expectation, pasts[who], priors[who])
                if who in pasts
                else priors[who]
            )
            assert row == pytest.approx(expected, abs=1e-9)
        posterior = reader.observe(*read_whole(view, at)).probabilities
        for who, row in zip(people, posterior, strict=True):
            pasts.setdefault(who, []).append(row.tolist())


@given(corpora, corpora, st.integers(0, 3))
def test_joint_filter__refuses_literal_knowledge_and_remembers_nothing(corpus, views, steps):
    reader = sr.Adversary(sequence=mined(corpus, steps), filtering="joint")
    view = sr.View.from_table(tables(views)[0], schema())
    seen = read_whole(view, 0)
    with pytest.raises(sr.KnowledgeError, match="joint filter"):
        reader.observe(*seen)
    assert len(reader.memory) == 0
    with pytest.raises(sr.KnowledgeError, match="joint filter"):
        sr.Retrospective(sr.Adversary(sequence=mined(corpus, steps))).read([seen[0]], [seen[1]])
    store = sr.MemoryStore()
    publisher = sr.Publisher(schema(), sr.Policy(sr.KAnonymity(k=1)), reader, store=store)
    with pytest.raises(sr.KnowledgeError, match="joint filter"):
        publisher.publish(tables(views)[0], at=1)
    assert len(store.history) == len(store.memory) == 0


def test_literal_mining__is_told_from_the_other_kind_by_what_follows_the_last_value():
    weeks = tables([{0: 0, 2: 0}, {0: 1}])
    literal, suffix = (
        sr.mine(weeks, steps=1, respondent="who", value="exam", unseen=unseen).automaton((0, 1))
        for unseen in ("impossible", "suffix")
    )
    *_, state = states_along(literal, [0])
    assert literal.next_value[0, state].tolist() == [0.0, 0.5]
    *_, state = states_along(suffix, [0])
    assert suffix.next_value[0, state].tolist() == [0.0, 1.0]


def test_literal_mining__has_the_classes_of_the_corpus():
    model = mined([{0: 0, 1: 1}, {0: 1}], 1, by="sex")
    assert model.classes == Classes(("sex",), (("F",), ("M",)))


def test_mine__explains_another_way_to_treat_the_unseen():
    with pytest.raises(sr.KnowledgeError, match="possible are 'suffix', 'impossible'"):
        sr.mine(tables([{0: 0}, {0: 1}]), steps=1, respondent="who", value="exam", unseen="never")
