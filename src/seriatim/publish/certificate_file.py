"""Certificates read back, which anybody may have written.

Everything that is used of a certificate is looked at when it is read: whoever verifies, reports
or audits by it then finds each key of its kind. What is wrong is told in a sentence.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seriatim.errors import SeriatimError, TableError
from seriatim.microdata.buckets import PEOPLE, VALUES
from seriatim.microdata.sensitive import Sensitive
from seriatim.privacy.requirement import Measured
from seriatim.publish.certificate import FORM, part_promised
from seriatim.publish.records import read_instant

CERTIFICATE_ENDING = ".certificate.json"
"""How the names of certificates end."""

MOST_BYTES = 2**26
"""The largest file that is read as a certificate; one with a thousand files has 0.2 MB."""

_MOST_NUMBER = 2**63
_MOST_COUNT = 2**53
_DIGEST = re.compile(r"[0-9a-f]{64}")
_HALF = re.compile("[\ud800-\udfff]")
_NAMED = re.compile(r"[^/\\\x00-\x1f\x7f]+\.(csv|parquet)")


@dataclass(frozen=True)
class Promise:
    """What a certificate promises, beside what it says was measured."""

    name: str
    """The promise, as it is written."""

    part: Measured | None
    """What it asks; None where this program does not know it."""

    confirmable: bool
    """Whether files can confirm it."""

    worst: float
    """The worst that was measured, as stated."""

    group: int
    """The group that has it, as stated."""


def certificate_beside(released: str | Path) -> Path:
    """Return where the certificate of a released file lies; a certificate is its own.

    >>> certificate_beside("out/release-0001.csv").name
    'release-0001.certificate.json'
    """
    path = Path(released)
    if path.name.endswith(CERTIFICATE_ENDING) or not path.name:
        return path
    return path.with_name(path.name.split(".")[0] + CERTIFICATE_ENDING)


def read_certificate(path: Path) -> dict[str, Any]:
    """Read a certificate; anything else is an error that says what is wrong with it."""
    found = read_public_json(path, "certificate")
    form = found.get("seriatim certificate") if isinstance(found, dict) else None
    if isinstance(form, int) and form > FORM:
        message = f"{path.name} was written by a newer seriatim; use that version to verify it."
        raise TableError(message)
    wrong = "it has no 'seriatim certificate'" if form != FORM else _mistake(found)
    if wrong is not None:
        raise _no_certificate(path, "certificate", wrong)
    return dict(found)


def promises_of(certificate: Mapping[str, Any]) -> list[Promise]:
    """Return what a certificate that was read promises."""
    found = []
    for one, stated in zip(certificate["promised"], certificate["measured"], strict=True):
        part, confirmable = part_promised(one) or (None, False)
        worst, group = float(stated["worst"]), stated["group"]
        found.append(Promise(str(one["name"]), part, confirmable, worst, group))
    return found


def read_public_json(path: Path, what: str) -> Any:
    """Read JSON that anybody may have written: small, finite, each key once, text throughout."""
    try:
        if not path.is_file():
            message = f"{path} could not be read: there is no such file."
            raise TableError(message)
        if path.stat().st_size > MOST_BYTES:
            message = (
                f"{path.name} has more than {MOST_BYTES // 2**20} MB, and no {what} of seriatim"
                " has as many."
            )
            raise TableError(message)
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        message = f"{path} could not be read: {error.strerror}."
        raise TableError(message) from None
    except ValueError:  # no UTF-8, or a name that is none
        raise _no_certificate(path, what, "it is no text") from None
    try:
        found = json.loads(text, parse_constant=_no_number, object_pairs_hook=_each_once)
    except (ValueError, RecursionError, MemoryError):
        raise _no_certificate(path, what, "it is no JSON that can be read") from None
    wrong = _extreme(found)
    if wrong is not None:
        raise _no_certificate(path, what, wrong)
    return found


def _no_certificate(path: Path, what: str, wrong: str) -> TableError:
    return TableError(f"{path.name} is no {what} of seriatim, or was changed: {wrong}.")


def _no_number(word: str) -> None:
    raise ValueError(word)


def _each_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that is there twice: readers would not agree which one counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _extreme(found: Any) -> str | None:
    """Say what of some JSON no certificate could hold, wherever it stands."""
    waiting = [found]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str):
            if _HALF.search(one):
                return "it has half a character"
        elif isinstance(one, int | float) and not abs(one) < _MOST_NUMBER:
            return "it has a number beyond all that is counted"
    return None


def _is_count(one: object) -> bool:
    return isinstance(one, int) and not isinstance(one, bool) and 0 <= one < _MOST_COUNT


def _is_positive(one: object) -> bool:
    return _is_count(one) and one != 0


def _is_figure(one: object) -> bool:
    return isinstance(one, int | float) and not isinstance(one, bool) and math.isfinite(one)


def _is_digest(one: object) -> bool:
    return isinstance(one, str) and _DIGEST.fullmatch(one) is not None


def _are_texts(one: object) -> bool:
    return isinstance(one, list) and all(isinstance(text, str) for text in one)


def _are_figures(one: object) -> bool:
    return isinstance(one, dict) and all(_is_figure(figure) for figure in one.values())


def _are_counts(one: object) -> bool:
    return isinstance(one, dict) and all(map(_is_count, one.values()))


def _are_differences(one: object) -> bool:
    if not isinstance(one, dict) or not _are_counts(one):
        return False
    people = one.get("people", 0)
    return bool(one.get("people separated", 0) <= people >= one.get("people named", 0))


def _is_instant(one: object) -> bool:
    if not isinstance(one, dict) or len(one) != 1:
        return False
    ((kind, at),) = one.items()
    if kind == "number":
        return _is_figure(at)
    if kind not in ("date", "time", "text") or not isinstance(at, str):
        return False
    try:
        read_instant(json.dumps(one))
    except ValueError:
        return False
    return True


def _are_columns(one: object) -> bool:
    """Tell whether every column has one part, and the group, somebody and a value are there."""
    if not isinstance(one, dict):
        return False
    single = [one.get("group"), one.get("sensitive")]
    several = [one.get("quasi-identifiers"), one.get("insensitive", [])]
    if not all(isinstance(name, str) for name in single) or not all(map(_are_texts, several)):
        return False
    names = [*single, *several[0], *several[1]]
    return bool(several[0]) and len(set(names)) == len(names)


def _are_values(one: object) -> bool:
    scalar = str | bool | int | float
    if not isinstance(one, list) or not all(isinstance(value, scalar) for value in one):
        return False
    try:
        Sensitive("values", one)  # refuses what cannot be a domain
    except SeriatimError:
        return False
    return True


_KINDS: dict[str, Callable[[Any], bool]] = {
    "at": _is_instant,
    "number": _is_positive,
    "form": lambda one: one in ("generalized", "buckets"),
    "files": lambda one: isinstance(one, dict) and bool(one),
    "columns": _are_columns,
    "values": _are_values,
    "tuples": _is_positive,
    "groups": _is_positive,
    "promised": lambda one: isinstance(one, list),
    "measured": lambda one: isinstance(one, list),
    "previous": lambda one: one is None or _is_digest(one),
}
"""What a certificate must have, and how each is told from something else."""

_MORE: dict[str, Callable[[Any], bool]] = {
    "study": lambda one: isinstance(one, str),
    "in parts": lambda one: isinstance(one, bool),
    "suppressed": _is_count,
    "merged": _is_count,
    "counterfeits": _is_count,
    "made by": lambda one: isinstance(one, dict),
    "listing": _are_counts,
    "reader": lambda one: isinstance(one, dict),
    "detail lost": _are_figures,
    "singled out": _are_figures,
    "allowed though nearly unique": _are_texts,
    "simulated reader": _are_figures,
    "differences": _are_differences,
    "groups formed with k": _is_count,
    "dropped for missing values": _is_count,
    "repeated rows left out": _is_count,
    "versions": lambda one: isinstance(one, dict),
}
"""What a certificate has besides: as it should be, or not there at all."""


def _mistake(found: Mapping[str, Any]) -> str | None:
    """Say what is wrong with a certificate; None if nothing is."""
    missing = [name for name in _KINDS if name not in found]
    if missing:
        return f"it has no {missing[0]!r}"
    for name, is_right in (_KINDS | _MORE).items():
        if name in found and not is_right(found[name]):
            return f"{name!r} is not what it should be"
    if found["groups"] > found["tuples"]:
        return "it has more groups than tuples"
    if not _listing_fits(found):
        return "'listing' is not what it should be"
    if not set(found.get("singled out", ())) <= set(found["columns"]["quasi-identifiers"]):
        return "'singled out' is not what it should be"
    return _wrong_with_files(found) or _wrong_with_promises(found)


def _listing_fits(found: Mapping[str, Any]) -> bool:
    """Tell whether no more are carried over than are listed, or held back than are left out."""
    told, left_out = found.get("listing", {}), found.get("suppressed", 0)
    carried, held = told.get("carried over", 0), told.get("held back", 0)
    return bool(carried <= found["tuples"] + left_out and held <= left_out)


def _wrong_with_files(found: Mapping[str, Any]) -> str | None:
    """Say what is wrong with the files: plain names beside the certificate, with a digest each."""
    in_parts, names = bool(found.get("in parts")), []
    for name, stated in found["files"].items():
        plain = name.split("/", 1)[1] if in_parts and name.count("/") == 1 else name
        if _NAMED.fullmatch(plain) is None or (in_parts and not plain.endswith(".parquet")):
            return "it names a file that is none of a release"
        if not isinstance(stated, dict) or not _is_digest(stated.get("sha256")):
            return "it names a file without its digest"
        if not _is_count(stated.get("bytes", 0)):
            return "it names a file of no size"
        names.append(plain)
    if len(set(names)) < len(names) or (in_parts and found["form"] == "buckets"):
        return "'files' is not what it should be"
    if found["form"] == "buckets":
        people = {name for name in names if PEOPLE in name}
        values = {name.replace(VALUES, PEOPLE) for name in names if VALUES in name}
        if people != values or len(people) + len(values) != len(names):
            return "it names tables of people and of values that do not go together"
    return None


def _wrong_with_promises(found: Mapping[str, Any]) -> str | None:
    """Say where promises and what was measured of them do not go together."""
    promised, measured = found["promised"], found["measured"]
    if not promised or len(promised) != len(measured):
        return "it promises something else than was measured, or nothing"
    for one, stated in zip(promised, measured, strict=True):
        if not (isinstance(one, dict) and isinstance(stated, dict)):
            return "'promised' and 'measured' are not what they should be"
        name, group = one.get("name"), stated.get("group")
        if not isinstance(name, str) or stated.get("name") != name:
            return "it promises something else than was measured"
        is_figure = _is_figure(stated.get("worst")) and _is_positive(group)
        if not is_figure or group > found["groups"] or not _can_be_read(one):
            return f"what it promises, or says was measured, of {name!r} is not what it should be"
    return None


def _can_be_read(promise: Mapping[str, Any]) -> bool:
    """Tell whether a promise has its parameters; one that is not known may have any."""
    try:
        part_promised(promise)
    except (KeyError, TypeError, ValueError, SeriatimError):
        return False
    return True
