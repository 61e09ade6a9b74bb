"""How values are written inside intervals and sets, and read back.

Values are joined by commas between brackets or braces. A value that would be
mistaken for several, or for a bracketed part, is put in double quotes, as in CSV.
"""

from __future__ import annotations

import csv

_SPECIAL = frozenset(',"{}[]*\n\r')


def written(value: object) -> str:
    """Write a value so that it can be told apart from its neighbours.

    >>> written("F"), written("Rovereto, TN")
    ('F', '"Rovereto, TN"')
    """
    text = str(value)
    plain = text and text == text.strip() and not _SPECIAL & set(text)
    return text if plain else '"' + text.replace('"', '""') + '"'


def read_words(text: str) -> list[str]:
    """Read the values between commas.

    >>> read_words('F, "Rovereto, TN"')
    ['F', 'Rovereto, TN']
    """
    try:
        return next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error:
        return [text]
