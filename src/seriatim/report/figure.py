"""A figure: a chart by day and by night, what it says in words, and its numbers as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from seriatim._figures import written_figure
from seriatim.report.charts import DARK, LIGHT, Ink, Spec, inked

_WIDTH_OF_PICTURES = 720


@dataclass(frozen=True)
class Figure:
    """A chart with everything that stands beside it."""

    name: str
    """Its name in the page and in files."""

    title: str
    """What it shows."""

    says: str
    """What can be seen in it, for those who cannot."""

    light: Spec
    """The chart by day, and in print."""

    dark: Spec
    """The chart by night."""

    columns: tuple[str, ...]
    """The heads of its table."""

    rows: tuple[tuple[str, ...], ...]
    """Its numbers."""

    @property
    def picture(self) -> Spec:
        """The chart as a picture that stands alone."""
        return {
            **self.light,
            "background": "white",
            "width": _WIDTH_OF_PICTURES,
            "title": {"text": self.title, "anchor": "start", "fontSize": 15, "offset": 12},
            "padding": 16,
        }


def figure(
    name: str,
    title: str,
    says: str,
    draw: Callable[[Ink], Spec],
    table: tuple[Sequence[str], Sequence[Sequence[str]]],
) -> Figure:
    """Return a figure whose chart is drawn in both lights."""
    columns, rows = table
    return Figure(
        name,
        title,
        says,
        inked(draw(LIGHT), LIGHT),
        inked(draw(DARK), DARK),
        tuple(columns),
        tuple(map(tuple, rows)),
    )


def number(figure: float | None, form: str = ".3f") -> str:
    """Write a figure, or a dash where there is none; what is next to nothing has no sign.

    >>> number(-0.0001), number(None), number(0.125, ".1%")
    ('0.000', '–', '12.5%')
    """
    return written_figure(figure, form)
