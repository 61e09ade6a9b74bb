"""A run of these tests ends, whatever happens to its workers."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from scheduling import TogetherScheduling

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


class Worker:
    """What xdist tells workers, kept; or refused, as of one whose process has ended."""

    shutting_down = False

    def __init__(self, *, ended):
        self.ended, self.told = ended, []

    def send_runtest_some(self, numbers):
        if self.ended:
            raise OSError("cannot send (already closed?)")
        self.told += numbers

    def shutdown(self):
        self.shutting_down = True


def test_tests__that_could_not_be_sent_to_a_worker_are_run_by_another(pytestconfig):
    asked = SimpleNamespace(
        getvalue=lambda _: ["popen"], option=pytestconfig.option, hook=pytestconfig.hook
    )
    scheduling = TogetherScheduling(asked)
    names = [f"test_some.py::test_one[{number}]" for number in range(9)]
    first, second = Worker(ended=False), Worker(ended=False)
    scheduling.add_node(first)
    scheduling.add_node_collection(first, names)
    scheduling.schedule()
    assert first.told == [0, 1, 2]
    first.ended = True
    scheduling.mark_test_complete(first, 0)
    assert scheduling.remove_node(first) == names[1]
    scheduling.add_node(second)
    scheduling.add_node_collection(second, names)
    scheduling.schedule()
    for done in range(7):
        scheduling.mark_test_complete(second, second.told[done])
    assert sorted(second.told) == list(range(2, 9))
    assert second.shutting_down
