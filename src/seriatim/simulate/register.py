"""A made register: people with a chronic diagnosis, which stays from release to release.

The case that breaks naive series: values hardly move while people come and go, so that
subtracting one release's counts from the next one's tells what those had who left. With
the tables comes the truth about them: the prior and the sequence model that they were drawn from.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.marginal_prior import MarginalPrior
from seriatim.knowledge.tempo import Period
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.hierarchical import Hierarchical
from seriatim.microdata.numeric import Numeric
from seriatim.microdata.schema import Schema
from seriatim.microdata.sensitive import Sensitive
from seriatim.microdata.view import View
from seriatim.simulate.ranges import require_between, require_whole_between

DIAGNOSES = (
    "hypertension",
    "diabetes",
    "asthma",
    "depression",
    "arthritis",
    "heart failure",
    "epilepsy",
    "HIV",
    "COPD",
    "osteoporosis",
    "psoriasis",
    "migraine",
    "glaucoma",
    "hepatitis B",
    "bipolar disorder",
    "Parkinson's disease",
    "ulcerative colitis",
    "Crohn's disease",
    "multiple sclerosis",
    "schizophrenia",
    "lupus",
    "haemophilia",
    "sickle cell disease",
    "cystic fibrosis",
)
"""Chronic diagnoses; a register of eight has the first eight, the most common first."""

RAREST = 0.1
"""How common the rarest diagnosis is, as a share of the most common one."""

FIRST_BORN, LAST_BORN = 1935, 2004
"""Years of birth."""

SEXES = ("F", "M")

POSTCODES = tuple(f"381{district}{street}" for district in range(4) for street in range(10))
"""Four districts of ten streets."""

_MOST_PEOPLE = 100_000_000


@dataclass(frozen=True, eq=False)
class Register:
    """A made register: its tables on demand, and what they are drawn from.

    From one release to the next a diagnosis stays with ``stays`` and is drawn anew from the
    shares of the population otherwise, which may give the same again: v is followed by w with
    ``stays``·[v = w] + (1 − ``stays``)·share(w), whether or not its respondent is shown. So the
    shares hold at any time, for newcomers and for whoever is seen for the first time later on.
    Number the releases 1, 2, 3: ``sequence`` has a period of 1.

    >>> made = register(people=100, releases=3)
    >>> made, [table.num_rows for table in made.tables]
    (Register(3 releases of 100 people, seed 1), [100, 100, 100])
    >>> made.tables[0].column_names
    ['person', 'year_of_birth', 'sex', 'postcode', 'diagnosis']
    """

    schema: Schema
    """Person, year of birth, sex, postcode, diagnosis."""

    prior: MarginalPrior
    """How common each diagnosis is: exact for everyone, whenever they are first seen."""

    sequence: Automaton
    """What follows what from one release to the next, exactly; a state is the last diagnosis."""

    people: int
    """How many are enrolled at any time."""

    n_views: int
    """How many releases there are."""

    stays: float
    """The share of diagnoses that are not drawn anew from one release to the next."""

    turnover: float
    """The share of the people who leave for good after each release; as many others join."""

    attendance: float
    """The chance with which each enrolled person is shown in a release."""

    seed: int
    """What the people and what becomes of them are drawn from."""

    def __repr__(self) -> str:
        """Say how large it is."""
        return f"Register({self.n_views} releases of {self.people:,} people, seed {self.seed})"

    @property
    def shares(self) -> FloatArray:
        """How common each diagnosis is, in the order of the domain."""
        return _shares(len(self.schema.sensitive.domain))

    def counted(self) -> Iterator[tuple[pa.Table, int]]:
        """Yield table after table, each with how many are in one for the first time."""
        return itertools.islice(_drawn(self), self.n_views)

    def stream(self) -> Iterator[pa.Table]:
        """Yield table after table; only one is in memory, beside those enrolled."""
        return (table for table, _ in self.counted())

    @cached_property
    def tables(self) -> tuple[pa.Table, ...]:
        """All tables."""
        return tuple(self.stream())

    @cached_property
    def views(self) -> tuple[View, ...]:
        """All tables, as views."""
        return tuple(View.from_table(table, self.schema) for table in self.stream())


def register(
    *,
    people: int = 500,
    releases: int = 8,
    stays: float = 1.0,
    turnover: float = 0.02,
    attendance: float = 1.0,
    values: int = 8,
    seed: int = 1,
) -> Register:
    """Make a register of people with chronic diagnoses; its tables are drawn when asked for.

    ``people`` are enrolled at any time: ``turnover`` of them leave for good after each release,
    and as many others join. Each is shown in a release with the chance ``attendance``. A
    diagnosis ``stays`` with that chance from one release to the next; the others are drawn
    anew. There are ``values`` diagnoses, the rarest a tenth as common as the most common.
    Quasi-identifiers do not change.

    The same seed gives the same tables, and a longer series begins with the shorter one.
    Series of one seed are alike in all else than the setting that differs: the people are
    the same whatever ``stays``, ``attendance`` and ``values`` are, and whoever is shown at a
    lower attendance is shown at a higher one.

    >>> made = register(people=1000, releases=2, stays=0.9)
    >>> round(made.prior.distribution["hypertension"], 2), made.sequence
    (0.3, Automaton(8 values, 9 states, 1 classes))
    """
    require_whole_between("people", people, 1, _MOST_PEOPLE)
    require_whole_between("releases", releases, 1, 1_000_000)
    require_between("stays", stays, 0, 1)
    require_between("turnover", turnover, 0, 1, below=True)
    require_between("attendance", attendance, 0, 1, above=True)
    require_whole_between("values", values, 2, len(DIAGNOSES))
    require_whole_between("seed", seed, 0, 2**63)
    diagnoses, shares = DIAGNOSES[:values], _shares(int(values))
    return Register(
        Schema(
            "person",
            [
                Numeric("year_of_birth", FIRST_BORN, LAST_BORN),
                Categorical("sex", SEXES),
                Hierarchical("postcode", mask="prefix"),
            ],
            Sensitive("diagnosis", diagnoses),
        ),
        MarginalPrior(dict(zip(diagnoses, shares.tolist(), strict=True))),
        _sequence(diagnoses, shares, float(stays)),
        int(people),
        int(releases),
        float(stays),
        float(turnover),
        float(attendance),
        int(seed),
    )


def _shares(values: int) -> FloatArray:
    """Return how common each of some diagnoses is: a geometric series down to a tenth."""
    falling = RAREST ** (np.arange(values) / (values - 1))
    return np.asarray(falling / falling.sum())


def _sequence(diagnoses: tuple[str, ...], shares: FloatArray, stays: float) -> Automaton:
    """Return what follows what; the first state has seen nothing yet."""
    n_values = len(diagnoses)
    next_value = (1 - stays) * shares + stays * np.eye(n_values)
    return Automaton(
        diagnoses,
        np.vstack([shares, next_value]),
        np.tile(np.arange(1, n_values + 1, dtype=np.int32), (n_values + 1, 1)),
        tempo=Period(1),
    )


class _Enrolled:
    """Those enrolled at the moment, one to a place."""

    def __init__(self, places: int, rng: np.random.Generator) -> None:
        self.rng = rng
        self.met = 0
        self.person = np.empty(places, dtype=np.int64)
        self.born, self.sex, self.postcode = (np.empty(places, dtype=np.int16) for _ in range(3))
        self.seen = np.empty(places, dtype=bool)
        self.enrol(np.arange(places))

    def enrol(self, places: IntArray) -> None:
        """Fill places with new people."""
        count = len(places)
        self.person[places] = self.met + 1 + np.arange(count)
        self.met += count
        self.born[places] = self.rng.integers(FIRST_BORN, LAST_BORN + 1, count)
        self.sex[places] = self.rng.integers(0, len(SEXES), count)
        self.postcode[places] = self.rng.integers(0, len(POSTCODES), count)
        self.seen[places] = False


def _drawn(made: Register) -> Iterator[tuple[pa.Table, int]]:
    """Yield tables without end, each with how many are in one for the first time."""
    # A stream of its own for each kind of chance: series that differ in one setting stay alike.
    joining, leaving, changing, showing = (
        np.random.default_rng(one) for one in np.random.SeedSequence(made.seed).spawn(4)
    )
    up_to = np.cumsum(made.shares)
    up_to[-1] = 1.0
    enrolled = _Enrolled(made.people, joining)
    value = _diagnosed(up_to, changing.random(made.people))
    for release in itertools.count(1):
        here = _shown(showing.random(made.people), made.attendance)
        newcomers = int(np.count_nonzero(~enrolled.seen[here]))
        enrolled.seen |= here
        yield _table(made, enrolled, value, here), newcomers
        kept, anew = changing.random((2, made.people))
        value = np.where(kept < made.stays, value, _diagnosed(up_to, anew))
        gone = leaving.permutation(made.people)[: _leavers(made, release)]
        enrolled.enrol(gone)
        value[gone] = _diagnosed(up_to, changing.random(made.people)[gone])


def _diagnosed(up_to: FloatArray, chances: FloatArray) -> IntArray:
    """Return diagnoses by cumulated shares."""
    return np.searchsorted(up_to, chances, side="right")


def _shown(chances: FloatArray, attendance: float) -> BoolArray:
    """Return who is shown; somebody always is, since a release of nobody is none."""
    here = chances < attendance
    here[np.argmin(chances)] = True
    return here


def _leavers(made: Register, release: int) -> int:
    """Return how many leave after a release, so that the share holds over the series.

    A turnover of half a person is one person after every other release.
    """
    each = made.turnover * made.people
    return int(np.floor(release * each + 0.5) - np.floor((release - 1) * each + 0.5))


def _table(made: Register, enrolled: _Enrolled, value: IntArray, here: BoolArray) -> pa.Table:
    """Return those who are shown, as a table."""

    def named(codes: np.ndarray, names: tuple[str, ...]) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(codes[here].astype(np.int8), pa.array(names))

    diagnoses = tuple(str(one) for one in made.schema.sensitive.domain)
    return pa.table(
        {
            "person": enrolled.person[here],
            "year_of_birth": enrolled.born[here],
            "sex": named(enrolled.sex, SEXES),
            "postcode": named(enrolled.postcode, POSTCODES),
            "diagnosis": named(value, diagnoses),
        }
    )
