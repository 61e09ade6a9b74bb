"""Laws of sequence models."""

from __future__ import annotations

import numpy as np

from seriatim._typing import Value
from seriatim.checks._cases import ROUNDING, random_beliefs, require
from seriatim.inference.pasts import Pasts
from seriatim.inference.revision import expected, push
from seriatim.knowledge.automaton import Automaton, SequenceModel


def check_sequence_model(model: SequenceModel, *, cases: int = 10, seed: int = 0) -> None:
    """Check that a sequence model can be reasoned with.

    It has an automaton over its own values, over the same values in another order
    and over a wider domain; expectations are distributions after any past; and
    the order of the domain's columns changes nothing but the order of columns.
    """
    rng = np.random.default_rng(seed)
    own = tuple(model.values)
    turned: tuple[Value, ...] = own[::-1]
    wider: tuple[Value, ...] = (*own, "a value that no model has")
    for domain in (own, turned, wider):
        require(
            model.automaton(domain).values == domain, "The automaton must be over the domain asked."
        )
    for case in range(cases):
        instants = int(rng.integers(1, 6))
        history = np.stack([random_beliefs(rng, 4, len(own)) for _ in range(instants)])
        straight = _expected(model.automaton(own), history)
        back = _expected(model.automaton(turned), history[:, :, ::-1])
        more = _expected(model.automaton(wider), np.pad(history, ((0, 0), (0, 0), (0, 1))))
        for found in (straight, back, more):
            require(
                bool(np.allclose(found.sum(axis=2), 1.0, atol=ROUNDING)),
                "Expectations must be distributions.",
                f"case {case}",
            )
        require(
            bool(np.allclose(straight, back[:, :, ::-1], atol=ROUNDING)),
            "The order of the domain must not matter.",
            f"case {case}",
        )


def _expected(automaton: Automaton, history: np.ndarray) -> np.ndarray:
    """Return the expectations of every class after a history of posteriors."""
    n_respondents, n_values = history.shape[1:]
    pasts = Pasts.beginning(automaton, np.ascontiguousarray(history[0]))
    for posterior in history[1:]:
        pasts = push(automaton, pasts, np.ascontiguousarray(posterior))
    prior = np.full((n_respondents, n_values), 1.0 / n_values)
    return np.stack(
        [
            expected(automaton, pasts, np.full(n_respondents, kind), prior)
            for kind in range(automaton.n_classes)
        ]
    )
