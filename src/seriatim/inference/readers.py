"""Readers by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from seriatim.errors import StudyError, did_you_mean, listed
from seriatim.inference.adversary import Adversary
from seriatim.inference.retrospective import Retrospective
from seriatim.inference.worlds import Worlds

READERS = ("snapshot", "paper", "joint", "retrospective")
"""Readers of one belief a person: those that techniques are compared by."""

BY_NAME = (*READERS, "worlds")
"""All readers: those that attack a series unless others are named."""


def named_readers(
    names: Sequence[str], knowledge: Adversary, *, sweeps: int | None = None
) -> dict[str, Adversary | Retrospective | Worlds]:
    """Return readers by name, all with the same knowledge, in the order of ``BY_NAME``.

    ``sweeps`` is how long the reader of worlds looks, if not as long as usual.
    """
    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        message = (
            f"There is no reader {unknown[0]!r}; possible are {listed(BY_NAME)}."
            f"{did_you_mean(unknown[0], BY_NAME)}"
        )
        raise StudyError(message)
    strong = replace(knowledge, rule="strongest", filtering="joint")
    known: dict[str, Adversary | Retrospective | Worlds] = {
        "snapshot": Adversary(knowledge.prior),
        "paper": replace(knowledge, rule="omega", filtering="marginal"),
        "joint": strong,
        "retrospective": Retrospective(strong),
        "worlds": Worlds(strong) if sweeps is None else Worlds(strong, sweeps=sweeps),
    }
    return {name: known[name] for name in BY_NAME if name in names}
