"""``seriatim verify``: releases against their certificates, from the files alone."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import typer

from seriatim.cli.common import print_json
from seriatim.errors import TableError
from seriatim.publish.verify import CERTIFICATE_ENDING, certificate_beside, verify_chain


def run_verify(paths: list[Path], *, as_json: bool) -> None:
    """Verify certificates, or all those of a folder; exit with 1 if one fails."""
    found = verify_chain(_certificates(paths))
    if as_json:
        print_json([asdict(one) | {"holds": one.holds} for one in found])
    else:
        typer.echo("\n".join(str(one) for one in found))
        good = sum(one.holds for one in found)
        typer.echo(f"{good} of {len(found)} verified.")
    if not all(one.holds for one in found):
        raise typer.Exit(1)


def _certificates(paths: list[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(path.glob(f"*{CERTIFICATE_ENDING}"))
        else:
            found.append(certificate_beside(path))
    if not found:
        message = f"There is no certificate (*{CERTIFICATE_ENDING}) to verify by."
        raise TableError(message)
    return list(dict.fromkeys(found))
