"""Takes secrets out of text before it is stored, shown to a model or exported."""

from collections.abc import Sequence
from typing import Any

from superbizagent.domain.outputs import ToolOutput

__all__ = ["Redactor", "redact_output"]


class Redactor:
    """Stub."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def text(self, text: str) -> str:
        return text

    def lines(self, lines: Sequence[str]) -> list[str]:
        return list(lines)

    def json(self, value: Any) -> Any:
        return value


def redact_output(output: ToolOutput, redactor: Redactor) -> ToolOutput:
    return output
