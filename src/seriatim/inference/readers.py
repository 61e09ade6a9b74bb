"""Readers by name, from the weakest to the strongest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from seriatim.errors import StudyError, did_you_mean, listed
from seriatim.inference.adversary import Adversary
from seriatim.inference.smoothing import Retrospective

READERS = ("snapshot", "paper", "joint", "retrospective")
"""The readers that can be named, from the weakest to the strongest."""


def named_readers(
    names: Sequence[str], knowledge: Adversary
) -> dict[str, Adversary | Retrospective]:
    """Return readers by name, all with the same knowledge, from the weakest to the strongest."""
    unknown = [name for name in names if name not in READERS]
    if unknown:
        message = (
            f"There is no reader {unknown[0]!r}; possible are {listed(READERS)}."
            f"{did_you_mean(unknown[0], READERS)}"
        )
        raise StudyError(message)
    strong = replace(knowledge, rule="strongest", filtering="joint")
    known: dict[str, Adversary | Retrospective] = {
        "snapshot": Adversary(knowledge.prior),
        "paper": replace(knowledge, rule="omega", filtering="marginal"),
        "joint": strong,
        "retrospective": Retrospective(strong),
    }
    return {name: known[name] for name in READERS if name in names}
