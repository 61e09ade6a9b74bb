"""What is proposed for a table: figures about people, whatever the number of their rows."""

import pytest

import seriatim as sr
from seriatim.publish.propose import propose, tell_of_slips
from seriatim.publish.study_text import study_text


def visits(people, each):
    """A table with several rows of every person, whose age stays what it is."""
    rows = [
        (person, person % 50, ("neg", "pos")[visit % 2])
        for person in range(people)
        for visit in range(each)
    ]
    return {
        "patient": [f"P{person}" for person, _, _ in rows],
        "age": [20 + age for _, age, _ in rows],
        "exam": [exam for _, _, exam in rows],
    }


def test_proposal__counts_a_person_with_several_rows_as_alone():
    proposal = propose(visits(50, 4))
    assert (proposal.rows, proposal.people, proposal.unique) == (200, 50, 1.0)
    assert proposal.alone == "100% of 50 people"
    assert "# 100% of 50 people are alone with these values" in study_text(proposal)


def test_proposal__counts_two_people_with_the_same_values_as_company():
    assert propose(visits(100, 4)).unique == 0.0


def test_proposal__sizes_groups_by_people():
    assert (propose(visits(100, 1)).k, propose(visits(100, 4)).k) == (5, 5)


def parts_of(table):
    return {one.name: (one.part, one.kind) for one in propose(table).columns}


@pytest.mark.parametrize(
    "name", ["year_of_birth", "birth_year", "YOB", "geburtsjahr", "dob_year", "BirthYear"]
)
def test_proposal__knows_years_of_birth_beside_codes_of_their_own(name):
    """Nearly everyone has a condition of their own: it is sensitive all the same."""
    table = {
        "person": list(range(600)),
        name: [1930 + person % 70 for person in range(600)],
        "condition": [4000 + person % 367 for person in range(600)],
    }
    assert parts_of(table) == {
        "person": ("respondent", ""),
        name: ("quasi-identifier", "numeric"),
        "condition": ("sensitive", ""),
    }
    (condition,) = propose(table).of("sensitive")
    assert "has 367 values among 600 people: group the codes" in condition.because


def test_proposal__of_a_few_years_of_birth_is_numeric_too():
    table = {"id": list(range(90)), "yob": [1950 + person % 4 for person in range(90)]}
    assert parts_of(table)["yob"] == ("quasi-identifier", "numeric")


@pytest.mark.parametrize("slips", [1, 10])
def test_proposal__of_numbers_with_slips_is_numeric_and_tells_where_they_are(slips):
    ages = ["forty" if person < slips else str(20 + person % 60) for person in range(200)]
    table = {"id": list(range(200)), "age": ages, "exam": ["n", "p"] * 100}
    proposal = propose(table)
    (age,) = proposal.of("quasi-identifier")
    assert (age.kind, age.settings) == ("numeric", {"low": 0, "high": 120})
    with pytest.warns(sr.TableWarning, match=rf"'age' has {slips} cell.*at row position.? 0"):
        tell_of_slips(table, proposal)


def test_proposal__of_many_slips_or_of_codes_is_not_numeric():
    many = ["unknown" if person < 11 else str(20 + person % 60) for person in range(200)]
    table = {"id": list(range(200)), "age": many, "exam": ["n", "p"] * 100}
    assert parts_of(table)["age"] == ("quasi-identifier", "categorical")
    codes = [f"0{person % 60:04}" for person in range(200)]
    assert parts_of(table | {"age": codes})["age"] == ("quasi-identifier", "hierarchical")
