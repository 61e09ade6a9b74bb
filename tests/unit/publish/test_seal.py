"""A sealed file opens with its key and as it was sealed, or not at all."""

import errno
import io
import os
import stat
import subprocess
import sys

import pytest

from seriatim.errors import SeriatimError, StoreError
from seriatim.publish import seal as module
from seriatim.publish.seal import Key, is_sealed, seal, unseal

CHUNK = 8
TAG = 16
HEADER = 54
SECRET = b"a secret that nobody may ever see"
PLAIN = b"twenty-six letters of text"
KEY = Key(SECRET, "the key of the test")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Chunks of a few bytes, and a derivation that costs next to nothing."""
    monkeypatch.setattr(module, "CHUNK", CHUNK)
    monkeypatch.setattr(module, "COST_BITS", 1)
    monkeypatch.setattr(module, "MOST_WORK", 2**8)


@pytest.fixture
def paths(tmp_path):
    """A plain file, where its sealed twin goes, and where that is unsealed."""
    plain = tmp_path / "plain"
    plain.write_bytes(PLAIN)
    return plain, tmp_path / "sealed", tmp_path / "again"


@pytest.fixture
def sealed(paths):
    """The bytes of a sealed file of four chunks."""
    seal(paths[0], paths[1], KEY)
    return paths[1].read_bytes()


@pytest.fixture
def refused(tmp_path):
    """Return the message with which bytes are refused; nothing may stay behind."""

    def refused(content, key=KEY):
        source = tmp_path / "tampered"
        source.write_bytes(content)
        before = sorted(tmp_path.iterdir())
        with pytest.raises(StoreError) as error:
            unseal(source, tmp_path / "target", key)
        assert sorted(tmp_path.iterdir()) == before
        assert SECRET.decode() not in str(error.value)
        return str(error.value)

    return refused


def chunks_of(sealed):
    size = CHUNK + TAG
    return [sealed[begin : begin + size] for begin in range(HEADER, len(sealed), size)]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def failing(number):
    def fail(*_, **__):
        raise OSError(number, os.strerror(number))

    return fail


# ---------------------------------------------------------------------------
# There and back
# ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "length", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 5 * CHUNK, 5 * CHUNK + 3]
)
def test_seal__is_undone_by_unseal(paths, length):
    plain, sealed, again = paths
    plain.write_bytes(os.urandom(length))
    seal(plain, sealed, KEY)
    unseal(sealed, again, KEY)
    assert again.read_bytes() == plain.read_bytes()
    assert sealed.stat().st_size == HEADER + length + TAG * max(1, -(-length // CHUNK))


def test_seal__keeps_its_word_with_chunks_and_costs_as_they_are(paths, monkeypatch):
    monkeypatch.undo()
    plain, sealed, again = paths
    plain.write_bytes(os.urandom(2**20 + 1))
    seal(plain, sealed, KEY)
    unseal(sealed, again, KEY)
    assert again.read_bytes() == plain.read_bytes()


def test_unseal__goes_by_the_chunks_of_the_file_not_by_ours(paths, sealed, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 100)
    unseal(paths[1], paths[2], KEY)
    assert paths[2].read_bytes() == PLAIN


def test_seal__shows_nothing_of_the_file_and_is_another_every_time(paths, sealed):
    seal(paths[0], paths[1], KEY)
    again = paths[1].read_bytes()
    assert not any(PLAIN[begin : begin + 4] in sealed for begin in range(len(PLAIN) - 3))
    assert not set(chunks_of(sealed)) & set(chunks_of(again))


def test_seal__takes_the_place_of_an_older_file_and_of_what_a_crash_left(paths, tmp_path):
    plain, target, again = paths
    target.write_bytes(b"older")
    (tmp_path / "sealed.part").write_bytes(b"cut short")
    seal(plain, target, KEY)
    unseal(target, again, KEY)
    assert again.read_bytes() == PLAIN
    assert not (tmp_path / "sealed.part").exists()


def test_seal__may_take_the_place_of_its_own_source(paths):
    plain, _, again = paths
    seal(plain, plain, KEY)
    assert is_sealed(plain)
    unseal(plain, again, KEY)
    assert again.read_bytes() == PLAIN


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_files__are_their_owners_alone(paths, sealed):
    unseal(paths[1], paths[2], KEY)
    assert mode(paths[1]) == mode(paths[2]) == 0o600


def test_seal__brings_the_file_to_the_disk_before_its_name(paths, monkeypatch):
    done = []
    replace, fsync = type(paths[0]).replace, os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (done.append("fsync"), fsync(file)))
    monkeypatch.setattr(
        type(paths[0]), "replace", lambda one, other: (done.append("name"), replace(one, other))
    )
    seal(paths[0], paths[1], KEY)
    assert done == ["fsync", "name", "fsync"][: 3 if os.name == "posix" else 2]


def test_is_sealed__goes_by_how_a_file_begins(paths, sealed, tmp_path):
    assert is_sealed(paths[1])
    assert not is_sealed(paths[0])
    assert not is_sealed(tmp_path / "not there")
    (tmp_path / "empty").touch()
    assert not is_sealed(tmp_path / "empty")


def test_is_sealed__takes_what_cannot_be_read_for_neither(tmp_path):
    with pytest.raises(StoreError, match="could not be read"):
        is_sealed(tmp_path)


# ---------------------------------------------------------------------------
# What was changed is found
# ---------------------------------------------------------------------------


def test_unseal__finds_every_flipped_bit(sealed, refused):
    for place in range(len(sealed)):
        for bit in range(8):
            changed = bytearray(sealed)
            changed[place] ^= 1 << bit
            refused(bytes(changed))


def test_unseal__finds_that_a_file_was_cut_short_at_any_length(sealed, refused):
    for length in range(len(sealed)):
        refused(sealed[:length])


@pytest.mark.parametrize("more", [b"\0", bytes(CHUNK), bytes(CHUNK + TAG)])
def test_unseal__finds_what_was_added(sealed, refused, more):
    refused(sealed + more)


def test_unseal__finds_chunks_in_another_order_twice_or_left_out(sealed, refused):
    header, chunks = sealed[:HEADER], chunks_of(sealed)
    assert len(chunks) == 4
    for first in range(4):
        refused(header + b"".join(chunks[:first] + chunks[first + 1 :]))
        refused(header + b"".join(chunks[:first] + chunks[first:][:1] + chunks[first:]))
        for second in range(first):
            moved = chunks.copy()
            moved[first], moved[second] = moved[second], moved[first]
            refused(header + b"".join(moved))


def test_unseal__finds_the_header_or_a_chunk_of_another_file(paths, sealed, refused):
    seal(paths[0], paths[1], KEY)
    other = paths[1].read_bytes()
    refused(other[:HEADER] + sealed[HEADER:])
    size = CHUNK + TAG
    refused(sealed[: HEADER + size] + other[HEADER + size : HEADER + 2 * size] + sealed[-2:])


def test_unseal__says_that_the_key_may_be_another(sealed, refused):
    message = refused(sealed, Key(SECRET + b"!", "the key in other.key"))
    assert "the key in other.key" in message
    assert "not the key that it was sealed with" in message
    assert "backup" in message


def test_unseal__says_about_where_a_file_is_damaged(sealed, refused):
    begin = HEADER + 2 * (CHUNK + TAG)
    changed = bytearray(sealed)
    changed[begin + 3] ^= 1
    message = refused(bytes(changed))
    assert f"damaged at about byte {begin}" in message
    assert "restore a backup" in message


def test_unseal__says_that_a_file_was_never_sealed(refused):
    assert "it is empty" in refused(b"")
    assert "does not begin as one" in refused(PLAIN)


def test_unseal__says_that_a_file_is_of_a_later_format(sealed, refused):
    changed = bytearray(sealed)
    changed[22] = 2
    assert "format 2" in refused(bytes(changed))


@pytest.mark.parametrize(
    ("place", "changed"),
    [
        (23, [2]),
        (24, [0]),
        (24, [60]),
        (25, [0]),
        (26, [0]),
        (26, [255]),
        (50, [255, 255, 255, 255]),
        (50, [0, 0, 0, 0]),
    ],
)
def test_unseal__does_not_work_without_end_for_a_changed_header(
    sealed, refused, monkeypatch, place, changed
):
    monkeypatch.setattr(module._Header, "cipher", failing(errno.ENOMEM))
    tampered = sealed[:place] + bytes(changed) + sealed[place + len(changed) :]
    assert "damaged in its first 54 bytes" in refused(tampered)


# ---------------------------------------------------------------------------
# Where files fail, nothing stays behind
# ---------------------------------------------------------------------------


class FullDisk(io.FileIO):
    """A file on a disk with room for one chunk."""

    def write(self, content):
        if self.tell() + len(content) > HEADER + CHUNK + TAG:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(content)


@pytest.fixture
def no_room(monkeypatch):
    monkeypatch.setattr(module, "CHUNK", HEADER)
    monkeypatch.setattr(os, "fdopen", lambda descriptor, _: FullDisk(descriptor, "wb"))


@pytest.mark.parametrize("step", ["open", "fsync", "replace"])
@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC])
def test_seal__that_fails_leaves_the_older_file_alone(paths, tmp_path, monkeypatch, step, number):
    plain, target, _ = paths
    target.write_bytes(b"older")
    owner = type(target) if step == "replace" else os
    monkeypatch.setattr(owner, step, failing(number))
    with pytest.raises(StoreError, match=f"sealed could not be written: {os.strerror(number)}"):
        seal(plain, target, KEY)
    assert target.read_bytes() == b"older"
    assert sorted(tmp_path.iterdir()) == sorted([plain, target])


@pytest.mark.skipif(os.name != "posix", reason="folders are waited for on POSIX")
def test_seal__says_when_a_finished_file_may_yet_be_lost(paths, monkeypatch):
    monkeypatch.setattr(module, "fsync_directory", failing(errno.EIO))
    with pytest.raises(StoreError, match="sealed is written, and may be lost"):
        seal(paths[0], paths[1], KEY)
    assert is_sealed(paths[1])


def test_seal__on_a_full_disk_leaves_the_older_file_alone(paths, tmp_path, no_room):
    plain, target, _ = paths
    plain.write_bytes(PLAIN * 20)
    target.write_bytes(b"older")
    with pytest.raises(StoreError, match="No space left"):
        seal(plain, target, KEY)
    assert target.read_bytes() == b"older"
    assert sorted(tmp_path.iterdir()) == sorted([plain, target])


def test_unseal__on_a_full_disk_leaves_nothing(paths, tmp_path, monkeypatch):
    plain, target, again = paths
    plain.write_bytes(PLAIN * 20)
    seal(plain, target, KEY)
    monkeypatch.setattr(os, "fdopen", lambda descriptor, _: FullDisk(descriptor, "wb"))
    with pytest.raises(StoreError, match="again could not be written: No space left"):
        unseal(target, again, KEY)
    assert sorted(tmp_path.iterdir()) == sorted([plain, target])


def test_unseal__that_is_interrupted_leaves_nothing(paths, sealed, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(module._Header, "nonce", lambda *_, **__: interrupted())
    with pytest.raises(KeyboardInterrupt):
        unseal(paths[1], paths[2], KEY)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("work", [seal, unseal])
def test_work__needs_a_source_and_a_folder(paths, sealed, tmp_path, work):
    source = paths[0] if work is seal else paths[1]
    with pytest.raises(StoreError, match=r"could not be written: No such file.*Give a folder"):
        work(source, tmp_path / "missing" / "target", KEY)
    with pytest.raises(StoreError, match=r"nowhere could not be read: No such file"):
        work(tmp_path / "nowhere", tmp_path / "target", KEY)
    with pytest.raises(StoreError, match="could not be read"):
        work(tmp_path, tmp_path / "target", KEY)
    assert sorted(tmp_path.iterdir()) == sorted(paths[:2])


def test_unseal__does_not_touch_a_file_that_is_there(paths, sealed):
    paths[2].write_bytes(b"precious")
    with pytest.raises(StoreError, match="there already"):
        unseal(paths[1], paths[2], KEY)
    assert paths[2].read_bytes() == b"precious"


# ---------------------------------------------------------------------------
# Keys
# ---------------------------------------------------------------------------


@pytest.fixture
def key_file(tmp_path):
    """Return a key file with some content that only its owner may read."""

    def make(content, mode=0o600):
        path = tmp_path / "study.key"
        path.write_bytes(content)
        path.chmod(mode)
        return path

    return make


def test_key__never_shows_its_secret():
    assert repr(KEY) == str(KEY) == f"{KEY}" == "Key(origin='the key of the test')"


def test_key__is_read_from_a_file_without_the_whitespace_around_it(key_file):
    key = Key.from_file(key_file(b"\n " + SECRET + b"\r\n"))
    assert key.secret == SECRET
    assert "study.key" in repr(key)


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 31 + b"\n" * 20])
def test_key__in_a_file_has_32_bytes(key_file, content):
    with pytest.raises(StoreError, match=f"has {len(content.strip())} bytes, and at least 32"):
        Key.from_file(key_file(content))


def test_key__is_not_a_whole_store(key_file):
    with pytest.raises(StoreError, match="more than any key"):
        Key.from_file(key_file(bytes(70_000)))


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644, 0o666])
def test_key__that_others_may_read_is_refused_with_advice(key_file, mode):
    path = key_file(SECRET, mode)
    with pytest.raises(StoreError, match=rf"mode {mode:o}.*chmod 600 {path}") as error:
        Key.from_file(path)
    assert SECRET.decode() not in str(error.value)


def test_key__in_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(StoreError, match="could not be read"):
        Key.from_file(tmp_path / "missing.key")


@pytest.mark.parametrize("passphrase", ["twelve chars", "zwölf zwölf!", "  twelve chars\n"])
def test_key__is_read_from_the_environment(monkeypatch, passphrase):
    monkeypatch.setenv("STORE_KEY", passphrase)
    key = Key.from_environment("STORE_KEY")
    assert key.secret == passphrase.strip().encode()
    assert "STORE_KEY" in repr(key)
    assert "twelve" not in repr(key)


@pytest.mark.parametrize("passphrase", ["", "zwölf zwölf", "eleven char   "])
def test_key__in_the_environment_has_12_characters(monkeypatch, passphrase):
    monkeypatch.setenv("STORE_KEY", passphrase)
    with pytest.raises(StoreError, match="at least 12") as error:
        Key.from_environment("STORE_KEY")
    assert not passphrase or passphrase.strip() not in str(error.value)


def test_key__that_is_not_in_the_environment_is_an_error(monkeypatch):
    monkeypatch.delenv("STORE_KEY", raising=False)
    with pytest.raises(StoreError, match="STORE_KEY should hold the key, and is not set"):
        Key.from_environment("STORE_KEY")


def test_key__is_the_same_in_a_file_and_in_the_environment(paths, key_file, monkeypatch):
    monkeypatch.setenv("STORE_KEY", SECRET.decode())
    seal(paths[0], paths[1], Key.from_file(key_file(SECRET)))
    unseal(paths[1], paths[2], Key.from_environment("STORE_KEY"))
    assert paths[2].read_bytes() == PLAIN


def test_generate__writes_a_new_key_that_can_be_read(tmp_path):
    path = tmp_path / "new.key"
    key = Key.generate(path)
    assert Key.from_file(path) == key
    assert len(key.secret) == 64
    assert key.secret.decode() not in repr(key)
    assert Key.generate(tmp_path / "other.key").secret != key.secret


def test_generate__does_not_overwrite_a_key(tmp_path):
    path = tmp_path / "new.key"
    written = Key.generate(path).secret
    with pytest.raises(StoreError, match="there already") as error:
        Key.generate(path)
    assert path.read_bytes().strip() == written
    assert written.decode() not in str(error.value)


def test_generate__that_fails_leaves_no_key(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", failing(errno.ENOSPC))
    with pytest.raises(StoreError, match="No space left"):
        Key.generate(tmp_path / "new.key")
    assert list(tmp_path.iterdir()) == []


def test_store_error__is_the_callers_to_put_right_with_a_code_of_its_own():
    assert issubclass(StoreError, SeriatimError)
    assert StoreError.exit_code == 3


def test_import__of_sealing_loads_no_cryptography():
    code = "import sys, seriatim.publish.seal; print('cryptography' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
