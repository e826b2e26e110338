"""Modules stay readable in one sitting: no list of exceptions, nothing grows past its limit."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LIMITS = {"src": 400, "lab": 400, "tools": 400, "benchmarks": 400, "tests": 800}
"""Folder -> lines of a module."""
FUNCTION = 49


def modules(folder: str) -> Iterator[Path]:
    return (ROOT / folder).rglob("*.py")


def long_functions(source: str) -> list[str]:
    """Functions longer than `FUNCTION` lines, from ``def`` to their last line."""
    return [
        f"{node.name}: {lines} lines"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION
    ]


def too_long(source: str, limit: int) -> bool:
    return len(source.splitlines()) > limit


@pytest.mark.parametrize("folder", LIMITS)
def test_no_module_is_too_long(folder: str) -> None:
    found = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in modules(folder)
        if too_long(path.read_text(encoding="utf-8"), LIMITS[folder])
    }
    assert found == {}


@pytest.mark.parametrize("folder", LIMITS)
def test_no_function_is_too_long(folder: str) -> None:
    found = {
        str(path.relative_to(ROOT)): names
        for path in modules(folder)
        if (names := long_functions(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_what_is_too_long_is_found() -> None:
    body = "    pass\n" * FUNCTION
    assert too_long("pass\n" * 401, LIMITS["src"])
    assert long_functions(f"def f():\n{body}") == [f"f: {FUNCTION + 1} lines"]
    assert long_functions(f"async def f():\n{body}") != []
    assert not too_long("pass\n" * 400, LIMITS["src"])
    assert long_functions(f"def f():\n{body[: -len('    pass' + chr(10))]}") == []
