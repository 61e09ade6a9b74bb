"""The folder that the studio works in: its studies, its tables, and nothing outside it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from seriatim.errors import StudyError
from seriatim.publish.study import Study

_DEEPEST = 4
_MOST_FILES = 5000
_TABLES = re.compile(
    r"\.((csv|tsv|tab|txt)(\.(gz|bz2|zst|lz4|xz))?|parquet|pq|arrow|feather|xlsx|xls|ods)$", re.I
)
_OURS = re.compile(r"^release-\d{4,}")
_SIGN = re.compile(r"^\s*\[quasi_identifiers", re.M)


@dataclass(frozen=True)
class Found:
    """A file of the folder."""

    name: str
    """Its path from the folder, as the studio names it."""

    size: int
    """Bytes."""


@dataclass(frozen=True)
class Folder:
    """A folder, and everything below it."""

    root: Path
    """Where the studio was started."""

    def inside(self, name: str) -> Path:
        """Return the path of a file of the folder; one that leads out of it is refused."""
        try:
            path = (self.root / name).resolve()
        except (OSError, ValueError):
            path = None
        if path is None or "\0" in name or not path.is_relative_to(self.root):
            message = f"{name!r} is not in the folder of the studio, {self.root}."
            raise StudyError(message)
        return path

    def name_of(self, path: Path) -> str:
        """Return how the studio names a file."""
        return path.resolve().relative_to(self.root).as_posix()

    def study(self, name: str) -> Study:
        """Read a study of the folder, all of whose files are in the folder too."""
        return self.checked(Study.read(self.file(name)))

    def file(self, name: str) -> Path:
        """Return the path of a study file that is there."""
        path = self.inside(name or "study.toml")
        path = path / "study.toml" if path.is_dir() else path
        if not path.is_file():
            message = f"There is no study {name!r} in {self.root}. Create one from a table."
            raise StudyError(message)
        return path

    def checked(self, study: Study) -> Study:
        """Refuse a study that would have the studio read or write outside its folder.

        A key may lie elsewhere: it is read, and never shown.
        """
        declared = study.declared
        trees = [getattr(one, "hierarchy", None) for one in declared.quasi_identifiers.values()]
        known = [
            name
            for name in (declared.reader.prior, declared.reader.sequence)
            if name not in ("uniform", "views", "none")
        ]
        for name in (declared.store.folder, declared.output.folder, *filter(None, trees), *known):
            if not (study.folder / name).resolve().is_relative_to(self.root):
                message = (
                    f"The study names {name!r}, which is outside the folder of the studio,"
                    f" {self.root}. Start the studio in a folder that holds both."
                )
                raise StudyError(message)
        return study

    def studies(self) -> list[str]:
        """Return the studies of the folder."""
        found = []
        for path in self._files():
            if path.suffix == ".toml" and path.stat().st_size < 1_000_000:
                text = path.read_text(encoding="utf-8", errors="replace")
                if path.name == "study.toml" or _SIGN.search(text):
                    found.append(self.name_of(path))
        return sorted(found, key=natural)

    def tables(self, below: Path | None = None) -> list[Found]:
        """Return the tables of the folder; releases are not among them."""
        found = [
            Found(self.name_of(path), path.stat().st_size)
            for path in self._files(below)
            if _TABLES.search(path.name) and not _OURS.match(path.name)
        ]
        return sorted(found, key=lambda one: natural(one.name))

    def _files(self, below: Path | None = None) -> Iterator[Path]:
        """Go through the files; hidden folders, and what leads elsewhere, are left out."""
        top = below or self.root
        count = 0
        for here, folders, files in os.walk(top):
            depth = len(Path(here).relative_to(top).parts)
            folders[:] = sorted(
                name for name in folders if not name.startswith((".", "__")) and depth < _DEEPEST
            )
            for name in sorted(files):
                path = Path(here, name)
                count += 1
                if count > _MOST_FILES:
                    return
                if name.startswith(".") or not path.resolve().is_relative_to(self.root):
                    continue
                if path.is_file():
                    yield path


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return a key by which week-10 comes after week-9.

    >>> sorted(["week-10.csv", "week-9.csv"], key=natural)
    ['week-9.csv', 'week-10.csv']
    """
    parts = re.split(r"(\d+)", name.lower())
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]
