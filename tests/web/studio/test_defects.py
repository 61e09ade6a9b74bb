"""A defect of ours is told in words that quote nothing, to the browser and to the terminal."""

import http.client
import socket
import threading
import time

from equipment import need
from studies import write_study


def test_defect__quotes_no_cell_in_the_page_nor_in_the_terminal(tmp_path, capfd):
    need("starlette", "uvicorn", "jinja2")
    from starlette.routing import Route

    from seriatim.studio.app import make_app, make_server
    from seriatim.studio.security import Session

    write_study(tmp_path)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        session = Session(listener.getsockname()[1])
        app = make_app(tmp_path, session)

        def broken(request):
            raise ValueError("cell 'SECRET-7' is no number")

        app.app.router.routes.insert(0, Route("/broken", broken))
        server = make_server(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            asked = http.client.HTTPConnection("127.0.0.1", session.port, timeout=20)
            cookie = {"Cookie": f"{session.cookie_name}={session.cookie}"}
            asked.request("GET", "/broken", headers=cookie)
            answer = asked.getresponse()
            page = answer.read().decode()
            asked.close()
        finally:
            server.should_exit = True
            thread.join(20)
    said = capfd.readouterr()
    assert answer.status == 500
    assert "A defect of seriatim" in page
    assert "SECRET-7" not in page + said.out + said.err
    assert answer.headers["Content-Security-Policy"]
