"""``seriatim simulate``: a made hospital into files, ready to be published."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import typer

from seriatim.cli.common import print_json, program, progress_through, require_new_folder
from seriatim.errors import StudyError
from seriatim.knowledge.files import write_knowledge
from seriatim.publish.study_edit import save_study
from seriatim.publish.toml_text import toml_value
from seriatim.simulate.hospital import Hospital, hospital

MOST_IN_CSV = 100_000
"""Views of more tuples become Parquet, where nothing else was asked."""

_STUDY = """\
#:schema study.schema.json
# A made hospital: preset {preset}, {views} views of {size:,} tuples, seed {seed}.
name = "made hospital"

[columns]
respondent = "patient"

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

[sensitive]
column = "exam_result"
values = {values}

[plan]
releases = {views}
target_gain = 0.12

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


def run_simulate(
    folder: Path,
    *,
    views: int,
    size: int,
    preset: str,
    seed: int,
    form: str | None,
    as_json: bool,
) -> None:
    """Make a hospital and write tables, knowledge and a study; the study comes last."""
    made = hospital(views=views, size=size, preset=preset, seed=seed)
    require_new_folder(folder, "--output")
    ending = form or ("csv" if size <= MOST_IN_CSV else "parquet")
    digits = max(2, len(str(views)))
    names = [f"view-{number:0{digits}}.{ending}" for number in range(1, views + 1)]
    individuals = 0
    with progress_through((*names, "knowledge"), quiet=as_json) as reached:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, week in zip(names, made.weeks(), strict=True):
                reached(name)
                _write_table(made.table(week), folder / name)
                individuals += week.newcomers
            reached("knowledge")
            write_knowledge(made.prior, folder / "prior.csv")
            write_knowledge(made.sequence, folder / "sequence.csv")
            _write_states(made, folder / "states.csv")
            save_study(folder / "study.toml", _study_text(made, preset))
        except OSError as error:
            message = f"{folder} could not be written: {error.strerror or error}."
            raise StudyError(message) from None
    figures = {"views": views, "tuples": views * size, "individuals": individuals}
    if as_json:
        figures |= {"values": len(made.course.values), "states": made.sequence.n_states}
        print_json({**figures, "preset": preset, "seed": seed, "folder": str(folder)})
        return
    typer.echo(
        f"{views:,} views of {size:,} tuples about {individuals:,} individuals, preset {preset},"
        f" seed {seed}: {folder}\n"
        f"Next: {program()} publish {folder / names[0]} --study {folder} --at 1"
    )


def _write_table(table: pa.Table, file: Path) -> None:
    if file.suffix == ".parquet":
        pyarrow.parquet.write_table(table, file)
        return
    texts = [pa.string() if pa.types.is_dictionary(one.type) else one.type for one in table.schema]
    plain = pa.schema(list(zip(table.column_names, texts, strict=True)))
    pyarrow.csv.write_csv(table.cast(plain), file)


def _write_states(made: Hospital, file: Path) -> None:
    """Write what the states of the sequence knowledge mean; the first has seen nothing yet."""
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(["state", *made.course.columns])
        writer.writerows([state, *words] for state, words in enumerate(made.course.states))


def _study_text(made: Hospital, preset: str) -> str:
    return _STUDY.format(
        preset=preset,
        views=made.n_views,
        size=made.size,
        seed=made.seed,
        values=toml_value(made.course.values),
    )
