"""``seriatim verify``: releases against their certificates, from the files alone."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import typer

from seriatim.cli.common import print_json
from seriatim.errors import TableError, listed
from seriatim.publish.certificate_file import (
    CERTIFICATE_ENDING,
    certificate_beside,
    read_certificate,
)
from seriatim.publish.head import HEAD
from seriatim.publish.verify import Verification, verify_chain


def run_verify(paths: list[Path], *, head: Path | None, as_json: bool) -> None:
    """Verify certificates, or all those of a folder; exit with 1 if one fails.

    A folder is taken for a whole series, and files that are named for some of its releases.
    """
    whole = any(path.is_dir() for path in paths)
    found = verify_chain(_certificates(paths), head=head, whole=whole)
    if as_json:
        print_json([asdict(one) | {"holds": one.holds} for one in found])
    else:
        typer.echo("\n".join(str(one) for one in found))
        typer.echo(_told(found))
    if not all(one.holds for one in found):
        raise typer.Exit(1)


def _told(found: tuple[Verification, ...]) -> str:
    """Say how many were verified, and what could not be."""
    good = sum(one.holds for one in found)
    unknown = sum(len(one.unknown) for one in found)
    told = f"{good} of {len(found)} verified."
    return told if not unknown else f"{told} {unknown} promises are unknown here, NOT measured."


def _certificates(paths: list[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(path.glob(f"*{CERTIFICATE_ENDING}"))
        else:
            found.append(path if path.name == HEAD else _certificate_of(path))
    if all(path.name == HEAD for path in found):
        message = f"There is no certificate (*{CERTIFICATE_ENDING}) to verify by."
        raise TableError(message)
    return list(dict.fromkeys(found))


def _certificate_of(path: Path) -> Path:
    """Return the certificate of a file that was named, which must be one that it certifies."""
    certificate = certificate_beside(path)
    if certificate == path:
        return path
    if not path.is_file():
        message = f"{path} could not be read: there is no such file."
        raise TableError(message)
    if certificate.is_file():
        names = read_certificate(certificate)["files"]
    else:
        # A part lies in a folder that is named like its release.
        folder = path.absolute().parent
        certificate = folder.parent / f"{folder.name}{CERTIFICATE_ENDING}"
        if not certificate.is_file():
            message = f"There is no certificate beside {path} to verify it by."
            raise TableError(message)
        names = read_certificate(certificate)["files"]
    if path.name not in {Path(name).name for name in names}:
        message = (
            f"{path.name} is not certified: {certificate.name} names {listed(sorted(names))}.\n"
            "Try one of these, or the certificate itself."
        )
        raise TableError(message)
    return certificate
