"""Retrospective reading: later releases tell something about earlier values.

After the last release the reader goes back over the whole series. What each release says of
each respondent is revised in the light of the others, and every value is estimated again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from seriatim._typing import Instant, IntArray
from seriatim.errors import KnowledgeError
from seriatim.inference.adversary import Adversary
from seriatim.inference.filtering import Joint
from seriatim.inference.messages import pass_messages
from seriatim.inference.smoothing import read_through
from seriatim.knowledge.belief import Belief
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster
from seriatim.microdata.view import View

PASSES = 2
"""Passes over a series in which releases hear of each other, unless others are asked for."""


@dataclass(frozen=True, eq=False)
class Retrospective:
    """A reader who goes back: after the last release, every value is estimated again.

    Each release is weighed again in the light of all others, by the strongest rule that can be
    afforded, whatever the adversary concluded with when it came (``messages.py``). Tuples that are
    carried over are ordinary ones to it: only ``Worlds`` takes their values for the same.

    In the first release of the running example Alice's mammography was as likely positive as
    not. The second tells what it was, and so what Betty's was not, who did not come back:

    >>> from seriatim import running_example
    >>> made = running_example()
    >>> reader = Retrospective(Adversary(made.prior, made.sequence))
    >>> first, second = reader.read(made.releases, made.memberships)
    >>> first.of("MAM-pos").round(2).tolist()
    [0.94, 0.2, 0.0, 0.0]
    """

    adversary: Adversary
    """What it knows, and how it draws conclusions."""

    passes: int = PASSES
    """How often each release is weighed again in the light of all others; 0 leaves what it said
    when it came."""

    def __post_init__(self) -> None:
        """Refuse fewer than no passes."""
        if self.passes < 0:
            message = (
                f"A retrospective reader makes 0 passes or more over a series, not {self.passes}."
                f" {PASSES} are usual."
            )
            raise KnowledgeError(message)

    def read(
        self,
        releases: Sequence[Release],
        memberships: Sequence[Membership | Placement],
        originals: Sequence[View] | None = None,
    ) -> list[Belief]:
        """Return what is believed of each release after all of them."""
        return retrospect(self.adversary, releases, memberships, originals, passes=self.passes)

    def told(self, roster: Roster, at: Instant) -> IntArray:
        """Return the codes of the values that the reader was told; -1 for the others."""
        return self.adversary.told(roster, at)


def retrospect(
    adversary: Adversary,
    releases: Sequence[Release],
    memberships: Sequence[Membership | Placement],
    originals: Sequence[View] | None = None,
    *,
    passes: int = PASSES,
) -> list[Belief]:
    """Return what a reader believes of every release after having read all of them.

    The reader filters jointly, whatever the adversary's own way, and its memory stays
    untouched. Respondents whose tuple was not published keep what the filter expected.
    Knowledge that comes from the original views is used as it is after the last of them.
    """
    reader = replace(adversary, filtering=Joint())
    read = read_through(reader, releases, memberships, originals)
    if read.automaton is None:
        return [impression.posterior for _, impression in read.steps]
    messages = pass_messages(reader, read, releases, memberships, passes)
    return [Belief(table, releases[0].schema.sensitive.domain) for table in messages.believed()]
