"""The page that brings the browser to the studio, so that its command line has no token.

Other users of a machine can read the arguments of every process, and so an address that a
browser is started with. They cannot read a file that is its owner's alone.
"""

from __future__ import annotations

import html
import os
import shutil
import tempfile
from pathlib import Path

from seriatim._temporary import forget, register


class RedirectPage:
    """A private file that sends whoever opens it to an address.

    >>> page = RedirectPage()
    >>> file = page.write("http://127.0.0.1:8000/open?token=secret")
    >>> oct(file.stat().st_mode & 0o777), oct(file.parent.stat().st_mode & 0o777)
    ('0o600', '0o700')
    >>> page.remove()
    >>> file.parent.exists()
    False
    """

    def __init__(self) -> None:
        """Begin without a file."""
        self._folder: Path | None = None

    def write(self, address: str) -> Path:
        """Write the file; return where it is."""
        self._folder = Path(tempfile.mkdtemp(prefix="seriatim-studio-"))
        register(self._folder)
        file = self._folder / "studio.html"
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as page:
            page.write(moving_on_to(address))
        return file

    def remove(self) -> None:
        """Remove the file; doing so twice does nothing."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            forget(self._folder)
            self._folder = None


def moving_on_to(address: str) -> str:
    """Return a page that goes on to an address by itself, and needs nothing else for it."""
    target = html.escape(address)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="refresh" content="0; url={target}"><title>The studio</title>'
        f'<p><a href="{target}">Go on to the studio</a></p></html>'
    )
