"""Originals: what the releases of a study were made from, as an audit needs them.

Where a release lists others than who is in its table, or is of several tables, its certificate says
so, and originals become what was listed: pooled, and with people moved as they were published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from seriatim.errors import OrderError, TableError, told_of
from seriatim.microdata.bad_cells import counting_rows
from seriatim.microdata.history import History
from seriatim.microdata.intake import Taken
from seriatim.microdata.roster import Roster
from seriatim.microdata.schema import Schema
from seriatim.microdata.sources import named_source, open_table
from seriatim.microdata.view import View
from seriatim.publish.certificate_file import certificate_beside, read_certificate
from seriatim.publish.publisher import Publisher
from seriatim.publish.study import Study


def open_originals(
    study: Study,
    history: History,
    sources: Sequence[str | Path],
    *,
    released: Sequence[str | Path] = (),
    **how: Any,
) -> list[Roster]:
    """Open the originals of a series: views, or rosters where they have no sensitive column.

    ``released`` are the files of the releases, beside which certificates may say who is listed.
    """
    schema = replace(study.intake.labelled, sensitive=history[0].schema.sensitive)
    said = _listing_certified(released)
    taken: list[Taken] = []
    opened: list[Roster] = []
    for number, source in enumerate(sources, start=1):
        with told_of(named_source(source, f"Original {number}")):
            table = _opened(study, source, how)
            if said:
                taken.append(_taken_in(study, schema, table))
            else:
                opened.append(_original(study, schema, table))
    return _as_listed(study, schema, history, taken, said) if said else opened


def _original(study: Study, schema: Schema, table: Any) -> Roster:
    if schema.sensitive.name not in table.column_names:
        return Roster.from_table(table, schema)
    taken = study.intake.take_in(table)
    with counting_rows(taken.rows):
        return View.from_table(taken.table, schema)


def _opened(study: Study, source: str | Path, how: dict[str, Any]) -> Any:
    return open_table(source, text=study.text_columns, missing=study.declared.input.empty, **how)


def _taken_in(study: Study, schema: Schema, table: Any) -> Taken:
    if schema.sensitive.name not in table.column_names:
        message = (
            "People who are not in a table are published from earlier ones, or tables are pooled,"
            " and this original has no sensitive column. Give the tables that the releases were"
            " made from."
        )
        raise TableError(message)
    return study.intake.take_in(table)


def _listing_certified(released: Sequence[str | Path]) -> dict[str, int]:
    """Return how the last of some releases lists people, as its certificate says, if it has one."""
    beside = certificate_beside(released[-1]) if released else None
    if beside is None or not beside.is_file():
        return {}
    told = read_certificate(beside).get("made by", {})
    named = {name: told[name] for name in ("batch", "keep", "pool") if name in told}
    return {name: asked for name, asked in named.items() if isinstance(asked, int)}


def _as_listed(
    study: Study, schema: Schema, history: History, taken: Sequence[Taken], said: dict[str, int]
) -> list[Roster]:
    """Return whom each release lists.

    Where people stay listed, the originals are published anew in memory: who is listed does not
    depend on the secret of the series, but on all releases before.
    """
    pool = said.get("pool", 1)
    if len(taken) != pool * len(history):
        message = (
            f"{len(history)} releases were made of {pool} tables each (pool = {pool}), and"
            f" {len(taken)} originals were given. Give all {pool * len(history)}, the earliest"
            " first."
        )
        raise OrderError(message)
    policy = replace(study.policy, pool=pool)
    publisher = Publisher(schema, policy, study.adversary)
    listed: list[Roster] = []
    for number, release in enumerate(history):
        some = taken[number * pool : (number + 1) * pool]
        view = publisher.read([one.table for one in some], [one.rows for one in some])
        if policy.lists:
            made = publisher.prepare(view, at=release.at)
            publisher.commit(*made)
            view = made[0].view
        listed.append(view)
    return listed
