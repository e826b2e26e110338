"""Objects out of JSON and YAML: lists, several documents, damaged and huge ones.

A whole JSON document is read at once. Whatever is not whole, and all YAML, is cut into objects by
its lines first, so that a bad one costs itself alone, and kinds that nobody reads cost no parsing.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import yaml

from superbizagent.datasources.kubernetes.fields import Raw, text
from superbizagent.datasources.kubernetes.gathered import KINDS, Form, Gathered, plural_of
from superbizagent.domain.canonical import loads

__all__ = ["YamlBudget", "add_json", "add_value", "add_yaml"]

_YAML_BYTES = 32 * 1024 * 1024
"""YAML is read at about 2 MB a second; more would be the whole time of a diagnosis."""
_NESTED = re.compile(r"(?:[\[{]\s*){100}|(?:- ){100}|^ {1000}", re.MULTILINE)
"""Deeper than any object of a cluster; the parser's own stack is not to be tried."""
_SEPARATOR = re.compile(r"^---(?: .*)?$", re.MULTILINE)
_ITEMS = re.compile(r"^items:[ \t]*$", re.MULTILINE)
_KIND = re.compile(r"^ *(?:- )?kind: *[\"']?([A-Za-z]+)", re.MULTILINE)
_LIST_KIND = re.compile(r"([A-Za-z]*)List")
_SECRETIVE = frozenset({"ConfigMap", "Secret", "ServiceAccount"})
_WHITESPACE = " \t\r\n,"


@dataclass(slots=True)
class YamlBudget:
    """How many bytes of YAML may still be parsed."""

    left: int = _YAML_BYTES


def add_value(value: Any, form: Form, origin: str, gathered: Gathered) -> bool:
    """Take an object, or the items of a list; return whether it was either.

    A list of one kind without items says that there are none.
    """
    if isinstance(value, list):
        taken = [add_value(item, form, origin, gathered) for item in cast("list[Any]", value)]
        return any(taken)
    if not isinstance(value, dict):
        return False
    raw = cast("Raw", value)
    items = raw.get("items")
    listed = _LIST_KIND.fullmatch(text(raw, "kind"))
    if isinstance(items, list):
        kind = listed[1] if listed else ""
        if kind in KINDS and not items:
            gathered.looked(plural_of(kind), "empty")
        for item in cast("list[Any]", items):
            if isinstance(item, dict):
                # Items of a typed list do not repeat their kind.
                typed = cast("Raw", item)
                add_value({"kind": kind, **typed} if kind else typed, form, origin, gathered)
        return True
    if listed and "items" in raw:
        gathered.looked(plural_of(listed[1]), "empty")
        return True
    if "kind" not in raw or "metadata" not in raw:
        return False
    gathered.add(raw, form, origin)
    return True


# JSON --------------------------------------------------------------------------------------------


def add_json(body: str, origin: str, gathered: Gathered) -> bool:
    """Take all objects of a JSON text, of a damaged one those that are whole."""
    try:
        value = loads(body)
    except ValueError:
        found = _add_pieces(body, origin, gathered)
        remark = "is damaged or cut JSON; the objects that are whole were read" if found else (
            "is malformed JSON and was left out"
        )  # fmt: skip
        gathered.note(f"{origin}: {remark}")
        return found
    return add_value(value, Form.WHOLE, origin, gathered)


def _add_pieces(body: str, origin: str, gathered: Gathered) -> bool:
    """Read documents one after the other, and the items of one that does not end."""
    decoder, at, found = json.JSONDecoder(), 0, False
    while at < len(body):
        at = _start(body, at)
        try:
            value, at = decoder.raw_decode(body, at)
        except (ValueError, RecursionError):
            items = body.find('"items"', at)
            opened = body.find("[", items) if items >= 0 else -1
            # Behind what cannot be read only a line that opens an object is a sure beginning.
            at = opened + 1 if 0 <= opened < at + 400 else _next_line(body, at)
            continue
        found |= add_value(value, Form.WHOLE, origin, gathered)
    return found


def _start(body: str, at: int) -> int:
    while at < len(body) and body[at] in _WHITESPACE:
        at += 1
    return at


def _next_line(body: str, at: int) -> int:
    found = body.find("\n{", at + 1)
    return found + 1 if found >= 0 else len(body)


# YAML --------------------------------------------------------------------------------------------


def add_yaml(body: str, origin: str, gathered: Gathered, budget: YamlBudget) -> bool:
    """Take all objects of a YAML text, as far as the budget reaches."""
    found = False
    skipped: dict[str, int] = {}
    for chunk, is_item in _chunks(body):
        kinds = _KIND.findall(chunk)
        if is_item and kinds and not set(kinds) & KINDS.keys():
            gathered.left_out += 1
            continue
        lean = _without_bulk(chunk)
        reason = _unreadable(lean, budget)
        if reason:
            skipped[reason] = skipped.get(reason, 0) + 1
            continue
        budget.left -= len(lean)
        try:
            value = yaml.load(lean, Loader=_LOADER)  # noqa: S506 - builds texts, lists and maps alone
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            mark = getattr(error, "problem_mark", None)
            place = f" near line {mark.line + 1} of an object" if mark is not None else ""
            skipped[f"malformed YAML{place}"] = skipped.get(f"malformed YAML{place}", 0) + 1
            continue
        found |= add_value(value, Form.WHOLE, origin, gathered)
    for reason, count in skipped.items():
        gathered.note(f"{origin}: {count} objects were left out ({reason})")
    return found


_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""Leaves every scalar a text: neither times nor ``on`` and ``off`` are guessed at."""


def _unreadable(chunk: str, budget: YamlBudget) -> str:
    if len(chunk) > budget.left:
        return f"more than {_YAML_BYTES >> 20} MiB of YAML; save as JSON with -o json"
    return "nested too deeply" if _NESTED.search(chunk) else ""


def _chunks(body: str) -> Iterator[tuple[str, bool]]:
    """Yield each object's text, and whether it is an item of a list."""
    for document in _SEPARATOR.split(body):
        opened = _ITEMS.search(document)
        if opened is None:
            if document.strip():
                yield document, False
            continue
        rest = document[opened.end() :]
        first = re.search(r"^( *)- ", rest, re.MULTILINE)
        if first is None:
            yield document, False
            continue
        # Each item begins where the first did; what follows the list begins at the margin.
        starts = re.compile(rf"^{first[1]}- ", re.MULTILINE)
        places = [m.start() for m in starts.finditer(rest)]
        for begin, end in zip(places, [*places[1:], len(rest)], strict=True):
            yield _unlisted(rest[begin:end], len(first[1])), True


def _unlisted(item: str, margin: int) -> str:
    """Return the text of a list's item as a document: its dash is gone, the rest as it was."""
    lines = item.split("\n")
    lines[0] = f"{' ' * (margin + 2)}{lines[0][margin + 2 :]}"
    indented = " " * (margin + 2)
    end = next(
        (n for n, line in enumerate(lines) if n and line.strip() and not line.startswith(indented)),
        len(lines),
    )
    return "\n".join(lines[:end])


def _without_bulk(chunk: str) -> str:
    """Drop what is never read and often most of an object: who set which field, and content.

    A block belongs to its key as long as its lines are indented more, or are items beside it.
    """
    if "managedFields:" not in chunk and not any(f"kind: {k}" in chunk for k in _SECRETIVE):
        return chunk
    is_content = bool(_SECRETIVE & set(_KIND.findall(chunk)[:1]))
    kept: list[str] = []
    margin = -1
    for line in chunk.split("\n"):
        bare = line.lstrip(" ")
        indent = len(line) - len(bare)
        if margin >= 0 and (not bare or indent > margin or (indent == margin and bare[0] == "-")):
            continue
        margin = -1
        key = bare.removeprefix("- ").partition(":")[0]
        if key == "managedFields" or (is_content and key in {"data", "binaryData", "stringData"}):
            margin = indent
            continue
        kept.append(line)
    return "\n".join(kept)
