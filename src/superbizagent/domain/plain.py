"""Text of strangers as it may stand in one line of ours: logs, errors, lists."""

__all__ = ["plain"]


def plain(text: str, longest: int = 200) -> str:
    """Return a text as one printable line, cut if it is long.

    Line ends, escapes of terminals, marks that turn the direction of writing and halves of
    surrogate pairs all become ``?``.
    """
    kept = text if len(text) <= longest else text[: longest - 1] + "…"
    return "".join(c if c.isprintable() else "?" for c in kept)
