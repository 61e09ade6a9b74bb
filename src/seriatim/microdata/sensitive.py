"""The sensitive attribute: what a reader must not learn about a respondent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from seriatim._typing import IntArray, Value
from seriatim.errors import SchemaError
from seriatim.microdata.attribute import (
    check_values,
    encode_values,
    resolve_values,
    unresolved,
)

_ADVICE = (
    " Correct the rows, or declare the values: before the first release, or by extending the"
    " series (`seriatim store extend`)."
)


@dataclass(frozen=True)
class Sensitive:
    """The sensitive attribute and its domain.

    The domain stays the same for a whole series; declare it, or let the first
    view and the reader's knowledge settle it.

    >>> Sensitive("exam", ["neg", "pos"]).domain
    ('neg', 'pos')
    """

    name: str
    """The column."""

    values: Sequence[Value] | None = None
    """All values, in order where the order means something."""

    ordered: bool = field(default=False, kw_only=True)
    """Whether neighbours in ``values`` are closer than others (stages of a disease)."""

    def __post_init__(self) -> None:
        """Accept any sequence of values, each once; an order must be declared."""
        if self.ordered and self.values is None:
            message = (
                f"Attribute {self.name!r} is ordered, so its values must be declared in order:"
                " Sensitive(name, [least, ..., greatest], ordered=True)."
            )
            raise SchemaError(message)
        if self.values is not None:
            object.__setattr__(self, "values", tuple(self.values))
        check_values(self.values, self.name)

    @property
    def domain(self) -> tuple[Value, ...]:
        """All values a tuple may have; beliefs have one column for each."""
        if self.values is None:
            unresolved(self.name)
        return tuple(self.values)

    def resolve(self, column: pa.Array) -> Sensitive:
        """Read the domain off the column where it was not declared."""
        values, _ = resolve_values(self.values, column, self.name, is_open=False)
        return replace(self, values=values)

    def encode(self, column: pa.Array) -> IntArray:
        """Return each value's place in the domain."""
        return encode_values(column, self.values, self.name, _ADVICE)

    def decode(self, codes: IntArray) -> pa.Array:
        """Return the values that codes stand for."""
        return pa.array(list(self.domain)).take(pa.array(codes))

    def including(self, more: tuple[Any, ...]) -> Sensitive:
        """Return the attribute with an undeclared domain widened by more values.

        >>> Sensitive("exam", ["neg"]).including(("pos", "neg")).domain
        ('neg', 'pos')
        """
        known = tuple(self.values or ())
        if known and more and isinstance(known[0], str) != isinstance(more[0], str):
            message = (
                f"The data writes values of {self.name!r} like {known[0]!r}, and the reader's"
                f" knowledge like {more[0]!r}: one is text and the other is not, so they would"
                " never meet. Write both in one way."
            )
            raise SchemaError(message)
        return replace(self, values=known + tuple(value for value in more if value not in known))
