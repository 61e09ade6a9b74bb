"""What every quasi-identifier can do, whatever its kind.

``resolve`` fills in a domain that was not declared; ``encode`` turns a column
into codes; ``spread`` places codes on [0, 1] for the space-filling curve;
``cover`` finds the tightest part around each group; ``parse`` reads a part.

A declared domain is closed: other values are errors. A domain read off data is
open: it widens when a later view brings new values, and never shrinks, so that
the place of a respondent on the curve does not shift with who else is present.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.errors import SchemaError, TableError, UnknownCategoryError, listed
from seriatim.microdata.bad_cells import refuse_cells
from seriatim.microdata.cover import Cover, Prices, counted_penalties, share_of
from seriatim.microdata.part import CodeSet, Interval, Part
from seriatim.microdata.tables import distinct_values, find_codes, require_present
from seriatim.microdata.words import read_words


class QuasiIdentifier(Protocol):
    """An attribute that, joined with outside knowledge, may point at a respondent."""

    @property
    def name(self) -> str:
        """The column's name."""
        ...

    @property
    def open(self) -> bool:
        """Whether the domain was read off data, and may widen."""
        ...

    @property
    def steps(self) -> int:
        """How many places of a grid tell its codes apart (once resolved)."""
        ...

    def resolve(self, column: pa.Array) -> QuasiIdentifier:
        """Return the attribute with an undeclared domain filled in, or widened, from a column."""
        ...

    def public(self) -> QuasiIdentifier:
        """Return the attribute as it was declared, without what was read off data."""
        ...

    def encode(self, column: pa.Array) -> FloatArray:
        """Return a column's codes; missing and unknown values are errors."""
        ...

    def spread(self, codes: FloatArray) -> FloatArray:
        """Stretch codes over [0, 1], whatever the number of values in the domain."""
        ...

    def distance(self, codes: FloatArray, others: FloatArray) -> FloatArray:
        """Return how far codes lie apart, from 0 to 1; arrays are broadcast."""
        ...

    def heights(self, codes: FloatArray) -> IntArray:
        """Return how high the border is between each of some rising codes and the next.

        Borders between larger units are higher: groups are better cut there. They are all
        1 where no border is better than another.
        """
        ...

    def cover(self, codes: FloatArray, starts: IntArray) -> Cover:
        """Return the tightest part around each group; codes come group by group."""
        ...

    def prices(self, codes: FloatArray) -> Prices:
        """Return the penalties that ``cover`` gives to groups of some rising codes, in advance.

        For an open domain, as if all these codes were published, and no others.
        """
        ...

    def parse(self, text: Any) -> Part:
        """Read a part from how a release or a class table writes it."""
        ...

    def measure(self, part: Part) -> tuple[float, float]:
        """Return extent and penalty of a part, as ``cover`` gives them."""
        ...


@runtime_checkable
class Ordered(Protocol):
    """An attribute whose parts are intervals with ends that can be written."""

    def ends(self, parts: Sequence[Interval]) -> tuple[pa.Array, pa.Array]:
        """Return the lower and the upper ends of parts, as values."""
        ...


def resolve_values(
    known: Sequence[Any] | None, column: pa.Array, name: str, *, is_open: bool
) -> tuple[Sequence[Any], bool]:
    """Return a domain widened by a column's values where it may, and whether it is open."""
    if known is not None and not is_open:
        return known, False
    require_present(column, name)
    have = tuple(known or ())
    found = distinct_values(column)
    if have and found and isinstance(have[0], str) != isinstance(found[0], str):
        kinds = ("numbers", "texts") if isinstance(found[0], str) else ("texts", "numbers")
        message = (
            f"Column {name!r} held {kinds[0]} in earlier views and holds {kinds[1]} now."
            " Write its values in one way for the whole series."
        )
        raise TableError(message)
    known_already = frozenset(have)
    return have + tuple(value for value in found if value not in known_already), True


def encode_values(
    column: pa.Array, values: Sequence[Any] | None, name: str, advice: str = ""
) -> IntArray:
    """Return the place of each value in the domain; an unknown value is an error."""
    require_present(column, name)
    if values is None:
        unresolved(name)
    codes = find_codes(column, values)
    unknown = codes < 0
    if unknown.any():
        if pa.types.is_string(column.type):
            # One word among numbers makes texts of them all: only that one is wrong.
            known = pa.array([str(value) for value in values])
            unlike = ~np.asarray(pc.is_in(column, value_set=known), dtype=bool)
            unknown = unlike if unlike.any() else unknown
        refuse_cells(
            unknown,
            f"Column {name!r} has {int(unknown.sum())} value(s) outside its domain",
            f"Possible are {listed(values)}."
            f"{advice or ' Correct the rows, or declare the values before the first release.'}",
            column=column,
        )
    return codes


OUTSIDE_THE_RANGE = (
    "Correct the rows, or give them the nearest end of the range. A wider one can be declared"
    " before the first release; a series keeps the range it was begun with."
)
"""What to try when values lie outside a declared range."""


def refuse_rows(wrong: BoolArray, name: str, what: str, advice: str = "Correct the rows.") -> None:
    """Refuse a column with rows that are wrong; they are named by position."""
    refuse_cells(wrong, f"Column {name!r} has {int(wrong.sum())} {what}", advice)


def check_values(values: Sequence[Any] | None, name: str) -> None:
    """Refuse declared domains that are empty or name a value twice."""
    if values is None:
        return
    if not values:
        message = f"Attribute {name!r} declares no values. Name at least one, or leave them out."
        raise SchemaError(message)
    # Releases write values as text, so two values must not look the same there.
    times = Counter(str(value) for value in values)
    twice = sorted(value for value, count in times.items() if count > 1)
    if twice:
        message = f"Attribute {name!r} declares values that read the same: {listed(twice)}."
        raise SchemaError(message)


def codes_by_text(values: Sequence[Any]) -> dict[str, int]:
    """Return the code of each value by how a release or a class table writes it."""
    return {str(value): code for code, value in enumerate(values)}


def code_of(text: str, codes: Mapping[str, int], name: str) -> int:
    """Return the code of one value as a release or a class table writes it."""
    text = text if text in codes else text.strip()
    if text not in codes:
        message = (
            f"{text!r} is no value of {name!r}; possible are {listed(codes)},"
            " and '*' for any of them."
        )
        raise UnknownCategoryError(message)
    return codes[text]


def union_of(text: str, parse: Callable[[str], Part], steps: int, *, is_open: bool) -> CodeSet:
    """Read several values or nodes, as ``{a, b}``, ``a,b``, ``a|b`` or ``a_b``.

    In an open domain another view may have had values that this one has not; the known
    ones stay.
    """
    inner = text[1:-1] if text.startswith("{") and text.endswith("}") else text
    codes = np.arange(steps, dtype=np.float64)
    failed = None
    for separator in (",", "|", ";", "_"):
        words = read_words(inner) if separator == "," else inner.split(separator)
        if len(words) < 2 and separator != ",":
            continue
        found: set[int] = set()
        try:
            for word in words:
                found |= _codes_of(word, parse, codes, ignore=is_open and len(words) > 1)
        except UnknownCategoryError as error:
            failed = failed or error
            continue
        if found:
            return CodeSet(frozenset(found))
    raise failed or UnknownCategoryError(f"Nothing that {text!r} names occurs.")


def _codes_of(
    word: str, parse: Callable[[str], Part], codes: FloatArray, *, ignore: bool
) -> set[int]:
    try:
        part = parse(word)
    except UnknownCategoryError:
        if ignore:
            return set()
        raise
    named = part.codes if isinstance(part, CodeSet) else np.flatnonzero(part.contains(codes))
    return {int(code) for code in named}


def flat_heights(codes: FloatArray) -> IntArray:
    """Return the heights of borders in a domain without larger units: all the same."""
    return np.ones(max(len(codes) - 1, 0), dtype=np.int64)


def measure_codes(part: Part, steps: int) -> tuple[float, float]:
    """Return extent and penalty of some codes of a domain without order."""
    count = float(np.count_nonzero(part.contains(np.arange(steps, dtype=np.float64))))
    extent = share_of(np.array([max(count - 1, 0.0)]), steps - 1)
    return float(extent[0]), float(counted_penalties(np.array([count]), steps)[0])


def unresolved(name: str) -> NoReturn:
    """Say that an attribute's domain is not known yet."""
    message = f"The domain of {name!r} is not known. Declare it, or resolve the schema on a table."
    raise SchemaError(message)
