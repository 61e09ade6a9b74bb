"""Over large domains a reader keeps runs instead of rows, and believes the same."""

import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.inference import adversary
from seriatim.knowledge.wide_belief import WIDE, WideBelief

N_VALUES, SIZE = WIDE + 44, 200


def views():
    rng = np.random.default_rng(8)
    value = rng.integers(0, N_VALUES, 2 * SIZE)
    for _ in range(2):
        here = rng.permutation(2 * SIZE)[:SIZE]
        value = np.where(rng.random(2 * SIZE) < 0.8, value, rng.integers(0, N_VALUES, 2 * SIZE))
        yield pa.table({"who": here, "age": 20 + here % 50, "code": value[here]})


def published(**reader):
    values = tuple(range(N_VALUES))
    rows = np.full((N_VALUES, N_VALUES), 0.2 / N_VALUES) + 0.8 * np.eye(N_VALUES)
    known = sr.Automaton(values, rows, np.tile(np.arange(N_VALUES), (N_VALUES, 1)))
    schema = sr.Schema(
        "who", [sr.Numeric("age", 20, 69)], sr.Sensitive("code", values), allow_unique=["code"]
    )
    policy = sr.Policy(sr.KAnonymity(k=7))
    publisher = sr.Publisher(schema, policy, sr.Adversary(sequence=known, **reader), seed=2)
    for at, view in enumerate(views()):
        publisher.publish(view, at=at)
        yield publisher.latest


@pytest.mark.parametrize(("rule", "filtering"), [("omega", "joint"), ("additive", "marginal")])
def test_reader__of_a_large_domain_believes_what_one_with_rows_does(monkeypatch, filtering, rule):
    wide = list(published(rule=rule, filtering=filtering))
    monkeypatch.setattr(adversary, "WIDE", N_VALUES)
    narrow = list(published(rule=rule, filtering=filtering))
    for one, other in zip(wide, narrow, strict=True):
        assert isinstance(one.posterior, WideBelief)
        assert not isinstance(other.posterior, WideBelief)
        assert one.release.to_frame().equals(other.release.to_frame())
        theirs = other.posterior.probabilities
        assert one.posterior.probabilities == pytest.approx(theirs, abs=1e-15)
        everyone, truth = np.arange(len(one.view)), one.view.value_codes
        assert one.posterior.at(everyone, truth) == pytest.approx(theirs[everyone, truth])
        assert one.posterior.of(5) == pytest.approx(other.posterior.of(5))


def test_conclusions__are_drawn_for_some_groups_at_a_time(monkeypatch):
    whole = [one.posterior.probabilities for one in published()]
    monkeypatch.setattr(sr.inference.conclusions, "_PIECE", 10 * N_VALUES)
    pieces = [one.posterior.probabilities for one in published()]
    for one, other in zip(whole, pieces, strict=True):
        assert (one == other).all()
