"""The audit: let readers read a series, and compare what they believe with the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from seriatim._typing import Table
from seriatim.audit.bracket import Bracket, read_worlds
from seriatim.audit.figures import ReleaseFinding
from seriatim.audit.findings import Findings
from seriatim.audit.measuring import Measured, Target
from seriatim.audit.own_values import require_own_values
from seriatim.audit.reader import Reader
from seriatim.errors import OrderError
from seriatim.inference.worlds import Worlds
from seriatim.knowledge.belief import Belief
from seriatim.measure.differences import differences
from seriatim.microdata.history import History
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement, place
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import read_table
from seriatim.microdata.view import View


def audit(
    releases: History | Sequence[Release],
    originals: Sequence[Roster | Table],
    adversaries: Mapping[str, Reader] | Sequence[Reader],
    *,
    memberships: Sequence[Membership | Placement] | None = None,
    k: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Findings:
    """Attack a series of releases with several readers.

    ``originals`` has a view for each release, or a roster where only the respondents and
    their quasi-identifiers are known: then it can be said how sure a reader is, not how
    right. Tables are read with the releases' schema, as views where they have the sensitive
    column.

    ``memberships`` says who is in which group, as the custodian knows and the strongest
    reader is assumed to know. Left out, it is read off the regions; where they leave
    several groups possible, readers weigh all of them.

    ``k`` is how many people hide each other: beside the readers it is told who is separated by
    subtracting groups from fewer than so many (``differences``). The size of the smallest group
    if left out.

    ``progress`` is told what is being done, before it is done; what it raises ends the audit.

    >>> from seriatim import Adversary, Retrospective, running_example
    >>> made = running_example()
    >>> reader = Adversary(made.prior, made.sequence)
    >>> readers = {"paper": reader, "retrospective": Retrospective(reader)}
    >>> print(audit(made.releases, made.views, readers, memberships=made.memberships))
    reader           gain  largest  log-loss  counting  sure >.9  right  people ever
    paper           0.179    0.322      1.01      1.19     11.1%   100%        14.3%
    retrospective   0.547    0.764      0.62      1.19     44.4%   100%        28.6%  strongest
    """
    series = tuple(releases)
    named = _named(adversaries)
    if len(series) != len(originals) or not series:
        message = (
            f"{len(series)} releases need as many originals, at least one of each; there are"
            f" {len(originals)}."
        )
        raise OrderError(message)
    rosters = tuple(_opened(original, series) for original in originals)
    progress("finding who may be in which group")
    if memberships is None:
        members = tuple(
            place(roster, release) for roster, release in zip(rosters, series, strict=True)
        )
    else:
        members = tuple(memberships)
    _require_aligned(members, rosters)
    _require_somebody(members, series)
    require_own_values(series, members, rosters)
    target = Target(series, rosters, members)
    beliefs: dict[str, list[Belief]] = {}
    brackets: list[Bracket] = []
    for name, reader in named.items():
        progress(f"reading like the {name} reader")
        if isinstance(reader, Worlds):
            beliefs[name], bracket = read_worlds(name, reader, target)
            brackets.append(bracket)
        else:
            beliefs[name] = reader.read(series, members, target.truth)
    progress("measuring what was learned")
    rows: list[ReleaseFinding] = []
    measured: dict[str, list[Measured]] = {}
    for name, reader in named.items():
        findings, measured[name] = target.measure(name, reader, beliefs[name])
        rows += findings
    progress("subtracting groups from each other")
    separated = differences(
        series, members, k=_least_size(series) if k is None else k, originals=rosters
    )
    return Findings(
        tuple(rows),
        beliefs,
        measured,
        rosters,
        series,
        members,
        named,
        separated,
        tuple(brackets),
    )


def _least_size(releases: tuple[Release, ...]) -> int:
    """Return the size of the smallest group, at least 2: nobody hides alone."""
    return max(2, min(int(release.sizes.min(initial=len(release))) for release in releases))


def _named(adversaries: Mapping[str, Reader] | Sequence[Reader]) -> dict[str, Reader]:
    named = (
        dict(adversaries)
        if isinstance(adversaries, Mapping)
        else {f"reader {number}": one for number, one in enumerate(adversaries, start=1)}
    )
    if not named:
        message = "An audit needs at least one reader, such as {'paper': Adversary(...)}."
        raise OrderError(message)
    return named


def _opened(original: Roster | Table, series: tuple[Release, ...]) -> Roster:
    if isinstance(original, Roster):
        return original
    schema: Schema = series[0].schema
    columns = read_table(original)
    kind = View if schema.sensitive.name in columns.names else Roster
    return kind.from_table(columns, schema)


def _require_aligned(
    memberships: tuple[Membership | Placement, ...], rosters: tuple[Roster, ...]
) -> None:
    """Refuse memberships of other people than the originals'."""
    same = len(memberships) == len(rosters) and all(
        membership.roster.respondents.equals(roster.respondents)
        for membership, roster in zip(memberships, rosters, strict=True)
    )
    if not same:
        message = (
            "Each release needs a membership over the respondents of its original, and these are"
            " others, or there are more or fewer. Pass those that were made with the releases."
        )
        raise OrderError(message)


def _require_somebody(
    memberships: tuple[Membership | Placement, ...], releases: tuple[Release, ...]
) -> None:
    """Refuse releases that none of the respondents can be in."""
    for membership, release in zip(memberships, releases, strict=True):
        if not membership.published.any():
            message = (
                f"None of the {len(membership.roster)} respondents fits any of the"
                f" {release.n_groups} groups of the release at {release.at!r}. Are these its"
                " originals, and are the cells intervals, sets, masks or nodes? Means, as"
                " microaggregation leaves them, name no region."
            )
            raise OrderError(message)
