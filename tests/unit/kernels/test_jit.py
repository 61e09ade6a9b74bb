import os
import subprocess
import sys

import numpy as np
import pytest

from seriatim.kernels._jit import over_ranges

TINY = """
import seriatim as sr
schema = sr.Schema("name", [sr.Numeric("age")], sr.Sensitive("exam"))
publisher = sr.Publisher(schema, sr.Policy(sr.KAnonymity(k=2)), sr.Adversary(), seed=1)
print(publisher.publish({"name": [1, 2], "age": [51, 52], "exam": ["a", "b"]}, at=1))
"""


def test_kernels__find_a_cache_where_home_cannot_be_written(tmp_path):
    unwanted = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    env = {name: value for name, value in os.environ.items() if name not in unwanted}
    env |= {"HOME": "/proc/nonexistent", "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", TINY],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "Release(at=1, 2 tuples in 1 groups)\n", done.stderr
    assert done.stderr == ""


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
