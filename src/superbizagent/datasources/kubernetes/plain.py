"""Bytes of a saved file as plain text: without colours, with one sort of line end.

People save what a terminal showed, and what PowerShell wrote; both add what no command printed.
"""

import codecs
import re

__all__ = ["plain_text", "without_stamps"]

_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[()#][A-Za-z0-9]|[=>@-Z\\-_])"
)
_BARE_COLOUR = re.compile(r"\[\d{1,3}(?:;\d{1,3}){0,4}m")
"""A colour whose first character was lost when it was copied."""
_TAKEN_BACK = re.compile(r"[^\n\x08]\x08")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"),
          (codecs.BOM_UTF16_BE, "utf-16-be"))  # fmt: skip
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z? ")
_MOSTLY = 0.9


def plain_text(data: bytes) -> str | None:
    """Return the text that bytes hold, None when they are no text."""
    mark, encoding = next(((m, e) for m, e in _MARKS if data.startswith(m)), (b"", "utf-8"))
    if not encoding.startswith("utf-16") and b"\0" in data[:4096]:
        return None
    written = data[len(mark) :].decode(encoding, "replace")
    return _without_steering(written)


def _without_steering(written: str) -> str:
    if "\x1b" in written:
        written = _ESCAPE.sub("", written)
    if "[0m" in written:
        written = _BARE_COLOUR.sub("", written)
    while "\x08" in written and _TAKEN_BACK.search(written):
        written = _TAKEN_BACK.sub("", written)
    if "\r" in written:
        written = written.replace("\r\n", "\n").replace("\r", "\n")
    return written.replace("\u00a0", " ").lstrip("\ufeff")


def without_stamps(body: str) -> str:
    """Return a text without the time that a build server puts before every line, where it does."""
    lines = body.split("\n")
    told = [line for line in lines if line.strip()]
    stamped = sum(_STAMP.match(line) is not None for line in told)
    if not told or stamped < _MOSTLY * len(told):
        return body
    return "\n".join(_STAMP.sub("", line, count=1) for line in lines)
