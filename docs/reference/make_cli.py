"""Write docs/reference/cli.md from the commands themselves; ``make reference`` runs it."""

import inspect
import re
from pathlib import Path

import typer

from seriatim import cli
from seriatim.cli.app import app


def reference() -> str:
    """Return the reference of all commands as Markdown."""
    group = typer.main.get_command(app)
    lines = [
        "# Command line",
        "",
        "Made by `make reference` from the commands; do not edit.",
        "",
        inspect.cleandoc(cli.__doc__).split("\n\n", 1)[1],
        "",
        *_section("seriatim", group),
    ]
    for name, command in sorted(group.commands.items()):
        lines += _section(f"seriatim {name}", command)
        for below, inner in sorted(getattr(command, "commands", {}).items()):
            lines += _section(f"seriatim {name} {below}", inner)
    return "\n".join(lines)


def _section(title: str, command: object) -> list[str]:
    context = typer.Context(command)
    lines = [
        f"## {title}",
        "",
        re.sub(r"^Example: (.*)$", r"Example: `\1`", inspect.cleandoc(command.help), flags=re.M),
        "",
        "| option | does |",
        "|---|---|",
    ]
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            lines.append(f"| `{record[0]}` | {record[1]} |")
    return [*lines, ""]


if __name__ == "__main__":
    Path(__file__).with_name("cli.md").write_text(reference(), encoding="utf-8")
