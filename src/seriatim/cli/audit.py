"""``seriatim audit``: attack a series of releases, whoever made it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import typer

from seriatim._typing import Instant
from seriatim.audit.attack import audit
from seriatim.audit.explain import Explanation
from seriatim.audit.findings import Findings, Risk
from seriatim.cli.common import (
    console,
    figure,
    print_json,
    print_rows,
    progress_through,
    telling_warnings,
)
from seriatim.cli.follow import tell_course
from seriatim.errors import PolicyError, did_you_mean
from seriatim.inference.adversary import Adversary
from seriatim.inference.from_releases import learned_from_releases
from seriatim.inference.readers import BY_NAME, named_readers
from seriatim.knowledge.files import read_knowledge
from seriatim.knowledge.learning import Learner
from seriatim.measure.differences import NamedValue
from seriatim.measure.strongest import remark_on
from seriatim.microdata.instants import read_instant_word
from seriatim.microdata.placement import place
from seriatim.microdata.published import read_history
from seriatim.microdata.roster import Roster
from seriatim.microdata.view import View
from seriatim.publish.certificate_file import certificate_beside
from seriatim.publish.originals import open_originals
from seriatim.publish.study import Study
from seriatim.report.account import SeriesAccount
from seriatim.report.cases import case_of, most_exposed
from seriatim.report.of_audit import plain_series, series_of_findings
from seriatim.report.of_study import described, knowledge_of, study_figures

FROM_RELEASES = "releases"
"""Where knowledge comes from that is learned from the releases alone."""

_STEPS = ("reading releases", "reading originals", "reading like an adversary", "done")


def run_audit(
    releases: list[str],
    originals: list[str],
    study: Path,
    *,
    readers: list[str],
    instants: list[str],
    sequence: str | None,
    sweeps: int | None,
    how: dict[str, Any],
    explain: int,
    show_ids: bool,
    closed_ends: bool,
    follow: bool,
    differences: bool,
    engine: str | None,
    master: str | None,
    settings: list[str],
    as_json: bool,
) -> None:
    """Attack releases with several readers, and tell what they learned."""
    if follow and as_json:
        message = "--follow asks and tells in words. Leave out --json, or --follow."
        raise PolicyError(message)
    declared = Study.read(study)
    chosen = engine or ("local" if releases else declared.declared.engine.name)
    in_files = {
        "RELEASES": releases,
        "--at": instants,
        "--sequence": sequence,
        "--sweeps": sweeps,
        "--show-ids": show_ids,
        "--closed-ends": closed_ends,
        "--follow": follow,
        "--differences": differences,
    }
    in_files |= {f"--{name}": value for name, value in how.items()}
    _require_meant(in_files, {"--master": master, "--setting": settings}, chosen)
    if chosen != "local":
        from seriatim.cli.audit_shards import audit_in_shards

        audit_in_shards(
            originals,
            declared,
            engine=chosen,
            master=master,
            settings=settings,
            readers=readers,
            as_json=as_json,
        )
        return
    with telling_warnings(), progress_through(_STEPS, quiet=as_json, kernels="audit") as reached:
        findings = attacked(
            declared,
            releases,
            originals,
            readers=readers,
            instants=[read_instant_word(word) for word in instants],
            sequence=sequence,
            sweeps=sweeps,
            how=how,
            closed_ends=closed_ends,
            reached=reached,
        )
        risks = most_exposed(findings, explain)
        told = [(risk, findings.explain(risk)) for risk in risks]
        named = findings.differences.cases(explain) if differences else []
        series = _audited_series(declared, releases, findings, told, sequence) if as_json else None
    if series is not None:
        figures = _figures(declared, findings, told, series, show_ids=show_ids)
        print_json(figures | {"differences": _differences(findings, named, show_ids=show_ids)})
    else:
        _print(findings, told, named, show_ids=show_ids)
    if follow:
        tell_course(findings, findings.strongest or findings.readers[-1])


def _require_meant(in_files: Mapping[str, Any], on_spark: Mapping[str, Any], engine: str) -> None:
    """Refuse what an engine would not look at, and an attack on nothing."""
    if engine == "local" and not in_files["RELEASES"]:
        message = (
            "No release was named. Name the released files, earliest first; for a series that the"
            " engine shards or spark keeps, name that engine with --engine."
        )
        raise PolicyError(message)
    useless = {
        "local": on_spark,
        "shards": {**in_files, **on_spark},
        "spark": in_files,
    }[engine]
    given = [name for name, value in useless.items() if value]
    if given:
        message = (
            f"{given[0]} means nothing to an audit on the engine {engine!r}. Leave it out, or name"
            " another engine with --engine."
        )
        raise PolicyError(message)


def attacked(
    study: Study,
    releases: Sequence[str | Path],
    originals: Sequence[str],
    *,
    readers: Sequence[str] = (),
    instants: Sequence[Instant] = (),
    sequence: str | None = None,
    sweeps: int | None = None,
    how: Mapping[str, Any] | None = None,
    closed_ends: bool = False,
    reached: Callable[[str], None] = lambda _: None,
) -> Findings:
    """Attack released files with readers who know what a study says; all readers if none is named.

    Releases are numbered from 1 where no instant is given.
    """
    named_readers(readers or BY_NAME, study.adversary)  # refuses unknown names before any work
    _require_of_use(readers, sequence, sweeps, len(releases))
    knowledge = study.adversary
    if sequence not in (None, FROM_RELEASES):
        if not Path(sequence).suffix:
            message = (
                f"--sequence takes {FROM_RELEASES!r}, or a .csv or .json file of knowledge, not"
                f" {sequence!r}.{did_you_mean(sequence, (FROM_RELEASES,))}"
            )
            raise PolicyError(message)
        knowledge = replace(knowledge, sequence=read_knowledge(sequence))
    reached("reading releases")
    schema = study.intake.labelled
    when = instants or None
    history = read_history(releases, schema, instants=when, closed_ends=closed_ends)
    reached("reading originals")
    rosters = open_originals(study, history, originals, released=releases, **(how or {}))
    members = None
    if sequence == FROM_RELEASES:
        reached("learning from the releases")
        members = [place(*pair) for pair in zip(rosters, history, strict=True)]
        knowledge = learned_from_releases(tuple(history), members)
    _require_views(knowledge, rosters)
    reached("reading like an adversary")
    k = study.policy.k
    named = named_readers(readers or BY_NAME, knowledge, sweeps=sweeps)
    return audit(history, rosters, named, memberships=members, k=k if k > 1 else None)


def _require_of_use(
    readers: Sequence[str], sequence: str | None, sweeps: int | None, n_releases: int
) -> None:
    """Refuse what no reader would look at."""
    if sweeps is not None and readers and "worlds" not in readers:
        message = (
            "--sweeps says how long the reader of worlds looks, and it is not among the readers."
            " Add --reader worlds, or leave --sweeps out."
        )
        raise PolicyError(message)
    if sequence == FROM_RELEASES and n_releases == 1:
        message = (
            "One release teaches nothing of what follows what. Name at least two, or leave"
            f" --sequence {FROM_RELEASES} out."
        )
        raise PolicyError(message)


def _require_views(knowledge: Adversary, rosters: Sequence[Roster]) -> None:
    """Refuse readers who learn from views where these have no values."""
    learns = any(isinstance(one, Learner) for one in (knowledge.prior, knowledge.sequence))
    if learns and not all(isinstance(one, View) for one in rosters):
        message = (
            "The study's reader learns from the original views ([reader] prior or sequence), and"
            " some of these originals have no sensitive column. Give the views, or name other"
            " knowledge: --sequence releases learns from the releases alone."
        )
        raise PolicyError(message)


def _audited_series(
    study: Study,
    releases: Sequence[str],
    findings: Findings,
    told: Sequence[tuple[Risk, Explanation]],
    sequence: str | None,
) -> SeriesAccount:
    """Return what is told of an audited series; of its making only where certificates do."""
    cases = tuple(case_of(risk, explanation) for risk, explanation in told)
    series = series_of_findings(study.declared.name, findings, cases=cases)
    if all(certificate_beside(release).is_file() for release in releases):
        return described(study, series, sequence)
    # Another tool's: the study says what readers know, and nothing of how it was made.
    return replace(series, knowledge=knowledge_of(study, sequence))


def _figures(
    study: Study,
    findings: Findings,
    told: Sequence[tuple[Risk, Explanation]],
    series: SeriesAccount,
    *,
    show_ids: bool,
) -> dict[str, Any]:
    risks = []
    for risk, explanation in told:
        shown = asdict(risk) | {"explanation": str(explanation)}
        if show_ids:
            shown["respondent"] = findings.respondent(risk)
        risks.append(shown)
    return {
        "study": study_figures(study),
        "series": [asdict(row) for row in findings.series],
        "releases": [asdict(row) for row in findings.rows],
        "worlds": [asdict(one) for one in findings.brackets],
        "most at risk": risks,
        **plain_series(series),
    }


def _differences(
    findings: Findings, named: Sequence[NamedValue], *, show_ids: bool
) -> dict[str, Any]:
    """Return what subtracting groups tells, in plain values."""
    cases = []
    for case in named:
        shown = asdict(case)
        if show_ids:
            shown["respondent"] = findings.respondent(case)
        cases.append(shown)
    return findings.differences.figures | {"cases": cases}


def _print(
    findings: Findings,
    told: Sequence[tuple[Risk, Explanation]],
    named: Sequence[NamedValue],
    *,
    show_ids: bool,
) -> None:
    shown = console()
    titles = (
        *("reader", "gain", "largest", "log-\nloss", "count-\ning"),
        *("sure\nabove .9", "right", "people\never", ""),
    )
    rows = [
        (
            row.reader,
            figure(row.gain),
            figure(row.gain_largest),
            figure(row.log_loss, ".2f"),
            figure(row.log_loss_by_frequency, ".2f"),
            figure(row.sure_above_nine_tenths, ".1%"),
            figure(row.sure_and_right, ".0%"),
            figure(row.ever_above_nine_tenths, ".1%"),
            remark_on(row, findings.series),
        )
        for row in findings.series
    ]
    title = "What each reader learned from the whole series"
    print_rows(titles, rows, left=("reader", ""), title=title, cut=5)
    shown.print(
        f"{findings.company} Gain is what is known beyond counting, the mean over tuples; log-loss"
        " in bits, lower knows more: the strongest reader has the lowest. Right: of what was said"
        " above .9.",
        style="dim",
    )
    if all(row.log_loss is None for row in findings.series):
        shown.print("Without original values nobody can say how right a reader is.", style="dim")
    if findings.strongest is None:
        shown.print(
            "Every reader is worse than counting, so none is the strongest, and no case is"
            " explained: what they know does not fit these people, or they make too much of it."
            " Try what the releases teach by themselves (--sequence releases), or a file of"
            " knowledge."
        )
    for bracket in findings.brackets:
        shown.print(str(bracket), highlight=False, markup=False)
    shown.print(str(findings.differences), highlight=False, markup=False)
    for risk, explanation in told:
        typer.echo(f"\nMost at risk: {_whom(findings, risk, show_ids)}.\n{explanation}")
    for case in named:
        typer.echo(f"\nBy subtraction: {_whom(findings, case, show_ids)}.\n{case.told}")


def _whom(findings: Findings, found: Risk | NamedValue, show_ids: bool) -> str:
    return f"respondent {findings.respondent(found)!r}" if show_ids else "someone"
