"""Rehearse: the planned series played before it is published; a point of the frontier taken."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from seriatim.errors import StudyError
from seriatim.microdata.typed_numbers import typed_number, typed_whole
from seriatim.publish.frontier import Rehearsal
from seriatim.publish.rehearsal import rehearse, tune
from seriatim.publish.rehearsal_setting import foreseen, open_views, plan_of
from seriatim.publish.stage import most_trials
from seriatim.publish.study_edit import edited, save_study
from seriatim.studio.charts import frontier
from seriatim.studio.checks import check
from seriatim.studio.commands import command
from seriatim.studio.forms import Form
from seriatim.studio.jobs import Job
from seriatim.studio.pages import form_of, go_to, job_context, open_study, page, studio_of
from seriatim.studio.series import likely_views, releases_out

_HISTORIES = 3
"""Made histories that a setting is confirmed on."""


@dataclass(frozen=True)
class Played:
    """What came of a rehearsal."""

    found: Rehearsal
    """The settings that were tried."""

    learned: str = ""
    """What was learned from past views, in words; nothing where these were played."""


def show(request: Request) -> Response:
    """Show what can be rehearsed, and what came of it."""
    name, study = open_study(request)
    studio = studio_of(request)
    job = studio.jobs.latest(name, "rehearse")
    played = _played(job)
    found = None if played is None else played.found
    return page(
        request,
        "rehearse.html",
        title="Rehearse",
        study=name,
        screen="rehearse",
        plan=study.plan,
        tables=likely_views(studio.folder, study),
        learns="views" in (study.declared.reader.sequence, study.declared.reader.prior),
        found=found,
        learned="" if played is None else played.learned,
        chart=frontier(found) if found is not None and found.trials else None,
        out=releases_out(study),
        written=bool(request.query_params.get("written")),
        **job_context(job, "rehearse", name),
    )


def act(request: Request) -> Response:
    """Start a rehearsal on made histories, or on past views."""
    name, study = open_study(request)
    form = form_of(request)
    tables = form.all("table")
    on_views = form.one("on") == "views"
    if not tables or (on_views and len(tables) < 2):
        need = "at least two past views" if on_views else "at least one view or roster"
        message = f"Choose {need}: a rehearsal is played with the people in them."
        raise StudyError(message)
    folder = studio_of(request).folder
    paths = [folder.inside(table) for table in tables]
    changes = _changes(form)
    sizes = _sizes(form.one("sizes"))
    if on_views:
        changes = {
            "releases": max(len(tables), 2),
            "target": changes["target"],
            "share": changes["share"],
        }
    changes["reader"] = form.one("reader") or None
    plan = plan_of(study, changes)
    verb = "tune" if on_views else "rehearse"
    options = {key: value for key, value in changes.items() if value is not None}
    if on_views:
        options.pop("releases")

    def work(job: Job) -> Played:
        job.tell("reading the tables")
        adversary, policy = study.adversary, study.policy
        if on_views:
            views = open_views(study, paths)
            job.total = most_trials(policy, len(views[0]), 1, sizes) + 1
            kept = replace(plan, margin=0.0)
            return Played(tune(policy, adversary, views, kept, sizes=sizes, progress=job.tell))
        known = foreseen(study, paths, plan)
        job.total = most_trials(policy, len(known.population.latest), _HISTORIES, sizes) + 1
        found = rehearse(
            policy,
            known.adversary,
            known.population,
            plan,
            histories=_HISTORIES,
            sizes=sizes,
            progress=job.tell,
        )
        return Played(found, str(known))

    studio_of(request).jobs.start(
        "rehearse",
        name,
        work,
        command=command(verb, *tables, study=name, size=sizes, **options),
        total=20,
    )
    return go_to("rehearse", study=name)


def take(request: Request) -> Response:
    """Write a setting of the frontier into the study."""
    name, study = open_study(request)
    studio = studio_of(request)
    job = studio.jobs.latest(name, "rehearse")
    played = _played(job)
    found = None if played is None else played.found
    place = typed_whole(form_of(request).one("place"))
    if found is None or place is None or not 0 <= place < len(found.trials):
        message = "No setting was chosen. Choose one of the table, or rehearse first."
        raise StudyError(message)
    if releases_out(study):
        message = (
            "The series has begun, and its cells stay as they are: a setting that was rehearsed"
            " now is for a new series. Create another study for it."
        )
        raise StudyError(message)
    chosen = found.trials[place]
    cells = chosen.cells
    changes: dict[tuple[str, ...], Any] = {
        ("policy", "k"): chosen.k,
        ("policy", "partitioner"): "standing-cells",
        ("policy", "cell_size"): cells.size,
        ("policy", "cells_by"): cells.by,
        ("policy", "cells_merge"): cells.merges,
        ("policy", "batch"): chosen.batch,
        ("policy", "keep"): chosen.keep,
        ("policy", "pool"): chosen.pool,
    }
    text = edited(study.path.read_text(encoding="utf-8"), changes)
    checked = check(studio.folder, study.path, text)
    if checked.mistakes:
        raise StudyError("\n".join(checked.mistakes))
    save_study(study.path, text)
    studio.jobs.dismiss(name, "preview")
    return go_to("rehearse", study=name, written="yes")


def _played(job: Job | None) -> Played | None:
    """Return what came of a rehearsal that ended."""
    played: Played | None = job.result if job is not None and job.state == "done" else None
    return played


def _changes(form: Form) -> dict[str, Any]:
    """Return what is asked for otherwise than the study plans."""
    kinds = {
        "releases": typed_whole,
        "target": typed_number,
        "share": typed_number,
        "attendance": typed_number,
        "turnover": typed_number,
    }
    changes: dict[str, Any] = {}
    for key, read in kinds.items():
        typed = form.one(key)
        changes[key] = read(typed) if typed else None
        if typed and changes[key] is None:
            message = f"{key} is {typed!r}, which is no number."
            raise StudyError(message)
    return changes


def _sizes(typed: str) -> tuple[int, ...]:
    words = typed.replace(",", " ").split()
    if not all((typed_whole(word) or 0) > 0 for word in words):
        message = f"Cell sizes are whole numbers with commas, such as 10, 20, 40; not {typed!r}."
        raise StudyError(message)
    return tuple(int(word) for word in words)


ROUTES = (
    ("GET", "/rehearse", show),
    ("POST", "/rehearse", act),
    ("GET", "/rehearse/take", show),
    ("POST", "/rehearse/take", take),
)
