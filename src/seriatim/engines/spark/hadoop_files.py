"""Small files wherever Hadoop finds them: HDFS, object stores, shared folders."""

from __future__ import annotations

import secrets
from typing import Any

from seriatim.errors import OrderError


class HadoopFiles:
    """Files and folders by Hadoop's own file systems, through the driver."""

    def __init__(self, session: Any) -> None:
        """Take the session whose configuration names the file systems."""
        self._jvm = session._jvm
        self._configuration = session.sparkContext._jsc.hadoopConfiguration()

    def _at(self, path: str) -> tuple[Any, Any]:
        place = self._jvm.org.apache.hadoop.fs.Path(path)
        return place.getFileSystem(self._configuration), place

    def make_private(self, folder: str) -> None:
        """Make a folder, where there is none, and let nobody but its owner enter it."""
        system, place = self._at(folder)
        owner = self._jvm.org.apache.hadoop.fs.permission.FsPermission("700")
        system.mkdirs(place, owner)
        system.setPermission(place, owner)

    def read(self, path: str) -> bytes:
        """Return what a file holds."""
        system, place = self._at(path)
        stream = system.open(place)
        try:
            return bytes(self._jvm.org.apache.commons.io.IOUtils.toByteArray(stream))
        finally:
            stream.close()

    def make_public(self, folder: str) -> None:
        """Leave modes to the file system, whose own defaults keep others from writing."""

    def forbid_writing(self, path: str) -> None:
        """Leave modes to the file system, whose own defaults keep others from writing."""

    def write_new(self, path: str, content: bytes, *, public: bool = False) -> None:
        """Write a file whole or not at all; OrderError where there is one already."""
        del public
        system, place = self._at(path)
        _, begun = self._at(f"{path}.begun-{secrets.token_hex(4)}")
        stream = system.create(begun, True)
        try:
            stream.write(bytearray(content))
        finally:
            stream.close()
        taken = system.exists(place) or not system.rename(begun, place)
        if taken:
            system.delete(begun, False)
            message = f"{place.getName()} is there already: another run went on with this series."
            raise OrderError(message)

    def write_public(self, path: str, content: bytes) -> None:
        """Write a small file that anybody may read, in the place of one that is there.

        Not every file system replaces in one step: whoever looks in between finds none.
        """
        self.remove(path)
        self.write_new(path, content)

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted; none where there is no such folder."""
        system, place = self._at(folder)
        if not system.exists(place):
            return []
        return sorted(one.getPath().getName() for one in system.listStatus(place))

    def rename(self, old: str, new: str) -> None:
        """Give a file or folder another name, in one step."""
        system, place = self._at(old)
        _, target = self._at(new)
        system.mkdirs(target.getParent())
        if not system.rename(place, target):
            message = f"{place.getName()} could not be moved to {target.getName()}."
            raise OrderError(message)

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all that is in it; nothing where there is none."""
        system, place = self._at(path)
        system.delete(place, True)
