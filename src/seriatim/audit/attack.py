"""The audit: let readers read a series, and compare what they believe with the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from seriatim._typing import Table
from seriatim.audit.figures import ReleaseFinding
from seriatim.audit.findings import Findings
from seriatim.audit.measuring import Measured, counted_beliefs, measure_reader
from seriatim.audit.reader import Reader
from seriatim.errors import OrderError
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

    ``progress`` is told what is being done, before it is done; what it raises ends the audit.

    >>> from seriatim import Adversary, Retrospective, running_example
    >>> made = running_example()
    >>> reader = Adversary(made.prior, made.sequence)
    >>> readers = {"paper": reader, "retrospective": Retrospective(reader)}
    >>> print(audit(made.releases, made.views, readers, memberships=made.memberships))
    reader           gain  largest  log-loss  sure above .9  right  people ever
    paper           0.179    0.322      1.01          11.1%   100%        14.3%
    retrospective   0.358    0.403      0.82          22.2%   100%        14.3%
    """
    series = tuple(releases)
    named = _named(adversaries)
    if len(series) != len(originals) or not series:
        message = f"{len(series)} releases need as many originals, at least one of each."
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
    views = [roster for roster in rosters if isinstance(roster, View)]
    truth = views if len(views) == len(series) else None
    beliefs = {}
    for name, reader in named.items():
        progress(f"reading like the {name} reader")
        beliefs[name] = reader.read(series, members, truth)
    progress("measuring what was learned")
    counts = [
        counted_beliefs(release, membership)
        for release, membership in zip(series, members, strict=True)
    ]
    rows: list[ReleaseFinding] = []
    measured: dict[str, list[Measured]] = {}
    for name, reader in named.items():
        findings, measured[name] = measure_reader(
            name, reader, beliefs[name], series, rosters, members, counts
        )
        rows += findings
    return Findings(tuple(rows), beliefs, measured, rosters, series, members, named)


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
