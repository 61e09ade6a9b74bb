"""Joining: ids and columns of several tables of a series, one below the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import IntArray
from seriatim.errors import OrderError, SchemaError, listed
from seriatim.microdata.orders import order_of_ids
from seriatim.microdata.tables import to_numpy


def joined_ids(several: Sequence[pa.Array]) -> pa.Array:
    """Return all ids, of the kind that the last have; numbers and texts are not joined.

    >>> joined_ids([pa.array([3, 1], pa.int32()), pa.array([2])]).to_pylist()
    [3, 1, 2]
    """
    return pa.concat_arrays([ids_like(ids, several[-1]) for ids in several])


def ids_like(ids: pa.Array, others: pa.Array) -> pa.Array:
    """Return ids as the kind of value that others are; they must mean the same people."""
    if ids.type == others.type:
        return ids
    if pa.types.is_string(ids.type) or pa.types.is_string(others.type):
        message = (
            f"Respondents are {ids.type} in earlier tables and {others.type} in later ones; they"
            " could not be recognized. Use one kind of id for a whole series."
        )
        raise OrderError(message)
    return ids.cast(others.type)


def joined_columns(several: Sequence[pa.Table]) -> pa.Table:
    """Return the insensitive columns of several tables as the last one has them."""
    try:
        return pa.concat_tables([one.cast(several[-1].schema) for one in several])
    except (pa.ArrowException, ValueError):
        # The library's own message shows the value it stumbled over.
        message = (
            f"The insensitive columns {listed(several[-1].column_names)} hold other kinds of values"
            " than in earlier tables, whose rows are published again. Write them as they were."
        )
        raise SchemaError(message) from None


def order_of_respondents(respondents: pa.Array) -> IntArray:
    """Return the rows in the order of ids that are there once each, as rosters have them."""
    near = order_of_ids(to_numpy(respondents)) if respondents.type == pa.int64() else None
    if near is not None:
        return near[0]
    return np.asarray(to_numpy(pc.sort_indices(respondents)), dtype=np.int64)
