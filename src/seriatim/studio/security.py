"""The gate: who may ask the studio for anything, and what a browser may do with the answer.

The studio shows private tables to the one person who started it. Other programs on the
machine can reach its port, and so can any page that this person's browser has open. Hence:

- the address that is opened has a token, good for one use, which is exchanged for a cookie; a
  private file brings the browser there, so that no list of processes shows it;
- every request needs the cookie and our own host name (a name that someone else lets point
  to this machine is refused), and must not come from a page of another origin;
- whatever changes anything needs our origin and the session's second secret as well;
- answers forbid browsers everything that our pages do not need.
"""

from __future__ import annotations

import html
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from seriatim.studio.redirect import moving_on_to

LONGEST_FORM = 2_000_000
"""The most bytes that a form may have."""

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
"""What our pages may load, run and send."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""What every answer says; a report, which is a page of its own, has a policy of its own."""

_OPENING = "/open"
_CHANGING = ("POST",)
_LOOKING = ("GET", "HEAD")


@dataclass
class Session:
    """The secrets of one run of the studio."""

    port: int
    """The port it listens on."""

    token: str | None = field(default_factory=lambda: secrets.token_urlsafe(32))
    """What the opened address proves itself with; None once it was used."""

    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    """What the browser proves itself with after that."""

    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    """What every form of our own pages has."""

    entered: Callable[[], None] = lambda: None
    """Called when the token has been used."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which the studio may be asked."""
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    @property
    def cookie_name(self) -> str:
        """The cookie's name; browsers share cookies among the ports of a host."""
        return f"seriatim_studio_{self.port}"

    @property
    def address(self) -> str:
        """The address to open; good for one use."""
        return f"http://127.0.0.1:{self.port}{_OPENING}?token={self.token}"

    def redeem(self, token: str) -> bool:
        """Tell whether a token is the one that was not used yet, and use it."""
        if self.token is None or not compare_digest(token.encode(), self.token.encode()):
            return False
        self.token = None
        self.entered()
        return True


class RefusedError(Exception):
    """A request that is not let through."""

    def __init__(self, status: int, message: str) -> None:
        """Say why, to whoever asked."""
        super().__init__(message)
        self.status = status


class Gate:
    """Lets through what may be let through, and puts our headers on every answer."""

    def __init__(self, app: ASGIApp, session: Session) -> None:
        """Stand in front of an application."""
        self.app = app
        self._session = session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            # Starting and stopping; nothing of ours speaks over web sockets.
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    if name != "Content-Security-Policy" or name not in headers:
                        headers[name] = value
            await send(message)

        try:
            answer = self._entered(scope)
            if answer is None and scope["method"] in _CHANGING:
                body = await _read(receive)
                scope.setdefault("state", {})["form"] = self._form(scope, body)
        except RefusedError as refusal:
            answer = _refused(refusal)
        if answer is not None:
            await answer(scope, receive, with_headers)
            return
        await self.app(scope, receive, with_headers)

    def _entered(self, scope: Scope) -> Response | None:
        """Check where a request comes from; answer it where it asks for entry."""
        session, headers = self._session, Headers(scope=scope)
        if headers.get("host") not in session.hosts:
            raise RefusedError(421, "The studio answers only to its own address on this machine.")
        if scope["method"] not in (*_LOOKING, *_CHANGING):
            raise RefusedError(405, "The studio does not know this kind of request.")
        known = _has(headers.getlist("cookie"), session.cookie_name, session.cookie)
        if scope["path"] == _OPENING:
            return self._open(scope, headers, known=known)
        if not known:
            message = (
                "This browser has not been let in. Open the address that `seriatim studio` printed"
                " when it started; it is good for one use. To get another, start the studio anew."
            )
            raise RefusedError(403, message)
        self._require_own_page(scope, headers)
        return None

    def _open(self, scope: Scope, headers: Headers, *, known: bool) -> Response:
        """Exchange the token for a cookie."""
        query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        if not known and not self._session.redeem(query.get("token", "")):
            message = (
                "The token of this address is wrong, or was used already. Start the studio anew to"
                " get another."
            )
            raise RefusedError(403, message)
        answer: Response = RedirectResponse("/", status_code=303)
        if headers.get("sec-fetch-site") != "none":
            # After a redirect that another page began, browsers hold back a strict cookie; a page
            # of ours that goes on by itself sends it.
            answer = HTMLResponse(moving_on_to("/"))
        answer.set_cookie(
            self._session.cookie_name,
            self._session.cookie,
            httponly=True,
            samesite="strict",
            path="/",
        )
        return answer

    def _require_own_page(self, scope: Scope, headers: Headers) -> None:
        """Refuse what another page asks for, also one of another port of this machine."""
        site = headers.get("sec-fetch-site", "none")
        visiting = (
            scope["method"] in _LOOKING
            and headers.get("sec-fetch-mode") == "navigate"
            and headers.get("sec-fetch-dest") == "document"
        )
        if site not in ("same-origin", "none") and not visiting:
            raise RefusedError(403, "Another page asked for this; the studio answers its own only.")
        if scope["method"] in _CHANGING and not self._is_own_origin(headers):
            raise RefusedError(403, "Another origin asked for a change; only our own pages may.")

    def _is_own_origin(self, headers: Headers) -> bool:
        """Tell whether a change is asked for by a page of ours.

        Where pages send no referrer, browsers write ``null`` for the origin of a plain form;
        whether it is the same origin they then say in a header that no page can set.
        """
        origin = headers.get("origin")
        if origin == "null":
            return headers.get("sec-fetch-site") == "same-origin"
        return origin == f"http://{headers.get('host')}"

    def _form(self, scope: Scope, body: bytes) -> list[tuple[str, str]]:
        """Return a form's fields; one without the session's second secret is refused."""
        kind = Headers(scope=scope).get("content-type", "").split(";")[0].strip().lower()
        if kind != "application/x-www-form-urlencoded":
            raise RefusedError(415, "The studio takes plain forms only.")
        try:
            fields = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=20_000)
        except ValueError:
            raise RefusedError(400, "The form could not be read.") from None
        given = next((value for name, value in fields if name == "csrf"), "")
        if not compare_digest(given.encode(), self._session.csrf.encode()):
            raise RefusedError(
                403, "The form is not of this session. Reload the page, and try again."
            )
        return [(name, value) for name, value in fields if name != "csrf"]


async def _read(receive: Receive) -> bytes:
    """Return the body of a request."""
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if len(body) > LONGEST_FORM:
            raise RefusedError(413, "The form is too long.")
        if not message.get("more_body", False):
            return body


def _has(cookies: Iterable[str], name: str, value: str) -> bool:
    """Tell whether a request brings a cookie with a value."""
    for line in cookies:
        try:
            found = SimpleCookie(line).get(name)
        except CookieError:
            continue
        if found is not None and compare_digest(found.value.encode(), value.encode()):
            return True
    return False


def _refused(refusal: RefusedError) -> Response:
    """Say why a request was not let through; the page needs nothing else to be loaded."""
    told = html.escape(str(refusal))
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Not let in</title>'
        f"<h1>Not let in</h1><p>{told}</p></html>"
    )
    return HTMLResponse(page, status_code=refusal.status)
