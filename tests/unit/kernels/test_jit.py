import os
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import seriatim
from seriatim.kernels._jit import calls, over_ranges

EVERY_KERNEL = """
import seriatim as sr
from seriatim.kernels import criteria, forward, greedy, hilbert, posterior, siphash
print(sr.hilbert_index([[0, 0], [0, 1], [1, 1], [1, 0]], bits=1).tolist())
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package that a test may change."""
    source = Path(seriatim.__file__).parent
    ignore = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(source, tmp_path / "copy" / "seriatim", ignore=ignore))


def test_kernels__find_a_cache_where_home_cannot_be_written(package, tmp_path):
    """Nor beside the sources, where a file is in the way of numba's folder."""
    (package / "kernels" / "__pycache__").touch()
    unwanted = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    env = {name: value for name, value in os.environ.items() if name not in unwanted}
    env |= {"HOME": "/proc/nonexistent", "TMPDIR": str(tmp_path)}
    env["PYTHONPATH"] = str(package.parent)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", EVERY_KERNEL],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "[0, 1, 2, 3]\n", done.stderr
    assert done.stderr == ""


def cache_folder(package, tmp_path, *, chosen):
    """Where a copy of the package would keep its kernels."""
    unwanted = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    env = {name: value for name, value in os.environ.items() if name not in unwanted}
    env |= {"PYTHONPATH": str(package.parent), "HOME": str(tmp_path / "home")}
    if chosen:
        env["NUMBA_CACHE_DIR"] = str(tmp_path / "chosen")
    code = "import seriatim.kernels._jit as jit, numba; print(jit.__file__, numba.config.CACHE_DIR)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    loaded, folder = done.stdout.split()
    assert Path(loaded).is_relative_to(package)
    assert Path(folder).is_relative_to(tmp_path / ("chosen" if chosen else "home"))
    return folder


@pytest.mark.parametrize("chosen", [False, True], ids=["home", "NUMBA_CACHE_DIR"])
def test_kernels__have_a_cache_of_their_own_for_every_version_of_their_sources(
    package, tmp_path, chosen
):
    """A mended criterion must not go on running as it was compiled into another kernel."""
    before = cache_folder(package, tmp_path, chosen=chosen)
    assert cache_folder(package, tmp_path, chosen=chosen) == before
    criteria = package / "kernels" / "criteria.py"
    criteria.write_text(criteria.read_text(encoding="utf-8") + "\n# mended\n", encoding="utf-8")
    assert cache_folder(package, tmp_path, chosen=chosen) != before


@pytest.mark.parametrize("length", [0, 1, 255, 512, 1000, 5000])
def test_over_ranges__visits_every_item_once(length):
    visits = np.zeros(length, dtype=int)

    def work(start, stop, array):
        array[start:stop] += 1

    over_ranges(work, length, visits)
    assert (visits == 1).all()


def test_over_ranges__hands_an_error_on():
    def work(start, stop):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        over_ranges(work, 5000)


def test_calls__give_what_came_of_each_in_order():
    assert calls(lambda number: number**2, [(number,) for number in range(50)]) == [
        number**2 for number in range(50)
    ]


@pytest.mark.parametrize("wrong", [IndexError, KeyError])
def test_calls__hand_on_an_error_whichever_thread_met_it(wrong):
    met = threading.Barrier(2, timeout=60)

    def work(number):
        if number < 2:
            met.wait()  # so two threads are at it
            if threading.current_thread() is not threading.main_thread():
                raise wrong

    with pytest.raises(wrong):
        calls(work, [(number,) for number in range(8)], threads=2)


def test_calls__do_not_wait_for_a_thread_that_is_busy_elsewhere():
    begun, over = threading.Barrier(5, timeout=60), threading.Event()

    def long(_):
        begun.wait()
        assert over.wait(60)

    with ThreadPoolExecutor(2) as elsewhere:
        running = [elsewhere.submit(calls, long, [(0,), (1,)], 2) for _ in range(2)]
        begun.wait()  # four are at it, two of them all that there are to help
        assert calls(lambda number: number, [(0,), (1,), (2,)], 2) == [0, 1, 2]
        over.set()
        for one in running:
            one.result()
