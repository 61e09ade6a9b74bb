"""Values that are hard to write, and series whose numbers change their form."""

import numpy as np
import pytest

import seriatim as sr
from seriatim.errors import InternalError
from seriatim.publish import guard

VALUES = list("abab")


def publisher(attribute, k=2):
    schema = sr.Schema("id", [attribute], sr.Sensitive("v"))
    return sr.Publisher(schema, sr.Policy(sr.KAnonymity(k=k)), sr.Adversary(), seed=1)


def table(column, values=VALUES):
    return {"id": list(range(len(column))), "x": column, "v": values}


@pytest.mark.parametrize("attribute", [sr.Numeric("x"), sr.Numeric("x", 0, 3)], ids=repr)
def test_series__goes_on_when_whole_numbers_become_fractions_and_back(attribute):
    series = publisher(attribute)
    whole, fractions = [1, 2, 2, 3], [0.5, 1.5, 2, 3]
    for at, column in enumerate((whole, fractions, fractions, whole)):
        series.publish(table(column), at=at)
    first = {text for release in series.history for text in release.to_frame()["x"]}
    assert first == {"[1,2]", "[2,3]", "[0.5,1.5]"}


@pytest.mark.parametrize(
    ("attribute", "column"),
    [
        (sr.Numeric("x"), [51, 52, 53, 54, 117]),
        (sr.Categorical("x"), ["A", "A", "B", "B", "VIP"]),
        (sr.Hierarchical("x", mask="prefix"), ["12030", "12031", "12040", "12041", "99999"]),
    ],
)
def test_release__measures_itself_by_published_tuples_alone(attribute, column):
    with_suppressed = publisher(attribute).publish(table(column, list("ababa")), at=1)
    without = publisher(attribute).publish(table(column[:4]), at=1)
    assert len(with_suppressed) == 4
    assert np.sort(with_suppressed.extents, axis=0).tolist() == without.extents.tolist()
    assert np.sort(with_suppressed.penalties, axis=0).tolist() == without.penalties.tolist()


@pytest.mark.parametrize(
    ("attribute", "column"),
    [
        (sr.Hierarchical("x", mask="prefix"), ["12 ", " 12", "13", "14"]),
        (sr.Categorical("x"), ["a\nb", "a\rb", "c", "d"]),
        (sr.Categorical("x"), ["a,b", '"a,b"', "c", "{x}"]),
        (sr.Ordinal("x", ["a", "b", "[a,b]"]), ["a", "b", "[a,b]", "[a,b]"]),
    ],
)
def test_release__writes_unusual_labels_so_that_the_guard_reads_them_back(attribute, column):
    assert len(publisher(attribute).publish(table(column), at=1)) == 4


def test_column__that_turns_from_numbers_to_texts_is_refused():
    series = publisher(sr.Categorical("x"))
    series.publish(table([1, 1, 2, 2]), at=1)
    with pytest.raises(sr.TableError, match="held numbers in earlier views and holds texts now"):
        series.publish(table(["1", "1", "2", "2"]), at=2)


@pytest.mark.parametrize("at", [{1}, frozenset({1}), np.array([1])], ids=repr)
def test_instant__that_is_no_single_point_in_time_is_refused(at):
    with pytest.raises(sr.OrderError, match="no instant"):
        publisher(sr.Numeric("x")).publish(table([1, 2, 3, 4]), at=at)


@pytest.mark.parametrize(
    "changes",
    [
        {"covers": ()},
        {"starts": np.array([0, 3, 2, 4])},
        {"starts": np.array([0, 2, 2, 4])},
    ],
    ids=["no regions", "borders out of order", "an empty group"],
)
def test_guard__calls_every_anomaly_an_internal_error(changes):
    from dataclasses import replace

    from seriatim.privacy import Evidence

    series = publisher(sr.Numeric("x"))
    series.publish(table([1, 2, 3, 4]), at=1)
    made = series.latest
    broken = replace(made.release, **changes)
    with pytest.raises(InternalError):
        guard(
            broken,
            made.view,
            made.membership,
            Evidence.of(made.view, made.revised),
            sr.KAnonymity(k=2),
        )


@pytest.mark.parametrize("column", [["1*", "12", "1*", "12"], ["", "a", "", "a"]])
def test_mask__over_values_that_look_masked_is_refused(column):
    with pytest.raises(sr.SchemaError, match="none may be empty or contain one"):
        publisher(sr.Hierarchical("x", mask="prefix")).publish(table(column), at=1)


def test_region__of_another_view_holds_those_whose_values_it_names():
    schema = sr.Schema("id", [sr.Categorical("x")], sr.Sensitive("v"))
    roster = sr.Roster.from_table({"id": [1, 2], "x": ["F", "M"]}, schema)
    assert sr.Region(("x",), ("{F,X}",)).contains(roster).tolist() == [True, False]
    assert sr.Region(("x",), ("X",)).contains(roster).tolist() == [False, False]


def test_digest__tells_labels_apart_to_the_last_letter():
    schema = sr.Schema("id", [sr.Categorical("x", ["a", "a\x00"])], sr.Sensitive("v", ["b"]))
    one, other = (
        sr.View.from_table({"id": [1], "x": [label], "v": ["b"]}, schema)
        for label in ("a", "a\x00")
    )
    assert one.digest() != other.digest()


def test_series__keeps_equals_together_for_whoever_goes_on_with_it():
    """No seed given: the order of equals is a secret of the series, not of a publisher."""
    schema = sr.Schema("id", [sr.Numeric("x", 0, 1)], sr.Sensitive("v", ("a", "b")))
    policy, store = sr.Policy(sr.KAnonymity(k=2)), sr.MemoryStore()
    people = {"id": list(range(40)), "x": [0] * 40, "v": ["a", "b"] * 20}
    together = []
    for at in range(2):
        one = sr.Publisher(schema, policy, sr.Adversary(), store=store)
        one.publish(people, at=at)
        group_of = one.latest.membership.group_of
        together.append(group_of[:, None] == group_of[None, :])
    assert (together[0] == together[1]).all()
