"""``seriatim audit``: attack a series of releases, whoever made it."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import typer
from rich import box
from rich.table import Table

from seriatim.audit.attack import audit
from seriatim.audit.findings import Findings, Risk
from seriatim.cli.common import console, figure, print_json, progress_through
from seriatim.cli.follow import tell_course
from seriatim.inference.readers import READERS, named_readers
from seriatim.knowledge.files import read_knowledge
from seriatim.microdata.instants import read_instant_word
from seriatim.microdata.published import read_history
from seriatim.publish.originals import open_originals
from seriatim.publish.study import Study

_WORTH_TELLING = 0.01
"""How far a belief must be from counting to be explained."""

_STEPS = ("reading releases", "reading originals", "reading like an adversary", "done")


def run_audit(
    releases: list[str],
    originals: list[str],
    study: Path,
    *,
    readers: list[str],
    instants: list[str],
    sequence: str | None,
    how: dict[str, Any],
    explain: int,
    show_ids: bool,
    closed_ends: bool,
    follow: bool,
    as_json: bool,
) -> None:
    """Attack releases with several readers, and tell what they learned."""
    declared = Study.read(study)
    knowledge = declared.adversary
    if sequence is not None:
        knowledge = replace(knowledge, sequence=read_knowledge(sequence))
    named = named_readers(readers or READERS, knowledge)
    with progress_through(_STEPS, quiet=as_json) as reached:
        reached("reading releases")
        when = [read_instant_word(word) for word in instants] if instants else None
        schema = declared.intake.labelled
        history = read_history(releases, schema, instants=when, closed_ends=closed_ends)
        reached("reading originals")
        rosters = open_originals(declared, history, originals, **how)
        reached("reading like an adversary")
        findings = audit(history, rosters, named)
        risks = findings.at_risk(next(reversed(named)), explain) if explain else []
        risks = [risk for risk in risks if risk.belief > risk.frequency + _WORTH_TELLING]
        told = [(risk, str(findings.explain(risk))) for risk in risks]
    if as_json:
        print_json(_figures(findings, told, show_ids=show_ids))
    else:
        _print(findings, told, show_ids=show_ids)
    if follow:
        tell_course(findings, next(reversed(named)))


def _figures(findings: Findings, told: list[tuple[Risk, str]], *, show_ids: bool) -> dict[str, Any]:
    risks = []
    for risk, story in told:
        shown = asdict(risk) | {"explanation": story}
        if show_ids:
            shown["respondent"] = findings.respondent(risk)
        risks.append(shown)
    return {
        "series": [asdict(row) for row in findings.series],
        "releases": [asdict(row) for row in findings.rows],
        "most at risk": risks,
    }


def _print(findings: Findings, told: list[tuple[Risk, str]], *, show_ids: bool) -> None:
    shown = console()
    table = Table(box=box.SIMPLE_HEAD, title="What each reader learned from the whole series")
    for title in ("reader", "gain", "largest", "log-loss", "counting", "sure above .9", "right"):
        table.add_column(title, justify="left" if title == "reader" else "right")
    table.add_column("people ever", justify="right")
    for row in findings.series:
        table.add_row(
            row.reader,
            figure(row.gain),
            figure(row.gain_largest),
            figure(row.log_loss, ".2f"),
            figure(row.log_loss_by_frequency, ".2f"),
            figure(row.sure_above_nine_tenths, ".1%"),
            figure(row.sure_and_right, ".0%"),
            figure(row.ever_above_nine_tenths, ".1%"),
        )
    shown.print(table)
    placed = [len(one.rows) for one in findings.measured[findings.readers[0]]]
    people = [len(roster) for roster in findings.rosters]
    shown.print(
        f"{len(findings.releases)} releases; {sum(placed):,} of {sum(people):,} respondents fit a"
        " group. Gain is what is known beyond counting; log-loss in bits, lower knows more.",
        style="dim",
    )
    for risk, story in told:
        who = f"respondent {findings.respondent(risk)!r}" if show_ids else "someone"
        typer.echo(f"\nMost at risk: {who}.\n{story}")
