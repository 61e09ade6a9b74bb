import numpy as np
import pytest

import seriatim as sr
from seriatim.privacy import TOLERANCE, Finding


def finding(measured, bound, at_least, unit=""):
    return Finding("It", np.array(measured, dtype=float), bound, at_least, unit)


@pytest.mark.parametrize(
    ("measured", "bound", "at_least", "holds"),
    [
        ([2, 3], 2, True, True),
        ([2, 1], 2, True, False),
        ([0.5, 0.4], 0.5, False, True),
        ([0.5, 0.6], 0.5, False, False),
        ([0.5 + TOLERANCE / 2], 0.5, False, True),
        ([0.5 + TOLERANCE * 2], 0.5, False, False),
        ([], 2, True, True),
    ],
)
def test_finding__holds_when_every_group_is_within_the_bound(measured, bound, at_least, holds):
    assert finding(measured, bound, at_least).holds is holds


@pytest.mark.parametrize(
    ("measured", "at_least", "tolerance", "holds"),
    [
        (2.0, False, 0.0, False),
        (np.nextafter(2.0, 0), False, 0.0, True),
        (2.0, True, 0.0, False),
        (np.nextafter(2.0, 3), True, 0.0, True),
        (2 - 5e-13, False, -1e-12, False),
        (2 - 2e-12, False, -1e-12, True),
        (np.inf, False, 0.0, False),
        (np.nan, False, 0.0, False),
    ],
)
def test_strict_finding__fails_at_the_bound(measured, at_least, tolerance, holds):
    found = Finding("It", np.array([measured]), 2.0, at_least, "", tolerance, strict=True)
    assert found.holds is holds


@pytest.mark.parametrize(
    ("measured", "at_least", "sentence"),
    [
        ([2.0], False, "It fails: 2, and must be below it"),
        ([2.0, 1.0], False, "It fails in 1 of 2 groups: worst 2, and must be below it"),
        ([2.0], True, "It fails: 2, and must be above it"),
        ([3.0], False, "It fails: 3, 1 off"),
        ([np.inf], False, "It fails: inf, inf off"),
    ],
)
def test_strict_finding__says_that_the_bound_itself_is_too_much(measured, at_least, sentence):
    found = Finding("It", np.array(measured), 2.0, at_least, "", 0.0, strict=True)
    assert str(found) == sentence


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (finding([4], 2, True, "tuples"), "It holds: 4 tuples, 2 to spare"),
        (finding([4, 3], 2, True, "tuples"), "It holds in every group: worst 3 tuples, 1 to spare"),
        (finding([0.25], 0.125, False, "bit"), "It fails: 0.25 bit, 0.125 off"),
        (finding([0.1, 0.5, 0.3], 0.25, False), "It fails in 2 of 3 groups: worst 0.5, 0.25 off"),
    ],
)
def test_finding__says_by_how_much(found, sentence):
    assert str(found) == sentence


def test_verdict__has_a_sentence_for_each_part():
    verdict = sr.Verdict((finding([4], 2, True), finding([0.5], 0.25, False)))
    assert str(verdict).splitlines() == ["It holds: 4, 2 to spare", "It fails: 0.5, 0.25 off"]
    assert not verdict


def test_verdict__tells_which_groups_meet_every_part():
    verdict = sr.Verdict((finding([4, 1, 4], 2, True), finding([0.1, 0.1, 0.5], 0.25, False)))
    assert verdict.group_holds.tolist() == [True, False, False]


def test_finding__of_next_to_nothing_is_written_as_nothing():
    assert str(finding([8.9e-16], 0.6, at_least=False, unit="bit")) == (
        "It holds: 0 bit, 0.6 to spare"
    )
    assert "0.0001 bit" in str(finding([1e-4], 0.6, at_least=False, unit="bit"))


@pytest.mark.parametrize("measured", [0.43574999999999997, 0.43575000000000003, 1.00005 / 3])
def test_finding__is_written_as_whoever_reads_its_certificate_writes_it(measured):
    found = finding([measured, 0.1], 0.6, at_least=False)
    certified = round(found.worst, 12)
    assert f"worst {certified:.4g}" in str(found)
