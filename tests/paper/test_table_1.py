"""Table I: original and generalized data of both weeks, to the letter."""

import pytest

PRINTED = [
    [
        ("[51,52]", "F", "12030", "MAM-pos"),
        ("[51,52]", "F", "12030", "CX-neg"),
        ("[51,52]", "F", "12031", "CX-pos"),
        ("[51,52]", "F", "12031", "BS-neg"),
    ],
    [
        ("51", "F", "1203*", "BCM-pos"),
        ("51", "F", "1203*", "PNE-pos"),
        ("51", "F", "1204*", "MAM-neg"),
        ("51", "F", "1204*", "CX-neg"),
        ("51", "F", "1204*", "CX-pos"),
    ],
]


@pytest.mark.parametrize("week", [0, 1])
def test_release__reads_as_table_1_prints_it(running_example, week):
    frame = running_example.releases[week].to_frame()
    rows = zip(*(frame[name] for name in ("age", "gender", "zip", "exam")), strict=True)
    assert list(rows) == PRINTED[week]


@pytest.mark.parametrize(("week", "groups"), [(0, [1, 1, 2, 2]), (1, [1, 1, 2, 2, 2])])
def test_release__numbers_its_groups_from_one(running_example, week, groups):
    # The paper numbers on through both releases (3 and 4); ours mean nothing across releases.
    assert running_example.releases[week].to_frame()["group"] == groups


@pytest.mark.parametrize("week", [0, 1])
def test_release__is_two_diverse(running_example, week):
    for group in running_example.releases[week].groups:
        assert len(group.counts) >= 2


def test_view__is_who_table_1_says(running_example):
    first, second = running_example.views
    assert first.respondents.to_pylist() == ["Alice", "Betty", "Carol", "Doris"]
    assert second.respondents.to_pylist() == ["Alice", "Carol", "Elisa", "Fran", "Grace"]
