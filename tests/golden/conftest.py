"""Golden cases: numbers made by slow, plain code that is no part of this project."""

import json
from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "data" / "golden"


def pytest_generate_tests(metafunc):
    """Hand every case of the file that a test module names to each test that asks for one."""
    if "case" in metafunc.fixturenames:
        cases = json.loads((GOLDEN / metafunc.module.GOLDEN_FILE).read_text())["cases"]
        metafunc.parametrize("case", cases, ids=range(len(cases)))
