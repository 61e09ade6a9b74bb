"""Findings of an audit as what a report tells, and as what ``seriatim audit --json`` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any, TypeVar

from seriatim.audit.distribution import Distribution, distributions
from seriatim.audit.findings import Findings
from seriatim.errors import StudyError
from seriatim.report.account import (
    Account,
    BracketWords,
    Case,
    CaseStep,
    DifferenceFigures,
    ReaderPoint,
    ReaderSummary,
    SeriesAccount,
    TableFigures,
)
from seriatim.report.tables import beside_original, over_tables, table_figures

_Plain = TypeVar("_Plain")


def with_findings(
    series: SeriesAccount, findings: Findings, *, cases: Sequence[Case] = ()
) -> SeriesAccount:
    """Return a series with what readers learned from it."""
    tables = tuple(
        beside_original(figures, release, original, where)
        for figures, release, original, where in zip(
            series.tables, findings.releases, findings.rosters, findings.memberships, strict=True
        )
    )
    return over_tables(
        replace(
            series,
            tables=tables,
            readers=tuple(_picked(ReaderSummary, asdict(row)) for row in findings.series),
            points=tuple(_picked(ReaderPoint, asdict(row)) for row in findings.rows),
            differences=_picked(DifferenceFigures, findings.differences.figures),
            brackets=tuple(
                BracketWords(one.reader, one.has_settled, one.lines) for one in findings.brackets
            ),
            distributions=distributions(findings),
            cases=tuple(cases),
        )
    )


def series_of_findings(
    name: str, findings: Findings, *, cases: Sequence[Case] = ()
) -> SeriesAccount:
    """Return what is told of an audited series, whoever made it."""
    tables = tuple(
        table_figures(number, release) for number, release in enumerate(findings.releases, start=1)
    )
    return with_findings(SeriesAccount(name, tables), findings, cases=cases)


def plain_series(series: SeriesAccount) -> dict[str, Any]:
    """Return the part of a series that an audit's JSON carries besides findings and risks."""
    return {
        "tables": [asdict(one) for one in series.tables],
        "distributions": [asdict(one) for one in series.distributions],
        "brackets": [asdict(one) for one in series.brackets],
        "cases": [asdict(one) for one in series.cases],
        "parameters": [list(pair) for pair in series.parameters],
        "knowledge": [list(pair) for pair in series.knowledge],
    }


def account_of_audit(found: Mapping[str, Any]) -> Account:
    """Return what a report tells of an audit, from what ``seriatim audit --json`` printed."""
    try:
        study = found["study"]
        series = SeriesAccount(
            study["name"],
            tuple(_table(one) for one in found["tables"]),
            tuple(_picked(ReaderSummary, one) for one in found["series"]),
            tuple(_picked(ReaderPoint, one) for one in found["releases"]),
            _picked(DifferenceFigures, found["differences"]),
            tuple(_bracket(one) for one in found["brackets"]),
            tuple(_distribution(one) for one in found["distributions"]),
            tuple(_case(one) for one in found["cases"]),
            parameters=_pairs(found["parameters"]),
            knowledge=_pairs(found["knowledge"]),
        )
        return Account(
            "audit",
            study["name"],
            (over_tables(series),),
            float(study["target gain"]),
            int(study["planned releases"]),
            private=True,
            share=float(study.get("share known", 1.0)),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        message = (
            "This file is not what `seriatim audit --json` prints, or an older version printed it."
            " Make it anew, or give the releases and their originals to `seriatim report`."
        )
        raise StudyError(message) from None


def _picked(kind: type[_Plain], values: Mapping[str, Any]) -> _Plain:
    """Return a plain value from those of its fields that are given."""
    names = [one.name for one in fields(kind)]  # type: ignore[arg-type]
    given = {name: values[name] for name in names if name in values}
    if "at" in given:
        given["at"] = str(given["at"])
    return kind(**given)


def _table(values: Mapping[str, Any]) -> TableFigures:
    sizes = tuple((int(size), int(times)) for size, times in values["sizes"])
    return replace(_picked(TableFigures, values), sizes=sizes)


def _bracket(values: Mapping[str, Any]) -> BracketWords:
    return BracketWords(values["reader"], bool(values["has_settled"]), tuple(values["told"]))


def _distribution(values: Mapping[str, Any]) -> Distribution:
    return Distribution(values["reader"], tuple(values["edges"]), tuple(values["tuples"]))


def _case(values: Mapping[str, Any]) -> Case:
    steps = tuple(
        replace(_picked(CaseStep, one), told=tuple(one["told"])) for one in values["steps"]
    )
    return replace(_picked(Case, values), steps=steps)


def _pairs(values: Sequence[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((str(name), str(value)) for name, value in values)
