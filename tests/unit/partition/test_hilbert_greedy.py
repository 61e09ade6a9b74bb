"""A requirement without compiled form gives the same groups as its compiled twin."""

from dataclasses import dataclass

import numpy as np
import pytest

import seriatim as sr
from seriatim.privacy import Measured


@dataclass(frozen=True)
class SlowKAnonymity(Measured):
    """k-anonymity as a user would write it."""

    k: int
    at_least = True
    unit = "tuples"

    @property
    def bound(self):
        return float(self.k)

    def measure(self, tally):
        return tally.sizes.astype(float)


def slow(requirement):
    """Take the compiled form away from a requirement."""
    twin = type("Slow", (type(requirement),), {"criterion": lambda self: None})
    return twin(**vars(requirement))


@pytest.fixture
def big_table():
    rng = np.random.default_rng(3)
    return {
        "name": list(range(200)),
        "age": rng.integers(20, 90, 200).tolist(),
        "gender": rng.choice(["F", "M"], 200).tolist(),
        "exam": rng.choice(["neg", "pos"], 200, p=[0.7, 0.3]).tolist(),
    }


def frames(publisher, table, releases=3):
    return [publisher.publish(table, at=at).to_frame() for at in range(releases)]


def test_custom_requirement__gives_the_groups_of_its_compiled_twin(make_publisher, big_table):
    assert SlowKAnonymity(k=3).criterion() is None
    ours = frames(make_publisher(sr.KAnonymity(k=3)), big_table)
    assert frames(make_publisher(SlowKAnonymity(k=3)), big_table) == ours


@pytest.mark.parametrize(
    "requirement",
    [
        sr.DistinctLDiversity(l=2),
        sr.TCloseness(t=0.3),
        sr.TCloseness(t=0.3, distance="ordered"),
        sr.JSBound(j=0.05),
    ],
    ids=str,
)
def test_slow_scan__forms_the_groups_of_the_compiled_scan(
    make_publisher, big_table, sticky, requirement
):
    reader = sr.Adversary(sequence=sticky)
    exam = sr.Sensitive("exam", ["neg", "pos"], ordered=True)
    schema = sr.Schema("name", [sr.Numeric("age"), sr.Categorical("gender")], exam)
    both = [
        frames(make_publisher(one & sr.KAnonymity(k=2), reader, schema=schema), big_table)
        for one in (requirement, slow(requirement))
    ]
    assert both[0] == both[1]
    assert len(set(both[0][-1]["group"])) > 5


def test_custom_requirement__joins_with_ours(make_publisher, table):
    joined = SlowKAnonymity(k=4) & sr.TCloseness(t=0.5)
    assert any(part.criterion() is None for part in joined.parts)
    assert make_publisher(joined).publish(table, at=1).sizes.min() >= 4


def test_custom_requirement__is_named_in_a_refusal(make_publisher, table):
    with pytest.raises(sr.UnsatisfiableError, match=r"SlowKAnonymity\(k=9\) fails: 8 tuples"):
        make_publisher(SlowKAnonymity(k=9)).publish(table, at=1)
