"""Starting: help comes at once, and who must wait for the compiler is told so."""

import io
import subprocess
import sys

import pytest
from rich.console import Console

from seriatim.cli import common
from seriatim.cli.story import tell_story
from seriatim.kernels.compiled import is_first_use, kept_in

ASK_FOR_HELP = """
import sys
sys.argv = ["seriatim", "--help"]
from seriatim.cli import main
try:
    main()
except SystemExit:
    pass
heavy = {"duckdb", "numba", "numpy", "pandas", "polars", "pyarrow", "pydantic"} & set(sys.modules)
print("LOADED", sorted(heavy))
"""


def test_help__loads_nothing_heavy():
    done = subprocess.run(
        [sys.executable, "-c", ASK_FOR_HELP], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "LOADED []"


@pytest.fixture
def terminal(monkeypatch):
    """A terminal that keeps what is written to it."""
    written = io.StringIO()
    monkeypatch.setenv("TERM", "xterm")  # a dumb one is shown no bars
    monkeypatch.setattr(common, "errors", Console(file=written, force_terminal=True, width=200))
    return written


@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize(
    ("progress", "parts"), [(common.progress_through, ("done",)), (common.progress_counting, 1)]
)
def test_first_use__is_told_unless_nobody_wants_to_know(
    terminal, monkeypatch, tmp_path, progress, parts, quiet
):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    with progress(parts, quiet=quiet):
        pass
    assert (common.FIRST_USE in terminal.getvalue()) == (not quiet)


def test_story__shows_that_it_is_at_work(terminal, capsys):
    tell_story()
    assert "━" in terminal.getvalue()
    assert "━" not in capsys.readouterr().out


def test_later_use__is_not_told(terminal, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    folder = kept_in(str(tmp_path)) / "some_kernels"
    folder.mkdir(parents=True)
    assert is_first_use()
    (folder / "kernel.nbi").touch()
    assert not is_first_use()
    with common.progress_through(("done",)):
        pass
    assert common.FIRST_USE not in terminal.getvalue()
