"""``seriatim demo``: the whole story on generated data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.csv
import typer

from seriatim.audit.attack import audit
from seriatim.audit.findings import Findings
from seriatim.cli.common import (
    console,
    figure,
    print_json,
    program,
    progress_through,
    require_new_folder,
    today,
)
from seriatim.errors import StudyError
from seriatim.inference.adversary import Adversary
from seriatim.inference.readers import READERS, named_readers
from seriatim.knowledge.files import write_knowledge
from seriatim.measure.utility import global_certainty_penalty
from seriatim.publish.certificate_file import CERTIFICATE_ENDING
from seriatim.publish.presets import k_anonymity
from seriatim.publish.press import Press, open_store
from seriatim.publish.publisher import Publication, Publisher
from seriatim.publish.study import Study
from seriatim.publish.study_edit import save_study
from seriatim.publish.toml_text import toml_value
from seriatim.publish.verify import verify_chain
from seriatim.report.account import Account, SeriesAccount
from seriatim.report.cases import explained_cases, most_exposed
from seriatim.report.of_audit import series_of_findings, with_findings
from seriatim.report.of_study import described, series_of_study
from seriatim.report.writing import write_page
from seriatim.simulate.clinic import Clinic, clinic

_STUDY = """\
#:schema study.schema.json
name = "demo clinic"

[columns]
respondent = "patient"

[quasi_identifiers.age]
kind = "numeric"
low = 18
high = 95

[quasi_identifiers.gender]
kind = "categorical"
values = ["F", "M"]

[quasi_identifiers.zip]
kind = "hierarchical"
mask = "prefix"

[sensitive]
column = "exam"
values = {values}

[plan]
releases = {weeks}
target_gain = 0.12

[policy]
k = 8
t = 0.5
j = 0.6
partitioner = "standing-cells"
cell_size = 16
remainder = "merge"

[reader]
prior = "prior.csv"
sequence = "knowledge.csv"
"""

RIVAL_K = 3
"""What a rival that looks at one table at a time might take for safe."""

LIKE_K = 13
"""With which its groups are about as large as ours, to be fair."""

OURS, RIVAL = "seriatim", f"{RIVAL_K}-anonymous rival"
LIKE = f"rival with groups like ours (k = {LIKE_K})"

_STEPS = (
    "making a clinic",
    "publishing week by week",
    "publishing rivals, each week for itself",
    "verifying",
    "reading like an adversary",
    "writing the report",
    "done",
)


def run_demo(folder: Path, *, weeks: int, as_json: bool) -> None:
    """Make data, publish it, verify it, attack it and its rivals, and report."""
    require_new_folder(folder, "--folder")
    with progress_through(_STEPS, quiet=as_json, kernels="demo") as reached:
        reached("making a clinic")
        made = clinic(weeks=weeks)
        study = _write(made, folder, weeks)
        reached("publishing week by week")
        ours = []
        with Press(study) as press:
            for week in range(1, weeks + 1):
                view = folder / "views" / f"week-{week}.csv"
                ours.append(press.publish(view, at=week).publication)
        reached("publishing rivals, each week for itself")
        publications = {OURS: ours, RIVAL: _rival(made, RIVAL_K), LIKE: _rival(made, LIKE_K)}
        reached("verifying")
        verified = verify_chain(sorted(study.output_folder.glob(f"*{CERTIFICATE_ENDING}")))
        reached("reading like an adversary")
        found = {name: _attacked(made_by, made) for name, made_by in publications.items()}
        reached("writing the report")
        account = _account(study, found)
        page = write_page(account, folder / "report.html", made_on=today())
    if as_json:
        print_json(_figures(found, publications) | {"report": str(page)})
        return
    shown = console()
    shown.print(
        f"[bold]{weeks} weeks of exam results of invented patients[/bold], 300 a week: published"
        f" by seriatim, by a rival that makes each week {RIVAL_K}-anonymous by itself, and by the"
        " same rival with groups about as large as ours.\n"
    )
    for name, findings in found.items():
        shown.print(f"[bold]What readers learn from the series of {name}[/bold]")
        typer.echo(f"{findings}\n{_detail(publications[name])}\n")
    for worst in most_exposed(found[RIVAL], 1):
        shown.print("[bold]How the rival's worst case came about[/bold]")
        typer.echo(str(found[RIVAL].explain(worst)) + "\n")
    good = sum(one.holds for one in verified)
    typer.echo(f"{good} of {len(verified)} releases verified against their certificates.\n")
    typer.echo(_what_to_look_at(folder))


def _rival(made: Clinic, k: int) -> list[Publication]:
    """Publish each week by itself: Mondrian, and nothing but k."""
    publisher = Publisher(made.schema, k_anonymity(k=k), Adversary(), seed=1)
    published = []
    for week, table in enumerate(made.weeks, start=1):
        publisher.publish(table, at=week)
        assert publisher.latest is not None
        published.append(publisher.latest)
    return published


def _account(study: Study, found: dict[str, Findings]) -> Account:
    """Return what the report tells: our series as certified, the rivals beside it."""
    with open_store(study) as store:
        certified = series_of_study(study, store)
    cases = {name: explained_cases(findings, 2) for name, findings in found.items() if name != LIKE}
    audited = with_findings(certified, found[OURS], cases=cases[OURS])
    ours = replace(described(study, audited), name=OURS)
    rivals = tuple(
        series_of_findings(name, findings, cases=cases.get(name, ()))
        for name, findings in found.items()
        if name != OURS
    )
    plan = study.plan
    return Account(
        "series",
        study.declared.name,
        (ours, *rivals),
        plan.target,
        plan.releases,
        private=True,
        notes=(_in_fairness(ours, rivals[-1]),),
        share=plan.sure_share,
    )


def _in_fairness(ours: SeriesAccount, like: SeriesAccount) -> str:
    theirs, mine = (
        None if one.strongest is None else one.strongest.gain_largest for one in (like, ours)
    )
    return (
        "In fairness: the size of groups does most of it. With groups of"
        f" {like.mean_size:.0f} (ours {ours.mean_size:.0f}) the rival gives away"
        f" {figure(theirs)} at most (ours {figure(mine)});"
        " but who looks at one table at a time has no figure that says how large they must be."
    )


def _write(made: Clinic, folder: Path, weeks: int) -> Study:
    """Write views, knowledge and study.toml, as a custodian would have them."""
    try:
        (folder / "views").mkdir(parents=True, exist_ok=True)
        for week, table in enumerate(made.weeks, start=1):
            pyarrow.csv.write_csv(table, folder / "views" / f"week-{week}.csv")
    except OSError as error:
        message = f"{folder} could not be written: {error.strerror or error}."
        raise StudyError(message) from None
    write_knowledge(made.prior, folder / "prior.csv")
    write_knowledge(made.sequence, folder / "knowledge.csv")
    values = toml_value(made.schema.sensitive.domain)
    save_study(folder / "study.toml", _STUDY.format(values=values, weeks=weeks))
    return Study.read(folder)


def _attacked(publications: list[Publication], made: Clinic) -> Findings:
    return audit(
        [one.release for one in publications],
        [one.view for one in publications],
        named_readers(READERS, Adversary(made.prior, made.sequence)),
        memberships=[one.membership for one in publications],
    )


def _detail(publications: list[Publication]) -> str:
    """Tell what the privacy of a series costs."""
    lost = [global_certainty_penalty(one.release) for one in publications]
    sizes = sum(len(one.release) for one in publications) / sum(
        one.release.n_groups for one in publications
    )
    return (
        f"groups of {sizes:.0f} on average; detail lost (GCP) {sum(lost) / len(lost):.3f};"
        f" {sum(one.suppressed for one in publications)} suppressed"
    )


def _figures(
    found: dict[str, Findings], publications: dict[str, list[Publication]]
) -> dict[str, Any]:
    return {
        name: {
            "readers": findings.series_to_frame("mapping"),
            "suppressed": sum(one.suppressed for one in publications[name]),
            "global certainty penalty": [
                global_certainty_penalty(one.release) for one in publications[name]
            ],
        }
        for name, findings in found.items()
    }


def _what_to_look_at(folder: Path) -> str:
    files = {
        "report.html": "all of it in one page: open it in a browser",
        "study.toml": "what every release promises",
        "views/week-1.csv": "what came in",
        "releases/release-0001.csv": "what went out, with its certificate",
    }
    width = max(len(str(folder / name)) for name in files)
    return "\n".join(
        [
            "To look at next:",
            *(f"  {folder / name!s:{width}}   {told}" for name, told in files.items()),
            f"  {program()} history --study {folder}",
            f"  {program()} verify {folder / 'releases'}",
        ]
    )
