"""The tutorial's commands run, and print what it says."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from seriatim.cli import app as app_module

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"


def transcript():
    """Return the commands of the tutorial with what they are said to print."""
    blocks = re.findall(r"```console\n(.*?)```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL)
    pairs = []
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, told = part.partition("\n")
            pairs.append((command, told))
    return pairs


def test_tutorial__prints_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    checker = doctest.OutputChecker()
    for command, promised in transcript():
        monkeypatch.setattr("sys.argv", shlex.split(command))
        with pytest.raises(SystemExit):
            app_module.main()
        shown = capsys.readouterr()
        told = shown.out + shown.err
        assert checker.check_output(promised, told, doctest.ELLIPSIS), f"{command}\n{told}"
