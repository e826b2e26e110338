"""Identifiers. Pure: the caller brings the time and the random bytes."""

import hashlib
import uuid

__all__ = ["derived_id", "uuid7"]


def uuid7(unix_ms: int, random: bytes) -> str:
    """Return a UUID version 7 (RFC 9562) from a time and ten random bytes."""
    value = (unix_ms & (2**48 - 1)) << 80
    value |= 0x7 << 76
    value |= (int.from_bytes(random[:2], "big") & 0xFFF) << 64
    value |= 0b10 << 62
    value |= int.from_bytes(random[2:10], "big") & (2**62 - 1)
    return str(uuid.UUID(int=value))


def derived_id(session_id: str, key: str) -> str:
    """Return the id of what stands at ``key`` in a session: the same on every replay."""
    raw = hashlib.sha256(f"{session_id}\n{key}".encode()).digest()[:16]
    # Version 8 (RFC 9562: made by rules of our own), set by hand: Python 3.11 refuses to.
    value = int.from_bytes(raw, "big") & ~(0xF << 76) & ~(0b11 << 62)
    return str(uuid.UUID(int=value | 0x8 << 76 | 0b10 << 62))
