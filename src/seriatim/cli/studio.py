"""``seriatim studio``: the local web application."""

from __future__ import annotations

import importlib.util
import webbrowser
from pathlib import Path

import typer

from seriatim.errors import StudyError

_NEEDED = ("starlette", "uvicorn", "jinja2")


def run_studio(folder: Path, *, port: int, browser: bool) -> None:
    """Serve the studio of a folder, and open it."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        message = (
            f"The studio needs {', '.join(missing)}, which {_verb(missing)} not installed: pip"
            " install 'seriatim[studio]'. Everything it does can be done by the other commands."
        )
        raise StudyError(message)
    from seriatim.studio.app import serve
    from seriatim.studio.redirect import RedirectPage

    redirect = RedirectPage()

    def opened(address: str) -> None:
        typer.echo(
            f"The studio of {folder.resolve()} is at\n\n    {address}\n\nThis address is good for"
            " one use. End with Ctrl-C; a second one does not wait for work that is under way."
        )
        if browser:
            # Not the address itself: the list of processes shows what a browser is started with.
            webbrowser.open(redirect.write(address).as_uri())

    try:
        serve(folder, port=port, opened=opened, entered=redirect.remove)
    finally:
        redirect.remove()
    typer.echo("The studio has ended.")


def _verb(missing: list[str]) -> str:
    return "is" if len(missing) == 1 else "are"
