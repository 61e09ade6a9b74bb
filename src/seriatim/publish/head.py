"""The head of a series: a small public file that names its newest release.

A chain of certificates shows that none is missing between two of them, and not that none is
missing at its end. ``head.json`` beside the releases names the newest certificate by number and
digest. Kept or published elsewhere as well, it tells readers that they have the whole series.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seriatim.errors import TableError
from seriatim.publish.certificate_file import CERTIFICATE_ENDING, read_public_json
from seriatim.publish.new_files import fsync_directory, new_file

HEAD = "head.json"
"""The name of the head, in the folder of the releases."""

FORM = 1
"""The form of heads; grows when a field changes its meaning."""

_DIGITS = 64


@dataclass(frozen=True)
class Head:
    """What a head names."""

    study: str
    """The study."""

    number: int
    """The number of its newest release."""

    sha256: str
    """The SHA-256 digest of that release's certificate."""


def head_bytes(study: str, number: int, digest: str) -> bytes:
    """Return the bytes of a head."""
    told = {
        "seriatim head": FORM,
        "study": study,
        "number": number,
        "certificate": f"release-{number:04}{CERTIFICATE_ENDING}",
        "sha256": digest,
    }
    return (json.dumps(told, indent=1, ensure_ascii=False) + "\n").encode()


def head_of(record: Mapping[str, Any]) -> bytes | None:
    """Return the head after a release, from what a store records of it; None for other records."""
    certificate, digest = record.get("certificate"), record.get("certificate sha256")
    if certificate is None or digest is None:
        return None
    return head_bytes(certificate["study"], certificate["number"], digest)


def write_head(folder: Path, record: Mapping[str, Any], *, raising: bool = False) -> None:
    """Let the head in a folder name a release, in one step; nothing if it does already.

    It never names a release whose certificate is not there. With ``raising`` a head that names a
    later release stays: the record may be an older store's.
    """
    content, head = head_of(record), folder / HEAD
    if content is None or not (folder / json.loads(content)["certificate"]).is_file():
        return
    if raising and head_number(folder) > record["number"]:
        return
    try:
        if not (head.is_file() and head.read_bytes() == content):
            replace_public(head, content)
    except OSError as error:
        message = (
            f"The release is out, and {HEAD} in {folder} could not be written:"
            f" {error.strerror}. Whoever publishes next writes it."
        )
        raise TableError(message) from None


def head_number(folder: Path) -> int:
    """Return the number of the release that the head in a folder names; 0 where there is none."""
    try:
        return read_head(folder / HEAD).number
    except TableError:
        return 0


def replace_public(path: Path, content: bytes) -> None:
    """Write a small file that anybody may read, in one step, in the place of one that is there."""
    begun = path.with_name(f".{path.name}.part")
    begun.unlink(missing_ok=True)
    with new_file(begun, 0o644) as file:
        file.write(content)
    begun.replace(path)
    fsync_directory(path.parent)


def read_head(path: Path) -> Head:
    """Read a head, which anybody may have written; anything else is an error."""
    found = read_public_json(path, "head")
    form = found.get("seriatim head") if isinstance(found, dict) else None
    if isinstance(form, int) and not isinstance(form, bool) and form > FORM:
        message = f"{path.name} was written by a newer seriatim; use that version to verify by it."
        raise TableError(message)
    if form == FORM:
        study, number, digest = (found.get(name) for name in ("study", "number", "sha256"))
        whole = isinstance(number, int) and not isinstance(number, bool) and number > 0
        if isinstance(study, str) and whole and isinstance(digest, str) and len(digest) == _DIGITS:
            return Head(study, number, digest)
    message = f"{path.name} is no head of seriatim, or was changed."
    raise TableError(message)
