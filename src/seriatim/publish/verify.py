"""Verification: is this release what its certificate says, and does it keep its promises?

From the files and the certificate alone: no study, no store, no originals. What needs
the simulated reader's beliefs can only be attested by who published; everything else is
measured again on the written tables.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray
from seriatim.errors import SeriatimError, TableError
from seriatim.measure.singling_out import Fits, fits, share_singled_out, summed
from seriatim.microdata.buckets import PEOPLE, VALUES
from seriatim.microdata.foreign import spellings, value_codes
from seriatim.microdata.letters import read_decimals
from seriatim.microdata.plain_counts import count_plain
from seriatim.microdata.release import COUNT_COLUMN
from seriatim.microdata.sensitive import Sensitive
from seriatim.microdata.sources import open_as_text, open_lines
from seriatim.microdata.tables import read_table, to_numpy, to_text
from seriatim.privacy.requirement import Measured
from seriatim.privacy.tally import Tally
from seriatim.privacy.verdict import Finding
from seriatim.publish.certificate import FORM, part_promised, sha256

CERTIFICATE_ENDING = ".certificate.json"
"""How the names of certificates end."""

_WRITTEN = str | bool | int | float
"""Values that a certificate can name."""

_KINDS = {
    "number": int,
    "files": dict,
    "columns": dict,
    "values": list,
    "promised": list,
    "measured": list,
    "form": str,
    "tuples": int,
    "groups": int,
    "previous": str | None,
}
"""What a certificate must have for it to be verified."""


@dataclass(frozen=True)
class Check:
    """One thing that was checked."""

    what: str
    """What was checked."""

    holds: bool
    """Whether it is as it should be."""

    found: str
    """What was found."""


@dataclass(frozen=True)
class Verification:
    """All that was checked of one release."""

    certificate: str
    """The certificate's file."""

    checks: tuple[Check, ...]
    """What was checked, in order."""

    attested: tuple[str, ...]
    """What only the publisher could measure."""

    @property
    def holds(self) -> bool:
        """Whether everything is as it should be."""
        return all(check.holds for check in self.checks)

    def __str__(self) -> str:
        """Tell it, a line for each check."""
        lines = [f"{self.certificate}: {'verified' if self.holds else 'NOT VERIFIED'}"]
        lines += [
            f"  {'ok ' if one.holds else 'NOT'} {one.what}: {one.found}" for one in self.checks
        ]
        lines += [
            f"  (attested by the publisher, not in the files: {one})" for one in self.attested
        ]
        return "\n".join(lines)


def verify(certificate: str | Path) -> Verification:
    """Check a release by its certificate, whose files lie beside it.

    >>> import tempfile
    >>> from seriatim import Press, Study
    >>> from seriatim.publish.propose import propose
    >>> from seriatim.publish.study_text import study_text
    >>> week = {"patient": list(range(24)), "age": list(range(50, 74)), "exam": ["neg", "pos"] * 12}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "study.toml"
    ...     _ = file.write_text(study_text(propose(week)))
    ...     with Press(Study.read(file)) as press:
    ...         released = press.publish(week, at=1).files
    ...     before = verify(released[-1])
    ...     _ = released[0].write_text("group,age,exam")
    ...     print(before.holds, verify(released[-1]).checks[0])
    True Check(what='digest of release-0001.csv', holds=False, found='the file was changed')
    """
    path = Path(certificate)
    promised = read_certificate(path)
    contents = {name: _beside(path, name, promised) for name in promised["files"]}
    tables = _tables(promised, contents)
    attested: list[str] = []
    # Neither needs the other. What is wrong with the counts of a changed file is never told.
    with ThreadPoolExecutor(1, thread_name_prefix="seriatim-verify") as beside:
        counting = beside.submit(
            lambda: [[_counts(file, promised) for file in files] for files in tables.values()]
        )
        checks = [
            _digest_check(contents[name], name, stated["sha256"])
            for name, stated in promised["files"].items()
        ]
    if all(check.holds for check in checks):
        for table, parts in zip(tables, counting.result(), strict=True):
            counts = sum_of_parts(parts)
            checks.append(_size_check(table, counts, promised))
            if promised["form"] == "buckets":
                people = table.replace(VALUES, PEOPLE)
                checks.append(_people_check(people, contents[people], counts, promised))
            for finding, worst, name in _findings(counts, promised):
                checks.append(_promise_check(table, finding, worst, name))
        checks += _sets_checks(tables, promised)
        attested = [
            f"{one['name'] if part is None else part[0]}: worst {stated}"
            for one, part, stated in _promises(promised)
            if part is None or not part[1]
        ]
    return Verification(path.name, tuple(checks), tuple(attested))


def verify_chain(certificates: Sequence[str | Path]) -> tuple[Verification, ...]:
    """Check every release of a series, and that none is missing between them.

    >>> import tempfile
    >>> from seriatim import Press, Study
    >>> from seriatim.publish.propose import propose
    >>> from seriatim.publish.study_text import study_text
    >>> week = {"patient": list(range(24)), "age": list(range(50, 74)), "exam": ["neg", "pos"] * 12}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "study.toml"
    ...     _ = file.write_text(study_text(propose(week)))
    ...     with Press(Study.read(file)) as press:
    ...         made = [press.publish(week, at=at, again=True).files[-1] for at in (1, 2, 3)]
    ...     [[one.holds for one in verify_chain(some)] for some in (made, made[::2])]
    [[True, True, True], [True, False]]
    """
    found, numbered = [], []
    for path in map(Path, certificates):
        try:
            numbered.append((read_certificate(path)["number"], path))
        except TableError as error:
            found.append(Verification(path.name, (Check("certificate", False, str(error)),), ()))
    digest, number = None, None
    for _, path in sorted(numbered):
        one, stated = verify(path), read_certificate(path)
        follows = stated["previous"] == digest and number in (None, stated["number"] - 1)
        if number is None and stated["number"] == 1:
            follows = stated["previous"] is None
        elif number is None:
            follows = True
        told = "follows the one before" if follows else "the one before is another, or is missing"
        if number is None:
            told = "the first that was given" if follows else "should have none before it"
        link = Check("place in the chain", follows, told)
        found.append(Verification(one.certificate, (*one.checks, link), one.attested))
        digest, number = sha256(path.read_bytes()), stated["number"]
    return tuple(found)


def certificate_beside(released: str | Path) -> Path:
    """Return where the certificate of a released file lies; a certificate is its own.

    >>> certificate_beside("out/release-0001.csv").name
    'release-0001.certificate.json'
    """
    path = Path(released)
    if path.name.endswith(CERTIFICATE_ENDING):
        return path
    return path.with_name(path.name.split(".")[0] + CERTIFICATE_ENDING)


def read_certificate(path: Path) -> dict[str, Any]:
    """Read a certificate; anything else is an error."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        form = int(found["seriatim certificate"])
    except OSError as error:
        message = f"{path} could not be read: {error.strerror}."
        raise TableError(message) from None
    except (ValueError, KeyError, TypeError):
        form, found = 0, {}
    if form > FORM:
        message = f"{path.name} was written by a newer seriatim; use that version to verify it."
        raise TableError(message)
    if not _is_whole(found):
        message = f"{path.name} is no certificate of seriatim, or was changed."
        raise TableError(message)
    return dict(found)


def _is_whole(found: Any) -> bool:
    """Tell whether all that is looked at is there, and of its kind: anybody may have written it."""
    if not isinstance(found, dict) or not _KINDS.keys() <= found.keys():
        return False
    # Without files there would be nothing to find wrong.
    kinds = all(isinstance(found[name], kind) for name, kind in _KINDS.items())
    if not kinds or not found["files"]:
        return False
    try:
        _promises(found)
        said = [
            *(one["sha256"] for one in found["files"].values()),
            *(found["columns"][name] for name in ("group", "sensitive")),
        ]
    except (KeyError, TypeError, ValueError, SeriatimError):
        return False
    return all(isinstance(one, str) for one in said)


def _promises(
    promised: dict[str, Any],
) -> list[tuple[dict[str, Any], tuple[Measured, bool] | None, float]]:
    """Return each promise, its requirement where it is one of ours, and the worst it states."""
    return [
        (one, part_promised(one), float(stated["worst"]))
        for one, stated in zip(promised["promised"], promised["measured"], strict=True)
    ]


def _digest_check(file: Path, name: str, stated: str) -> Check:
    try:
        with file.open("rb") as content:  # piece by piece: a release may be large
            found = hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        return Check(f"digest of {name}", False, f"could not be read: {error.strerror}")
    told = f"SHA-256 {found[:16]}…" if found == stated else "the file was changed"
    return Check(f"digest of {name}", found == stated, told)


def _beside(certificate: Path, name: str, promised: dict[str, Any]) -> Path:
    """Return a file of a release: beside its certificate, or in the folder of its parts."""
    if not promised.get("in parts"):
        return certificate.with_name(Path(name).name)
    folder = certificate.name.removesuffix(CERTIFICATE_ENDING)
    return certificate.with_name(folder) / Path(name).name


def _tables(promised: dict[str, Any], contents: dict[str, Path]) -> dict[str, list[Path]]:
    """Return the files that say which values each group has, table by table."""
    if promised.get("in parts"):
        return {f"{len(contents)} parts": list(contents.values())}
    if promised["form"] == "generalized":
        return {name: [file] for name, file in contents.items()}
    return {name: [file] for name, file in contents.items() if ".values." in name}


def sum_of_parts(counts: list[IntArray]) -> IntArray:
    """Return how often each group has each value in a table that is in several files."""
    if len(counts) == 1:
        return counts[0]
    total = np.zeros((max(map(len, counts)), counts[0].shape[1]), dtype=np.int64)
    for one in counts:
        total[: len(one)] += one
    return total


def _counts(file: Path, promised: dict[str, Any]) -> IntArray:
    """Return how often each group of a written table has each value."""
    group, sensitive = promised["columns"]["group"], promised["columns"]["sensitive"]
    quick = _counted_at_once(file, promised)
    if quick is not None:
        return quick
    counted = (COUNT_COLUMN,) if promised["form"] == "buckets" else ()
    columns = read_table(open_as_text(file, columns=(group, sensitive, *counted)))
    values = promised["values"]
    codes = value_codes(columns[sensitive], Sensitive(sensitive, values))
    groups = _group_numbers(columns[group], file)
    times = None
    if promised["form"] == "buckets":
        times = to_text(columns[COUNT_COLUMN], COUNT_COLUMN).cast(pa.float64()).to_numpy()
    cells = groups * len(values) + codes
    size = (int(groups.max()) + 1) * len(values)
    return (
        np.bincount(cells, times, minlength=size)
        .astype(np.int64, copy=False)
        .reshape(-1, len(values))
    )


def _counted_at_once(file: Path, promised: dict[str, Any]) -> IntArray | None:
    """Count a large plain table without columns in between; None where it is another."""
    values = promised["values"]
    if promised["form"] == "buckets" or not all(isinstance(one, _WRITTEN) for one in values):
        return None
    lines = open_lines(file)
    if lines is None:
        return None
    group, sensitive = promised["columns"]["group"], promised["columns"]["sensitive"]
    counts = count_plain(*lines, group, sensitive, spellings(values))
    if counts is not None:
        Sensitive(sensitive, values)  # refuses what cannot be a domain
    return counts


def _group_numbers(column: pa.Array, file: Path) -> IntArray:
    """Return the group of each row, from 0."""
    texts = to_text(column, "group")
    numbers = read_decimals(pa.chunked_array([texts]))
    try:
        groups = (texts.cast(pa.int64()) if numbers is None else numbers).to_numpy() - 1
    except pa.ArrowException:
        groups = np.full(1, -1)
    if len(groups) == 0 or groups.min() < 0:
        message = f"{file.name} has groups that its certificate does not know."
        raise TableError(message)
    return np.asarray(groups)


def _size_check(name: str, counts: IntArray, promised: dict[str, Any]) -> Check:
    stated = (promised["tuples"], promised["groups"])
    found = (int(counts.sum()), len(counts))
    return Check(f"size of {name}", found == stated, f"{found[0]} tuples in {found[1]} groups")


def _people_check(name: str, file: Path, counts: IntArray, promised: dict[str, Any]) -> Check:
    """Look whether each bucket lists as many people as it has values."""
    group = promised["columns"]["group"]
    people = read_table(open_as_text(file, columns=(group,)))
    groups = _group_numbers(people[group], file)
    listed = np.bincount(groups, minlength=len(counts))
    holds = np.array_equal(listed, counts.sum(axis=1))
    told = "as many as values in every group" if holds else "more or fewer than values in a group"
    return Check(f"people of {name}", holds, told)


def _sets_checks(tables: dict[str, list[Path]], promised: dict[str, Any]) -> list[Check]:
    """Measure again whom the sets of the table single out, where the certificate tells it."""
    stated = promised.get("singled out")
    if not stated or promised["form"] == "buckets":
        return []
    # All tables of a release say the same: one is read, which is quickest in Parquet.
    files = min(tables.values(), key=lambda files: files[0].suffix != ".parquet")
    try:
        found = _singled_out(files, tuple(stated), promised["columns"]["group"])
        shares = {name: float(share) for name, share in stated.items()}
    except (SeriatimError, TypeError, ValueError, AttributeError):
        return [Check("singled out by sets", False, "is not told of columns of the table")]
    return [
        Check(
            f"singled out by sets of {name}",
            abs(share - shares[name]) <= 1e-9,
            f"{share:.1%} of the tuples"
            + ("" if abs(share - shares[name]) <= 1e-9 else f", not {shares[name]:.1%}"),
        )
        for name, share in found.items()
    ]


def _singled_out(files: list[Path], names: tuple[str, ...], group: str) -> dict[str, float]:
    """Return the share of tuples that the sets of each column single out, over all files."""
    parts: dict[str, list[Fits]] = {name: [] for name in names}
    for file in files:
        columns = read_table(open_as_text(file, columns=(group, *names)))
        numbers = columns[group]
        whole = pa.types.is_integer(numbers.type)
        groups = to_numpy(numbers) if whole else _group_numbers(numbers, file)
        first, sizes = _first_and_sizes(groups)
        for name in names:
            texts = to_text(columns[name].take(pa.array(first)), name)
            parts[name].append(fits(texts, sizes))
    return {name: share_singled_out(summed(some)) for name, some in parts.items()}


def _first_and_sizes(groups: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first row of each group, and how many rows it has."""
    if (groups[1:] < groups[:-1]).any():
        _, first, sizes = np.unique(groups, return_index=True, return_counts=True)
        return first, sizes
    first = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
    return first, np.diff(np.r_[first, len(groups)])


def _findings(counts: IntArray, promised: dict[str, Any]) -> list[tuple[Finding, float, str]]:
    """Measure again what the table can confirm, beside what the certificate states."""
    nobody = np.zeros(counts.shape), np.zeros(len(counts))
    tally = Tally(counts.sum(axis=1), counts, *nobody, counts.sum(axis=0))
    found = []
    for one, part, stated in _promises(promised):
        if part is not None and part[1]:
            found.append((part[0].finding(tally), stated, one["name"]))
    return found


def _promise_check(table: str, finding: Finding, stated: float, name: str) -> Check:
    as_stated = abs(finding.worst - stated) <= 1e-9
    told = str(finding) if as_stated else f"{finding}; the certificate states {stated:g}"
    return Check(f"{name} of {table}", finding.holds and as_stated, told)
