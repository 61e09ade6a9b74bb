"""Report: the series in one page that can be handed on, with what the audit found."""

from __future__ import annotations

import datetime as dt
import html
import re
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from seriatim.audit.findings import Findings
from seriatim.errors import StudyError
from seriatim.inference.readers import BY_NAME
from seriatim.publish.study import Study
from seriatim.report.account import Case
from seriatim.report.of_study import account_of_study
from seriatim.report.writing import key_figures_of, write_page
from seriatim.studio.commands import command
from seriatim.studio.jobs import Job
from seriatim.studio.pages import (
    go_to,
    job_context,
    open_study,
    page,
    studio_of,
    waiting_page,
)
from seriatim.studio.series import releases_out

_FILE = "report.html"
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]+)"')


def show(request: Request) -> Response:
    """Show whether there is a report, and what goes into a new one."""
    name, study = open_study(request)
    if waiting := waiting_page(request, name, "report", "Report"):
        return waiting
    job = studio_of(request).jobs.latest(name, "report")
    return page(
        request,
        "report.html",
        title="Report",
        study=name,
        screen="report",
        out=releases_out(study),
        audited=_audited(request, name) is not None,
        there=(study.folder / _FILE).is_file(),
        figures=job.result if job is not None and job.state == "done" else None,
        command=_command(request, name),
        **job_context(job, "report", name),
    )


def act(request: Request) -> Response:
    """Write the report of the series, with the last audit where there is one."""
    name, study = open_study(request)
    audited = _audited(request, name)
    findings: Findings | None = None if audited is None else audited["findings"]
    cases: tuple[Case, ...] = () if audited is None else audited["cases"]
    alone = "releases" if audited is not None and audited["alone"] else None

    def work(job: Job) -> dict[str, Any]:
        job.tell("writing the page")
        account = account_of_study(study, findings, cases, sequence=alone)
        write_page(account, study.folder / _FILE, made_on=dt.datetime.now(dt.UTC).date())
        return key_figures_of(account)

    told = _command(request, name)
    studio_of(request).jobs.start("report", name, work, command=told, total=2)
    return go_to("report", study=name)


def written(request: Request) -> Response:
    """Show the report itself, cut off from the studio: it is a page of its own."""
    _, study = open_study(request)
    content = _read(study)
    found = _POLICY.search(content)
    if found is None:
        message = f"{_FILE} was not written by seriatim. Write the report anew."
        raise StudyError(message)
    policy = (
        f"{html.unescape(found.group(1))}; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'; sandbox allow-scripts allow-downloads"
    )
    return HTMLResponse(content, headers={"Content-Security-Policy": policy})


def _read(study: Study) -> str:
    try:
        return (study.folder / _FILE).read_text(encoding="utf-8")
    except OSError:
        message = "There is no report of this study yet. Write one first."
        raise StudyError(message) from None


def _command(request: Request, name: str) -> str:
    """Return the command that writes the same report; what an audit found needs the views."""
    audited = _audited(request, name)
    if audited is None:
        return command("report", study=name)
    readers = () if audited["readers"] == tuple(BY_NAME) else audited["readers"]
    views = [view for _, view in audited["form"]]
    alone = "releases" if audited["alone"] else None
    return command("report", study=name, original=views, reader=readers, sequence=alone)


def _audited(request: Request, name: str) -> dict[str, Any] | None:
    """Return what came of the last audit of all releases; None where there is none."""
    job = studio_of(request).jobs.latest(name, "audit")
    if job is None or job.state != "done":
        return None
    audited: dict[str, Any] = job.result
    _, study = open_study(request)
    instants = {row.at for row in audited["findings"].rows}
    return audited if len(instants) == releases_out(study) else None


ROUTES = (
    ("GET", "/report", show),
    ("POST", "/report", act),
    ("GET", "/report/page", written),
)
