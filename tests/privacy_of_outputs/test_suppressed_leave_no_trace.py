"""What only suppressed people have is nowhere in a release: not even as the end of a range."""

import pickle
import re

import numpy as np
import pytest

import seriatim as sr

AGE, PLACE, ZIP, GRADE = 117, "Ultima Thule", "98765", "ninth"
"""What nobody has but the one who is suppressed."""

MARKS = (str(AGE), PLACE, ZIP, ZIP[:4], GRADE)


def schema(**declared):
    attributes = [
        sr.Numeric("age"),
        sr.Categorical("place"),
        sr.Hierarchical("zip", mask="prefix"),
        sr.Categorical("grade"),
    ]
    return sr.Schema("name", attributes, sr.Sensitive("exam", ["neg", "pos"]), **declared)


@pytest.fixture
def view():
    """Eight people who are alike, and a ninth at the far end of everything."""
    return {
        "name": [f"SECRET-{number}" for number in range(9)],
        "age": [51, 51, 52, 52, 53, 53, 54, 54, AGE],
        "place": ["Rovereto", "Trento"] * 4 + [PLACE],
        "zip": ["12030", "12031"] * 4 + [ZIP],
        "grade": ["first", "second"] * 4 + [GRADE],
        "exam": ["neg", "pos"] * 4 + ["neg"],
    }


def publish(*views):
    """Publish views in groups of four; whoever comes last on the curve is left over."""
    policy = sr.Policy(sr.KAnonymity(k=4))
    publisher = sr.Publisher(schema(), policy, sr.Adversary(), seed=3)
    for at, one in enumerate(views):
        publisher.publish(one, at=at)
    return publisher


def fields_of(release):
    """The fields as they print, without addresses in memory, which may hold any digits."""
    return re.sub(r"0x[0-9a-f]+", "", repr(vars(release)))


def numbers_in(release):
    """Every number that a release holds, bit by bit."""
    arrays = [release.starts, release.value_codes]
    arrays += [array for cover in release.covers for array in (cover.extents, cover.penalties)]
    return {float(number) for array in arrays for number in np.ravel(array)}


def test_suppressed__is_the_one_at_the_far_end(view):
    """Were somebody else left over, the other tests would prove nothing."""
    made = publish(view).latest
    assert made.membership.group_of[8] == -1
    assert made.suppressed == 1
    private = pickle.dumps(made.view).decode("latin-1")
    assert all(mark in private for mark in (PLACE, ZIP, GRADE))
    assert made.view.points[:, 0].max() == AGE


@pytest.mark.parametrize(
    "shown",
    [
        repr,
        lambda release: repr(release.schema),
        fields_of,
        lambda release: str(release.to_frame()),
        lambda release: str([str(group.region) for group in release.groups]),
        lambda release: pickle.dumps(release).decode("latin-1"),
        lambda release: pickle.dumps(release.schema).decode("latin-1"),
    ],
    ids=["repr", "schema", "fields", "frame", "regions", "pickle", "pickled schema"],
)
def test_release__shows_nothing_that_only_a_suppressed_respondent_has(view, shown):
    text = shown(publish(view).history[0])
    assert [mark for mark in MARKS if mark in text] == []


def test_pickled_release__does_not_hold_the_age_as_a_number(view):
    release = publish(view).history[0]
    pickled = pickle.dumps(release)
    assert AGE not in numbers_in(release)
    assert np.float64(AGE).tobytes() not in pickled
    assert np.int64(AGE).tobytes() not in pickled


def test_schema_of_a_release__is_the_one_that_was_declared(view):
    assert publish(view).history[0].schema == schema()


def test_schema_of_a_later_release__knows_nothing_of_earlier_views(view):
    """The domains of the series were widened by the first view, and stay so in private."""
    without = {name: column[:8] for name, column in view.items()}
    publisher = publish(view, without)
    release = publisher.history[1]
    assert publisher.latest.view.schema.quasi_identifiers[0].high == AGE
    assert release.schema == schema()
    text = fields_of(release) + pickle.dumps(release).decode("latin-1")
    assert [mark for mark in MARKS if mark in text] == []


def test_masked_values__are_not_in_a_release(view):
    """Zip codes 12030 and 12031 are published as 1203*, and nowhere whole."""
    view = {name: column[:8] for name, column in view.items()}
    view["zip"] = ["12030", "12031", "12032", "12033"] * 2
    release = publish(view).history[0]
    assert set(release.to_frame()["zip"]) == {"1203*"}
    text = fields_of(release) + pickle.dumps(release).decode("latin-1")
    assert [code for code in view["zip"] if code in text] == []
