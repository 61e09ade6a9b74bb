"""Walking through a document: what it says to run is run, and must print what it says.

Blocks are taken in their order, in one folder and one namespace:

- ``python`` is executed, and ``text`` after it is what it prints;
- ``console`` has commands after ``$``, a backslash going on in the next line, and what each
  prints, ``...`` standing for anything;
- ``toml`` is study.toml, or sections that take the place of its own.

Commands in other blocks are not run; ``commands_in`` finds them, to see that they exist.
"""

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

import pytest

from seriatim.cli import app as app_module

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    path
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")]
    if path.name != "CHANGELOG.md"
)

_ELSEWHERE = ("docs/spark.md",)
"""Documents whose blocks need more than is here: the tests of what they are about run them."""

_BLOCK = re.compile(r"^```(python|text|console|toml)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_SECTION = re.compile(r"^\[(\w+)\]\n(?:(?!\[).*\n)*", re.MULTILINE)
_TOLERANT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks_of(document):
    """Return the blocks that are run or compared, with their languages."""
    return _BLOCK.findall(document.read_text(encoding="utf-8"))


def is_run(document):
    """Tell whether there is anything to run in a document."""
    if str(document.relative_to(ROOT)) in _ELSEWHERE:
        return False
    return any(language in ("python", "console") for language, _ in blocks_of(document))


def walk(document, monkeypatch, capsys):
    """Run a document in the working folder, and compare."""
    # Dataclasses look their module up by name.
    namespace, printed = {"__name__": "__main__"}, ""
    for language, block in blocks_of(document):
        if language == "python":
            printed += _executed(block, document, namespace)
        elif language == "text":
            assert doctest.OutputChecker().check_output(block, printed, doctest.ELLIPSIS), printed
            printed = ""
        elif language == "console":
            _typed(block, monkeypatch, capsys)
        else:
            _written(block)
    assert printed == "", f"{document.name} does not say what this prints:\n{printed}"


def _executed(block, document, namespace):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(block, str(document), "exec"), namespace)
    return output.getvalue()


def _typed(block, monkeypatch, capsys):
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, promised = part.replace("\\\n", "").partition("\n")
        monkeypatch.setattr("sys.argv", _words(command))
        with pytest.raises(SystemExit) as ended:
            app_module.main()
        shown = capsys.readouterr()
        told = shown.out + shown.err
        refused = promised.startswith("seriatim: ")
        assert bool(ended.value.code) == refused, f"{command}\n{told}"
        assert doctest.OutputChecker().check_output(promised, told, _TOLERANT), f"{command}\n{told}"


def _words(command):
    """Return the words of a command, patterns of files replaced by the files, as shells do it."""
    words = shlex.split(command)
    return [
        name
        for word in words
        for name in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
    ]


def _written(block):
    study = Path("study.toml")
    if block.startswith("#:schema"):
        study.write_text(block, encoding="utf-8")
        return
    text = study.read_text(encoding="utf-8")
    for section in _SECTION.finditer(block):
        told = section[0].rstrip("\n") + "\n\n"
        old = re.search(rf"^\[{section[1]}\]\n(?:(?!\[).*\n)*", text, re.MULTILINE)
        text = text.replace(old[0], told) if old else f"{text}\n{told}"
    study.write_text(text, encoding="utf-8")


def commands_in(document):
    """Return the commands of the program that a document shows anywhere, as words."""
    text = document.read_text(encoding="utf-8")
    shown = re.findall(r"(?:^    |^\$ |`)seriatim ([a-z][^`\n]*)", text, re.MULTILINE)
    for script in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        shown += re.findall(r"\bseriatim ([a-z].*)", script)
    return [line.split(" #")[0].split() for line in shown]
