"""Tables with lines around their cells, or commas between them, as plain columns.

People paste from spreadsheets, dashboards and Markdown; the cells are those of ``kubectl``.
"""

import re
from collections.abc import Iterator

__all__ = ["unboxed"]

_BARS = "|│┃"
_ROW = re.compile(rf"^\s*[{_BARS}].*[{_BARS}].*$")
_RULE = re.compile(r"^[\s|│┃+:=─━┄┌┬┐├┼┤└┴┘╞╪╡╒╤╕╘╧╛-]+$")
_CELL = re.compile(rf"[{_BARS}]")
_HEADINGS = re.compile(r"^\"?(?:NAMESPACE|NAME|POD|NODE)\"?(?:,\"?[A-Z][A-Z ()/-]*\"?){2,}$")


def unboxed(body: str) -> str:
    """Return a text in which every such table stands in columns, as a terminal prints it."""
    if not any(bar in body for bar in _BARS) and ",READY" not in body and ",STATUS" not in body:
        return body
    return "\n".join(_lines(body.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    rows: list[list[str]] = []
    commas = 0
    for line in lines:
        if _HEADINGS.match(line.strip()):
            yield from _aligned(rows)
            rows, commas = [_values(line)], line.count(",")
        elif commas and line.count(",") >= commas:
            rows.append(_values(line))
        elif _ROW.match(line) and not _RULE.match(line):
            rows.append([cell.strip(" `*\t") for cell in _CELL.split(line.strip())[1:]])
        elif _RULE.match(line) and line.strip() and (rows or line.strip()[0] in "┌╒"):
            continue
        else:
            yield from _aligned(rows)
            rows, commas = [], 0
            yield line
    yield from _aligned(rows)


def _values(line: str) -> list[str]:
    return [value.strip(' "') for value in line.split(",")]


def _aligned(rows: list[list[str]]) -> Iterator[str]:
    if not rows:
        return
    count = max(map(len, rows))
    full = [row + [""] * (count - len(row)) for row in rows]
    widths = [max(len(row[n]) for row in full) for n in range(count)]
    for row in full:
        yield "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
