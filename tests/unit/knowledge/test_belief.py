import numpy as np
import pytest

import seriatim as sr

DOMAIN = ("neg", "pos")


def test_belief__gives_the_probability_of_one_value():
    belief = sr.Belief([[0.9, 0.1], [0.4, 0.6]], DOMAIN)
    assert belief.of("pos").tolist() == [0.1, 0.6]


def test_belief__rescales_rows_that_were_typed_with_few_digits():
    belief = sr.Belief([[0.3333333, 0.6666666]], DOMAIN)
    assert belief.probabilities.sum(axis=1).tolist() == [1.0]


@pytest.mark.parametrize(
    ("rows", "part"),
    [
        ([[np.nan, 1.0]], "a belief has NaN, infinite or negative ones at row position 0"),
        ([[0.5, 0.5], [np.inf, 0.0]], "NaN, infinite or negative ones at row position 1"),
        ([[1.5, -0.5]], "numbers from 0 to 1, and a belief has NaN, infinite or negative"),
        ([[0.5, 0.4]], r"must sum to 1; 1 do not, at row position 0.*sums to 0\.9\. Divide"),
        ([[0.5, 0.5], [0.9, 0.3]], r"1 do not, at row position 1.*worst sums to 1\.2"),
        ([[0.0, 0.0]], "must sum to 1"),
        ([[1.0]], "over 2 values needs as many columns, and has 1"),
        ([0.5, 0.5], r"an array of shape \(2,\) was given for a belief"),
        ([], r"an array of shape \(0,\) was given"),
        ([[0.5, 0.5], [1.0]], "numbers in rows of one length"),
        ([["a", "b"]], "Probabilities must be numbers"),
    ],
)
def test_belief__refuses_rows_that_are_no_distributions(rows, part):
    with pytest.raises(sr.KnowledgeError, match=part):
        sr.Belief(rows, DOMAIN)


def test_belief__suggests_the_nearest_value():
    with pytest.raises(sr.KnowledgeError, match=r"'poss' is no value.*Did you mean 'pos'\?"):
        sr.Belief([[0.5, 0.5]], DOMAIN).of("poss")


@pytest.mark.parametrize("ask", [sr.js_divergence, lambda rows: sr.posterior(rows, [0])])
@pytest.mark.parametrize("row", [[np.nan, 1.0], [0.5, 0.4], [0.9, 0.3], [1.5, -0.5]])
def test_bare_functions__refuse_rows_that_are_no_distributions(ask, row):
    with pytest.raises(sr.KnowledgeError, match=r"sum to 1|NaN, infinite or negative"):
        ask([row])
