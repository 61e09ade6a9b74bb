"""Options, usage errors, and how the errors of the library reach people."""

import subprocess
import sys

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


def test_main__lets_an_unforeseen_error_through(failing):
    failing(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        main()


def test_main__is_what_the_script_runs():
    from importlib.metadata import entry_points

    (script,) = entry_points(group="console_scripts", name="seriatim")
    assert script.load() is app_module.main
