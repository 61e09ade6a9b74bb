"""The application: its addresses, its errors, and how it is started."""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable, Generator
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from seriatim.errors import InternalError, SeriatimError, StudyError
from seriatim.studio import (
    audit_screen,
    create_screen,
    follow_screen,
    history_screen,
    home_screen,
    job_screen,
    publish_screen,
    rehearse_screen,
    report_screen,
    study_screen,
)
from seriatim.studio.folder import Folder
from seriatim.studio.jobs import told
from seriatim.studio.pages import Studio, page, study_name
from seriatim.studio.security import Gate, Session

LOOPBACK = "127.0.0.1"
"""The only address that the studio listens on."""

_SCREENS = (
    home_screen,
    create_screen,
    study_screen,
    rehearse_screen,
    publish_screen,
    history_screen,
    audit_screen,
    follow_screen,
    report_screen,
    job_screen,
)


def make_app(folder: Path, session: Session) -> Gate:
    """Return the application for a folder, behind its gate."""
    studio = Studio(Folder(folder.resolve()), session)
    routes: list[Route | Mount] = [
        Route(path, endpoint, methods=[method])
        for screen in _SCREENS
        for method, path, endpoint in screen.ROUTES
    ]
    # Charts are drawn by what reports draw them by.
    routes.append(Route("/static/vega.js", _drawing, methods=["GET"]))
    routes.append(Mount("/static", StaticFiles(directory=Path(__file__).parent / "static")))

    @contextlib.asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(studio.jobs.close)

    app = Starlette(
        routes=routes,
        exception_handlers={
            SeriatimError: _mistake,
            InternalError: _defect,
            HTTPException: _unknown,
            Exception: _defect,
        },
        lifespan=life,
    )
    app.state.studio = studio
    # Outermost, not as a middleware: answers to defects must have our headers too.
    return Gate(app, session)


def serve(
    folder: Path,
    *,
    port: int = 0,
    opened: Callable[[str], None],
    entered: Callable[[], None] = lambda: None,
) -> None:
    """Serve the studio of a folder until it is interrupted.

    ``opened`` is told its address, and ``entered`` is called when someone was let in by it.
    """
    if not folder.is_dir():
        message = f"{folder} is no folder. Name the one that holds your tables and studies."
        raise StudyError(message)
    listener = _listener(port)
    session = Session(listener.getsockname()[1], entered=entered)
    server = make_server(make_app(folder, session))
    opened(session.address)
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])


def make_server(app: Gate) -> uvicorn.Server:
    """Return what serves an application, and logs neither addresses nor errors.

    Foreign errors may quote a table, and addresses are nobody's business.
    """
    config = uvicorn.Config(
        app,
        access_log=False,
        log_config=None,
        log_level="critical",
        server_header=False,
        date_header=False,
        ws="none",
        timeout_graceful_shutdown=5,
    )
    return _Server(config)


class _Server(uvicorn.Server):
    """Ends in peace when it is interrupted, and leaves other signals to the program.

    Left to itself it would wait for work that is under way, whatever the signal, and not let a
    second Ctrl-C end it.
    """

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Handle the first Ctrl-C; the second is for whoever handled the first before."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.getsignal(signal.SIGINT)

        def end(number: int, frame: FrameType | None) -> None:
            if self.should_exit and callable(before):
                before(number, frame)
            self.should_exit = True

        signal.signal(signal.SIGINT, end)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _listener(port: int) -> socket.socket:
    """Return a socket that listens on this machine alone."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen()
    except OSError as error:
        listener.close()
        message = f"Port {port} cannot be used: {error.strerror}. Name another, or none (--port 0)."
        raise StudyError(message) from None
    return listener


def _drawing(_: Request) -> Response:
    return FileResponse(
        Path(__file__).parents[1] / "report" / "assets" / "vega.js", media_type="text/javascript"
    )


def _mistake(request: Request, error: Exception) -> Response:
    """Tell what can be put right."""
    return _error(request, 400, "This cannot be done", str(error))


def _defect(request: Request, error: Exception) -> Response:
    """Tell of a defect of ours, in words that quote nothing."""
    return _error(request, 500, "A defect of seriatim", told(error))


def _unknown(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return _error(request, status, "There is no such page", "Go back to where you were, or home.")


def _error(request: Request, status: int, title: str, message: str) -> Response:
    is_part = request.headers.get("hx-request-type") == "partial"
    template = "parts/mistake.html" if is_part else "error.html"
    return page(
        request,
        template,
        status=status,
        title=title,
        message=message,
        study=_study_there(request),
        screen=None,
    )


def _study_there(request: Request) -> str | None:
    """Return the study that an address names, where there is one."""
    folder = request.app.state.studio.folder
    with contextlib.suppress(SeriatimError):
        if "study" in request.query_params:
            return str(folder.name_of(folder.file(study_name(request))))
    return None
