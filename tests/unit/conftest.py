"""One small table about eight people, and publishers for it."""

import pytest

import seriatim as sr
from seriatim.partition import growth


@pytest.fixture
def ids():
    """Ids that cannot be mistaken for anything else."""
    return [f"SECRET-{number:04d}" for number in range(1, 9)]


@pytest.fixture
def table(ids):
    """Eight people; no two share their age, so no two share a point."""
    return {
        "name": ids,
        "age": [51, 52, 53, 54, 70, 71, 72, 73],
        "gender": ["F", "M"] * 4,
        "exam": ["pos", "neg", "neg", "pos", "neg", "pos", "pos", "neg"],
    }


@pytest.fixture
def schema():
    return sr.Schema(
        "name", [sr.Numeric("age"), sr.Categorical("gender")], sr.Sensitive("exam", ["neg", "pos"])
    )


@pytest.fixture
def sticky():
    """Sequence knowledge: a value tends to stay."""
    return sr.Automaton(("neg", "pos"), [[0.9, 0.1], [0.2, 0.8]], [[0, 1], [0, 1]])


@pytest.fixture
def make_publisher(schema):
    """Return a publisher of pairs, with the same secret every time unless told otherwise."""

    def make(requirement=None, adversary=None, **options):
        policy = sr.Policy(
            requirement or sr.KAnonymity(k=2), remainder=options.pop("remainder", "suppress")
        )
        return sr.Publisher(
            options.pop("schema", schema),
            policy,
            adversary or sr.Adversary(),
            seed=options.pop("seed", 7),
            **options,
        )

    return make


@pytest.fixture
def few_boxes(monkeypatch):
    """Weigh few boxes for standing cells: which cuts lose least is not what is tested."""
    monkeypatch.setattr(growth, "_WHOLE", 2**12)
    monkeypatch.setattr(growth, "_ALL_BOXES", 2**12)
