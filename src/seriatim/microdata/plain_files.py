"""Plain files of delimited cells, read by compiled loops on all cores.

Most files are plain: UTF-8, lines that end alike and have as many cells, quotes about whole cells
if anywhere. What is not, is left to Arrow, which knows every form and says what is wrong. Few
rows are left to it as well: loading the compiler would take longer.
"""

from __future__ import annotations

import itertools
import mmap
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from seriatim._typing import ByteArray
from seriatim.microdata.letters import MANY

_STRETCH = 2**19
_SAMPLE = 2**16
_BEYOND = 64
_RETURN, _LINE_END = b"\r", b"\n"


@dataclass(frozen=True, eq=False)
class PlainFile:
    """The lines below the header of a file that may be plain, in stretches of whole lines."""

    stretches: tuple[tuple[ByteArray, int, int], ...]
    """Letters, and where lines begin and end among them; behind them are 64 letters more."""

    delimiter: int
    """What stands between cells."""

    returns: bool
    """Whether lines end with a return and a line end."""

    n_columns: int
    """Cells of a line."""

    def each(self, work: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a kernel with each stretch and its arguments, on all cores."""
        from seriatim.kernels._jit import calls

        form = (self.delimiter, self.returns)
        pairs = zip(self.stretches, arguments, strict=True)
        return calls(work, [(*stretch, *form, *given) for stretch, given in pairs])

    def first_lines(self, count: int) -> PlainFile:
        """Return some of the first lines, so far as the first stretch has them."""
        letters, start, stop = self.stretches[0]
        few = letters[start : min(stop, start + _SAMPLE)]
        ends = np.flatnonzero(few == _LINE_END[0])[:count]
        end = start + int(ends[-1]) + 1 if len(ends) else stop
        return PlainFile(((letters, start, end),), self.delimiter, self.returns, self.n_columns)


def open_plain(
    file: Path, *, header_lines: int, delimiter: str, n_columns: int
) -> PlainFile | None:
    """Open a file that may be plain; None where it is not, or has few rows."""
    if n_columns < 2 or sys.byteorder != "little":  # of one column, empty lines are no rows
        return None
    with file.open("rb") as stream:
        text = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    begin = _below(text, header_lines)
    if begin is None:
        return None
    few = text[begin : begin + _SAMPLE]
    if few.count(_LINE_END) * (len(text) - begin) < MANY * len(few) or not few:
        return None
    returns = few[few.find(_LINE_END) - 1 :].startswith(_RETURN)
    last = max(text.rfind(_LINE_END, begin, len(text) - _BEYOND) + 1, begin)
    end = _ended(text[last:], returns=returns)
    if end is None:
        return None
    letters = np.frombuffer(text, np.uint8)
    bounds = [begin, *_line_begins(text, begin, last)]
    stretches = [(letters, *pair) for pair in itertools.pairwise(bounds)]
    tail = np.frombuffer(end + bytes(_BEYOND), np.uint8)
    return PlainFile((*stretches, (tail, 0, len(end))), ord(delimiter), returns, n_columns)


def _below(text: mmap.mmap, header_lines: int) -> int | None:
    """Return where the lines below the header begin; None where its own end otherwise."""
    begin = 0
    for _ in range(header_lines):
        begin = text.find(_LINE_END, begin) + 1
        if not begin:
            return None
    header = text[:begin]
    alone = header.count(_RETURN) != header.count(_RETURN + _LINE_END)
    return None if alone else begin


def _line_begins(text: mmap.mmap, begin: int, last: int) -> list[int]:
    """Return where stretches of lines end, the last at a place where a line begins."""
    ends: list[int] = []
    for place in range(begin + _STRETCH, last, _STRETCH):
        end = text.find(_LINE_END, place, min(last, place + _SAMPLE)) + 1
        if end and (not ends or end > ends[-1]):
            ends.append(end)
    return [*(end for end in ends if end < last), last] if last > begin else []


def _ended(last: bytes, *, returns: bool) -> bytes | None:
    """Return the last lines with the end that a last one may lack; None where that is open."""
    if len(last) > _SAMPLE or last.endswith(_RETURN):
        return None
    if not last or last.endswith(_LINE_END):
        return last
    return last + (_RETURN + _LINE_END if returns else _LINE_END)
