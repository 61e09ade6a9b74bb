"""Worlds of plain data: for researchers, without schemas and rosters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from seriatim._typing import FloatArray
from seriatim.errors import KnowledgeError
from seriatim.inference.appearances import plain_appearances
from seriatim.inference.drawing import Effort, draw_worlds, require_whole_number
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.belief import require_distributions


def weigh_worlds(
    releases: Sequence[Sequence[tuple[Sequence[int], Sequence[int]]]],
    prior: npt.ArrayLike,
    transition: npt.ArrayLike,
    *,
    sweeps: int = 2000,
    chains: int = 4,
    seed: int = 0,
) -> list[FloatArray]:
    """Return what a reader believes who weighs every world that fits all releases.

    ``releases`` has for each release its groups, ``(members, values)``: who is in it, and codes
    of the values that it shows. A person's first value goes by ``prior`` (values), each later one
    by their last (``transition``, rows to columns). Returns for each release an array (members,
    values), in the order of the members of its groups.

    Five people show five values; one leaves, and four show four. Values do not change:

    >>> five = [([0, 1, 2, 3, 4], [0, 0, 1, 1, 2])]
    >>> four = [([0, 1, 2, 3], [0, 0, 1, 1])]
    >>> first, _ = weigh_worlds([five, four], [0.4, 0.3, 0.3], np.eye(3), sweeps=100)
    >>> first[4].round(3).tolist()
    [0.0, 0.0, 1.0]
    """
    require_whole_number("sweeps", sweeps)
    require_whole_number("chains", chains)
    start = require_distributions(np.atleast_2d(np.asarray(prior, dtype=np.float64)), "the prior")
    rows = require_distributions(transition, "the transitions")
    n_values = start.shape[1]
    if start.shape[0] != 1 or rows.shape != (n_values, n_values):
        message = (
            f"A prior over {n_values} values needs {n_values} rows of transitions to as many"
            f" values; given were arrays of shape {start.shape} and {rows.shape}."
        )
        raise KnowledgeError(message)
    if not any(members for groups in releases for members, _ in groups):
        message = "Worlds are of releases, and nobody is in any of these. Give groups with members."
        raise KnowledgeError(message)
    for number, groups in enumerate(releases, start=1):
        _require_groups(groups, number, n_values)
    automaton = Automaton(
        tuple(range(n_values)),
        np.vstack([rows, start]),
        np.tile(np.arange(n_values), (n_values + 1, 1)),
        start=n_values,
    )
    who = plain_appearances(releases, start[0], automaton)
    drawn = draw_worlds(who, Effort(approach=sweeps, sweeps=sweeps, chains=chains, seed=seed))
    beliefs = drawn.beliefs()
    found = np.empty((len(who), n_values))
    found[who.row_of] = who.dense(beliefs, np.arange(len(who)))
    sizes = [sum(len(members) for members, _ in groups) for groups in releases]
    return np.split(found, np.cumsum(sizes)[:-1])


def _require_groups(
    groups: Sequence[tuple[Sequence[int], Sequence[int]]], number: int, n_values: int
) -> None:
    """Refuse groups that show other values, or more or fewer than they have members."""
    for members, values in groups:
        if len(members) != len(values) or not all(0 <= one < n_values for one in values):
            message = (
                f"A group of release {number} has {len(members)} members and shows"
                f" {len(values)} values. There must be as many, codes from 0 to {n_values - 1}."
            )
            raise KnowledgeError(message)
    everyone = [one for members, _ in groups for one in members]
    if len(set(everyone)) < len(everyone):
        message = f"Someone is twice in release {number}, and a person has one value in a release."
        raise KnowledgeError(message)
