import numpy as np
import pytest

import seriatim as sr
from oracles_worlds import beliefs_over_worlds

GOLDEN_FILE = "worlds.json"


def releases_of(case):
    return [[(one["members"], one["values"]) for one in groups] for groups in case["releases"]]


def test_twin_of_worlds__is_the_golden_one_after_all_releases(case):
    found = beliefs_over_worlds(releases_of(case), case["prior"], case["transition"])
    for belief, expected in zip(found, case["believed_after_all"], strict=True):
        np.testing.assert_allclose(belief, expected, atol=1e-9, rtol=0)


def test_twin_of_worlds__is_the_golden_one_after_each_release(case):
    releases = releases_of(case)
    for number, expected in enumerate(case.get("believed_after_each", [])):
        so_far = releases[: number + 1]
        found = beliefs_over_worlds(so_far, case["prior"], case["transition"])[number]
        np.testing.assert_allclose(found, expected, atol=1e-9, rtol=0)


def test_reader_of_worlds__comes_to_the_golden_beliefs_after_all_releases(case):
    found = sr.weigh_worlds(
        releases_of(case), case["prior"], case["transition"], sweeps=3000, seed=1
    )
    for belief, expected in zip(found, case["believed_after_all"], strict=True):
        np.testing.assert_allclose(belief, expected, atol=0.025, rtol=0)


def test_reader_of_worlds__of_the_releases_so_far_comes_to_what_is_believed_then(case):
    releases = releases_of(case)
    number = len(releases) - 1
    if "believed_after_each" not in case:
        return
    found = sr.weigh_worlds(releases[:number], case["prior"], case["transition"], sweeps=3000)
    expected = case["believed_after_each"][number - 1]
    np.testing.assert_allclose(found[-1], expected, atol=0.025, rtol=0)


@pytest.mark.slow
def test_reader_of_worlds__is_exact_in_the_limit(case):
    releases, known = releases_of(case), (case["prior"], case["transition"])
    found = sr.weigh_worlds(releases, *known, sweeps=20_000, seed=1)
    for belief, expected in zip(found, case["believed_after_all"], strict=True):
        np.testing.assert_allclose(belief, expected, atol=0.01, rtol=0)
