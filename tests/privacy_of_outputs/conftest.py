"""A series about people with ids that cannot be mistaken for anything else."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import seriatim as sr

N = 24
MARKS = ("SECRET", "DIARY")
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table, "mapping": dict}


@pytest.fixture(params=KINDS)
def to_kind(request):
    """One after the other, every kind of table."""
    return KINDS[request.param]


@pytest.fixture
def views():
    """Three weeks; a diary that no schema names; nobody shares an age, so there are no ties."""
    rng = np.random.default_rng(5)
    ages = np.arange(20, 20 + N)
    return [
        {
            "name": [f"SECRET-{number:04d}" for number in range(N)],
            "diary": [f"DIARY-{number:04d}" for number in range(N)],
            "age": [int(age) + week for age in ages],
            "zip": [f"12{age:03d}" for age in ages],
            "exam": rng.choice(["neg", "pos"], N).tolist(),
        }
        for week in range(3)
    ]


@pytest.fixture
def schema():
    return sr.Schema(
        "name",
        [sr.Numeric("age"), sr.Hierarchical("zip", mask="prefix")],
        sr.Sensitive("exam", ["neg", "pos"]),
    )


@pytest.fixture
def adversary(views):
    """A reader who knows half of the people by name, and that values stay."""
    names = views[0]["name"][::2]
    known = {"respondent": names, "value": ["pos"] * len(names), "probability": [0.4] * len(names)}
    return sr.Adversary(
        prior=sr.TabulatedPrior.from_table(
            known, unlisted="spread", otherwise=sr.MarginalPrior({"neg": 0.5, "pos": 0.5})
        ),
        sequence=sr.DomainKnowledge.from_table(
            {"given": ["pos", "neg"], "next": ["pos", "neg"], "probability": [0.8, 0.9]},
            unlisted="spread",
        ),
    )


@pytest.fixture
def make_publisher(schema, adversary):
    def make(seed=7, store=None):
        policy = sr.js_reduce(k=5, t=0.6, j=0.9)
        return sr.Publisher(schema, policy, adversary, store=store, seed=seed)

    return make
