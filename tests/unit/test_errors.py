import pytest

import seriatim as sr
from seriatim.errors import UnknownCategoryError, at_positions, did_you_mean, listed


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (sr.SchemaError, 2),
        (sr.TableError, 1),
        (sr.KnowledgeError, 2),
        (UnknownCategoryError, 2),
        (sr.PolicyError, 2),
        (sr.OrderError, 1),
        (sr.UnsatisfiableError, 1),
    ],
)
def test_errors__have_the_exit_code_of_whose_move_it_is(error, code):
    assert issubclass(error, sr.SeriatimError)
    assert error.exit_code == code


def test_internal_error__is_no_error_of_the_caller():
    assert not issubclass(sr.InternalError, sr.SeriatimError)


def test_unknown_category__is_a_matter_of_knowledge():
    assert issubclass(UnknownCategoryError, sr.KnowledgeError)


def test_positions__are_sorted_and_cut():
    assert at_positions([9, 2]) == "row positions 2, 9 (the first row is 0)"
    assert "0, 1, 2, 3, 4 and 95 more" in at_positions(range(100))


def test_names__are_cut_when_there_are_many():
    assert listed(range(3)) == "0, 1, 2"
    assert listed(range(20)).endswith("11 and 8 more")


def test_suggestion__is_only_made_when_something_is_near():
    assert did_you_mean("zip", ["age", "gender"]) == ""
