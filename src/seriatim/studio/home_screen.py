"""Home: the studies and the tables of the folder."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from seriatim.errors import SeriatimError
from seriatim.report.words import promised
from seriatim.studio.folder import Folder
from seriatim.studio.pages import page, studio_of
from seriatim.studio.series import releases_out


@dataclass(frozen=True)
class StudyCard:
    """What the home screen tells of a study."""

    file: str
    """Its file, as the studio names it."""

    name: str
    """What the series is called."""

    promises: tuple[str, ...] = ()
    """What every release promises."""

    releases: int = 0
    """Releases that are out."""

    planned: int = 0
    """Releases that are planned."""

    mistake: str | None = None
    """Why it cannot be used."""


def show(request: Request) -> Response:
    """List what is in the folder."""
    folder = studio_of(request).folder
    cards = [_card(folder, name) for name in folder.studies()]
    return page(
        request,
        "home.html",
        title="Studies",
        study=None,
        screen="home",
        cards=cards,
        tables=folder.tables(),
    )


def _card(folder: Folder, name: str) -> StudyCard:
    try:
        study = folder.study(name)
    except SeriatimError as error:
        return StudyCard(name, name, mistake=str(error))
    promises = promised(study.policy.requirement)
    planned = study.declared.plan.releases
    return StudyCard(name, study.declared.name, promises, releases_out(study), planned)


ROUTES = (("GET", "/", show),)
