import numpy as np
import pytest

import seriatim as sr

AGE = sr.Numeric("age", 0, 100)
GENDER = sr.Categorical("gender", ["F", "M", "X"])
ZIP = sr.Hierarchical("zip", mask="prefix", values=["12030", "12031", "12044"])
GRADE = sr.Ordinal("grade", ["low", "middle", "high"])


def region(age, gender, code, grade):
    attributes = (AGE, GENDER, ZIP, GRADE)
    parts = zip(attributes, (age, gender, code, grade), strict=True)
    return sr.Region(attributes, tuple(attribute.parse(text) for attribute, text in parts))


@pytest.mark.parametrize(
    ("point", "inside"),
    [
        ([51, 0, 0, 1], True),
        ([52, 2, 1, 2], True),
        ([50.9, 0, 0, 1], False),
        ([52.1, 0, 0, 1], False),
        ([51, 1, 0, 1], False),
        ([51, 0, 2, 1], False),
        ([51, 0, 0, 0], False),
    ],
)
def test_region__contains_points_inside_every_part(point, inside):
    here = region("[51,52]", "{F,X}", "1203*", "[middle,high]")
    assert here.contains(np.array(point)).tolist() == [inside]


def test_region__answers_for_many_points_at_once():
    here = region("*", "F", "*", "*")
    assert here.contains(np.array([[1, 0, 0, 0], [2, 1, 0, 0]])).tolist() == [True, False]


def test_region__writes_itself_as_a_release_does():
    here = region("51-52", "{X,F}", "1203*", "high")
    assert str(here) == "age [51,52], gender {F,X}, zip 1203*, grade high"


def test_region__of_a_release_contains_its_members(running_example):
    release, membership = running_example.releases[1], running_example.memberships[1]
    points = running_example.views[1].points
    inside = [group.region.contains(points).tolist() for group in release.groups]
    assert inside == [(membership.group_of == number).tolist() for number in (0, 1)]
