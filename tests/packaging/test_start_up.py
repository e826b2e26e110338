"""`superbiz --version` and `--help` stay near the speed of bare Python."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.cli import START_UP_BUDGET_SECONDS, start_up_seconds

HEAVY = {
    "alembic",
    "fastapi",
    "httpx2",
    "numpy",
    "polars",
    "pydantic",
    "pydantic_ai",
    "pydantic_settings",
    "rich",
    "sqlalchemy",
    "structlog",
    "yaml",
}
LIST_MODULES = "import atexit, sys; atexit.register(lambda: print(*sys.modules, sep='\\n'))\n"
RUN = LIST_MODULES + "from superbizagent.cli import main; main()"


def modules_after(code: str, *arguments: str) -> set[str]:
    """The top-level modules that `code` leaves imported in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return {line.split(".")[0] for line in done.stdout.splitlines()}


@pytest.mark.parametrize("argument", ["--version", "-V", "--help", "-h"])
def test_start_up_imports_nothing_heavy(argument: str) -> None:
    assert modules_after(RUN, argument) & HEAVY == set()


def test_the_list_of_modules_shows_a_heavy_import() -> None:
    assert modules_after(LIST_MODULES + "import sqlalchemy") & HEAVY == {"sqlalchemy"}


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_start_up_costs_little_cpu(argument: str) -> None:
    assert start_up_seconds(argument) < START_UP_BUDGET_SECONDS


def test_version_is_that_of_the_project() -> None:
    superbiz = Path(sys.executable).with_name("superbiz")
    done = subprocess.run([superbiz, "--version"], capture_output=True, text=True, check=True)
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\nversion = "{done.stdout.split()[-1]}"\n' in project
