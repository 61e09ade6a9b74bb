"""A reader who knows the partitioner's rules: does it gain more than one who takes groups as given?

Only checks that look at sensitive values (here t-closeness) can make a difference: that two
cells were merged says that one of them broke t. By sampling, on cells of the size that rehearsals
recommend: nothing measurable, at the first release and at the third. By enumeration, on
cells of two people and a t that breaks in two of five cases: some hundredths. That is
what small cells cost, and why they are not recommended.
"""

from itertools import product

import numpy as np
import pytest

import seriatim as sr
from seriatim.inference import Exact
from seriatim.inference.rules import PublishedGroups
from seriatim.kernels._jit import kernel
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


@kernel
def distance_from(codes, start, stop, shares):
    """Half the L1 distance of the values of some members from the view's."""
    counts = np.zeros(shares.shape[0])
    for member in range(start, stop):
        counts[codes[member]] += 1.0
    return np.abs(counts / (stop - start) - shares).sum() / 2


@kernel
def sampled_posterior(codes, beliefs, first, shares, t, rounds, rng):
    """Who has what, by exchanging the values of two members again and again.

    With ``t`` below 1, only assignments count in which the first members, or the others,
    are farther than t from the view: the reader knows that they were merged for it.
    """
    codes = codes.copy()
    n = codes.shape[0]
    found = np.zeros(beliefs.shape)
    for turn in range(rounds):
        for _ in range(n):
            one, two = rng.integers(0, n), rng.integers(0, n)
            now = beliefs[one, codes[one]] * beliefs[two, codes[two]]
            then = beliefs[one, codes[two]] * beliefs[two, codes[one]]
            if codes[one] == codes[two] or rng.random() * now >= then:
                continue
            codes[one], codes[two] = codes[two], codes[one]
            if t < 1.0 and (one < first) != (two < first):
                left = distance_from(codes, 0, first, shares)
                right = distance_from(codes, first, n, shares)
                if left <= t and right <= t:
                    codes[one], codes[two] = codes[two], codes[one]
        if 10 * turn >= rounds:
            for member in range(n):
                found[member, codes[member]] += 1.0
    return found / found[0].sum()


def merged_for_t(publication, homes, shares, t):
    """Groups of two cells of which one was too far from the view: rows, and how many are first."""
    for group in range(publication.release.n_groups):
        rows = np.flatnonzero(publication.membership.group_of == group)
        cells = np.unique(homes[rows])
        if len(cells) != 2:
            continue
        rows = rows[np.argsort(homes[rows] != cells[0], kind="stable")]
        first = int((homes[rows] == cells[0]).sum())
        codes = publication.view.value_codes[rows]
        apart = (
            distance_from(codes, 0, first, shares),
            distance_from(codes, first, len(rows), shares),
        )
        if max(apart) > t:
            yield rows, first


def test_sampler__agrees_with_the_exact_posterior():
    beliefs = np.random.default_rng(4).dirichlet(np.ones(3), 7)
    codes = np.array([0, 0, 1, 1, 1, 2, 2])
    starts = np.array([0, 7])
    exact = Exact().posterior(beliefs, PublishedGroups(np.arange(7), starts, codes, starts))
    sampled = sampled_posterior(
        codes, beliefs, 3, np.ones(3) / 3, 1.0, 200_000, np.random.default_rng(1)
    )
    assert sampled == pytest.approx(exact, abs=0.01)


def test_rules__add_nothing_measurable_where_cells_are_as_large_as_recommended():
    made = sr.hospital(views=3, size=2000, preset="paper-like", seed=5)
    store = sr.MemoryStore()
    publisher = sr.Publisher(
        made.schema,
        sr.Policy(sr.KAnonymity(k=10) & sr.TCloseness(t=0.5), sr.StandingCells(18, merges="anew")),
        sr.Adversary(made.prior, made.sequence),
        store=store,
        seed=1,
    )
    for at, table in enumerate(made.tables, start=1):
        publisher.publish(table, at=at)
        latest = publisher.latest
        view = latest.view
        shares = np.bincount(view.value_codes, minlength=len(view.schema.sensitive.domain)) / 2000
        homes = store.register.places(view.respondents)
        added, people = 0.0, 0
        for rows, first in merged_for_t(latest, homes, shares, 0.5):
            codes = view.value_codes[rows]
            beliefs = np.maximum(latest.revised.probabilities[rows], 1e-12)
            truth = np.arange(len(rows)), codes
            plain, knowing = (
                sampled_posterior(
                    codes, beliefs, first, shares, t, 6000, np.random.default_rng(seed)
                )
                for t, seed in ((1.0, 1), (0.5, 2))
            )
            added += float((knowing[truth] - plain[truth]).sum())
            people += len(rows)
        if at != 2:
            assert people > 100
            assert abs(added / people) < 0.01
            assert abs(added / 2000) < 0.002
