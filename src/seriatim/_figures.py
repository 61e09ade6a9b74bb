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
