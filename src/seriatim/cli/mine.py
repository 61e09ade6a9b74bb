"""``seriatim mine``: sequence knowledge from other data, to a readable file."""

from __future__ import annotations

from pathlib import Path

import typer

from seriatim.cli.common import print_json, telling_warnings
from seriatim.knowledge.files import write_knowledge
from seriatim.knowledge.mining import Unseen, mine
from seriatim.microdata.sources import open_table


def run_mine(
    corpus: list[str],
    output: Path,
    *,
    respondent: str,
    value: str,
    at: str | None,
    by: list[str],
    steps: int,
    unseen: Unseen,
    as_json: bool,
) -> None:
    """Count a corpus and write what was learned."""
    with telling_warnings():
        tables = [open_table(source) for source in corpus]
    model = mine(
        tables if len(tables) > 1 else tables[0],
        steps=steps,
        respondent=respondent,
        value=value,
        at=at,
        by=by,
        unseen=unseen,
    )
    write_knowledge(model, output)
    contexts, tuples = len(model.contexts), sum(table.num_rows for table in tables)
    if as_json:
        figures = {"tuples": tuples, "values": len(model.values), "contexts": contexts}
        print_json(figures | {"file": str(output)})
    else:
        typer.echo(
            f"{tuples:,} tuples, {len(model.values)} values, {contexts:,} contexts of up to"
            f" {steps} values: {output}"
        )
