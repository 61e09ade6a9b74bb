"""The prior of a reader who knows how common each value is in a class of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from seriatim._typing import Table, Value
from seriatim.errors import KnowledgeError
from seriatim.knowledge.belief import Belief
from seriatim.knowledge.classes import Classes, collect_classes
from seriatim.knowledge.distributions import Distributions, Unlisted
from seriatim.microdata.roster import Roster
from seriatim.microdata.tables import read_filled_table


@dataclass(frozen=True, eq=False)
class ClassPrior:
    """One distribution for each class of quasi-identifier values.

    >>> from seriatim import Categorical, Schema, Sensitive
    >>> schema = Schema("id", [Categorical("gender", "FM")], Sensitive("exam"))
    >>> people = Roster.from_table({"id": [1, 2], "gender": ["M", "F"]}, schema)
    >>> table = {"gender": ["F", "F", "M"], "value": ["pos", "neg", "neg"]}
    >>> prior = ClassPrior.from_table(table | {"probability": [0.1, 0.9, 1.0]}, classes="gender")
    >>> prior.belief(people, ("neg", "pos")).of("pos").tolist()
    [0.0, 0.1]
    """

    classes: Classes
    """How respondents fall into classes."""

    distributions: Distributions
    """One row per class."""

    @classmethod
    def from_table(
        cls,
        table: Table,
        *,
        classes: str | Sequence[str],
        value: str = "value",
        probability: str = "probability",
        unlisted: Unlisted = "error",
    ) -> ClassPrior:
        """Read a long table: class columns, value, probability.

        Cells of the class columns are written as in a release: ``51``, ``45-54``,
        ``[45,54]``, ``F``, ``{F,M}``, ``1203*``, or ``*`` for anyone.

        >>> table = {
        ...     "gender": ["F", "F", "M"],
        ...     "value": ["pos", "neg", "neg"],
        ...     "probability": [0.1, 0.9, 1.0],
        ... }
        >>> len(ClassPrior.from_table(table, classes=["gender"]).classes)
        2
        """
        columns = read_filled_table(table, "a class prior")
        if not classes:
            message = "classes names at least one column; without one, use MarginalPrior."
            raise KnowledgeError(message)
        found, class_of = collect_classes(columns, classes)
        rows = Distributions.from_columns(
            class_of, len(found), columns[value], columns[probability], unlisted
        )
        return cls(found, rows)

    @property
    def values(self) -> tuple[Value, ...]:
        """The values that any class has a probability for."""
        return self.distributions.values

    def belief(self, roster: Roster, domain: tuple[Value, ...]) -> Belief:
        """Return the distribution of each respondent's class."""
        return Belief(self.distributions.over(domain)[self.classes.of(roster)], domain)
