"""A study, or released files, as what a report tells: from the store, the files, certificates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from seriatim.audit.findings import Findings
from seriatim.errors import StudyError, TableError
from seriatim.microdata.history import History
from seriatim.publish.certificate import requirement_of, sha256
from seriatim.publish.certificate_file import (
    CERTIFICATE_ENDING,
    certificate_beside,
    read_certificate,
)
from seriatim.publish.press import open_store
from seriatim.publish.store import Store
from seriatim.publish.study import Study
from seriatim.publish.verify import verify_chain
from seriatim.report.account import Account, Case, Kind, Link, Pair, Promise, SeriesAccount
from seriatim.report.of_audit import with_findings
from seriatim.report.tables import over_tables, table_figures
from seriatim.report.words import formed_by, listing_asked, promised

_SHOWN_OF_DIGEST = 16


def account_of_study(
    study: Study,
    findings: Findings | None = None,
    cases: Sequence[Case] = (),
    *,
    sequence: str | None = None,
) -> Account:
    """Return what is told of a study's whole series, with what an audit of it found.

    ``sequence`` is what its readers knew of sequences instead of what the study says.
    """
    if not study.has_store:
        message = (
            f"{study.declared.name!r} has no store at {study.store_path} yet: nothing was"
            " published. Publish a view with `seriatim publish VIEW`, or name released files."
        )
        raise StudyError(message)
    with open_store(study) as store:
        series = described(study, series_of_study(study, store), sequence)
    if findings is not None:
        series = with_findings(series, findings, cases=tuple(cases))
    return account_of_series("series", study, series, private=findings is not None)


def described(study: Study, series: SeriesAccount, sequence: str | None = None) -> SeriesAccount:
    """Return what is told of a series, with what its study says of its making."""
    known = knowledge_of(study, sequence)
    return replace(series, parameters=parameters_of(study), knowledge=known)


def account_of_series(
    kind: Kind, study: Study, series: SeriesAccount, *, private: bool = False
) -> Account:
    """Return a report of one series under the plan of its study."""
    return Account(
        kind,
        study.declared.name,
        (series,),
        study.plan.target,
        study.plan.releases,
        private,
        share=study.plan.sure_share,
    )


def series_of_study(study: Study, store: Store) -> SeriesAccount:
    """Return what is told of all releases that a store holds."""
    records = [dict(entry.record) for entry in store.entries]
    if not records:
        message = (
            f"The store of {study.declared.name!r} has no release yet, so there is nothing to"
            " report. Publish a view with `seriatim publish VIEW`."
        )
        raise TableError(message)
    numbers = [one["certificate"]["number"] for one in records]
    files = [study.output_folder / f"release-{one:04}{CERTIFICATE_ENDING}" for one in numbers]
    return _series(study.declared.name, store.history, records, files)


def series_of_files(
    name: str, history: History, sources: Sequence[str | Path]
) -> SeriesAccount | None:
    """Return what is told of released files with certificates; None where one has none."""
    files = [certificate_beside(source) for source in sources]
    if not all(file.is_file() for file in files):
        return None
    records = [{"certificate": read_certificate(file)} for file in files]
    return _series(name, history, records, files, whole=False)


def study_figures(study: Study) -> dict[str, Any]:
    """Return what a report needs of a study besides results, as audits and comparisons print it."""
    return {
        "name": study.declared.name,
        "target gain": study.plan.target,
        "share known": study.plan.sure_share,
        "planned releases": study.plan.releases,
    }


def knowledge_of(study: Study, sequence: str | None = None) -> tuple[Pair, ...]:
    """Return what a study says that readers know; of what follows what, what was named instead."""
    asked = study.declared.reader
    return (
        ("first values", _source("releases" if sequence == "releases" else asked.prior)),
        ("what follows what", _source(sequence or asked.sequence)),
        (
            "who is where",
            "the quasi-identifiers of everyone in a view, and so the groups they may be in",
        ),
        ("posterior rule of the simulated reader", asked.rule),
        ("filtering of the simulated reader", asked.filtering),
    )


def parameters_of(study: Study) -> tuple[Pair, ...]:
    """Return how a study says that releases are made."""
    policy, plan = study.policy, study.plan
    allowed = study.schema.allow_unique
    asked = listing_asked(policy)
    listing = [("people who come and go", asked)] if asked else []
    unique = [("published though nearly unique", ", ".join(allowed))] if allowed else []
    return (
        ("requirement", "; ".join(promised(policy.requirement))),
        ("partitioner", formed_by(policy.partitioner)),
        ("leftovers", policy.remainder),
        ("form", policy.form),
        *listing,
        ("planned releases", str(plan.releases)),
        ("promise", f"{plan.promise}, for the {plan.reader} reader"),
        *unique,
    )


def _series(
    name: str,
    history: History,
    records: Sequence[Mapping[str, Any]],
    files: Sequence[Path],
    *,
    whole: bool = True,
) -> SeriesAccount:
    certificates = [one["certificate"] for one in records]
    tables = tuple(
        table_figures(one["certificate"]["number"], release, one)
        for release, one in zip(history, records, strict=True)
    )
    links = _links(files, whole=whole)
    promises = _promises(certificates, links)
    return over_tables(SeriesAccount(name, tables, promises=promises, links=links))


def _links(files: Sequence[Path], *, whole: bool) -> tuple[Link, ...]:
    """Verify certificates, in the order of the chain: those of a whole series, or some of it."""
    by_name = {file.name: file for file in files}
    found = []
    for one in verify_chain(files, whole=whole):
        file = by_name[one.certificate]
        wrong = tuple(f"{check.what}: {check.found}" for check in one.checks if not check.holds)
        digest = sha256(file.read_bytes())[:_SHOWN_OF_DIGEST] if file.is_file() else "missing"
        unknown = tuple(f"unknown promise, not measured: {told}" for told in one.unknown)
        notes = (*unknown, *one.notes)
        found.append(Link(one.certificate, digest, one.holds, wrong, notes))
    return tuple(found)


def _promises(
    certificates: Sequence[Mapping[str, Any]], links: Sequence[Link]
) -> tuple[Promise, ...]:
    """Return what the last certificate promises, with the worst of all that promise the same."""
    verified = bool(links) and all(link.holds for link in links)
    found = []
    for stated in certificates[-1]["promised"]:
        known = requirement_of([stated])
        same = [one for one in certificates if stated in one["promised"]]
        worst = [_worst(one, stated["name"]) for one in same]
        if not known:
            shown = "not measured: this program does not know the promise"
            found.append(Promise(stated["name"], "unknown here", worst[-1], shown))
            continue
        part, confirmable = known[0]
        shown = "attested by the publisher: it needs the simulated reader's beliefs"
        if confirmable:
            shown = "measured again from the files" if verified else "stated in the certificates"
        if len(same) < len(certificates):
            shown += f"; {len(same)} of {len(certificates)} releases promise this"
        bound = f"{'at least' if part.at_least else 'at most'} {part.bound:g} {part.unit}".strip()
        found.append(
            Promise(stated["name"], bound, min(worst) if part.at_least else max(worst), shown)
        )
    return tuple(found)


def _worst(certificate: Mapping[str, Any], name: str) -> float:
    return next(float(one["worst"]) for one in certificate["measured"] if one["name"] == name)


def _source(word: str) -> str:
    known = {
        "uniform": "nothing: every value as likely as another",
        "releases": "as much as can be learned from the releases alone",
        "views": "as much as can be learned from the views themselves",
        "none": "nothing",
    }
    return known.get(word, f"as much as {word} says")
