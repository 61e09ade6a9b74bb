"""Verification: is this release what its certificate says, and does it keep its promises?

From the files and the certificate alone: no study, no store, no originals. Whoever changed them
may have written digests anew, so nothing that a certificate says is believed where the files can
tell it: columns, groups, quasi-identifiers within groups, values, sizes, promises, and whether
every file of a release says the same. What needs the simulated reader's beliefs can only be
attested by who published. Who that was, no digest tells.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray
from seriatim.errors import SeriatimError, TableError, listed
from seriatim.measure.singling_out import Fits, fits, share_singled_out, summed
from seriatim.microdata.buckets import PEOPLE, VALUES
from seriatim.microdata.release import COUNT_COLUMN
from seriatim.privacy.tally import Tally
from seriatim.privacy.verdict import Finding
from seriatim.publish.certificate import sha256
from seriatim.publish.certificate_file import (
    CERTIFICATE_ENDING,
    Promise,
    promises_of,
    read_certificate,
)
from seriatim.publish.csv_content import is_spelled_plainly
from seriatim.publish.head import HEAD, Head, read_head
from seriatim.publish.parquet_content import (
    carries_more,
    is_written_again,
    odd_columns,
    written_by_spark,
)
from seriatim.publish.records import read_instant
from seriatim.publish.written_tables import (
    Expected,
    GroupsFound,
    as_texts,
    listed_in,
    names_in,
    read_columns,
    read_groups_of,
    say_the_same,
    told_plainly,
    with_other_ends,
    without_ends,
)

_LONGEST = 200
"""Characters up to which words of a certificate are repeated."""

_MOST_LISTED = 5
"""Files up to which all are named."""

_MARKERS = (".", "_SUCCESS", "_committed_", "_started_")
"""How the names of files begin that Spark and Hadoop leave beside parts."""


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

    unknown: tuple[str, ...] = ()
    """Promises that this program does not know, and so did not measure."""

    notes: tuple[str, ...] = ()
    """What a reader should know besides: changed promises, a series without a head."""

    @property
    def holds(self) -> bool:
        """Whether all is as it should be: what was checked, and no promise that is unknown here."""
        return self.checked and not self.unknown

    @property
    def checked(self) -> bool:
        """Whether everything that could be checked is as it should be."""
        return all(check.holds for check in self.checks)

    def __str__(self) -> str:
        """Tell it, a line for each check."""
        verdict = "verified" if self.holds else "NOT VERIFIED"
        if self.unknown:
            verdict += f": {len(self.unknown)} of its promises are unknown here"
        lines = [f"{self.certificate}: {verdict}"]
        lines += [
            f"  {'ok ' if one.holds else 'NOT'} {one.what}: {one.found}" for one in self.checks
        ]
        lines += [f"  ??? unknown promise, NOT measured: {one}" for one in self.unknown]
        lines += [
            f"  (attested by the publisher, not in the files: {one})" for one in self.attested
        ]
        lines += [f"  (note: {one})" for one in self.notes]
        return "\n".join(map(printable, lines))


def verify(certificate: str | Path, *, bytewise: bool = True) -> Verification:
    """Check a release by its certificate, whose files lie beside it.

    A file that cannot be read as a table of a release is an error. With ``bytewise``, the columns
    of Parquet files are written again, and must give the same bytes where this pyarrow wrote
    them; whoever has just written them need not do so.

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
    return _verified(path, read_certificate(path), bytewise=bytewise)


def _verified(path: Path, promised: dict[str, Any], *, bytewise: bool = True) -> Verification:
    files = {Path(name).name: _beside(path, name, promised) for name in promised["files"]}
    stated = {Path(name).name: one["sha256"] for name, one in promised["files"].items()}
    promises = promises_of(promised)
    stray = _stray_check(path, list(files.values()), in_parts=bool(promised.get("in parts")))
    # The Parquet library may abort the process over a damaged footer: digests come first there.
    # Of the others neither needs the other; what is wrong inside of a changed file is never told.
    first = {name: file for name, file in files.items() if file.suffix == ".parquet"}
    digests = {name: _digest_check(file, name, stated[name]) for name, file in first.items()}
    whole = all(check.holds for check in digests.values())
    tables = _Tables(promised, files, bytewise=bytewise)
    with ThreadPoolExecutor(1, thread_name_prefix="seriatim-verify") as beside:
        looking = beside.submit(tables.checks, promises) if whole else None
        for name in files.keys() - first.keys():
            digests[name] = _digest_check(files[name], name, stated[name])
    checks = [digests[name] for name in files]
    if looking is None or not all(check.holds for check in checks):
        return Verification(path.name, (*checks, *stray), ())
    return Verification(
        path.name,
        (*checks, *stray, *looking.result()),
        tuple(
            f"{one.part}: worst {one.worst}"
            for one in promises
            if one.part is not None and not one.confirmable
        ),
        tuple(f"{_cut(one.name)}: worst {one.worst}" for one in promises if one.part is None),
    )


def verify_chain(
    certificates: Sequence[str | Path],
    *,
    head: str | Path | None = None,
    whole: bool = True,
) -> tuple[Verification, ...]:
    """Check every release of a series, that none is missing, and what its head names.

    The head is ``head.json`` beside the last certificate, where it is there; ``head`` names one
    that was kept elsewhere. A series that does not begin with release 1, or does not end with the
    one that the head names, is not verified. Without ``whole`` these are some releases of a
    series, and only those that follow each other are compared with the one before.

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
    ...     some = (made, made[::2], made[1:], made[:2])
    ...     [[one.holds for one in verify_chain(one)] for one in some]
    [[True, True, True], [True, False], [False, True], [True, False]]
    """
    paths = [Path(one) for one in certificates]
    given = [path for path in paths if path.name == HEAD]
    found, links = [], []
    for path in (path for path in paths if path.name != HEAD):
        try:
            links.append(_Link(path, read_certificate(path), sha256(path.read_bytes())))
        except TableError as error:
            found.append(Verification(path.name, (Check("certificate", False, str(error)),), ()))
    before: _Link | None = None
    for link in sorted(links, key=lambda link: (link.number, link.path)):
        try:
            one = _verified(link.path, link.stated)
        except SeriatimError as error:
            one = Verification(link.path.name, (Check("files", False, str(error)),), ())
        check, notes = link.follows(before, whole=whole)
        found.append(replace(one, checks=(*one.checks, check), notes=(*one.notes, *notes)))
        before = link
    if before is not None:
        place = given[0] if head is None and given else head
        ended, told = _end(before, place, whole=whole)
        # A certificate that could not be read may be the one that the head names.
        unread = len(paths) - len(given) - len(links)
        which = -1 if all(check.holds for check in ended) or not unread else unread - 1
        last = found[which]
        found[which] = replace(last, checks=(*last.checks, *ended), notes=(*last.notes, *told))
    return tuple(found)


@dataclass(frozen=True)
class _Link:
    """A certificate in the chain."""

    path: Path
    stated: dict[str, Any]
    digest: str

    @property
    def number(self) -> int:
        return int(self.stated["number"])

    def follows(self, before: _Link | None, *, whole: bool) -> tuple[Check, tuple[str, ...]]:
        """Look whether a certificate follows another, and what it promises otherwise."""
        what, previous = "place in the chain", self.stated["previous"]
        if before is None and self.number == 1:
            told = "the first" if previous is None else "should have none before it"
            return Check(what, previous is None, told), ()
        if before is None and not whole:
            return Check(what, True, f"release {self.number}, the first that was given"), ()
        if before is None:
            told = f"the series begins with release {self.number}: those before it are missing"
            return Check(what, False, told), ()
        strange = self._strange_behind(before)
        if strange is not None:
            return Check(what, False, strange), ()
        if not whole and self.number > before.number + 1:
            told = f"release {self.number}; those behind {before.number} were not given"
            return Check(what, previous is not None, told), ()
        follows = previous == before.digest and self.number == before.number + 1
        told = "follows the one before" if follows else "the one before is another, or is missing"
        return Check(what, follows, told), _changed(before.stated, self.stated)

    def _strange_behind(self, before: _Link) -> str | None:
        """Say why a certificate cannot be behind another, however many lie between them."""
        if self.stated.get("study") != before.stated.get("study"):
            return "it is of another series than the one before"
        if not _later(before.stated.get("at"), self.stated.get("at")):
            return "its instant is not behind that of the one before"
        return None


def _later(before: dict[str, Any] | None, now: dict[str, Any] | None) -> bool:
    """Tell whether one instant is behind another; those that are not stated are not compared."""
    if before is None or now is None:
        return before is None
    try:
        return bool(read_instant(json.dumps(before)) < read_instant(json.dumps(now)))
    except TypeError:  # a number and a date
        return False


def _changed(before: dict[str, Any], now: dict[str, Any]) -> tuple[str, ...]:
    """Tell what a release promises otherwise than the one before it."""
    told = []
    for words, some, others in (
        ("no longer promised", before["promised"], now["promised"]),
        ("newly promised", now["promised"], before["promised"]),
    ):
        changed = [_cut(_plain_promise(one)) for one in some if one not in others]
        if changed:
            told.append(f"{words} since release {before['number']}: {', '.join(changed)}")
    unsaid = [
        name for name in before.get("singled out", {}) if name not in now.get("singled out", {})
    ]
    if unsaid:
        told.append(f"no longer told whom sets single out by: {listed(unsaid)}")
    if now["columns"] != before["columns"]:
        told.append(f"other columns than in release {before['number']}")
    return tuple(told)


def _plain_promise(promise: dict[str, Any]) -> str:
    bounds = [f"{key} = {one}" for key, one in promise.items() if key not in ("name", "unit")]
    return " ".join([promise["name"], f"({', '.join(bounds)})" if bounds else ""]).strip()


def _end(
    last: _Link, given: str | Path | None, *, whole: bool
) -> tuple[tuple[Check, ...], tuple[str, ...]]:
    """Look whether a series ends with the release that its head names."""
    place = last.path.with_name(HEAD) if given is None else Path(given)
    if given is None and not place.is_file():
        return (), (
            f"no {HEAD} was found: whether releases behind {last.number} are missing cannot be"
            " told",
        )
    try:
        head = read_head(place)
    except TableError as error:
        if given is not None and not place.is_file():
            raise  # whoever named it wants to know before all else
        return (Check("end of the series", False, str(error)),), ()
    if not whole and head.number != last.number:
        return (), (f"not the whole series: {place.name} names release {head.number} as its last",)
    return (_end_check(last, head, place.name),), ()


def _end_check(last: _Link, head: Head, name: str) -> Check:
    what, study = "end of the series", last.stated.get("study")
    if head.number == last.number and head.sha256 == last.digest:
        return Check(what, True, f"{name} names release {head.number}, as it is")
    if head.number > last.number:
        missing = head.number - last.number
        told = f"{name} names release {head.number}, and the last {missing} are missing"
    elif head.number < last.number:
        told = f"{name} names release {head.number} as the last, and does not know of later ones"
    else:
        told = f"{name} names another release {head.number} than this one"
    if head.study != study:
        told += f"; it is the head of {_cut(head.study)!r}"
    return Check(what, False, told)


def printable(text: str) -> str:
    """Return a text on one line, so that no word of a certificate can write lines of its own."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _digest_check(file: Path, name: str, stated: str) -> Check:
    what = f"digest of {name}"
    try:
        if not file.is_file():
            return Check(what, False, "could not be read: there is no such file")
        with file.open("rb") as content:  # piece by piece: a release may be large
            found = hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        return Check(what, False, f"could not be read: {error.strerror}")
    told = f"SHA-256 {found[:16]}…" if found == stated else "the file was changed"
    return Check(what, found == stated, told)


def _beside(certificate: Path, name: str, promised: dict[str, Any]) -> Path:
    """Return a file of a release: beside its certificate, or in the folder of its parts."""
    if not promised.get("in parts"):
        return certificate.with_name(Path(name).name)
    folder = certificate.name.removesuffix(CERTIFICATE_ENDING)
    return certificate.with_name(folder) / Path(name).name


def _stray_check(certificate: Path, files: list[Path], *, in_parts: bool) -> tuple[Check, ...]:
    """Look whether files lie with a release that its certificate does not name."""
    stem = certificate.name.removesuffix(CERTIFICATE_ENDING)
    stems = {stem} if in_parts else {stem, *(file.name.split(".")[0] for file in files)}
    folder = certificate.with_name(stem)
    known = {certificate, *files, *((folder,) if in_parts else ())}
    try:
        beside = [
            one
            for one in certificate.parent.iterdir()
            if any(_is_of(one.name, each) for each in stems)
            and not one.name.endswith(CERTIFICATE_ENDING)
        ]
        if in_parts and folder.is_dir():
            beside += [one for one in folder.iterdir() if not one.name.startswith(_MARKERS)]
    except OSError as error:
        told = f"the folder could not be read: {error.strerror}"
        return (Check("files beside the certificate", False, told),)
    found = sorted(one.name for one in beside if one not in known)
    if not found:
        return ()
    told = f"not certified: {listed(found, most=_MOST_LISTED)}"
    return (Check("files beside the certificate", False, told),)


def _is_of(name: str, stem: str) -> bool:
    """Tell whether a file is named like those of a release: the stem, and then no digit."""
    return name.startswith(stem) and not name[len(stem) : len(stem) + 1].isdigit()


class _Tables:
    """The tables of a release, as its certificate has them."""

    def __init__(self, promised: dict[str, Any], files: dict[str, Path], *, bytewise: bool) -> None:
        self._promised, self._files, self._bytewise = promised, files, bytewise
        columns = promised["columns"]
        self._attributes = tuple(columns["quasi-identifiers"])
        self._insensitive = tuple(columns.get("insensitive", ()))
        self._buckets = promised["form"] == "buckets"
        self._stated_sets = {} if self._buckets else promised.get("singled out", {})
        self._expected = Expected(
            columns["group"],
            () if self._buckets else self._attributes,
            columns["sensitive"],
            (columns["group"], columns["sensitive"], COUNT_COLUMN)
            if self._buckets
            else (columns["group"], columns["sensitive"], *self._insensitive),
            tuple(promised["values"]),
            promised["tuples"],
            promised["groups"],
            COUNT_COLUMN if self._buckets else None,
            in_parts=bool(promised.get("in parts")),
        )

    def checks(self, promises: list[Promise]) -> list[Check]:
        """Look at all that the files can tell; a file that is none is an error."""
        names = self._column_names()
        checks = [self._columns_check(name, has) for name, has in names.items()]
        checks += self._content_checks(names)
        if not all(check.holds for check in checks):
            return checks
        with_values = [name for name in names if not (self._buckets and PEOPLE in name)]
        found = {
            name: read_groups_of(self._files[name], names[name], self._expected)
            for name in with_values
        }
        if self._promised.get("in parts"):
            title = f"{len(found)} parts"
            found_whole = {title: _of_parts(list(found.values()), self._expected.groups)}
        else:
            found_whole = found
        if not self._buckets:
            checks += [self._regions_check(name, one) for name, one in found.items()]
        measured: list[tuple[IntArray, list[Finding]]] = []
        for name, one in found_whole.items():
            checks.append(self._size_check(name, one))
            if not checks[-1].holds:
                continue
            if one.counts is None:
                checks += [_not_measured(f"{each.name} of {name}") for each in _confirmed(promises)]
                checks.append(_not_measured(f"groups of {name}"))
                continue
            if self._buckets:
                people = name.replace(VALUES, PEOPLE)
                checks.append(self._people_check(people, names[people], one.counts))
            checks += [
                _promise_check(name, finding, promise)
                for finding, promise in zip(
                    _findings(one.counts, promises, measured), _confirmed(promises), strict=True
                )
            ]
        if all(check.holds for check in checks):
            checks += self._sets_checks(found)
        if all(check.holds for check in checks) and not self._promised.get("in parts"):
            checks += self._same_checks(names, found)
        return checks

    def _column_names(self) -> dict[str, tuple[str, ...]]:
        """Return the columns of each file."""
        for name, file in self._files.items():
            if not file.is_file():
                message = f"{name} could not be read: there is no such file."
                raise TableError(message)
        return {name: names_in(file) for name, file in self._files.items()}

    def _certified(self, name: str) -> tuple[str, ...]:
        """Return the columns that a file has by its certificate."""
        expected = self._expected
        if not self._buckets:
            return (expected.group, *self._attributes, expected.value, *self._insensitive)
        if PEOPLE in name:
            return (expected.group, *self._attributes)
        return (expected.group, expected.value, COUNT_COLUMN)

    def _columns_check(self, name: str, has: tuple[str, ...]) -> Check:
        certified = self._certified(name)
        plain = without_ends(has, self._attributes) if name.endswith(".parquet") else has
        if plain == certified:
            told = f"the {len(certified)} that are certified"
            return Check(f"columns of {name}", True, told)
        told = f"{listed(has)}; certified are {listed(certified)}"
        return Check(f"columns of {name}", False, told)

    def _content_checks(self, names: dict[str, tuple[str, ...]]) -> list[Check]:
        """Look whether files carry anything besides the cells of their columns."""
        checks = [self._content_check(name) for name in names if name.endswith(".parquet")]
        if self._bytewise:
            texts = [name for name in names if name.endswith(".csv")]
            checks += [self._spelling_check(name, names[name]) for name in texts]
        return checks

    def _content_check(self, name: str) -> Check:
        """Look whether a Parquet file carries anything besides its columns."""
        what, file = f"content of {name}", self._files[name]
        with told_plainly(file):
            by_spark = bool(self._promised.get("in parts")) and written_by_spark(file)
            odd = odd_columns(file, self._expected.group, self._insensitive)
            if odd:
                return Check(
                    what, False, f"other kinds of columns than releases have: {listed(odd)}"
                )
            more = carries_more(file, by_spark=by_spark)
            if more is not None:
                return Check(what, False, f"it carries {more}")
            return Check(what, True, self._bytes_told(file, by_spark=by_spark))

    def _bytes_told(self, file: Path, *, by_spark: bool) -> str:
        """Say whether a Parquet file is what this pyarrow writes of its columns.

        Told and not refused: another build of the same pyarrow may compress otherwise, and who
        hides something in pages may as well state another version.
        """
        told = "no metadata, no bytes besides its columns"
        if by_spark:
            return "no metadata; bytes besides its columns cannot be told, as Spark wrote it"
        if not self._bytewise:
            return told
        writer = self._promised.get("versions", {}).get("pyarrow")
        if writer != pa.__version__:
            told = f"{told}; not written by {pa.__version__} of pyarrow"
            return f"{told}, and so not compared byte by byte"
        if is_written_again(file):
            return "its columns, byte by byte"
        told = f"{told}; but other bytes than they give here"
        return f"{told}: another build of pyarrow, or something in its pages"

    def _spelling_check(self, name: str, has: tuple[str, ...]) -> Check:
        """Look whether a CSV file is written in the one way that releases are."""
        file = self._files[name]
        with told_plainly(file):
            plainly = is_spelled_plainly(file, read_columns(file, has))
        told = "as releases are written" if plainly else "quotes or line ends that releases lack"
        return Check(f"spelling of {name}", plainly, told)

    def _regions_check(self, name: str, found: GroupsFound) -> Check:
        """Look whether groups are generalized as one, and their ends are those of their words."""
        what = f"quasi-identifiers of {name}"
        if found.uneven:
            return Check(what, False, f"different within a group: {listed(found.uneven)}")
        if found.other_ends:
            return Check(what, False, f"other ends than words: {listed(found.other_ends)}")
        return Check(what, True, "the same within every group")

    def _size_check(self, name: str, found: GroupsFound) -> Check:
        stated = (self._expected.tuples, self._expected.groups)
        told = f"{found.tuples} tuples in {found.groups} groups"
        return Check(f"size of {name}", (found.tuples, found.groups) == stated, told)

    def _people_check(self, name: str, has: tuple[str, ...], counts: IntArray) -> Check:
        """Look whether each bucket lists as many people as it has values."""
        file = self._files[name]
        with told_plainly(file):
            people = read_columns(file, has)
            odd = with_other_ends(people, self._attributes)
        rows = listed_in(people, self._expected.group, file)
        holds = np.array_equal(rows, counts.sum(axis=1))
        told = "as many as values in every group" if holds else "not as many as values in a group"
        if odd:
            holds, told = False, f"other ends than words: {listed(odd)}"
        return Check(f"people of {name}", holds, told)

    def _sets_checks(self, found: dict[str, GroupsFound]) -> list[Check]:
        """Measure again whom sets single out: in one file, or in all parts of a release."""
        some = list(found.items()) if self._promised.get("in parts") else list(found.items())[:1]
        fitting: dict[str, list[Fits]] = {}
        for name, one in some:
            if not self._stated_sets:
                continue
            if one.counts is None:
                return [_not_measured(f"singled out by sets in {name}")]
            sizes = one.counts.sum(axis=1)
            with told_plainly(self._files[name]):
                regions = one.regions()
                for column in self._stated_sets:
                    texts = regions.column(column).combine_chunks()
                    fitting.setdefault(column, []).append(fits(texts, sizes))
        checks = []
        for column, parts in fitting.items():
            share, stated = share_singled_out(summed(parts)), self._stated_sets[column]
            holds = abs(share - stated) <= 1e-9
            told = f"{share:.1%} of the tuples" + ("" if holds else f", not {stated:.1%}")
            checks.append(Check(f"singled out by sets of {column}", holds, told))
        return checks

    def _same_checks(
        self, names: dict[str, tuple[str, ...]], found: dict[str, GroupsFound]
    ) -> list[Check]:
        """Look whether the kinds of files of a release say the same."""
        checks = []
        for part in (PEOPLE, VALUES) if self._buckets else ("",):
            first, *others = [name for name in names if part in name]
            for other in others:
                same = (
                    self._same_groups(found[first], found[other])
                    if first in found and not self._insensitive
                    else say_the_same(self._rows(first, names), self._rows(other, names))
                )
                told = "say the same" if same else "say different things"
                checks.append(Check(f"{first} and {other}", same, told))
        return checks

    def _same_groups(self, first: GroupsFound, second: GroupsFound) -> bool:
        if first.counts is None or second.counts is None:
            return False
        if not np.array_equal(first.counts, second.counts):
            return False
        return bool(first.regions().equals(second.regions()))

    def _rows(self, name: str, names: dict[str, tuple[str, ...]]) -> Any:
        file = self._files[name]
        with told_plainly(file):
            return as_texts(read_columns(file, names[name]), self._certified(name))


def _of_parts(found: list[GroupsFound], groups: int) -> GroupsFound:
    """Return what several files say of their groups, each of which is in one of them."""
    tuples, last = sum(one.tuples for one in found), max(one.groups for one in found)
    read = [
        (one.numbers, one.counts)
        for one in found
        if one.numbers is not None and one.counts is not None
    ]
    if len(read) < len(found) or last != groups:
        return GroupsFound(tuples, last)
    numbers = np.concatenate([one for one, _ in read])
    order = np.argsort(numbers, kind="stable")
    numbers = numbers[order]
    if (numbers[1:] == numbers[:-1]).any():
        message = "A group is in several parts of the release."
        raise TableError(message)
    if len(numbers) < groups:
        return GroupsFound(tuples, last)  # a group is in none of them
    return GroupsFound(tuples, last, np.concatenate([one for _, one in read])[order], numbers)


def _not_measured(what: str) -> Check:
    return Check(what, False, "could not be measured: a group up to the last has no rows")


def _confirmed(promises: list[Promise]) -> list[Promise]:
    return [one for one in promises if one.confirmable]


def _findings(
    counts: IntArray, promises: list[Promise], before: list[tuple[IntArray, list[Finding]]]
) -> list[Finding]:
    """Measure again what a table can confirm; a table like one before is not measured twice."""
    for same, found in before:
        if np.array_equal(same, counts):
            return found
    nobody = np.zeros(counts.shape), np.zeros(len(counts))
    tally = Tally(counts.sum(axis=1), counts, *nobody, counts.sum(axis=0))
    found = [one.part.finding(tally) for one in _confirmed(promises) if one.part is not None]
    before.append((counts, found))
    return found


def _promise_check(table: str, finding: Finding, promise: Promise) -> Check:
    told, holds = str(finding), finding.holds
    if abs(finding.worst - promise.worst) > 1e-9:
        told, holds = f"{told}; the certificate states {promise.worst:g}", False
    elif finding.margins[promise.group - 1] > finding.margins.min() + 1e-9:
        told, holds = f"{told}; group {promise.group} is not the worst, as it states", False
    return Check(f"{promise.name} of {table}", holds, told)
