"""Recoding: codes of one schema of a series, as codes of a later one.

Domains that were read off data only widen, and a wider one may number its labels otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import OrderError
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.dates import Date
from seriatim.microdata.numeric import Numeric
from seriatim.microdata.schema import Schema


def recoded_points(points: FloatArray, before: Schema, after: Schema) -> FloatArray:
    """Return points (respondents, attributes) that were coded by one schema in another's codes.

    >>> from seriatim import Categorical, Sensitive
    >>> one = Schema("id", [Categorical("ward", ["east", "west"])], Sensitive("exam"))
    >>> two = Schema("id", [Categorical("ward", ["north", "west", "east"])], Sensitive("exam"))
    >>> recoded_points(np.array([[0.0], [1.0]]), one, two).tolist()
    [[2.0], [1.0]]
    """
    found = points.copy()
    attributes = zip(before.quasi_identifiers, after.quasi_identifiers, strict=True)
    for axis, (old, new) in enumerate(attributes):
        known, wanted = labels_of(old), labels_of(new)
        if known is not None and wanted is not None and known != wanted:
            places = _places(known, wanted, old.name)
            found[:, axis] = places[found[:, axis].astype(np.int64)]
    return found


def recoded_values(codes: IntArray, before: Schema, after: Schema) -> IntArray:
    """Return codes of sensitive values by one schema in another's codes.

    >>> from seriatim import Sensitive
    >>> one = Schema("id", [Numeric("age")], Sensitive("exam", ["neg", "pos"]))
    >>> two = Schema("id", [Numeric("age")], Sensitive("exam", ["pos", "neg"]))
    >>> recoded_values(np.array([0, 1, 1]), one, two).tolist()
    [1, 0, 0]
    """
    known, wanted = before.sensitive.domain, after.sensitive.domain
    if known == wanted:
        return codes
    return np.asarray(_places(known, wanted, before.sensitive.name)[codes])


def spanning(schema: Schema, points: FloatArray) -> Schema:
    """Return a schema whose undeclared ranges reach as far as some points, too.

    >>> from seriatim import Sensitive
    >>> ages = Schema("id", [Numeric("age")], Sensitive("exam")).resolve_roster({"age": [50, 60]})
    >>> spanning(ages, np.array([[72.0]])).quasi_identifiers[0].high
    72.0
    """
    if len(points) == 0:
        return schema
    attributes = tuple(
        _spanning(one, points[:, axis]) for axis, one in enumerate(schema.quasi_identifiers)
    )
    if attributes == schema.quasi_identifiers:
        return schema
    return replace(schema, quasi_identifiers=attributes)


def labels_of(attribute: QuasiIdentifier) -> tuple[Any, ...] | None:
    """Return what the codes of an attribute stand for; None where codes are numbers."""
    found = getattr(attribute, "leaves", getattr(attribute, "values", None))
    return None if found is None else tuple(found)


def _spanning(attribute: QuasiIdentifier, codes: FloatArray) -> QuasiIdentifier:
    if isinstance(attribute, Numeric) and attribute.open:
        wide = attribute.resolve(pa.array(codes))
        # Codes are floats, whole or not.
        return replace(wide, fractions=attribute.fractions or wide.fractions)
    if isinstance(attribute, Date) and attribute.open:
        return attribute.resolve(pa.array(codes.astype(np.int32)).cast(pa.date32()))
    return attribute


def _places(known: tuple[Any, ...], wanted: tuple[Any, ...], name: str) -> IntArray:
    """Return the place in one domain of each label of another."""
    place = {label: number for number, label in enumerate(wanted)}
    if not place.keys() >= set(known):
        message = (
            f"The series has values of {name!r} that this view was read without. Pass the table"
            " itself, or read it with the schema of the series."
        )
        raise OrderError(message)
    return np.array([place[label] for label in known], dtype=np.int64)
