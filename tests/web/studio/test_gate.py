"""Who is let in, and what is said to everyone: plain HTTP against a studio that runs."""

import re
from urllib.parse import quote

import pytest

from seriatim.cli.app import main
from studies import write_study
from studios import Client, running, waits_for

PAGES = ("/", "/study", "/study/edit", "/rehearse", "/publish", "/history", "/audit", "/follow")


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """A studio that many tests look at, and the client that was let in."""
    folder = tmp_path_factory.mktemp("gate") / "clinic"
    folder.mkdir()
    write_study(folder, weeks=2, size=60)
    with running(folder) as studio:
        client = Client(studio)
        client.enter()
        yield client


@pytest.fixture
def guest(host):
    return host


@pytest.fixture
def stranger(host):
    return Client(host.studio)


def test_studio__listens_on_this_machine_alone(host):
    studio = host.studio
    with open(f"/proc/{studio.process.pid}/net/tcp") as file:  # noqa: PTH123
        lines = [line.split() for line in file][1:]
    listening = {line[1] for line in lines if line[3] == "0A"}
    ours = {address for address in listening if int(address.split(":")[1], 16) == studio.port}
    assert ours == {f"0100007F:{studio.port:04X}"}


def test_token__is_good_for_one_use_and_becomes_a_cookie_that_pages_cannot_read(studio):
    stranger = Client(studio)
    answer = stranger.enter()
    said = answer.headers["Set-Cookie"].lower()
    assert "httponly" in said
    assert "samesite=strict" in said
    assert stranger.get("/").status == 200
    other = Client(studio)
    again = other.get(studio.address.removeprefix(studio.base))
    assert again.status == 403
    assert "used already" in again.text


def test_token__that_is_wrong_is_refused_and_leaves_the_right_one_good(studio):
    stranger = Client(studio)
    for wrong in ("", "?token=", "?token=wrong", "?token=%C3%A4"):
        assert stranger.get(f"/open{wrong}").status == 403
    stranger.enter()
    assert stranger.get("/").status == 200


@pytest.mark.parametrize("path", [*PAGES, "/static/studio.css", "/static/vega.js", "/jobs/x"])
def test_page__is_refused_without_the_cookie(stranger, path):
    assert stranger.get(path).status == 403
    stranger.cookie = f"seriatim_studio_{stranger.studio.port}=guessed"
    assert stranger.get(path).status == 403


@pytest.mark.parametrize(
    "name", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}"]
)
def test_request__under_another_name_is_refused(guest, name):
    assert guest.get("/", Host=name.format(port=guest.studio.port)).status == 421


def test_request__under_our_names_is_answered(guest):
    for host in ("127.0.0.1", "localhost"):
        assert guest.get("/", Host=f"{host}:{guest.studio.port}").status == 200


@pytest.mark.parametrize("origin", [None, "http://evil.example", "http://127.0.0.1:1", "null"])
def test_change__from_another_origin_is_refused(guest, origin):
    answer = guest.post("/publish", form=[("view", "views/week-1.csv")], Origin=origin)
    assert answer.status == 403
    assert not (guest.studio.folder / "releases").exists()


def test_change__by_a_plain_form_of_our_own_is_let_through(guest):
    answer = guest.post(
        "/publish",
        form=[("view", "views/week-1.csv")],
        Origin="null",
        Sec_Fetch_Site="same-origin",
    )
    assert answer.status == 303


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_request__that_another_page_makes_is_refused(guest, site):
    assert guest.get("/", Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors").status == 403
    visiting = {"Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert guest.get("/", Sec_Fetch_Site=site, **visiting).status == 200
    framed = {"Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "iframe"}
    assert guest.get("/", Sec_Fetch_Site=site, **framed).status == 403


def test_change__without_the_secret_of_the_session_is_refused(guest):
    form = [("view", "views/week-1.csv"), ("action", "publish")]
    assert guest.post("/publish", csrf=False, form=form).status == 403
    assert guest.post("/publish", csrf=False, form=[*form, ("csrf", "guess")]).status == 403
    assert not (guest.studio.folder / "releases").exists()


def test_change__must_be_a_plain_form_of_bearable_length(guest):
    assert guest.post("/publish", Content_Type="application/json").status == 415
    assert guest.post("/publish", form=[("view", "x" * 2_100_000)]).status == 413


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
def test_other_kinds_of_requests__are_refused(guest, method):
    assert guest.ask(method, "/").status == 405


@pytest.mark.parametrize(
    "path", ["/", "/nowhere", "/static/studio.css", "/study?study=nope", "/create?table=nope.csv"]
)
def test_every_answer__says_what_browsers_must_not_do(guest, stranger, path):
    for client in (guest, stranger):
        headers = client.get(path).headers
        policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert {policy[name] for name in ("script-src", "style-src", "connect-src")} == {"'self'"}
        assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert policy["form-action"] == "'self'"
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Server"] is None


def test_pages__have_nothing_inline_and_nothing_from_elsewhere(guest):
    for path in PAGES:
        text = guest.get(path).text
        assert not re.search(r"<script(?![^>]*\bsrc=)", text)
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text)
        assert not re.search(r"""(?:src|href|action)=["'](?:https?:)?//""", text)


@pytest.mark.parametrize(
    "name", ["../secret.csv", "/etc/passwd", "views/../../secret.csv", "link.csv", "a\0b", "~"]
)
def test_files__outside_the_folder_are_refused(guest, name):
    folder = guest.studio.folder
    secret = folder.parent / "secret.csv"
    secret.write_text("patient,age,exam\nSECRET-1,30,neg\nSECRET-2,31,pos\n")
    if not (folder / "link.csv").is_symlink():
        (folder / "link.csv").symlink_to(secret)
    for path in (f"/create?table={quote(name)}", f"/study?study={quote(name)}"):
        answer = guest.get(path)
        assert answer.status == 400
        assert "SECRET" not in answer.text
        assert "age" not in re.findall(r"<h3>(\w+)</h3>", answer.text)
    guest.post("/publish", form=[("view", name), ("action", "publish")])
    assert not (folder / "releases").exists()


def test_static_files__are_those_of_the_studio_alone(guest):
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd"):
        assert guest.get(path).status in (403, 404)


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("output", 'folder = "../elsewhere"'),
        ("store", 'folder = "{outside}/elsewhere.store"'),
    ],
)
def test_study__that_leads_out_of_the_folder_is_refused(guest, section, line):
    folder = guest.studio.folder
    text = (folder / "study.toml").read_text()
    line = line.format(outside=folder.parent.as_posix())
    (folder / "other.toml").write_text(text + f"\n[{section}]\n{line}\n")
    answer = guest.get("/publish?study=other.toml")
    assert answer.status == 400
    assert "outside the folder" in answer.text


def test_studio__says_nothing_of_what_was_asked(clinic):
    with running(clinic) as studio:
        guest = Client(studio)
        guest.enter()
        guest.get("/study?study=asked-for-this")
        guest.post("/follow", form=[("respondent", "SECRET-7"), ("whom", "id")])
        said = studio.end()
    assert "asked-for-this" not in said
    assert "SECRET-7" not in said
    assert said.count("\n") < 8


def test_command__without_its_libraries_says_how_to_get_them(monkeypatch, capsys):
    monkeypatch.setattr("seriatim.cli.studio._NEEDED", ("no_such_library",))
    monkeypatch.setattr("sys.argv", ["seriatim", "studio"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "seriatim[studio]" in said
    assert said.count("\n") == 1


def test_command__refuses_what_is_no_folder(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("sys.argv", ["seriatim", "studio", str(tmp_path / "nowhere")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "is no folder" in capsys.readouterr().err


def test_history__waits_for_a_release_that_is_being_made(studio, store_in_use):
    guest = Client(studio)
    guest.enter()
    with store_in_use():
        guest.post("/publish", form=[("view", "views/week-1.csv"), ("action", "publish")])
        answer = guest.get("/history")
    assert answer.status == 200
    assert "has the store of the study" in answer.text
    job = re.search(r'data-poll="([^"]+)"', answer.text)[1]
    # Where kernels are compiled first, a release takes its time.
    waits_for(lambda: "data-poll" not in guest.get(job).text, seconds=300)
    assert 'data-page="/history?study=study.toml"' in guest.get(job).text
    assert "1 release" in guest.get("/history").text
