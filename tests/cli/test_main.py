"""Options, usage errors, and how the errors of the library reach people."""

import errno
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import seriatim as sr
from seriatim.cli import app as app_module
from seriatim.cli import story as story_module
from seriatim.cli.app import INTERNAL_EXIT_CODE, app, main


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "seriatim.cli", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def failing(monkeypatch):
    """Let ``seriatim example`` fail with an error."""

    def fail_with(error):
        def fail():
            raise error

        monkeypatch.setattr(story_module, "tell_story", fail)
        monkeypatch.setattr(sys, "argv", ["seriatim", "example"])

    return fail_with


def test_version__is_the_version_of_the_package():
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"seriatim {sr.__version__}\n")


def test_help__lists_the_commands():
    done = CliRunner().invoke(app, ["--help"])
    assert done.exit_code == 0
    assert "example" in done.output
    assert "again and again, safely" in done.output


@pytest.mark.parametrize(
    "command", [command.callback.__name__ for command in app.registered_commands]
)
def test_help__of_each_command_tells_what_it_does(command):
    done = CliRunner().invoke(app, [command, "--help"])
    assert (done.exit_code, "Usage" in done.output) == (0, True)


@pytest.mark.parametrize("arguments", [["exmaple"], ["--nope"], ["example", "--jsn"]])
def test_usage__that_is_wrong_exits_with_2_and_no_traceback(arguments):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "No such" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (sr.SchemaError, 2),
        (sr.TableError, 1),
        (sr.KnowledgeError, 2),
        (sr.PolicyError, 2),
        (sr.OrderError, 1),
        (sr.UnsatisfiableError, 1),
    ],
)
def test_main__turns_an_error_into_its_exit_code_and_one_paragraph(failing, capsys, error, code):
    failing(error("The view has no rows.\nSkip this instant."))
    with pytest.raises(SystemExit) as left:
        main()
    printed = capsys.readouterr()
    assert left.value.code == code
    assert printed.out == ""
    assert printed.err == "seriatim: The view has no rows.\nSkip this instant.\n"


def test_main__owns_up_to_a_defect(failing, capsys):
    failing(sr.InternalError("A finished release breaks its policy."))
    with pytest.raises(SystemExit) as left:
        main()
    printed = capsys.readouterr().err
    assert left.value.code == INTERNAL_EXIT_CODE
    assert printed.startswith("seriatim: A finished release breaks its policy.\nThis is a defect")
    assert "\n\n" not in printed
    assert "Traceback" not in printed


def test_internal_exit_code__is_none_of_the_documented_ones():
    assert INTERNAL_EXIT_CODE not in (0, 1, 2, 3)


def test_main__tells_of_an_unforeseen_error_without_its_words(failing, capsys):
    failing(ValueError("could not convert string to float: 'SECRET-7'"))
    with pytest.raises(SystemExit) as left:
        main()
    printed = capsys.readouterr().err
    assert left.value.code == INTERNAL_EXIT_CODE
    assert re.search(r"\(ValueError, seriatim/cli/starting_commands.py:\d+\)", printed)
    assert "This is a defect of seriatim" in printed
    assert "\n\n" not in printed
    assert "SECRET-7" not in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_main__says_what_to_do_where_memory_is_not_enough(failing, capsys, error):
    failing(error)
    with pytest.raises(SystemExit) as left:
        main()
    printed = capsys.readouterr().err
    assert left.value.code == 71
    assert "not enough memory" in printed
    assert "--engine shards" in printed


def test_main__names_the_file_that_the_system_refused_in_the_system_s_words(failing, capsys):
    failing(OSError(errno.ENOSPC, "while 'SECRET-7' was written", "report.html"))
    with pytest.raises(SystemExit) as left:
        main()
    printed = capsys.readouterr().err
    assert left.value.code == 71
    assert printed.startswith("seriatim: report.html could not be used: No space left on device")
    assert "SECRET-7" not in printed


def test_output__that_nobody_reads_any_more_is_no_error():
    with subprocess.Popen(
        [sys.executable, "-m", "seriatim", "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (141, "")


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_output__that_cannot_be_written_is_told(arguments):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "seriatim", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 71
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_streams__that_are_closed_are_given_to_no_other_file(tmp_path):
    # The first file that is opened would be number 1, and get what is printed.
    script = (
        "import sys, os; from seriatim.cli import app; app._prepare_streams();"
        f"file = os.open({str(tmp_path / 'file')!r}, os.O_WRONLY | os.O_CREAT); sys.exit(file > 2)"
    )
    command = f'{sys.executable} -c "{script}" <&- >&- 2>&-'
    assert subprocess.run(command, shell=True, check=False).returncode == 1


def test_main__is_what_the_script_runs():
    from importlib.metadata import entry_points

    (script,) = entry_points(group="console_scripts", name="seriatim")
    assert script.load() is app_module.main
