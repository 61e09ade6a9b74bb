"""Nothing is undocumented: commands, options, keys of study.toml, public names."""

import inspect
import re
import runpy
import subprocess
import sys

import pytest
import typer

import seriatim
from documents import ROOT
from seriatim.cli.app import app

REFERENCE = ROOT / "docs" / "reference"


def made_by(script):
    return runpy.run_path(str(REFERENCE / script))


def commands():
    program = typer.main.get_command(app)
    found = {"seriatim": program}
    for name, command in program.commands.items():
        found[f"seriatim {name}"] = command
        for below, inner in getattr(command, "commands", {}).items():
            found[f"seriatim {name} {below}"] = inner
    return found


@pytest.mark.parametrize("name", sorted(commands()))
def test_command__is_documented_with_all_its_options(name):
    command = commands()[name]
    assert command.help
    page = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    assert section
    for parameter in command.get_params(typer.Context(command)):
        record = parameter.get_help_record(typer.Context(command))
        if record is not None:
            assert parameter.help, parameter.name
            assert record[0] in section[1]


def test_cli_reference__is_what_the_commands_say():
    written = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    assert written == made_by("make_cli.py")["reference"](), "run `make reference`"


def test_study_schema__is_what_the_study_says():
    make = made_by("make_schema.py")
    assert make["SCHEMA"].read_text(encoding="utf-8") == make["schema"](), "run `make reference`"


def test_study_reference__says_what_every_key_says():
    make = made_by("make_study.py")
    written = (REFERENCE / "study.md").read_text(encoding="utf-8")
    assert written == make["reference"](), "run `make reference`"
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| (.*) \|$", written, re.MULTILINE))
    sections = re.findall(r"^## \[(\w+)", written, re.MULTILINE)
    assert [key for key in make["keys"]() if not rows.get(key) and key not in sections] == []


def test_python_reference__has_every_public_name():
    make = made_by("make_api.py")
    for name, text in make["pages"]().items():
        assert (REFERENCE / "api" / name).read_text(encoding="utf-8") == text, (
            "run `make reference`"
        )
    listed = {name for names in make["public_names"]().values() for name in names}
    assert set(seriatim.__all__) - {"__version__"} == listed


def test_modules__say_their_place_in_one_sentence():
    make = made_by("make_modules.py")
    assert make["PAGE"].read_text(encoding="utf-8") == make["reference"](), "run `make reference`"
    package = make["PACKAGE"]
    assert {path.parent.name for path in package.glob("*/__init__.py")} == set(make["layers"]())
    long = [file.name for file in package.rglob("*.py") if not 0 < len(make["place"](file)) <= 110]
    assert long == []


@pytest.mark.parametrize("name", [name for name in seriatim.__all__ if name != "__version__"])
def test_public_name__says_what_it_is_and_shows_it(name):
    thing = getattr(seriatim, name)
    # A dataclass without a docstring is given one that repeats its fields.
    assert inspect.getdoc(thing)
    assert not inspect.getdoc(thing).startswith(f"{name}(")
    assert ">>> " in inspect.getdoc(thing), "an example is missing"


def build_site(folder):
    """Build the site as ``make docs`` does: a warning is an error."""
    arguments = ["-q", "-E", "-W", "--keep-going", "-b", "html", "-d", str(folder / "trees")]
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", *arguments, str(ROOT / "docs"), str(folder / "html")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return folder / "html"


# One test, since building takes a while.
@pytest.mark.slow
def test_site__is_built_without_a_warning_has_every_name_and_fetches_nothing(tmp_path):
    site = build_site(tmp_path)
    pages = "".join(page.read_text("utf-8") for page in (site / "reference/api").glob("*.html"))
    names = [name for name in seriatim.__all__ if name != "__version__"]
    assert [name for name in names if f'id="seriatim.{name}"' not in pages] == []
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r'<(?:script|img|link|iframe)[^>]*(?:src|href)="(https?:[^"]*)"', text)
        assert fetched == [], page.name
    for sheet in site.rglob("*.css"):
        assert re.findall(r"url\(['\"]?https?:", sheet.read_text(encoding="utf-8")) == []
