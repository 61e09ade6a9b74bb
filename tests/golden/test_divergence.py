import pytest

import oracles
import seriatim as sr

GOLDEN_FILE = "js_divergence.json"


def test_js_divergence__is_the_golden_one(case):
    assert sr.js_divergence(case["beliefs"]) == pytest.approx(case["js_bits"], abs=1e-9)


def test_twin_of_js_divergence__is_the_golden_one(case):
    assert oracles.js_divergence(case["beliefs"]) == pytest.approx(case["js_bits"], abs=1e-9)
