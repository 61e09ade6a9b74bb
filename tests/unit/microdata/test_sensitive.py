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
    with pytest.raises(sr.SchemaError, match="'exam' declares values twice: 'pos'"):
        sr.Sensitive("exam", ["pos", "neg", "pos"])


def test_sensitive__refuses_an_empty_domain():
    with pytest.raises(sr.SchemaError, match="'exam' declares no values"):
        sr.Sensitive("exam", [])
