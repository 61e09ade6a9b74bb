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

    Whatever reads gets a room besides, whose arrays it may use.
    """
    if len(pieces) == 1:
        yield read(pieces[0], {})
        return
    rooms: itertools.cycle[dict[str, np.ndarray]] = itertools.cycle(({}, {}))
    with ThreadPoolExecutor(1, thread_name_prefix="seriatim-read") as beside:
        reading: Future[_Piece] | None = None
        for one in pieces:
            ahead = beside.submit(read, one, next(rooms))
            if reading is not None:
                yield reading.result()
            reading = ahead
        if reading is not None:
            yield reading.result()
