"""Checks of a study that is being written: the model's own words, and what it names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from seriatim.errors import SeriatimError
from seriatim.microdata.hierarchical import Hierarchical
from seriatim.microdata.tables import to_text
from seriatim.publish.study import Study
from seriatim.studio.folder import Folder

_UNFIT = {
    "hierarchy": "the table has values that this hierarchy does not name.",
    "values": "the table has values that are not among these.",
    "low": "the table has values outside this range.",
    "kind": "the table has values that this kind cannot read.",
}

_LINE = re.compile(r"^\s+line \d+: ([^:]+): (.*)$")


@dataclass(frozen=True)
class Checked:
    """What was found in the text of a study."""

    mistakes: tuple[str, ...] = ()
    """What must be put right, a sentence each."""

    fields: tuple[str, ...] = ()
    """Where: the places in study.toml, with dots."""

    study: Study | None = None
    """The study, where there is no mistake."""

    def but(self, mistake: str) -> Checked:
        """Return the same with one more mistake."""
        return replace(self, mistakes=(*self.mistakes, mistake), study=None)


def check(folder: Folder, file: Path, text: str) -> Checked:
    """Check the text of a study, as the commands do when they read it, and what it names."""
    try:
        study = folder.checked(Study.from_text(file, text))
        # Knowledge is read when a view is published; here its absence is told at once.
        _ = study.adversary
    except SeriatimError as error:
        return _told(str(error))
    return Checked(study=study)


def check_fit(found: Checked, distinct: Mapping[str, pa.Array]) -> Checked:
    """Check what a study says of columns by the different values that a table has in them."""
    if found.study is None:
        return found
    wrong = {}
    for attribute in found.study.schema.quasi_identifiers:
        values = distinct[attribute.name].drop_null()
        if isinstance(attribute, Hierarchical):
            values = to_text(values, attribute.name)
        try:
            attribute.resolve(values).encode(values)
        except SeriatimError:
            said = found.study.declared.quasi_identifiers[attribute.name]
            key = next(
                (
                    key
                    for key in ("hierarchy", "values", "low")
                    if getattr(said, key, None) is not None
                ),
                "kind",
            )
            wrong[f"quasi_identifiers.{attribute.name}.{key}"] = _UNFIT[key]
    if not wrong:
        return found
    return Checked(tuple(f"{place}: {what}" for place, what in wrong.items()), tuple(wrong))


def _told(message: str) -> Checked:
    lines = message.splitlines()[1:]
    places, words = [], []
    for line in lines:
        found = _LINE.match(line)
        if found:
            places.append(found[1])
            words.append(f"{found[1]}: {found[2]}")
        else:
            words.append(line)
    return Checked(tuple(words) if places else (message,), tuple(places))
