import numpy as np
import pytest

import seriatim as sr


@pytest.fixture
def release(running_example):
    """Release 2 of the paper's Table I(d): Alice and Carol, then Elisa, Fran and Grace."""
    return running_example.releases[1]


def test_release__knows_its_size(release):
    assert (len(release), release.n_groups) == (5, 2)
    assert release.sizes.tolist() == [2, 3]
    assert release.group_of.tolist() == [0, 0, 1, 1, 1]


def test_release__prints_group_quasi_identifiers_and_value(release):
    assert release.to_arrow().column_names == ["group", "age", "gender", "zip", "exam"]
    assert release.to_arrow().to_pylist()[0] == {
        "group": 1,
        "age": "51",
        "gender": "F",
        "zip": "1203*",
        "exam": "BCM-pos",
    }


def test_release__gives_its_groups_one_by_one(release):
    first, second = release.groups
    assert (first.number, len(first), second.number, len(second)) == (1, 2, 2, 3)
    assert first.counts == {"BCM-pos": 1, "PNE-pos": 1}
    assert str(second.region) == "age 51, gender F, zip 1204*"


def test_group__counts_a_value_as_often_as_it_is_published():
    group = sr.Group(1, None, np.array([1, 0, 1, 1]), ("neg", "pos", "never"))
    assert group.counts == {"neg": 1, "pos": 3}


def test_release__measures_its_regions_by_attribute(release):
    assert release.penalties.shape == release.extents.shape == (2, 3)
    assert release.penalties[0].tolist() == [0.0, 0.0, 2 / 5]
    assert release.extents[1].tolist() == [0.0, 0.0, 2 / 4]


def test_release__says_what_it_is(release):
    assert repr(release) == "Release(at=2, 5 tuples in 2 groups)"


@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive"])
def test_release__refuses_an_attribute_with_the_name_of_its_own_column(
    table, schema, make_publisher, role
):
    if role == "sensitive":
        table["group"] = table["exam"]
        schema = sr.Schema("name", schema.quasi_identifiers, sr.Sensitive("group"))
    else:
        table["group"] = table["age"]
        schema = sr.Schema("name", [sr.Numeric("group")], schema.sensitive)
    with pytest.raises(sr.SchemaError, match="column 'group' of its own; rename the attribute"):
        make_publisher(schema=schema).publish(table, at=1)


def test_release__leaves_the_respondents_column_free_to_be_called_group(
    table, schema, make_publisher
):
    table["group"] = table.pop("name")
    schema = sr.Schema("group", schema.quasi_identifiers, schema.sensitive)
    frame = make_publisher(schema=schema).publish(table, at=1).to_frame()
    assert set(frame["group"]) == {1, 2, 3, 4}


def test_release__counts_the_values_of_its_groups(running_example):
    for release in running_example.releases:
        domain = release.schema.sensitive.domain
        expected = [[group.counts.get(value, 0) for value in domain] for group in release.groups]
        assert release.value_counts.tolist() == expected
