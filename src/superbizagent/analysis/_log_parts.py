"""The parts that a grouping key leaves out, filled with digits in the bytes of many messages.

`KEY` takes all of a word behind its first digit, and the hexadecimal letters before it. With these
as digits too, messages with ids such as ``7f3a-c01d`` have few distinct forms, and the slow regular
expression, which gives the same key for a filled message, is asked for few of them.

A bit stands for a byte, so that 64 of them are looked at together. What spans the end of a piece or
more than two words of 64 may stay as it is: it costs a form more, and its key is the same.
"""

import numpy as np
from numpy.typing import NDArray

from superbizagent.domain.distinct import DIGIT, digits_alike, pieces_of

__all__ = ["parts_alike"]

Bytes = NDArray[np.uint8]
Bits = NDArray[np.uint64]

_LETTERS = 6
"""Hexadecimal letters before a digit that are filled at most."""

_ONE, _TOP = np.uint64(1), np.uint64(63)


def parts_alike(text: Bytes) -> bytes:
    """Return the bytes of messages with all digits alike, and what `KEY` takes as such."""
    filled: list[bytes] = []
    for given in pieces_of(text):
        piece = np.frombuffer(digits_alike(given), np.uint8)
        above = piece - DIGIT
        above *= _parts(piece)
        filled.append((piece - above).tobytes())
    return b"".join(filled)


def _parts(text: Bytes) -> Bytes:
    """Return 1 for bytes of a part, else 0."""
    size = len(text)
    if size % 64:
        text = np.concatenate([text, np.zeros(-size % 64, np.uint8)])
    letter = (text | 32) - 97
    part = _bits(text == DIGIT)
    word = _bits((letter < 26) | (text == ord("_")) | (text - ord("-") < 2)) | part
    # A digit behind a colon goes on with the part before it, so no letter there may become one.
    before = _bits(letter < 6) & ~_later(_bits(text == ord(":")))
    part = _filled(word, part)
    part = _filled(word, part | _later(part) & word)
    for _ in range(_LETTERS):
        part |= _sooner(part) & before
    return np.unpackbits(part.view(np.uint8), count=size, bitorder="little")


def _bits(flags: NDArray[np.bool_]) -> Bits:
    return np.packbits(flags, bitorder="little").view(np.dtype("<u8"))


def _filled(word: Bits, part: Bits) -> Bits:
    """Go on from each byte of a part to the end of its word, or of its 64 bytes.

    A sum carries through the ones of a word: those from the first byte of a part on turn.
    """
    return word & ~(word + part) | part


def _later(bits: Bits) -> Bits:
    """Return which bytes stand behind those."""
    moved = bits << _ONE
    moved[1:] |= bits[:-1] >> _TOP
    return moved


def _sooner(bits: Bits) -> Bits:
    """Return which bytes stand before those."""
    moved = bits >> _ONE
    moved[:-1] |= bits[1:] << _TOP
    return moved
