"""Work under way: how far it is, and calling it off."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from seriatim.studio.jobs import Job
from seriatim.studio.pages import SCREENS, go_to, job_context, page, studio_of

_SCREEN_OF = {"preview": "publish"}
"""The screen that shows a kind of work, where it is not called the same."""


def show(request: Request) -> Response:
    """Show how far work is; once it has ended, the screen that shows what came of it."""
    job = _job(request)
    then = request.query_params.get("then", "")
    screen = then if then in dict(SCREENS) else _SCREEN_OF.get(job.kind, job.kind)
    return page(request, "parts/job.html", **job_context(job, screen, job.study), ended=True)


def cancel(request: Request) -> Response:
    """Call work off."""
    job = _job(request)
    job.cancel()
    return go_to(_SCREEN_OF.get(job.kind, job.kind), study=job.study)


def _job(request: Request) -> Job:
    job = studio_of(request).jobs.get(request.path_params["number"])
    if job is None:
        raise HTTPException(404)
    return job


ROUTES = (("GET", "/jobs/{number}", show), ("POST", "/jobs/{number}/cancel", cancel))
