"""What every screen needs: the studio's parts, forms, and how a page is written."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from seriatim._figures import written_figure
from seriatim._version import __version__
from seriatim.publish.study import Study
from seriatim.studio.desk import Desk
from seriatim.studio.folder import Folder
from seriatim.studio.forms import Form
from seriatim.studio.jobs import Job, Jobs
from seriatim.studio.security import Session

SCREENS = (
    ("study", "Study"),
    ("rehearse", "Rehearse"),
    ("publish", "Publish"),
    ("history", "History"),
    ("audit", "Audit"),
    ("follow", "Follow"),
    ("report", "Report"),
)
"""The screens of a study, in the order of the work."""


@dataclass(frozen=True, eq=False)
class Studio:
    """Everything that the screens share."""

    folder: Folder
    """Where it works."""

    session: Session
    """Who may ask."""

    jobs: Jobs = field(default_factory=Jobs)
    """What runs in the background."""

    desk: Desk = field(default_factory=Desk)
    """What lies open."""


def studio_of(request: Request) -> Studio:
    """Return the studio that a request is made to."""
    found: Studio = request.app.state.studio
    return found


def form_of(request: Request) -> Form:
    """Return the form of a request; the gate has read and checked it."""
    return Form(request.state.form)


def study_name(request: Request) -> str:
    """Return the study that an address names."""
    return str(request.query_params.get("study", "study.toml"))


def open_study(request: Request) -> tuple[str, Study]:
    """Return the study that an address names, and its name."""
    name = study_name(request)
    studio = studio_of(request)
    study = studio.folder.study(name)
    return studio.folder.name_of(study.path), study


def address(screen: str, **query: str) -> str:
    """Return the address of a screen."""
    return f"/{screen}?{urlencode(query)}" if query else f"/{screen}"


def go_to(screen: str, **query: str) -> Response:
    """Send the browser to a screen after something was done."""
    return RedirectResponse(address(screen, **query), status_code=303)


def page(
    request: Request, template: str, *, status: int = 200, headers: Any = None, **context: Any
) -> Response:
    """Write a page, or a part of one."""
    studio = studio_of(request)
    shared = {
        "csrf": studio.session.csrf,
        "folder": str(studio.folder.root),
        "version": __version__,
        "screens": SCREENS,
        "busy": studio.jobs.active,
    }
    content = _ENVIRONMENT.get_template(template).render(shared | context)
    return HTMLResponse(content, status_code=status, headers=headers)


def job_context(job: Job | None, screen: str, study: str) -> dict[str, Any]:
    """Return what a page needs to show work under way."""
    return {"job": job, "job_page": address(screen, study=study), "then": screen}


def waiting_page(request: Request, study: str, screen: str, title: str) -> Response | None:
    """Return a page that waits for work that has the study's store; None where there is none."""
    job = next(
        (
            one
            for one in studio_of(request).jobs.active
            if one.study == study and one.kind in ("preview", "publish")
        ),
        None,
    )
    if job is None:
        return None
    context: dict[str, Any] = {"title": title, "study": study, "screen": screen}
    return page(request, "waiting.html", **(context | job_context(job, screen, study)))


def _figure(number: float | None, digits: int = 3) -> str:
    """Write a figure, or a dash where there is none."""
    return written_figure(number, f".{digits}f")


def _share(number: float | None, digits: int = 0) -> str:
    return "–" if number is None else f"{number:.{digits}%}".replace("%", " %")


def _bytes(size: int) -> str:
    amount = float(size)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def _lines(text: str) -> Markup:
    """Keep the lines of a message."""
    return Markup("<br>").join(escape(line) for line in text.splitlines())


def _spec(chart: Any) -> str:
    return json.dumps(chart, separators=(",", ":"), default=str)


_ENVIRONMENT = Environment(
    loader=PackageLoader("seriatim.studio"),
    autoescape=select_autoescape(default=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters |= {
    "figure": _figure,
    "share": _share,
    "bytes": _bytes,
    "lines": _lines,
    "spec": _spec,
    "quoted": lambda text: quote(str(text), safe=""),
    "count": lambda number: f"{number:,}",
}
_ENVIRONMENT.globals |= {"address": address}
