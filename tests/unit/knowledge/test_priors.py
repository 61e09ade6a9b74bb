import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr

DOMAIN = ("neg", "pos")


@pytest.fixture
def view(table, schema):
    return sr.View.from_table(table, schema)


def class_prior(cells, probabilities=None, value="pos", column="age", **options):
    table = {
        column: cells,
        "value": [value] * len(cells),
        "probability": probabilities or [1.0] * len(cells),
    }
    return sr.ClassPrior.from_table(table, classes=[column], **options)


def tabulated(respondents, value="pos", **options):
    size = len(respondents)
    table = {"respondent": respondents, "value": [value] * size, "probability": [1.0] * size}
    return sr.TabulatedPrior.from_table(table, **options)


def test_uniform_prior__holds_all_values_alike(view):
    assert sr.UniformPrior().belief(view, ("a", "b", "c", "d")).probabilities.tolist() == [
        [0.25] * 4
    ] * len(view)


def test_marginal_prior__is_the_same_for_everyone_in_the_order_of_the_domain(view):
    belief = sr.MarginalPrior({"pos": 0.1, "neg": 0.9}).belief(view, DOMAIN)
    assert belief.probabilities.tolist() == [[0.9, 0.1]] * len(view)


def test_marginal_prior__spreads_the_rest_over_values_it_does_not_name(view):
    prior = sr.MarginalPrior({"pos": 0.4}, unlisted="spread")
    belief = prior.belief(view, ("a", "b", "pos"))
    assert belief.probabilities[0] == pytest.approx([0.3, 0.3, 0.4])


def test_marginal_prior__counts_a_column():
    prior = sr.MarginalPrior.from_table({"exam": ["b", "a", "b", "b"]}, "exam")
    assert prior.distribution == {"a": 0.25, "b": 0.75}


@pytest.mark.parametrize(
    ("distribution", "part"),
    [
        ({"neg": np.nan, "pos": 1.0}, "NaN, infinite or negative"),
        ({"neg": -0.5, "pos": 1.5}, "NaN, infinite or negative"),
        ({"neg": 0.5, "pos": 0.4}, r"sums to 0\.9\. Complete the rows, or pass unlisted='spread'"),
        ({"neg": 0.9, "pos": 0.4}, r"sums to 1\.3\. Probabilities of one row cannot exceed 1"),
        ("neg", "at least one value with its probability"),
        ({}, "needs at least one value"),
        ({"neg": "a"}, "numbers from 0 to 1, and the distribution has others"),
        ({"neg": None}, "numbers from 0 to 1, and the distribution has|NaN"),
    ],
)
def test_marginal_prior__refuses_what_is_no_distribution(distribution, part):
    with pytest.raises(sr.KnowledgeError, match=part):
        sr.MarginalPrior(distribution)


def test_marginal_prior__refuses_to_spread_more_than_all():
    with pytest.raises(sr.KnowledgeError, match="cannot exceed 1 together"):
        sr.MarginalPrior({"neg": 0.9, "pos": 0.4}, unlisted="spread")


def test_marginal_prior__refuses_to_spread_over_nothing(view):
    prior = sr.MarginalPrior({"neg": 0.5, "pos": 0.4}, unlisted="spread")
    with pytest.raises(sr.KnowledgeError, match=r"name every value.*least to 0\.9\).*Complete"):
        prior.belief(view, DOMAIN)


def test_prior__refuses_an_unknown_way_with_unlisted_values():
    with pytest.raises(sr.KnowledgeError, match=r"unlisted='spred' is not known.*'spread'"):
        sr.MarginalPrior({"neg": 1.0}, unlisted="spred")


def test_prior__refuses_values_outside_the_domain(view):
    with pytest.raises(sr.KnowledgeError, match=r"outside.*'poss'.*Did you mean 'pos'\?.*Declare"):
        sr.MarginalPrior({"poss": 1.0}).belief(view, DOMAIN)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["50-60", "61-100"], [1, 1, 1, 1, 0, 0, 0, 0]),
        (["[50,60]", "[61,100]"], [1, 1, 1, 1, 0, 0, 0, 0]),
        (["51-71", "72..73"], [1, 1, 1, 1, 1, 1, 0, 0]),
    ],
)
def test_class_prior__goes_by_the_class_of_each_respondent(view, cells, expected):
    table = {"age": cells, "value": ["pos", "neg"], "probability": [1.0, 1.0]}
    prior = sr.ClassPrior.from_table(table, classes=["age"])
    assert prior.belief(view, DOMAIN).of("pos").tolist() == expected


def test_class_prior__goes_by_several_columns_and_stars(view):
    table = {
        "gender": ["F", "M", "M"],
        "age": ["*", "0-60", "61-100"],
        "value": ["pos", "pos", "neg"],
        "probability": [1.0, 1.0, 1.0],
    }
    prior = sr.ClassPrior.from_table(table, classes=["gender", "age"])
    assert prior.belief(view, DOMAIN).of("pos").tolist() == [1, 1, 1, 1, 1, 0, 1, 0]


def test_class_prior__may_name_a_category_that_nobody_has(view):
    prior = class_prior(["F", "M", "X"], column="gender")
    assert prior.belief(view, DOMAIN).of("pos").tolist() == [1.0] * 8


@pytest.mark.parametrize(
    ("cells", "part"),
    [
        (["0-60"], r"4 respondents belong to no class of the 1 by 'age', at row positions 4, 5, 6"),
        (["200-300"], "8 respondents belong to no class.*a cell '[*]' covers all"),
        (["*", "51"], r"1 respondents belong to several classes.*row position 0.*disjoint"),
    ],
)
def test_class_prior__covers_everyone_exactly_once(view, cells, part):
    with pytest.raises(sr.KnowledgeError, match=part):
        class_prior(cells).belief(view, DOMAIN)


def test_class_prior__names_rows_by_their_position_in_the_input(table, schema):
    backwards = {name: column[::-1] for name, column in table.items()}
    view = sr.View.from_table(backwards, schema)
    with pytest.raises(sr.KnowledgeError, match="at row position 7 "):
        class_prior(["52-73"]).belief(view, DOMAIN)


def test_class_prior__refuses_classes_by_a_column_without_a_role(view):
    with pytest.raises(sr.KnowledgeError, match=r"go by 'gendr'.*Did you mean 'gender'\?"):
        class_prior(["*"], column="gendr").belief(view, DOMAIN)


def test_class_prior__refuses_a_cell_that_is_no_interval(view):
    with pytest.raises(sr.KnowledgeError, match="'old' is no number or interval of 'age'"):
        class_prior(["old"]).belief(view, DOMAIN)


def test_class_prior__names_the_nearest_column_of_its_table():
    table = {"ages": ["*"], "value": ["pos"], "probability": [1.0]}
    with pytest.raises(sr.SchemaError, match=r"no column 'age'.*Did you mean 'ages'\?"):
        sr.ClassPrior.from_table(table, classes=["age"])


@pytest.mark.parametrize(
    ("probabilities", "part"),
    [
        ([np.nan, 0.5], "NaN, negative or larger ones at row position 0"),
        ([-0.5, 1.0], "NaN, negative or larger ones at row position 0"),
        ([0.5, 1.5], "NaN, negative or larger ones at row position 1"),
        ([0.5, 0.4], r"sums to 0\.9\. Complete"),
        ([0.9, 0.4], r"sums to 1\.3\. Probabilities of one row cannot exceed 1"),
    ],
)
def test_class_prior__refuses_what_is_no_distribution(probabilities, part):
    table = {"age": ["*", "*"], "value": ["neg", "pos"], "probability": probabilities}
    with pytest.raises(sr.KnowledgeError, match=part):
        sr.ClassPrior.from_table(table, classes=["age"])


def test_class_prior__refuses_two_probabilities_for_one_value():
    with pytest.raises(sr.KnowledgeError, match=r"two probabilities.*row position 0"):
        class_prior(["*", "*"], [0.5, 0.5])


def test_tabulated_prior__knows_each_respondent_in_any_order(view, ids):
    prior = tabulated(ids[::-1])
    assert prior.belief(view, DOMAIN).of("pos").tolist() == [1.0] * 8


def test_tabulated_prior__asks_another_prior_about_the_rest(view, ids):
    prior = tabulated(ids[2:4], otherwise=sr.MarginalPrior({"neg": 0.75, "pos": 0.25}))
    expected = [0.25, 0.25, 1.0, 1.0, 0.25, 0.25, 0.25, 0.25]
    assert prior.belief(view, DOMAIN).of("pos").tolist() == expected


def test_tabulated_prior__speaks_of_the_values_of_both(ids):
    prior = tabulated(ids[:1], otherwise=sr.MarginalPrior({"neg": 0.5, "pos": 0.5}))
    assert prior.values == ("pos", "neg")


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.uint16()])
def test_tabulated_prior__takes_numbers_of_any_width_for_the_same_ids(table, schema, kind):
    table["name"] = pa.array(range(8), kind)
    prior = tabulated(list(range(8)))
    assert prior.belief(sr.View.from_table(table, schema), DOMAIN).of("pos").tolist() == [1.0] * 8


def test_tabulated_prior__refuses_respondents_it_does_not_know(view, ids):
    with pytest.raises(sr.KnowledgeError, match=r"no row for 2 .*positions 6, 7.*UniformPrior"):
        tabulated(ids[:6]).belief(view, DOMAIN)


@pytest.mark.parametrize(
    ("probabilities", "part"),
    [([0.5, 0.2], r"sums to 0\.7"), ([0.9, 0.2], "cannot exceed 1"), ([np.nan, 1.0], "NaN")],
)
def test_tabulated_prior__refuses_what_is_no_distribution(ids, probabilities, part):
    table = {"respondent": [ids[0]] * 2, "value": ["neg", "pos"], "probability": probabilities}
    with pytest.raises(sr.KnowledgeError, match=part):
        sr.TabulatedPrior.from_table(table)


def test_class_prior__needs_a_column_of_classes():
    with pytest.raises(sr.KnowledgeError, match="at least one column; without one, use Marginal"):
        sr.ClassPrior.from_table({"value": ["neg"], "probability": [1.0]}, classes=[])


def test_kernel_prior__holds_a_rank_that_its_corpus_does_not_know_for_far_from_all():
    exams = sr.Sensitive("exam", DOMAIN)
    grades = sr.Ordinal("grade", ["low", "high"])
    corpus = {"id": [1, 2, 3], "grade": ["low", "low", "high"], "exam": ["neg", "neg", "pos"]}
    prior = sr.KernelPrior.from_table(corpus, sr.Schema("id", [grades], exams), bandwidth=0.9)
    more = sr.Schema("id", [sr.Ordinal("grade", ["least", "low", "high"])], exams)
    someone = sr.Roster.from_table({"id": [9], "grade": ["least"]}, more)
    # Near to nobody, so judged by the whole corpus.
    assert prior.belief(someone, DOMAIN).of("pos").tolist() == [pytest.approx(1 / 3)]


@pytest.mark.parametrize("given", [[None, "a"], ["a", None]])
def test_transition_rates__refuse_a_change_from_nowhere(given):
    table = {"given": given, "next": ["b", "c"], "rate": [0.1, 0.2]}
    with pytest.raises(sr.TableError, match="'given' has 1 missing value"):
        sr.TransitionRates.from_table(table)


def test_transition_rates__take_values_of_two_kinds_for_texts():
    rates = sr.TransitionRates.from_table({"given": [1], "next": ["a"], "rate": [0.1]})
    assert rates.values == ("1", "a")
