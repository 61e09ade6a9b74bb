"""Keys of respondents: HMAC-SHA256, as the standard library computes it one by one."""

import hashlib
import hmac
import random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.microdata import keys
from seriatim.microdata.keys import respondent_keys

# Half of a surrogate pair is no text in UTF-8.
letters = st.characters(exclude_categories=["Cs"])
texts = st.lists(st.text(letters, max_size=200), max_size=8)
numbers = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=8)
secrets = st.binary(max_size=150)
kinds = st.sampled_from([pa.string(), pa.large_string()])


@pytest.fixture(autouse=True, scope="module")
def by_the_kernel():
    """However few: the standard library is the twin."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(keys, "LEAST_FOR_KERNEL", 1)
        yield


def twin(respondent, secret):
    letter = b"n" if isinstance(respondent, int) else b"t"
    message = letter + str(respondent).encode()
    return hmac.new(secret, message, hashlib.sha256).digest()[:16]


def expected(respondents, secret):
    return [twin(respondent, secret) for respondent in respondents]


@given(texts, kinds, secrets)
def test_keys__of_texts_equal_their_twin(respondents, kind, secret):
    found = respondent_keys(pa.array(respondents, kind), secret)
    assert found.to_pylist() == expected(respondents, secret)


@given(st.integers(0, 200), secrets)
def test_keys__of_texts_of_any_length_equal_their_twin(length, secret):
    assert respondent_keys(pa.array(["x" * length]), secret).to_pylist() == [
        twin("x" * length, secret)
    ]


@given(st.integers(0, 2**32), st.integers(16, 70), st.integers(0, 70), secrets)
def test_keys__of_many_texts_side_by_side_equal_their_twin(seed, many, longest, secret):
    rng = random.Random(seed)
    respondents = [
        "".join(rng.choices("abcéß0123", k=rng.randint(0, longest))) for _ in range(many)
    ]
    found = respondent_keys(pa.array(respondents), secret)
    assert found.to_pylist() == expected(respondents, secret)


@given(numbers, secrets)
def test_keys__of_numbers_equal_their_twin(respondents, secret):
    found = respondent_keys(pa.array(respondents, pa.int64()), secret)
    assert found.to_pylist() == expected(respondents, secret)


@given(texts | numbers, kinds, secrets, st.data())
def test_keys__of_a_slice_are_a_slice_of_the_keys(respondents, kind, secret, data):
    begin = data.draw(st.integers(0, len(respondents)))
    end = data.draw(st.integers(begin, len(respondents)))
    whole = all(isinstance(respondent, int) for respondent in respondents)
    column = pa.array(respondents, pa.int64() if whole else kind)
    found = respondent_keys(column[begin:end], secret)
    assert found.to_pylist() == expected(respondents, secret)[begin:end]


@given(texts, st.integers(-(2**31), 2**31 - 1), secrets)
def test_keys__tell_a_number_from_every_text(respondents, number, secret):
    wide, narrow = pa.array([number], pa.int64()), pa.array([number], pa.int32())
    (key,) = respondent_keys(wide, secret).to_pylist()
    assert respondent_keys(narrow, secret).to_pylist() == [key]
    assert key not in respondent_keys(pa.array([*respondents, str(number)]), secret).to_pylist()
