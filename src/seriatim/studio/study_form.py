"""The study as a form: every key that study.toml may have, read off its own model.

What is typed is put into the text of the study key by key, and the text is checked as any
other study file is: the same model, the same words.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote, unquote

from seriatim.errors import StudyError
from seriatim.microdata.typed_numbers import typed_number
from seriatim.publish.study_edit import Place, edited
from seriatim.publish.study_file import study_json_schema
from seriatim.publish.toml_text import toml_value
from seriatim.studio.forms import Form

KINDS = ("numeric", "date", "ordinal", "categorical", "hierarchical")
"""The kinds of quasi-identifiers."""

PARTS = ("respondent", "quasi-identifier", "sensitive", "insensitive", "identifying", "none")
"""The parts that a column can have."""

_MODELS = {
    "numeric": "NumericColumn",
    "date": "DateColumn",
    "ordinal": "OrdinalColumn",
    "categorical": "CategoricalColumn",
    "hierarchical": "HierarchicalColumn",
}

FIRST = {
    "policy": ("k", "t", "j", "l", "gain", "remainder"),
    "plan": ("releases", "known", "share", "basis", "target_gain", "reader", "lag", "enforce"),
    "reader": ("prior", "sequence", "steps"),
    "input": ("missing", "repeated", "by"),
    "output": ("form", "files"),
}
"""The keys of each section that are shown at once; the others are behind a switch."""

TITLES = {
    "policy": "What every release must satisfy",
    "plan": "What is planned",
    "reader": "The reader it is chosen against",
    "input": "Rows before they are a view",
    "output": "What is written",
}


@dataclass(frozen=True)
class Field:
    """One key of a study, as a field of the form."""

    name: str
    """Its name in the form: where it stands in study.toml."""

    label: str
    """Its key."""

    kind: str
    """How it is typed: whole, number, choice, yes, list or text."""

    value: str
    """What it says now; empty where it is left out."""

    help: str = ""
    """What it means."""

    default: str = ""
    """What is taken where it is left out."""

    choices: tuple[str, ...] = ()
    """What is possible."""


def fields(said: Mapping[str, Any], section: str) -> tuple[list[Field], list[Field]]:
    """Return the fields of a section: those shown at once, and the others."""
    model = _definition(_section_model(section))
    made = {
        key: _field((section, key), key, one, said.get(section, {}))
        for key, one in model["properties"].items()
    }
    first = [made[key] for key in FIRST[section]]
    return first, [one for key, one in made.items() if key not in FIRST[section]]


def settings(said: Mapping[str, Any], column: str, kind: str) -> list[Field]:
    """Return what can be said of a quasi-identifier of a kind."""
    here = said.get("quasi_identifiers", {}).get(column, {})
    properties = _definition(_MODELS[kind])["properties"]
    return [
        _field(("quasi_identifiers", column, key), key, one, here)
        for key, one in properties.items()
        if key != "kind"
    ]


def sensitive_settings(said: Mapping[str, Any]) -> list[Field]:
    """Return what can be said of the sensitive column."""
    properties = _definition("SensitiveColumn")["properties"]
    return [
        _field(("sensitive", key), key, one, said.get("sensitive", {}))
        for key, one in properties.items()
        if key != "column"
    ]


def parts_in(said: Mapping[str, Any]) -> dict[str, str]:
    """Return the parts of the columns that a study names."""
    columns = said.get("columns", {})
    found = {str(columns.get("respondent", "")): "respondent"}
    found |= dict.fromkeys(said.get("quasi_identifiers", {}), "quasi-identifier")
    found[str(said.get("sensitive", {}).get("column", ""))] = "sensitive"
    found |= dict.fromkeys(columns.get("insensitive", []), "insensitive")
    found |= dict.fromkeys(columns.get("identifying", []), "identifying")
    return {name: part for name, part in found.items() if name}


def with_parts(text: str, form: Form) -> str:
    """Return a study's text with the parts and kinds of columns as the form has them."""
    parts, kinds = chosen_parts(form), chosen_kinds(form)
    if not parts:
        return text
    require_parts(parts)
    said = tomllib.loads(text)
    of = {part: [name for name, one in parts.items() if one == part] for part in PARTS}
    changes: dict[Place, Any] = {
        ("columns", "respondent"): of["respondent"][0],
        ("columns", "identifying"): of["identifying"] or None,
        ("columns", "insensitive"): of["insensitive"] or None,
        ("sensitive", "column"): of["sensitive"][0],
    }
    there = said.get("quasi_identifiers", {})
    for name in there:
        if name in parts and parts[name] != "quasi-identifier":
            changes["quasi_identifiers", name] = None
    for name in of["quasi-identifier"]:
        kind = kinds.get(name) or there.get(name, {}).get("kind") or "categorical"
        if there.get(name, {}).get("kind") != kind:
            table = {"kind": kind} | ({"mask": "prefix"} if kind == "hierarchical" else {})
            changes["quasi_identifiers", name] = table
    if said.get("sensitive", {}).get("column") != of["sensitive"][0]:
        changes["sensitive", "values"] = None
    return edited(text, changes)


def chosen_parts(form: Form) -> dict[str, Any]:
    """Return the parts that a form gives to columns, whether they can be meant or not."""
    parts = {unquote(name): part for name, part in form.under("part/").items()}
    return {name: part for name, part in parts.items() if part in PARTS}


def require_parts(parts: Mapping[str, str]) -> None:
    """Refuse parts that cannot be meant: who and what have one column each."""
    for part, means in (("respondent", "who a row is about"), ("sensitive", "what is sensitive")):
        named = [name for name, one in parts.items() if one == part]
        if len(named) != 1:
            found = "no column says" if not named else f"{' and '.join(named)} both say"
            message = f"Exactly one column says {means}, and {found} it. Choose one."
            raise StudyError(message)
    if "quasi-identifier" not in parts.values():
        message = "No column is a quasi-identifier: choose what a reader may know from elsewhere."
        raise StudyError(message)


def chosen_kinds(form: Form) -> dict[str, str]:
    """Return the kinds that a form gives to quasi-identifiers."""
    found = {unquote(name): kind for name, kind in form.under("kind/").items()}
    return {name: kind for name, kind in found.items() if kind in KINDS}


def with_fields(text: str, form: Form) -> str:
    """Return a study's text with what was typed into the fields of a form."""
    said = tomllib.loads(text)
    changes: dict[Place, Any] = {}
    for name, typed in form.under("set/").items():
        place = tuple(unquote(part) for part in name.split("/"))
        if place[0] == "quasi_identifiers" and not _still_there(said, place, form):
            continue
        if place[0] == "sensitive" and form.one("was/sensitive") not in (
            "",
            said.get("sensitive", {}).get("column"),
        ):
            continue
        changes[place] = _read(typed, _kind_of(place, said))
    if form.one("name"):
        changes["name",] = form.one("name")
    return edited(text, changes)


def as_typed(said: Mapping[str, Any], form: Form) -> dict[str, Any]:
    """Return what a study says with what was typed put in as it is, to be shown again."""
    shown: dict[str, Any] = {key: _copied(value) for key, value in said.items()}
    for name, typed in form.under("set/").items():
        place = tuple(unquote(part) for part in name.split("/"))
        if place[0] == "quasi_identifiers" and not _still_there(said, place, form):
            continue
        here = shown
        for part in place[:-1]:
            here = here.setdefault(part, {})
        here[place[-1]] = typed or None
    return shown


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copied(one) for key, one in value.items()}
    return value


def _still_there(said: Mapping[str, Any], place: Place, form: Form) -> bool:
    """Tell whether a column still is of the kind that its fields were made for."""
    kind = said.get("quasi_identifiers", {}).get(place[1], {}).get("kind")
    return kind is not None and form.one(f"was/{quote(place[1], safe='')}") in ("", kind)


def field_name(place: Place) -> str:
    """Return the name of a field in the form."""
    return "set/" + "/".join(quote(part, safe="") for part in place)


def _kind_of(place: Place, said: Mapping[str, Any]) -> str:
    """Return how the value at a place is typed."""
    if place[0] == "quasi_identifiers":
        kind = said["quasi_identifiers"][place[1]]["kind"]
        model = _definition(_MODELS.get(kind, "NumericColumn"))
    elif place[0] == "sensitive":
        model = _definition("SensitiveColumn")
    elif place[0] in FIRST:
        model = _definition(_section_model(place[0]))
    else:
        message = f"There is no field {'.'.join(place)}."
        raise StudyError(message)
    if place[-1] not in model["properties"]:
        message = f"There is no field {'.'.join(place)}."
        raise StudyError(message)
    return _typed(model["properties"][place[-1]])[0]


def _read(typed: str, kind: str) -> Any:
    """Read what was typed; what is no number stays a text, and the model says so."""
    if typed == "":
        return None
    if kind == "list":
        try:
            return tomllib.loads(f"x = [{typed}]")["x"]
        except tomllib.TOMLDecodeError:
            return [part.strip() for part in typed.split(",") if part.strip()]
    if kind in ("yes", "choice"):
        return {"true": True, "false": False}.get(typed, typed)
    if kind in ("whole", "number"):
        number = typed_number(typed)
        return typed if number is None else number
    return typed


@cache
def _schema() -> dict[str, Any]:
    return study_json_schema()


def _definition(name: str) -> dict[str, Any]:
    found: dict[str, Any] = _schema()["$defs"][name]
    return found


def _section_model(section: str) -> str:
    found = _schema()["properties"][section]
    return str(found["$ref"]).rsplit("/", maxsplit=1)[-1]


def _field(place: Place, label: str, schema: dict[str, Any], said: Mapping[str, Any]) -> Field:
    kind, choices = _typed(schema)
    default = schema.get("default")
    return Field(
        field_name(place),
        label,
        kind,
        _written(said.get(label)),
        schema.get("description", ""),
        _written(default),
        choices,
    )


def _typed(schema: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """Return how a value is typed, and what is possible."""
    for one in schema.get("anyOf", [schema]):
        if "enum" in one:
            return "choice", tuple(_written(each) for each in one["enum"])
        kind = one.get("type")
        if kind == "array":
            return "list", tuple(one.get("items", {}).get("enum", ()))
        if kind in ("integer", "number", "boolean"):
            return {"integer": "whole", "number": "number", "boolean": "yes"}[kind], ()
    return "text", ()


def _written(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(toml_value(one) for one in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
