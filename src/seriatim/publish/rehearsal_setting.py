"""What a study gives to a rehearsal: its plan, and the people or views to play it with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from seriatim.errors import StudyError, told_of
from seriatim.microdata.near_unique import nearly_unique, refuse_nearly_unique
from seriatim.microdata.roster import Roster
from seriatim.microdata.sources import open_table
from seriatim.microdata.view import View
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


def unforeseen(study: Study) -> str | None:
    """Return what in a study keeps its reader from knowing anything before the first view.

    Then there is nothing to draw histories from; None where there is.
    """
    reader = study.declared.reader
    for key, word, empty in (
        ("sequence", reader.sequence, ("views", "none")),
        ("prior", reader.prior, ("views",)),
    ):
        if word in empty:
            return f'{key} = "{word}"'
    return None


def open_rosters(study: Study, sources: Sequence[str | Path]) -> list[Roster]:
    """Open who a rehearsal is played with, with domains that hold all of them.

    Sensitive values are not even looked at.
    """
    schema = with_values(study.intake.labelled, study.adversary.values)
    columns = list(schema.roster_columns)
    tables = [
        open_table(
            source,
            columns=columns,
            text=study.text_columns,
            missing=study.declared.input.empty,
        )
        for source in sources
    ]
    for number, table in enumerate(tables, start=1):
        with told_of(f"View {number}"):
            schema = schema.resolve_roster(table)
    return [Roster.from_table(table, schema) for table in tables]


def open_views(study: Study, sources: Sequence[str | Path]) -> list[View]:
    """Open past views, with domains that hold all of them."""
    taken = [study.intake.take_in(open_view(study, source)) for source in sources]
    schema = taken[0].schema
    for number, one in enumerate(taken, start=1):
        with told_of(f"View {number}"):
            schema = schema.resolve(one.table)
    views = [View.from_table(one.table, schema) for one in taken]
    for number, view in enumerate(views, start=1):
        with told_of(f"View {number}"):
            refuse_nearly_unique(nearly_unique(view, taken[0].schema))
    return views
