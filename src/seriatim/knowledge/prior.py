"""Priors: who is likely to have what, before any release (the paper's BKsv)."""

from __future__ import annotations

from typing import Protocol

from seriatim._typing import Value
from seriatim.knowledge.belief import Belief
from seriatim.microdata.roster import Roster


class Prior(Protocol):
    """What a reader knows of a respondent from the quasi-identifiers alone."""

    @property
    def values(self) -> tuple[Value, ...]:
        """The sensitive values that it speaks of; empty where it speaks of all alike."""
        ...

    def belief(self, roster: Roster, domain: tuple[Value, ...]) -> Belief:
        """Return one distribution over the domain for each respondent of a roster."""
        ...
