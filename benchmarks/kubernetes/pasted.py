"""How people put output into what they save or send: sessions, notes, tickets, mails, chats."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster

_RESET = "\x1b[0m"


def session(prompt: str, *steps: tuple[str, str]) -> str:
    """Return a terminal's session with the user's own prompt."""
    return "\n".join(f"{prompt}{command}\n{text.rstrip()}" for command, text in steps) + "\n"


def coloured(text: str, *words: str, code: int = 31) -> str:
    """Colour words, as wrappers around kubectl do."""
    for word in words:
        text = text.replace(word, f"\x1b[{code}m{word}{_RESET}")
    return text


def windows(text: str) -> str:
    """Return a text with the line ends of a Windows terminal."""
    return text.replace("\n", "\r\n")


def fenced(*parts: tuple[str, str]) -> str:
    """Return a Markdown note: what somebody wrote, then what was pasted under it."""
    return "\n".join(f"{told}\n\n```\n{text.rstrip()}\n```\n" for told, text in parts)


def tail(text: str, lines: int) -> str:
    """Return the end of an output of which a terminal had lost the beginning."""
    return "\n".join(text.splitlines()[-lines:]) + "\n"


def kept(text: str, *words: str, without: tuple[str, ...] = (), head: bool = False) -> str:
    """Return the lines that `grep` or `grep -v` leaves; `head` keeps the column heads."""
    rows = text.splitlines()
    found = [
        row
        for row in rows[head:]
        if (not words or any(w in row for w in words)) and not any(w in row for w in without)
    ]
    return "\n".join([*rows[:head], *found]) + "\n"


def wrapped(text: str, width: int) -> str:
    """Break lines as a narrow terminal does when its screen is copied."""
    rows = (
        row[at : at + width] for row in text.splitlines() for at in range(0, len(row) or 1, width)
    )
    return "\n".join(rows) + "\n"


def mailed(*parts: tuple[str, str]) -> str:
    """Return a mail: what somebody writes, and under it output without prompt or fence."""
    return "\n".join(f"{told}\n\n{text.rstrip()}\n" for told, text in parts)


def issue(title: str, *parts: tuple[str, str]) -> str:
    """Return an issue by a template: bold questions, answers as fenced text or plain words."""
    lines = [f"## {title}", ""]
    for asked, text in parts:
        body = f"```\n{text.rstrip()}\n```" if "\n" in text else text
        lines += [f"**{asked}**", "", body, ""]
    return "\n".join(lines)


def taken(c: Cluster, steps: list[tuple[str, str]], user: str) -> str:
    """Return a terminal's session with a root prompt and times of the day between the steps."""
    lines: list[str] = []
    for index, (command, text) in enumerate(steps):
        at = c.ago(f"{20 * (len(steps) - index)}s").strftime("%H:%M:%S")
        lines += [f"[{at}] {user}# {command}", text.rstrip()]
    return "\n".join(lines) + "\n"


def ticket(*parts: tuple[str, str]) -> str:
    """Return a ticket in Jira's markup: a sentence, then output in a block without format."""
    return "\n".join(
        f"{told}\n{{noformat}}\n{text.rstrip()}\n{{noformat}}\n" if text else f"{told}\n"
        for told, text in parts
    )


def chat(c: Cluster, *lines: tuple[str, str, str]) -> str:
    """Return a chat: the age of a message, who wrote it, its text (output in back quotes)."""
    return "".join(f"[{c.ago(ago):%H:%M}] {who}: {text.rstrip()}\n" for ago, who, text in lines)


def quoted(text: str) -> str:
    """Return output as people paste it into a chat."""
    return f"```\n{text.rstrip()}\n```"
