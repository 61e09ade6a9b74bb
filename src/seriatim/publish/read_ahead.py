"""Reading ahead: while a piece is worked on, the next is read into the memory of the one before."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import numpy as np

_Where = TypeVar("_Where")
_Piece = TypeVar("_Piece")


def read_ahead(
    read: Callable[[_Where, dict[str, np.ndarray]], _Piece], pieces: Sequence[_Where]
) -> Iterator[_Piece]:
    """Go through what is read of each piece; it is gone when the next one comes.

    The first is begun with at once. Whatever reads gets a room besides, whose arrays it may use.
    """
    if not pieces:
        return iter(())
    rooms: itertools.cycle[dict[str, np.ndarray]] = itertools.cycle(({}, {}))
    beside = ThreadPoolExecutor(1, thread_name_prefix="seriatim-read")
    first = beside.submit(read, pieces[0], next(rooms))

    def going() -> Iterator[_Piece]:
        reading: Future[_Piece] = first
        with beside:
            for one in pieces[1:]:
                ahead = beside.submit(read, one, next(rooms))
                yield reading.result()
                reading = ahead
            yield reading.result()

    return going()
