"""What the import contracts cannot see: pure parts that read, print or draw through a builtin."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "superbizagent"
PURE = ("domain", "analysis", "promql")

BUILTINS = {"__import__", "breakpoint", "eval", "exec", "input", "open", "print"}
# Methods of datetime and date that read the clock, and of numpy and polars that touch files.
CLOCK = {"now", "today", "utcnow"}
FILES = ("read_", "scan_", "sink_", "write_")
IN_MEMORY = {"read_lines"}  # handed bytes, whose type is checked, it cuts them into lines
NUMPY_FILES = {"fromfile", "genfromtxt", "load", "loadtxt", "memmap", "random", "save", "savez"}


def impure_name(node: ast.AST) -> str | None:
    """The impure name that `node` uses, if any."""
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in BUILTINS:
            return name
        case ast.Attribute(value=ast.Name(id="datetime" | "date" as owner), attr=name):
            return f"{owner}.{name}" if name in CLOCK else None
        case ast.Attribute(value=ast.Name(id="pl" | "polars" as owner), attr=name):
            opens = name.startswith(FILES) and name not in IN_MEMORY
            return f"{owner}.{name}" if opens else None
        case ast.Attribute(value=ast.Name(id="np" | "numpy" as owner), attr=name):
            return f"{owner}.{name}" if name in NUMPY_FILES else None
        case _:
            return None


def impure(source: str) -> list[str]:
    """The impure names used in `source`."""
    return [name for node in ast.walk(ast.parse(source)) if (name := impure_name(node))]


@pytest.mark.parametrize("part", PURE)
def test_pure_parts_use_no_impure_name(part: str) -> None:
    found = {
        str(path.relative_to(PACKAGE)): names
        for path in sorted((PACKAGE / part).rglob("*.py"))
        if (names := impure(path.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    "line",
    [
        "open('x')",
        "print(1)",
        "datetime.now()",
        "date.today()",
        "pl.read_parquet('x')",
        "np.random.default_rng()",
        "np.load('x')",
        "eval('1')",
    ],
)
def test_an_impure_name_is_found(line: str) -> None:
    assert impure(f"def f():\n    return {line}\n") != []
