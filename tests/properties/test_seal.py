"""A sealed file is the same file again, whatever is in it and however it is cut."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.errors import StoreError
from seriatim.publish import seal as module
from seriatim.publish.seal import Key, seal, unseal

# To scrypt, a short secret and the same with zero bytes behind it are one.
secrets = st.binary(min_size=1, max_size=80).filter(lambda secret: not secret.endswith(b"\0"))


@pytest.fixture(scope="module", autouse=True)
def cheap():
    """A derivation that costs next to nothing."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "COST_BITS", 1)
        patched.setattr(module, "MOST_WORK", 2**8)
        yield


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def sealed(folder, content, chunk, secret):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "CHUNK", chunk)
        (folder / "plain").write_bytes(content)
        seal(folder / "plain", folder / "sealed", Key(secret, "the key"))
    return (folder / "sealed").read_bytes()


def unsealed(folder, content, secret):
    (folder / "given").write_bytes(content)
    try:
        unseal(folder / "given", folder / "again", Key(secret, "the key"))
        return (folder / "again").read_bytes()
    finally:
        (folder / "again").unlink(missing_ok=True)


@given(st.binary(max_size=300), st.integers(1, 64), secrets)
def test_seal__is_undone_by_unseal(folder, content, chunk, secret):
    assert unsealed(folder, sealed(folder, content, chunk, secret), secret) == content


@given(st.binary(max_size=100), st.integers(1, 64), secrets, st.data())
def test_unseal__refuses_anything_else(folder, content, chunk, secret, data):
    whole = sealed(folder, content, chunk, secret)
    begin = data.draw(st.integers(0, len(whole)), label="begin")
    end = data.draw(st.integers(begin, len(whole)), label="end")
    other = whole[:begin] + data.draw(st.binary(max_size=40), label="instead") + whole[end:]
    if other == whole:
        assert unsealed(folder, other, secret) == content
    else:
        with pytest.raises(StoreError):
            unsealed(folder, other, secret)


@given(st.binary(max_size=100), secrets, secrets)
def test_unseal__opens_with_the_one_key_only(folder, content, secret, other):
    whole = sealed(folder, content, 16, secret)
    if other == secret:
        assert unsealed(folder, whole, other) == content
    else:
        with pytest.raises(StoreError, match="not the key"):
            unsealed(folder, whole, other)
