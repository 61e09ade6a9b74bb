"""Audit: readers, switched on and off, attack what was published."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from seriatim.audit.attack import audit
from seriatim.audit.findings import Findings
from seriatim.errors import StudyError
from seriatim.inference.from_releases import learned_from_releases
from seriatim.inference.readers import BY_NAME, named_readers
from seriatim.measure.strongest import remark_on, strongest_of
from seriatim.microdata.placement import place
from seriatim.report.cases import case_of, most_exposed
from seriatim.studio.charts import reader_gains
from seriatim.studio.commands import command
from seriatim.studio.forms import Form
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

_CASES = 3
"""Cases that are explained: one is shown here, all go into a report."""

MEANING = {
    "snapshot": "looks at each release by itself",
    "paper": "multiplies what it knew before, as the literature does",
    "joint": "keeps past values together",
    "retrospective": "goes back over the whole series",
    "worlds": "weighs every way in which all tables together may have come about; takes longer",
}
"""What each reader does."""


def show(request: Request) -> Response:
    """Show who may attack, and what they learned."""
    name, study = open_study(request)
    if waiting := waiting_page(request, name, "audit", "Audit"):
        return waiting
    studio = studio_of(request)
    job = studio.jobs.latest(name, "audit")
    result = job.result if job is not None and job.state == "done" else None
    tables = likely_views(studio.folder, study)
    chosen = pairs(study, tables, None if result is None else Form(result["form"]))
    return page(
        request,
        "audit.html",
        title="Audit",
        study=name,
        screen="audit",
        readers=[(one, MEANING[one]) for one in BY_NAME],
        on=BY_NAME if result is None else result["readers"],
        alone=result is not None and result["alone"],
        tables=tables,
        pairs=chosen,
        plan=study.plan,
        result=None if result is None else _told(result, study.plan.target),
        **job_context(job, "audit", name),
    )


def act(request: Request) -> Response:
    """Let the chosen readers attack."""
    name, study = open_study(request)
    folder = studio_of(request).folder
    form = form_of(request)
    asked = form.all("reader")
    if not asked:
        message = "No reader is switched on. Switch on at least one."
        raise StudyError(message)
    named_readers(asked, study.adversary)  # refuses unknown names before any work
    alone = form.one("alone") == "yes"
    tables = likely_views(folder, study)
    chosen = pairs(study, tables, form)
    require_chosen(chosen)
    words, options = audit_words(study, name, chosen)
    if alone:
        options |= {"sequence": "releases"}
    remembered = [(f"original-{one.number}", one.original) for one in chosen]

    def work(job: Job) -> dict[str, Any]:
        job.tell("reading releases and originals")
        history, originals = open_series(study, folder, chosen)
        knowledge, members = study.adversary, None
        if alone:
            members = [place(*pair) for pair in zip(originals, history, strict=True)]
            knowledge = learned_from_releases(tuple(history), members, progress=job.tell)
        readers = named_readers(asked, knowledge)
        k = study.policy.k
        findings = audit(
            history,
            originals,
            readers,
            memberships=members,
            k=k if k > 1 else None,
            progress=job.tell,
        )
        job.tell("explaining the cases most at risk")
        risks = most_exposed(findings, _CASES)
        told = [(one, findings.explain(one)) for one in risks]
        return {
            "findings": findings,
            "readers": tuple(readers),
            "alone": alone,
            "stories": [(one, str(explanation)) for one, explanation in told[:1]],
            "cases": tuple(case_of(one, explanation) for one, explanation in told),
            "form": remembered,
        }

    studio_of(request).jobs.start(
        "audit",
        name,
        work,
        command=command("audit", *words, study=name, reader=asked, **options),
        total=4 + len(asked) + alone,
    )
    return go_to("audit", study=name)


def _told(result: dict[str, Any], target: float) -> dict[str, Any]:
    findings: Findings = result["findings"]
    strongest = strongest_of(findings.series)
    worst = None if strongest is None else strongest.gain_largest
    known = all(row.gain is not None for row in findings.series)
    return {
        "series": [(row, remark_on(row, findings.series)) for row in findings.series],
        "strongest": strongest,
        "misled": known and strongest is None,
        "rows": [
            (place + 1, [findings.of(reader)[place] for reader in findings.readers])
            for place in range(len(findings.releases))
        ],
        "readers": findings.readers,
        "company": findings.company,
        "brackets": findings.brackets,
        "differences": findings.differences,
        "chart": reader_gains(findings, target) if known else None,
        "stories": result["stories"],
        "worst": worst,
        "holds": worst is None or worst <= target,
    }


ROUTES = (("GET", "/audit", show), ("POST", "/audit", act))
