"""A parametrised course of illness: dwell time, momentum, and switches of disease.

The generator whose attack curves look like the paper's. A state is (stage, exams in this
stage before the last one, up to a cap, last direction). For stage v of class c, after w
earlier exams in it, d the last direction:

    stay = s_v · ε
    up   = (1 − s_v) · u_v · ε · a_c · m_up · g(w)          not from a disease's last stage
    down = (1 − s_v) · (1 − u_v) · ε / a_c · m_down · g(w)  not from its first
    g(w) = exp(dwell_exponent · (w − w0_cv)), or 1 + w/2 without an exponent
    m_up = momentum if d is up, else 1; m_down likewise

each raised to ``power``, then normalised. ε is log-normal and its own for every class, stage
and move; a_c = age_effect^((age band − 1) + ½ (weight band − 1) + 0.3 (gender − ½)) with bands
counted from 0 and gender 0 or 1.

    P(end) = min(0.6, exit_rate · r · (1.5 if d is set)), r = 1.5 in the first stage,
    2 in the last, ½ between; it is ``deceased`` with 0.8 from the last stage, 0.2 otherwise

Those who go on have their next result from the class's first results with
probability ``switch``, from the moves above otherwise. The next state depends on the
result alone, not on how it came about: one stage up or down is a direction, the same
stage lengthens the stay in it, anything else begins anew without direction. That is
what makes the automaton exact for those who only see results.

After an end nobody is seen again. What is said of that state all the same is that a new
stay begins: a reader who wrongly held someone for discharged judges them like a newcomer.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from seriatim._typing import FloatArray, SmallIntArray
from seriatim.errors import PolicyError
from seriatim.simulate.course import START, Course, first_results
from seriatim.simulate.patients import CLASS_BANDS, CLASSES, ENDINGS
from seriatim.simulate.ranges import require_between

DIRECTIONS = ("none", "up", "down")
_STAY, _UP, _DOWN = range(3)
_MOST_EXIT = 0.6


@dataclass(frozen=True)
class Progression:
    """The parameters; the defaults are the preset ``paper-like``.

    >>> Progression(momentum=3).draw(np.random.default_rng(1))
    Course(19 values, 309 states, by exam)
    """

    dwell_exponent: float | None = 2.5
    """How steeply the chance of moving grows with each exam in a stage; None for 1 + w/2."""

    momentum: float = 20.0
    """How many times likelier a move in the last direction is."""

    power: float = 1.5
    """What the weights of staying and moving are raised to: above 1, rows are sharper."""

    switch: float = 0.05
    """Chance that a result is drawn like a first one: another disease, or a relapse."""

    attendance: float = 0.5
    """Share of patients who have an exam in a given week."""

    exit_rate: float = 0.0514
    """Scale of the chance of leaving at an exam.

    Calibrated: 24 views of 5,000 tuples then have 16,160 individuals on average over
    seeds, the paper's number; single seeds differ by some 170."""

    dwell_cap: int = 6
    """How many lengths of stay in a stage are told apart."""

    staying: tuple[float, float] = (0.3, 0.6)
    """Range of s_v."""

    rising: tuple[float, float] = (0.35, 0.65)
    """Range of u_v."""

    centre: tuple[float, float] = (0.0, 3.0)
    """Range of w0_cv: the stay in a stage at which moving is as likely as without dwell time."""

    class_noise: float = 0.4
    """Spread of ε on the log scale."""

    age_effect: float = 1.5
    """How much faster those one age band older get worse."""

    start_concentration: float = 5.0
    """Dirichlet parameter of first results: the larger, the more even."""

    start_noise: float = 0.6
    """How much classes differ in first results, on the log scale."""

    stages: tuple[tuple[str, int], ...] = (
        ("liver", 5),
        ("HIV", 4),
        ("Alzheimer", 3),
        ("sepsis", 5),
    )
    """Diseases, and how many stages each has."""

    _RANGES: ClassVar = {
        "momentum": (1e-6, 1e6),
        "power": (0, 20),
        "switch": (0, 1),
        "attendance": (1e-6, 1),
        "exit_rate": (0, 1),
        "dwell_cap": (1, 1000),
        "class_noise": (0, 10),
        "age_effect": (1e-6, 1e6),
        "start_concentration": (1e-3, 1e6),
        "start_noise": (0, 10),
    }

    def __post_init__(self) -> None:
        """Refuse numbers that cannot be meant."""
        for name, (low, high) in self._RANGES.items():
            require_between(name, getattr(self, name), low, high)
        if self.dwell_exponent is not None:
            require_between("dwell_exponent", self.dwell_exponent, -20, 20)
        for name, low, high in (("staying", 0, 1), ("rising", 0, 1), ("centre", -1000, 1000)):
            ends = getattr(self, name)
            require_between(f"the lower end of {name}", ends[0], low, high)
            require_between(f"the upper end of {name}", ends[1], ends[0], high)
        names = [name for name, _ in self.stages]
        if not names or len(set(names)) < len(names) or int(self.dwell_cap) != self.dwell_cap:
            message = "dwell_cap is a whole number, and every disease has a name of its own."
            raise PolicyError(message)
        for name, count in self.stages:
            require_between(f"the number of stages of {name}", count, 1, 100)

    def draw(self, rng: np.random.Generator) -> Course:
        """Draw a course: what chance decides once for the whole series."""
        return course_of(self, Traits.draw(self, rng))


@dataclass(frozen=True, eq=False)
class Traits:
    """What chance decides: the letters of the formula."""

    staying: FloatArray
    """s_v (stages)."""

    rising: FloatArray
    """u_v (stages)."""

    noise: FloatArray
    """ε of staying, up and down (classes, stages, 3)."""

    centre: FloatArray
    """w0_cv (classes, stages)."""

    first: FloatArray
    """First results (classes, stages)."""

    @classmethod
    def draw(cls, parameters: Progression, rng: np.random.Generator) -> Traits:
        """Draw them."""
        n_stages = sum(count for _, count in parameters.stages)
        shape = (len(CLASSES), n_stages)
        shares = rng.dirichlet(np.full(n_stages, parameters.start_concentration))
        return cls(
            rng.uniform(*parameters.staying, n_stages),
            rng.uniform(*parameters.rising, n_stages),
            rng.lognormal(0.0, parameters.class_noise, (*shape, 3)),
            rng.uniform(*parameters.centre, shape),
            first_results(rng, shares, parameters.start_noise),
        )


def course_of(parameters: Progression, traits: Traits) -> Course:
    """Return the course that the formula gives."""
    first_of, last_of = _ends_of_diseases(parameters)
    n_stages, cap = len(first_of), parameters.dwell_cap
    moves = _moves(parameters, traits, first_of, last_of)
    leaving, dying = _leaving(parameters, first_of, last_of)
    # Axes: classes, stages, dwell, directions, values.
    rows = np.zeros((len(CLASSES), n_stages, cap, len(DIRECTIONS), n_stages + len(ENDINGS)))
    rows[..., :n_stages] = parameters.switch * traits.first[:, None, None, None]
    here = np.arange(n_stages)
    targets = np.stack([here, np.minimum(here + 1, n_stages - 1), np.maximum(here - 1, 0)])
    for move, target in enumerate(targets):
        # Indexed by stage twice, so that axis comes first.
        rows[:, here, :, :, target] += (1 - parameters.switch) * np.moveaxis(moves[..., move], 1, 0)
    rows[..., :n_stages] *= 1 - leaving[:, None, :, None]
    rows[..., n_stages] = (leaving * dying[:, None])[:, None]
    rows[..., n_stages + 1] = (leaving * (1 - dying[:, None]))[:, None]
    begin = np.pad(traits.first, ((0, 0), (0, len(ENDINGS))))[:, None]
    next_value = np.concatenate(
        [begin, rows.reshape(len(CLASSES), -1, n_stages + len(ENDINGS)), begin, begin], axis=1
    )
    values = tuple(
        f"{name}-{stage}" for name, count in parameters.stages for stage in range(1, count + 1)
    )
    return Course(
        values + ENDINGS,
        next_value,
        _next_states(first_of, last_of, cap),
        _meanings(values, cap),
        ("value", "exams before in this stage", "last direction"),
    )


def _ends_of_diseases(parameters: Progression) -> tuple[np.ndarray, np.ndarray]:
    """Return for each stage whether it is the first, and whether it is the last of its disease."""
    counts = np.array([count for _, count in parameters.stages])
    last = np.cumsum(counts) - 1
    stages = np.arange(counts.sum())
    return np.isin(stages, last - counts + 1), np.isin(stages, last)


def _moves(
    parameters: Progression, traits: Traits, first_of: np.ndarray, last_of: np.ndarray
) -> FloatArray:
    """Return the chances of staying, up and down (classes, stages, dwell, directions, 3)."""
    age, gender, weight = CLASS_BANDS.T
    effect = parameters.age_effect ** ((age - 1) + 0.5 * (weight - 1) + 0.3 * (gender - 0.5))
    dwell = np.arange(parameters.dwell_cap)
    if parameters.dwell_exponent is None:
        growth = np.broadcast_to(1 + dwell / 2, (*traits.centre.shape, len(dwell)))
    else:
        growth = np.exp(parameters.dwell_exponent * (dwell - traits.centre[..., None]))
    stay, up, down = np.moveaxis(traits.noise, -1, 0).copy()
    stay *= traits.staying
    up *= (1 - traits.staying) * traits.rising * effect[:, None] * ~last_of
    down *= (1 - traits.staying) * (1 - traits.rising) / effect[:, None] * ~first_of
    weights = np.empty((*growth.shape, len(DIRECTIONS), 3))
    weights[..., _STAY] = stay[..., None, None]
    weights[..., _UP] = (up[..., None] * growth)[..., None]
    weights[..., _DOWN] = (down[..., None] * growth)[..., None]
    weights[..., DIRECTIONS.index("up"), _UP] *= parameters.momentum
    weights[..., DIRECTIONS.index("down"), _DOWN] *= parameters.momentum
    # The largest becomes 1, so that no power overflows or leaves nothing.
    weights /= weights.max(axis=-1, keepdims=True)
    # A weight of 0 stays impossible, also under the power 0.
    weights = np.where(weights > 0, weights**parameters.power, 0.0)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _leaving(
    parameters: Progression, first_of: np.ndarray, last_of: np.ndarray
) -> tuple[FloatArray, FloatArray]:
    """Return the chance of an end (stages, directions), and of which it is death (stages)."""
    often = np.where(last_of, 2.0, np.where(first_of, 1.5, 0.5))
    moved = np.array([1.0 if name == "none" else 1.5 for name in DIRECTIONS])
    leaving = np.minimum(_MOST_EXIT, parameters.exit_rate * often[:, None] * moved)
    return leaving, np.where(last_of, 0.8, 0.2)


def _next_states(first_of: np.ndarray, last_of: np.ndarray, cap: int) -> SmallIntArray:
    """Return where each value leads (states, values)."""
    n_stages = len(first_of)

    def place(stage: int, dwell: int, direction: str) -> int:
        return 1 + (stage * cap + dwell) * len(DIRECTIONS) + DIRECTIONS.index(direction)

    ends = [place(n_stages, 0, "none") + end for end in range(len(ENDINGS))]
    anew = [place(stage, 0, "none") for stage in range(n_stages)] + ends
    table = [anew]
    for stage, dwell, direction in itertools.product(range(n_stages), range(cap), DIRECTIONS):
        row = list(anew)
        row[stage] = place(stage, min(dwell + 1, cap - 1), direction)
        if not last_of[stage]:
            row[stage + 1] = place(stage + 1, 0, "up")
        if not first_of[stage]:
            row[stage - 1] = place(stage - 1, 0, "down")
        table.append(row)
    return np.array([*table, anew, anew], dtype=np.int32)


def _meanings(values: tuple[str, ...], cap: int) -> tuple[tuple[str, ...], ...]:
    """Return what the states mean, in their order."""
    inner = [
        (value, f"{dwell}{'+' if dwell == cap - 1 else ''}", direction)
        for value, dwell, direction in itertools.product(values, range(cap), DIRECTIONS)
    ]
    assert START == 0
    return (("", "", ""), *inner, *((end, "", "") for end in ENDINGS))
