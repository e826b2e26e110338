"""Shared by ``superbiz check`` and ``superbiz trace check``: read a text, print its marks."""

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from superbizagent.cli.compose import settings_for
from superbizagent.cli.render.checked import render_checked
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.incident import report_language
from superbizagent.errors import UsageError
from superbizagent.investigation.checked_text import (
    CheckedSentence,
    check_claims,
    check_text,
    read_claims,
    tally,
)
from superbizagent.investigation.stored import StoredDiagnosis
from superbizagent.investigation.wording.reasons import Reasons
from superbizagent.settings import locale_language, no_color

__all__ = ["DOES_NOT_STAND", "Asked", "print_result", "read_text"]

DOES_NOT_STAND = 4
"""Exit code: a sentence is contradicted, or no evidence bears it out."""
_LARGEST = 64 * 1024 * 1024
"""Bytes; no report comes near it, a log file given by mistake does."""
_HEAD = 4000
"""Characters that tell the language of a text."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A text to check, and how to say what came of it."""

    text: str
    as_json: bool
    lang: str
    only_problems: bool


def read_text(name: str) -> str:
    """Return the text of a file, or of standard input for ``-``.

    Raises:
        UsageError: when it cannot be read, holds nothing, is too large or is no text.
    """
    try:
        if name == "-":
            data = sys.stdin.buffer.read(_LARGEST + 1)
        else:
            with Path(name).open("rb") as stream:
                data = stream.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", "") or str(error)
        raise UsageError(f"{name!r} cannot be read: {reason}; check the path") from None
    if len(data) > _LARGEST:
        raise UsageError(f"{name!r} is larger than 64 MiB; check a part of it")
    text = _decoded(name, data)
    if not text.strip():
        raise UsageError(f"{name!r} is empty; name a text to check")
    return text


def _decoded(name: str, data: bytes) -> str:
    encoding = "utf-16" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError(
            f"{name!r} is no text in UTF-8; convert it: iconv -f gb18030 -t utf-8 FILE"
        )
    return text


def print_result(asked: Asked, session_id: str, stored: StoredDiagnosis) -> int:
    """Check a text, print what came of each sentence, and return the exit code."""
    language = report_language(
        asked.lang or settings_for().lang, asked.text[:_HEAD], locale_language()
    )
    reasons = Reasons(stored.ground, language)
    claims = read_claims(asked.text)
    sentences = (
        check_text(stored.checker, asked.text, reasons, stored.report)
        if claims is None
        else check_claims(stored.checker, claims, reasons, stored.report)
    )
    shown = [s for s in sentences if s.is_problem] if asked.only_problems else list(sentences)
    if asked.as_json:
        click.echo(_json(session_id, sentences, shown))
    else:
        color = sys.stdout.isatty() and not no_color()
        click.echo(render_checked(shown, tally(sentences), reasons.words, color=color), nl=False)
    return DOES_NOT_STAND if tally(sentences).problems else 0


def _json(
    session_id: str, sentences: tuple[CheckedSentence, ...], shown: list[CheckedSentence]
) -> str:
    value = {"session_id": session_id, "tally": tally(sentences), "sentences": shown}
    return canonical_bytes(value).decode()
