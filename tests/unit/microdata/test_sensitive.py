import pyarrow as pa
import pytest

import seriatim as sr

EXAM = sr.Sensitive("exam", ["neg", "pos"])


def test_sensitive__decodes_what_it_encodes():
    column = pa.array(["pos", "neg", "pos"])
    assert EXAM.encode(column).tolist() == [1, 0, 1]
    assert EXAM.decode(EXAM.encode(column)).equals(column)


@pytest.mark.parametrize(
    ("values", "domain"),
    [
        (["b", "a", "b"], ("a", "b")),
        ([2, 1, 2], (1, 2)),
        ([True, False], (False, True)),
        ([0.5, -1.5], (-1.5, 0.5)),
    ],
)
def test_sensitive__reads_its_domain_off_the_data_in_sorted_order(values, domain):
    assert sr.Sensitive("exam").resolve(pa.array(values)).domain == domain


def test_sensitive__keeps_a_declared_domain():
    assert EXAM.resolve(pa.array(["pos"])).domain == ("neg", "pos")


def test_sensitive__keeps_the_declared_order_when_it_is_widened():
    stage = sr.Sensitive("stage", ["mild", "grave"])
    assert stage.including(("worst", "grave", "best")).domain == ("mild", "grave", "worst", "best")


def test_sensitive__has_no_domain_before_it_is_settled():
    with pytest.raises(sr.SchemaError, match=r"domain of 'exam' is not known. Declare it"):
        _ = sr.Sensitive("exam").domain


def test_sensitive__refuses_values_twice():
    with pytest.raises(sr.SchemaError, match="'exam' declares values that read the same: 'pos'"):
        sr.Sensitive("exam", ["pos", "neg", "pos"])


def test_sensitive__needs_its_values_declared_where_they_are_ordered():
    with pytest.raises(sr.SchemaError, match="'stage' is ordered, so its values must be declared"):
        sr.Sensitive("stage", ordered=True)


def test_sensitive__does_not_take_a_whole_number_for_the_fraction_above_it():
    with pytest.raises(sr.TableError, match=r"'exam' has 2 value.* outside its domain"):
        sr.Sensitive("exam", [0.5, 1, 2]).encode(pa.array([0, 1, 0, 1]))


def test_sensitive__finds_small_integers_in_a_domain_with_large_ones():
    exam = sr.Sensitive("exam", [1, 300])
    assert exam.encode(pa.array([1, 1], pa.int8())).tolist() == [0, 0]


def test_sensitive__does_not_take_a_truth_value_for_a_number():
    with pytest.raises(sr.TableError, match="outside its domain"):
        sr.Sensitive("exam", [0, 1]).encode(pa.array([True, False]))


def test_sensitive__names_what_was_found_once_with_how_often_and_what_is_possible():
    part = r"'maybe' \(2 times\), 'never', at .* positions 1, 2, 3 .*Possible are 'neg', 'pos'"
    with pytest.raises(sr.TableError, match=part):
        EXAM.encode(pa.array(["neg", "maybe", "never", "maybe"]))


def test_sensitive__names_the_only_word_among_numbers_that_one_word_made_texts():
    with pytest.raises(
        sr.TableError, match=r"has 1 value\(s\) .* domain: 'two', at .* position 2 "
    ):
        sr.Sensitive("stage", [1, 2]).encode(pa.array(["1", "2", "two", "1"]))


def test_sensitive__refuses_knowledge_that_writes_values_as_another_kind():
    with pytest.raises(sr.SchemaError, match="one is text and the other is not"):
        sr.Sensitive("exam", [0, 1]).including(("1",))


def test_sensitive__refuses_an_empty_domain():
    with pytest.raises(sr.SchemaError, match="'exam' declares no values"):
        sr.Sensitive("exam", [])
