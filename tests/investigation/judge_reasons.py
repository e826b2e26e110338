"""Every reason that a judge of claims can give, read out of the judges' own source.

A judge hands a reason to `Part`, or to a function with a parameter named ``reason`` or ``why``;
what it hands there is followed through conditions, variables and the functions that return it.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from superbizagent.analysis.claims import compare

FOLDER = Path(compare.__file__).parent
Function = ast.FunctionDef | ast.Lambda
PART = 3
"""Position of the reason among the fields of `Part`."""


@dataclass
class Reasons:
    """Keys of reasons by the place that gives them, and what could not be followed."""

    keys: dict[str, str] = field(default_factory=dict[str, str])
    unclear: list[str] = field(default_factory=list[str])


def reasons_in(folder: Path = FOLDER) -> Reasons:
    trees = {path.name: ast.parse(path.read_text("utf-8")) for path in sorted(folder.glob("*.py"))}
    found = Reasons()
    for name, tree in trees.items():
        _Reader(name, tree, trees, found).read()
    return found


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def parameter(function: ast.FunctionDef) -> int | None:
    """Position of a function's reason among the arguments of a call, None when it has none."""
    names = [a.arg for a in function.args.args if a.arg not in {"self", "cls"}]
    return next((names.index(n) for n in ("reason", "why") if n in names), None)


@dataclass
class _Reader:
    name: str
    tree: ast.Module
    trees: dict[str, ast.Module]
    found: Reasons

    def read(self) -> None:
        # A private name stands for another function in another module.
        reach = [t for t in self.trees.values() if t is not self.tree]
        known = [f for t in reach for f in functions(t) if not f.name.startswith("_")]
        sinks = {"Part": PART}
        for function in (*known, *functions(self.tree)):
            place = parameter(function)
            if place is not None:
                sinks[function.name] = place
            else:
                sinks.pop(function.name, None)
        for function in functions(self.tree):
            for call in (n for n in ast.walk(function) if isinstance(n, ast.Call)):
                place = sinks.get(called(call))
                given = argument(call, place) if place is not None else None
                if isinstance(given, ast.Starred):
                    self.pairs()
                elif given is not None:
                    self.follow(given, function, 0)

    def pairs(self) -> None:
        """Reasons that come with their facts: what functions return a pair of."""
        for function in functions(self.tree):
            kind = ast.unparse(function.returns) if function.returns else ""
            for node in ast.walk(function) if kind.startswith("tuple[str, tuple[") else ():
                if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
                    self.follow(node.value.elts[0], function, 0)

    def follow(self, node: ast.expr, function: ast.FunctionDef, depth: int) -> None:
        where = f"{self.name}:{node.lineno}"
        for choice in choices(node):
            self.follow(choice, function, depth)
        match node:
            case ast.Constant(value=str(text)):
                self.add(text, where)
            case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
                self.add(text, where)
            case ast.Name(id=name) if depth < 5:
                self.variable(name, function, where, depth)
            case ast.Call() if depth < 5 and not choices(node):
                self.returned(called(node), where, depth)
            case _ if not choices(node):
                self.found.unclear.append(where)
            case _:
                pass

    def variable(self, name: str, function: ast.FunctionDef, where: str, depth: int) -> None:
        if name in {"reason", "why"} and parameter(function) is not None:
            return  # handed on: whoever hands it in is looked at
        values = [
            n.value
            for n in ast.walk(function)
            if (isinstance(n, ast.Assign) and any(is_name(t, name) for t in n.targets))
            or (isinstance(n, ast.NamedExpr) and is_name(n.target, name))
        ]
        for value in values:
            self.follow(value, function, depth + 1)
        if not values:
            self.found.unclear.append(where)

    def returned(self, name: str, where: str, depth: int) -> None:
        """What functions of this name return, wherever in the folder they are."""
        known = False
        for file, tree in self.trees.items():
            for function in (f for f in functions(tree) if f.name == name):
                known = True
                for node in ast.walk(function):
                    if isinstance(node, ast.Return) and node.value is not None:
                        reader = _Reader(file, tree, self.trees, self.found)
                        reader.follow(node.value, function, depth + 1)
        if not known:
            self.found.unclear.append(where)

    def add(self, text: str, where: str) -> None:
        key = text.partition(":")[0]
        if key:
            self.found.keys.setdefault(key, where)


def choices(node: ast.expr) -> list[ast.expr]:
    """What an expression is one of; nothing when it is no choice."""
    match node:
        case ast.IfExp(body=body, orelse=other):
            return [body, other]
        case ast.BoolOp(values=values):
            return values
        case ast.BinOp(left=text, op=ast.Mult()):  # "key" * condition
            return [text]
        case ast.Call(func=ast.Attribute(value=ast.Dict(values=values), attr="get")):
            return [*values, *node.args[1:]]
        case _:
            return []


def called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def argument(call: ast.Call, place: int) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg in {"reason", "why"}:
            return keyword.value
    starred = next((a for a in call.args if isinstance(a, ast.Starred)), None)
    return call.args[place] if len(call.args) > place else starred


def is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
