"""Write the generated blocks of the documentation from the program itself.

A page holds a block between `<!-- generated: NAME -->` and `<!-- end -->`; this tool puts the
program's own words there, and tests/docs fails when they are out of date. Run as `make reference`.
"""

import ast
import inspect
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import click
from pydantic import BaseModel

from superbizagent import errors
from superbizagent.cli.app import cli
from superbizagent.settings import Settings

__all__ = ["BLOCKS", "PAGES", "renew"]

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    ROOT / "README.md",
    ROOT / "docs" / "guide" / "check.md",
    ROOT / "docs" / "reference" / "cli.md",
    ROOT / "docs" / "reference" / "settings.md",
    ROOT / "docs" / "reference" / "errors.md",
)
_BLOCK = re.compile(r"(<!-- generated: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_WIDTH = 100
_ENV_PREFIX = "SUPERBIZ_"


def commands(
    command: click.Command, path: tuple[str, ...] = ("superbiz",)
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with its path of words, a group before its members."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path[-1])
        for name in command.list_commands(context):
            member = command.get_command(context, name)
            if member is not None:
                yield from commands(member, (*path, name))


def help_text(path: tuple[str, ...], command: click.Command) -> str:
    """What `PATH --help` prints."""
    context = None
    for word in path[:-1]:
        context = click.Context(click.Group(word), info_name=word, parent=context)
    settings: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
    context = click.Context(
        command,
        info_name=path[-1],
        parent=context,
        terminal_width=_WIDTH,
        max_content_width=_WIDTH,
        **settings,
    )
    return command.get_help(context).rstrip()


def _cli() -> str:
    parts = [
        f"## {' '.join(path)}\n\n```text\n{help_text(path, command)}\n```\n"
        for path, command in commands(cli)
    ]
    return "\n".join(parts)


def _attribute_docs(model: type[BaseModel]) -> dict[str, str]:
    """The string under each field, in one line; those of what it inherits among them."""
    found: dict[str, str] = {}
    for base in model.__bases__:
        if issubclass(base, BaseModel) and base.__module__ == model.__module__:
            found |= _attribute_docs(base)
    tree = ast.parse(inspect.getsource(model))
    body = next(node for node in tree.body if isinstance(node, ast.ClassDef)).body
    for field, text in itertools.pairwise(body):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        match text:
            case ast.Expr(value=ast.Constant(value=str() as words)):
                found[field.target.id] = " ".join(words.replace("``", "`").split())
            case _:
                found[field.target.id] = ""
    return found


def _default(value: object) -> str:
    match value:
        case "" | () | None:
            return "empty"
        case bool():
            return f"`{str(value).lower()}`"
        case tuple():
            return ", ".join(f"`{item}`" for item in value)  # pyright: ignore[reportUnknownVariableType] - a tuple of anything
        case _:
            return f"`{value}`"


def _table_of(annotation: object) -> type[BaseModel] | None:
    """The model behind a table of settings, or behind a table that may also be an array."""
    for one in (annotation, *get_args(annotation)):
        if isinstance(one, type) and issubclass(one, BaseModel):
            return one
    return None


def setting_rows(
    model: type[BaseModel], prefix: tuple[str, ...] = ()
) -> Iterator[tuple[str, str, str, str]]:
    """Environment variable, key in the file, default and meaning of every setting."""
    docs = _attribute_docs(model)
    for name, field in model.model_fields.items():
        path = (*prefix, name)
        table = _table_of(field.annotation)
        if table is not None:
            yield from setting_rows(table, path)
            continue
        default = "see below" if field.default_factory is not None else _default(field.default)
        default = "of each" if field.is_required() else default
        yield _ENV_PREFIX + "__".join(path).upper(), ".".join(path), default, docs.get(name, "")


def _settings() -> str:
    rows = [
        f"| `{variable}` | `{key}` | {default} | {text} |"
        for variable, key, default, text in setting_rows(Settings)
    ]
    return "\n".join(["| Variable | Key | Default | Meaning |", "|---|---|---|---|", *rows]) + "\n"


def error_types() -> list[type[errors.SuperbizError]]:
    """Every error of the tree, in the order of the module."""
    found = [value for value in vars(errors).values() if inspect.isclass(value)]
    return [error for error in found if issubclass(error, errors.SuperbizError)]


def _errors() -> str:
    rows = [
        f"| `{error.code}` | {error.exit_code} | {inspect.getdoc(error)} |"
        for error in error_types()
    ]
    return "\n".join(["| Code | Exit code | Meaning |", "|---|---|---|", *rows]) + "\n"


def _printed(folder: str, *arguments: str) -> str:
    """What ``superbiz`` prints when it runs in ``folder``, whatever its exit code."""
    run = "from superbizagent.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", run, *arguments],
        # A folder of its own for everything, so that no setting of this machine shows.
        cwd=folder,
        env={
            "PATH": os.defpath,
            "HOME": folder,
            "SUPERBIZ_DATA_DIR": folder,
            "TZ": "UTC",
            "COLUMNS": str(_WIDTH),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.stdout:
        raise ValueError(done.stderr)
    return done.stdout


def _demo() -> str:
    """The first screen of the demo, without the footer, which differs from run to run."""
    with tempfile.TemporaryDirectory() as folder:
        printed = _printed(folder, "demo", "--quiet", "--lang", "en")
    screen, _, footer = printed.rstrip().rpartition("\n")
    if " session " not in footer:
        raise ValueError(f"the last line of the demo is no footer: {footer!r}")
    return f"```text\n{screen.rstrip()}\n```\n"


_ANSWER = """\
# Why checkout is slow

The connection pool of order-service ran out: 10 of 10 connections were in use, and up to 24
requests waited [E4.52][E4.47]. Of its 3,690 requests 716 failed, some 19 %. The latency of
order-service rose from 31 ms to 26.4 s. Errors began at 12:41. orders-db was restarted at 12:40.
A full disk caused the errors of order-service. 故障期间 order-service 的延迟升到 2.64 秒。

- Raise the size of the pool.
"""
"""An answer as somebody might write it about the example: right, wrong and made up."""


def _answer() -> str:
    return f"```markdown\n{_ANSWER}```\n"


def _checked() -> str:
    """What `superbiz check` prints of the answer."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "answer.md").write_text(_ANSWER, encoding="utf-8")
        bundle = str(ROOT / "examples" / "mysql-connection-pool")
        printed = _printed(folder, "check", "answer.md", "--bundle", bundle, "--lang", "en")
    return f"```text\n{printed.rstrip()}\n```\n"


BLOCKS: dict[str, Callable[[], str]] = {
    "answer": _answer,
    "checked": _checked,
    "cli": _cli,
    "demo": _demo,
    "errors": _errors,
    "settings": _settings,
}


def renew(page: str) -> str:
    """`page` with every generated block written anew.

    Raises:
        KeyError: when a block has a name that nothing generates.
    """
    return _BLOCK.sub(lambda m: f"{m[1]}\n{BLOCKS[m[2]]()}\n{m[3]}", page)


def _main() -> None:
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        if (new := renew(page)) != page:
            print(path.relative_to(ROOT))
            path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    _main()
