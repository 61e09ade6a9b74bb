"""Create: a table's proposals as a form, checked while it is filled in, written as a study."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from seriatim.errors import SeriatimError, StudyError
from seriatim.publish.propose import ColumnProposal, Proposal
from seriatim.publish.study_edit import save_study
from seriatim.publish.study_text import study_text
from seriatim.studio.checks import Checked, check, check_fit
from seriatim.studio.commands import command
from seriatim.studio.desk import OpenTable
from seriatim.studio.forms import Form
from seriatim.studio.pages import form_of, go_to, page, studio_of
from seriatim.studio.study_form import (
    FIRST,
    KINDS,
    PARTS,
    TITLES,
    Field,
    as_typed,
    chosen_kinds,
    chosen_parts,
    fields,
    require_parts,
    sensitive_settings,
    settings,
    with_fields,
)


@dataclass(frozen=True)
class Draft:
    """A study that is being made from a table."""

    opened: OpenTable
    """The table."""

    proposal: Proposal
    """Its columns' parts, as proposed or chosen."""

    text: str
    """What study.toml would say."""

    mistake: str | None = None
    """What is wrong with the choice of parts."""


def show(request: Request) -> Response:
    """Show what is proposed for a table."""
    table = request.query_params.get("table", "")
    draft = _draft(request, table, Form([]))
    return _page(request, table, draft, Form([]))


def check_form(request: Request) -> Response:
    """Check what was typed; answers with the part of the page that tells it."""
    table, form = request.query_params.get("table", ""), form_of(request)
    draft = _draft(request, table, form)
    context = _context(request, table, draft, form)
    part = "parts/columns.html" if form.one("part-of-page") == "columns" else "parts/checks.html"
    return page(request, part, **context)


def write(request: Request) -> Response:
    """Write the study."""
    table, form = request.query_params.get("table", ""), form_of(request)
    draft = _draft(request, table, form)
    file = _target(request, table, form)
    found = _checked(request, draft, file)
    if file.exists() and not form.one("replace"):
        found = found.but(f"{file.name} exists in this folder. Replace it, or give another name.")
    if found.mistakes:
        return _page(request, table, draft, form, found=found, status=422)
    save_study(file, draft.text)
    return go_to("study", study=studio_of(request).folder.name_of(file), made="yes")


def _draft(request: Request, table: str, form: Form) -> Draft:
    """Return the study that a form describes; what cannot be meant leaves the proposal."""
    studio = studio_of(request)
    opened = studio.desk.open(studio.folder.inside(table))
    proposal = opened.proposal
    parts = chosen_parts(form)
    if parts:
        proposal = opened.assigned(parts, chosen_kinds(form))
    try:
        require_parts({one.name: one.part for one in proposal.columns})
        text = study_text(proposal, name=_study_title(request, table, form))
        return Draft(opened, proposal, with_fields(text, form))
    except SeriatimError as error:
        return Draft(opened, proposal, "", str(error))


def _study_title(request: Request, table: str, form: Form) -> str:
    return form.one("name") or _target(request, table, form).parent.name


def _target(request: Request, table: str, form: Form) -> Path:
    """Return the file that will be written; beside the table if nothing else is said."""
    beside = PurePosixPath(table).parent
    beside = beside.parent if beside.name in ("views", "data", "in") else beside
    name = form.one("file") or (beside / "study.toml").as_posix()
    path = studio_of(request).folder.inside(name)
    if path.suffix != ".toml":
        message = f"A study is a .toml file, and {name!r} does not end so."
        raise StudyError(message)
    if not path.parent.is_dir():
        message = f"There is no folder for {name!r}. Choose one that is there."
        raise StudyError(message)
    return path


def _checked(request: Request, draft: Draft, file: Path) -> Checked:
    if draft.mistake is not None:
        return Checked((draft.mistake,))
    found = check(studio_of(request).folder, file, draft.text)
    known = [one.name for one in draft.proposal.of("quasi-identifier")]
    return check_fit(found, draft.opened.distinct(known))


def _context(
    request: Request, table: str, draft: Draft, form: Form, found: Checked | None = None
) -> dict[str, Any]:
    try:
        file = _target(request, table, form)
        found = found or _checked(request, draft, file)
    except StudyError as error:
        file, found = _target(request, table, Form([])), Checked((str(error),))
    said = tomllib.loads(draft.text) if draft.text else _rough(draft.proposal, form)
    proposal = draft.proposal
    chosen = {name: form.one(name) for name in ("file", "name", "replace")}
    folder = studio_of(request).folder
    columns = [
        {
            "name": one.name,
            "part": one.part,
            "kind": one.kind,
            "because": one.because,
            "shape": draft.opened.shape(one.name, one.part),
            "settings": _settings(one, said),
        }
        for one in proposal.columns
    ]
    return {
        "title": "Create a study",
        "study": None,
        "screen": "home",
        "table": table,
        "rows": draft.opened.table.num_rows,
        "columns": columns,
        "sections": [(key, TITLES[key], *fields(said, key)) for key in FIRST],
        "parts": PARTS,
        "kinds": KINDS,
        "found": found,
        "text": draft.text,
        "alone": proposal.alone,
        "warnings": draft.opened.warnings_of(proposal),
        "file": chosen["file"] or folder.name_of(file),
        "exists": file.exists(),
        "name": chosen["name"] or file.parent.name,
        "replace": bool(chosen["replace"]),
        "knowledge": [one.name for one in folder.tables() if one.name.endswith(".csv")],
        "command": _command(table, folder.name_of(file), proposal),
        "check_address": f"/create/check?{request.url.query}",
        "base": "create",
    }


def _rough(proposal: Proposal, form: Form) -> dict[str, Any]:
    """Return what can be shown of a draft whose parts cannot be meant yet."""
    quasi = {
        one.name: {"kind": one.kind, **one.settings} for one in proposal.of("quasi-identifier")
    }
    sensitive = next((one.settings for one in proposal.of("sensitive")), {})
    return as_typed({"quasi_identifiers": quasi, "sensitive": sensitive}, form)


def _settings(one: ColumnProposal, said: dict[str, Any]) -> list[Field]:
    """Return what can be said of a column."""
    if one.part == "quasi-identifier":
        return settings(said, one.name, one.kind)
    return sensitive_settings(said) if one.part == "sensitive" else []


def _page(
    request: Request,
    table: str,
    draft: Draft,
    form: Form,
    *,
    found: Checked | None = None,
    status: int = 200,
) -> Response:
    context = _context(request, table, draft, form, found)
    return page(request, "create.html", status=status, **context)


def _command(table: str, file: str, proposal: Proposal) -> str:
    def named(part: Any) -> list[str]:
        return [one.name for one in proposal.of(part)]

    return command(
        "init",
        table,
        study=file,
        respondent=next(iter(named("respondent")), None),
        sensitive=next(iter(named("sensitive")), None),
        quasi_identifier=named("quasi-identifier"),
        yes=True,
    )


ROUTES = (
    ("GET", "/create", show),
    ("POST", "/create", write),
    ("POST", "/create/check", check_form),
)
