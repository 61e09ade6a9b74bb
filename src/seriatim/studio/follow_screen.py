"""Follow: what a reader believes of one respondent, whom the custodian asks for.

The id comes by a form, never in an address; it is used to find a row, and is not kept.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from seriatim.audit.attack import audit
from seriatim.audit.findings import Findings
from seriatim.audit.follow import Course, follow
from seriatim.errors import StudyError
from seriatim.inference.readers import READERS, named_readers
from seriatim.studio.audit_screen import MEANING
from seriatim.studio.commands import command
from seriatim.studio.jobs import Job
from seriatim.studio.pages import (
    form_of,
    go_to,
    job_context,
    open_study,
    page,
    studio_of,
    waiting_page,
)
from seriatim.studio.series import audit_words, likely_views, open_series, pairs, require_chosen

_SHOWN = 6
"""Values that a bar chart of beliefs shows; the others are summed up."""


def show(request: Request) -> Response:
    """Ask whom to follow, and show what came of it."""
    name, study = open_study(request)
    if waiting := waiting_page(request, name, "follow", "Follow one respondent"):
        return waiting
    studio = studio_of(request)
    job = studio.jobs.latest(name, "follow")
    result = job.result if job is not None and job.state == "done" else None
    tables = likely_views(studio.folder, study)
    return page(
        request,
        "follow.html",
        title="Follow one respondent",
        study=name,
        screen="follow",
        readers=[(one, MEANING[one]) for one in READERS if one != "snapshot"],
        strongest=_strongest(studio.jobs.latest(name, "audit")),
        tables=tables,
        pairs=pairs(study, tables),
        respondent=study.declared.columns.respondent,
        result=None if result is None else result | {"frames": _frames(result["course"])},
        **job_context(job, "follow", name),
    )


def act(request: Request) -> Response:
    """Follow someone: the one whose id was typed, or the one most at risk."""
    name, study = open_study(request)
    folder = studio_of(request).folder
    form = form_of(request)
    wanted = form.one("respondent")
    by_risk = form.one("whom") == "risk"
    reader = form.one("reader") or READERS[-1]
    if not wanted and not by_risk:
        message = "Nobody was named. Type the id of a respondent, or choose the one most at risk."
        raise StudyError(message)
    readers = named_readers([reader], study.adversary)
    chosen = pairs(study, likely_views(folder, study), form)
    require_chosen(chosen)
    words, options = audit_words(study, name, chosen)

    def work(job: Job) -> dict[str, Any]:
        job.tell("reading releases and originals")
        history, originals = open_series(study, folder, chosen)
        findings = audit(history, originals, readers, progress=job.tell)
        job.total = 5 + len(chosen)
        someone = _most_at_risk(findings, reader) if by_risk else wanted
        course = follow(findings, reader, someone, progress=job.tell)
        return {"course": course, "by_risk": by_risk}

    studio = studio_of(request)
    studio.jobs.dismiss(name, "follow")
    told = command("audit", *words, study=name, reader=[reader], follow=not by_risk, **options)
    studio.jobs.start("follow", name, work, command=told, total=5 + len(chosen))
    return go_to("follow", study=name)


def forget(request: Request) -> Response:
    """Put away what was shown."""
    name, _ = open_study(request)
    studio_of(request).jobs.dismiss(name, "follow")
    return go_to("follow", study=name)


def _strongest(audited: Job | None) -> str:
    """Return the strongest reader of the last audit; without one, the last by name."""
    if audited is None or audited.state != "done":
        return READERS[-1]
    findings: Findings = audited.result["findings"]
    return findings.strongest or READERS[-1]


def _most_at_risk(findings: Findings, reader: str) -> Any:
    # An audit that places nobody is refused, so there is someone.
    return findings.respondent(findings.at_risk(reader, 1)[0])


def _frames(course: Course) -> list[dict[str, Any]]:
    """Return what is shown of each release: bars of beliefs, and what releases contributed."""
    codes = range(len(course.domain))
    totals = [max(sight.beliefs[code] for sight in course.sights) for code in codes]
    true = {course.domain.index(sight.value) for sight in course.sights}
    order = sorted(codes, key=lambda code: (code not in true, -totals[code]))
    shown = sorted(order[: max(_SHOWN, len(true))])
    return [
        {
            "at": sight.at,
            "value": sight.value,
            "is_true": sight.is_true,
            "belief": sight.belief,
            "counted": sight.counted[course.domain.index(sight.value)],
            "bars": [
                (course.domain[code], sight.beliefs[code], sight.counted[code]) for code in shown
            ],
            "rest": sum(one for code, one in enumerate(sight.beliefs) if code not in shown),
            "steps": _steps(sight.explanation),
        }
        for sight in course.sights
    ]


def _steps(explanation: Any) -> list[dict[str, Any]]:
    """Return what each release contributed to a belief."""
    weighing = explanation.weighing
    steps = []
    for place, step in enumerate(explanation.appearances):
        without = None if weighing is None else weighing.without[place]
        lines = [] if weighing is None else weighing.lines(place, explanation.value)
        steps.append(
            {
                "at": step.at,
                "here": step.at == explanation.at,
                "size": step.size,
                "frequency": step.frequency,
                "expected": step.expected,
                "believed": step.believed,
                "shift": None if without is None else explanation.belief - without,
                "lines": lines
                or [
                    f"{part / step.expected:.0%} of the expectation came through {value}."
                    for value, _, part in step.because
                ],
            }
        )
    return steps


ROUTES = (
    ("GET", "/follow", show),
    ("POST", "/follow", act),
    ("POST", "/follow/forget", forget),
)
