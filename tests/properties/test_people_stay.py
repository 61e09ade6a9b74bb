"""People who stay stay together: the same groups in every release, and nothing to intersect."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seriatim as sr
from seriatim.partition import hilbert_order, tie_order
from strategies import EXAMS, distributions, hospital_schema, hospital_tables

UNDECLARED = sr.Schema(
    "id",
    [
        sr.Numeric("age"),
        sr.Categorical("gender"),
        sr.Ordinal("grade", hospital_schema().quasi_identifiers[2].values),
        sr.Hierarchical("zip", mask="prefix"),
    ],
    sr.Sensitive("exam", EXAMS),
)


def people(publication):
    """Who is grouped with whom, and who is left out."""
    ids = np.array(publication.view.respondents.to_pylist())
    group_of = publication.membership.group_of
    found = {number: frozenset(ids[group_of == number].tolist()) for number in set(group_of)}
    return found.pop(-1, frozenset()), frozenset(found.values())


@st.composite
def crowded_tables(draw):
    """Many people at few points, so that ties decide who is grouped with whom."""
    table = draw(hospital_tables(least=12, most=40))
    n = len(table["id"])
    table["age"] = [age // 50 for age in table["age"]]
    table["gender"] = ["F"] * n
    table["zip"] = ["12030"] * n
    return table


@st.composite
def tables_of_people_who_stay(draw):
    """A table, and what becomes of its people's exams; most keep theirs."""
    table = draw(hospital_tables(least=12, most=30) | crowded_tables())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    moving = draw(st.sampled_from([0.0, 0.1, 0.5]))
    weeks, exams = [], np.array(table["exam"])
    for _ in range(draw(st.integers(2, 4))):
        order = rng.permutation(len(exams))
        week = table | {"exam": exams.tolist()}
        weeks.append({name: [column[row] for row in order] for name, column in week.items()})
        moves = rng.random(len(exams)) < moving
        exams = np.where(moves, rng.choice(EXAMS, len(exams)), exams)
    return weeks


def sticky(row):
    """However sticky: the value stays with almost any probability."""
    stays = 0.6 + 0.399 * row[0]
    off = (1 - stays) / (len(EXAMS) - 1)
    table = [[stays if there == here else off for there in EXAMS] for here in EXAMS]
    return sr.Automaton(EXAMS, [row, *table], [[1, 2, 3]] * 4)


@pytest.mark.parametrize("schema", [hospital_schema(), UNDECLARED], ids=["declared", "undeclared"])
@pytest.mark.parametrize("rule", ["omega", "additive"])
@given(
    weeks=tables_of_people_who_stay(),
    row=distributions(len(EXAMS)),
    k=st.integers(2, 5),
    remainder=st.sampled_from(["suppress", "merge"]),
)
def test_people_who_stay__stay_in_their_groups_and_the_reader_gains_nothing(
    schema, rule, weeks, row, k, remainder
):
    prior = sr.MarginalPrior(dict(zip(EXAMS, row, strict=True)))
    reader = sr.Adversary(prior, sticky(row), rule)
    policy = sr.Policy(sr.KAnonymity(k=k), remainder=remainder)
    publisher = sr.Publisher(schema, policy, reader, seed=5)
    seen = set()
    for at, table in enumerate(weeks):
        publisher.publish(table, at=at)
        latest = publisher.latest
        seen.add(people(latest))
        gain = sr.adversary_gain(
            latest.posterior.probabilities, latest.view.value_codes, latest.membership.group_of
        )
        assert np.abs(gain.per_tuple).max() <= 1e-9
    assert len(seen) == 1


def test_people_dealt_anew__would_be_found_out():
    """The law above can fail: under a secret for each release, the reader gains."""
    n = 60
    rng = np.random.default_rng(0)
    table = {
        "id": list(range(n)),
        "age": [50] * n,
        "gender": ["F"] * n,
        "grade": ["low"] * n,
        "zip": ["12030"] * n,
        "exam": rng.choice(EXAMS, n).tolist(),
    }
    reader = sr.Adversary(sequence=sticky([1.0, 0.0, 0.0]))
    for at in range(4):
        publisher = sr.Publisher(hospital_schema(), sr.Policy(sr.KAnonymity(k=3)), reader, seed=at)
        publication = publisher.preview(table, at=at)
        release, membership = publication.release, publication.membership
        believed = reader.observe(release, membership)
    gain = sr.adversary_gain(
        believed.probabilities, publication.view.value_codes, membership.group_of
    )
    assert gain.mean > 0.2


@given(crowded_tables(), st.data())
def test_people_at_one_point__keep_their_order_when_others_come_and_go(table, data):
    n = len(table["id"])
    present = sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=2)))
    fewer = {name: [column[row] for row in present] for name, column in table.items()}

    def order(rows):
        roster = sr.Roster.from_table(rows, hospital_schema())
        walk = hilbert_order(roster, ties=tie_order(roster, b"5"))
        return [roster.respondents[int(row)].as_py() for row in walk]

    staying = set(fewer["id"])
    assert [one for one in order(table) if one in staying] == order(fewer)
