"""A domain that grows in the middle of a series: where remembered places go.

New values are put behind the old ones, so old codes stay what they were. An automaton
over the larger domain may number its states otherwise; a state of the old one becomes
the state that the same past leads to in the new one.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import IntArray
from seriatim.errors import KnowledgeError
from seriatim.knowledge.automaton import Automaton

NOWHERE = -1


def carried_states(old: Automaton, new: Automaton) -> IntArray:
    """Return the state of a new automaton for each of an old one's; -1 for those not reached.

    >>> old = Automaton(("a",), [[1.0], [1.0]], [[1], [1]])
    >>> new = Automaton(("a", "b"), [[0.5, 0.5]] * 3, [[1, 2]] * 3)
    >>> carried_states(old, new).tolist()
    [0, 1]
    """
    n_values = len(old.values)
    if new.values[:n_values] != old.values:
        message = "A domain grows at its end: the values that it had keep their places."
        raise KnowledgeError(message)
    found = np.full(old.n_states, NOWHERE, dtype=np.int64)
    found[old.start] = new.start
    layer = np.array([old.start])
    while len(layer):
        following = old.next_state[layer].ravel()
        there = new.next_state[found[layer], :n_values].ravel().astype(np.int64)
        known = found[following] != NOWHERE
        fresh, first = np.unique(following[~known], return_index=True)
        found[fresh] = there[~known][first]
        if (found[following] != there).any():
            message = (
                "The sequence knowledge tells pasts apart over the larger domain that it did not"
                " tell apart before; what was remembered cannot be carried over."
            )
            raise KnowledgeError(message)
        layer = fresh
    return found


def carried_junctions(old: Automaton, new: Automaton) -> IntArray:
    """Return the junction of a new automaton for each of an old one's; -1 for those not reached."""
    states = carried_states(old, new)
    reached = np.flatnonzero(states != NOWHERE)
    found = np.full(len(old.junction_next), NOWHERE, dtype=np.int64)
    found[old.junction_of[reached]] = new.junction_of[states[reached]]
    if (found[old.junction_of[reached]] != new.junction_of[states[reached]]).any():
        message = (
            "The sequence knowledge remembers more over the larger domain than it did before;"
            " what was remembered cannot be carried over."
        )
        raise KnowledgeError(message)
    return found
