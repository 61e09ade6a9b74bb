"""Publish: what a release would be, before and after side by side; then making it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from seriatim.errors import StudyError
from seriatim.measure.singling_out import told
from seriatim.publish.press import STEPS, Press, Printed
from seriatim.publish.study import Study
from seriatim.report.words import listing_told, promised
from seriatim.studio.commands import command
from seriatim.studio.folder import Found
from seriatim.studio.forms import Form
from seriatim.studio.jobs import Job, Jobs
from seriatim.studio.pages import form_of, go_to, job_context, open_study, page, studio_of
from seriatim.studio.preview import shown_groups
from seriatim.studio.series import likely_views, releases_out

_PATIENCE = 20.0
"""Seconds to wait while a command has the store."""


def show(request: Request) -> Response:
    """Show which view may come next, and what a preview or a publish came to."""
    return _page(request)


def act(request: Request) -> Response:
    """Start a preview, or publish."""
    name, study = open_study(request)
    form = form_of(request)
    views = form.all("view")
    if not views:
        message = "No view was chosen. Choose the table that is to be published."
        raise StudyError(message)
    paths = [studio_of(request).folder.inside(view) for view in views]
    at, again = form.one("at") or None, bool(form.one("again"))
    dry = form.one("action") != "publish"
    seen = form.one("number")
    if not dry and seen and seen != str(releases_out(study) + 1):
        message = (
            f"Release {seen} was published meanwhile, in another tab or at the command line."
            " What you saw is no longer what would come of this view: preview it again."
        )
        raise StudyError(message)
    told = command("publish", *views, study=name, at=at, again=again, dry_run=dry)

    def work(job: Job) -> dict[str, Any]:
        with Press(study, wait=_PATIENCE, progress=job.tell, only_look=dry) as press:
            instant = press.instant(at)
            made = (press.preview if dry else press.publish)(paths, at=instant, again=again)
        return {"printed": made, "views": views, "at": at or "", "again": again}

    jobs = studio_of(request).jobs
    jobs.start(
        "preview" if dry else "publish",
        name,
        work,
        command=told,
        total=2 if dry else len(STEPS),
        # From here on a release may exist, and nothing must be told to be called off.
        binding="committing the store",
    )
    return go_to("publish", study=name)


def originals(request: Request) -> Response:
    """Show some original rows of the groups of a preview; only ever asked for by its switch."""
    return _page(request, show_originals=form_of(request).one("show") == "yes")


def forget(request: Request) -> Response:
    """Put a preview away."""
    name, _ = open_study(request)
    studio_of(request).jobs.dismiss(name, "preview", "publish")
    return go_to("publish", study=name)


def _page(request: Request, *, show_originals: bool = False) -> Response:
    name, study = open_study(request)
    studio = studio_of(request)
    job = studio.jobs.latest(name, "preview", "publish")
    result = job.result if job is not None and job.state == "done" else None
    tables = likely_views(studio.folder, study)
    context: dict[str, Any] = {
        "title": "Publish",
        "study": name,
        "screen": "publish",
        "tables": tables,
        "plan": study.plan,
        "result": None,
        "pool": study.policy.pool,
        "chosen": _chosen(_next(tables, studio.jobs, name, study.policy.pool)),
        "show_originals": show_originals,
    }
    context |= job_context(job, "publish", name)
    if result is not None and job is not None:
        printed: Printed = result["printed"]
        context["result"] = {
            "printed": printed,
            "dry": job.kind == "preview",
            "views": result["views"],
            "at": result["at"],
            "again": result["again"],
            "certificate": printed.certificate,
            "findings": _findings(study, printed),
            "groups": shown_groups(printed, show_originals=show_originals),
            "columns": _columns(study),
            "watched": printed.watched if study.plan.releases > 1 else None,
            "near": printed.watched is not None and printed.watched.near(study.plan),
            "dropped": printed.taken.dropped_rows,
            "listing": listing_told(printed.certificate),
            "singled_out": told(
                printed.certificate["singled out"],
                printed.certificate["allowed though nearly unique"],
            ),
        }
        if job.kind == "preview":
            context["chosen"] = _chosen(result["views"], result["at"])
    return page(request, "publish.html", **context)


def _chosen(views: Sequence[str], at: str = "") -> Form:
    """Return the form with these tables in it."""
    return Form([*(("view", view) for view in views), ("at", at)])


def _next(tables: list[Found], jobs: Jobs, study: str, many: int) -> list[str]:
    """Return the tables after those that were published last; none where these are not known."""
    job = jobs.latest(study, "publish")
    if job is None or job.state != "done":
        return []
    names, last = [one.name for one in tables], job.result["views"][-1]
    place = names.index(last) + 1 if last in names else 0
    return names[place : place + many]


def _findings(study: Study, printed: Printed) -> list[str]:
    """Say what was found of each promise, in the words of the other screens."""
    found = printed.publication.verdict.findings
    words = promised(study.policy.requirement)
    if len(words) != len(found):
        # The study was changed since, as text: its words are about another policy.
        return [str(one) for one in found]
    return [str(replace(one, requirement=word)) for one, word in zip(found, words, strict=True)]


def _columns(study: Study) -> list[str]:
    schema = study.schema
    return [*schema.quasi_identifier_names, schema.sensitive.name]


ROUTES = (
    ("GET", "/publish", show),
    ("POST", "/publish", act),
    ("GET", "/publish/preview", show),
    ("POST", "/publish/preview", originals),
    ("POST", "/publish/forget", forget),
)
