"""Classes of the people whom a release in buckets lists, by columns that an analyst names."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray
from seriatim.errors import SchemaError, did_you_mean, listed
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.dates import Date
from seriatim.microdata.numeric import Numeric
from seriatim.microdata.part import Interval
from seriatim.microdata.release import Release
from seriatim.microdata.tables import to_numpy


def listed_classes(
    release: Release,
    columns: Sequence[str],
    cuts: Mapping[str, Sequence[Any]],
    pool: Mapping[str, Mapping[Any, str]],
) -> tuple[tuple[tuple[str, ...], ...], IntArray]:
    """Return the classes that occur, in words and in order, and the class of each listed person.

    >>> from seriatim import Numeric, Schema, Sensitive, read_buckets
    >>> schema = Schema("id", [Numeric("age", 0, 99)], Sensitive("exam", ["neg"]))
    >>> people = {"group": [1, 1, 1], "age": [64, 31, 70]}
    >>> counts = {"group": [1], "exam": ["neg"], "count": [3]}
    >>> release = read_buckets(people, counts, schema, at=1)
    >>> found = listed_classes(release, ["age"], {"age": [65]}, {})
    >>> found[0], found[1].tolist(), release.people[0].to_pylist()
    ((('below 65',), ('65 or more',)), [0, 0, 1], ['31', '64', '70'])
    """
    _require_columns(release, columns, cuts, pool)
    assert release.people is not None
    names = release.schema.quasi_identifier_names
    words: list[list[str]] = []
    codes = []
    for name in columns:
        axis = names.index(name)
        encoded = pa.array(release.people[axis]).dictionary_encode()
        known = encoded.dictionary.to_pylist()
        attribute = release.schema.quasi_identifiers[axis]
        found, of_word = _classes_of(attribute, known, cuts.get(name), pool.get(name, {}))
        words.append(found)
        codes.append(of_word[to_numpy(encoded.indices).astype(np.int64)])
    rows, class_of = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    classes = tuple(
        tuple(words[place][code] for place, code in enumerate(row)) for row in rows.tolist()
    )
    return classes, class_of.ravel()


def _classes_of(
    attribute: QuasiIdentifier,
    known: list[str],
    cuts: Sequence[Any] | None,
    pool: Mapping[Any, str],
) -> tuple[list[str], IntArray]:
    """Return the classes of one column in words, and the class of each word that occurs."""
    if cuts is not None:
        codes = np.array([_code(attribute, word) for word in known])
        ends = np.array([_code(attribute, str(cut)) for cut in cuts])
        if len(ends) == 0 or (np.diff(ends) <= 0).any():
            message = (
                f"Cuts of {attribute.name!r} must rise, and be at least one; {list(cuts)} were"
                " given."
            )
            raise SchemaError(message)
        return _between(cuts), np.searchsorted(ends, codes, side="right")
    named = {str(value): word for value, word in pool.items()}
    unknown = [value for value in named if value not in known]
    if unknown:
        message = (
            f"The pool of {attribute.name!r} names {listed(unknown)}, and nobody listed has that."
            f" There are {listed(known)}.{did_you_mean(unknown[0], known)}"
        )
        raise SchemaError(message)
    of_word = [named.get(word, word) for word in known]
    places = _places(attribute, known)
    first = {word: places[given] for given, word in zip(known, of_word, strict=True)}
    words = sorted(first, key=lambda word: (first[word], word))
    return words, np.array([words.index(word) for word in of_word])


def _between(cuts: Sequence[Any]) -> list[str]:
    """Return the words of classes between cuts."""
    middle = [f"{low} to below {high}" for low, high in itertools.pairwise(cuts)]
    return [f"below {cuts[0]}", *middle, f"{cuts[-1]} or more"]


def _code(attribute: QuasiIdentifier, word: str) -> float:
    """Return the number or day that a word stands for."""
    part = attribute.parse(word) if isinstance(attribute, Numeric | Date) else None
    if not isinstance(part, Interval):
        message = (
            f"{attribute.name!r} is neither a number nor a date, and has no cuts. Name classes of"
            " its values in pool."
        )
        raise SchemaError(message)
    return part.low


def _places(attribute: QuasiIdentifier, known: list[str]) -> dict[str, float]:
    """Return where words stand: by number or day, or as declared; undeclared ones all alike."""
    if isinstance(attribute, Numeric | Date):
        return {word: _code(attribute, word) for word in known}
    declared: Sequence[Any] = getattr(attribute, "values", None) or ()
    places = {str(value): float(place) for place, value in enumerate(declared)}
    return {word: places.get(word, float(len(places))) for word in known}


def _require_columns(
    release: Release,
    columns: Sequence[str],
    cuts: Mapping[str, Any],
    pool: Mapping[str, Any],
) -> None:
    names = release.schema.quasi_identifier_names
    if not columns:
        message = f"Classes go by at least one column; the release has {listed(names)}."
        raise SchemaError(message)
    for name in (*columns, *cuts, *pool):
        if name not in names:
            message = (
                f"The release has no quasi-identifier {name!r}; it has {listed(names)}."
                f"{did_you_mean(name, names)}"
            )
            raise SchemaError(message)
    both = [
        name for name in (*cuts, *pool) if name not in columns or (name in cuts and name in pool)
    ]
    if both:
        message = (
            f"{both[0]!r} has cuts or a pool, and must be one of the columns that classes go by,"
            f" with one of the two; these are {listed(columns)}."
        )
        raise SchemaError(message)
