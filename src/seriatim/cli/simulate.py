"""``seriatim simulate``: a made hospital or register into files, ready to be published."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import typer

from seriatim.cli.common import print_json, program, progress_through, require_new_folder
from seriatim.errors import StudyError
from seriatim.knowledge.files import write_knowledge
from seriatim.publish.study_edit import save_study
from seriatim.publish.toml_text import toml_value
from seriatim.simulate.hospital import Hospital
from seriatim.simulate.made import REGISTER, made_series
from seriatim.simulate.register import FIRST_BORN, LAST_BORN, SEXES, Register

MOST_IN_CSV = 100_000
"""Views of more tuples become Parquet, where nothing else was asked."""

_STUDY = """\
#:schema study.schema.json
# {told}
name = "made {kind}"

[columns]
respondent = "{respondent}"

{attributes}
[sensitive]
column = "{sensitive}"
values = {values}

[plan]
releases = {views}
target_gain = 0.12
{attendance}
[policy]
k = 10
t = 0.5
j = 0.6
# `seriatim rehearse` finds the cells that the target needs.
partitioner = "standing-cells"
cell_size = 40
remainder = "merge"

# A reader who knows exactly what the data was drawn from; states.csv tells what the
# states of sequence.csv are.
[reader]
prior = "prior.csv"
sequence = "sequence.csv"
"""

_OF_PATIENTS = """\
[quasi_identifiers.age]
kind = "numeric"
low = 45
high = 74

[quasi_identifiers.gender]
kind = "categorical"
values = ["F", "M"]

[quasi_identifiers.weight]
kind = "numeric"
low = 60
high = 89
"""

_OF_ENROLLED = f"""\
[quasi_identifiers.year_of_birth]
kind = "numeric"
low = {FIRST_BORN}
high = {LAST_BORN}

[quasi_identifiers.sex]
kind = "categorical"
values = {toml_value(SEXES)}

[quasi_identifiers.postcode]
kind = "hierarchical"
mask = "prefix"
"""


def run_simulate(
    folder: Path | None,
    *,
    views: int | None,
    size: int | None,
    preset: str,
    seed: int,
    settings: dict[str, Any],
    form: str | None,
    as_json: bool,
) -> None:
    """Make a series and write tables, knowledge and a study; the study comes last."""
    made = made_series(preset, views=views, size=size, seed=seed, settings=settings)
    kind = "register" if preset == REGISTER else "hospital"
    size = made.people if isinstance(made, Register) else made.size
    folder = folder or Path(kind)
    require_new_folder(folder, "--output")
    ending = form or ("csv" if size <= MOST_IN_CSV else "parquet")
    digits = max(2, len(str(made.n_views)))
    names = [f"view-{number:0{digits}}.{ending}" for number in range(1, made.n_views + 1)]
    individuals = tuples = 0
    with progress_through((*names, "knowledge"), quiet=as_json) as reached:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, (table, newcomers) in zip(names, made.counted(), strict=True):
                reached(name)
                _write_table(table, folder / name)
                individuals += newcomers
                tuples += table.num_rows
            reached("knowledge")
            write_knowledge(made.prior, folder / "prior.csv")
            write_knowledge(made.sequence, folder / "sequence.csv")
            _write_states(made, folder / "states.csv")
            save_study(folder / "study.toml", _study_text(made, preset))
        except OSError as error:
            message = f"{folder} could not be written: {error.strerror or error}."
            raise StudyError(message) from None
    figures = {"views": made.n_views, "tuples": tuples, "individuals": individuals}
    if as_json:
        domain = made.schema.sensitive.domain
        figures |= {"values": len(domain), "states": made.sequence.n_states}
        print_json({**figures, "preset": preset, "seed": seed, "folder": str(folder)})
        return
    mean = tuples / made.n_views
    each = f"{size:,}" if mean == size else f"some {mean:,.0f}"
    typer.echo(
        f"{made.n_views:,} views of {each} tuples about {individuals:,} individuals,"
        f" preset {preset}, seed {seed}: {folder}\n"
        f"Next: {program()} publish {folder / names[0]} --study {folder} --at 1"
    )


def _write_table(table: pa.Table, file: Path) -> None:
    if file.suffix == ".parquet":
        pyarrow.parquet.write_table(table, file)
        return
    texts = [pa.string() if pa.types.is_dictionary(one.type) else one.type for one in table.schema]
    plain = pa.schema(list(zip(table.column_names, texts, strict=True)))
    pyarrow.csv.write_csv(table.cast(plain), file)


def _write_states(made: Hospital | Register, file: Path) -> None:
    """Write what the states of the sequence knowledge mean; the first has seen nothing yet."""
    if isinstance(made, Register):
        columns: tuple[str, ...] = ("value",)
        states: tuple[tuple[str, ...], ...] = (
            ("",),
            *((str(one),) for one in made.sequence.values),
        )
    else:
        columns, states = made.course.columns, made.course.states
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(["state", *columns])
        writer.writerows([state, *words] for state, words in enumerate(states))


def _study_text(made: Hospital | Register, preset: str) -> str:
    if isinstance(made, Register):
        told = (
            f"A made register: {made.n_views} views of {made.people:,} people enrolled, stays"
            f" {made.stays:g}, turnover {made.turnover:g}, attendance {made.attendance:g}, seed"
            f" {made.seed}."
        )
        kind, attributes = "register", _OF_ENROLLED
        plan = f"attendance = {made.attendance!r}\nturnover = {made.turnover!r}\n"
    else:
        told = (
            f"A made hospital: preset {preset}, {made.n_views} views of {made.size:,} tuples,"
            f" seed {made.seed}."
        )
        kind, attributes, plan = "hospital", _OF_PATIENTS, ""
    return _STUDY.format(
        told=told,
        kind=kind,
        respondent=made.schema.respondent,
        attributes=attributes,
        sensitive=made.schema.sensitive.name,
        values=toml_value(made.schema.sensitive.domain),
        views=made.n_views,
        attendance=plan,
    )
