"""Arrays to bytes and back: the columnar body of a stored output.

Layout: ``SBC1``, the header's length (8 bytes, little endian), a canonical JSON header (the
caller's plain data and each column's name, dtype and length), then the columns' raw little-endian
bytes in that order. NaN bits survive. The caller compresses.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from superbizagent.domain.canonical import canonical_bytes, loads
from superbizagent.errors import IntegrityError

__all__ = ["pack", "unpack"]

_MAGIC = b"SBC1"
_PREFIX = len(_MAGIC) + 8


def pack(header: Any, columns: Mapping[str, NDArray[Any]]) -> bytes:
    """Return one byte string that ``unpack`` reads back exactly."""
    arrays = {
        name: np.ascontiguousarray(a).astype(a.dtype.newbyteorder("<"))
        for name, a in columns.items()
    }
    spec = [[name, a.dtype.str, len(a)] for name, a in arrays.items()]
    head = canonical_bytes({"header": header, "columns": spec})
    body = b"".join(a.tobytes() for a in arrays.values())
    return _MAGIC + len(head).to_bytes(8, "little") + head + body


def unpack(data: bytes) -> tuple[Any, dict[str, NDArray[Any]]]:
    """Return the header and the columns.

    Raises:
        IntegrityError: when the bytes are not what ``pack`` writes.
    """
    if data[: len(_MAGIC)] != _MAGIC:
        raise IntegrityError(
            "stored output has an unknown form; was it written by a newer version?"
        )
    end = _PREFIX + int.from_bytes(data[len(_MAGIC) : _PREFIX], "little")
    head = loads(data[_PREFIX:end])
    columns: dict[str, NDArray[Any]] = {}
    for name, dtype, length in head["columns"]:
        kind = np.dtype(dtype)
        columns[name] = np.frombuffer(data, kind, length, end)
        end += kind.itemsize * length
    return head["header"], columns
