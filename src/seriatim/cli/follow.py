"""``seriatim audit --follow``: one respondent, whose id is asked for and never printed."""

from __future__ import annotations

import typer

from seriatim.audit.findings import Findings
from seriatim.audit.follow import follow


def tell_course(findings: Findings, reader: str) -> None:
    """Ask for an id, and tell what a reader believes of it in every release."""
    # Not an argument: those stand in the shell's history, and in the list of processes.
    wanted = typer.prompt("\nId of the respondent to follow", hide_input=True, err=True)
    course = follow(findings, reader, wanted.strip())
    typer.echo(f"\nWhat the {reader} reader believes of the respondent you asked for.")
    if findings.strongest is None:
        typer.echo(
            "Like every reader here it is worse than counting: what it believes says little."
        )
    for sight in course.sights:
        typer.echo(f"\n{sight.explanation}")
