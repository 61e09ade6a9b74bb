"""Sealing: a file encrypted and authenticated as a whole, for a store at rest.

    file   = header ‖ chunk 0 ‖ chunk 1 ‖ … ‖ last chunk
    chunk  = AES-256-GCM(scrypt(secret, salt), nonce, 1 MiB of the plain file, header)
    nonce  = prefix ‖ number of the chunk ‖ 1 if it is the last, else 0

Every chunk is bound to the header, to its place and to being the last or not, so a
changed, moved, missing or added byte is found. What is not found is an older sealed
file put back whole: it is what it says it is.

V. T. Hoang, R. Reyhanitabar, P. Rogaway and D. Vizár, Online authenticated-encryption
and its nonce-reuse misuse-resistance (2015): the construction STREAM.
"""

from __future__ import annotations

import itertools
import os
import secrets
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol

from seriatim._temporary import forget, register
from seriatim.errors import StoreError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

CHUNK = 2**20
"""Bytes of the plain file in a chunk; a sealed file says its own."""

COST_BITS = 15
"""How dear scrypt is to guess against: n = 2**15, with r = 8 and p = 1."""

MOST_WORK = 2**21
"""The largest n·r·p that is computed for a file: eight times ours, 256 MiB of memory."""

_MAGIC = b"seriatim sealed store\n"
_FORMAT = 1
_SCRYPT = 1
_TAG = 16
_LARGEST_CHUNK = 2**24
_SHORTEST_KEY = 32
_SHORTEST_PASSPHRASE = 12
_LONGEST_KEY = 2**16
_OTHERS = 0o077
_LAYOUT = struct.Struct(f">{len(_MAGIC)}sBBBBB16s7sI")


@dataclass(frozen=True)
class Key:
    """What a store is sealed with; it never shows its secret.

    >>> Key(b"correct horse battery staple", "a passphrase")
    Key(origin='a passphrase')
    """

    secret: bytes = field(repr=False)
    """A passphrase or random bytes; scrypt makes the key of a file from it."""

    origin: str
    """Where it came from, for messages."""

    @classmethod
    def from_file(cls, path: str | Path) -> Key:
        """Read a key file that only its owner may read; whitespace around the key is no part of it.

        A key has at least 32 bytes.
        """
        file = Path(path)
        with _explained(file, "read", "Give the file that holds the key."), file.open("rb") as key:
            mode = os.fstat(key.fileno()).st_mode
            secret = key.read(_LONGEST_KEY + 1)
        if os.name == "posix" and mode & _OTHERS:
            message = (
                f"The key file {file} may be read or written by others (mode {mode & 0o777:o})."
                f" A key is its owner's alone: chmod 600 {file}"
            )
            raise StoreError(message)
        if len(secret) > _LONGEST_KEY:
            message = (
                f"{file} has more than {_LONGEST_KEY} bytes, which is more than any key."
                " Give the file that holds the key, not the store."
            )
            raise StoreError(message)
        secret = secret.strip()
        if len(secret) < _SHORTEST_KEY:
            message = (
                f"The key in {file} has {len(secret)} bytes, and at least {_SHORTEST_KEY} are"
                " needed. Make one with Key.generate; a passphrase goes into the environment."
            )
            raise StoreError(message)
        return cls(secret, f"the key in {file}")

    @classmethod
    def from_environment(cls, name: str) -> Key:
        """Read a key or a passphrase of at least 12 characters from an environment variable."""
        if name not in os.environ:
            message = (
                f"The environment variable {name} should hold the key, and is not set."
                " Set it, or give a key file."
            )
            raise StoreError(message)
        # The bytes as they were set, so that a key is the same here and in a file.
        secret = os.fsencode(os.environ[name]).strip()
        length = len(os.fsdecode(secret))
        if length < _SHORTEST_PASSPHRASE:
            message = (
                f"The passphrase in the environment variable {name} has {length} characters, and"
                f" at least {_SHORTEST_PASSPHRASE} are needed. Several unrelated words make a good"
                " one."
            )
            raise StoreError(message)
        return cls(secret, f"the key in the environment variable {name}")

    @classmethod
    def generate(cls, path: str | Path) -> Key:
        """Write a new random key to a file that is not there yet."""
        file = Path(path)
        secret = secrets.token_hex(32).encode()
        with _new_file(file) as written:
            written.write(secret + b"\n")
            _settle(written)
        _settle_folder(file)
        return cls(secret, f"the key in {file}")


class Readable(Protocol):
    """Bytes that are read once."""

    def read(self, size: int, /) -> bytes:
        """Return so many bytes, fewer only at the end."""
        ...


class _Header(NamedTuple):
    """What stands before the chunks, in this order."""

    magic: bytes
    """Tells that it is a sealed store."""

    version: int
    """The format of everything that follows."""

    derivation: int
    """How the key is made from the secret; 1 is scrypt."""

    cost_bits: int
    """log₂ of scrypt's n."""

    block_size: int
    """scrypt's r."""

    lanes: int
    """scrypt's p."""

    salt: bytes
    """Makes the key this file's own."""

    prefix: bytes
    """Makes nonces this file's own."""

    chunk: int
    """Bytes of the plain file in a chunk."""

    @classmethod
    def fresh(cls) -> _Header:
        """Draw the header of a new file."""
        salt, prefix = secrets.token_bytes(16), secrets.token_bytes(7)
        return cls(_MAGIC, _FORMAT, _SCRYPT, COST_BITS, 8, 1, salt, prefix, CHUNK)

    @property
    def packed(self) -> bytes:
        """The header as it stands in the file."""
        return _LAYOUT.pack(*self)

    @property
    def is_possible(self) -> bool:
        """Whether it can be meant: a changed header must not make us work or store without end."""
        return (
            self.derivation == _SCRYPT
            and 1 <= self.cost_bits < min(16 * self.block_size, 32)
            and self.lanes >= 1
            and (self.block_size * self.lanes) << self.cost_bits <= MOST_WORK
            and 1 <= self.chunk <= _LARGEST_CHUNK
        )

    def nonce(self, number: int, *, last: bool) -> bytes:
        """Return the nonce of a chunk."""
        return self.prefix + number.to_bytes(4, "big") + bytes([last])

    def cipher(self, key: Key) -> AESGCM:
        """Return the cipher of this file."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

        n = 1 << self.cost_bits
        scrypt = Scrypt(salt=self.salt, length=32, n=n, r=self.block_size, p=self.lanes)
        return AESGCM(scrypt.derive(key.secret))


def is_sealed(path: str | Path) -> bool:
    """Tell whether a file begins as a sealed one; one that is not there does not."""
    file = Path(path)
    try:
        with _explained(file, "read", "Give a file that may be read."), file.open("rb") as begun:
            return begun.read(len(_MAGIC)) == _MAGIC
    except StoreError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return False
        raise


def seal(source: Path, target: Path, key: Key) -> None:
    """Write a file sealed, in the place of what the target was; all of it or nothing.

    Whoever seals must be the only one to write the target. The source stays.
    """
    with _opened(source) as plain:
        seal_stream(plain, source, target, key)


def seal_stream(plain: Readable, source: Path, target: Path, key: Key) -> None:
    """Write bytes sealed, as ``seal`` does a file; ``source`` is where errors say they are from."""
    part = target.with_name(f"{target.name}.part")
    header = _Header.fresh()
    cipher = header.cipher(key)
    with _new_file(part, becomes=target) as sealed:
        sealed.write(header.packed)
        for number, (piece, last) in enumerate(_pieces(plain, source, header.chunk)):
            nonce = header.nonce(number, last=last)
            sealed.write(cipher.encrypt(nonce, piece, header.packed))
        _settle(sealed)
    _settle_folder(target)


def unseal(source: Path, target: Path, key: Key) -> None:
    """Write a sealed file plain to a target that is not there yet; all of it or nothing."""
    pieces = unsealed(source, key)
    first = next(pieces)
    with _new_file(target) as plain:
        for piece in itertools.chain([first], pieces):
            plain.write(piece)


def unsealed(source: Path, key: Key) -> Iterator[bytes]:
    """Go through a sealed file, piece by piece; only the end tells that all of it is as sealed."""
    from cryptography.exceptions import InvalidTag

    with _opened(source) as sealed:
        header = _read_header(sealed, source)
        cipher = header.cipher(key)
        size = header.chunk + _TAG
        for number, (piece, last) in enumerate(_pieces(sealed, source, size)):
            nonce = header.nonce(number, last=last)
            try:
                yield cipher.decrypt(nonce, piece, header.packed)
            except InvalidTag:
                raise _not_as_sealed(source, key, number, size) from None


def _not_as_sealed(source: Path, key: Key, number: int, size: int) -> StoreError:
    """Say what a chunk that is not authentic tells about its file."""
    if number == 0:
        return StoreError(
            f"{source} could not be unsealed with {key.origin}: this is not the key that it was"
            " sealed with, or the beginning of the file was changed or cut short."
            " Give the key that it was sealed with, or restore a backup."
        )
    return StoreError(
        f"{source} is damaged at about byte {_LAYOUT.size + number * size}: the key fits, and"
        " what follows was changed, moved or cut short after it was sealed."
        " Nothing was unsealed; restore a backup."
    )


def _read_header(sealed: BinaryIO, source: Path) -> _Header:
    """Read the header of a sealed file, and refuse what is none."""
    with _explained(source, "read", "Restore a backup."):
        packed = sealed.read(_LAYOUT.size)
    if not packed.startswith(_MAGIC):
        found = "it is empty" if not packed else "it does not begin as one"
        message = (
            f"{source} should be a sealed store, and {found}."
            " Give a file that was sealed, or restore a backup."
        )
        raise StoreError(message)
    if len(packed) < _LAYOUT.size:
        message = f"{source} is a sealed store cut short in its beginning. Restore a backup."
        raise StoreError(message)
    header = _Header._make(_LAYOUT.unpack(packed))
    if header.version != _FORMAT:
        message = (
            f"{source} is sealed in format {header.version}, and this seriatim knows format"
            f" {_FORMAT}. Unseal it with a newer seriatim; if none made it, restore a backup."
        )
        raise StoreError(message)
    if not header.is_possible:
        message = (
            f"{source} is damaged in its first {_LAYOUT.size} bytes: they ask for what no"
            " seriatim writes. Restore a backup."
        )
        raise StoreError(message)
    return header


def _pieces(file: Readable, path: Path, size: int) -> Iterator[tuple[bytes, bool]]:
    """Read a file piece by piece, and tell which is the last; an empty one is an empty piece."""
    advice = "Nothing was written; restore a backup if it goes on."
    with _explained(path, "read", advice):
        piece = file.read(size)
    while True:
        with _explained(path, "read", advice):
            following = file.read(size)
        yield piece, not following
        if not following:
            return
        piece = following


@contextmanager
def _opened(source: Path) -> Iterator[BinaryIO]:
    """Open a file for reading."""
    with _explained(source, "read", "Give a file that is there and may be read."):
        file = source.open("rb")
    with file:
        yield file


@contextmanager
def _new_file(path: Path, *, becomes: Path | None = None) -> Iterator[BinaryIO]:
    """Make a file that is its owner's alone, and gone again when anything fails.

    One that becomes another when it is whole takes the place of what an earlier crash left.
    """
    advice = "Nothing was left behind. Give a folder that is there, may be written and has room."
    with _explained(becomes or path, "written", advice):
        if becomes is not None:
            path.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(path, flags, 0o600)
            register(path)
        except FileExistsError:
            message = (
                f"{path} is to be a new file, and is there already; it was not touched."
                " Give another name, or remove it if nobody needs it."
            )
            raise StoreError(message) from None
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
            if becomes is not None:
                path.replace(becomes)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        finally:
            forget(path)


def _settle(file: BinaryIO) -> None:
    """Wait until a file's bytes are on the disk."""
    file.flush()
    os.fsync(file.fileno())


def _settle_folder(path: Path) -> None:
    """Wait until a file's name is on the disk, where folders can be waited for."""
    if os.name != "posix":
        return
    advice = f"{path} is written, and may be lost if the power fails now. Try again."
    with _explained(path.parent, "brought to the disk", advice):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def _explained(path: Path, done: str, advice: str) -> Iterator[None]:
    """Turn what the system says of a file into an error with advice."""
    try:
        yield
    except OSError as error:
        message = f"{path} could not be {done}: {error.strerror or error}. {advice}"
        raise StoreError(message) from error
