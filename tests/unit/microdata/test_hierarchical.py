import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.microdata import Interval

PLACES = {
    "Ghent": ["Flanders", "Belgium"],
    "Lille": ["Nord", "France"],
    "Antwerp": ["Flanders", "Belgium"],
    "Namur": ["Wallonia", "Belgium"],
}
PLACE = sr.Hierarchical("place", PLACES)
ZIP = sr.Hierarchical("zip", mask="prefix", values=["12030", "12044", "12031", "13001"])


def written(attribute, values, starts):
    codes = attribute.encode(pa.array(values))
    return attribute.cover(codes, np.array(starts)).text.to_pylist()


def test_hierarchical__orders_leaves_so_that_every_node_is_a_run():
    assert PLACE.leaves == ("Antwerp", "Ghent", "Namur", "Lille")
    assert ZIP.leaves == ("12030", "12031", "12044", "13001")


def test_hierarchical__writes_the_lowest_node_above_a_group():
    values = ["Ghent", "Ghent", "Antwerp", "Ghent", "Namur", "Antwerp", "Lille", "Namur"]
    assert written(PLACE, values, [0, 2, 4, 6, 8]) == ["Ghent", "Flanders", "Belgium", "*"]


def test_hierarchical__masks_a_prefix():
    values = ["12030", "12030", "12030", "12031", "12031", "12044", "12030", "13001"]
    assert written(ZIP, values, [0, 2, 4, 6, 8]) == ["12030", "1203*", "120**", "1****"]


def test_hierarchical__masks_values_of_unequal_length():
    code = sr.Hierarchical("zip", mask="prefix", values=["123", "12345", "9"])
    assert written(code, ["123", "12345", "123", "9"], [0, 2, 4]) == ["12***", "*****"]


def test_hierarchical__masks_whole_numbers_as_text():
    column = pa.array([12030, 12031])
    code = sr.Hierarchical("zip", mask="prefix").resolve(column)
    assert code.cover(code.encode(column), np.array([0, 2])).text.to_pylist() == ["1203*"]


def test_hierarchical__penalizes_by_leaves_under_the_node():
    codes = PLACE.encode(pa.array(["Ghent", "Ghent", "Antwerp", "Ghent", "Lille", "Ghent"]))
    cover = PLACE.cover(codes, np.array([0, 2, 4, 6]))
    assert cover.penalties.tolist() == [0.0, 0.5, 1.0]
    assert cover.extents.tolist() == [0.0, 1 / 3, 1.0]


def test_hierarchical__covers_every_leaf_under_its_node():
    (node,) = written(PLACE, ["Antwerp", "Namur"], [0, 2])
    assert PLACE.parse(node) == Interval(0, 2)


def test_hierarchical__reads_the_leaves_of_a_mask_off_the_data():
    resolved = sr.Hierarchical("zip", mask="prefix").resolve(pa.array(["20", "10", "20"]))
    assert resolved.values == ("10", "20")


def test_hierarchical__widens_leaves_read_off_data_and_never_drops_one():
    first = sr.Hierarchical("zip", mask="prefix").resolve(pa.array(["12030", "12031"]))
    later = first.resolve(pa.array(["99999", "120"])).resolve(pa.array(["12031"]))
    assert set(later.values) == {"12030", "12031", "99999", "120"}
    assert (first.open, later.open, ZIP.resolve(pa.array(["12030"])).open) == (True, True, False)


def test_hierarchical__gives_its_declared_form_back():
    declared = sr.Hierarchical("zip", mask="prefix")
    assert declared.resolve(pa.array(["99999"])).public() == declared
    assert (ZIP.public(), PLACE.public()) == (ZIP, PLACE)


def test_hierarchical__keeps_declared_leaves_and_paths():
    assert ZIP.resolve(pa.array(["12030"])).values == ZIP.values
    assert PLACE.resolve(pa.array(["Ghent"])) is PLACE


@pytest.mark.parametrize("values", [["12030"], ["12030", "12030"]])
def test_hierarchical__of_one_leaf_writes_it_and_has_no_extent(values):
    column = pa.array(values)
    code = sr.Hierarchical("zip", mask="prefix").resolve(column)
    cover = code.cover(code.encode(column), np.array([0, len(values)]))
    assert cover.text.to_pylist() == ["12030"]
    assert (cover.extents.tolist(), cover.penalties.tolist()) == ([0.0], [0.0])


@pytest.mark.parametrize(
    ("node", "leaves"),
    [("Ghent", (1, 1)), ("Flanders", (0, 1)), ("Belgium", (0, 2)), ("Nord", (3, 3)), ("*", (0, 3))],
)
def test_hierarchical__reads_nodes_by_name(node, leaves):
    assert PLACE.parse(node) == Interval(*leaves)


@pytest.mark.parametrize(
    ("node", "leaves"),
    [("12030", (0, 0)), ("1203*", (0, 1)), ("120**", (0, 2)), ("13001", (3, 3)), ("1****", (0, 3))],
)
def test_hierarchical__reads_masks(node, leaves):
    assert ZIP.parse(node) == Interval(*leaves)


def test_hierarchical__reads_masks_of_a_view_with_longer_values():
    assert ZIP.parse("1203***") == Interval(0, 1)


def test_hierarchical__refuses_a_mask_that_no_value_lies_behind():
    with pytest.raises(sr.KnowledgeError, match="No value of 'zip' begins with '9'"):
        ZIP.parse("9****")


def test_hierarchical__writes_a_node_of_one_leaf_by_the_lowest_name():
    assert written(PLACE, ["Lille", "Lille"], [0, 2]) == ["Lille"]
    assert PLACE.parse("France") == PLACE.parse("Lille")


def test_hierarchical__reads_a_star_as_the_whole_tree():
    assert ZIP.parse("*") == Interval(0, 3)


@pytest.mark.parametrize("text", ["Flandres", "Flander"])
def test_hierarchical__suggests_the_nearest_node(text):
    with pytest.raises(sr.KnowledgeError, match=r"no leaf or node of 'place'.*mean 'Flanders'"):
        PLACE.parse(text)


def test_hierarchical__refuses_leaves_that_it_does_not_have():
    possible = "'place' has 1 value.*'Paris', at row position 1 .*Possible are 'Antwerp', 'Ghent'"
    with pytest.raises(sr.TableError, match=possible):
        PLACE.encode(pa.array(["Ghent", "Paris"]))


@pytest.mark.parametrize(
    ("paths", "part"),
    [
        ({"A1": ["A"], "B1": ["B", "top"]}, "different lengths: 2, 3 labels. Repeat a label"),
        ({"A1": ["A", "x"], "A2": ["A", "y"]}, "'A' of 'ward' lies under both 'x' and 'y'"),
        ({1: ["A"], "1": ["A"]}, "A leaf of 'ward' is named twice"),
        ({}, "needs leaves, each with the list of its ancestors"),
        ({"A1": 5}, "needs leaves, each with the list of its ancestors"),
        (["A1", "A2"], "needs leaves, each with the list of its ancestors"),
        ({"A1": "North", "A2": "North"}, "needs leaves, each with the list of its ancestors"),
        (
            {"A1": ["A", "r"], "A2": ["A", "r"], "A": ["C", "r"]},
            "'A' of 'ward' names two different nodes",
        ),
    ],
)
def test_hierarchical__refuses_paths_that_are_no_tree(paths, part):
    with pytest.raises(sr.SchemaError, match=part):
        sr.Hierarchical("ward", paths)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({}, "needs either paths or mask='prefix'"),
        ({"paths": PLACES, "mask": "prefix"}, "needs either paths or mask='prefix'"),
        ({"mask": "suffix"}, "mask 'suffix' is not known; 'prefix' is"),
    ],
)
def test_hierarchical__needs_one_tree(options, part):
    with pytest.raises(sr.SchemaError, match=part):
        sr.Hierarchical("zip", **options)


def test_hierarchical__repeated_leaves_of_a_mask_are_refused():
    with pytest.raises(sr.SchemaError, match="'zip' declares values that read the same: '1'"):
        sr.Hierarchical("zip", mask="prefix", values=["1", 1])


def test_hierarchical__needs_leaves_for_a_mask_that_declares_them():
    with pytest.raises(sr.SchemaError, match="'zip' declares no values"):
        sr.Hierarchical("zip", mask="prefix", values=[])


def test_hierarchical__can_be_hashed_with_its_paths():
    assert hash(PLACE) == hash(sr.Hierarchical("place", dict(PLACES)))
