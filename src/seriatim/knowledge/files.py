"""Knowledge in files that people read and edit: CSV and JSON."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from seriatim.errors import KnowledgeError, SeriatimError
from seriatim.knowledge.from_sheet import from_sheet
from seriatim.knowledge.sheet import as_csv, as_json, from_csv, from_json
from seriatim.knowledge.to_sheet import to_sheet


def write_knowledge(knowledge: object, path: str | Path) -> None:
    """Write knowledge to a ``.csv`` or ``.json`` file, whole or not at all.

    Priors and sequence models of seriatim's own can be written. A kernel prior with a
    corpus and a tabulated prior hold people's data: the former is not written, the latter
    names respondents.

    >>> from tempfile import TemporaryDirectory
    >>> from seriatim import MarginalPrior
    >>> with TemporaryDirectory() as folder:
    ...     write_knowledge(MarginalPrior({"neg": 0.9, "pos": 0.1}), Path(folder, "prior.csv"))
    ...     lines = Path(folder, "prior.csv").read_text().splitlines()
    >>> lines[1:]
    ['value,probability', 'neg,0.9', 'pos,0.1']
    """
    file = Path(path)
    suffix = _suffix(file)
    sheet = to_sheet(knowledge)
    text = as_json(sheet) if suffix == ".json" else as_csv(sheet)
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:
        message = "The knowledge has a text with half a letter in it, which no file can hold."
        raise KnowledgeError(message) from None
    part = file.with_name(f".{file.name}.part")
    try:
        part.write_bytes(content)
        part.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        message = f"{file} could not be written: {error.strerror}."
        raise KnowledgeError(message) from None


def read_knowledge(path: str | Path) -> Any:
    r"""Read a prior or a sequence model from a ``.csv`` or ``.json`` file.

    A table made by hand needs nothing but its columns.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "weekly.csv")
    ...     written = file.write_text("given,next,probability\nneg,neg,0.8\nneg,pos,0.2\n")
    ...     knowledge = read_knowledge(file)
    >>> knowledge
    DomainKnowledge(1 contexts, up to 1 steps)
    """
    file = Path(path)
    suffix = _suffix(file)
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        message = f"{file} could not be read: {reason}."
        raise KnowledgeError(message) from None
    try:
        return from_sheet(from_json(text) if suffix == ".json" else from_csv(text))
    except SeriatimError as error:
        message = f"{file.name}: {error}"
        raise KnowledgeError(message) from None


def _suffix(file: Path) -> str:
    suffix = file.suffix.lower()
    if suffix not in (".csv", ".json"):
        message = f"Knowledge is kept in .csv and .json files, and {file.name} is neither."
        raise KnowledgeError(message)
    return suffix
