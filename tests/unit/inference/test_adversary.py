import numpy as np
import pytest

import seriatim as sr


@pytest.fixture
def made(make_publisher, table):
    """A publication of four pairs."""
    publisher = make_publisher()
    publisher.publish(table, at=1)
    return publisher.latest


def test_adversary__judges_newcomers_by_the_prior(made, sticky):
    reader = sr.Adversary(prior=sr.MarginalPrior({"neg": 0.7, "pos": 0.3}), sequence=sticky)
    assert reader.expect(made.view).of("pos").tolist() == [0.3] * 8


def test_adversary__expects_by_sequence_once_it_has_read_a_release(made, sticky):
    reader = sr.Adversary(sequence=sticky)
    posterior = reader.observe(made.release, made.membership).of("pos")
    assert reader.expect(made.view).of("pos") == pytest.approx(0.1 + 0.7 * posterior)


def test_adversary__without_sequence_knowledge_reads_every_release_alone(made):
    reader = sr.Adversary()
    reader.observe(made.release, made.membership)
    assert reader.expect(made.view).of("pos").tolist() == [0.5] * 8
    assert len(reader.memory) == 0


def test_adversary__considers_without_remembering(made, sticky):
    reader = sr.Adversary(sequence=sticky)
    reader.consider(made.release, made.membership)
    assert len(reader.memory) == 0


def test_adversary__looks_at_no_sensitive_value_when_it_expects(table, schema, made, sticky):
    reader = sr.Adversary(sequence=sticky)
    reader.observe(made.release, made.membership)
    roster = sr.Roster.from_table(table, schema)
    expected = reader.expect(made.view).probabilities
    assert (reader.expect(roster).probabilities == expected).all()


def test_adversary__anew_remembers_nothing(made, sticky):
    reader = sr.Adversary(sequence=sticky)
    reader.observe(made.release, made.membership)
    assert (len(reader.memory), len(reader.anew().memory)) == (8, 0)


def test_adversary__keeps_its_belief_of_those_who_are_not_published(made, sticky):
    release = made.release
    groups = np.where(made.membership.group_of == 3, -1, made.membership.group_of)
    kept = release.value_codes[: release.starts[3]]
    smaller = sr.Release(1, release.schema, release.covers, release.starts[:4], kept)
    membership = sr.Membership(made.view, groups)
    reader = sr.Adversary(prior=sr.MarginalPrior({"neg": 0.9, "pos": 0.1}), sequence=sticky)
    posterior = reader.observe(smaller, membership)
    assert posterior.of("pos")[groups < 0].tolist() == [0.1, 0.1]
    assert len(reader.memory) == 6


def test_adversary__anticipates_what_it_expects_and_whom_it_remembers(table, schema, made, sticky):
    reader = sr.Adversary(sequence=sticky)
    before = reader.anticipate(made.view.roster)
    assert (before.known.any(), before.pasts) == (False, None)
    reader.observe(made.release, made.membership)
    newcomer = {**table, "name": [*table["name"][:-1], "SECRET-9999"]}
    after = reader.anticipate(sr.Roster.from_table(newcomer, schema))
    assert after.known.tolist() == [True] * 7 + [False]
    assert len(after.pasts) == 7
    assert after.version > before.version


def test_adversary__considers_the_same_from_what_it_anticipated(made, sticky):
    reader = sr.Adversary(sequence=sticky)
    reader.observe(made.release, made.membership)
    expectation = reader.anticipate(made.view.roster)
    given = reader.consider(made.release, made.membership, expectation)
    own = reader.consider(made.release, made.membership)
    assert (given.posterior.probabilities == own.posterior.probabilities).all()
    assert (given.pasts.weights == own.pasts.weights).all()
    assert given.version == own.version == reader.memory.version


def test_impression__is_refused_by_a_memory_that_changed_meanwhile(made, sticky):
    reader = sr.Adversary(sequence=sticky)
    stale = reader.consider(made.release, made.membership)
    reader.observe(made.release, made.membership)
    expected = reader.expect(made.view).of("pos").tolist()
    with pytest.raises(
        sr.OrderError, match=r"memory has changed since.*Consider the release again"
    ):
        stale.remember_in(reader.memory)
    assert reader.expect(made.view).of("pos").tolist() == expected


def test_impression__is_remembered_once(made, sticky):
    reader = sr.Adversary(sequence=sticky)
    impression = reader.consider(made.release, made.membership)
    impression.remember_in(reader.memory)
    with pytest.raises(sr.OrderError, match="memory has changed since"):
        impression.remember_in(reader.memory)


@pytest.mark.parametrize("later", [False, True], ids=["first release", "later release"])
@pytest.mark.parametrize(
    ("column", "cell", "part"),
    [
        ("age", "0-60", "4 respondents belong to no class"),
        ("zipp", "*", "Classes go by 'zipp'"),
        ("age", "old", "'old' is no number or interval"),
    ],
)
def test_adversary__checks_its_class_tables_before_it_knows_anybody(
    made, column, cell, part, later, sticky
):
    table = {column: [cell], "given": ["pos"], "next": ["pos"], "probability": [1.0]}
    knowledge = sr.DomainKnowledge.from_table(table, classes=[column])
    reader = sr.Adversary(sequence=knowledge)
    if later:
        sr.Adversary(sequence=sticky, memory=reader.memory).observe(made.release, made.membership)
    with pytest.raises(sr.KnowledgeError, match=part):
        reader.anticipate(made.view.roster)


def test_adversary__refuses_a_memory_made_with_other_knowledge(made, sticky):
    reader = sr.Adversary(sequence=sticky)
    reader.observe(made.release, made.membership)
    turned = sr.Automaton(("neg", "pos"), sticky.next_value[0], [[1, 0], [1, 0]])
    with pytest.raises(sr.KnowledgeError, match="memory was made with other sequence knowledge"):
        sr.Adversary(sequence=turned, memory=reader.memory).expect(made.view)


def test_adversary__goes_on_with_other_probabilities_over_the_same_states(made, sticky):
    reader = sr.Adversary(sequence=sticky)
    posterior = reader.observe(made.release, made.membership).of("pos")
    surer = sr.Automaton(("neg", "pos"), [[1.0, 0.0], [0.0, 1.0]], sticky.next_state)
    expected = sr.Adversary(sequence=surer, memory=reader.memory).expect(made.view).of("pos")
    assert expected == pytest.approx(posterior)


@pytest.mark.parametrize(
    "groups", [[0, 0, 0, 1, 1, 2, 2, 3], [0, 0, 1, 1, 2, 2, -1, -1], [0, 1, 2, 3] + [-1] * 4]
)
def test_adversary__refuses_a_membership_that_does_not_fit_the_release(made, groups):
    membership = sr.Membership(made.view, np.array(groups))
    with pytest.raises(sr.OrderError, match="does not fit the release: group sizes differ"):
        sr.Adversary().observe(made.release, membership)


def test_adversary__names_the_nearest_rule():
    with pytest.raises(sr.KnowledgeError, match=r"no posterior rule 'omga'.*mean 'omega'\?"):
        sr.Adversary(rule="omga")


def test_adversary__speaks_of_the_values_of_its_prior_and_its_sequences(sticky):
    reader = sr.Adversary(prior=sr.MarginalPrior({"pos": 0.5, "x": 0.5}), sequence=sticky)
    assert reader.values == ("pos", "x", "neg")


def test_adversary__takes_a_rule_by_name_or_as_itself(made):
    by_name = sr.Adversary(rule="additive").observe(made.release, made.membership)
    itself = sr.Adversary(rule=sr.Additive()).observe(made.release, made.membership)
    assert (by_name.probabilities == itself.probabilities).all()
