"""The front door: light, complete, sorted, documented."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import seriatim as sr

HEAVY = ["duckdb", "jinja2", "numba", "numpy", "pandas", "polars", "pyarrow", "pyspark", "typer"]


def names_in_stub():
    stub = ast.parse(Path(sr.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    found = [node for node in ast.walk(stub) if isinstance(node, ast.ImportFrom)]
    return [alias.asname or alias.name for node in found for alias in node.names]


def imported(code):
    """Return which heavy modules a fresh interpreter has loaded after running some code."""
    code += f"\nimport sys; print(*(name for name in {HEAVY} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import__is_light():
    assert imported("import seriatim") == set()


def test_import__of_a_name_loads_neither_compiler_nor_data_frames():
    loaded = imported("from seriatim import Publisher, js_reduce; js_reduce(k=2, t=0.5, j=0.1)")
    assert loaded == {"numpy", "pyarrow"}


def test_command_line__shows_its_version_without_loading_numbers():
    code = "import sys; sys.argv = ['seriatim', '--version']; from seriatim.cli import main\n"
    code += "try:\n    main()\nexcept SystemExit:\n    pass"
    assert "numba" not in imported(code)


def test_all__is_sorted_and_without_repeats():
    assert list(sr.__all__) == sorted(set(sr.__all__))


def test_all__is_what_the_stub_imports():
    assert sorted(sr.__all__) == sorted(names_in_stub())


@pytest.mark.parametrize("name", sr.__all__)
def test_name__resolves_and_is_listed(name):
    assert getattr(sr, name) is not None
    assert name in dir(sr)


@pytest.mark.parametrize("name", sorted(set(sr.__all__) - {"__version__"}))
def test_name__is_documented(name):
    written = inspect.getdoc(getattr(sr, name)) or ""
    # A dataclass without a docstring is given its signature for one.
    assert len(written) > 20
    assert not written.startswith(f"{name}(")


def test_map__names_only_what_is_there():
    named = set(re.findall(r"``(\w+)``", sr.__doc__))
    assert len(named) > 30
    assert named <= set(sr.__all__)


def test_name__that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="JSReduce"):
        _ = sr.JSReduce
