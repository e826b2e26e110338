"""Every rule that can decide is on the page about gates, and none that cannot."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GATE = ROOT / "src" / "superbizagent" / "investigation" / "gate"
PAGE = (ROOT / "docs" / "reference" / "gates.md").read_text(encoding="utf-8")
RULINGS = {"passed", "warned", "failed", "rule"}
"""Functions that make a ruling; ``rule`` is one of them, chosen by a setting."""


def words_of(node: ast.AST) -> Iterator[str]:
    """Rule words that a node decides by."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(word)), *_]):
            if name in RULINGS:
                yield word
        case ast.Return(value=ast.Tuple(elts=[ast.Constant(value=str(word)), *_])):
            yield word
        case ast.keyword(arg="rule_id", value=ast.Constant(value=str(word))):
            yield word
        case _:
            pass


def rules_of_the_code() -> set[str]:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in GATE.glob("*.py")]
    return {word for tree in trees for node in ast.walk(tree) for word in words_of(node)}


def rules_of_the_page() -> set[str]:
    tables = PAGE.split("## `aiops_rule_evaluation`")[1]
    return set(re.findall(r"^\| `([a-z_.]+)` \|", tables, re.MULTILINE))


def test_the_page_lists_the_rules_of_the_code() -> None:
    assert rules_of_the_page() == rules_of_the_code()
    assert len(rules_of_the_code()) > 25


def test_the_page_never_calls_a_report_verified() -> None:
    assert re.findall(r"\b(?:verified|proven|proved|accurate)\b", PAGE, re.IGNORECASE) == []
