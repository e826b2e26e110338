"""Choices that are the same wherever and whenever they are made again."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

__all__ = ["Draw"]

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Draw:
    """Draws by seed and key, so that one more choice elsewhere changes none of the others."""

    seed: int = 0

    def number(self, below: int, *key: object) -> int:
        """Return a number from 0 to ``below`` - 1."""
        written = "\x1f".join(str(part) for part in (self.seed, *key))
        return int.from_bytes(sha256(written.encode()).digest()[:8], "big") % below

    def pick(self, items: Sequence[_Item], *key: object) -> _Item:
        """Return one of ``items``, which are not empty."""
        return items[self.number(len(items), *key)]
