"""Starting: help comes at once, and who must wait for the compiler is told so."""

import io
import subprocess
import sys

import pytest
from rich.console import Console

from seriatim.cli import common
from seriatim.cli.story import tell_story
from seriatim.kernels import ahead
from seriatim.kernels.compiled import chosen_folder

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


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    """No kernel is compiled, and a command needs one."""
    types = ["int64", "int64", "int64[:,::1]", "int64[::1]", "float64[::1]", "float64[::1]"]
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(ahead, "listed", lambda: {"small": {"closeness.equal_distances": [types]}})
    return chosen_folder()


@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize(
    ("progress", "parts"), [(common.progress_through, ("done",)), (common.progress_counting, 1)]
)
def test_first_use__tells_that_it_compiles_unless_nobody_wants_to_know(
    terminal, empty_cache, progress, parts, quiet
):
    with progress(parts, quiet=quiet, kernels="small"):
        pass
    assert (ahead.COMPILING in terminal.getvalue()) == (not quiet)


def test_later_use__is_not_told_of_compiling(terminal, empty_cache):
    for name in ahead.missing("small"):
        file = empty_cache / "anywhere" / f"{name}-7.py311.nbi"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    with common.progress_through(("done",), kernels="small"):
        pass
    assert ahead.COMPILING not in terminal.getvalue()


def test_story__shows_that_it_is_at_work(terminal, capsys):
    tell_story()
    assert "━" in terminal.getvalue()
    assert "━" not in capsys.readouterr().out
