"""Checks of a study that is being written: the model's own words, and what it names."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from seriatim.errors import SeriatimError
from seriatim.publish.study import Study
from seriatim.studio.folder import Folder

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
