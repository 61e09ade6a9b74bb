import numpy as np
import pytest

import oracles
import seriatim as sr
from seriatim.privacy import Evidence, Tally

GOLDEN_FILE = "closeness.json"


@pytest.fixture
def tally(case):
    values = np.array(case["view_values"])
    evidence = Evidence(values, np.full((len(values), case["n_values"]), 1 / case["n_values"]))
    rows = np.array(case["group_rows"])
    return Tally.of(evidence, rows, np.array([0, len(rows)]))


def test_t_closeness__is_the_golden_distance(case, tally):
    assert sr.TCloseness(t=1).measure(tally) == pytest.approx([case["t_equal_distance"]], abs=1e-9)


def test_l_diversity__is_the_golden_number_of_values(case, tally):
    assert sr.DistinctLDiversity(l=1).measure(tally) == [case["distinct_l"]]


def test_twin_of_closeness__is_the_golden_distance(case):
    group = [case["view_values"][row] for row in case["group_rows"]]
    distance = oracles.equal_distance(group, case["view_values"], case["n_values"])
    assert float(distance) == pytest.approx(case["t_equal_distance"], abs=1e-9)
