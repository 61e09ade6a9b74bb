"""Write docs/reference/study.md from the JSON Schema of study.toml; ``make reference`` runs it."""

import json
from pathlib import Path

from seriatim.publish.study_file import study_json_schema

INTRODUCTION = """\
# study.toml

Made by `make reference` from the schema; do not edit.

One file says all there is to say about a series: which column is what, what every release must
satisfy, which reader it is chosen against, and where things go. `seriatim init DATA` proposes one.
Unknown keys are mistakes, and are told with their line and the nearest key that exists.
`seriatim init` puts `study.schema.json` beside it: with `#:schema study.schema.json` in the first
line, editors complete and check. Paths are relative to the folder of the file.
"""


def reference() -> str:
    """Return the page: a table of keys for each section."""
    schema = study_json_schema()
    kinds = schema["$defs"]
    lines = [INTRODUCTION, "## At the top", "", *_table(schema, _plain(schema, kinds)), ""]
    for name, field in schema["properties"].items():
        section = _section(field, kinds)
        if name == "quasi_identifiers":
            lines += _columns(field, kinds)
        elif section is not None:
            lines += [f"## [{name}]", "", section["description"], ""]
            lines += [*_table(section, section["properties"]), ""]
    return "\n".join(lines)


def keys() -> list[str]:
    """Return every key that study.toml may have, for the test that looks for them."""
    schema = study_json_schema()
    found = [*schema["properties"]]
    for section in schema["$defs"].values():
        found += section.get("properties", {})
    return sorted(set(found))


def _columns(field: dict, kinds: dict) -> list[str]:
    lines = [
        "## [quasi_identifiers.NAME]",
        "",
        "One for each column that a reader may know from elsewhere. `kind` decides which other keys"
        " there are.",
        "",
    ]
    for kind, place in field["additionalProperties"]["discriminator"]["mapping"].items():
        section = kinds[place.rsplit("/", 1)[1]]
        lines += [f'### kind = "{kind}"', "", section["description"], ""]
        lines += [*_table(section, section["properties"]), ""]
    return lines


def _plain(schema: dict, kinds: dict) -> dict:
    return {
        name: field
        for name, field in schema["properties"].items()
        if _section(field, kinds) is None and name != "quasi_identifiers"
    }


def _section(field: dict, kinds: dict) -> dict | None:
    place = field.get("$ref")
    return None if place is None else kinds[place.rsplit("/", 1)[1]]


def _table(section: dict, fields: dict) -> list[str]:
    needed = section.get("required", [])
    lines = ["| key | may be | if left out | says |", "|---|---|---|---|"]
    for name, field in fields.items():
        default = "needed" if name in needed else _default(field)
        lines.append(
            f"| `{name}` | {_allowed(field)} | {default} | {_says(name, field, section)} |"
        )
    return lines


def _says(name: str, field: dict, section: dict) -> str:
    """Return what a key says; `kind`, and a section's only key, say what the section does."""
    if name == "kind" or len(section["properties"]) == 1:
        return field.get("description", section["description"])
    return field["description"]


def _default(field: dict) -> str:
    if field.get("default") is None:
        return "–"
    return f"`{json.dumps(field['default'], ensure_ascii=False)}`"


def _allowed(field: dict) -> str:
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return ", ".join(f"`{json.dumps(one)}`" for one in field["enum"])
    if "anyOf" in field:
        shown = [_allowed(one) for one in field["anyOf"] if one.get("type") != "null"]
        return " or ".join(shown)
    if field.get("type") == "array":
        return "list of " + _allowed(field["items"])
    words = {
        "string": "text",
        "integer": "whole number",
        "number": "number",
        "boolean": "`true`, `false`",
    }[field["type"]]
    return words + _range(field)


def _range(field: dict) -> str:
    signs = {
        "minimum": "≥",
        "exclusiveMinimum": ">",
        "maximum": "≤",
        "exclusiveMaximum": "<",
    }
    shown = [f"{sign} {field[key]:g}" for key, sign in signs.items() if key in field]
    return f" {', '.join(shown)}" if shown else ""


if __name__ == "__main__":
    Path(__file__).with_name("study.md").write_text(reference(), encoding="utf-8")
