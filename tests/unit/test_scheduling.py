"""A run of these tests ends, whatever happens to its workers."""

import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})

def pytest_xdist_make_scheduler(config, log):
    from scheduling import TogetherScheduling
    return TogetherScheduling(config, log)
"""

TESTS = """
import os
import pytest

@pytest.mark.parametrize("number", range(30))
def test_one(number):
    if number == 11:
        os._exit(1)
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 3])
def test_run__ends_after_a_worker_crashed_and_runs_all_other_tests(workers, tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "test_some.py").write_text(TESTS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-n", str(workers), "-p", "no:cacheprovider"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "1 failed, 29 passed" in done.stdout
    assert "test_one[11]" in done.stdout
