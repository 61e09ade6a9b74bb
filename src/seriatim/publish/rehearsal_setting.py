"""What a study gives to a rehearsal: its plan, and the people or views to play it with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from seriatim._typing import Value
from seriatim.errors import SchemaError, StudyError, told_of
from seriatim.microdata.bad_cells import counting_rows
from seriatim.microdata.near_unique import nearly_unique, refuse_nearly_unique
from seriatim.microdata.own_ids import refuse_own_ids
from seriatim.microdata.roster import Roster
from seriatim.microdata.sources import named_source, open_table
from seriatim.microdata.view import View
from seriatim.publish.foreknowledge import Foreknowledge, foresee
from seriatim.publish.press import open_view
from seriatim.publish.series_plan import SeriesPlan
from seriatim.publish.series_schema import with_values
from seriatim.publish.study import Study
from seriatim.simulate.foresight import Attendance


def plan_of(study: Study, changes: Mapping[str, Any]) -> SeriesPlan:
    """Return a study's plan with some of it changed for once; None changes nothing."""
    plan = study.plan
    given = {name: value for name, value in changes.items() if value is not None}
    attendance = Attendance(
        given.pop("attendance", plan.attendance.share),
        given.pop("turnover", plan.attendance.turnover),
    )
    plan = replace(plan, attendance=attendance, **given)
    if plan.releases < 2:
        message = (
            "A rehearsal is of a series: say how many releases are planned, with --releases or as"
            " releases under [plan] of the study."
        )
        raise StudyError(message)
    return plan


def foreseen(
    study: Study, sources: Sequence[str | Path], plan: SeriesPlan, *, values: bool = True
) -> Foreknowledge:
    """Learn from past tables what a study's rehearsal is played with.

    Sensitive values are read where tables have them, unless ``values`` says no; where the
    study's reader learns from the views, they must be.
    """
    reader, adversary = study.declared.reader, study.adversary
    if reader.sequence == "none":
        message = (
            f'{study.path.name} says sequence = "none" under [reader]: a reader who does not know'
            " what follows what learns nothing from a series beyond each release, and there is"
            ' nothing to rehearse. Say sequence = "views", or name a file of knowledge.'
        )
        raise StudyError(message)
    learns = "views" in (reader.sequence, reader.prior)
    if learns and not values:
        message = (
            f'{study.path.name} says "views" under [reader]: what no file tells is learned from'
            " past views, which needs their sensitive values. Name files of knowledge for sequence"
            " and prior, or let the values be read."
        )
        raise StudyError(message)
    people: Sequence[Roster]
    if learns or (values and _have_values(study, sources)):
        people = open_views(study, sources, known=adversary.values)
    else:
        people = open_rosters(study, sources)
    return foresee(adversary, people, plan.attendance)


def _have_values(study: Study, sources: Sequence[str | Path]) -> bool:
    """Tell whether all tables have the column of sensitive values."""
    try:
        for source in sources:
            open_table(source, columns=[study.declared.sensitive.column])
    except SchemaError:
        return False
    return True


def open_rosters(study: Study, sources: Sequence[str | Path]) -> list[Roster]:
    """Open who a rehearsal is played with, with domains that hold all of them.

    Sensitive values are not even looked at.
    """
    schema = with_values(study.intake.labelled, study.adversary.values)
    columns = list(schema.roster_columns)
    names, tables = _names(sources), []
    for source, name in zip(sources, names, strict=True):
        with told_of(name):
            table = open_table(
                source,
                columns=columns,
                text=study.text_columns,
                missing=study.declared.input.empty,
            )
            schema = schema.resolve_roster(table)
            tables.append(table)
    rosters = []
    for table, name in zip(tables, names, strict=True):
        with told_of(name):
            rosters.append(Roster.from_table(table, schema))
    return rosters


def open_views(
    study: Study, sources: Sequence[str | Path], *, known: tuple[Value, ...] = ()
) -> list[View]:
    """Open past views, with domains that hold all of them.

    Values that the reader has ``known`` are the domain, where none is declared.
    """
    names, taken, schema = _names(sources), [], study.intake.labelled
    schema = with_values(schema, known) if known else schema
    for source, name in zip(sources, names, strict=True):
        with told_of(name):
            one = study.intake.take_in(open_view(study, source))
            with counting_rows(one.rows):
                schema = schema.resolve(one.table)
            taken.append(one)
    views = []
    for one, name in zip(taken, names, strict=True):
        with told_of(name), counting_rows(one.rows):
            views.append(View.from_table(one.table, schema))
            refuse_own_ids(views[-1])
            refuse_nearly_unique(nearly_unique(views[-1], study.intake.labelled))
    return views


def _names(sources: Sequence[str | Path]) -> list[str]:
    return [named_source(one, f"View {number}") for number, one in enumerate(sources, start=1)]
