import numpy as np
import pytest

import oracles
import seriatim as sr
import strategies
from seriatim.partition import generalize, tie_order

GOLDEN_FILE = "hilbert_greedy.json"


def thresholds(case):
    return {name: case[name] for name in ("k", "t", "j")}


@pytest.fixture
def view(case):
    schema = strategies.grid_schema(case["n_values"], bits=case["bits"], dimensions=3)
    tuples = zip(range(len(case["points"])), case["points"], case["values"], strict=True)
    return sr.View.from_table(strategies.grid_table(list(tuples)), schema)


@pytest.fixture
def partition(case, view):
    policy = sr.js_reduce(**thresholds(case))
    revised = sr.Belief(np.array(case["beliefs"]), view.schema.sensitive.domain)
    ties = tie_order(view, b"a secret")
    return sr.HilbertGreedy().partition(view, revised, policy.requirement, ties=ties)


@pytest.fixture
def release(view, partition):
    return generalize(view, partition, at=1, rng=np.random.default_rng(2))[0]


@pytest.fixture
def posterior(case, partition):
    beliefs, values = np.array(case["beliefs"]), np.array(case["values"])
    believed = beliefs.copy()
    for rows in partition.groups:
        believed[rows] = sr.posterior(beliefs[rows], values[rows], rule="omega")
    return believed


def test_hilbert_greedy__forms_the_golden_groups_in_their_order(case, partition):
    assert [rows.tolist() for rows in partition.groups] == case["groups"]
    assert partition.remainder.tolist() == case["remainder"]


def test_gain__is_the_golden_one(case, partition, posterior):
    gain = sr.adversary_gain(posterior, case["values"], partition.group_of)
    assert float(gain) == pytest.approx(case["gain_omega"], abs=1e-9)


def test_confidence__is_the_golden_one(case, partition, posterior):
    confidence = sr.adversary_confidence(posterior, case["values"], partition.group_of)
    assert float(confidence) == pytest.approx(case["confidence_omega"], abs=1e-9)


def test_semiperimeter__is_the_golden_one(case, release):
    assert sr.semiperimeter(release) == pytest.approx(case["semiperimeter"], abs=1e-9)


def test_gcp__is_the_golden_one(case, release):
    assert sr.global_certainty_penalty(release) == pytest.approx(case["gcp"], abs=1e-9)


def test_twin_of_the_scan__forms_the_golden_groups_in_their_order(case):
    index = [oracles.hilbert_index(point, case["bits"]) for point in case["points"]]
    may_stand = oracles.js_reduce_may_stand(case["values"], case["beliefs"], **thresholds(case))
    order = sorted(range(len(index)), key=lambda row: index[row])
    assert oracles.greedy_scan(order, may_stand) == (case["groups"], case["remainder"])
