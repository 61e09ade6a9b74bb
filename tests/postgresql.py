"""A PostgreSQL of the tests' own: made in a temporary folder, gone afterwards."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PASSWORD = "SECRET-sesame"
_SECONDS_TO_START = 30


def programs() -> tuple[str, str] | None:
    """The programs that make and run a server, where they are installed."""
    initdb, postgres = shutil.which("initdb"), shutil.which("postgres")
    # Themselves, not links to them: those may lie where another user cannot look.
    return (os.path.realpath(initdb), os.path.realpath(postgres)) if initdb and postgres else None


@contextmanager
def server() -> Iterator[str]:
    """Run a server; gives the address of an empty database."""
    initdb, postgres = programs()
    with tempfile.TemporaryDirectory() as name, socket.socket() as free:
        folder = Path(name)
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        (folder / "password").write_text(PASSWORD, encoding="ascii")
        common = _as_somebody(folder) | {"cwd": folder, "stdout": subprocess.DEVNULL}
        common["stderr"] = subprocess.DEVNULL
        make = [initdb, "-D", "data", "-U", "owner", "-A", "scram-sha-256", "--no-sync"]
        make += ["--pwfile=password", "-E", "UTF8", "--locale=C"]
        subprocess.run(make, check=True, **common)
        options = ["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-k", ""]
        running = subprocess.Popen([postgres, "-D", "data", "-p", str(port), *options], **common)
        try:
            _wait(port, running)
            yield f"postgresql://owner:{PASSWORD}@127.0.0.1:{port}/postgres"
        finally:
            running.send_signal(signal.SIGINT)
            running.wait()


def _as_somebody(folder: Path) -> dict:
    """Run as another user where we are the administrator: the server refuses to be."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return {}
    import pwd

    nobody = pwd.getpwnam("nobody")
    for path in (folder, *folder.iterdir()):
        os.chown(path, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _wait(port: int, running: subprocess.Popen) -> None:
    """Wait until the server says that it is ready, not only that it listens."""
    from adbc_driver_manager import Error
    from adbc_driver_postgresql import dbapi

    until = time.monotonic() + _SECONDS_TO_START
    while True:
        try:
            dbapi.connect(f"postgresql://owner:{PASSWORD}@127.0.0.1:{port}/postgres").close()
            return
        except Error:
            if time.monotonic() > until or running.poll() is not None:
                raise
            time.sleep(0.1)
