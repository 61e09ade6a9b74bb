"""A series in a folder: which files belong to it, and which manifest says so.

    FOLDER/manifest-0003.json     the series after its third release; the highest number counts
    FOLDER/pasts/0003-…           records of people, as Parquet; a manifest names those in use
    FOLDER/work-…                 what a run is making; nothing of it counts
    OUTPUT/release-0003/          the parts of a release, as Parquet
    OUTPUT/release-0003.certificate.json
    OUTPUT/head.json              names the newest certificate

A manifest is one small file that appears whole under a new name. That is the moment at which a
release exists: before it the older manifest and all that it names are as they were, and what a
killed run left behind is swept away by the next.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from seriatim._typing import Instant
from seriatim.engines.workers import Files
from seriatim.errors import OrderError, StoreError
from seriatim.microdata.schema import Schema
from seriatim.publish.certificate import sha256
from seriatim.publish.head import HEAD, head_of
from seriatim.publish.records import read_instant, read_schema, write_schema

_FORM = 1
_PREFIX = "manifest-"
PENDING = ".pending"


@dataclass(frozen=True)
class Manifest:
    """What a series is after a release."""

    secret: bytes = field(repr=False)
    """The secret of the series; drawn when it begins."""

    schema: Schema | None = None
    """The schema, with every domain as wide as it is by now; None before the first release."""

    pasts: tuple[str, ...] = ()
    """The folders of records, oldest first."""

    records: int = 0
    """How many records these have."""

    people: int = 0
    """Of how many people."""

    structure: str = ""
    """What the places of pasts mean, in hexadecimal."""

    members: tuple[tuple[str, ...], ...] = ()
    """For each release, the folders of records that say who was in which group."""

    districts: Mapping[str, Any] = field(default_factory=dict)
    """The shards of standing cells, which stay; empty for other series."""

    plans: tuple[str, ...] = ()
    """The folder of what the partitioner remembers of each of them."""

    entries: tuple[Mapping[str, Any], ...] = ()
    """What is recorded of each release."""

    @property
    def folders(self) -> frozenset[str]:
        """All folders of records that are in use."""
        return frozenset(
            (*self.pasts, *self.plans, *(name for one in self.members for name in one))
        )

    @property
    def number(self) -> int:
        """How many releases there are."""
        return len(self.entries)

    @property
    def last_instant(self) -> Instant | None:
        """When the last release was made; None before the first."""
        return read_instant(json.dumps(self.entries[-1]["at"])) if self.entries else None

    def with_release(self, entry: Mapping[str, Any], **changed: Any) -> Manifest:
        """Return the manifest after one more release."""
        return replace(self, entries=(*self.entries, entry), **changed)

    def to_bytes(self) -> bytes:
        """Write it as JSON."""
        told = {
            "seriatim series": _FORM,
            "secret": self.secret.hex(),
            "schema": None if self.schema is None else write_schema(self.schema),
            "pasts": list(self.pasts),
            "records": self.records,
            "people": self.people,
            "structure": self.structure,
            "members": [list(one) for one in self.members],
            "districts": dict(self.districts),
            "plans": list(self.plans),
            "entries": [dict(one) for one in self.entries],
        }
        return (json.dumps(told, indent=1, ensure_ascii=False) + "\n").encode()

    @classmethod
    def from_bytes(cls, content: bytes, name: str) -> Manifest:
        """Read it back."""
        try:
            told = json.loads(content)
            form = told["seriatim series"]
        except (ValueError, KeyError, TypeError):
            message = f"{name} is no manifest of a series, or was changed. Restore it."
            raise StoreError(message) from None
        if form > _FORM:
            message = f"{name} was written by a newer seriatim; use that version."
            raise StoreError(message)
        return cls(
            bytes.fromhex(told["secret"]),
            None if told["schema"] is None else read_schema(told["schema"]),
            tuple(told["pasts"]),
            told["records"],
            told["people"],
            told["structure"],
            tuple(tuple(one) for one in told["members"]),
            told["districts"],
            tuple(told["plans"]),
            tuple(told["entries"]),
        )


class SeriesFolder:
    """The folder of a series, and that of its releases."""

    def __init__(self, files: Files, folder: str, output: str) -> None:
        """Name the folders; nothing is read or written yet."""
        self._files = files
        self.folder = folder.rstrip("/")
        self.output = output.rstrip("/")

    def manifest(self) -> Manifest | None:
        """Return the manifest that counts; None before the first release."""
        found = [name for name in self._files.names(self.folder) if name.startswith(_PREFIX)]
        if not found:
            return None
        return Manifest.from_bytes(self._files.read(f"{self.folder}/{found[-1]}"), found[-1])

    def require_own(self, manifest: Manifest | None) -> None:
        """Refuse files that a later or another manifest named: nothing of them may be removed."""
        number = 0 if manifest is None else manifest.number
        there = self._files.names(self.output)
        beyond = [name for name in there if name.startswith(release_name(number + 1))]
        if beyond:
            message = (
                f"The output folder already has {beyond[0]}, and the series has {number} releases:"
                " it is an older copy, or another's. Restore the series that belongs to these"
                " releases, or name another folder for a new one."
            )
            raise OrderError(message)
        records = self._files.names(f"{self.folder}/pasts")
        unknown = [name for name in records if int(name.partition("-")[0]) > number + 1]
        if unknown or (manifest is None and records):
            message = (
                f"{self.folder}/pasts has {(unknown or records)[0]}, which belongs to a manifest"
                " that is not there. Nothing was removed. Bring the manifest back, or name another"
                " folder for a new series."
            )
            raise StoreError(message)

    def recover(self, manifest: Manifest | None) -> None:
        """Finish what was committed and not moved; sweep away what was not committed."""
        self.require_own(manifest)
        self._files.make_private(self.folder)
        self._files.make_public(self.output)
        number = 0 if manifest is None else manifest.number
        waiting = self._files.names(f"{self.output}/{PENDING}")
        if manifest is not None and any(name.startswith(release_name(number)) for name in waiting):
            self._require_whole(manifest)
            self.put_in_place(number)
        self._files.remove(f"{self.output}/{PENDING}")
        if manifest is not None:
            self.name_newest(manifest)
        for name in self._files.names(self.folder):
            if name.startswith("work-"):
                self._files.remove(f"{self.folder}/{name}")
        used = frozenset() if manifest is None else manifest.folders
        for name in self._files.names(f"{self.folder}/pasts"):
            if name not in used:
                self._files.remove(f"{self.folder}/pasts/{name}")

    def _require_whole(self, manifest: Manifest) -> None:
        """Refuse to move a release whose files are not those that were committed."""
        certificate, name = manifest.entries[-1]["certificate"], release_name(manifest.number)
        certified = f"{name}.certificate.json"
        there = self._files.names(self.output)
        contents = {}
        if name not in there:
            contents = {one: stated["sha256"] for one, stated in certificate["files"].items()}
        if certified not in there:
            contents[certified] = manifest.entries[-1]["certificate sha256"]
        for one, digest in contents.items():
            folder, _, file = f"{self.output}/{PENDING}/{one}".rpartition("/")
            waits = file in self._files.names(folder)
            if not waits or sha256(self._files.read(f"{folder}/{file}")) != digest:
                message = (
                    f"Release {manifest.number} is part of the series, but {one} was damaged while"
                    f" it waited in {self.output}/{PENDING}. Nothing was removed. Put a copy with"
                    f" SHA-256 {digest} there, then publish again."
                )
                raise StoreError(message)

    def discard(self, number: int) -> None:
        """Remove what a run made of a release that is not to be part of the series."""
        name = release_name(number)
        for one in (name, f"{name}.certificate.json"):
            self._files.remove(f"{self.output}/{PENDING}/{one}")
        if not self._files.names(f"{self.output}/{PENDING}"):
            self._files.remove(f"{self.output}/{PENDING}")
        for one in self._files.names(f"{self.folder}/pasts"):
            if one.startswith(f"{number:04}-"):
                self._files.remove(f"{self.folder}/pasts/{one}")

    def new_work(self) -> str:
        """Return the name of a folder to work in."""
        return f"{self.folder}/work-{secrets.token_hex(8)}"

    def pasts(self, names: tuple[str, ...]) -> list[str]:
        """Return the folders of records."""
        return [f"{self.folder}/pasts/{name}" for name in names]

    def pending(self, number: int) -> str:
        """Return where a release waits until it is part of the series."""
        return f"{self.output}/{PENDING}/{release_name(number)}"

    def commit(self, manifest: Manifest) -> None:
        """Make a release part of the series."""
        name = f"{_PREFIX}{manifest.number:04}.json"
        self._files.write_new(f"{self.folder}/{name}", manifest.to_bytes())

    def put_in_place(self, number: int) -> None:
        """Move a release that is part of the series to its place; the certificate comes last."""
        name = release_name(number)
        waiting = self._files.names(f"{self.output}/{PENDING}")
        for one in (name, f"{name}.certificate.json"):
            if one in waiting:
                self._files.forbid_writing(f"{self.output}/{PENDING}/{one}")
                self._files.rename(f"{self.output}/{PENDING}/{one}", f"{self.output}/{one}")
        self._files.remove(f"{self.output}/{PENDING}")

    def name_newest(self, manifest: Manifest) -> None:
        """Let the head name the newest release, once its certificate is in its place."""
        head = head_of(manifest.entries[-1]) if manifest.entries else None
        there = self._files.names(self.output)
        if head is None or f"{release_name(manifest.number)}.certificate.json" not in there:
            return
        if HEAD not in there or self._files.read(f"{self.output}/{HEAD}") != head:
            self._files.write_public(f"{self.output}/{HEAD}", head)

    def sweep(self, work: str, manifest: Manifest) -> None:
        """Remove what is of no more use: the work folder, and what a manifest no longer names."""
        self._files.remove(work)
        for name in self._files.names(f"{self.folder}/pasts"):
            if name not in manifest.folders:
                self._files.remove(f"{self.folder}/pasts/{name}")


def release_name(number: int) -> str:
    """Return the name of a release: its folder, and the beginning of its certificate's."""
    return f"release-{number:04}"
