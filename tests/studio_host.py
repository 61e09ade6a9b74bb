"""A process that serves many studios, one for each folder that it is told of.

Tests that look at screens need a folder of their own, and not a process of their own: libraries
are imported and kernels loaded once. The command itself is run by ``studios.running``.

Each line that comes in is a folder, and is answered by the address of its studio, or the port of
a studio, which is told to end. The process ends when no more lines can come.
"""

import contextlib
import socket
import sys
import threading
from pathlib import Path

from seriatim.studio.app import LOOPBACK, make_app, make_server
from seriatim.studio.security import Session


class Served:
    """A studio that runs in a thread."""

    def __init__(self, folder):
        self.listener = socket.create_server((LOOPBACK, 0))
        session = Session(self.listener.getsockname()[1])
        self.port, self.address = str(session.port), session.address
        self.server = make_server(make_app(folder, session))
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        with self.listener:
            self.server.run(sockets=[self.listener])

    def end(self):
        self.server.should_exit = True


def main():
    served = {}
    try:
        for line in sys.stdin:
            asked = line.strip()
            if asked in served:
                served.pop(asked).end()
                continue
            studio = Served(Path(asked))
            served[studio.port] = studio
            sys.stdout.write(f"{studio.address}\n")
            sys.stdout.flush()
    finally:
        for studio in served.values():
            studio.end()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
