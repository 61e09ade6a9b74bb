"""Quotes in delimited texts: which cells they open, and whether they close.

A quote opens a cell only where the cell begins, two quotes inside are one, and a single one closes.
Any other quote is a letter, as in ``5" wound``. So what a run of adjacent quotes does depends on
its parity alone, and on whether a cell may begin at it:

    even                    nothing
    odd, a cell may begin   opens outside of quotes, closes inside
    odd, elsewhere          closes inside, is text outside

The state behind each run is then the parity of the runs of the second kind since the last one of
the third kind: whole arrays are scanned at once, piece by piece of a file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from seriatim._typing import BoolArray, ByteArray, IntArray

_QUOTE, _RETURN, _LINE_END = ord('"'), ord("\r"), ord("\n")
_FEWEST_COLUMNS = 3
_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Quotes:
    """What quotes do in a text; lines are counted from 1."""

    open_since: int | None = None
    """The line of the quote that is still open at the end."""

    torn_at: int | None = None
    """Where the first cell begins that spans lines and goes on behind its closing quote."""

    spanning: int = 0
    """Cells that span several lines."""

    longest: int = 0
    """Lines of the longest of them."""

    longest_at: int = 0
    """The line in which that one begins."""

    misplaced: int = 0
    """Quotes in the middle of cells, and closing quotes with text behind them."""

    spans: tuple[tuple[IntArray, IntArray], ...] = field(default=(), repr=False, compare=False)
    """Where cells begin that span lines, and how many lines each has; in parts of the text."""


def quotes_in(text: bytes, delimiter: str) -> Quotes:
    r"""Return what quotes do in a text.

    >>> quotes_in(b'id,size\n1,"5 cm\n2,none\n', ",").open_since
    2
    """
    return quotes_of([text], delimiter)


def quotes_of(pieces: Iterable[bytes], delimiter: str, header_lines: int = 0) -> Quotes:
    """Return what quotes do in a text that comes in pieces."""
    scan = QuoteScan(delimiter, header_lines)
    for piece in pieces:
        scan.feed(piece)
    return scan.finish()


class QuoteScan:
    """Goes through a text in pieces, and remembers what was open."""

    def __init__(self, delimiter: str, header_lines: int = 0) -> None:
        """Begin before the first letter; titles in the header may span lines untold."""
        self._header_lines = header_lines
        self._ends = np.zeros(256, np.bool_)
        self._ends[[ord(delimiter), _RETURN, _LINE_END]] = True
        self._found = Quotes()
        self._lines = 0
        self._before = _LINE_END
        self._begun = False
        self._held = b""
        # Of a cell that is open: the line where it was opened, and line ends in it so far.
        self._open_line: int | None = None
        self._open_ends = 0

    def feed(self, piece: bytes) -> None:
        """Go through one more piece."""
        text = self._held + piece if self._held else piece
        if not self._begun and text:
            self._begun, text = True, text.removeprefix(_MARK)
        # What a run of quotes or a return at the end means is told by what comes next. Only the
        # parity of such a run matters.
        self._held = b""
        if text.endswith(b'"'):
            kept = text.rstrip(b'"')
            self._held = b'""'[(len(text) - len(kept)) % 2 :]
            text = kept
        elif text.endswith(b"\r"):
            self._held, text = b"\r", text[:-1]
        self._scan(text)

    def finish(self) -> Quotes:
        """Return what was found, once the text has ended."""
        text, self._held = self._held, b""
        self._scan(text)
        return replace(self._found, open_since=self._open_line)

    def _scan(self, text: bytes) -> None:
        if not text:
            return
        letters = np.frombuffer(text, np.uint8)
        if self._open_line is not None or b'"' in text:
            self._scan_quotes(letters, _line_ends(letters))
        else:
            self._lines += _count_line_ends(text, letters)
        self._before = int(letters[-1])

    def _scan_quotes(self, letters: ByteArray, line_ends: IntArray) -> None:
        quotes = np.flatnonzero(letters == _QUOTE)
        if self._are_tidy(quotes, letters, line_ends):
            self._skip(quotes, line_ends)
        else:
            self._scan_runs(quotes, letters, line_ends)
        self._lines += len(line_ends)

    def _are_tidy(self, quotes: IntArray, letters: ByteArray, line_ends: IntArray) -> bool:
        """Tell whether quotes open and close by turns, about cells within lines.

        Mostly they do, and two adjacent quotes then close a cell and open it again.
        """
        carried = int(self._open_line is not None)
        opening, closing = quotes[carried::2], quotes[1 - carried :: 2]
        before = _letters_at(letters, opening - 1, self._before)
        behind = _letters_at(letters, closing + 1, _LINE_END)
        tidy = (self._ends[before] | (before == _QUOTE)).all()
        tidy = tidy and (self._ends[behind] | (behind == _QUOTE)).all()
        within = (np.searchsorted(quotes, line_ends) + carried) % 2
        return bool(tidy and not within.any() and not self._open_ends)

    def _skip(self, quotes: IntArray, line_ends: IntArray) -> None:
        """Go past quotes that are tidy; the last may open a cell that goes on."""
        is_open = (len(quotes) + (self._open_line is not None)) % 2
        if not is_open:
            self._open_line = None
        elif len(quotes):
            self._open_line = self._lines + 1 + int(np.searchsorted(line_ends, quotes[-1]))

    def _scan_runs(self, quotes: IntArray, letters: ByteArray, line_ends: IntArray) -> None:
        first, odd, after_run = _runs(quotes)
        carried = self._open_line is not None
        may_begin = self._ends[_letters_at(letters, first - 1, self._before)]
        inside = _inside_behind(odd & may_begin, odd & ~may_begin, carried=carried)
        was_inside = np.append(carried, inside[:-1])[: len(first)]
        opens = ~was_inside & may_begin
        closes = np.where(was_inside, ~inside, opens & ~inside)
        behind = self._ends[_letters_at(letters, after_run, _LINE_END)]
        literal = (after_run - first)[~was_inside & ~may_begin].sum()
        misplaced = self._found.misplaced + int(literal) + int((closes & ~behind).sum())
        self._found = replace(self._found, misplaced=misplaced)
        # The run that opened the cell each run lies in or ends; -1 for one from an earlier piece.
        opened_by = np.maximum.accumulate(np.where(opens, np.arange(len(first)), -1))
        self._count_spans(first, opened_by, inside, line_ends, torn=opened_by[closes & ~behind])

    def _count_spans(
        self,
        first: IntArray,
        opened_by: IntArray,
        inside: BoolArray,
        line_ends: IntArray,
        *,
        torn: IntArray,
    ) -> None:
        """Count line ends in the cells that are open; those of a piece's last cell may go on."""
        run = np.searchsorted(first, line_ends) - 1
        carried = self._open_line is not None
        within = np.append(inside, carried)[run]  # before the first run, at place -1
        opener = np.append(opened_by, -1)[run[within]]
        openers, counts = np.unique(opener, return_counts=True)
        if carried and not (len(openers) and openers[0] == -1):
            openers, counts = np.append(-1, openers), np.append(0, counts)
        if carried:
            counts[0] += self._open_ends
        still_open = opened_by[-1] if len(inside) and inside[-1] else None
        if not len(inside) and carried:
            still_open = -1
        starts = self._lines_of(first, openers, line_ends)
        was_line = 0 if self._open_line is None else self._open_line
        self._open_line, self._open_ends = None, 0
        if still_open is not None:
            at = np.array([still_open])
            opened = int(self._lines_of(first, at, line_ends)[0])
            self._open_line = was_line if still_open == -1 else opened
            here = openers == still_open
            self._open_ends = int(counts[here].sum())
            openers, counts, starts = openers[~here], counts[~here], starts[~here]
        starts = np.where(openers == -1, was_line, starts)
        spans = counts > 0
        openers, counts, starts = openers[spans], counts[spans], starts[spans]
        if len(counts):
            self._tell(openers, counts, starts, torn)

    def _lines_of(self, first: IntArray, openers: IntArray, line_ends: IntArray) -> IntArray:
        """Return the lines of some opening runs; of -1, any."""
        places = np.append(first, 0)[openers]
        return np.asarray(self._lines + 1 + np.searchsorted(line_ends, places))

    def _tell(self, openers: IntArray, counts: IntArray, starts: IntArray, torn: IntArray) -> None:
        found = self._found
        broken = np.isin(openers, torn)
        if found.torn_at is None and broken.any():
            found = replace(found, torn_at=int(starts[broken][0]))
        below = starts > self._header_lines
        counts, starts = counts[below], starts[below]
        if len(counts) and counts.max() + 1 > found.longest:
            worst = counts.argmax()
            found = replace(found, longest=int(counts[worst]) + 1, longest_at=int(starts[worst]))
        spans = (*found.spans, (starts, counts + 1)) if len(counts) else found.spans
        self._found = replace(found, spanning=found.spanning + len(counts), spans=spans)


def span_of_rows(
    pieces: Iterable[bytes], delimiter: str, n_columns: int, quotes: Quotes
) -> tuple[int, int] | None:
    r"""Return first line and number of lines of a cell that is made of rows; None if none is.

    A note of several lines has the delimiters of one row in all its lines together. Where a
    pair of stray quotes makes a cell of rows, each line has as many as a row: most of those
    below the first must have. A single one below must have, and the first too. In a table of
    two columns a note with a comma to a line is no different, and is let pass.

    >>> text = b'id,age,note\n1,51,"5 cm\n2,52,none\n3,53,7 cm"\n'
    >>> span_of_rows([text], ",", 3, quotes_in(text, ","))
    (2, 3)
    """
    if not quotes.spans or n_columns < _FEWEST_COLUMNS:
        return None
    starts, lengths = (np.concatenate(part) for part in zip(*quotes.spans, strict=True))
    like_rows = _lines_like_rows(pieces, delimiter, n_columns)
    up_to = np.append(0, np.cumsum(like_rows))
    last = np.minimum(starts + lengths - 1, len(like_rows))
    below = up_to[last] - up_to[np.minimum(starts, last)]
    most = 2 * below > lengths - 1
    single = lengths == 2
    suspect = most & (~single | like_rows[starts - 1])
    if not suspect.any():
        return None
    worst = np.flatnonzero(suspect)[lengths[suspect].argmax()]
    return int(starts[worst]), int(lengths[worst])


def _lines_like_rows(pieces: Iterable[bytes], delimiter: str, n_columns: int) -> BoolArray:
    """Tell of each line whether it has as many delimiters as a row, whatever quotes there are."""
    found: list[BoolArray] = []
    held = b""
    for number, piece in enumerate(pieces):
        text = held + piece
        text = text.removeprefix(_MARK) if number == 0 else text
        # Whether a return at the end of a piece ends a line is told by what comes next.
        letters = np.frombuffer(text.removesuffix(b"\r"), np.uint8)
        ends = _line_ends(letters)
        held = text[ends[-1] + 1 :] if len(ends) else text
        line = np.searchsorted(ends, np.flatnonzero(letters == ord(delimiter)))
        counts = np.bincount(line, minlength=len(ends))[: len(ends)]
        found.append(counts == n_columns - 1)
    found.append(np.array([held.count(delimiter.encode()) == n_columns - 1]))
    return np.concatenate(found)


def _letters_at(letters: ByteArray, places: IntArray, beyond: int) -> ByteArray:
    """Return the letters at rising places, and another for one before or behind them all."""
    found = np.take(letters, places, mode="clip")
    if len(places):
        found[0] = beyond if places[0] < 0 else found[0]
        found[-1] = beyond if places[-1] == len(letters) else found[-1]
    return found


def _runs(quotes: IntArray) -> tuple[IntArray, BoolArray, IntArray]:
    """Return where runs of quotes begin, whether each is odd, and where it has ended."""
    starts = np.flatnonzero(np.diff(quotes, prepend=-2) > 1)
    lengths = np.diff(starts, append=len(quotes))
    first = quotes[starts]
    return first, lengths % 2 == 1, first + lengths


def _inside_behind(swaps: BoolArray, closes: BoolArray, *, carried: bool) -> BoolArray:
    """Tell whether quotes are open behind each run."""
    turns = np.cumsum(swaps) + carried
    last_close = np.maximum.accumulate(np.where(closes, np.arange(len(swaps)), -1))
    since = np.where(last_close >= 0, turns[last_close], 0)
    return np.asarray((turns - since) % 2 == 1)


def _line_ends(letters: ByteArray) -> IntArray:
    """Return where lines end: at a line end, or a return that none follows."""
    ends = letters == _LINE_END
    returns = letters == _RETURN
    if returns.any():
        returns[:-1] &= ~ends[1:]
        ends |= returns
    return np.flatnonzero(ends)


def _count_line_ends(text: bytes, letters: ByteArray) -> int:
    ends = int(np.count_nonzero(letters == _LINE_END))
    return ends if b"\r" not in text else len(_line_ends(letters))
