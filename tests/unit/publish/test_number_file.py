"""Numbers in a file come back as they were, and damage never passes for numbers."""

import errno
import itertools
import os
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.kernels.checksums import sum_blocks
from seriatim.publish import number_file, whole_writer
from seriatim.publish.number_file import NumberFile, NumberWriter

KINDS = {"letter": np.dtype("<u2"), "share": np.dtype("<f4"), "word": np.dtype("<u8")}


def written(path, lengths, rng):
    """Write columns in chunks of some lengths; return the whole of each, and what lies where."""
    writer = NumberWriter(path)
    parts = []
    for length in lengths:
        parts.append(
            {name: rng.integers(0, 2**16, length).astype(kind) for name, kind in KINDS.items()}
        )
        writer.add(parts[-1])
    writer.close()
    wholes = {
        name: np.concatenate([np.empty(0, kind), *(part[name] for part in parts)])
        for name, kind in KINDS.items()
    }
    return wholes, writer.chunks


@given(
    lengths=st.lists(st.integers(0, 9), max_size=5),
    cuts=st.lists(st.tuples(st.integers(0, 45), st.integers(0, 45)), max_size=6),
    block=st.sampled_from([1, 2, 3, 8, 100]),
)
def test_file__gives_back_any_part_of_what_was_added_bit_by_bit(lengths, cuts, block):
    rng = np.random.default_rng(len(lengths))
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(number_file, "BLOCK", block):
        path = Path(folder) / "numbers"
        wholes, chunks = written(path, lengths, rng)
        assert path.stat().st_size == sum(whole.nbytes for whole in wholes.values())
        file, room = NumberFile(path, chunks), {}
        for cut in cuts:
            first, last = sorted(np.minimum(cut, sum(lengths)).tolist())
            found = file.read(KINDS, first, last)
            again, shift = file.read_into(room, KINDS, first, last)
            for name, whole in wholes.items():
                right = whole[first:last]
                assert found[name].dtype == right.dtype
                np.testing.assert_array_equal(found[name], right)
                np.testing.assert_array_equal(again[name][first + shift : last + shift], right)


def test_file__gives_back_what_begins_behind_a_whole_block(tmp_path):
    with mock.patch.object(number_file, "BLOCK", 3):
        wholes, chunks = written(tmp_path / "numbers", [4, 9], np.random.default_rng(1))
        found = NumberFile(tmp_path / "numbers", chunks).read(KINDS, 8, 12)
    for name, whole in wholes.items():
        np.testing.assert_array_equal(found[name], whole[8:12])


def test_file__finds_every_changed_byte_and_every_missing_end(tmp_path):
    path = tmp_path / "numbers"
    with mock.patch.object(number_file, "BLOCK", 4):
        wholes, chunks = written(path, [5, 6], np.random.default_rng(1))
        content = path.read_bytes()
        file = NumberFile(path, chunks)
        for place in range(len(content)):
            path.write_bytes(content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :])
            with pytest.raises(sr.StoreError, match="is damaged: it is not what was written"):
                file.read(KINDS, 0, 11)
        for end in range(len(content)):
            path.write_bytes(content[:end])
            with pytest.raises(sr.StoreError, match="is damaged"):
                file.read(KINDS, 0, 11)
        path.write_bytes(content)
        np.testing.assert_array_equal(file.read(KINDS, 0, 11)["word"], wholes["word"])


def test_file__that_is_gone_says_what_belongs_together(tmp_path):
    path = tmp_path / "people" / "pasts-1"
    with pytest.raises(sr.StoreError, match=r"people/pasts-1 is not there.*folder beside it"):
        NumberFile(path, []).read(KINDS, 0, 1)


def test_file__is_its_owners_alone_and_never_written_over(tmp_path):
    path = tmp_path / "numbers"
    NumberWriter(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(sr.StoreError, match="could not be written: File exists"):
        NumberWriter(path)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
def test_writer__tells_what_the_disk_refuses(tmp_path, error):
    writer = NumberWriter(tmp_path / "numbers")
    writer.add({"word": np.arange(9)})
    with (
        mock.patch("os.write", side_effect=OSError(error, os.strerror(error))),
        pytest.raises(sr.StoreError, match=f"could not be written: {os.strerror(error)}"),
    ):
        writer.close()
    writer.close()


def test_writer__tells_what_only_shows_on_the_way_to_the_disk(tmp_path):
    writer = NumberWriter(tmp_path / "numbers")
    with (
        mock.patch("os.fsync", side_effect=OSError(errno.EIO, "Input/output error")),
        pytest.raises(sr.StoreError, match="could not be written: Input/output error"),
    ):
        writer.close()


@pytest.mark.parametrize("refused", [False, True])
@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 8192, 20_000])
def test_whole_file__is_what_was_written_straight_or_not(tmp_path, size, refused):
    data, write, calls = np.random.default_rng(size).bytes(size), os.write, itertools.count()

    def sometimes(handle, rest):
        if refused and next(calls) == 0:
            raise OSError(errno.EINVAL, "Invalid argument")
        return write(handle, rest[: max(len(rest) // 2, 1)] if refused else rest)

    with mock.patch.object(whole_writer, "_ROOM", 4096), mock.patch("os.write", sometimes):
        writer = whole_writer.WholeWriter(tmp_path / "file")
        for begin in range(0, size, 1500):
            writer.write(np.frombuffer(data, np.uint8)[begin : begin + 1500])
        writer.close()
    assert (tmp_path / "file").read_bytes() == data


@given(st.binary(max_size=400), st.integers(1, 200))
def test_checksums__are_those_of_the_slow_twin(data, size):
    bytes_of = np.frombuffer(data, np.uint8)  # not to be changed, as the store's are not
    sums = np.empty(-(-len(data) // size), np.uint64)
    sum_blocks(0, len(sums), bytes_of, size, sums)
    blocks = [data[begin : begin + size] for begin in range(0, len(data), size)]
    assert sums.tolist() == [oracles.checksum(block) for block in blocks]


@given(st.binary(min_size=1, max_size=200), st.data())
def test_checksums__differ_where_two_bytes_are_swapped_or_bits_are_flipped(data, draw):
    changed = bytearray(data)
    first, second = (draw.draw(st.integers(0, len(data) - 1)) for _ in range(2))
    if draw.draw(st.booleans()):
        changed[first], changed[second] = changed[second], changed[first]
    else:
        changed[first] ^= 128
        changed[second] ^= 128
    assert (oracles.checksum(bytes(changed)) == oracles.checksum(data)) == (changed == data)
