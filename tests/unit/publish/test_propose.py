"""What is proposed for a table: figures about people, whatever the number of their rows."""

from seriatim.publish.propose import propose
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
