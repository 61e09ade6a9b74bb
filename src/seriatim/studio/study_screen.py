"""Study: what it is, and changing it by a form or as text, checked at once."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from seriatim.errors import SeriatimError, StudyError
from seriatim.publish.study import Study
from seriatim.publish.study_edit import save_study
from seriatim.report.words import formed_by, promised
from seriatim.studio.checks import Checked, check
from seriatim.studio.commands import command
from seriatim.studio.forms import Form
from seriatim.studio.pages import form_of, go_to, page, studio_of, study_name
from seriatim.studio.study_form import (
    FIRST,
    KINDS,
    PARTS,
    TITLES,
    chosen_kinds,
    fields,
    parts_in,
    sensitive_settings,
    settings,
    with_fields,
    with_parts,
)


def show(request: Request) -> Response:
    """Show what a study is."""
    folder = studio_of(request).folder
    file = folder.file(study_name(request))
    text = _text(file)
    found = check(folder, file, text)
    said = _said(text)
    return page(
        request,
        "study.html",
        title=str(said.get("name", file.parent.name)),
        study=folder.name_of(file),
        screen="study",
        found=found,
        text=text,
        summary=None if found.study is None else _summary(found.study, said),
        made=bool(request.query_params.get("made")),
        command=command("history", study=folder.name_of(file)),
    )


def edit(request: Request) -> Response:
    """Show a study as a form, or as text."""
    file = studio_of(request).folder.file(study_name(request))
    text = _text(file)
    return _edit_page(request, file, text, Form([("digest", _digest(text))]))


def check_form(request: Request) -> Response:
    """Check what was typed; answers with the part of the page that tells it."""
    form = form_of(request)
    file = studio_of(request).folder.file(study_name(request))
    text, mistake = _typed(_text(file), form)
    context = _context(request, file, text, form, mistake)
    part = "parts/columns.html" if form.one("part-of-page") == "columns" else "parts/checks.html"
    return page(request, part, **context)


def save(request: Request) -> Response:
    """Write a changed study."""
    form = form_of(request)
    studio = studio_of(request)
    file = studio.folder.file(study_name(request))
    before = _text(file)
    text, mistake = _typed(before, form)
    if mistake is None and form.one("digest") != _digest(before):
        mistake = (
            f"{file.name} was changed meanwhile, in another tab or an editor. What you typed is"
            " still here: copy it, load the study anew, and change it again."
        )
    found = Checked((mistake,)) if mistake else check(studio.folder, file, text)
    if found.mistakes:
        return _edit_page(request, file, text, form, found=found, status=422)
    save_study(file, text)
    name = studio.folder.name_of(file)
    studio.jobs.dismiss(name, "preview", "rehearse")
    return go_to("study", study=name)


def _edit_page(
    request: Request,
    file: Path,
    text: str,
    form: Form,
    *,
    found: Checked | None = None,
    status: int = 200,
) -> Response:
    context = _context(request, file, text, form, None, found)
    return page(request, "edit.html", status=status, **context)


def _context(
    request: Request,
    file: Path,
    text: str,
    form: Form,
    mistake: str | None,
    found: Checked | None = None,
) -> dict[str, Any]:
    folder = studio_of(request).folder
    name = folder.name_of(file)
    said = _said(text)
    found = found or (Checked((mistake,)) if mistake else check(folder, file, text))
    as_text = request.query_params.get("as") == "text" or not said
    return {
        "title": "Change the study",
        "study": name,
        "screen": "study",
        "found": found,
        "text": text,
        "columns": _columns(said, form),
        "sections": [(key, TITLES[key], *fields(said, key)) for key in FIRST],
        "parts": PARTS[:-1],
        "kinds": KINDS,
        "name": said.get("name", "study"),
        "digest": form.one("digest"),
        "alone": None,
        "as_text": as_text,
        "knowledge": [one.name for one in folder.tables(file.parent) if one.name.endswith(".csv")],
        "check_address": f"/study/check?study={quote(name)}",
        "base": "study",
        "command": None,
    }


def _columns(said: dict[str, Any], form: Form) -> list[dict[str, Any]]:
    given, kinds = form.under("part/"), chosen_kinds(form)
    columns = []
    for name, part in parts_in(said).items():
        kind = said.get("quasi_identifiers", {}).get(name, {}).get("kind", "")
        chosen = given.get(quote(name, safe=""), part)
        known = kind in KINDS
        columns.append(
            {
                "name": name,
                "part": chosen,
                "kind": kinds.get(name, kind),
                "because": "",
                "shape": None,
                "settings": settings(said, name, kind)
                if chosen == part == "quasi-identifier" and known
                else sensitive_settings(said)
                if chosen == part == "sensitive"
                else [],
            }
        )
    return columns


def _typed(text: str, form: Form) -> tuple[str, str | None]:
    """Return the text of a study as it was typed, and what is wrong with the typing itself."""
    if "text" in form:
        return form.one("text").replace("\r\n", "\n").rstrip() + "\n", None
    try:
        return with_fields(with_parts(text, form), form), None
    except tomllib.TOMLDecodeError:
        return text, "The study is no TOML any more. Change it as text."
    except SeriatimError as error:
        return text, str(error)


def _said(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        message = f"{file.name} could not be read: {reason}."
        raise StudyError(message) from None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _summary(study: Study, said: dict[str, Any]) -> dict[str, Any]:
    """Say what a study is, in a few words each."""
    declared = study.declared
    kinds = {name: column.kind for name, column in declared.quasi_identifiers.items()}
    return {
        "parts": [
            (name, part, kinds.get(name, "")) for name, part in parts_in(said).items() if name
        ],
        "promises": promised(study.policy.requirement),
        "partitioner": formed_by(study.policy.partitioner),
        "remainder": study.policy.remainder,
        "plan": study.plan,
        "enforce": declared.plan.enforce,
        "reader": declared.reader,
        "output": declared.output,
        "store": declared.store,
    }


ROUTES = (
    ("GET", "/study", show),
    ("GET", "/study/edit", edit),
    ("POST", "/study/edit", save),
    ("POST", "/study/check", check_form),
)
