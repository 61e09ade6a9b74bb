import numpy as np
import pytest

import seriatim as sr

RULES = pytest.mark.parametrize("rule", ["omega", "additive"])


@RULES
def test_posterior__of_identical_beliefs_is_the_frequency(rule):
    found = sr.posterior([[0.7, 0.2, 0.1]] * 4, [0, 0, 0, 1], rule=rule)
    assert found == pytest.approx(np.array([[0.75, 0.25, 0.0]] * 4))


@RULES
def test_posterior__of_values_nobody_was_thought_to_have_is_the_frequency(rule):
    found = sr.posterior([[1.0, 0.0, 0.0]] * 2, [1, 2], rule=rule)
    assert found == pytest.approx(np.array([[0.0, 0.5, 0.5]] * 2))


@RULES
def test_posterior__of_a_single_respondent_is_the_published_value(rule):
    assert sr.posterior([[0.9, 0.1]], [1], rule=rule).tolist() == [[0.0, 1.0]]


@RULES
def test_posterior__does_not_depend_on_the_order_of_the_values(rule):
    prior = [[0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [0.1, 0.8, 0.1]]
    one = sr.posterior(prior, [0, 2, 1], rule=rule)
    assert sr.posterior(prior, [2, 1, 0], rule=rule) == pytest.approx(one)


@pytest.mark.parametrize(
    ("values", "part"),
    [
        ([0], "A group of 2 respondents publishes as many values"),
        ([0.0, 1.0], "given as codes; an array of shape .* and type float64"),
        ([0, 2], r"run from 0 to 1; \[0, 2\] were given"),
        ([-1, 0], "run from 0 to 1"),
    ],
)
def test_posterior__refuses_values_that_do_not_fit_the_group(values, part):
    with pytest.raises(sr.KnowledgeError, match=part):
        sr.posterior([[0.5, 0.5], [0.5, 0.5]], values)


def test_posterior__names_the_nearest_rule():
    with pytest.raises(sr.KnowledgeError, match=r"no posterior rule 'aditive'.*mean 'additive'\?"):
        sr.posterior([[1.0]], [0], rule="aditive")
