"""A reader who knows the partitioner's rules, by enumeration on small views.

Such a reader asks of every assignment of values: would it have led to these groups? What it
believes is compared with what a reader believes who takes the groups as given. Only checks
that look at sensitive values (here t-closeness) can make a difference, and they do: with
cells of two people, and a t that breaks in two of five cases, some hundredths at the first
release, and less once merges stay. Larger cells seldom break t, and tell less by it.
"""

from itertools import product

import numpy as np
import pytest

import seriatim as sr
from seriatim.inference import Exact
from seriatim.inference.rules import PublishedGroups
from seriatim.partition import LocalRegister
from seriatim.partition.ties import tie_order

VALUES = ("a", "b")
PEOPLE = 8
SCHEMA = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", VALUES))
ASSIGNMENTS = list(product(range(2), repeat=PEOPLE))
REQUIREMENT = sr.KAnonymity(k=2) & sr.TCloseness(t=0.4)


def view_of(codes):
    ages = [10, 12, 30, 33, 70, 75, 90, 93]
    exams = [VALUES[code] for code in codes]
    return sr.View.from_table({"id": list(range(PEOPLE)), "age": ages, "exam": exams}, SCHEMA)


def groups_of(cells, codes, beliefs, register):
    """What is published of an assignment: who is together, and which values they have."""
    view = view_of(codes)
    partition, enrolment = cells.partition_next(
        view,
        sr.Belief(beliefs, VALUES),
        REQUIREMENT,
        ties=tie_order(view, b"known"),
        register=register,
    )
    together = sorted(tuple(sorted(rows.tolist())) for rows in partition.groups)
    shown = tuple((rows, tuple(sorted(codes[row] for row in rows))) for rows in together)
    return (shown, tuple(sorted(partition.remainder.tolist()))), enrolment


def beliefs_of_plain_reader(released, beliefs):
    """The exact posterior of a reader who takes the groups as given."""
    found = beliefs.copy()
    for rows, values in released[0]:
        starts = np.array([0, len(rows)])
        group = PublishedGroups(np.arange(len(rows)), starts, np.array(values), starts)
        found[list(rows)] = Exact().posterior(beliefs[list(rows)], group)
    return found


def gains(cells, beliefs, register):
    """Expected belief in the truth: of the plain reader, and of the one who knows the rules."""
    chances, outcomes = [], []
    for codes in ASSIGNMENTS:
        chances.append(np.prod([beliefs[row, code] for row, code in enumerate(codes)]))
        outcomes.append(groups_of(cells, codes, beliefs, register)[0])
    believed = {}
    for chance, codes, outcome in zip(chances, ASSIGNMENTS, outcomes, strict=True):
        table = believed.setdefault(outcome, np.zeros((PEOPLE, 2)))
        table[np.arange(PEOPLE), codes] += chance
    plain = knowing = 0.0
    told = {outcome: beliefs_of_plain_reader(outcome, beliefs) for outcome in believed}
    for chance, codes, outcome in zip(chances, ASSIGNMENTS, outcomes, strict=True):
        truth = np.arange(PEOPLE), np.array(codes)
        knowing += (
            chance
            * (believed[outcome] / believed[outcome].sum(axis=1, keepdims=True))[truth].mean()
        )
        plain += chance * told[outcome][truth].mean()
    return plain, knowing


@pytest.mark.parametrize("seed", [1, 2])
def test_rules__add_some_hundredths_at_most_at_the_first_release(seed):
    beliefs = np.random.default_rng(seed).dirichlet(np.full(2, 2.0), PEOPLE)
    plain, knowing = gains(sr.StandingCells(size=2), beliefs, LocalRegister())
    assert plain - 1e-9 <= knowing <= plain + 0.05


@pytest.mark.parametrize("seed", [1, 2])
def test_rules__add_less_at_the_third_release_where_merges_stay(seed):
    rng = np.random.default_rng(seed)
    cells, register = sr.StandingCells(size=2), LocalRegister()
    for _ in range(2):
        beliefs = rng.dirichlet(np.full(2, 2.0), PEOPLE)
        codes = tuple(int(rng.choice(2, p=row)) for row in beliefs)
        register.keep(groups_of(cells, codes, beliefs, register)[1])
    beliefs = rng.dirichlet(np.full(2, 2.0), PEOPLE)
    plain, knowing = gains(cells, beliefs, register)
    anew = gains(cells, beliefs, LocalRegister())
    assert plain - 1e-9 <= knowing <= plain + 0.02
    assert knowing - plain <= anew[1] - anew[0] + 1e-9


def test_rules__of_a_check_that_sees_no_value_add_nothing_at_all(monkeypatch):
    beliefs = np.random.default_rng(3).dirichlet(np.full(2, 2.0), PEOPLE)
    monkeypatch.setitem(globals(), "REQUIREMENT", sr.KAnonymity(k=2))
    plain, knowing = gains(sr.StandingCells(size=2), beliefs, LocalRegister())
    assert knowing == pytest.approx(plain, abs=1e-9)
