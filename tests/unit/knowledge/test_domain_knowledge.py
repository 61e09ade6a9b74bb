import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr

DOMAIN = ("a", "b", "c")


def knowledge(given, following, probability, **options):
    table = {"given": given, "next": following, "probability": probability}
    return sr.DomainKnowledge.from_table(table, **options)


def expects(model, *past):
    """What the model expects after certain values, of a respondent with an even prior."""
    posteriors = [[[float(value == one) for value in DOMAIN]] for one in past]
    return sr.revise(model.automaton(DOMAIN), posteriors)[0].round(6).tolist()


TWO_STEPS = sr.DomainKnowledge.from_table(
    {
        "before": [None, "a", "b"],
        "given": ["a", "a", "c"],
        "next": ["a", "b", "c"],
        "probability": [1.0, 1.0, 1.0],
    },
    given=["before", "given"],
)


def test_domain_knowledge__expects_what_follows_the_last_value():
    model = knowledge(["a", "a", "b"], ["b", "c", "a"], [0.25, 0.75, 1.0])
    assert expects(model, "a") == [0.0, 0.25, 0.75]
    assert expects(model, "a", "b") == [1.0, 0.0, 0.0]


def test_domain_knowledge__judges_by_the_longest_context_that_fits():
    assert expects(TWO_STEPS, "c", "a") == [1.0, 0.0, 0.0]
    assert expects(TWO_STEPS, "a", "a") == [0.0, 1.0, 0.0]
    assert expects(TWO_STEPS, "b", "c") == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("past", [["b"], ["c"], ["a", "c"], ["a", "b"]])
def test_domain_knowledge__leaves_unknown_contexts_to_the_prior(past):
    assert expects(TWO_STEPS, *past) == [0.333333, 0.333333, 0.333333]


def test_domain_knowledge__takes_the_empty_context_for_everything_else():
    model = knowledge([None, "a"], ["c", "b"], [1.0, 1.0])
    assert (expects(model, "a"), expects(model, "b")) == ([0, 1, 0], [0, 0, 1])


def test_domain_knowledge__knows_how_far_it_looks():
    assert (TWO_STEPS.steps, TWO_STEPS.values) == (2, ("a", "b", "c"))
    assert TWO_STEPS.contexts == (("a",), ("a", "a"), ("b", "c"))


def test_domain_knowledge__spreads_what_a_row_leaves_unlisted():
    model = knowledge(["a"], ["b"], [0.5], unlisted="spread")
    assert expects(model, "a") == [0.25, 0.5, 0.25]


@pytest.mark.parametrize(
    ("probabilities", "part"),
    [
        ([0.5, 0.4], r"1 of 1 do not; the worst sums to 0\.9\. Complete the rows"),
        ([0.9, 0.4], r"sums to 1\.3\. Probabilities of one row cannot exceed 1"),
        ([np.nan, 1.0], "NaN, negative or larger ones at row position 0"),
        ([1.5, 0.0], "NaN, negative or larger ones at row position 0"),
        ([1.0, -0.1], "NaN, negative or larger ones at row position 1"),
        ([1.0, np.inf], "NaN, negative or larger ones at row position 1"),
    ],
)
def test_domain_knowledge__refuses_what_is_no_distribution(probabilities, part):
    with pytest.raises(sr.KnowledgeError, match=part):
        knowledge(["a", "a"], ["b", "c"], probabilities)


def test_domain_knowledge__refuses_two_probabilities_for_one_value():
    with pytest.raises(sr.KnowledgeError, match=r"two probabilities.*row position 0.*Keep one"):
        knowledge(["a", "a"], ["b", "b"], [0.5, 0.5])


def test_domain_knowledge__refuses_a_gap_inside_a_context():
    table = {"first": ["a"], "second": [None], "next": ["b"], "probability": [1.0]}
    with pytest.raises(sr.KnowledgeError, match=r"row position 0 .*empty cell between two values"):
        sr.DomainKnowledge.from_table(table, given=["first", "second"])


def test_domain_knowledge__refuses_text_for_probabilities():
    with pytest.raises(sr.KnowledgeError, match="numbers from 0 to 1, and the column holds string"):
        knowledge(["a"], ["b"], ["1.0"])


@pytest.mark.parametrize(
    ("missing", "part"), [("next", r"1 missing value.*row position 1"), ("probability", "NaN")]
)
def test_domain_knowledge__refuses_missing_cells(missing, part):
    table = {"given": ["a", "b"], "next": ["a", "b"], "probability": [1.0, 1.0]}
    table[missing][1] = None
    with pytest.raises(sr.SeriatimError, match=part):
        sr.DomainKnowledge.from_table(table)


def test_domain_knowledge__refuses_values_outside_the_domain():
    model = knowledge(["aa"], ["b"], [1.0])
    with pytest.raises(sr.KnowledgeError, match=r"outside.*'aa'.*Did you mean 'a'\?.*Declare"):
        model.automaton(("a", "b"))


def test_domain_knowledge__names_the_nearest_column_of_its_table():
    table = {"gven": ["a"], "next": ["b"], "probability": [1.0]}
    with pytest.raises(sr.SchemaError, match=r"no column 'given'.*Did you mean 'gven'\?"):
        sr.DomainKnowledge.from_table(table)


@pytest.mark.parametrize("kind", ["mapping", "arrow"])
def test_domain_knowledge__refuses_a_table_without_rows(kind):
    table = {"given": [], "next": [], "probability": []}
    with pytest.raises(sr.KnowledgeError, match="has no rows"):
        sr.DomainKnowledge.from_table(table if kind == "mapping" else pa.table(table))


def test_domain_knowledge__may_differ_by_class(table, schema, make_publisher):
    by_class = sr.DomainKnowledge.from_table(
        {
            "gender": ["F", "F", "M", "M"],
            "given": ["neg", "pos", "neg", "pos"],
            "next": ["neg", "neg", "pos", "pos"],
            "probability": [1.0] * 4,
        },
        classes=["gender"],
    )
    publisher = make_publisher(adversary=sr.Adversary(sequence=by_class))
    publisher.publish(table, at=1)
    revised = publisher.preview(table, at=2).revised
    assert revised.of("pos").tolist() == [0.0, 1.0] * 4
