"""Text copied from a terminal: commands with their output below them, each part read by itself."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Part", "is_session", "parts_of"]

_PROMPT = re.compile(r"^[^\n$#>]{0,80}[$#>] *((?:kubectl|oc|k) [^\n]*)$", re.MULTILINE)
_PREVIOUS = frozenset({"-p", "--previous", "--previous=true"})
_WITH_VALUE = frozenset({"-n", "--namespace", "-c", "--container", "-o", "-l", "--tail", "--since"})


@dataclass(frozen=True, slots=True)
class Part:
    """What one command printed."""

    text: str
    namespace: str = ""
    """That the command was limited to."""
    log_of: str = ""
    """Pod whose log it printed."""
    container: str = ""
    previous: bool = False


def is_session(head: str) -> bool:
    """Tell whether a text begins with a command at a prompt."""
    return _PROMPT.match(head.lstrip()) is not None


def parts_of(body: str) -> Iterator[Part]:
    """Yield the parts of a text; one without commands is one part."""
    commands = list(_PROMPT.finditer(body))
    if not commands:
        yield Part(body)
        return
    if body[: commands[0].start()].strip():
        yield Part(body[: commands[0].start()])
    ends = [m.start() for m in commands[1:]] + [len(body)]
    for command, end in zip(commands, ends, strict=True):
        yield _part(command[1], body[command.end() + 1 : end])


def _part(command: str, output: str) -> Part:
    try:
        words = shlex.split(command.partition("|")[0])
    except ValueError:
        words = command.split()
    values: dict[str, str] = {}
    plain: list[str] = []
    waiting = ""
    for word in words[1:]:
        name, sign, value = word.partition("=")
        if waiting:
            values[waiting], waiting = word, ""
        elif sign and name.startswith("-"):
            values[name] = value
        elif word in _WITH_VALUE:
            waiting = word
        elif not word.startswith("-"):
            plain.append(word)
    is_log = plain[:1] == ["logs"]
    return Part(
        text=output,
        namespace=values.get("-n", values.get("--namespace", "")),
        log_of=plain[1].rpartition("/")[2] if is_log and len(plain) > 1 else "",
        container=values.get("-c", values.get("--container", "")),
        previous=bool(_PREVIOUS & set(words)),
    )
