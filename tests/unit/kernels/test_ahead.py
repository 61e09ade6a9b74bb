"""Kernels compiled before they are called: all that are listed can be, on all cores."""

import importlib
import inspect
import json
import os
import subprocess
import sys

import pytest
from numba import types

from seriatim.kernels import ahead


@pytest.mark.parametrize("command", ahead.listed())
def test_listed_kernels__exist_and_take_as_many_arguments_as_types(command):
    for name, signatures in ahead.listed()[command].items():
        module, _, function = name.rpartition(".")
        kernel = getattr(importlib.import_module(f"seriatim.kernels.{module}"), function)
        for written in signatures:
            assert len(written) == len(inspect.signature(kernel.py_func).parameters)
            assert [ahead.written_type(ahead.type_of(one)) for one in written] == written


@pytest.mark.parametrize(
    ("found", "written"),
    [
        (types.int64, "int64"),
        (types.boolean, "bool"),
        (types.Array(types.float64, 2, "C"), "float64[:,::1]"),
        (types.Array(types.float64, 2, "F"), "float64[::1,:]"),
        (types.Array(types.boolean, 1, "A"), "bool[:]"),
        (types.Array(types.uint8, 1, "C", readonly=True), "readonly uint8[::1]"),
    ],
)
def test_type__is_read_as_it_was_written(found, written):
    assert ahead.written_type(found) == written
    assert ahead.type_of(written) == found


def test_type__that_is_neither_number_nor_array_is_not_listed():
    assert ahead.written_type(types.UniTuple(types.int64, 2)) is None


COMPILE = """
import json
import sys
from seriatim.kernels import ahead

types = ["int64", "int64", "int64[:,::1]", "int64[::1]", "float64[::1]", "float64[::1]"]
listed = {"closeness.equal_distances": [types], **ahead.listed()["publish"]}
chosen = ["closeness.equal_distances", "lookup.split_keys", "packing.count_entries"]
ahead.listed = lambda: {"small": {name: listed[name] for name in chosen}}
if sys.argv[1] == "no process":
    sys.executable = "/nonexistent/python"
told = []
ahead.compile_ahead("small", lambda done, wanted: told.append((done, wanted)))
print(json.dumps([told, ahead.missing("small")]))
"""


@pytest.mark.parametrize("helpers", ["one process", "no process"])
def test_compile_ahead__leaves_nothing_missing_whether_or_not_processes_can_be_started(
    helpers, tmp_path
):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "SERIATIM_CORES": "2"}
    done = subprocess.run(
        [sys.executable, "-c", COMPILE, helpers],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    told, missing = json.loads(done.stdout)
    assert missing == []
    assert [one for one, _ in told] == list(range(len(told)))
    assert told[-1] == [len(told) - 1, len(told) - 1]
    assert len(told) == 4


def test_inner_kernel__called_from_python_says_so_instead_of_crashing():
    from seriatim.kernels.scaling import fill_gaps

    with pytest.raises(TypeError, match="only kernels can call it"):
        fill_gaps(None)


@pytest.mark.slow
def test_first_publish__compiles_nothing_that_is_not_listed(tmp_path):
    """Else the list is out of date: ``benchmarks/record_kernels.py`` writes it."""
    cache = tmp_path / "cache"

    def run(*words, **environment):
        subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=os.environ | environment, check=True
        )

    run("-m", "seriatim", "simulate", "--views", "1", "--size", "200", "-o", "hospital")
    (tmp_path / "view-01.csv").write_bytes((tmp_path / "hospital/view-01.csv").read_bytes())
    run("-m", "seriatim", "init", "view-01.csv", "--yes")
    ahead_of_it = "from seriatim.kernels.ahead import compile_ahead; compile_ahead('publish')"
    run("-c", ahead_of_it, NUMBA_CACHE_DIR=str(cache))
    listed = {file.name for file in cache.rglob("*.nbc")}
    assert listed
    run("-m", "seriatim", "publish", "view-01.csv", NUMBA_CACHE_DIR=str(cache))
    assert {file.name for file in cache.rglob("*.nbc")} == listed
