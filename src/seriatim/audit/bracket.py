"""The bracket of an audit: what worlds told who did not know the truth, and what is to be known.

A reader of worlds has to find some that fit. Chains that begin with the truth need not, so they
show what the tables determine at most, for a reader with unlimited computing or a better search:
at most, because chains may stay near the truth though other worlds, far from it, are as likely.
What is to be known lies between the two; where they are far apart, a later reader may find what
this one did not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from seriatim._figures import written_figure
from seriatim.audit.figures import SeriesFinding
from seriatim.audit.measuring import Target
from seriatim.inference.linkability import Linkability
from seriatim.inference.worlds import SETTLED, Worlds
from seriatim.knowledge.belief import Belief

_ALIKE = 0.02
"""Log-losses no farther apart than this, in bits, or than settled families, say the same."""


@dataclass(frozen=True)
class Bracket:
    """How sure a reader of worlds is of itself, what is to be known, and which rows are linked."""

    reader: str
    """The reader's name."""

    apart: float | None
    """How far families of its chains lie apart: the mean total variation distance of beliefs."""

    linkability: Linkability
    """How surely rows are linked to rows of the next release."""

    found: SeriesFinding
    """What it found, as among the readers."""

    gain_apart: float | None = None
    """How far the mean gains of the families lie apart."""

    log_loss_apart: float | None = None
    """The same for log-losses, in bits."""

    ever_apart: float | None = None
    """The same for the shares of people ever known above 0.9."""

    determined: SeriesFinding | None = None
    """What chains from the truth make believe; None without originals."""

    @property
    def has_settled(self) -> bool:
        """Whether families of chains, begun apart, came to the same."""
        return self.apart is not None and self.apart <= SETTLED

    def __str__(self) -> str:
        """Tell it."""
        return " ".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """What there is to tell, a sentence or two each."""
        told = [self._of_settling]
        if self.determined is not None:
            told.append(self._of_what_is_determined)
        link = self.linkability
        told.append(
            "How surely rows are linked across releases: a row and the likeliest row of the next"
            f" release are believed to be one person's with {link.mean:.2f} on the mean, above .9"
            f" for {link.above_nine_tenths:.1%} of {link.rows:,} rows."
        )
        return tuple(told)

    @property
    def _of_what_is_determined(self) -> str:
        assert self.determined is not None
        found = f"it found {_people(self.found)}"
        least, reached = self.determined.log_loss, self.found.log_loss
        if least is None or reached is None:
            return f"{found[0].upper()}{found[1:]}."
        spread = self.log_loss_apart if self.has_settled else None
        if reached - least <= max(_ALIKE, spread or 0.0):
            return (
                "The tables determine no more, for a reader who knows the same and has unlimited"
                f" computing, than {found}."
            )
        return (
            "The tables determine at most, for a reader who knows the same and has unlimited"
            f" computing: {_people(self.determined)}; {found}."
        )

    @property
    def _of_settling(self) -> str:
        if self.apart is None:
            return f"{self.reader}: a single chain cannot tell whether it has settled."
        if self.has_settled:
            verdict = f"has settled: chains begun apart agree (beliefs {self.apart:.2f} apart"
        else:
            verdict = (
                f"has not settled: chains begun apart disagree (beliefs {self.apart:.2f} apart"
            )
        if self.gain_apart is not None:
            verdict += f", gain {self.gain_apart:.3f}, log-loss {self.log_loss_apart:.2f}"
        rest = "" if self.has_settled else " More sweeps may find more."
        return f"{self.reader} {verdict}).{rest}"


def read_worlds(name: str, reader: Worlds, target: Target) -> tuple[list[Belief], Bracket]:
    """Return what a reader of worlds believes, and how sure of that it may be."""

    def figures(beliefs: list[Belief]) -> SeriesFinding:
        return target.measure_series(name, reader, beliefs)

    series = target.releases, target.memberships, target.truth
    weighed = reader.weigh(*series)
    beliefs = weighed.of_series()
    bracket = Bracket(name, weighed.disagreement, weighed.linkability, figures(beliefs))
    if target.truth is None:
        return beliefs, bracket
    families = [figures(one) for one in weighed.by_family()]
    determined = reader.weigh(*series, from_truth=True).of_series()
    return beliefs, replace(
        bracket,
        gain_apart=_range([one.gain for one in families]),
        log_loss_apart=_range([one.log_loss for one in families]),
        ever_apart=_range([one.ever_above_nine_tenths for one in families]),
        determined=figures(determined),
    )


def _range(figures: Sequence[float | None]) -> float | None:
    known = [one for one in figures if one is not None]
    return max(known) - min(known) if len(known) > 1 else None


def _people(found: SeriesFinding) -> str:
    return (
        f"gain {written_figure(found.gain, '.3f')}, log-loss"
        f" {written_figure(found.log_loss, '.2f')},"
        f" {written_figure(found.ever_above_nine_tenths, '.1%')} of people ever above .9"
    )
