"""Commands and configuration shown in the documentation exist."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from superbizagent.cli.app import cli
from superbizagent.settings import Settings
from tools.write_reference import setting_rows

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHELL = {"sh", "bash", "console"}
VARIABLES = {variable for variable, *_ in setting_rows(Settings)}
TARGETS = set(
    re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
)


def blocks(page: str, languages: set[str]) -> Iterator[str]:
    for language, text in BLOCK.findall(page):
        if language in languages:
            yield text


def words(text: str) -> Iterator[list[str]]:
    """The commands of a shell block, each as its words; what follows a pipe is one of its own."""
    for line in text.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line.removeprefix("$ "), posix=True, punctuation_chars="|&;<>")
        lexer.whitespace_split = True
        command: list[str] = []
        for word in [*lexer, ";"]:
            if word in {"|", "&&", ";", "||", "&"}:
                if command:
                    yield command
                command = []
            else:
                command.append(word)


def check_superbiz(arguments: list[str]) -> None:
    """Parse the arguments as the program would.

    Raises:
        click.UsageError: when a command or an option does not exist.
    """
    command: click.Command = cli
    context = click.Context(cli, info_name="superbiz")
    while isinstance(command, click.Group) and arguments and not arguments[0].startswith("-"):
        member = command.get_command(context, arguments[0])
        if member is None:
            raise click.UsageError(f"no command {arguments[0]}")
        command, arguments = member, arguments[1:]
        context = click.Context(command, info_name=command.name, parent=context)
    for stop in (">", ">>", "<"):
        if stop in arguments:
            arguments = arguments[: arguments.index(stop)]
    command.make_parser(context).parse_args(list(arguments))


def check(command: list[str]) -> str | None:
    """What is wrong with one command of a page, or None."""
    while command and re.fullmatch(r"[A-Z][A-Z_]*=.*", command[0]):
        name = command[0].partition("=")[0]
        if name.startswith("SUPERBIZ_") and name not in VARIABLES:
            return f"{name} is no setting"
        command = command[1:]
    match command:
        case ["superbiz", *arguments]:
            try:
                check_superbiz(arguments)
            except click.UsageError as error:
                return f"{shlex.join(command)}: {error.message}"
        case ["make", target, *_] if "=" not in target and target not in TARGETS:
            return f"make {target} does not exist"
        case _:
            pass
    return None


def test_shell_examples_use_what_exists(pages: dict[str, str]) -> None:
    shown = 0
    wrong: list[str] = []
    for name, page in pages.items():
        for block in blocks(page, SHELL):
            for command in words(block):
                shown += 1
                if problem := check(command):
                    wrong.append(f"{name}: {problem}")
    assert wrong == []
    assert shown > 15


def test_toml_examples_use_settings_that_exist(pages: dict[str, str]) -> None:
    shown = 0
    for page in pages.values():
        for block in blocks(page, {"toml"}):
            Settings.model_validate(tomllib.loads(block))
            shown += 1
    assert shown > 0


@pytest.mark.parametrize(
    "line",
    [
        "superbiz no-such-command",
        "superbiz trace list --no-such-option",
        "cat x | superbiz diagnose --no-such-option",
        "make no-such-target",
        "SUPERBIZ_NO_SUCH=1 superbiz demo",
    ],
)
def test_an_example_of_what_does_not_exist_is_found(line: str) -> None:
    assert [problem for command in words(line) if (problem := check(command))] != []
