import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr

DOMAIN = ("a", "b", "c", "d", "e")

partial_rows = st.dictionaries(
    st.sampled_from(DOMAIN), st.integers(0, 9), min_size=1, max_size=4
).map(lambda row: {value: weight / 40 for value, weight in row.items()})
"""At most 36 of 40 parts are given away, and one value at least is not named."""


def roster(n):
    schema = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("value", DOMAIN))
    return sr.Roster.from_table({"id": range(n), "age": range(n)}, schema)


@given(partial_rows, st.permutations(DOMAIN))
def test_marginal_prior__spreads_the_rest_over_the_values_it_does_not_name(row, domain):
    prior = sr.MarginalPrior(row, unlisted="spread")
    found = prior.belief(roster(3), tuple(domain)).probabilities
    np.testing.assert_allclose(found, [oracles.completed(row, domain)] * 3, atol=1e-12)


@given(st.lists(partial_rows, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_tabulated_prior__gives_each_respondent_their_own_row(rows, chance):
    entries = [
        (respondent, value, probability)
        for respondent, row in enumerate(rows)
        for value, probability in row.items()
    ]
    chance.shuffle(entries)
    columns = ("respondent", "value", "probability")
    table = dict(zip(columns, map(list, zip(*entries, strict=True)), strict=True))
    prior = sr.TabulatedPrior.from_table(table, unlisted="spread", otherwise=sr.UniformPrior())
    found = prior.belief(roster(len(rows) + 1), DOMAIN).probabilities
    expected = [*(oracles.completed(row, DOMAIN) for row in rows), [1 / len(DOMAIN)] * len(DOMAIN)]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(st.lists(st.sampled_from(DOMAIN), min_size=1, max_size=20))
def test_marginal_prior__of_a_table_is_its_frequencies(values):
    prior = sr.MarginalPrior.from_table({"value": values}, "value")
    found = prior.belief(roster(1), DOMAIN).probabilities[0]
    expected = oracles.frequencies([DOMAIN.index(value) for value in values], len(DOMAIN))
    np.testing.assert_allclose(found, expected, atol=1e-12)
