"""How figures are written: rounded once, in one way, wherever they are shown."""

from __future__ import annotations


def written_figure(number: float | int | None, form: str = ".3f", *, nothing: str = "–") -> str:
    """Write a figure, or a dash where there is none; what is next to nothing has no sign.

    ``number`` is the figure as it was measured. One that was rounded before, as those in
    certificates are, may be written otherwise than the figure itself.

    >>> written_figure(0.04552), written_figure(-0.0001), written_figure(1200, ",d")
    ('0.046', '0.000', '1,200')
    """
    if number is None:
        return nothing
    return f"{number:z{form}}" if isinstance(number, float) else f"{number:{form}}"


CERTIFIED = 12
"""Digits behind the point of a measure in a certificate."""


def written_measure(number: float) -> str:
    """Write what was measured of groups, from the digits that certificates have of it.

    Whoever measures it, and whoever reads it in a certificate, then writes the same: a measure
    halfway between two figures falls to one side here and to the other there, otherwise.

    >>> written_measure(0.43574999999999997), written_measure(0.43575), written_measure(-1e-16)
    ('0.4358', '0.4358', '0')
    """
    return written_figure(round(float(number), CERTIFIED), ".4g")
