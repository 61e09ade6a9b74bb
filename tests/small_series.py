"""Thirty people a week, three values: a series small enough to publish many times."""

import numpy as np

import seriatim as sr

VALUES = ("a", "b", "c")
SCHEMA = sr.Schema("who", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", VALUES))
STICKY = sr.Automaton(VALUES, np.eye(3)[[0, 0, 1, 2]] * 0.7 + 0.1, np.array([[1, 2, 3]] * 4))


def week(seed, people=30):
    """Return a view of some of sixty people."""
    rng = np.random.default_rng(seed)
    who = rng.choice(60, people, replace=False)
    return {
        "who": [f"person-{number:03}" for number in who],
        "age": rng.integers(0, 100, people).tolist(),
        "exam": [VALUES[code] for code in rng.integers(0, 3, people)],
    }


def publisher(store, adversary=None):
    """Return a publisher over a store."""
    adversary = adversary or sr.Adversary(sequence=STICKY)
    return sr.Publisher(SCHEMA, sr.js_reduce(k=3, t=1.0, j=2.0), adversary, store=store, seed=1)


def in_batches(store):
    """Return a publisher over a store that moves people in batches."""
    policy = sr.Policy(sr.KAnonymity(k=3), sr.StandingCells(6), batch=3, keep=1)
    return sr.Publisher(SCHEMA, policy, sr.Adversary(sequence=STICKY), store=store, seed=1)
