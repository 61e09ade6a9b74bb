"""Small files on this machine."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from seriatim.errors import OrderError
from seriatim.publish.head import replace_public
from seriatim.publish.new_files import make_public_folder, new_file


class LocalFiles:
    """Files and folders of the system."""

    def make_private(self, folder: str) -> None:
        """Make a folder, where there is none, and let nobody but its owner enter it."""
        place = Path(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.mkdir(mode=0o700, exist_ok=True)
        place.chmod(0o700)

    def make_public(self, folder: str) -> None:
        """Make a folder, where there is none, that anybody may enter and only its owner change."""
        make_public_folder(Path(folder))

    def forbid_writing(self, path: str) -> None:
        """Let nobody but the owner change a file, or a folder and what is in it."""
        place = Path(path)
        for one in (place, *place.rglob("*")):
            one.chmod(stat.S_IMODE(one.stat().st_mode) & ~0o022)

    def read(self, path: str) -> bytes:
        """Return what a file holds."""
        return Path(path).read_bytes()

    def write_new(self, path: str, content: bytes, *, public: bool = False) -> None:
        """Write a file whole or not at all; OrderError where there is one already."""
        file = Path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        begun = file.with_name(f".{file.name}.begun")
        begun.unlink(missing_ok=True)
        with new_file(begun, 0o644 if public else 0o600) as writing:
            writing.write(content)
        try:
            # A link is refused where the name is taken; a renaming would replace it.
            os.link(begun, file)
        except FileExistsError:
            message = f"{file.name} is there already: another run went on with this series."
            raise OrderError(message) from None
        finally:
            begun.unlink()

    def write_public(self, path: str, content: bytes) -> None:
        """Write a small file that anybody may read, in the place of one that is there."""
        replace_public(Path(path), content)

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted; none where there is no such folder."""
        place = Path(folder)
        return sorted(one.name for one in place.iterdir()) if place.is_dir() else []

    def rename(self, old: str, new: str) -> None:
        """Give a file or folder another name, in one step."""
        Path(new).parent.mkdir(parents=True, exist_ok=True)
        Path(old).rename(new)

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all that is in it; nothing where there is none."""
        place = Path(path)
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
