"""Originals: what the releases of a study were made from, as an audit needs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from seriatim.errors import told_of
from seriatim.microdata.bad_cells import counting_rows
from seriatim.microdata.history import History
from seriatim.microdata.roster import Roster
from seriatim.microdata.schema import Schema
from seriatim.microdata.sources import named_source, open_table
from seriatim.microdata.view import View
from seriatim.publish.study import Study


def open_originals(
    study: Study, history: History, sources: Sequence[str | Path], **how: Any
) -> list[Roster]:
    """Open the originals of a series: views, or rosters where they have no sensitive column."""
    schema = replace(study.intake.labelled, sensitive=history[0].schema.sensitive)
    opened = []
    for number, source in enumerate(sources, start=1):
        with told_of(named_source(source, f"Original {number}")):
            opened.append(_original(study, schema, source, how))
    return opened


def _original(study: Study, schema: Schema, source: str | Path, how: dict[str, Any]) -> Roster:
    table = open_table(source, text=study.text_columns, missing=study.declared.input.empty, **how)
    if schema.sensitive.name in table.column_names:
        taken = study.intake.take_in(table)
        with counting_rows(taken.rows):
            return View.from_table(taken.table, schema)
    return Roster.from_table(table, schema)
