"""Scores: what a reader's beliefs are worth over many tuples, beside one who only counts."""

from __future__ import annotations

from dataclasses import dataclass

from seriatim._typing import FloatArray, IntArray
from seriatim.measure.disclosure import true_beliefs
from seriatim.measure.exposure import log_loss

_SURE = 0.9


@dataclass(frozen=True)
class Score:
    """Log-loss and calibration of a reader, which gain does not tell.

    >>> one = Score(10, 0.9, 1.0, sure_above_nine_tenths=0.2, sure_and_right=1.0)
    >>> two = Score(30, 1.3, 1.0, sure_above_nine_tenths=0.2, sure_and_right=0.5)
    >>> one.and_also(two)
    Score(40, log-loss 1.200 bit, counting 1.000, above 0.9: 0.200, of these right 0.625)
    """

    tuples: int
    """Tuples that the figures are over."""

    log_loss: float
    """Mean surprise at the truth, in bits."""

    log_loss_by_frequency: float
    """The same for one who only counts."""

    sure_above_nine_tenths: float
    """Share of tuples of which some value, true or not, is believed above 0.9."""

    sure_and_right: float | None
    """How many of those are right; None where there are none."""

    def __repr__(self) -> str:
        """Say it in figures."""
        right = "-" if self.sure_and_right is None else f"{self.sure_and_right:.3f}"
        return (
            f"Score({self.tuples}, log-loss {self.log_loss:.3f} bit, counting"
            f" {self.log_loss_by_frequency:.3f}, above 0.9: {self.sure_above_nine_tenths:.3f},"
            f" of these right {right})"
        )

    def and_also(self, more: Score) -> Score:
        """Return the score over the tuples of both."""
        tuples = self.tuples + more.tuples
        share = more.tuples / tuples if tuples else 0.0
        sure = _mixed(self.sure_above_nine_tenths, more.sure_above_nine_tenths, share)
        right = _mixed(self._right, more._right, share)
        return Score(
            tuples,
            _mixed(self.log_loss, more.log_loss, share),
            _mixed(self.log_loss_by_frequency, more.log_loss_by_frequency, share),
            sure,
            right / sure if sure else None,
        )

    @property
    def _right(self) -> float:
        """The share of all tuples of which the truth is believed above 0.9."""
        return self.sure_above_nine_tenths * (self.sure_and_right or 0.0)


def score(
    posterior: FloatArray,
    value_codes: IntArray,
    group_of: IntArray,
    *,
    published: IntArray | None = None,
) -> Score:
    """Return the score of beliefs (respondents, values), as ``exposure`` takes them.

    >>> import numpy as np
    >>> score(np.array([[0.95, 0.05], [0.4, 0.6]]), np.array([0, 1]), np.array([0, 0]))
    Score(2, log-loss 0.405 bit, counting 1.000, above 0.9: 0.500, of these right 1.000)
    """
    confidence, frequency = true_beliefs(posterior, value_codes, group_of, published)
    sure = posterior[group_of >= 0].max(axis=1, initial=0.0) > _SURE
    n_sure = int(sure.sum())
    # What is believed above 0.9 is believed most: it is right where the truth is believed so.
    right = int((confidence > _SURE).sum())
    return Score(
        len(sure),
        log_loss(confidence),
        log_loss(frequency),
        n_sure / len(sure) if len(sure) else 0.0,
        right / n_sure if n_sure else None,
    )


def _mixed(one: float, two: float, share: float) -> float:
    return (1.0 - share) * one + share * two
