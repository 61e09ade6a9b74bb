"""Numbers as people type them: plain digits, and nothing that only Python takes for a number.

Python reads ``1_0``, full-width digits, spaces, ``nan`` and ``1e999`` as numbers. Whoever typed
them meant something else, or could not tell which number it would become.
"""

from __future__ import annotations

import math
import re

_WHOLE = re.compile(r"[-+]?[0-9]{1,19}")
_LARGEST = 2**63 - 1
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def typed_whole(word: str) -> int | None:
    """Return a whole number of up to 64 bits; None for another word.

    >>> typed_whole("10"), typed_whole("1_0"), typed_whole("１０")
    (10, None, None)
    """
    number = int(word) if _WHOLE.fullmatch(word) else None
    return None if number is None or not -_LARGEST <= number <= _LARGEST else number


def typed_number(word: str) -> int | float | None:
    """Return a number, whole where it is written so; None for another word, and for no finite one.

    >>> typed_number("0.5"), typed_number("1e999"), typed_number("nan")
    (0.5, None, None)
    """
    whole = typed_whole(word)
    if whole is not None or not _NUMBER.fullmatch(word):
        return whole
    number = float(word)
    return number if math.isfinite(number) else None
