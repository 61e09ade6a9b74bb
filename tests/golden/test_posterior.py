import numpy as np
import pytest

import oracles
import seriatim as sr

GOLDEN_FILE = "posterior.json"


@pytest.mark.parametrize("rule", ["additive", "omega"])
def test_posterior__is_the_golden_one(case, rule):
    found = sr.posterior(case["prior"], case["values"], rule=rule)
    np.testing.assert_allclose(found, case[rule], atol=1e-9, rtol=0)


@pytest.mark.parametrize("rule", ["additive", "omega"])
def test_twin_of_posterior__is_the_golden_one(case, rule):
    twin = {"additive": oracles.additive_posterior, "omega": oracles.omega_posterior}[rule]
    found = twin(case["prior"], case["values"])
    np.testing.assert_allclose(found, case[rule], atol=1e-9, rtol=0)


@pytest.mark.parametrize("rule", ["exact", "sinkhorn"])
def test_posterior_by_products__is_the_golden_one(case, rule):
    if rule in case:  # the case with an impossible value has the paper's rules only
        found = sr.posterior(case["prior"], case["values"], rule=rule)
        np.testing.assert_allclose(found, case[rule], atol=1e-9, rtol=0)


def test_twin_of_the_exact_posterior__is_the_golden_one(case):
    if "exact" in case:
        found = oracles.exact_posterior(case["prior"], case["values"])
        np.testing.assert_allclose(found, case["exact"], atol=1e-9, rtol=0)
