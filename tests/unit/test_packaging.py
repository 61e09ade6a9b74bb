"""The wheel has everything that the package needs, and runs."""

import os
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import seriatim

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    zipfile.ZipFile(built).extractall(folder / "unpacked")
    return folder / "unpacked"


@pytest.mark.slow
def test_wheel__runs_by_itself(wheel):
    environment = os.environ | {"PYTHONPATH": str(wheel)}

    def told(*arguments):
        asked = [sys.executable, *arguments]
        return subprocess.run(
            asked, cwd=wheel, env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    assert told("-m", "seriatim", "--version") == f"seriatim {seriatim.__version__}"
    where = told("-c", "import seriatim; seriatim.Publisher; print(seriatim.__path__[0])")
    assert Path(where) == wheel / "seriatim"


@pytest.mark.slow
def test_wheel__has_every_file_of_the_package(wheel):
    source = ROOT / "src" / "seriatim"
    files = [path.relative_to(source) for path in source.rglob("*") if path.is_file()]
    wanted = [path for path in files if "__pycache__" not in path.parts]
    assert [str(path) for path in wanted if not (wheel / "seriatim" / path).exists()] == []
    assert (wheel / "seriatim" / "py.typed").exists()


@pytest.mark.slow
def test_wheel__says_who_it_is(wheel):
    (metadata,) = wheel.glob("*.dist-info/METADATA")
    told = Parser().parsestr(metadata.read_text(encoding="utf-8"))
    assert told["Version"] == seriatim.__version__
    assert told["License-Expression"] == "Apache-2.0"
    assert set(told.get_all("Provides-Extra")) >= {"bench", "excel", "pandas", "png", "studio"}
    assert "Typing :: Typed" in told.get_all("Classifier")
    (entry,) = wheel.glob("*.dist-info/entry_points.txt")
    assert "seriatim = seriatim.cli:main" in entry.read_text(encoding="utf-8")


def test_version__is_written_in_one_place_and_cited():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"]
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    assert sum(f'"{seriatim.__version__}"' in text for text in sources) == 1
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {seriatim.__version__}\n" in citation
