"""What the import contracts cannot see: pure parts that read, print or draw through a builtin."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "superbizagent"
PURE = ("domain", "analysis", "promql")

BUILTINS = {"__import__", "breakpoint", "eval", "exec", "input", "open", "print"}
# Methods of datetime and date that read the clock, and of numpy and polars that touch files.
CLOCK = {"now", "today", "utcnow"}
FILES = ("read_", "scan_", "sink_", "write_")
NUMPY_FILES = {"fromfile", "genfromtxt", "load", "loadtxt", "memmap", "random", "save", "savez"}


def impure(source: str) -> Iterator[str]:
    """The impure names used in `source`, each with its line."""
    for node in ast.walk(ast.parse(source)):
        name = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id if node.func.id in BUILTINS else None
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner, attribute = node.value.id, node.attr
            if (
                (owner in {"datetime", "date"} and attribute in CLOCK)
                or (owner in {"pl", "polars"} and attribute.startswith(FILES))
                or (owner in {"np", "numpy"} and attribute in NUMPY_FILES)
            ):
                name = f"{owner}.{attribute}"
        if name:
            yield f"line {node.lineno}: {name}"


@pytest.mark.parametrize("part", PURE)
def test_pure_parts_use_no_impure_name(part: str) -> None:
    found = {
        str(path.relative_to(PACKAGE)): names
        for path in sorted((PACKAGE / part).rglob("*.py"))
        if (names := list(impure(path.read_text(encoding="utf-8"))))
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
    assert list(impure(f"def f():\n    return {line}\n")) != []
