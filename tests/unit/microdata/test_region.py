import numpy as np
import pytest

import seriatim as sr

SCHEMA = sr.Schema(
    "name",
    [
        sr.Numeric("age", 0, 100),
        sr.Categorical("gender", ["F", "M", "X"]),
        sr.Hierarchical("zip", mask="prefix", values=["12030", "12031", "12044"]),
        sr.Ordinal("grade", ["low", "middle", "high"]),
    ],
    sr.Sensitive("exam"),
)
NAMES = ("age", "gender", "zip", "grade")


def roster(*people, schema=SCHEMA):
    """People, each as age, gender, zip and grade."""
    columns = dict(zip(NAMES, map(list, zip(*people, strict=True)), strict=True))
    return sr.Roster.from_table({"name": list(range(len(people))), **columns}, schema)


@pytest.mark.parametrize(
    ("person", "inside"),
    [
        ((51, "F", "12030", "middle"), True),
        ((52, "X", "12031", "high"), True),
        ((50.9, "F", "12030", "middle"), False),
        ((52.1, "F", "12030", "middle"), False),
        ((51, "M", "12030", "middle"), False),
        ((51, "F", "12044", "middle"), False),
        ((51, "F", "12030", "low"), False),
    ],
)
def test_region__contains_those_inside_every_part(person, inside):
    here = sr.Region(NAMES, ("[51,52]", "{F,X}", "1203*", "[middle,high]"))
    assert here.contains(roster(person)).tolist() == [inside]


def test_region__answers_for_a_whole_roster_at_once():
    people = roster((1, "F", "12030", "low"), (2, "M", "12030", "low"), (3, "F", "12044", "high"))
    assert sr.Region(NAMES, ("*", "F", "*", "*")).contains(people).tolist() == [True, False, True]


def test_region__goes_by_names_and_not_by_their_order():
    people = roster((1, "F", "12030", "low"), (2, "M", "12030", "low"))
    assert sr.Region(("gender", "age"), ("F", "[0,5]")).contains(people).tolist() == [True, False]


def test_region__writes_itself_as_a_release_does():
    here = sr.Region(NAMES, ("[51,52]", "{F,X}", "1203*", "high"))
    assert str(here) == "age [51,52], gender {F,X}, zip 1203*, grade high"


def test_region__of_one_view_can_be_laid_over_another(table):
    """Codes differ between the views; words do not."""
    schema = sr.Schema("name", [sr.Categorical("gender")], sr.Sensitive("exam"))
    other = {"name": ["a", "b", "c"], "gender": ["A", "M", "F"]}
    here = sr.Region(("gender",), ("M",))
    assert here.contains(sr.Roster.from_table(table, schema)).tolist() == [False, True] * 4
    assert here.contains(sr.Roster.from_table(other, schema)).tolist() == [False, True, False]


def test_region__contains_nobody_where_a_view_does_not_have_its_category(table):
    schema = sr.Schema("name", [sr.Categorical("gender")], sr.Sensitive("exam"))
    here = sr.Region(("gender",), ("{Y,Z}",))
    assert not here.contains(sr.Roster.from_table(table, schema)).any()


def test_region__refuses_a_roster_without_its_attribute(table, schema):
    with pytest.raises(sr.SchemaError, match="'age', 'gender', and the region speaks of 'zip'"):
        sr.Region(("zip",), ("*",)).contains(sr.Roster.from_table(table, schema))


def test_region__of_a_release_contains_its_members(running_example):
    release, membership = running_example.releases[1], running_example.memberships[1]
    roster = running_example.views[1].roster
    inside = [group.region.contains(roster).tolist() for group in release.groups]
    assert inside == [(membership.group_of == number).tolist() for number in (0, 1)]


def test_region__of_values_with_special_characters_contains_its_members():
    labels = ["a,b", "{c}", "*", 'd"e', "f", " g", "", "h]"]
    schema = sr.Schema("name", [sr.Categorical("place")], sr.Sensitive("exam"))
    table = {"name": list(range(8)), "place": labels, "exam": ["x", "y"] * 4}
    publisher = sr.Publisher(schema, sr.Policy(sr.KAnonymity(k=3)), sr.Adversary(), seed=1)
    release = publisher.publish(table, at=1)
    made = publisher.latest
    for number, group in enumerate(release.groups):
        inside = group.region.contains(made.view.roster)
        assert np.array_equal(inside, made.membership.group_of == number)
