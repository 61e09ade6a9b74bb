"""Documents run as they stand, and name commands that exist."""

import pytest
import typer

from documents import DOCUMENTS, ROOT, commands_in, is_run, walk
from seriatim.cli.app import app
from seriatim.publish import seal

SLOW = (ROOT / "docs" / "tutorial.md",)
"""Documents that take long to run: the tutorial rehearses its series."""


def named(document):
    return str(document.relative_to(ROOT))


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(document, id=named(document), marks=[pytest.mark.slow] * (document in SLOW))
        for document in DOCUMENTS
        if is_run(document)
    ],
)
def test_document__prints_what_it_says(document, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(seal, "COST_BITS", 4)  # a key costs next to nothing to derive
    walk(document, monkeypatch, capsys)


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_document__names_commands_and_options_that_exist(document):
    program = typer.main.get_command(app)
    for words in commands_in(document):
        command, below = program, list(words)
        while below and below[0] in getattr(command, "commands", {}):
            command = command.commands[below.pop(0)]
        # After a group stands one of its commands, or its name is all that is meant.
        assert command is not program, words
        assert not (below and hasattr(command, "commands")), words
        options = {
            one
            for parameter in command.params
            for one in (*parameter.opts, *parameter.secondary_opts)
        }
        given = [word.split("=")[0] for word in below if word.startswith("-") and word != "--"]
        assert [one for one in given if one.rstrip(".,;)") not in {*options, "--help"}] == [], words
