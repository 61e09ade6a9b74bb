"""What worlds found beside what the tables determine."""

import pytest

import seriatim as sr


@pytest.fixture(scope="module")
def register():
    """A register of chronic patients in cells, and what is known of it."""
    made = sr.register(people=120, releases=5, seed=2)
    knowledge = sr.Adversary(made.prior, made.sequence)
    policy = sr.Policy(sr.KAnonymity(2), sr.StandingCells(20), "merge")
    publisher = sr.Publisher(made.schema, policy, knowledge, seed=1)
    series = []
    for at, table in enumerate(made.tables, start=1):
        publisher.publish(table, at=at)
        series.append(publisher.latest)
    return series, knowledge


def audited(register, originals="view", **effort):
    series, knowledge = register
    reader = sr.Worlds(knowledge, **({"approach": 400, "sweeps": 400} | effort))
    return sr.audit(
        [one.release for one in series],
        [one.view if originals == "view" else one.view.roster for one in series],
        {"retrospective": sr.Retrospective(knowledge), "worlds": reader},
        memberships=[one.membership for one in series],
    )


def test_worlds__find_what_the_tables_determine(register):
    found = audited(register)
    (bracket,) = found.brackets
    assert bracket.reader == found.strongest == "worlds"
    assert bracket.has_settled
    assert bracket.gain_apart < 0.02
    assert bracket.found == found.series[1]
    assert bracket.determined.gain == pytest.approx(bracket.found.gain, abs=0.02)
    assert bracket.found.ever_above_nine_tenths > 0.05
    assert bracket.found.sure_and_right > 0.95
    assert "The tables determine no more" in str(found)
    assert "chains begun apart agree" in str(found)


def test_chains__that_hardly_began_have_not_settled(register):
    (bracket,) = audited(register, approach=1, sweeps=1).brackets
    assert not bracket.has_settled
    assert "chains begun apart disagree" in str(bracket)
    assert "More sweeps may find more" in str(bracket)


def test_bracket__without_originals_tells_nothing_of_the_truth(register):
    (bracket,) = audited(register, "roster").brackets
    assert bracket.determined is None
    assert bracket.gain_apart is None
    assert 0 < bracket.linkability.mean < 1
    assert "determine" not in str(bracket)


def test_single_chain__cannot_tell_whether_it_has_settled(register):
    (bracket,) = audited(register, chains=1).brackets
    assert not bracket.has_settled
    assert "a single chain cannot tell" in str(bracket)


def test_explanation__of_a_named_value_tells_worlds_and_the_subtraction(register):
    found = audited(register)
    told = [str(found.explain(risk)) for risk in found.at_risk("worlds", 20)]
    assert all("of 1,000 worlds that fit all tables together" in one for one in told)
    assert "in more than 999 of 1,000" in told[0]
    assert any("From counts alone: " in one and "follows if values" in one for one in told)
    assert all("A reader of one belief a person" in one for one in told)


def test_releases__alone_tell_that_values_stay(register):
    series, _ = register
    reader = sr.learned_from_releases(
        [one.release for one in series], [one.membership for one in series]
    )
    domain = series[0].release.schema.sensitive.domain
    following = reader.automaton(domain).next_value[0, : len(domain)]
    assert following.diagonal().min() > 0.9


def test_explanation__by_chains_that_disagree_counts_no_worlds(register):
    found = audited(register, approach=1, sweeps=1)
    told = str(found.explain(found.at_risk("worlds")[0]))
    assert "this is no mere count of worlds" in told
    assert "of 1,000" not in told
